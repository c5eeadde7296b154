/* Discriminants as a kind of model: prediction by blocks of rows, and the document. */
#include "med/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512, TEXTS = 7 };
static const char *const text_names[TEXTS] = {"task",       "kernel", "margin_prior", "bias_prior",
                                              "multiclass", "solver", "positive"};

void scant_i_med_machine_free(void *machine)
{
    scant_i_med_machine *m = machine;
    if (!m)
        return;
    for (size_t i = 0; i < TEXTS; i++)
        scant_i_free(m->texts[i]);
    for (size_t i = 0; m->names && i < m->expansion.d; i++)
        scant_i_free(m->names[i]);
    scant_i_free(m->names);
    scant_i_med_inputs_clear(&m->inputs);
    scant_i_med_expansion_clear(&m->expansion);
    scant_i_med_discriminants_clear(&m->discriminants);
    scant_i_med_table_clear(&m->support);
    scant_i_med_path_clear(&m->path);
    scant_i_free(m);
}

const scant_med_result *scant_model_med(const scant_model *model)
{
    return model->kind == &scant_i_machine_med
               ? &((const scant_i_med_machine *)model->machine)->result
               : NULL;
}

static char *input_name(const scant_i_med_machine *m, size_t i, const scant_model *model)
{
    size_t c = m->inputs.sparse ? i : m->inputs.column[i];
    if (m->inputs.sparse || m->inputs.level[i] == -1)
        return scant_i_strdup(model->columns[c]);
    if (m->inputs.level[i] < -1)
        return scant_i_format("%s=%c", model->columns[c], "ACGT"[-2 - m->inputs.level[i]]);
    size_t level = (size_t)m->inputs.level[i];
    return scant_i_format("%s=%s", model->columns[c],
                          level < model->nlevels[c] ? model->levels[c][level] : "?");
}

scant_status scant_i_med_machine_show(scant_i_med_machine *m, const scant_model *model)
{
    scant_status status = SCANT_OK;
    scant_med_result *r = &m->result;
    const char **text[TEXTS] = {&r->task,       &r->kernel, &r->margin_prior, &r->bias_prior,
                                &r->multiclass, &r->solver, &r->positive};
    for (size_t i = 0; i < TEXTS; i++)
        *text[i] = m->texts[i];
    r->discriminants = m->discriminants.count;
    r->bias = m->discriminants.bias;
    r->inputs = m->expansion.d;
    r->weight = m->discriminants.family ? NULL : m->discriminants.weight;
    r->probability = m->discriminants.probability;
    r->npath = m->path.count;
    r->path = m->path.numbers;
    r->path_weight = m->path.weight;
    r->path_probability = m->path.probability;
    SCANT_I_TRY(SCANT_I_NEW(&m->names, m->expansion.d + 1));
    for (size_t i = 0; i < m->expansion.d; i++) {
        m->names[i] = i < m->inputs.d ? input_name(m, i, model)
                                      : scant_i_med_expansion_name(&m->expansion, i, m->names);
        if (!m->names[i])
            return SCANT_ERR_MEMORY;
    }
    r->input = (const char *const *)m->names;
done:
    return status;
}

/* --- prediction --- */

typedef struct deciding {
    const scant_i_med_machine *m;
    const scant_rows *rows;
    double *f;
} deciding;

static scant_status decide_block(size_t block, size_t worker, void *payload)
{
    const deciding *p = payload;
    scant_status status = SCANT_OK;
    scant_i_med_table table = {0};
    size_t first = block * BLOCK, n = scant_i_min(BLOCK, p->rows->nrows - first);
    (void)worker;
    SCANT_I_TRY(scant_i_med_table_map(&table, &p->m->inputs, p->rows, NULL, first, n));
    SCANT_I_TRY(scant_i_med_expand_table(&table, &p->m->expansion));
    SCANT_I_TRY(scant_i_med_decide(p->f + first * p->m->discriminants.count, &p->m->discriminants,
                                   &p->m->kernel, &p->m->support, &table));
done:
    scant_i_med_table_clear(&table);
    return status;
}

scant_status scant_i_med_machine_decide(double *f, const scant_i_med_machine *m,
                                        const scant_rows *rows, size_t threads)
{
    deciding p = {m, rows, f};
    return scant_i_parallel(threads, (rows->nrows + BLOCK - 1) / BLOCK, decide_block, &p);
}

scant_status scant_med_decide(const scant_model *model, const scant_rows *rows, size_t threads,
                              double *decision)
{
    if (model->kind != &scant_i_machine_med)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the model was not made by med");
    if (rows->ncolumns != model->ncolumns)
        return scant_i_fail(SCANT_ERR_INPUT, "the rows have %zu columns, the model %zu",
                            rows->ncolumns, model->ncolumns);
    return scant_i_med_machine_decide(decision, model->machine, rows, threads);
}

static scant_status predict(const scant_i_machine_answers *answers, const void *machine,
                            const scant_rows *rows, const scant_predict_options *options)
{
    scant_status status = SCANT_OK;
    const scant_i_med_machine *m = machine;
    size_t n = rows->nrows, count = m->discriminants.count, K = m->discriminants.nclasses;
    double *f = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&f, n * count + 1));
    SCANT_I_TRY(scant_i_med_machine_decide(f, m, rows, options->threads));
    for (size_t t = 0; answers->classes && t < n; t++) {
        double *p = answers->classes + t * K;
        scant_i_med_scores(p, &m->discriminants, f + t * count);
        scant_i_med_log_probabilities(p, K, m->result.slope);
        for (size_t k = 0; k < K; k++)
            p[k] = exp(p[k]);
    }
    for (size_t t = 0; answers->target && t < n; t++)
        answers->target[t] = m->target_centre + m->target_spread * f[t];
    if (answers->decision)
        memcpy(answers->decision, f, n * count * sizeof *f);
done:
    scant_i_free(f);
    return status;
}

static size_t values(const void *machine)
{
    return ((const scant_i_med_machine *)machine)->discriminants.count;
}

static size_t target(const void *machine)
{
    return ((const scant_i_med_machine *)machine)->target;
}

/* --- to a document --- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

typedef struct number {
    const char *key;
    size_t at;
} number;
#define AT(field) offsetof(scant_med_result, field)
static const number reals[] = {{"c", AT(c)},
                               {"weight_variance", AT(weight_variance)},
                               {"gamma", AT(gamma)},
                               {"select", AT(select)},
                               {"epsilon", AT(epsilon)},
                               {"objective", AT(objective)},
                               {"gap", AT(gap)},
                               {"slope", AT(slope)},
                               {"held_out_accuracy", AT(held_out_accuracy)},
                               {"held_out_log_loss", AT(held_out_log_loss)},
                               {"held_out_mse", AT(held_out_mse)},
                               {"divergence_weights", AT(divergence_weights)},
                               {"divergence_bias", AT(divergence_bias)},
                               {"divergence_margins", AT(divergence_margins)},
                               {"vc_dimension", AT(vc_dimension)},
                               {"vc_bound", AT(vc_bound)},
                               {"pac_score", AT(pac_score)},
                               {"share", AT(share)}};
static const number counts[] = {{"problems", AT(problems)},
                                {"support", AT(support)},
                                {"rows", AT(rows)},
                                {"errors_train", AT(errors_train)},
                                {"folds", AT(folds)}};
enum { REALS = sizeof reals / sizeof *reals, COUNTS = sizeof counts / sizeof *counts };

static scant_status put_result(json_t *to, const scant_i_med_machine *m)
{
    scant_status status = SCANT_OK;
    const char *r = (const char *)&m->result;
    for (size_t i = 0; i < TEXTS; i++)
        if (m->texts[i])
            SCANT_I_TRY(scant_i_put(to, text_names[i], json_string(m->texts[i])));
    for (size_t i = 0; i < REALS; i++)
        SCANT_I_TRY(
            scant_i_put(to, reals[i].key, real(*(const double *)(const void *)(r + reals[i].at))));
    for (size_t i = 0; i < COUNTS; i++)
        SCANT_I_TRY(scant_i_put(
            to, counts[i].key,
            json_integer((json_int_t) * (const size_t *)(const void *)(r + counts[i].at))));
done:
    return status;
}

/* Support rows; sparse ones as pairs of column and value. */
static scant_status put_support(json_t *to, const scant_i_med_machine *m)
{
    scant_status status = SCANT_OK;
    const scant_i_med_table *s = &m->support;
    json_t *rows, *row;
    if (s->x)
        return scant_i_put_table(to, "support_rows", s->x, s->n, s->d);
    SCANT_I_TRY(scant_i_put(to, "support_entries", rows = json_array()));
    for (size_t t = 0; t < s->n; t++) {
        if (json_array_append_new(rows, row = json_array()))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        for (size_t e = s->sparse.start[t]; e < s->sparse.start[t + 1]; e++)
            if (json_array_append_new(row, json_integer(s->sparse.column[e])) ||
                json_array_append_new(row, json_real(s->sparse.value[e])))
                return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    }
done:
    return status;
}

static scant_status put_discriminants(json_t *to, const scant_i_med_machine *m)
{
    scant_status status = SCANT_OK;
    const scant_i_med_discriminants *d = &m->discriminants;
    SCANT_I_TRY(scant_i_put_table(to, "bias", d->bias, 1, d->count));
    if (d->code)
        SCANT_I_TRY(scant_i_put_table(to, "code", d->code, d->count, d->nclasses));
    size_t width = d->family ? d->family->size(d->d) : d->d;
    if (d->family) {
        SCANT_I_TRY(scant_i_put(to, "family", json_string(d->family->name)));
        SCANT_I_TRY(scant_i_put_table(to, "posteriors", d->chi, 2 * d->count, width));
    }
    if (d->weight)
        SCANT_I_TRY(scant_i_put_table(to, "weights", d->weight, d->count, width));
    if (d->probability)
        SCANT_I_TRY(scant_i_put_table(to, "switches", d->probability, d->count, d->d));
    if (d->coefficient) {
        SCANT_I_TRY(scant_i_put(to, "kernel_type", json_integer(m->kernel.type)));
        SCANT_I_TRY(scant_i_put(to, "kernel_gamma", json_real(m->kernel.gamma)));
        SCANT_I_TRY(scant_i_put(to, "kernel_offset", json_real(m->kernel.offset)));
        SCANT_I_TRY(scant_i_put(to, "kernel_degree", json_integer((json_int_t)m->kernel.degree)));
        SCANT_I_TRY(scant_i_put_table(to, "coefficients", d->coefficient, d->count, d->nsupport));
        SCANT_I_TRY(put_support(to, m));
    }
done:
    return status;
}

static scant_status to_json(json_t *to, const void *machine)
{
    scant_status status = SCANT_OK;
    const scant_i_med_machine *m = machine;
    json_t *inputs, *discriminants;
    SCANT_I_TRY(put_result(to, m));
    if (m->target != SIZE_MAX) {
        SCANT_I_TRY(scant_i_put(to, "target", json_integer((json_int_t)m->target)));
        SCANT_I_TRY(scant_i_put(to, "target_center", json_real(m->target_centre)));
        SCANT_I_TRY(scant_i_put(to, "target_spread", json_real(m->target_spread)));
    }
    SCANT_I_TRY(scant_i_put(to, "inputs", inputs = json_object()));
    SCANT_I_TRY(scant_i_med_inputs_to_json(inputs, &m->inputs));
    SCANT_I_TRY(scant_i_med_expansion_to_json(to, &m->expansion));
    SCANT_I_TRY(scant_i_put(to, "discriminants", discriminants = json_object()));
    SCANT_I_TRY(put_discriminants(discriminants, m));
    SCANT_I_TRY(scant_i_med_path_to_json(to, &m->path));
done:
    return status;
}

/* --- and back --- */

static scant_status get_result(scant_i_med_machine *m, const scant_i_place *place,
                               const json_t *from)
{
    scant_status status = SCANT_OK;
    char *r = (char *)&m->result;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = json_string_value(json_object_get(from, text_names[i]));
        if (text && !(m->texts[i] = scant_i_strdup(text)))
            return SCANT_ERR_MEMORY;
        bool needed = strcmp(text_names[i], "positive") != 0;
        if (needed && !text)
            return scant_i_place_fail(place, "has no text '%s'", text_names[i]);
    }
    for (size_t i = 0; i < REALS; i++) {
        const json_t *value = json_object_get(from, reals[i].key);
        *(double *)(void *)(r + reals[i].at) =
            json_is_number(value) ? json_number_value(value) : NAN;
    }
    for (size_t i = 0; i < COUNTS; i++)
        SCANT_I_TRY(
            scant_i_get_count((size_t *)(void *)(r + counts[i].at), place, from, counts[i].key));
    if (!(m->result.slope >= 0))
        return scant_i_place_fail(place, "slope %g is not a number from 0", m->result.slope);
done:
    return status;
}

static scant_status get_entries(scant_i_med_table *s, const scant_i_place *place,
                                const json_t *rows)
{
    scant_status status = SCANT_OK;
    size_t entries = 0, at = 0;
    for (size_t t = 0; t < s->n; t++)
        entries += json_array_size(json_array_get(rows, t)) / 2;
    SCANT_I_TRY(SCANT_I_NEW(&s->sparse.start, s->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->sparse.column, entries + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->sparse.value, entries + 1));
    for (size_t t = 0; t < s->n; t++) {
        const json_t *row = json_array_get(rows, t);
        for (size_t e = 0; e + 1 < json_array_size(row); e += 2, at++) {
            size_t column;
            SCANT_I_TRY(scant_i_get_index(&column, place, json_array_get(row, e), s->d));
            s->sparse.column[at] = (int32_t)column;
            s->sparse.value[at] = json_number_value(json_array_get(row, e + 1));
        }
        s->sparse.start[t + 1] = at;
    }
done:
    return status;
}

static scant_status get_kernel(scant_i_med_machine *m, const scant_i_place *place,
                               const json_t *from)
{
    scant_status status = SCANT_OK;
    scant_i_med_discriminants *d = &m->discriminants;
    const json_t *rows = json_object_get(from, "support_rows");
    const json_t *entries = json_object_get(from, "support_entries");
    size_t type;
    SCANT_I_TRY(scant_i_get_count(&type, place, from, "kernel_type"));
    if (type != SCANT_I_MED_POLYNOMIAL && type != SCANT_I_MED_RBF)
        return scant_i_place_fail(place, "kernel_type %zu is unknown", type);
    m->kernel.type = (scant_i_med_kernel_type)type;
    SCANT_I_TRY(scant_i_get_real(&m->kernel.gamma, place, from, "kernel_gamma"));
    SCANT_I_TRY(scant_i_get_real(&m->kernel.offset, place, from, "kernel_offset"));
    SCANT_I_TRY(scant_i_get_count(&m->kernel.degree, place, from, "kernel_degree"));
    d->nsupport = json_array_size(rows ? rows : entries);
    SCANT_I_TRY(
        scant_i_get_table(&d->coefficient, place, from, "coefficients", d->count, d->nsupport));
    m->support = (scant_i_med_table){.n = d->nsupport, .d = d->d};
    if (rows)
        SCANT_I_TRY(
            scant_i_get_table(&m->support.x, place, from, "support_rows", d->nsupport, d->d));
    else
        SCANT_I_TRY(get_entries(&m->support, place, entries));
done:
    return status;
}

static scant_status get_discriminants(scant_i_med_machine *m, const scant_i_place *place,
                                      const json_t *from)
{
    scant_status status = SCANT_OK;
    scant_i_med_discriminants *d = &m->discriminants;
    d->count = json_array_size(json_array_get(json_object_get(from, "bias"), 0));
    d->d = m->expansion.d;
    if (d->count == 0)
        return scant_i_place_fail(place, "there is no bias");
    SCANT_I_TRY(scant_i_get_table(&d->bias, place, from, "bias", 1, d->count));
    if (d->nclasses)
        SCANT_I_TRY(scant_i_get_table(&d->code, place, from, "code", d->count, d->nclasses));
    size_t width = d->d;
    const char *family = json_string_value(json_object_get(from, "family"));
    if (family && !(d->family = scant_i_med_family_find(family)))
        return scant_i_place_fail(place, "there is no family '%s'", family);
    if (d->family) {
        width = d->family->size(d->d);
        SCANT_I_TRY(scant_i_get_table(&d->chi, place, from, "posteriors", 2 * d->count, width));
    }
    if (json_object_get(from, "weights"))
        SCANT_I_TRY(scant_i_get_table(&d->weight, place, from, "weights", d->count, width));
    else
        SCANT_I_TRY(get_kernel(m, place, from));
    if (json_object_get(from, "switches"))
        SCANT_I_TRY(scant_i_get_table(&d->probability, place, from, "switches", d->count, d->d));
done:
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_model *model)
{
    scant_status status = SCANT_OK;
    scant_i_med_machine *m = NULL;
    const json_t *inputs, *discriminants;
    scant_i_place at_inputs = scant_i_place_in(place, "inputs"),
                  at_discriminants = scant_i_place_in(place, "discriminants");
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->target = SIZE_MAX;
    m->discriminants.nclasses = model->nclasses;
    SCANT_I_TRY(get_result(m, place, from));
    if (json_object_get(from, "target")) {
        SCANT_I_TRY(
            scant_i_get_index(&m->target, place, json_object_get(from, "target"), model->ncolumns));
        SCANT_I_TRY(scant_i_get_real(&m->target_centre, place, from, "target_center"));
        SCANT_I_TRY(scant_i_get_real(&m->target_spread, place, from, "target_spread"));
    }
    if ((m->target == SIZE_MAX) == (model->nclasses == 0)) {
        status = scant_i_place_fail(place, "has classes and a target, or neither");
        goto done;
    }
    SCANT_I_TRY(scant_i_get_object(&inputs, place, from, "inputs"));
    SCANT_I_TRY(scant_i_med_inputs_from_json(&m->inputs, &at_inputs, inputs, model->ncolumns));
    SCANT_I_TRY(scant_i_med_expansion_from_json(&m->expansion, place, from, m->inputs.d));
    SCANT_I_TRY(scant_i_get_object(&discriminants, place, from, "discriminants"));
    SCANT_I_TRY(get_discriminants(m, &at_discriminants, discriminants));
    SCANT_I_TRY(
        scant_i_med_path_from_json(&m->path, place, from, m->discriminants.count, m->expansion.d));
    SCANT_I_TRY(scant_i_med_machine_show(m, model));
    *out = m;
    m = NULL;
done:
    scant_i_med_machine_free(m);
    return status;
}

const scant_i_machine_kind scant_i_machine_med = {
    .method = "med",
    .summary = "maximum entropy discrimination",
    .predict = predict,
    .values = values,
    .target = target,
    .again = scant_i_med_again,
    .to_json = to_json,
    .from_json = from_json,
    .free = scant_i_med_machine_free,
};
