#include "inform/rounding.h"

#include <math.h>
#include <string.h>

#include "inform/chart.h"

/* A number of a slice's sum is rounded at most once an addition, of which there are one a vector of rows (of LANES or more) and FOLDS
 * (math/linear.h), and OPERANDS times before: both features, both shares, the product of either. */
enum { OPERANDS = 6, FOLDS = 4, LANES = 8 };
static const double ROUNDED = 0x1p-24;

scant_status scant_i_rounding_new(scant_i_rounding *out, const scant_i_moments *t,
                                  const double *sums)
{
    scant_status status = SCANT_OK;
    double roundings = (double)t->slice / LANES + FOLDS + OPERANDS;
    *out = (scant_i_rounding){.M = t->M, .N = t->natural, .m = t->m, .u = roundings * ROUNDED};
    SCANT_I_TRY(SCANT_I_NEW(&out->A, t->M * t->natural * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&out->at, t->M * t->natural));
    SCANT_I_TRY(SCANT_I_NEW(&out->g, t->M * (t->M - 1) / 2 * t->m));
    SCANT_I_TRY(scant_i_moments_maps(t, NULL, out->A, out->at));
    double *g = out->g;
    for (size_t j = 0; j < t->M; j++)
        for (size_t l = j + 1; l < t->M; l++) {
            const double *G = sums + scant_i_moments_pair(t, j, l);
            bool used = t->chart->used[j] && t->chart->used[l];
            for (size_t e = 0; e < t->m; e++)
                *g++ = used ? sqrt(G[scant_i_products_at(&t->products, e, e) * t->lanes]) : 0;
        }
    for (size_t e = 0; e < t->M * (t->M - 1) / 2 * t->m; e++)
        if (!isfinite(out->g[e]))
            out->u = INFINITY;
done:
    if (status != SCANT_OK)
        scant_i_rounding_clear(out);
    return status;
}

void scant_i_rounding_clear(scant_i_rounding *rounding)
{
    scant_i_free(rounding->A);
    scant_i_free(rounding->at);
    scant_i_free(rounding->g);
    *rounding = (scant_i_rounding){0};
}

/* cA (M x m) = c' A_j for every j */
static void multiply(double *cA, const scant_i_rounding *r, const double *c)
{
    memset(cA, 0, r->M * r->m * sizeof *cA);
    for (size_t t = 0; t < r->M * r->N; t++) {
        double *to = cA + t / r->N * r->m;
        const double *A = r->A + t * r->m;
        for (size_t e = 0; r->at[t] != SCANT_I_NOWHERE && e < r->m; e++)
            to[e] += c[r->at[t]] * A[e];
    }
}

/* sum_{j<l} (sum_e |c' A_j - c' A_l|_e g_e)^2 */
static double spread(const scant_i_rounding *r, const double *cA)
{
    const double *g = r->g;
    double total = 0;
    for (size_t j = 0; j < r->M; j++)
        for (size_t l = j + 1; l < r->M; l++, g += r->m) {
            double sum = 0;
            for (size_t e = 0; e < r->m; e++)
                sum += fabs(cA[j * r->m + e] - cA[l * r->m + e]) * g[e];
            total += sum * sum;
        }
    return total;
}

scant_status scant_i_rounding_share(double *share, const scant_i_rounding *rounding,
                                    const double *covariance, size_t n)
{
    double *cA = NULL;
    *share = 0;
    if (!(rounding->u > 0))
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(&cA, rounding->M * rounding->m);
    for (size_t a = 0; a < n && status == SCANT_OK; a++) {
        multiply(cA, rounding, covariance + a * n);
        double of_a = rounding->u * spread(rounding, cA) / covariance[a * n + a];
        *share = fmax(*share, of_a);
    }
    scant_i_free(cA);
    return status;
}
