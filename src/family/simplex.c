#include "family/simplex.h"

#include "family/pass.h"
#include "math/linear.h"
#include "math/special.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { LANES = SCANT_I_LANES };
static const double SUM_TOLERANCE = 1e-6; /* of files, which may round */

static bool is_share(double share)
{
    return share >= 0 && share <= 1 + SUM_TOLERANCE;
}

/* The sum of p, and how many of it are no probabilities. */
SCANT_I_CLONES
static size_t sum_shares(const double *p, size_t n, double *total)
{
    size_t bad = 0;
    double sum = 0, most = 1 + SUM_TOLERANCE;
#pragma omp simd reduction(+ : sum, bad)
    for (size_t c = 0; c < n; c++) {
        sum += p[c];
        bad += p[c] >= 0 && p[c] <= most ? 0 : 1;
    }
    *total = sum;
    return bad;
}

scant_status scant_i_simplex_check(const double *p, size_t M, size_t width, size_t n)
{
    for (size_t j = 0; j < M; j++) {
        double sum = 0;
        size_t bad = sum_shares(p + j * width, n, &sum);
        for (size_t c = 0; bad && c < n; c++) {
            double share = p[j * width + c];
            if (!is_share(share))
                return scant_i_fail(SCANT_ERR_INPUT,
                                    "probabilities of component %zu: %g is not a probability",
                                    j + 1, share);
        }
        if (!(fabs(sum - 1) <= SUM_TOLERANCE))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "probabilities of component %zu sum to %.9g, not 1", j + 1, sum);
    }
    return SCANT_OK;
}

/* `components` rows of p, at most LANES, become columns of the table, padded with ones. */
static void turn(double *to, size_t stride, const double *p, size_t width, size_t components,
                 size_t n)
{
    static const double zero[LANES] = {0}, one[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    size_t whole = components < LANES ? 0 : n / LANES * LANES;
    for (size_t c = 0; c < whole; c += LANES)
        scant_i_transpose_eight(to + c * stride, stride, p + c, width, LANES, zero, one);
    for (size_t c = whole; c < n; c++)
        for (size_t j = 0; j < LANES; j++)
            to[c * stride + j] = j < components ? p[j * width + c] : 1;
}

/* By tiles of columns, which stay in the cache from their transposition to the end. */
void scant_i_simplex_logs(double *table, const double *p, size_t M, size_t width, size_t stride)
{
    enum { TILE = 8 * LANES };
    for (size_t first = 0; first < width; first += TILE) {
        size_t n = scant_i_min(TILE, width - first), count = n * stride;
        double *rows = table + first * stride;
        for (size_t j = 0; j < stride; j += LANES)
            turn(rows + j, stride, p + j * width + first, width, j < M ? M - j : 0, n);
        scant_i_vector_log(rows, rows, count);
        for (size_t k = 0; k < count; k++)
            rows[k] = rows[k] < SCANT_I_LOG_ZERO ? SCANT_I_LOG_ZERO : rows[k];
    }
}

scant_status scant_i_simplex_tables(scant_i_factor *factor, size_t width, size_t more)
{
    scant_status status = SCANT_OK;
    double *table = factor->tables;
    if (!table) {
        SCANT_I_TRY(SCANT_I_NEW(&table, (width + more) * factor->stride));
        factor->tables = table;
    }
    scant_i_simplex_logs(table, factor->theta, factor->ncomponents, width, factor->stride);
done:
    return status;
}

void scant_i_simplex_release(scant_i_factor *factor)
{
    scant_i_free(factor->tables);
    factor->tables = NULL;
}

scant_status scant_i_simplex_shares(scant_i_factor *factor, size_t first, size_t n, const double *S)
{
    scant_status status = SCANT_OK;
    size_t M = factor->ncomponents, stride = factor->stride, width = factor->ntheta / M;
    double smooth = factor->settings.smooth, *sum = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&sum, stride));
    scant_i_pass_totals(sum, S + first * stride, n, stride);
    for (size_t j = 0; j < M; j++)
        sum[j] = sum[j] > 0 ? 1 / (sum[j] + smooth * (double)n) : 0;
    for (size_t from = first; from < first + n; from += LANES) { /* a cache line of theta each */
        size_t to = scant_i_min(from + LANES, first + n);
        for (size_t j = 0; j < M; j++)
            for (size_t c = from; sum[j] > 0 && c < to; c++)
                factor->theta[j * width + c] = (S[c * stride + j] + smooth) * sum[j];
    }
done:
    scant_i_free(sum);
    return status;
}

/* Products of FOLD numbers each; returns how many are so small that digits may be lost. */
enum { FOLD = 4, PIECE = 128 };
static const double FOLD_LEAST = 1e-300;
SCANT_I_CLONES
static size_t fold(double *product, const double *p)
{
    size_t small = 0;
#pragma omp simd reduction(+ : small)
    for (size_t k = 0; k < PIECE; k++) {
        product[k] = (p[k] * p[k + PIECE]) * (p[k + 2 * PIECE] * p[k + 3 * PIECE]);
        small += product[k] < FOLD_LEAST ? 1 : 0;
    }
    return small;
}

/* sum of log p, by logarithms of products where those keep all digits */
static double sum_logs(const double *p, size_t n)
{
    double sum = 0, x[PIECE * FOLD];
    for (size_t first = 0; first < n; first += PIECE * FOLD) {
        size_t count = scant_i_min(PIECE * FOLD, n - first);
        if (count == PIECE * FOLD && fold(x, p + first) == 0)
            count = PIECE;
        else
            memcpy(x, p + first, count * sizeof *x);
        scant_i_vector_log(x, x, count);
        for (size_t k = 0; k < count; k++)
            sum += x[k];
    }
    return sum;
}

double scant_i_simplex_log_prior(const scant_i_factor *factor)
{
    return factor->settings.smooth > 0
               ? factor->settings.smooth * sum_logs(factor->theta, factor->ntheta)
               : 0;
}

scant_status scant_i_simplex_natural(const double *p, size_t n, double *eta)
{
    for (size_t c = 0; c < n; c++)
        if (!(p[c] > 0))
            return scant_i_fail(SCANT_ERR_INPUT, "a probability of 0 has no natural parameter");
    for (size_t c = 0; c + 1 < n; c++)
        eta[c] = log(p[c] / p[n - 1]);
    return SCANT_OK;
}

scant_status scant_i_simplex_from_natural(const double *eta, size_t n, double *p)
{
    double K = 0;
    scant_status status = scant_i_simplex_cumulant(eta, n - 1, 1, &K, p, NULL, n);
    if (status == SCANT_OK)
        p[n - 1] = exp(-K); /* eta of the last is 0 */
    return status;
}

scant_status scant_i_simplex_cumulant(const double *eta, size_t m, double trials, double *K,
                                      double *K1, double *K2, size_t ld)
{
    double top = 0, sum;
    for (size_t c = 0; c < m; c++)
        top = fmax(top, eta[c]);
    sum = exp(-top); /* the last category, whose eta is 0 */
    for (size_t c = 0; c < m; c++)
        sum += exp(eta[c] - top);
    if (!isfinite(sum))
        return scant_i_fail(SCANT_ERR_INPUT, "a natural parameter is not finite");
    *K = trials * (top + log(sum));
    for (size_t a = 0; a < m; a++) {
        double share = exp(eta[a] - top) / sum;
        if (K1)
            K1[a] = trials * share;
        for (size_t b = 0; K2 && b < m; b++) {
            double other = exp(eta[b] - top) / sum;
            K2[a * ld + b] = trials * share * ((a == b ? 1 : 0) - other);
        }
    }
    return SCANT_OK;
}
