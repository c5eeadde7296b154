/* The kernels of this layer (math/kernels.h). pass_* are explained in family/pass.h, groups_* in family/votes_groups.h
 * (entries: nrows x count).
 *
 *   sum_shares    *total = sum of p; returns how many of it are not between 0 and `most`
 *   least_of      the least of x
 *   close_logs    sum += rows of logs, then what is below SCANT_I_LOG_ZERO becomes that
 *   add_possible  L += own + base; -inf where that is impossible
 *   make_squares  products of the features z that the shape wants
 *   shift         y[c] = z[c] - m[c], d columns of a block
 *   whiten        y becomes lower^-1 y, and square[i] the squared length of column i; lower is n x n */
#ifndef SCANT_I_FAMILY_KERNELS_H
#define SCANT_I_FAMILY_KERNELS_H

#include "family/gaussian.h"
#include "math/kernels.h"

/* clang-format off */
#define SCANT_I_FAMILY_KERNELS(kernel) \
    kernel(size_t, sum_shares, (const double *p, size_t n, double most, double *total)) \
    kernel(double, least_of, (const double *x, size_t n)) \
    kernel(void, close_logs, (double *logs, double *sum, size_t nrows, size_t stride)) \
    kernel(void, pass_add, (double *L, const double *own, const double *base, const double *constant, size_t nrows, size_t stride)) \
    kernel(void, pass_totals, (double *sum, const double *R, size_t nrows, size_t stride)) \
    kernel(void, add_possible, (double *L, const double *own, double base, size_t stride)) \
    kernel(void, groups_gather, (double *L, size_t count, size_t stride, const double *table, const int32_t *entry, size_t nrows)) \
    kernel(void, groups_scatter, (double *table, size_t count, size_t stride, const double *R, const int32_t *entry, size_t nrows)) \
    kernel(void, make_squares, (double *square, const double *z, size_t ld, size_t nrows, size_t d, scant_i_shape shape)) \
    kernel(void, shift, (double *y, const double *z, size_t ld, size_t nrows, size_t d, const double *m)) \
    kernel(void, whiten, (double *y, size_t ld, size_t nrows, size_t n, const double *lower, double *square))
/* clang-format on */
SCANT_I_LAYER_KERNELS(family, SCANT_I_FAMILY_KERNELS)

#endif
