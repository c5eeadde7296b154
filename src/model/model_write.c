#include "model/chain.h"
#include "model/machine.h"
#include "model/model_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static scant_status out_of_memory(void)
{
    return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
}

/* Sets a member, taking `value` over even where it fails; NULL anywhere is memory that ran out. */
static scant_status put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0 ? SCANT_OK : out_of_memory();
}

static json_t *texts(char *const *list, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++)
        if (json_array_append_new(array, json_string(list[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static scant_status put_columns(json_t *root, const scant_model *model)
{
    json_t *array = json_array();
    scant_status status = put(root, "columns", array);
    for (size_t c = 0; c < model->ncolumns && status == SCANT_OK; c++) {
        json_t *column = json_object();
        if (json_array_append_new(array, column) != 0)
            return out_of_memory();
        status = put(column, "name", json_string(model->columns[c]));
        if (status == SCANT_OK && model->levels[c])
            status = put(column, "levels", texts(model->levels[c], model->nlevels[c]));
    }
    return status;
}

/* A seed past what JSON's readers take for a whole number goes as text. */
static json_t *seed_to_json(uint64_t seed)
{
    char text[24];
    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    (void)snprintf(text, sizeof text, "%" PRIu64, seed);
    return json_string(text);
}

/* W, or what is laid out like it, as components x classes */
static scant_status put_coupling(json_t *to, const scant_i_mixture *m, const double *W)
{
    scant_status status = SCANT_OK;
    double *table = NULL;
    size_t dim[2] = {m->ncomponents, m->nclasses};
    SCANT_I_TRY(SCANT_I_NEW(&table, dim[0] * dim[1]));
    for (size_t j = 0; j < dim[0]; j++)
        for (size_t k = 0; k < dim[1]; k++)
            table[j * dim[1] + k] = W[k * m->stride + j];
    SCANT_I_TRY(put(to, "coupling", scant_i_put_numbers(table, dim, 2)));
done:
    scant_i_free(table);
    return status;
}

/* The arrays of a factor out of `theta`, or what is laid out like it. */
static scant_status put_parameters(json_t *to, const scant_i_factor *f, const double *theta)
{
    scant_status status = SCANT_OK;
    scant_i_parameter list[SCANT_I_PARAMETERS_MAX];
    size_t n = f->family->parameters(f, list);
    for (size_t p = 0; p < n; p++)
        SCANT_I_TRY(put(to, list[p].name,
                        scant_i_put_numbers(theta + list[p].offset, list[p].dim, list[p].ndim)));
done:
    return status;
}

static scant_status put_factor(json_t *to, const scant_model *model, const scant_i_factor *f)
{
    scant_status status = SCANT_OK;
    json_t *columns, *parameters, *standard; /* each belongs to `to` as soon as it is made */
    SCANT_I_TRY(put(to, "family", json_string(f->family->name)));
    SCANT_I_TRY(put(to, "columns", columns = json_array()));
    for (size_t c = 0; c < f->ncolumns; c++)
        if (json_array_append_new(columns, json_string(model->columns[f->columns[c]])) != 0) {
            status = out_of_memory();
            goto done;
        }
    if (f->family->has_covariances)
        SCANT_I_TRY(put(to, "covariance", json_string(f->settings.covariance)));
    if (f->family->has_target)
        SCANT_I_TRY(put(to, "target", json_string(model->columns[f->columns[f->settings.target]])));
    SCANT_I_TRY(put(to, "parameters", parameters = json_object()));
    SCANT_I_TRY(put_parameters(parameters, f, f->theta));
    SCANT_I_TRY(put(to, "standard", standard = json_object()));
    SCANT_I_TRY(put(standard, "centre", scant_i_put_numbers(f->centre, &f->ncolumns, 1)));
    SCANT_I_TRY(put(standard, "scale", scant_i_put_numbers(f->scale, &f->ncolumns, 1)));
done:
    return status;
}

static scant_status put_factors(json_t *root, const scant_model *model)
{
    json_t *array = json_array();
    scant_status status = put(root, "factors", array);
    for (size_t f = 0; f < model->mixture->nfactors && status == SCANT_OK; f++) {
        json_t *factor = json_object();
        if (json_array_append_new(array, factor) != 0)
            return out_of_memory();
        status = put_factor(factor, model, model->mixture->factor[f]);
    }
    return status;
}

static scant_status put_score(json_t *root, const scant_i_score *score)
{
    scant_status status = SCANT_OK;
    const scant_score *s = &score->view;
    json_t *to;
    SCANT_I_TRY(put(root, "score", to = json_object()));
    SCANT_I_TRY(put(to, "columns", texts(score->columns, s->count)));
    SCANT_I_TRY(put(to, "weights", scant_i_put_numbers(s->weight, &s->count, 1)));
    SCANT_I_TRY(put(to, "offset", json_real(s->offset)));
    SCANT_I_TRY(put(to, "slope", json_real(s->slope)));
    if (!isnan(s->error)) { /* withheld where a check speaks against it */
        SCANT_I_TRY(put(to, "risk", json_real(s->risk)));
        SCANT_I_TRY(put(to, "error", json_real(s->error)));
    }
    if (!isnan(s->error_low)) {
        static const size_t two = 2;
        const double interval[] = {s->error_low, s->error_high};
        SCANT_I_TRY(put(to, "error_interval", scant_i_put_numbers(interval, &two, 1)));
    }
    if (!isnan(s->likeliest))
        SCANT_I_TRY(put(to, "likeliest_share", json_real(s->likeliest)));
    SCANT_I_TRY(put(to, "share", json_real(s->share)));
    SCANT_I_TRY(put(to, "distance", json_real(s->distance)));
done:
    return status;
}

static scant_status put_training(json_t *root, const scant_model *model)
{
    scant_status status = SCANT_OK;
    const scant_summary *s = &model->summary;
    json_t *t = json_object();
    size_t dim[2] = {model->mixture->ncomponents, model->nclasses};
    SCANT_I_TRY(put(root, "training", t));
    SCANT_I_TRY(put(t, "rows", json_integer((json_int_t)s->rows)));
    SCANT_I_TRY(put(t, "weight", json_real(s->weight)));
    SCANT_I_TRY(put(t, "labeled", json_integer((json_int_t)s->labeled)));
    if (s->sequences)
        SCANT_I_TRY(put(t, "sequences", json_integer((json_int_t)s->sequences)));
    SCANT_I_TRY(put(t, "parameters", json_integer((json_int_t)s->parameters)));
    if (!model->kind) {
        SCANT_I_TRY(put(t, "loglik", json_real(s->loglik)));
        SCANT_I_TRY(put(t, "objective", json_real(s->objective)));
    }
    if (!model->score && !model->kind) { /* no maximum of a likelihood, nothing to correct for */
        SCANT_I_TRY(put(t, "bic", json_real(s->bic)));
        SCANT_I_TRY(put(t, "icl", json_real(s->icl)));
        SCANT_I_TRY(put(t, "aic", json_real(s->aic)));
    }
    SCANT_I_TRY(put(t, "iterations", json_integer((json_int_t)s->iterations)));
    SCANT_I_TRY(put(t, "starts", json_integer((json_int_t)s->starts)));
    SCANT_I_TRY(put(t, "best_start", json_integer((json_int_t)s->best_start)));
    SCANT_I_TRY(put(t, "stop", json_string(scant_stop_name(s->stop))));
    SCANT_I_TRY(put(t, "seed", seed_to_json(s->seed)));
    if (model->kind)
        return SCANT_OK;
    SCANT_I_TRY(put(t, "component_rows", scant_i_put_numbers(model->component_rows, dim, 1)));
    if (model->nclasses)
        SCANT_I_TRY(
            put(t, "component_labeled", scant_i_put_numbers(model->component_labelled, dim, 2)));
    if (model->composition) {
        dim[1]++;
        SCANT_I_TRY(
            put(t, "component_composition", scant_i_put_numbers(model->composition, dim, 2)));
    }
    SCANT_I_TRY(put(t, "trace", scant_i_put_numbers(model->trace, &model->ntrace, 1)));
done:
    return status;
}

static scant_status put_errors(json_t *to, const scant_model *model)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    const double *theta = model->errors + m->nclasses * m->stride + m->nties;
    json_t *errors, *factors, *factor; /* each belongs to `to` as soon as it is made */
    SCANT_I_TRY(put(to, "errors", errors = json_object()));
    SCANT_I_TRY(put_coupling(errors, m, model->errors));
    SCANT_I_TRY(put(errors, "factors", factors = json_array()));
    for (size_t f = 0; f < m->nfactors; f++) {
        if (json_array_append_new(factors, factor = json_object()) != 0)
            return out_of_memory();
        SCANT_I_TRY(put_parameters(factor, m->factor[f], theta));
        theta += m->factor[f]->ntheta;
    }
done:
    return status;
}

static scant_status put_information(json_t *root, const scant_model *model)
{
    scant_status status = SCANT_OK;
    const scant_information *i = model->information;
    json_t *to;
    SCANT_I_TRY(put(root, "information", to = json_object()));
    SCANT_I_TRY(put(to, "parameters", json_integer((json_int_t)i->parameters)));
    if (i->by != SCANT_ERRORS_BY_INFORMATION)
        SCANT_I_TRY(put(to, "by", json_string(scant_errors_by_name(i->by))));
    if (i->draws) {
        SCANT_I_TRY(put(to, "draws", json_integer((json_int_t)i->draws)));
        SCANT_I_TRY(put(to, "failed", json_integer((json_int_t)i->failed)));
    }
    if (!isnan(i->missing))
        SCANT_I_TRY(put(to, "missing", json_real(i->missing)));
    if (!isnan(i->rate))
        SCANT_I_TRY(put(to, "rate", json_real(i->rate)));
    if (!isnan(i->digit))
        SCANT_I_TRY(put(to, "digit", json_real(i->digit)));
    if (model->errors)
        status = put_errors(to, model);
done:
    return status;
}

static scant_status put_settings(json_t *root, const scant_model *model)
{
    json_t *settings = json_object();
    scant_status status = put(root, "settings", settings);
    for (size_t s = 0; s < model->nsettings && status == SCANT_OK; s++)
        status = put(settings, model->settings[s].name, json_string(model->settings[s].value));
    return status;
}

/* Nothing where the rows were read plainly. */
static scant_status put_reading(json_t *root, const scant_i_reading *reading)
{
    if (reading->ntypes == 0 && reading->nmissing_values == 0 && !reading->id)
        return SCANT_OK;
    json_t *object = json_object();
    scant_status status = put(root, "reading", object);
    if (status == SCANT_OK)
        status = put(object, "types", texts(reading->types, reading->ntypes));
    if (status == SCANT_OK && reading->nmissing_values)
        status =
            put(object, "missing_values", texts(reading->missing_values, reading->nmissing_values));
    if (status == SCANT_OK && reading->id)
        status = put(object, "id", json_string(reading->id));
    if (status == SCANT_OK && reading->nterms)
        status = put(object, "terms", texts(reading->terms, reading->nterms));
    return status;
}

static scant_status put_head(json_t *root, const scant_model *model)
{
    scant_status status = SCANT_OK;
    const char *method = model->kind ? model->kind->method : model->score ? "blind" : "em";
    int schema = model->kind               ? SCANT_I_MACHINE_SCHEMA
                 : scant_i_is_chain(model) ? SCANT_I_CHAIN_SCHEMA
                                           : SCANT_I_MIXTURE_SCHEMA;
    SCANT_I_TRY(put(root, "format", json_string("scant-model")));
    SCANT_I_TRY(put(root, "schema", json_integer(schema)));
    SCANT_I_TRY(put(root, "version", json_string(scant_version())));
    SCANT_I_TRY(put(root, "method", json_string(method)));
    SCANT_I_TRY(put_settings(root, model));
    SCANT_I_TRY(put_columns(root, model));
    SCANT_I_TRY(put_reading(root, &model->reading));
    if (model->score)
        SCANT_I_TRY(put_score(root, model->score));
    SCANT_I_TRY(put(root, "classes", texts(model->classes, model->nclasses)));
done:
    return status;
}

static scant_status put_mixture(json_t *root, const scant_model *model)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(put(root, "components", json_integer((json_int_t)model->mixture->ncomponents)));
    SCANT_I_TRY(put_coupling(root, model->mixture, model->mixture->coupling.W));
    if (scant_i_is_chain(model))
        SCANT_I_TRY(put(root, "chain", scant_i_chain_to_json(model->mixture)));
    if (model->mixture->coupling.prior)
        SCANT_I_TRY(
            put(root, "prior",
                scant_i_put_numbers(model->mixture->coupling.prior, &model->mixture->nclasses, 1)));
    if (model->own_class)
        SCANT_I_TRY(put(root, "unlabeled_smoothing", json_real(model->unlabeled_smoothing)));
    if (model->mixture->coupling.noise) {
        size_t dim[2] = {model->mixture->nclasses, model->mixture->nclasses};
        SCANT_I_TRY(
            put(root, "label_noise", scant_i_put_numbers(model->mixture->coupling.noise, dim, 2)));
    }
    SCANT_I_TRY(put_factors(root, model));
done:
    return status;
}

/* JSON has no word for what is not a number, and no reader would take it. */
static scant_status check_finite(const double *x, size_t n, const char *what)
{
    for (size_t t = 0; t < n; t++)
        if (!isfinite(x[t]))
            return scant_i_fail(SCANT_ERR_INTERNAL,
                                "the model has %g among its %s: it is not written", x[t], what);
    return SCANT_OK;
}

static scant_status check_numbers(const scant_model *model)
{
    const scant_i_mixture *m = model->mixture;
    for (size_t k = 0; k < m->nclasses; k++) {
        scant_status status =
            check_finite(m->coupling.W + k * m->stride, m->ncomponents, "components' weights");
        if (status != SCANT_OK)
            return status;
    }
    if (m->nties) {
        scant_status status = check_finite(m->ties, m->nties, "transitions");
        if (status != SCANT_OK)
            return status;
    }
    for (size_t f = 0; f < m->nfactors; f++) {
        scant_status status = check_finite(m->factor[f]->theta, m->factor[f]->ntheta, "parameters");
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

scant_status scant_i_model_to_json(json_t **out, const scant_model *model)
{
    scant_status status = SCANT_OK;
    json_t *root = json_object();
    *out = NULL;
    if (!model->kind)
        SCANT_I_TRY(check_numbers(model));
    SCANT_I_TRY(put_head(root, model));
    if (model->kind)
        SCANT_I_TRY(scant_i_machine_to_json(root, model));
    else
        SCANT_I_TRY(put_mixture(root, model));
    if (model->component_rows || model->kind) /* a model written by hand was never trained */
        SCANT_I_TRY(put_training(root, model));
    if (model->information)
        SCANT_I_TRY(put_information(root, model));
    if (model->baseline)
        SCANT_I_TRY(put(root, "baseline", scant_i_baseline_to_json(model->baseline)));
    SCANT_I_TRY(put(root, "warnings", texts(model->warnings, model->nwarnings)));
    *out = root;
    root = NULL;
done:
    json_decref(root);
    return status;
}

scant_status scant_model_write(const scant_model *model, const char *path)
{
    json_t *root;
    scant_status status = scant_i_model_to_json(&root, model);
    if (status == SCANT_OK)
        status = scant_i_document_write(root, path);
    json_decref(root);
    return status;
}
