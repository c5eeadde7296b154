/* Vectors over the classes that labels and contexts make, each kept once. */
#include "data/rows.h"

#include <string.h>

#include "data/names.h"

void scant_i_labels_clear(scant_i_labels *labels)
{
    for (size_t k = 0; labels->classes && k < labels->nclasses; k++)
        scant_i_free(labels->classes[k]);
    scant_i_free(labels->classes);
    scant_i_free(labels->code);
    scant_i_free(labels->soft);
    scant_i_free(labels->is_probability);
    *labels = (scant_i_labels){.column = labels->column, .field = labels->field};
}

scant_status scant_i_soft_open(scant_i_soft *soft, scant_i_labels *labels, size_t most)
{
    scant_status status = SCANT_OK;
    size_t size = 0;
    *soft = (scant_i_soft){.nslots = 16};
    if (most == 0)
        return SCANT_OK;
    if (most + labels->nclasses >= INT32_MAX ||
        __builtin_mul_overflow(most + 1, labels->nclasses, &size))
        return scant_i_fail(SCANT_ERR_INPUT, "too many different label cells: %zu", most);
    while (soft->nslots < 2 * most + 2)
        soft->nslots *= 2;
    SCANT_I_TRY(SCANT_I_NEW(&soft->slot, soft->nslots));
    SCANT_I_TRY(SCANT_I_NEW(&labels->soft, size));
    SCANT_I_TRY(SCANT_I_NEW(&labels->is_probability, most + 1));
done:
    return status;
}

void scant_i_soft_close(scant_i_soft *soft)
{
    scant_i_free(soft->slot);
    *soft = (scant_i_soft){0};
}

double *scant_i_soft_next(scant_i_labels *labels)
{
    double *vector = labels->soft + labels->nsoft * labels->nclasses;
    memset(vector, 0, labels->nclasses * sizeof *vector); /* one not kept may have left its mark */
    return vector;
}

/* The class of a vector that has but one, else -1. */
static int32_t only_class(const double *vector, size_t nclasses)
{
    int32_t only = -1;
    for (size_t k = 0; k < nclasses; k++) {
        if (vector[k] > 0 && only >= 0)
            return -1;
        if (vector[k] > 0)
            only = (int32_t)k;
    }
    return only;
}

int32_t scant_i_soft_code(scant_i_labels *labels, scant_i_soft *soft, bool probability)
{
    size_t K = labels->nclasses;
    double *fresh = labels->soft + labels->nsoft * K, sum = 0;
    int32_t only = only_class(fresh, K);
    if (only >= 0)
        return only;
    for (size_t k = 0; k < K; k++)
        sum += fresh[k];
    for (size_t k = 0; probability && k < K; k++)
        fresh[k] /= sum;
    size_t at = (size_t)scant_i_hash(fresh, K * sizeof *fresh) & (soft->nslots - 1);
    for (; soft->slot[at]; at = (at + 1) & (soft->nslots - 1)) {
        size_t e = (size_t)soft->slot[at] - 1;
        if (labels->is_probability[e] == probability &&
            memcmp(labels->soft + e * K, fresh, K * sizeof *fresh) == 0)
            return (int32_t)(K + e);
    }
    labels->is_probability[labels->nsoft] = probability;
    soft->slot[at] = (int32_t)++labels->nsoft;
    return (int32_t)(K + labels->nsoft - 1);
}
