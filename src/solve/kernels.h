/* The kernels of this layer (math/kernels.h). Those that begin with batch_ are explained in solve/batch.h, steps in
 * solve/descent.c.
 *
 *   scale_positive  kept = the positive part of x, times `unit`
 *   step_hals_wide  for SCANT_I_WIDE batches that share a matrix; x and b are rank x SCANT_I_WIDE
 *   projected       the square of the projected gradient y at x, n numbers, a multiple of eight */
#ifndef SCANT_I_SOLVE_KERNELS_H
#define SCANT_I_SOLVE_KERNELS_H

#include "math/kernels.h"
#include "solve/batch.h"

enum { SCANT_I_WIDE = 4 };

/* clang-format off */
#define SCANT_I_SOLVE_KERNELS(kernel) \
    kernel(void, batch_list, (scant_i_batch *b, const uint64_t *const *set, size_t n)) \
    kernel(void, batch_factor, (scant_i_batch *b)) \
    kernel(void, batch_solve, (scant_i_batch *b)) \
    kernel(void, batch_gradient, (scant_i_batch *b)) \
    kernel(void, batch_broken, (scant_i_vector8 *broken, scant_i_vector8 *tolerance, const scant_i_batch *b)) \
    kernel(void, scale_positive, (scant_i_vector8 *kept, const scant_i_vector8 *x, const scant_i_vector8 *unit, size_t rank)) \
    kernel(void, step_als, (scant_i_batch *b)) \
    kernel(void, step_mu, (scant_i_batch *b)) \
    kernel(void, step_hals, (scant_i_batch *b)) \
    kernel(void, step_hals_wide, (scant_i_vector8 *x, const scant_i_vector8 *b, const scant_i_nnls *problem)) \
    kernel(double, projected, (const double *x, const double *y, size_t n))
/* clang-format on */
SCANT_I_LAYER_KERNELS(solve, SCANT_I_SOLVE_KERNELS)

#endif
