/* The kernels of this layer (math/kernels.h). `lanes` is a multiple of eight, and rows of as many numbers are aligned.
 *
 *   collect        M[i] = sum over a of left[a] * (sum over b of half[a, i, b] * right[b]) for some rows i
 *   gather         out = sum over n entries of value * A[index]; there are SCANT_I_AHEAD indices more
 *   multiply       out = a * b, element by element
 *   multiply_add   out += a * b
 *   multiply_rows  out[t] = prefix * rows[t]; the last row of `out` may hold the prefix
 *   go_ahead       to = max(0, a + beta (a - b)) */
#ifndef SCANT_I_TENSOR_KERNELS_H
#define SCANT_I_TENSOR_KERNELS_H

#include "math/kernels.h"

/* Entries after which a row of a factor is needed that is asked for now: rows are too many for the cache and follow no
 * order that the processor could guess. */
enum { SCANT_I_AHEAD = 8 };

typedef struct scant_i_collect_operands {
    double *M;
    const double *half, *left, *right;
    size_t before, after; /* rows of left and right */
    size_t lanes, size;   /* rows of M */
} scant_i_collect_operands;

/* clang-format off */
#define SCANT_I_TENSOR_KERNELS(kernel) \
    kernel(void, collect, (const scant_i_collect_operands *o, size_t first, size_t last)) \
    kernel(void, gather, (double *out, const double *A, size_t lanes, const uint32_t *index, const double *value, size_t n)) \
    kernel(void, multiply, (double *out, const double *a, const double *b, size_t lanes)) \
    kernel(void, multiply_add, (double *out, const double *a, const double *b, size_t lanes)) \
    kernel(void, multiply_rows, (double *out, const double *prefix, const double *rows, size_t n, size_t lanes)) \
    kernel(void, go_ahead, (double *to, const double *a, const double *b, double beta, size_t n))
/* clang-format on */
SCANT_I_LAYER_KERNELS(tensor, SCANT_I_TENSOR_KERNELS)

#endif
