/* Sources that answer or say nothing, where nothing is an answer, too: labelling rules.
 *
 *   f_j(x) = prod over all predictors c of p_cj,x_c,   where silence has  s_cj = 1 - sum_a p_cja
 *   parameters  p, M x (k l): P(predictor c answers a | class j) at j (k l) + c l + a
 *   tables      log(p_cja / s_cj) at c l + a, and last log b_j = sum_c log s_cj
 *   statistics  S (k l x stride): weight of each answer, given each class; and last N, of each class
 *   M-step      p_cja = (S_caj + smooth) / (N_j + (l + 1) smooth)
 *   cost        an addition a vote and class for either half of a pass: silence is in b */
#include "family/votes.h"

#include "family/pass.h"
#include "family/simplex.h"
#include "math/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-6; /* sums that are 1 but for it */

static scant_status configure(scant_i_factor *factor)
{
    factor->ntheta = factor->ncomponents * factor->ncolumns * factor->nlevels[0];
    return SCANT_OK;
}

/* Answers of all predictors: k l. */
static size_t width_of(const scant_i_factor *factor)
{
    return factor->ntheta / factor->ncomponents;
}

static size_t parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    *out = (scant_i_parameter){
        "answers", 0, 3, {factor->ncomponents, factor->ncolumns, factor->nlevels[0]}, false};
    return 1;
}

/* P(c says nothing | class j) */
static double silence(const scant_i_factor *factor, size_t j, size_t c)
{
    size_t l = factor->nlevels[0];
    double rest = 1;
    for (size_t a = 0; a < l; a++)
        rest -= factor->theta[j * width_of(factor) + c * l + a];
    return rest;
}

static scant_status check(const scant_i_factor *factor)
{
    for (size_t t = 0; t < factor->ntheta; t++)
        if (!(factor->theta[t] >= 0))
            return scant_i_fail(SCANT_ERR_INPUT, "%g is not a probability", factor->theta[t]);
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < factor->ncolumns; c++)
            if (!(silence(factor, j, c) >= -ROUNDING))
                return scant_i_fail(SCANT_ERR_INPUT,
                                    "predictor %zu: probabilities of component %zu are above 1 "
                                    "together",
                                    c + 1, j + 1);
    return SCANT_OK;
}

static scant_status prepare(scant_i_factor *factor)
{
    size_t l = factor->nlevels[0], width = width_of(factor), stride = factor->stride;
    double *table = factor->tables;
    scant_status status = check(factor);
    if (status == SCANT_OK && !table) {
        status = SCANT_I_NEW(&table, (width + 1) * stride);
        factor->tables = table;
    }
    if (status != SCANT_OK)
        return status;
    memset(table + width * stride, 0, stride * sizeof *table);
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < factor->ncolumns; c++) {
            double nothing = log(fmax(silence(factor, j, c), DBL_MIN));
            table[width * stride + j] += nothing;
            for (size_t a = 0; a < l; a++)
                table[(c * l + a) * stride + j] =
                    log(fmax(factor->theta[j * width + c * l + a], DBL_MIN)) - nothing;
        }
    return SCANT_OK;
}

static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)nrows;
    (void)missing;
    return factor->stride * sizeof(double);
}

static const int32_t *answers(const scant_i_block *block, size_t i, size_t *n)
{
    size_t row = scant_i_block_place(block, i);
    *n = scant_i_batch_count(block->batch, row);
    return block->batch->sparse.column + scant_i_batch_start(block->batch, row);
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *memory)
{
    size_t stride = factor->stride, n;
    const double *table = factor->tables, *base = table + width_of(factor) * stride;
    double *own = memory;
    for (size_t i = 0; i < block->nrows; i++) {
        const int32_t *entry = answers(block, i, &n);
        scant_i_sparse_gather(own, table, stride, entry, NULL, n, n);
        for (size_t j = 0; j < stride; j++)
            L[i * stride + j] += own[j] + base[j];
    }
    return SCANT_OK;
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return (width_of(factor) + 1) * factor->stride;
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *memory)
{
    (void)memory;
    size_t stride = factor->stride, n;
    double *N = statistics + width_of(factor) * stride;
    for (size_t i = 0; i < block->nrows; i++) {
        const int32_t *entry = answers(block, i, &n);
        scant_i_sparse_scatter(statistics, R + i * stride, stride, entry, NULL, n, n);
        for (size_t j = 0; j < stride; j++)
            N[j] += R[i * stride + j];
    }
    return SCANT_OK;
}

static size_t degrees(const scant_i_factor *factor)
{
    return factor->ntheta;
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    size_t l = factor->nlevels[0], width = width_of(factor), stride = factor->stride;
    const double *N = statistics + width * stride;
    double smooth = factor->settings.smooth;
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double all = N[j] + (double)(l + 1) * smooth;
        for (size_t t = 0; t < width && all > DBL_MIN; t++) {
            double p = (statistics[t * stride + j] + smooth) / all;
            if (!(p >= -ROUNDING && p <= 1 + ROUNDING))
                return scant_i_fail(SCANT_ERR_INPUT, "predictor %zu: no votes have such statistics",
                                    t / l + 1);
            factor->theta[j * width + t] = fmin(1, fmax(0, p));
        }
    }
    return SCANT_OK;
}

/* smooth (sum log p + sum log s) */
static double log_prior(const scant_i_factor *factor)
{
    double sum = 0;
    if (factor->settings.smooth == 0)
        return 0;
    for (size_t t = 0; t < factor->ntheta; t++)
        sum += log(fmax(factor->theta[t], DBL_MIN));
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < factor->ncolumns; c++)
            sum += log(fmax(silence(factor, j, c), DBL_MIN));
    return factor->settings.smooth * sum;
}

static const scant_i_family_pass pass = {
    .prepare = prepare,
    .release = scant_i_simplex_release,
    .scratch = scratch,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .maximise = maximise,
    .log_prior = log_prior,
};

const scant_i_family scant_i_rules = {
    .name = "rules",
    .summary = "answers of sources whose silence counts",
    .sparse = true,
    .categorical = true,
    .configure = configure,
    .parameters = parameters,
    .check = check,
    .degrees = degrees,
    .pass = &pass,
};
