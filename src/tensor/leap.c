#include "tensor/leap.h"

#include <math.h>

#include "math/vector.h"

static const double FIRST = 0.5, GROWTH = 1.05, MOST_GROWTH = 1.01, CUT = 1.5;

scant_status scant_i_leap_new(scant_i_leap **out, const scant_i_kruskal *k)
{
    scant_status status = SCANT_OK;
    scant_i_leap *leap = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&leap, 1));
    leap->beta = FIRST;
    leap->most = 1;
    SCANT_I_TRY(scant_i_kruskal_new(&leap->before, k->order, k->size, k->rank));
    SCANT_I_TRY(scant_i_kruskal_new(&leap->base, k->order, k->size, k->rank));
    *out = leap;
    leap = NULL;
done:
    scant_i_leap_free(leap);
    return status;
}

void scant_i_leap_free(scant_i_leap *leap)
{
    if (!leap)
        return;
    scant_i_kruskal_free(leap->before);
    scant_i_kruskal_free(leap->base);
    scant_i_free(leap);
}

SCANT_I_CLONES
static void go_ahead(double *to, const double *a, const double *b, double beta, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        double ahead = a[t] + beta * (a[t] - b[t]);
        to[t] = ahead > 0 ? ahead : 0;
    }
}

bool scant_i_leap_go(scant_i_leap *leap, scant_i_kruskal *k, const bool *fixed)
{
    scant_i_kruskal_copy(leap->base, k);
    if (!leap->ready)
        return false;
    for (size_t m = 0; m < k->order; m++)
        if (!fixed[m])
            go_ahead(k->mode[m], leap->base->mode[m], leap->before->mode[m], leap->beta,
                     k->size[m] * k->lanes);
    return true;
}

void scant_i_leap_end(scant_i_leap *leap, scant_i_kruskal *k, bool went_ahead, bool kept)
{
    if (!kept) {
        scant_i_kruskal_copy(k, leap->base);
        leap->most = leap->beta;
        leap->beta /= CUT;
        leap->ready = false;
        return;
    }
    scant_i_kruskal *freed = leap->before;
    leap->before = leap->base;
    leap->base = freed;
    leap->ready = true;
    if (went_ahead) {
        leap->most = fmin(1, leap->most * MOST_GROWTH);
        leap->beta = fmin(leap->most, leap->beta * GROWTH);
    }
}
