/* What a model's file says of the fit: how it went, and how sure its parameters are. */
#include "model/model_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static scant_status read_stop(scant_stop *out, const scant_i_place *place, const json_t *training)
{
    const char *text;
    scant_status status = scant_i_get_text(&text, place, training, "stop");
    if (status != SCANT_OK)
        return status;
    for (int s = SCANT_STOP_CONVERGED; s <= SCANT_STOP_SEPARABLE; s++)
        if (strcmp(text, scant_stop_name((scant_stop)s)) == 0) {
            *out = (scant_stop)s;
            return SCANT_OK;
        }
    return scant_i_place_fail(place, "stop '%s' is unknown", text);
}

/* A whole number, or text where it is too large for one (model_write.c). */
static scant_status read_seed(uint64_t *out, const scant_i_place *place, const json_t *training)
{
    const char *text = json_string_value(json_object_get(training, "seed"));
    char *end;
    size_t seed = 0;
    if (text) {
        errno = 0;
        *out = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || *end || errno) {
            scant_i_place at = scant_i_place_in(place, "seed");
            return scant_i_place_fail(&at, "'%s' is not a whole number", text);
        }
        return SCANT_OK;
    }
    scant_status status = scant_i_get_count(&seed, place, training, "seed");
    *out = seed;
    return status;
}

/* Rows that fell to components; what is shared out among them later must have a finite sum. */
static scant_status read_counts(double **out, const scant_i_place *outer, const json_t *training,
                                const char *key, const size_t *dim, size_t ndim)
{
    static const double MOST = 1e300;
    scant_status status = SCANT_OK;
    scant_i_place place = scant_i_place_in(outer, key);
    size_t n = dim[0] * (ndim > 1 ? dim[1] : 1);
    SCANT_I_TRY(scant_i_get_numbers(NULL, &place, json_object_get(training, key), dim, ndim));
    SCANT_I_TRY(SCANT_I_NEW(out, n));
    SCANT_I_TRY(scant_i_get_numbers(*out, &place, json_object_get(training, key), dim, ndim));
    for (size_t i = 0; i < n; i++)
        if (!((*out)[i] >= 0 && (*out)[i] <= MOST))
            return scant_i_place_fail(&place, "%g is not a number of rows", (*out)[i]);
done:
    return status;
}

scant_status scant_i_training_from_json(scant_model *model, const scant_i_place *outer,
                                        const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *t, *array;
    scant_i_place place = scant_i_place_in(outer, "training");
    scant_summary *s = &model->summary;
    size_t dim[2] = {model->mixture->ncomponents, model->nclasses};
    if (!json_object_get(root, "training"))
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_object(&t, outer, root, "training"));
    SCANT_I_TRY(scant_i_get_count(&s->rows, &place, t, "rows"));
    SCANT_I_TRY(scant_i_get_real(&s->weight, &place, t, "weight"));
    SCANT_I_TRY(scant_i_get_count(&s->labeled, &place, t, "labeled"));
    if (json_object_get(t, "sequences"))
        SCANT_I_TRY(scant_i_get_count(&s->sequences, &place, t, "sequences"));
    SCANT_I_TRY(scant_i_get_count(&s->parameters, &place, t, "parameters"));
    s->loglik = s->objective = s->bic = s->icl = s->aic = NAN;
    if (!model->kind) {
        SCANT_I_TRY(scant_i_get_real(&s->loglik, &place, t, "loglik"));
        SCANT_I_TRY(scant_i_get_real(&s->objective, &place, t, "objective"));
    }
    if (!model->score && !model->kind) {
        SCANT_I_TRY(scant_i_get_real(&s->bic, &place, t, "bic"));
        SCANT_I_TRY(scant_i_get_real(&s->icl, &place, t, "icl"));
        SCANT_I_TRY(scant_i_get_real(&s->aic, &place, t, "aic"));
    }
    SCANT_I_TRY(scant_i_get_count(&s->iterations, &place, t, "iterations"));
    SCANT_I_TRY(scant_i_get_count(&s->starts, &place, t, "starts"));
    SCANT_I_TRY(scant_i_get_count(&s->best_start, &place, t, "best_start"));
    SCANT_I_TRY(read_seed(&s->seed, &place, t));
    SCANT_I_TRY(read_stop(&s->stop, &place, t));
    if (model->kind) /* nothing was counted on components */
        return SCANT_OK;
    SCANT_I_TRY(read_counts(&model->component_rows, &place, t, "component_rows", dim, 1));
    if (model->nclasses)
        SCANT_I_TRY(
            read_counts(&model->component_labelled, &place, t, "component_labeled", dim, 2));
    if (json_object_get(t, "component_composition")) {
        dim[1] = model->nclasses + 1;
        SCANT_I_TRY(read_counts(&model->composition, &place, t, "component_composition", dim, 2));
    }
    SCANT_I_TRY(scant_i_get_array(&array, &place, t, "trace"));
    size_t n = json_array_size(array);
    SCANT_I_TRY(SCANT_I_NEW(&model->trace, n));
    scant_i_place trace = scant_i_place_in(&place, "trace");
    SCANT_I_TRY(scant_i_get_numbers(model->trace, &trace, array, &n, 1));
    model->ntrace = n;
done:
    return status;
}

static scant_status read_errors(scant_model *model, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    const json_t *factors;
    double *table = NULL;
    size_t dim[2] = {m->ncomponents, m->nclasses};
    SCANT_I_TRY(SCANT_I_NEW(&model->errors, scant_i_mixture_size(m)));
    SCANT_I_TRY(SCANT_I_NEW(&table, dim[0] * dim[1]));
    scant_i_place at = scant_i_place_in(place, "coupling");
    SCANT_I_TRY(scant_i_get_numbers(table, &at, json_object_get(from, "coupling"), dim, 2));
    for (size_t t = 0; t < dim[0] * dim[1]; t++)
        model->errors[t % dim[1] * m->stride + t / dim[1]] = table[t];
    SCANT_I_TRY(scant_i_get_array(&factors, place, from, "factors"));
    double *theta = model->errors + m->nclasses * m->stride + m->nties;
    at = scant_i_place_in(place, "factors");
    for (size_t f = 0; f < m->nfactors; f++) {
        scant_i_place inner = scant_i_place_at(&at, f);
        SCANT_I_TRY(
            scant_i_parameters_from_json(theta, m->factor[f], &inner, json_array_get(factors, f)));
        theta += m->factor[f]->ntheta;
    }
    model->information->identified = true;
done:
    scant_i_free(table);
    return status;
}

/* What the errors were made of; a file that does not say means the information. */
static scant_status read_origin(scant_information *i, const scant_i_place *place,
                                const json_t *from)
{
    scant_status status = SCANT_OK;
    const char *by = scant_errors_by_name(SCANT_ERRORS_BY_INFORMATION);
    if (json_object_get(from, "by"))
        SCANT_I_TRY(scant_i_get_text(&by, place, from, "by"));
    while (i->by < SCANT_ERRORS_BY_BOOTSTRAP && strcmp(by, scant_errors_by_name(i->by)) != 0)
        i->by++;
    if (json_object_get(from, "draws")) {
        SCANT_I_TRY(scant_i_get_count(&i->draws, place, from, "draws"));
        SCANT_I_TRY(scant_i_get_count(&i->failed, place, from, "failed"));
    }
done:
    return status;
}

scant_status scant_i_information_from_json(scant_model *model, const scant_i_place *outer,
                                           const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *from;
    scant_i_place place = scant_i_place_in(outer, "information"),
                  errors = scant_i_place_in(&place, "errors");
    if (!json_object_get(root, "information"))
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_object(&from, outer, root, "information"));
    SCANT_I_TRY(SCANT_I_NEW(&model->information, 1));
    scant_information *i = model->information;
    *i = (scant_information){.missing = NAN, .rate = NAN, .digit = NAN};
    SCANT_I_TRY(scant_i_get_count(&i->parameters, &place, from, "parameters"));
    SCANT_I_TRY(read_origin(i, &place, from));
    if (json_object_get(from, "missing"))
        SCANT_I_TRY(scant_i_get_real(&i->missing, &place, from, "missing"));
    if (json_object_get(from, "rate"))
        SCANT_I_TRY(scant_i_get_real(&i->rate, &place, from, "rate"));
    if (json_object_get(from, "digit"))
        SCANT_I_TRY(scant_i_get_real(&i->digit, &place, from, "digit"));
    if (json_object_get(from, "errors"))
        status = read_errors(model, &errors, json_object_get(from, "errors"));
done:
    return status;
}
