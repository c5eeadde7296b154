#include "family/score.h"

#include <math.h>
#include <string.h>

size_t scant_i_plain_nfeatures(const scant_i_factor *factor)
{
    return 1 + factor->family->natural->nnatural(factor);
}

static bool has(const scant_i_factor *factor, const uint8_t *present, size_t entry)
{
    return !present || present[factor->columns[factor->family->natural->column_of(factor, entry)]];
}

void scant_i_plain_features(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                            size_t ld, double *room)
{
    size_t n = factor->family->natural->nnatural(factor), d = factor->ncolumns;
    double *x = room, *T = x + d;
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_block_gather(block, i, factor->columns, d, x);
        factor->family->natural->sufficient(factor, x, T);
        phi[i] = 1;
        for (size_t a = 0; a < n; a++)
            phi[(1 + a) * ld + i] = T[a];
    }
    for (size_t a = 0; a < n; a++)
        if (!has(factor, block->present, a))
            memset(phi + (1 + a) * ld, 0, block->nrows * sizeof *phi);
}

/* K1 and K2 (NULL: not wanted) at the component's parameters. */
static scant_status derivatives(const scant_i_factor *factor, size_t component, double *eta,
                                double *K1, double *K2)
{
    double K;
    scant_status status = factor->family->natural->eta(factor, component, eta);
    if (status == SCANT_OK)
        status = factor->family->natural->cumulant(factor, eta, NULL, &K, K1, K2);
    return status;
}

scant_status scant_i_plain_score(const scant_i_factor *factor, size_t component,
                                 const uint8_t *present, double *A)
{
    scant_status status = SCANT_OK;
    size_t n = factor->family->natural->nnatural(factor), m = 1 + n;
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * n));
    SCANT_I_TRY(derivatives(factor, component, room, room + n, NULL));
    memset(A, 0, n * m * sizeof *A);
    for (size_t a = 0; a < n; a++)
        if (has(factor, present, a)) {
            A[a * m] = -room[n + a];
            A[a * m + 1 + a] = 1;
        }
done:
    scant_i_free(room);
    return status;
}

scant_status scant_i_plain_information(const scant_i_factor *factor, size_t component,
                                       const uint8_t *present, const double *S, double *complete,
                                       double *missing)
{
    scant_status status = SCANT_OK;
    size_t n = factor->family->natural->nnatural(factor);
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, n));
    SCANT_I_TRY(derivatives(factor, component, room, NULL, complete));
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            complete[a * n + b] *= has(factor, present, a) && has(factor, present, b) ? S[0] : 0;
    memset(missing, 0, n * n * sizeof *missing);
done:
    scant_i_free(room);
    return status;
}
