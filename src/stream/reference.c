/* See reference.h. Columns of a family with moments, d of them, get the 2 d points mu +- sqrt(d) L_c, with L L' the
 * covariance and L_c its columns, over and over: their mean is mu and their covariance
 * sum_c 2 d L_c L_c' / 2 d = L L', so few rows say all that such an M-step will ask. */
#include "stream/reference.h"

#include <math.h>
#include <string.h>

#include "family/family.h"
#include "model/sample.h"
#include "math/linear.h"

static const uint64_t SEED = 1; /* of the columns that are drawn */

typedef struct maker {
    const scant_model *model;
    const scant_i_factor *pointed; /* one with moments, or NULL */
    size_t each;                   /* rows of a pair; whole rounds of its points */
    double *mean;                  /* d */
    double *lower;                 /* d x d */
    double *own;                   /* room for a row */
} maker;

void scant_i_reference_clear(scant_i_reference *reference)
{
    scant_i_free(reference->cells);
    scant_i_free(reference->weight);
    scant_i_free(reference->pair);
    scant_i_free(reference->component);
    scant_i_free(reference->class_of);
    *reference = (scant_i_reference){0};
}

static const scant_i_factor *pointed_of(const scant_i_mixture *m)
{
    for (size_t f = 0; f < m->nfactors; f++)
        if (m->factor[f]->family->moments)
            return m->factor[f];
    return NULL;
}

static size_t count_pairs(const scant_i_mixture *m)
{
    size_t pairs = 0;
    for (size_t t = 0; t < m->nclasses * m->stride; t++)
        pairs += m->coupling.W[t] > 0;
    return pairs;
}

static scant_status factor_covariance(maker *make, size_t component)
{
    const scant_i_factor *pointed = make->pointed;
    if (!pointed)
        return SCANT_OK;
    pointed->family->moments(pointed, component, make->mean, make->lower);
    return scant_i_cholesky(make->lower, pointed->ncolumns)
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_INPUT,
                              "the covariance of component %zu is not positive definite",
                              component + 1);
}

static void place_point(const maker *make, size_t r, double *cells)
{
    const scant_i_factor *pointed = make->pointed;
    size_t d = pointed->ncolumns, column = r / 2 % d;
    double step = (r % 2 ? -1 : 1) * sqrt((double)d);
    for (size_t c = 0; c < d; c++)
        cells[pointed->columns[c]] = make->mean[c] + step * make->lower[c * d + column];
}

/* The rows of component j and class k, behind those there are. */
static scant_status add_pair(scant_i_reference *out, maker *make, size_t j, size_t k)
{
    scant_status status = SCANT_OK;
    const scant_model *model = make->model;
    const scant_i_mixture *m = model->mixture;
    SCANT_I_TRY(factor_covariance(make, j));
    for (size_t r = 0; r < make->each; r++, out->nrows++) {
        double *cells = out->cells + out->nrows * model->ncolumns;
        scant_i_random random = scant_i_random_new(SEED, out->nrows);
        SCANT_I_TRY(scant_i_sample_cells(cells, m, j, &random, NULL, make->own));
        if (make->pointed)
            place_point(make, r, cells);
        out->weight[out->nrows] = m->coupling.W[k * m->stride + j] / (double)make->each;
        out->pair[out->nrows] = out->npairs;
    }
    out->component[out->npairs] = j;
    out->class_of[out->npairs++] = k;
done:
    return status;
}

scant_status scant_i_reference_new(scant_i_reference *out, const scant_model *model, size_t nrows)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    size_t pairs = count_pairs(m), total, cells;
    maker make = {.model = model, .pointed = pointed_of(m)};
    size_t d = make.pointed ? make.pointed->ncolumns : 0;
    size_t wanted = d == model->ncolumns ? 1 : nrows / pairs; /* points alone need no company */
    make.each = scant_i_round_up(scant_i_max(1, wanted), d ? 2 * d : 1);
    *out = (scant_i_reference){0};
    if (__builtin_mul_overflow(pairs, make.each, &total) ||
        __builtin_mul_overflow(total, model->ncolumns, &cells))
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu times %zu rows", pairs,
                            make.each);
    SCANT_I_TRY(SCANT_I_NEW(&out->cells, cells));
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, total));
    SCANT_I_TRY(SCANT_I_NEW(&out->pair, total));
    SCANT_I_TRY(SCANT_I_NEW(&out->component, pairs));
    SCANT_I_TRY(SCANT_I_NEW(&out->class_of, pairs));
    SCANT_I_TRY(SCANT_I_NEW(&make.own, model->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&make.mean, d));
    SCANT_I_TRY(SCANT_I_NEW(&make.lower, d * d));
    for (size_t k = 0; k < m->nclasses; k++)
        for (size_t j = 0; j < m->ncomponents; j++)
            if (m->coupling.W[k * m->stride + j] > 0)
                SCANT_I_TRY(add_pair(out, &make, j, k));
done:
    if (status != SCANT_OK)
        scant_i_reference_clear(out);
    scant_i_free(make.own);
    scant_i_free(make.mean);
    scant_i_free(make.lower);
    return status;
}
