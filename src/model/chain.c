#include "model/chain.h"

#include <scant/sequence.h>
#include <math.h>

#include "latent/chain.h"
#include "latent/chain_steps.h"

bool scant_i_is_chain(const scant_model *model)
{
    return model->mixture && model->mixture->structure == &scant_i_structure_chain;
}

scant_status scant_i_model_needs_rows(const scant_model *model, const char *what)
{
    return scant_i_is_chain(model)
               ? scant_i_fail(SCANT_ERR_ARGUMENT,
                              "%s is of independent rows, and this model is a chain", what)
               : SCANT_OK;
}

size_t scant_model_states(const scant_model *model)
{
    return scant_i_is_chain(model) ? model->mixture->ncomponents : 0;
}

double scant_model_start(const scant_model *model, size_t state)
{
    return scant_i_is_chain(model) ? scant_i_chain_start(model->mixture)[state] : NAN;
}

double scant_model_transition(const scant_model *model, size_t from, size_t to)
{
    return scant_i_is_chain(model)
               ? scant_i_chain_transitions(model->mixture)[from * model->mixture->stride + to]
               : NAN;
}

double scant_model_dwell(const scant_model *model, size_t state)
{
    return 1 / (1 - fmin(scant_model_transition(model, state, state), 1));
}

/* --- in a file --- */

json_t *scant_i_chain_to_json(const scant_i_mixture *m)
{
    size_t M = m->ncomponents, dim[2] = {M, M};
    const double *A = scant_i_chain_transitions(m);
    double *table = NULL;
    if (SCANT_I_NEW(&table, M * M) != SCANT_OK)
        return NULL;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++)
            table[i * M + j] = A[i * m->stride + j];
    json_t *object =
        json_pack("{s:o, s:o}", "start", scant_i_put_numbers(scant_i_chain_start(m), dim, 1),
                  "transitions", scant_i_put_numbers(table, dim, 2));
    scant_i_free(table);
    return object;
}

/* Probabilities of M states, into `to`; those above 0 are not below the least that is computed with. */
static scant_status take_line(double *to, const scant_i_place *place, const double *from, size_t M)
{
    static const double ROUNDING = 1e-6;
    double sum = 0;
    for (size_t j = 0; j < M; j++) {
        if (!(from[j] >= 0))
            return scant_i_place_fail(place, "%g is not a probability", from[j]);
        sum += from[j];
    }
    if (!(fabs(sum - 1) <= ROUNDING))
        return scant_i_place_fail(place, "adds up to %.17g, not 1", sum);
    for (size_t j = 0; j < M; j++)
        to[j] = from[j] > 0 ? fmax(from[j], SCANT_I_CHAIN_TRANSITION) : 0;
    return SCANT_OK;
}

scant_status scant_i_chain_from_json(scant_model *model, const scant_i_place *outer,
                                     const json_t *root)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *m = model->mixture;
    size_t M = m->ncomponents, dim[2] = {M, M};
    const json_t *from;
    double *table = NULL;
    if (!json_object_get(root, "chain"))
        return SCANT_OK;
    scant_i_place place = scant_i_place_in(outer, "chain"),
                  start = scant_i_place_in(&place, "start"),
                  transitions = scant_i_place_in(&place, "transitions");
    if (model->own_class || json_object_get(root, "score") || m->coupling.prior)
        return scant_i_place_fail(&place, "goes neither with a score nor with a prior nor with "
                                          "unlabeled_smoothing");
    SCANT_I_TRY(scant_i_get_object(&from, outer, root, "chain"));
    SCANT_I_TRY(SCANT_I_NEW(&table, M * M));
    SCANT_I_TRY(scant_i_chain_lay(m, NULL, NULL));
    SCANT_I_TRY(scant_i_get_numbers(table, &start, json_object_get(from, "start"), dim, 1));
    SCANT_I_TRY(take_line(scant_i_chain_start(m), &start, table, M));
    SCANT_I_TRY(
        scant_i_get_numbers(table, &transitions, json_object_get(from, "transitions"), dim, 2));
    for (size_t i = 0; i < M; i++) {
        scant_i_place at = scant_i_place_at(&transitions, i);
        SCANT_I_TRY(take_line(scant_i_chain_transitions(m) + i * m->stride, &at, table + i * M, M));
    }
done:
    scant_i_free(table);
    return status;
}
