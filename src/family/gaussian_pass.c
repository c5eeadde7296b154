/* Gaussian: tables for a pass, log densities and statistics of a block. See gaussian.c. */
#include "family/gaussian.h"
#include "family/kernels.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

/* Above this (|m|^2 + tr S) tr S^-1 the product of features is left: its rounding error in the log
 * density is about that times 2e-16. */
static const double LOSS_LIMIT = 1e6;
static const double LOG_2PI = 1.8378770664093453;

/* --- standard units --- */

/* Spherical components stay spherical only if all columns share one unit. */
double scant_i_gaussian_unit(const scant_i_factor *factor, scant_i_shape shape, size_t c)
{
    if (shape != SCANT_I_SPHERICAL)
        return factor->scale[c];
    double sum = 0;
    for (size_t k = 0; k < factor->ncolumns; k++)
        sum += factor->scale[k] * factor->scale[k] / (double)factor->ncolumns;
    return sqrt(sum);
}

void scant_i_gaussian_units(const scant_i_factor *factor, double *units)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double first = scant_i_gaussian_unit(factor, shape, 0);
    for (size_t c = 0; c < factor->ncolumns; c++)
        units[c] = shape == SCANT_I_SPHERICAL ? first : factor->scale[c];
}

size_t scant_i_gaussian_ld(size_t nrows)
{
    return scant_i_round_up(nrows, SCANT_I_LANES);
}

static void standardise_column(const scant_i_factor *factor, const scant_i_block *block, size_t c,
                               double inverse, double *to)
{
    size_t column = factor->columns[c];
    double centre = factor->centre[c];
    if (!scant_i_block_has(block, column)) {
        memset(to, 0, block->nrows * sizeof *to);
    } else if (block->row) {
        for (size_t i = 0; i < block->nrows; i++)
            to[i] = (scant_i_block_cells(block, i)[column] - centre) * inverse;
    } else {
        size_t stride = block->batch->ncolumns;
        const double *from = block->batch->dense + block->first * stride + column;
        for (size_t i = 0; i < block->nrows; i++)
            to[i] = (from[i * stride] - centre) * inverse;
    }
}

/* Are columns c to c + LANES - 1 of the factor neighbours in the rows? */
static bool is_tile(const scant_i_factor *factor, size_t c)
{
    enum { LAST = SCANT_I_LANES - 1 };
    if (c + LAST >= factor->ncolumns)
        return false;
    for (size_t k = 1; k <= LAST; k++)
        if (factor->columns[c + k] != factor->columns[c] + k)
            return false;
    return true;
}

/* Such columns of the rows at block->row, which are first copied to where they are neighbours, too. */
static void standardise_scattered(const scant_i_factor *factor, const scant_i_block *block,
                                  size_t c, const double *inverse, double *z, size_t ld)
{
    enum { ROWS = 64, LANES = SCANT_I_LANES, AHEAD = 16 };
    _Alignas(64) double x[ROWS * LANES];
    for (size_t first = 0, n; first < block->nrows; first += n) {
        n = scant_i_min(ROWS, block->nrows - first);
        for (size_t i = 0; i < n; i++) {
            size_t next = scant_i_min(first + i + AHEAD, block->nrows - 1);
            __builtin_prefetch(scant_i_block_cells(block, next) + factor->columns[c]);
            memcpy(x + i * LANES, scant_i_block_cells(block, first + i) + factor->columns[c],
                   LANES * sizeof *x);
        }
        scant_i_transpose_eight(z + first, ld, x, LANES, n, factor->centre + c, inverse);
    }
}

static void standardise_tile(const scant_i_factor *factor, const scant_i_block *block, size_t c,
                             const double *inverse, double *z, size_t ld)
{
    size_t column = factor->columns[c], stride = block->batch->ncolumns;
    if (block->row)
        standardise_scattered(factor, block, c, inverse, z, ld);
    else
        scant_i_transpose_eight(z, ld, block->batch->dense + block->first * stride + column, stride,
                                block->nrows, factor->centre + c, inverse);
    for (size_t k = 0; k < SCANT_I_LANES; k++)
        if (!scant_i_block_has(block, column + k))
            memset(z + k * ld, 0, block->nrows * sizeof *z);
}

void scant_i_gaussian_standardise(const scant_i_factor *factor, const scant_i_block *block,
                                  double *z, size_t ld)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double inverse[SCANT_I_LANES], common = scant_i_gaussian_unit(factor, shape, 0);
    for (size_t c = 0, n; c < factor->ncolumns; c += n) {
        n = is_tile(factor, c) ? SCANT_I_LANES : 1;
        for (size_t k = 0; k < n; k++)
            inverse[k] = 1 / (shape == SCANT_I_SPHERICAL ? common : factor->scale[c + k]);
        if (n > 1)
            standardise_tile(factor, block, c, inverse, z + c * ld, ld);
        else
            standardise_column(factor, block, c, *inverse, z + c * ld);
    }
}

/* --- tables --- */

void scant_i_gaussian_release(scant_i_factor *factor)
{
    scant_i_gaussian_tables *t = factor->tables;
    if (!t)
        return;
    scant_i_free(t->C);
    scant_i_free(t->exact);
    scant_i_free(t->mean);
    scant_i_free(t->covariance);
    scant_i_free(t->lower);
    scant_i_free(t->constant);
    scant_i_free(t->absent);
    scant_i_free(t->unit);
    scant_i_free(t);
    factor->tables = NULL;
}

static scant_status tables_new(scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    size_t M = factor->ncomponents, d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t size = shape == SCANT_I_FULL ? d * d : d;
    scant_i_gaussian_tables *t = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&t, 1));
    factor->tables = t;
    SCANT_I_TRY(SCANT_I_NEW(&t->C, scant_i_gaussian_features(shape, d) * factor->stride));
    SCANT_I_TRY(SCANT_I_NEW(&t->exact, M));
    SCANT_I_TRY(SCANT_I_NEW(&t->mean, M * d));
    SCANT_I_TRY(SCANT_I_NEW(&t->covariance, M * size));
    SCANT_I_TRY(SCANT_I_NEW(&t->lower, M * size));
    SCANT_I_TRY(SCANT_I_NEW(&t->constant, M));
    SCANT_I_TRY(SCANT_I_NEW(&t->absent, d * factor->stride));
    SCANT_I_TRY(SCANT_I_NEW(&t->unit, d));
done:
    if (status != SCANT_OK)
        scant_i_gaussian_release(factor);
    return status;
}

static scant_status not_positive(size_t j)
{
    return scant_i_fail(SCANT_ERR_INPUT, "the covariance of component %zu is not positive definite",
                        j + 1);
}

/* C_j from the mean m and the precision A: constant, A m, then -A_aa/2 and -A_ab for a < b. */
static void expand_full(double *C, size_t stride, size_t d, const double *m, const double *A,
                        double constant)
{
    double *square = C + (1 + d) * stride;
    double quadratic = 0;
    for (size_t a = 0; a < d; a++) {
        double linear = 0;
        for (size_t b = 0; b < d; b++)
            linear += A[a * d + b] * m[b];
        C[(1 + a) * stride] = linear;
        quadratic += m[a] * linear;
        for (size_t b = a; b < d; b++, square += stride)
            *square = a == b ? -0.5 * A[a * d + a] : -A[a * d + b];
    }
    C[0] = constant - 0.5 * quadratic;
}

static scant_status prepare_full(const scant_i_factor *factor, size_t j, const double *units,
                                 double log_units, double *precision)
{
    scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *m = t->mean + j * d, *S = scant_i_gaussian_covariance(factor, j);
    double *own = t->covariance + j * d * d, *lower = t->lower + j * d * d;
    double reach = 0, tightness = 0;
    for (size_t a = 0; a < d; a++) {
        for (size_t b = 0; b < d; b++)
            own[a * d + b] = S[a * d + b] / units[a] / units[b];
        reach += m[a] * m[a] + own[a * d + a];
    }
    memcpy(lower, own, d * d * sizeof *lower);
    if (!scant_i_cholesky(lower, d))
        return not_positive(j);
    scant_i_cholesky_inverse(precision, lower, d);
    for (size_t a = 0; a < d; a++)
        tightness += precision[a * d + a];
    t->constant[j] = -0.5 * ((double)d * LOG_2PI + scant_i_cholesky_logdet(lower, d)) - log_units;
    t->exact[j] = !(reach * tightness < LOSS_LIMIT);
    if (!t->exact[j])
        expand_full(t->C + j, stride, d, m, precision, t->constant[j]);
    return SCANT_OK;
}

static scant_status prepare_columns(const scant_i_factor *factor, size_t j, scant_i_shape shape,
                                    const double *units, double log_units)
{
    scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *m = t->mean + j * d, *S = scant_i_gaussian_covariance(factor, j);
    double *C = t->C + j;
    double loss = 0;
    t->constant[j] = -log_units;
    for (size_t c = 0; c < d; c++) {
        double v = (shape == SCANT_I_DIAGONAL ? S[c] : S[0]) / units[c] / units[c];
        if (!(v > 0) || !isfinite(v))
            return not_positive(j);
        t->covariance[j * d + c] = v;
        t->lower[j * d + c] = sqrt(v);
        t->constant[j] -= 0.5 * (LOG_2PI + log(v));
        t->absent[c * stride + j] =
            -0.5 * (LOG_2PI + log(v)) - log(units[c]) - 0.5 * m[c] * m[c] / v;
        loss = fmax(loss, (m[c] * m[c] + v) / v);
    }
    t->exact[j] = !(loss * (double)d < LOSS_LIMIT);
    if (t->exact[j])
        return SCANT_OK;
    C[0] = t->constant[j];
    for (size_t c = 0; c < d; c++) {
        double v = t->covariance[j * d + c];
        C[0] -= 0.5 * m[c] * m[c] / v;
        C[(1 + c) * stride] = m[c] / v;
        C[(1 + d + (shape == SCANT_I_DIAGONAL ? c : 0)) * stride] = -0.5 / v;
    }
    return SCANT_OK;
}

scant_status scant_i_gaussian_prepare(scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    size_t M = factor->ncomponents, d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double *precision = NULL;
    if (!factor->tables)
        SCANT_I_TRY(tables_new(factor));
    scant_i_gaussian_tables *t = factor->tables;
    if (shape == SCANT_I_FULL)
        SCANT_I_TRY(SCANT_I_NEW(&precision, d * d));
    memset(t->C, 0, scant_i_gaussian_features(shape, d) * factor->stride * sizeof *t->C);
    scant_i_gaussian_units(factor, t->unit);
    double log_units = 0;
    for (size_t c = 0; c < d; c++)
        log_units += log(t->unit[c]);
    t->nexact = 0;
    for (size_t j = 0; j < M; j++) {
        for (size_t c = 0; c < d; c++)
            t->mean[j * d + c] =
                (scant_i_gaussian_mean(factor, j)[c] - factor->centre[c]) / t->unit[c];
        if (shape == SCANT_I_FULL)
            SCANT_I_TRY(prepare_full(factor, j, t->unit, log_units, precision));
        else
            SCANT_I_TRY(prepare_columns(factor, j, shape, t->unit, log_units));
        t->nexact += t->exact[j];
    }
done:
    scant_i_free(precision);
    return status;
}

/* --- scratch: which block it holds, then features, then room --- */

typedef struct scratch_head {
    size_t batch, first, nrows; /* the batch by the number of its first row */
    const size_t *row;
    size_t pattern;
    bool filled;
} scratch_head;

enum { HEAD = 64 }; /* bytes; keeps what follows aligned */
_Static_assert(sizeof(scratch_head) <= HEAD, "the head of the scratch must fit its place");

typedef struct places {
    scratch_head *head;
    double *pattern; /* tables of the present pattern of missing cells (full covariances) */
    double *phi;     /* features x ld; rows 1 .. d are z */
    double *room;    /* (d + 2) x ld */
    double *R;       /* nrows x stride */
} places;

static size_t pattern_size(const scant_i_factor *factor, bool missing)
{
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    return missing && full ? scant_i_round_up(scant_i_gaussian_pattern_size(factor), SCANT_I_LANES)
                           : 0;
}

size_t scant_i_gaussian_scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    size_t ld = scant_i_gaussian_ld(nrows), d = factor->ncolumns;
    size_t features = scant_i_gaussian_features(scant_i_gaussian_shape(factor), d);
    return HEAD +
           (pattern_size(factor, missing) + features * ld + (d + 2) * ld + ld * factor->stride) *
               sizeof(double);
}

static places places_of(const scant_i_factor *factor, const scant_i_block *block, void *scratch)
{
    size_t ld = scant_i_gaussian_ld(block->nrows), d = factor->ncolumns;
    places p;
    p.head = scratch;
    p.pattern = (double *)((char *)scratch + HEAD);
    p.phi = p.pattern + pattern_size(factor, block->present != NULL);
    p.room = p.phi + scant_i_gaussian_features(scant_i_gaussian_shape(factor), d) * ld;
    p.R = p.room + (d + 2) * ld;
    return p;
}

/* --- kernels --- */

void scant_i_gaussian_add_moments(const scant_i_factor *factor, size_t j, const double *y,
                                  size_t ld, size_t nrows, const double *w, double *statistics,
                                  double *room)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns, stride = factor->stride;
    double *sum = statistics + stride + j, *square = statistics + (1 + d) * stride + j;
    for (size_t a = 0; a < d; a++) {
        for (size_t i = 0; i < nrows; i++)
            room[i] = w[i] * y[a * ld + i];
        sum[a * stride] += scant_i_dot(w, y + a * ld, nrows);
        size_t last = shape == SCANT_I_FULL ? d : a + 1;
        for (size_t b = a; b < last; b++) {
            *square += scant_i_dot(room, y + b * ld, nrows);
            if (shape != SCANT_I_SPHERICAL)
                square += stride;
        }
    }
}

/* --- a component that goes by its factor --- */

/* y = z - m on present columns, 0 elsewhere (columns are independent in all but the full shape) */
static void deviations(const scant_i_factor *factor, const scant_i_block *block, size_t j,
                       const double *z, size_t ld, double *y)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    scant_i_family_kernels_now()->shift(y, z, ld, block->nrows, d, t->mean + j * d);
    for (size_t c = 0; c < d; c++)
        if (!scant_i_block_has(block, factor->columns[c]))
            memset(y + c * ld, 0, block->nrows * sizeof *y);
}

static void exact_density(const scant_i_factor *factor, const scant_i_block *block, size_t j,
                          const double *z, size_t ld, double *L, double *room)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    double *y = room, *square = room + d * ld;
    double constant = t->constant[j];
    deviations(factor, block, j, z, ld, y);
    if (scant_i_gaussian_shape(factor) == SCANT_I_FULL) {
        scant_i_family_kernels_now()->whiten(y, ld, block->nrows, d, t->lower + j * d * d, square);
    } else {
        memset(square, 0, block->nrows * sizeof *square);
        for (size_t c = 0; c < d; c++) {
            double inverse = 1 / t->lower[j * d + c];
            for (size_t i = 0; i < block->nrows; i++)
                square[i] += (y[c * ld + i] * inverse) * (y[c * ld + i] * inverse);
            if (!scant_i_block_has(block, factor->columns[c]))
                constant += 0.5 * (LOG_2PI + 2 * log(t->lower[j * d + c])) + log(t->unit[c]);
        }
    }
    for (size_t i = 0; i < block->nrows; i++)
        L[i * stride + j] += constant - 0.5 * square[i];
}

static void exact_moments(const scant_i_factor *factor, const scant_i_block *block, size_t j,
                          const double *z, size_t ld, const double *R, double *statistics,
                          double *room)
{
    size_t d = factor->ncolumns;
    double *y = room, *w = room + d * ld;
    deviations(factor, block, j, z, ld, y);
    for (size_t i = 0; i < block->nrows; i++)
        w[i] = R[i * factor->stride + j];
    for (size_t i = 0; i < block->nrows && !block->present; i++)
        statistics[j] += w[i];
    scant_i_gaussian_add_moments(factor, j, y, ld, block->nrows, w, statistics, w + ld);
}

/* --- a block --- */

void scant_i_gaussian_fill(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                           size_t ld)
{
    size_t d = factor->ncolumns;
    double *z = phi + ld;
    for (size_t i = 0; i < block->nrows; i++)
        phi[i] = 1;
    scant_i_gaussian_standardise(factor, block, z, ld);
    scant_i_family_kernels_now()->make_squares(z + d * ld, z, ld, block->nrows, d,
                                               scant_i_gaussian_shape(factor));
}

static void fill(const scant_i_factor *factor, const scant_i_block *block, const places *p,
                 size_t ld)
{
    scant_i_gaussian_fill(factor, block, p->phi, ld);
    *p->head = (scratch_head){.batch = block->batch->first,
                              .first = block->first,
                              .nrows = block->nrows,
                              .row = block->row,
                              .pattern = block->pattern,
                              .filled = true};
}

static bool is_filled(const scant_i_block *block, const places *p)
{
    const scratch_head *head = p->head;
    return head->filled && head->batch == block->batch->first && head->first == block->first &&
           head->nrows == block->nrows && head->row == block->row &&
           head->pattern == block->pattern;
}

/* The rows after a block's, which most likely are read next; NULL: there are none. */
static const double *following(const scant_i_block *block)
{
    size_t next = block->first + block->nrows;
    return block->row || next >= block->batch->nrows
               ? NULL
               : block->batch->dense + next * block->batch->ncolumns;
}

scant_status scant_i_gaussian_log_density(const scant_i_factor *factor, const scant_i_block *block,
                                          double *L, void *scratch)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride, ld = scant_i_gaussian_ld(block->nrows);
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    places p = places_of(factor, block, scratch);
    const double *z = p.phi + ld;
    bool by_pattern = block->present && shape == SCANT_I_FULL;
    bool product = !by_pattern && t->nexact < factor->ncomponents;
    fill(factor, block, &p, ld);
    if (block->blank && !product)
        memset(L, 0, block->nrows * stride * sizeof *L);
    if (by_pattern)
        return scant_i_gaussian_missing_density(factor, block, p.phi, ld, L, p.room, p.pattern);
    if (product) { /* the first feature is 1: a blank L begins as its coefficients */
        size_t known = block->blank ? 1 : 0;
        scant_i_product_before(L, known ? t->C : NULL, p.phi + known * ld, ld,
                               t->C + known * stride, block->nrows,
                               scant_i_gaussian_features(shape, d) - known, stride,
                               following(block), block->batch->ncolumns);
    }
    for (size_t c = 0; c < d && block->present; c++)
        if (!block->present[factor->columns[c]])
            for (size_t i = 0; i < block->nrows; i++)
                for (size_t j = 0; j < factor->ncomponents; j++)
                    L[i * stride + j] -= t->exact[j] ? 0 : t->absent[c * stride + j];
    for (size_t j = 0; t->nexact && j < factor->ncomponents; j++)
        if (t->exact[j])
            exact_density(factor, block, j, z, ld, L, p.room);
    return SCANT_OK;
}

size_t scant_i_gaussian_nstatistics(const scant_i_factor *factor)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t present = shape == SCANT_I_FULL ? 0 : factor->ncolumns;
    return (scant_i_gaussian_features(shape, factor->ncolumns) + present) * factor->stride;
}

const double *scant_i_gaussian_without_exact(const scant_i_factor *factor,
                                             const scant_i_block *block, const double *R,
                                             double *copy)
{
    const scant_i_gaussian_tables *t = factor->tables;
    if (!t || !t->nexact)
        return R;
    for (size_t i = 0; i < block->nrows; i++)
        for (size_t j = 0; j < factor->stride; j++)
            copy[i * factor->stride + j] =
                j < factor->ncomponents && t->exact[j] ? 0 : R[i * factor->stride + j];
    return copy;
}

/* The weight of the block's rows, for each column that they have; `sum` has stride doubles. */
static void count_present(const scant_i_factor *factor, const scant_i_block *block, const double *R,
                          double *statistics, double *sum)
{
    size_t stride = factor->stride;
    memset(sum, 0, stride * sizeof *sum);
    for (size_t i = 0; i < block->nrows; i++)
        for (size_t j = 0; j < stride; j++)
            sum[j] += R[i * stride + j];
    for (size_t c = 0; c < factor->ncolumns; c++)
        for (size_t j = 0; j < stride && block->present[factor->columns[c]]; j++)
            statistics[c * stride + j] += sum[j];
}

/* About the origin o of the statistics, which is 0, or m where the component goes by its factor:
 * E z = m - o, E zz' = S + (m - o)(m - o)'. */
scant_status scant_i_gaussian_anchor(const scant_i_factor *factor, const double *w,
                                     double *statistics)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double *sum = statistics + stride + j, *square = sum + d * stride;
        const double *m = t->mean + j * d;
        double about = t->exact[j] ? 0 : 1;
        statistics[j] += w[j];
        for (size_t a = 0; a < d; a++) {
            sum[a * stride] += w[j] * about * m[a];
            size_t last = shape == SCANT_I_FULL ? d : a + 1;
            for (size_t b = a; b < last; b++) {
                double S = t->covariance[shape == SCANT_I_FULL ? (j * d + a) * d + b : j * d + a];
                *square += w[j] * (S + about * m[a] * m[b]);
                if (shape != SCANT_I_SPHERICAL)
                    square += stride;
            }
        }
    }
    return SCANT_OK;
}

scant_status scant_i_gaussian_accumulate(const scant_i_factor *factor, const scant_i_block *block,
                                         const double *R, double *statistics, void *scratch)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride, ld = scant_i_gaussian_ld(block->nrows);
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t features = scant_i_gaussian_features(shape, d);
    places p = places_of(factor, block, scratch);
    const double *z = p.phi + ld;
    if (!is_filled(block, &p))
        fill(factor, block, &p, ld);
    if (block->present && shape == SCANT_I_FULL)
        return scant_i_gaussian_missing_accumulate(factor, block, p.phi, ld, R, statistics, p.room,
                                                   p.pattern);
    size_t counted = block->present ? 1 : 0; /* column by column, below */
    scant_i_product_transposed(statistics + counted * stride, p.phi + counted * ld, ld,
                               scant_i_gaussian_without_exact(factor, block, R, p.R), block->nrows,
                               features - counted, stride);
    for (size_t j = 0; t && t->nexact && j < factor->ncomponents; j++)
        if (t->exact[j])
            exact_moments(factor, block, j, z, ld, R, statistics, p.room);
    if (block->present)
        count_present(factor, block, R, statistics + features * stride, p.R);
    return SCANT_OK;
}
