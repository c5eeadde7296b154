/* Categorical: columns of categories, independent.
 *
 *   f(x) = prod_c p_c,x_c
 *   parameters  probabilities p, M x sum of levels: one group a column, that sums to 1
 *   T, for each column: indicators of all levels but the last,  eta_l = log(p_l / p_last),
 *   K = sum_c log(1 + sum_l e^eta_cl),  A = 0
 *   statistics  S (sum of levels x stride): weight of each level; a column's weight is their sum,
 *               so that missing cells need nothing more
 *   M-step      p_cl = (S_cl + smooth) / (sum_l S_cl + smooth levels_c), the maximum of the
 *               expected log-likelihood plus smooth sum log p; smooth 0 allows p = 0
 *   cost        nrows d M additions for either half of a pass */
#include "family/family.h"
#include "family/pass.h"
#include "family/score.h"
#include "family/simplex.h"
#include "math/sparse.h"

#include <math.h>
#include <string.h>

static scant_status configure(scant_i_factor *factor)
{
    size_t width = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        if (factor->nlevels[c] == 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "family categorical: column %zu is a number, not a category",
                                factor->columns[c] + 1);
        width += factor->nlevels[c];
    }
    factor->ntheta = factor->ncomponents * width;
    return SCANT_OK;
}

/* Sum of levels. */
static size_t width_of(const scant_i_factor *factor)
{
    return factor->ntheta / factor->ncomponents;
}

static size_t parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    *out = (scant_i_parameter){
        "probabilities", 0, 2, {factor->ncomponents, width_of(factor), 0}, false};
    return 1;
}

static size_t degrees(const scant_i_factor *factor)
{
    return factor->ncomponents * (width_of(factor) - factor->ncolumns);
}

static scant_status validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    if (!batch->dense)
        return scant_i_fail(SCANT_ERR_INPUT, "family categorical does not take sparse rows");
    for (size_t i = 0; i < batch->nrows; i++) {
        for (size_t c = 0; c < factor->ncolumns; c++) {
            double x = batch->dense[i * batch->ncolumns + factor->columns[c]];
            if (!isnan(x) && !(x >= 0 && x < (double)factor->nlevels[c] && floor(x) == x))
                return scant_i_batch_fail_cell(batch, i, factor->columns[c],
                                               "expected one of %zu categories, not %g",
                                               factor->nlevels[c], x);
        }
    }
    return SCANT_OK;
}

static scant_status check(const scant_i_factor *factor)
{
    size_t first = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        scant_status status = scant_i_simplex_check(factor->theta + first, factor->ncomponents,
                                                    width_of(factor), factor->nlevels[c]);
        if (status != SCANT_OK)
            return scant_i_fail_within(status, "column %zu", factor->columns[c] + 1);
        first += factor->nlevels[c];
    }
    return SCANT_OK;
}

/* The table is log p (sum of levels x stride), 0 in the padding. */
static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = check(factor);
    return status == SCANT_OK ? scant_i_simplex_tables(factor, width_of(factor), 0) : status;
}

/* Scratch: zeros (stride), own (stride), the row's places in the table (d). */
static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)missing;
    (void)nrows;
    return 2 * factor->stride * sizeof(double) + factor->ncolumns * sizeof(int32_t);
}

/* The row's places in the table, of the columns present; returns how many. */
static size_t places(const scant_i_factor *factor, const scant_i_block *block, size_t i,
                     int32_t *index)
{
    const double *cells = scant_i_block_cells(block, i);
    size_t n = 0, first = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        size_t column = factor->columns[c];
        if (scant_i_block_has(block, column))
            index[n++] = (int32_t)(first + (size_t)cells[column]);
        first += factor->nlevels[c];
    }
    return n;
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *memory)
{
    size_t stride = factor->stride;
    double *zero = memory, *own = zero + stride;
    int32_t *index = (int32_t *)(own + stride);
    for (size_t i = 0; i < block->nrows; i++) {
        size_t n = places(factor, block, i, index);
        scant_i_sparse_gather(own, factor->tables, stride, index, NULL, n, n);
        scant_i_pass_add(L + i * stride, own, NULL, zero, 1, stride);
    }
    return SCANT_OK;
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return width_of(factor) * factor->stride;
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *memory)
{
    size_t stride = factor->stride;
    int32_t *index = (int32_t *)((double *)memory + 2 * stride);
    for (size_t i = 0; i < block->nrows; i++) {
        size_t n = places(factor, block, i, index);
        scant_i_sparse_scatter(statistics, R + i * stride, stride, index, NULL, n, n);
    }
    return SCANT_OK;
}

static scant_status anchor(const scant_i_factor *factor, const double *w, double *statistics)
{
    scant_i_simplex_anchor(factor, w, statistics);
    return SCANT_OK;
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    scant_status status = SCANT_OK;
    size_t first = 0;
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        SCANT_I_TRY(scant_i_simplex_shares(factor, first, factor->nlevels[c], statistics, NULL));
        first += factor->nlevels[c];
    }
done:
    return status;
}

static size_t nnatural(const scant_i_factor *factor)
{
    return width_of(factor) - factor->ncolumns;
}

static scant_status natural(const scant_i_factor *factor, size_t component, double *eta)
{
    scant_status status = SCANT_OK;
    const double *p = factor->theta + component * width_of(factor);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        SCANT_I_TRY(scant_i_simplex_natural(p, factor->nlevels[c], eta));
        p += factor->nlevels[c];
        eta += factor->nlevels[c] - 1;
    }
done:
    return status;
}

static scant_status from_natural(scant_i_factor *factor, size_t component, const double *eta)
{
    scant_status status = SCANT_OK;
    double *p = factor->theta + component * width_of(factor);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        SCANT_I_TRY(scant_i_simplex_from_natural(eta, factor->nlevels[c], p));
        p += factor->nlevels[c];
        eta += factor->nlevels[c] - 1;
    }
done:
    return status;
}

static size_t column_of(const scant_i_factor *factor, size_t entry)
{
    size_t c = 0;
    while (entry >= factor->nlevels[c] - 1)
        entry -= factor->nlevels[c++] - 1;
    return c;
}

static void sufficient(const scant_i_factor *factor, const double *x, double *T)
{
    for (size_t c = 0; c < factor->ncolumns; c++)
        for (size_t l = 0; l + 1 < factor->nlevels[c]; l++)
            *T++ = x[c] == (double)l ? 1 : 0;
}

static scant_status cumulant(const scant_i_factor *factor, const double *eta, const double *x,
                             double *K, double *K1, double *K2)
{
    scant_status status = SCANT_OK;
    size_t n = nnatural(factor), first = 0;
    (void)x;
    *K = 0;
    if (K2)
        memset(K2, 0, n * n * sizeof *K2);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        size_t m = factor->nlevels[c] - 1;
        double k = 0;
        SCANT_I_TRY(scant_i_simplex_cumulant(eta + first, m, 1, &k, K1 ? K1 + first : NULL,
                                             K2 ? K2 + first * (n + 1) : NULL, n));
        *K += k;
        first += m;
    }
done:
    return status;
}

static scant_status sample(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    const double *p = factor->theta + component * width_of(factor);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        x[c] = (double)scant_i_random_pick(random, p, factor->nlevels[c]);
        p += factor->nlevels[c];
    }
    return SCANT_OK;
}

static const scant_i_family_pass pass = {
    .prepare = prepare,
    .release = scant_i_simplex_release,
    .scratch = scratch,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .anchor = anchor,
    .maximise = maximise,
    .log_prior = scant_i_simplex_log_prior,
};

static const scant_i_family_natural natural_form = {
    .nnatural = nnatural,
    .eta = natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .from_natural = from_natural,
    .column_of = column_of,
    SCANT_I_PLAIN_SCORES,
};

const scant_i_family scant_i_categorical = {
    .name = "categorical",
    .summary = "columns of categories, independent",
    .categorical = true,
    .configure = configure,
    .parameters = parameters,
    .degrees = degrees,
    .validate = validate,
    .check = check,
    .sample = sample,
    .pass = &pass,
    .natural = &natural_form,
    .reach = &scant_i_categorical_reach,
    .coordinates = &scant_i_categorical_coordinates,
};
