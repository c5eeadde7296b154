/* The stack as a kind of model: prediction by blocks of rows, and its document. */
#include "train/machine.h"

#include <math.h>
#include <string.h>

#include "train/stack.h"

enum { BLOCK = 1024 };

const scant_headline *scant_model_headline(const scant_model *model)
{
    return model->kind == &scant_i_machine_stack
               ? &((const scant_i_stack *)model->machine)->headline
               : NULL;
}

/* --- prediction --- */

typedef struct predicting {
    const scant_i_stack *stack;
    const scant_rows *rows;
    double *classes, *worth; /* worth: or NULL */
} predicting;

static scant_status predict_block(size_t block, size_t worker, void *payload)
{
    const predicting *p = payload;
    scant_status status = SCANT_OK;
    double *cells = NULL;
    scant_i_word_rows words = {0};
    size_t first = block * BLOCK, n = scant_i_min(BLOCK, p->rows->nrows - first);
    scant_i_view view;
    (void)worker;
    SCANT_I_TRY(SCANT_I_NEW(&cells, n * scant_i_spaces_row(p->stack->spaces)));
    SCANT_I_TRY(scant_i_spaces_map(&view, cells, p->stack->spaces, p->rows, NULL, first, n));
    SCANT_I_TRY(scant_i_spaces_map_words(&view, &words, p->stack->spaces, p->rows, NULL, first, n));
    SCANT_I_TRY(scant_i_stack_probabilities(p->classes + first * p->stack->nclasses,
                                            p->worth ? p->worth + first : NULL, p->stack, &view));
done:
    scant_i_free(cells);
    scant_i_word_rows_clear(&words);
    return status;
}

static scant_status predict(const scant_i_machine_answers *answers, const void *machine,
                            const scant_rows *rows, const scant_predict_options *options)
{
    predicting p = {machine, rows, answers->classes, NULL};
    size_t blocks = (rows->nrows + BLOCK - 1) / BLOCK;
    return scant_i_parallel(options->threads, blocks, predict_block, &p);
}

static scant_status worth(double *out, const void *machine, const scant_rows *rows, size_t threads)
{
    scant_status status = SCANT_OK;
    predicting p = {machine, rows, NULL, out};
    SCANT_I_TRY(SCANT_I_NEW(&p.classes, rows->nrows * p.stack->nclasses));
    status = scant_i_parallel(threads, (rows->nrows + BLOCK - 1) / BLOCK, predict_block, &p);
done:
    scant_i_free(p.classes);
    return status;
}

static const double *proportions(const void *machine)
{
    return ((const scant_i_stack *)machine)->proportion;
}

static size_t values(const void *machine)
{
    (void)machine;
    return 0;
}

static double loss(const void *machine)
{
    return ((const scant_i_stack *)machine)->headline.log_loss;
}

/* --- documents --- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static scant_status put_headline(json_t *root, const scant_headline *h)
{
    scant_status status = SCANT_OK;
    json_t *to, *ask;
    SCANT_I_TRY(scant_i_put(root, "headline", to = json_object()));
    SCANT_I_TRY(scant_i_put(to, "accuracy", real(h->accuracy)));
    SCANT_I_TRY(scant_i_put(to, "low", real(h->low)));
    SCANT_I_TRY(scant_i_put(to, "high", real(h->high)));
    SCANT_I_TRY(scant_i_put(to, "log_loss", real(h->log_loss)));
    SCANT_I_TRY(scant_i_put(to, "majority", real(h->majority)));
    SCANT_I_TRY(scant_i_put(to, "labeled_only", real(h->labeled_only)));
    SCANT_I_TRY(scant_i_put(to, "logistic", real(h->logistic)));
    SCANT_I_TRY(scant_i_put(to, "gain", real(h->gain)));
    SCANT_I_TRY(scant_i_put(to, "held_out", json_integer((json_int_t)h->held_out)));
    SCANT_I_TRY(scant_i_put(to, "folds", json_integer((json_int_t)h->folds)));
    SCANT_I_TRY(scant_i_put(to, "ask", ask = json_array()));
    for (size_t i = 0; i < h->asks; i++)
        if (json_array_append_new(ask, json_integer((json_int_t)h->ask[i])))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
done:
    return status;
}

static scant_status to_json(json_t *to, const void *machine)
{
    scant_status status = SCANT_OK;
    const scant_i_stack *s = machine;
    json_t *spaces, *members, *member;
    SCANT_I_TRY(scant_i_put_table(to, "proportions", s->proportion, 1, s->nclasses));
    SCANT_I_TRY(put_headline(to, &s->headline));
    SCANT_I_TRY(scant_i_put(to, "spaces", spaces = json_object()));
    SCANT_I_TRY(scant_i_spaces_to_json(spaces, s->spaces));
    SCANT_I_TRY(scant_i_put(to, "members", members = json_array()));
    for (size_t m = 0; m < s->nmembers; m++) {
        if (json_array_append_new(members, member = json_object()))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
        SCANT_I_TRY(scant_i_put(member, "name", json_string(s->member[m]->name)));
        SCANT_I_TRY(scant_i_put(member, "weight", json_real(s->weight[m])));
        SCANT_I_TRY(scant_i_put(member, "sharpness", json_real(s->sharpness[m])));
        SCANT_I_TRY(s->member[m]->to_json(member, s->fitted[m]));
    }
done:
    return status;
}

static double real_or_nan(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static scant_status read_headline(scant_i_stack *s, const scant_i_place *outer, const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *from, *ask;
    scant_headline *h = &s->headline;
    scant_i_place place = scant_i_place_in(outer, "headline");
    SCANT_I_TRY(scant_i_get_object(&from, outer, root, "headline"));
    h->accuracy = real_or_nan(from, "accuracy");
    h->low = real_or_nan(from, "low");
    h->high = real_or_nan(from, "high");
    h->log_loss = real_or_nan(from, "log_loss");
    h->majority = real_or_nan(from, "majority");
    h->labeled_only = real_or_nan(from, "labeled_only");
    h->logistic = real_or_nan(from, "logistic");
    h->gain = real_or_nan(from, "gain");
    SCANT_I_TRY(scant_i_get_count(&h->held_out, &place, from, "held_out"));
    SCANT_I_TRY(scant_i_get_count(&h->folds, &place, from, "folds"));
    SCANT_I_TRY(scant_i_get_array(&ask, &place, from, "ask"));
    SCANT_I_TRY(SCANT_I_NEW(&s->ask, json_array_size(ask)));
    for (size_t i = 0; i < json_array_size(ask); i++) {
        SCANT_I_TRY(scant_i_get_index(&s->ask[i], &place, json_array_get(ask, i), SIZE_MAX));
        h->asks++;
    }
done:
    return status;
}

static scant_status read_member(scant_i_stack *s, size_t m, const scant_i_place *place,
                                const json_t *from)
{
    scant_status status = SCANT_OK;
    const char *name;
    SCANT_I_TRY(scant_i_get_text(&name, place, from, "name"));
    SCANT_I_TRY(scant_i_get_real(&s->weight[m], place, from, "weight"));
    SCANT_I_TRY(scant_i_get_real(&s->sharpness[m], place, from, "sharpness"));
    s->member[m] = scant_i_member_find(name);
    if (!s->member[m])
        return scant_i_place_fail(place, "member '%s' is unknown: not of this version", name);
    if (!(s->weight[m] >= 0 && s->weight[m] <= 1 + 1e-9))
        return scant_i_place_fail(place, "weight %g is not from 0 to 1", s->weight[m]);
    if (!(s->sharpness[m] > 0))
        return scant_i_place_fail(place, "sharpness %g is not above 0", s->sharpness[m]);
    SCANT_I_TRY(s->member[m]->from_json(&s->fitted[m], place, from, s->spaces, s->nclasses));
done:
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_model *model)
{
    scant_status status = SCANT_OK;
    scant_i_stack *s = NULL;
    const json_t *members, *spaces;
    double *proportion = NULL, total = 0;
    scant_i_place list = scant_i_place_in(place, "members"), at = scant_i_place_in(place, "spaces");
    SCANT_I_TRY(scant_i_get_array(&members, place, from, "members"));
    SCANT_I_TRY(scant_i_get_object(&spaces, place, from, "spaces"));
    SCANT_I_TRY(scant_i_stack_new(&s, model->nclasses, json_array_size(members)));
    SCANT_I_TRY(scant_i_get_table(&proportion, place, from, "proportions", 1, s->nclasses));
    memcpy(s->proportion, proportion, s->nclasses * sizeof *proportion);
    SCANT_I_TRY(
        scant_i_spaces_from_json(&s->spaces, &at, spaces, model->ncolumns, model->reading.nterms));
    for (size_t m = 0; m < s->nmembers; m++) {
        scant_i_place here = scant_i_place_at(&list, m);
        SCANT_I_TRY(read_member(s, m, &here, json_array_get(members, m)));
        total += s->weight[m];
    }
    if (s->nmembers && !(fabs(total - 1) < 1e-6)) {
        status = scant_i_place_fail(&list, "have weights that sum to %g, not 1", total);
        goto done;
    }
    SCANT_I_TRY(read_headline(s, place, from));
    SCANT_I_TRY(scant_i_stack_show(s));
    *out = s;
    s = NULL;
done:
    scant_i_stack_free(s);
    scant_i_free(proportion);
    return status;
}

const scant_i_machine_kind scant_i_machine_stack = {
    .method = "train",
    .summary = "a stack of members, weighed by held-out labels",
    .predict = predict,
    .proportions = proportions,
    .values = values,
    .again = scant_i_train_again,
    .worth = worth,
    .loss = loss,
    .to_json = to_json,
    .from_json = from_json,
    .free = scant_i_stack_free,
};
