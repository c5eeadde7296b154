#include "tensor/extrapolation.h"

#include <math.h>

#include "tensor/kernels.h"

static const double FIRST = 0.5, GROWTH = 1.05, MOST_GROWTH = 1.01, CUT = 1.5;

scant_status scant_i_extrapolation_new(scant_i_extrapolation **out, const scant_i_kruskal *k)
{
    scant_status status = SCANT_OK;
    scant_i_extrapolation *extrapolation = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&extrapolation, 1));
    extrapolation->beta = FIRST;
    extrapolation->most = 1;
    SCANT_I_TRY(scant_i_kruskal_new(&extrapolation->before, k->order, k->size, k->rank));
    SCANT_I_TRY(scant_i_kruskal_new(&extrapolation->base, k->order, k->size, k->rank));
    *out = extrapolation;
    extrapolation = NULL;
done:
    scant_i_extrapolation_free(extrapolation);
    return status;
}

void scant_i_extrapolation_free(scant_i_extrapolation *extrapolation)
{
    if (!extrapolation)
        return;
    scant_i_kruskal_free(extrapolation->before);
    scant_i_kruskal_free(extrapolation->base);
    scant_i_free(extrapolation);
}

bool scant_i_extrapolation_go(scant_i_extrapolation *extrapolation, scant_i_kruskal *k,
                              const bool *fixed)
{
    scant_i_kruskal_copy(extrapolation->base, k);
    if (!extrapolation->ready)
        return false;
    for (size_t m = 0; m < k->order; m++)
        if (!fixed[m])
            scant_i_tensor_kernels_now()->go_ahead(k->mode[m], extrapolation->base->mode[m],
                                                   extrapolation->before->mode[m],
                                                   extrapolation->beta, k->size[m] * k->lanes);
    return true;
}

void scant_i_extrapolation_end(scant_i_extrapolation *extrapolation, scant_i_kruskal *k,
                               bool went_ahead, bool kept)
{
    if (!kept) {
        scant_i_kruskal_copy(k, extrapolation->base);
        extrapolation->most = extrapolation->beta;
        extrapolation->beta /= CUT;
        extrapolation->ready = false;
        return;
    }
    scant_i_kruskal *freed = extrapolation->before;
    extrapolation->before = extrapolation->base;
    extrapolation->base = freed;
    extrapolation->ready = true;
    if (went_ahead) {
        extrapolation->most = fmin(1, extrapolation->most * MOST_GROWTH);
        extrapolation->beta = fmin(extrapolation->most, extrapolation->beta * GROWTH);
    }
}
