#include "plan/policy.h"

#include <string.h>

/* --- nothing --- */

static size_t no_label(size_t length)
{
    (void)length;
    return 0;
}

static scant_status show_nothing(scant_i_evidence *out, int32_t **code, const scant_rows *rows,
                                 const double *classes, size_t nclasses)
{
    const scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    (void)classes;
    *code = NULL;
    scant_status status = scant_i_evidence_new(out, rows, nclasses, &settings);
    out->code = NULL;
    return status;
}

const scant_i_policy scant_i_policy_none = {"none", "no label", no_label, show_nothing};

/* --- a whole row --- */

static size_t every_label(size_t length)
{
    return length;
}

/* Labels are not seen yet: each row stands for K labelled copies, weighed by what the model
 * expects. */
static scant_status show_row(scant_i_evidence *out, int32_t **code, const scant_rows *rows,
                             const double *classes, size_t nclasses)
{
    scant_status status = SCANT_OK;
    size_t K = nclasses, n = rows->nrows, first = K + 1;
    *out = (scant_i_evidence){.nclasses = K,
                              .nlabels = K,
                              .nentries = first + n,
                              .weight = rows->weight,
                              .unlabelled_weight = 1};
    SCANT_I_TRY(SCANT_I_NEW(code, n));
    SCANT_I_TRY(SCANT_I_NEW(&out->v, out->nentries * K));
    SCANT_I_TRY(SCANT_I_NEW(&out->kind, out->nentries));
    for (size_t k = 0; k < K; k++)
        out->v[k * K + k] = out->v[K * K + k] = 1;
    memcpy(out->v + first * K, classes, n * K * sizeof *out->v);
    memset(out->kind + first, SCANT_I_POSTERIOR, n);
    for (size_t i = 0; i < n; i++)
        (*code)[i] = (int32_t)(K + i);
    out->code = *code;
done:
    return status;
}

const scant_i_policy scant_i_policy_row = {"row", "the label of a whole row", every_label,
                                           show_row};

/* --- the table --- */

const scant_i_policy *scant_i_policy_at(size_t index)
{
    static const scant_i_policy *const table[] = {&scant_i_policy_none, &scant_i_policy_row};
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

scant_status scant_i_policy_inform(scant_i_information *out, const scant_i_policy *policy,
                                   const scant_i_mixture *mixture, const scant_rows *rows,
                                   const double *classes, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_evidence evidence = {0};
    int32_t *code = NULL;
    *out = (scant_i_information){0};
    SCANT_I_TRY(policy->show(&evidence, &code, rows, classes, mixture->nclasses));
    status = scant_i_information_new(out, mixture, rows, &evidence, threads);
done:
    scant_i_evidence_clear(&evidence);
    scant_i_free(code);
    return status;
}
