/* The kernels of this layer (math/kernels.h), for tables of a slice whose rows are ld apart.
 *
 *   shorten         `to` is n numbers of each of `height` rows in single precision; those below `least` are 0
 *   pair_up         both = share of pair[2 p] times weighed of pair[2 p + 1], for `count` pairs
 *   tilt_row        for one row, whose w r_j are wr: wmu_q = sum_j w r_j U[q][j], mu_q (ld apart) = wmu_q / w,
 *                   tilt[q][j] = w r_j (U[q][j] - mu_q) */
#ifndef SCANT_I_INFORM_KERNELS_H
#define SCANT_I_INFORM_KERNELS_H

#include "math/kernels.h"

/* clang-format off */
#define SCANT_I_INFORM_KERNELS(kernel) \
    kernel(void, shorten, (float *to, const double *from, size_t ld, size_t n, size_t height, double least)) \
    kernel(void, pair_up, (double *both, const double *share, const double *weighed, size_t ld, size_t n, const uint32_t *pair, size_t count)) \
    kernel(void, pair_up_single, (float *both, const float *share, const float *weighed, size_t ld, size_t n, const uint32_t *pair, size_t count)) \
    kernel(void, tilt_row, (double *tilt, double *mu, size_t ld, double *wmu, const double *U, const double *wr, size_t nq, size_t stride))
/* clang-format on */
SCANT_I_LAYER_KERNELS(inform, SCANT_I_INFORM_KERNELS)

#endif
