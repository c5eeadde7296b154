/* Machines: what models of any kind do alike (machine.h). */
#include "model/machine.h"

#include <math.h>
#include <string.h>

#include "model/predict.h"

const scant_i_machine_kind *scant_i_machine_find(const char *method)
{
    for (size_t i = 0; scant_i_machine_kinds[i]; i++)
        if (strcmp(scant_i_machine_kinds[i]->method, method) == 0)
            return scant_i_machine_kinds[i];
    return NULL;
}

scant_status scant_i_model_take_machine(scant_model *model, const scant_i_machine_kind *kind,
                                        void *machine)
{
    model->kind = kind;
    model->machine = machine;
    scant_status status =
        scant_i_mixture_new(&model->mixture, 0, scant_i_max(model->nclasses, 1), 0);
    scant_i_model_make_schema(model);
    return status;
}

scant_status scant_i_model_needs_mixture(const scant_model *model, const char *what)
{
    return model->kind ? scant_i_fail(SCANT_ERR_ARGUMENT,
                                      "%s needs a model with components; this one was made by "
                                      "%s. 'scant fit' makes one",
                                      what, model->kind->method)
                       : SCANT_OK;
}

scant_status scant_i_machine_again(scant_model **out, const scant_model *model,
                                   const scant_rows *rows, const scant_i_machine_run *run,
                                   const char *what)
{
    *out = NULL;
    if (!model->kind || !model->kind->again)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "%s needs a model that can learn again, such as one of 'scant train'",
                            what);
    scant_status status = scant_i_check_names(model, rows, true);
    return status == SCANT_OK ? model->kind->again(out, model, rows, run) : status;
}

/* Probabilities under other class proportions: p_k P'_k / P_k, normalised. */
static void reweigh(double *classes, size_t n, size_t K, const double *own, const double *prior)
{
    for (size_t i = 0; i < n; i++) {
        double *p = classes + i * K, total = 0;
        for (size_t k = 0; k < K; k++)
            total += p[k] *= own[k] > 0 ? prior[k] / own[k] : 0;
        for (size_t k = 0; k < K; k++)
            p[k] = total > 0 ? p[k] / total : prior[k];
    }
}

static scant_status check(const scant_model *model, const scant_rows *rows,
                          const scant_predict_options *options)
{
    const scant_i_machine_kind *kind = model->kind;
    scant_status status = scant_i_check_names(model, rows, options->use_labels);
    if (status != SCANT_OK)
        return status;
    if (options->use_labels && rows->labels.code)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a model made by %s takes no labels or context of new rows",
                            kind->method);
    if (options->prior && !(kind->proportions && kind->proportions(model->machine)))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a model made by %s takes no --prior for new rows",
                            kind->method);
    return SCANT_OK;
}

scant_status scant_i_machine_predict(const scant_model *model, const scant_rows *rows,
                                     const scant_predict_options *options,
                                     const scant_i_answers *answers)
{
    scant_status status = check(model, rows, options);
    if (status != SCANT_OK)
        return status;
    if (answers->classes) {
        scant_i_machine_answers wanted = {.classes = answers->classes};
        status = model->kind->predict(&wanted, model->machine, rows, options);
        if (status == SCANT_OK && options->prior)
            reweigh(answers->classes, rows->nrows, model->nclasses,
                    model->kind->proportions(model->machine), options->prior);
    }
    for (size_t i = 0; i < rows->nrows; i++) {
        if (answers->support)
            answers->support[i] = NAN;
        if (answers->loglik)
            answers->loglik[i] = NAN;
    }
    return status;
}

scant_status scant_i_machine_target(const scant_model *model, const scant_rows *rows,
                                    const scant_predict_options *options, double *target)
{
    scant_predict_options taken;
    scant_status status = scant_i_predict_options_take(&taken, options, model);
    options = &taken;
    if (status != SCANT_OK)
        return status;
    if (scant_i_machine_target_column(model) == SIZE_MAX)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "this model has no regression to predict a target with");
    scant_i_machine_answers wanted = {.target = target};
    status = check(model, rows, options);
    return status == SCANT_OK ? model->kind->predict(&wanted, model->machine, rows, options)
                              : status;
}

size_t scant_i_machine_target_column(const scant_model *model)
{
    return model->kind && model->kind->target ? model->kind->target(model->machine) : SIZE_MAX;
}

/* --- documents --- */

scant_status scant_i_machine_to_json(json_t *root, const scant_model *model)
{
    json_t *to = json_object();
    if (json_object_set_new(root, "machine", to) != 0)
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    return model->kind->to_json(to, model->machine);
}

scant_status scant_i_machine_from_json(scant_model *model, const scant_i_place *place,
                                       const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *from;
    const char *method;
    void *machine = NULL;
    scant_i_place at = scant_i_place_in(place, "machine");
    SCANT_I_TRY(scant_i_get_text(&method, place, root, "method"));
    const scant_i_machine_kind *kind = scant_i_machine_find(method);
    if (!kind)
        return scant_i_place_fail(place, "method '%s' is unknown: not of this version", method);
    SCANT_I_TRY(scant_i_get_object(&from, place, root, "machine"));
    SCANT_I_TRY(kind->from_json(&machine, &at, from, model));
    status = scant_i_model_take_machine(model, kind, machine);
done:
    return status;
}
