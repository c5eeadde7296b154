/* Confusion tables of predictors (learning-without-labels eq. 15 and 17).
 *
 *   f_j(x) = prod over the predictors c that answered of p_cj,x_c      j: the class
 *   parameters  probabilities p, M x (k l): P(predictor c answers a | class j) at j (k l) + c l + a
 *   statistics  S (k l x stride): weight of each answer, given each class
 *   M-step      confusion  p_cja = (S_caj + smooth) / (sum_a S_caj + smooth l)
 *               symmetric  p_cjj = theta_c, else (1 - theta_c) / (l - 1), with
 *                          theta_c = (sum_j S_cjj + smooth l) / (sum_ja S_caj + smooth l^2)
 *               both the maximum of the expected log-likelihood plus smooth sum log p
 *   cost        an addition a vote and class for either half of a pass: an answer that is missing
 *               costs nothing; where most answers are there, one for several (votes_groups.h) */
#include "family/votes.h"

#include "family/pass.h"
#include "family/simplex.h"
#include "family/votes_groups.h"
#include "math/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
        "confusion", 0, 3, {factor->ncomponents, factor->ncolumns, factor->nlevels[0]}, false};
    return 1;
}

static scant_status check(const scant_i_factor *factor)
{
    size_t l = factor->nlevels[0];
    for (size_t c = 0; c < factor->ncolumns; c++) {
        scant_status status =
            scant_i_simplex_check(factor->theta + c * l, factor->ncomponents, width_of(factor), l);
        if (status != SCANT_OK)
            return scant_i_fail_within(status, "predictor %zu", c + 1);
    }
    return SCANT_OK;
}

/* Rows of the groups' tables, behind those of single answers. */
static size_t grouped_rows(const scant_i_factor *factor)
{
    scant_i_groups g = scant_i_groups_of(factor);
    return g.count * g.rows;
}

static double *group_table(const scant_i_factor *factor)
{
    return (double *)factor->tables + (width_of(factor) + SCANT_I_SIMPLEX_SUMS) * factor->stride;
}

/* The table is log p (k l x stride), 0 in the padding, and the groups' after it. */
static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = check(factor);
    if (status == SCANT_OK)
        status = scant_i_simplex_tables(factor, width_of(factor), grouped_rows(factor));
    if (status == SCANT_OK)
        scant_i_groups_fill(group_table(factor), factor, factor->tables);
    return status;
}

/* Scratch: zeros (stride), own (stride), sums over groups' rows, which are zero between blocks. */
static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)nrows;
    (void)missing;
    return (2 + grouped_rows(factor)) * factor->stride * sizeof(double);
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
    double *zero = memory, *own = zero + stride;
    if (block->kept) {
        scant_i_groups_gather(L, factor, group_table(factor), block->kept, block->nrows);
        return SCANT_OK;
    }
    for (size_t i = 0; i < block->nrows; i++) {
        const int32_t *entry = answers(block, i, &n);
        scant_i_sparse_gather(own, factor->tables, stride, entry, NULL, n, n);
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
    size_t stride = factor->stride, n;
    double *grouped = (double *)memory + 2 * stride;
    if (block->kept) {
        scant_i_groups_scatter(grouped, factor, R, block->kept, block->nrows);
        scant_i_groups_fold(statistics, factor, grouped);
        return SCANT_OK;
    }
    for (size_t i = 0; i < block->nrows; i++) {
        const int32_t *entry = answers(block, i, &n);
        scant_i_sparse_scatter(statistics, R + i * stride, stride, entry, NULL, n, n);
    }
    return SCANT_OK;
}

static scant_status anchor(const scant_i_factor *factor, const double *w, double *statistics)
{
    scant_i_simplex_anchor(factor, w, statistics);
    return SCANT_OK;
}

static size_t confusion_degrees(const scant_i_factor *factor)
{
    return factor->ncomponents * (width_of(factor) - factor->ncolumns);
}

static scant_status confusion_maximise(scant_i_factor *factor, const double *statistics)
{
    scant_status status = SCANT_OK;
    size_t l = factor->nlevels[0];
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t c = 0; c < factor->ncolumns; c++)
        SCANT_I_TRY(scant_i_simplex_shares(factor, c * l, l, statistics, NULL));
done:
    return status;
}

static size_t symmetric_degrees(const scant_i_factor *factor)
{
    return factor->ncolumns;
}

/* A predictor without answers keeps its table. */
static scant_status symmetric_maximise(scant_i_factor *factor, const double *statistics)
{
    size_t l = factor->nlevels[0], stride = factor->stride, width = width_of(factor);
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        const double *S = statistics + c * l * stride;
        double right = 0, all = 0, smooth = factor->settings.smooth * (double)l;
        for (size_t a = 0; a < l; a++) {
            right += S[a * stride + a];
            for (size_t j = 0; j < l; j++)
                all += S[a * stride + j];
        }
        if (fabs(all) <= DBL_MIN)
            continue;
        double most = all * (1 + SCANT_I_SLACK) + smooth * (double)(l - 1); /* of `right` */
        if (!(all > 0 && right + smooth >= 0 && right <= most))
            return scant_i_fail(SCANT_ERR_INPUT, "predictor %zu: no votes have such statistics",
                                c + 1);
        double theta = fmin((right + smooth) / (all + smooth * (double)l), 1);
        for (size_t j = 0; j < l; j++)
            for (size_t a = 0; a < l; a++)
                factor->theta[j * width + c * l + a] =
                    a == j ? theta : (1 - theta) / (double)(l - 1);
    }
    return SCANT_OK;
}

/* What the two have in common. */
#define VOTES                                                                                      \
    .sparse = true, .categorical = true, .configure = configure, .parameters = parameters,         \
    .check = check
#define VOTES_PASS                                                                                 \
    .prepare = prepare, .release = scant_i_simplex_release, .scratch = scratch,                    \
    .log_density = log_density, .nstatistics = nstatistics, .accumulate = accumulate,              \
    .anchor = anchor, .block_rows = scant_i_groups_block_rows,                                     \
    .keep_bytes = scant_i_groups_keep_bytes, .keep = scant_i_groups_keep, .drop = scant_i_free,    \
    .log_prior = scant_i_simplex_log_prior

static const scant_i_family_pass confusion_pass = {VOTES_PASS, .maximise = confusion_maximise};
static const scant_i_family_pass symmetric_pass = {VOTES_PASS, .maximise = symmetric_maximise};

const scant_i_family scant_i_confusion = {
    .name = "confusion",
    .summary = "answers of predictors, a table of confusion each",
    VOTES,
    .degrees = confusion_degrees,
    .pass = &confusion_pass,
};

const scant_i_family scant_i_symmetric = {
    .name = "symmetric",
    .summary = "answers of predictors, one error rate each",
    VOTES,
    .degrees = symmetric_degrees,
    .pass = &symmetric_pass,
};
