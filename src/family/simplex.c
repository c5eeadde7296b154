#include "family/simplex.h"

#include "family/kernels.h"
#include "family/pass.h"
#include "math/linear.h"
#include "math/special.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LANES = SCANT_I_LANES };
static const double SUM_TOLERANCE = 1e-6; /* of files, which may round */

static bool is_share(double share)
{
    return share >= 0 && share <= 1 + SUM_TOLERANCE;
}

scant_status scant_i_simplex_check(const double *p, size_t M, size_t width, size_t n)
{
    for (size_t j = 0; j < M; j++) {
        double sum = 0;
        size_t bad =
            scant_i_family_kernels_now()->sum_shares(p + j * width, n, 1 + SUM_TOLERANCE, &sum);
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

/* --- parts of the columns, for threads --- */

enum { TILE = 8 * LANES, PART = 32 * TILE };

/* What threads do to columns; sums are added up in order of parts, so they do not depend on who was first. */
typedef struct columns {
    scant_i_factor *factor;
    size_t first, n;    /* of a group of theta, or all */
    const double *S;    /* statistics of all */
    double *sums;       /* parts x rows of sums x stride */
    const double *norm; /* stride */
} columns;

static size_t parts_of(size_t n)
{
    return scant_i_max(1, (n + PART - 1) / PART);
}

static scant_status run_parts(columns *c, scant_i_task task)
{
    size_t parts = parts_of(c->n);
    return scant_i_parallel(scant_i_min(parts, scant_i_max(1, c->factor->threads)), parts, task, c);
}

static void add_parts(double *to, const double *sums, size_t parts, size_t n)
{
    memcpy(to, sums, n * sizeof *to);
    for (size_t t = n; t < parts * n; t++)
        to[t % n] += sums[t];
}

/* --- tables --- */

/* By tiles of columns, which stay in the cache from their transposition to the end. */
static scant_status fill_part(size_t part, size_t worker, void *payload)
{
    (void)worker;
    const columns *c = payload;
    size_t M = c->factor->ncomponents, stride = c->factor->stride, width = c->n;
    size_t end = scant_i_min(width, (part + 1) * PART);
    double *log_sum = c->sums + part * SCANT_I_SIMPLEX_SUMS * stride, *sum = log_sum + stride;
    memset(log_sum, 0, SCANT_I_SIMPLEX_SUMS * stride * sizeof *log_sum);
    for (size_t first = part * PART; first < end; first += TILE) {
        size_t n = scant_i_min(TILE, end - first);
        double *rows = (double *)c->factor->tables + first * stride;
        for (size_t j = 0; j < stride; j += LANES)
            turn(rows + j, stride, c->factor->theta + j * width + first, width, j < M ? M - j : 0,
                 n);
        scant_i_pass_totals(sum, rows, n, stride);
        scant_i_vector_log(rows, rows, n * stride);
        scant_i_family_kernels_now()->close_logs(rows, log_sum, n, stride);
    }
    return SCANT_OK;
}

scant_status scant_i_simplex_tables(scant_i_factor *factor, size_t width, size_t more)
{
    scant_status status = SCANT_OK;
    size_t stride = factor->stride, nsums = SCANT_I_SIMPLEX_SUMS * stride, parts = parts_of(width);
    double *table = factor->tables;
    if (!table) {
        SCANT_I_TRY(
            SCANT_I_NEW(&table, (width + SCANT_I_SIMPLEX_SUMS + more) * stride + parts * nsums));
        factor->tables = table;
    }
    double *sums = table + width * stride;
    columns all = {.factor = factor, .n = width, .sums = sums + nsums + more * stride};
    SCANT_I_TRY(run_parts(&all, fill_part));
    add_parts(sums, all.sums, parts, nsums);
done:
    return status;
}

/* Where none is negative, sums tell of all that is above one. */
bool scant_i_simplex_is_sound(const scant_i_factor *factor, size_t width)
{
    const double *log_sum = (const double *)factor->tables + width * factor->stride,
                 *sum = log_sum + factor->stride;
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (isnan(log_sum[j]) || !(fabs(sum[j] - 1) <= SUM_TOLERANCE))
            return false;
    return true;
}

void scant_i_simplex_release(scant_i_factor *factor)
{
    scant_i_free(factor->tables);
    factor->tables = NULL;
}

/* --- anchors --- */

/* A part of the columns at a time, so that what is written stays in the cache over components. */
void scant_i_simplex_anchor(const scant_i_factor *factor, const double *w, double *S)
{
    size_t M = factor->ncomponents, stride = factor->stride, width = factor->ntheta / M;
    for (size_t first = 0; first < width; first += TILE) {
        size_t end = scant_i_min(width, first + TILE);
        for (size_t j = 0; j < M; j++)
            for (size_t c = first; c < end; c++)
                S[c * stride + j] += w[j] * factor->theta[j * width + c];
    }
}

/* --- shares --- */

/* Which component has a sum that no pseudo-count makes up for? */
static scant_status refuse_negative(const columns *c, const double *S, size_t n)
{
    size_t stride = c->factor->stride, k = 0;
    while (k + 1 < n && !(S[k] + c->factor->settings.smooth < 0))
        k++;
    return scant_i_fail(SCANT_ERR_INPUT, "%s of component %zu: a sum of %g, which no rows have",
                        c->factor->family->name, k % stride + 1, S[k]);
}

static scant_status total_part(size_t part, size_t worker, void *payload)
{
    (void)worker;
    const columns *c = payload;
    size_t stride = c->factor->stride, from = part * PART, n = scant_i_min(PART, c->n - from);
    const double *S = c->S + (c->first + from) * stride;
    scant_i_pass_totals(c->sums + part * stride, S, n, stride);
    return scant_i_family_kernels_now()->least_of(S, n * stride) + c->factor->settings.smooth < 0
               ? refuse_negative(c, S, n * stride)
               : SCANT_OK;
}

/* p[j][c] = (S[c][j] + smooth) norm[j], for at most LANES components j; a norm of 0 keeps p. */
static void place_shares(double *p, size_t width, const double *S, size_t stride, size_t components,
                         size_t n, double smooth, const double *norm)
{
    _Alignas(64) double tile[LANES * TILE], shift[LANES];
    for (size_t j = 0; j < LANES; j++)
        shift[j] = -smooth;
    for (size_t first = 0; first < n; first += TILE) {
        size_t count = scant_i_min(TILE, n - first);
        scant_i_transpose_eight(tile, TILE, S + first * stride, stride, count, shift, norm);
        for (size_t j = 0; j < components; j++)
            if (norm[j] > 0)
                memcpy(p + j * width + first, tile + j * TILE, count * sizeof *p);
    }
}

static scant_status place_part(size_t part, size_t worker, void *payload)
{
    (void)worker;
    const columns *c = payload;
    size_t M = c->factor->ncomponents, stride = c->factor->stride, width = c->factor->ntheta / M;
    size_t first = c->first + part * PART, n = scant_i_min(PART, c->n - part * PART);
    for (size_t j = 0; j < M; j += LANES)
        place_shares(c->factor->theta + j * width + first, width, c->S + first * stride + j, stride,
                     scant_i_min(LANES, M - j), n, c->factor->settings.smooth, c->norm + j);
    return SCANT_OK;
}

static void make_even(scant_i_factor *factor, size_t j, size_t first, size_t n)
{
    double *p = factor->theta + j * (factor->ntheta / factor->ncomponents) + first;
    for (size_t c = 0; c < n; c++)
        p[c] = 1 / (double)n;
}

scant_status scant_i_simplex_shares(scant_i_factor *factor, size_t first, size_t n, const double *S,
                                    const double *W)
{
    scant_status status = SCANT_OK;
    size_t stride = factor->stride;
    double smooth = factor->settings.smooth, *sum = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&sum, (1 + parts_of(n)) * stride));
    columns group = {
        .factor = factor, .first = first, .n = n, .S = S, .sums = sum + stride, .norm = sum};
    SCANT_I_TRY(run_parts(&group, total_part));
    add_parts(sum, group.sums, parts_of(n), stride);
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (!(sum[j] >= 0 && isfinite(sum[j])) || (W && W[j] < 0))
            SCANT_I_TRY(scant_i_fail(SCANT_ERR_INPUT,
                                     "%s of component %zu: a weight of %g, which no rows have",
                                     factor->family->name, j + 1, W ? W[j] : sum[j]));
    for (size_t j = 0; j < stride; j++)
        sum[j] =
            sum[j] > DBL_MIN && j < factor->ncomponents ? 1 / (sum[j] + smooth * (double)n) : 0;
    SCANT_I_TRY(run_parts(&group, place_part));
    for (size_t j = 0; W && j < factor->ncomponents; j++)
        if (W[j] > DBL_MIN && !(sum[j] > 0))
            make_even(factor, j, first, n);
done:
    scant_i_free(sum);
    return status;
}

double scant_i_simplex_log_prior(const scant_i_factor *factor)
{
    size_t width = factor->ntheta / factor->ncomponents;
    const double *log_sum = (const double *)factor->tables + width * factor->stride;
    double sum = 0, smooth = factor->settings.smooth;
    for (size_t j = 0; smooth > 0 && j < factor->ncomponents; j++)
        sum += log_sum[j];
    return smooth > 0 ? smooth * sum : 0;
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
