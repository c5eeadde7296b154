/* The kernels of this layer (math/kernels.h).
 *
 *   gram_dots  out[s] = sum_i columns[i ld + s] z[i], s < ld (a multiple of eight), aligned to 64 bytes
 *   gram_rbf   out[s] becomes exp(-gamma max(0, square[s] + own - 2 out[s])) */
#ifndef SCANT_I_MED_KERNELS_H
#define SCANT_I_MED_KERNELS_H

#include "math/kernels.h"

/* clang-format off */
#define SCANT_I_MED_KERNELS(kernel) \
    kernel(void, gram_dots, (double *out, const double *columns, size_t ld, size_t d, const double *z)) \
    kernel(void, gram_rbf, (double *out, const double *square, double own, double gamma, size_t ld))
/* clang-format on */
SCANT_I_LAYER_KERNELS(med, SCANT_I_MED_KERNELS)

#endif
