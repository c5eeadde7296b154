/* Gaussian: how far rows are from a component, for bounds of a log-sum (family.h, latent/bound.h).
 *
 * With q = (x - mu)' S^-1 (x - mu) over d columns, and e a column's own part of it, Z' K''^-1 Z and the slack are
 *   known covariances, any shape   q                       0
 *   diag                           sum_c (1 + e_c^4) / 2   max_c e_c^2
 *   spherical                      (d + q^2 / d) / 2       q / d
 *   full                           (d + q^2) / 2           q
 * Lemma 2 for the last two is that of diag in other coordinates: log f / f~ and F stay as they are when rows are
 * turned, and Z' K''^-1 Z of diag is least where all e_c^2 are q / d, and at most that of full anywhere. A tied
 * covariance asks of all components at once what the bound allows each by itself, so it holds there, too.
 *
 * Of known covariances the bound may have the form c/2 (Z . (eta - eta~))^2 in place of w F: with C_j = sum_i c_ij
 * (x_i - mu~)(x_i - mu~)' and mu' the family's M-step, N (mu' - mu~) being its gradient in units of S^-1,
 *   (N S + C_j) y = N (mu' - mu~),   mu = mu~ + S y.
 * Cost: rows x components x d, or d^2 where full; the form's sums d^2 / 2 more. */
#include "family/gaussian.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

/* What is missing of a full covariance's sums is not the component's to bound. */
static bool needs_all_cells(const scant_i_factor *factor)
{
    return scant_i_gaussian_shape(factor) == SCANT_I_FULL;
}

/* The rows in standard units, and room for as much again. */
static size_t room(const scant_i_factor *factor, size_t nrows)
{
    size_t squares = scant_i_gaussian_squares(SCANT_I_FULL, factor->ncolumns);
    return (3 + 2 * factor->ncolumns + squares) * scant_i_gaussian_ld(nrows);
}

/* q of all rows for component j of a full covariance; y is d x ld. */
static void full_distance(const scant_i_factor *factor, size_t j, const double *z, double *y,
                          size_t ld, double *q)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < ld; i++)
            y[c * ld + i] = z[c * ld + i] - t->mean[j * d + c];
    scant_i_forward_solve_all(t->lower + j * d * d, d, y, ld);
    memset(q, 0, ld * sizeof *q);
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < ld; i++)
            q[i] += y[c * ld + i] * y[c * ld + i];
}

/* What rows' columns add up to, ld numbers each. */
typedef struct column_sums {
    double *q, *fourth, *most; /* sums of e^2 and of e^4, and the largest e^2 */
} column_sums;

/* Of component j, over the d columns that are present. */
static void sum_columns(const scant_i_factor *factor, const scant_i_block *block, size_t j,
                        const double *z, size_t ld, const column_sums *s)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    memset(s->q, 0, 3 * ld * sizeof *s->q);
    for (size_t c = 0; c < d; c++) {
        if (!scant_i_block_has(block, factor->columns[c]))
            continue;
        double m = t->mean[j * d + c], inverse = 1 / t->covariance[j * d + c];
        for (size_t i = 0; i < ld; i++) {
            double y = z[c * ld + i] - m, e2 = y * y * inverse;
            s->q[i] += e2;
            s->fourth[i] += e2 * e2;
            s->most[i] = e2 > s->most[i] ? e2 : s->most[i];
        }
    }
}

/* The table of the head, of row i with d columns present; a full covariance has q alone. */
static void place(const scant_i_factor *factor, double d, const column_sums *s, size_t i,
                  double *distance, double *slack)
{
    double q = s->q[i];
    *slack = 0;
    if (factor->settings.fixed_covariances || d == 0) {
        *distance = q;
        return;
    }
    switch (scant_i_gaussian_shape(factor)) {
    case SCANT_I_FULL:
        *distance = 0.5 * (d + q * q);
        *slack = q;
        break;
    case SCANT_I_DIAGONAL:
        *distance = 0.5 * (d + s->fourth[i]);
        *slack = s->most[i];
        break;
    case SCANT_I_SPHERICAL:
        *distance = 0.5 * (d + q * q / d);
        *slack = q / d;
        break;
    }
}

static scant_status distances(const scant_i_factor *factor, const scant_i_block *block,
                              double *distance, double *slack, double *total, double *memory)
{
    size_t d = factor->ncolumns, ld = scant_i_gaussian_ld(block->nrows), present = 0;
    double *z = memory, *y = z + d * ld;
    column_sums s = {.q = y + d * ld};
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    s.fourth = s.q + ld;
    s.most = s.fourth + ld;
    for (size_t c = 0; c < d; c++)
        present += scant_i_block_has(block, factor->columns[c]);
    scant_i_gaussian_standardise(factor, block, z, ld);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        if (full)
            full_distance(factor, j, z, y, ld, s.q);
        else
            sum_columns(factor, block, j, z, ld, &s);
        for (size_t i = 0; i < block->nrows; i++) {
            size_t at = i * factor->stride + j;
            place(factor, (double)present, &s, i, &distance[at], &slack[at]);
        }
    }
    for (size_t i = 0; i < block->nrows; i++)
        total[i] = 1;
    return SCANT_OK;
}

/* --- the form --- */

static size_t nform(const scant_i_factor *factor)
{
    return factor->settings.fixed_covariances
               ? scant_i_gaussian_features(SCANT_I_FULL, factor->ncolumns) * factor->stride
               : 0;
}

/* form += sums of c (1, z, z_a z_b), of rows without missing cells. */
static scant_status add_form(const scant_i_factor *factor, const scant_i_block *block,
                             const double *c, double *form, double *memory)
{
    size_t d = factor->ncolumns, ld = scant_i_gaussian_ld(block->nrows);
    double *one = memory, *z = one + ld, *square = z + d * ld;
    for (size_t i = 0; i < ld; i++)
        one[i] = 1;
    scant_i_gaussian_standardise(factor, block, z, ld);
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < d; b++, square += ld)
            for (size_t i = 0; i < block->nrows; i++)
                square[i] = z[a * ld + i] * z[b * ld + i];
    scant_i_product_transposed(form, memory, ld, c, block->nrows,
                               scant_i_gaussian_features(SCANT_I_FULL, d), factor->stride);
    return SCANT_OK;
}

/* N S + C about the contact (d x d), in standard units; N by columns. */
static void make_form(const scant_i_factor *factor, size_t j, const double *N, const double *form,
                      double *A)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *m = t->mean + j * d, *sum = form + stride + j;
    const double *square = form + (1 + d) * stride + j;
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < d; b++, square += stride) {
            double S = full     ? t->covariance[(j * d + a) * d + b]
                       : a == b ? t->covariance[j * d + a]
                                : 0;
            A[a * d + b] = A[b * d + a] = N[a] * S + *square - m[a] * sum[b * stride] -
                                          m[b] * sum[a * stride] + form[j] * m[a] * m[b];
        }
}

/* The weight of the rows that have column c. */
static double weight_of(const scant_i_factor *factor, const double *statistics, size_t j, size_t c)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t features = scant_i_gaussian_features(shape, factor->ncolumns);
    double absent = shape == SCANT_I_FULL ? 0 : statistics[(features + c) * factor->stride + j];
    return statistics[j] + absent;
}

static scant_status correct(scant_i_factor *factor, size_t j, const double *statistics,
                            const double *form, double *A)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    double *y = A + d * d, *N = y + d, *mean = scant_i_gaussian_mean(factor, j);
    for (size_t c = 0; c < d; c++) {
        N[c] = weight_of(factor, statistics, j, c);
        y[c] = N[c] * ((mean[c] - factor->centre[c]) / t->unit[c] - t->mean[j * d + c]);
    }
    make_form(factor, j, N, form, A);
    if (!scant_i_cholesky(A, d))
        return scant_i_fail(SCANT_ERR_INPUT, "gaussian of component %zu: no rows have such sums",
                            j + 1);
    scant_i_cholesky_solve(A, d, y);
    for (size_t c = 0; c < d; c++) {
        double step = full ? 0 : t->covariance[j * d + c] * y[c];
        for (size_t b = 0; full && b < d; b++)
            step += t->covariance[(j * d + c) * d + b] * y[b];
        mean[c] = factor->centre[c] + t->unit[c] * (t->mean[j * d + c] + step);
    }
    return SCANT_OK;
}

static scant_status maximise(scant_i_factor *factor, const double *statistics, const double *form)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns;
    double *A = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&A, d * d + 2 * d));
    SCANT_I_TRY(factor->family->pass->maximise(factor, statistics));
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (statistics[j] > 0 && form[j] > 0)
            SCANT_I_TRY(correct(factor, j, statistics, form, A));
done:
    scant_i_free(A);
    return status;
}

const scant_i_family_reach scant_i_gaussian_reach = {
    .needs_all_cells = needs_all_cells,
    .room = room,
    .distances = distances,
    .nform = nform,
    .add_form = add_form,
    .maximise = maximise,
};
