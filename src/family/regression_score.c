/* Scores of a regression, with coefficients b and variance s2 in standard units.
 *
 * Features are the products u_a u_b, a <= b, of u = (z, y), z = (1, inputs) and y the target, so
 * that with e = y - b'z
 *     score     of b / s2: z_k e;  of -1 / (2 s2): y^2 - (b'z)^2 - s2
 *     K''       s2 z z';  2 s2 (b'z) z;  4 s2 (b'z)^2 + 2 s2^2
 * are linear in them. A row without a target says nothing. */
#include "family/regression.h"

#include <string.h>

void scant_i_regression_standardise(scant_i_factor *factor, bool to)
{
    size_t d = factor->ncolumns, target = factor->settings.target;
    double unit = factor->scale[target], level = factor->centre[target];
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double *b = factor->theta + j * d, *s2 = scant_i_regression_variances(factor) + j;
        double shift = 0; /* what the inputs' centres add, by slopes in the data's units */
        for (size_t k = 0; k + 1 < d; k++) {
            size_t c = scant_i_regression_input(factor, k);
            double factor_of = factor->scale[c] / unit,
                   slope = to ? b[k + 1] : b[k + 1] / factor_of;
            shift += slope * factor->centre[c];
            b[k + 1] = to ? b[k + 1] * factor_of : slope;
        }
        b[0] = to ? (b[0] + shift - level) / unit : b[0] * unit + level - shift;
        *s2 = to ? *s2 / unit / unit : *s2 * unit * unit;
    }
}

size_t scant_i_regression_nfeatures(const scant_i_factor *factor)
{
    return (factor->ncolumns + 1) * (factor->ncolumns + 2) / 2;
}

/* The place of u_a u_b among q = d + 1. */
static size_t pair(size_t q, size_t a, size_t b)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;
    return low * q - low * (low + 1) / 2 + high;
}

void scant_i_regression_features(const scant_i_factor *factor, const scant_i_block *block,
                                 double *phi, size_t ld, double *room)
{
    size_t d = factor->ncolumns, q = d + 1, target = factor->settings.target;
    double *u = room;
    for (size_t i = 0; i < block->nrows; i++) {
        const double *cells = scant_i_block_cells(block, i);
        u[0] = 1;
        for (size_t k = 0; k < d; k++) {
            size_t c = k + 1 < d ? scant_i_regression_input(factor, k) : target;
            size_t column = factor->columns[c];
            u[k + 1] = scant_i_block_has(block, column)
                           ? (cells[column] - factor->centre[c]) / factor->scale[c]
                           : 0;
        }
        for (size_t a = 0; a < q; a++)
            for (size_t b = a; b < q; b++)
                phi[pair(q, a, b) * ld + i] = u[a] * u[b];
    }
}

static bool has_target(const scant_i_factor *factor, const uint8_t *present)
{
    return !present || present[factor->columns[factor->settings.target]];
}

scant_status scant_i_regression_score(const scant_i_factor *factor, size_t component,
                                      const uint8_t *present, double *A)
{
    size_t d = factor->ncolumns, q = d + 1, m = scant_i_regression_nfeatures(factor);
    const double *b = factor->theta + component * d;
    memset(A, 0, q * m * sizeof *A);
    if (!has_target(factor, present))
        return SCANT_OK;
    double *last = A + d * m;
    for (size_t k = 0; k < d; k++) {
        A[k * m + pair(q, k, d)] = 1;
        for (size_t l = 0; l < d; l++) {
            A[k * m + pair(q, k, l)] -= b[l];
            last[pair(q, k, l)] -= b[k] * b[l];
        }
    }
    last[pair(q, d, d)] = 1;
    last[pair(q, 0, 0)] -= scant_i_regression_variances(factor)[component];
    return SCANT_OK;
}

scant_status scant_i_regression_information(const scant_i_factor *factor, size_t component,
                                            const uint8_t *present, const double *S,
                                            double *complete, double *missing)
{
    size_t d = factor->ncolumns, q = d + 1;
    const double *b = factor->theta + component * d;
    double s2 = scant_i_regression_variances(factor)[component], square = 0;
    memset(complete, 0, q * q * sizeof *complete);
    memset(missing, 0, q * q * sizeof *missing);
    if (!has_target(factor, present))
        return SCANT_OK;
    for (size_t k = 0; k < d; k++) {
        double along = 0; /* sum of (b'z) z_k */
        for (size_t l = 0; l < d; l++) {
            complete[k * q + l] = s2 * S[pair(q, k, l)];
            along += b[l] * S[pair(q, k, l)];
        }
        complete[k * q + d] = complete[d * q + k] = 2 * s2 * along;
        square += b[k] * along;
    }
    complete[d * q + d] = 4 * s2 * square + 2 * s2 * s2 * S[0];
    return SCANT_OK;
}
