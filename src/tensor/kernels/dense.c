#include <string.h>

#include "math/vector.h"
#include "tensor/kernels/kernel.h"

enum { VECTORS_MAX = 6 };

/* M += left * (sum over b of half[b] * right[b]), element by element; `vectors`, of four doubles, is a constant at every call */
SCANT_I_INLINE void collect_vectors(double *M, const double *left, const double *half,
                                    const double *right, size_t after, size_t lanes,
                                    const size_t vectors)
{
    scant_i_vector4 sum[VECTORS_MAX] = {{0}};
    for (size_t b = 0; b < after * lanes; b += lanes)
        for (size_t v = 0; v < vectors; v++)
            sum[v] += *(const scant_i_vector4 *)(half + b + 4 * v) *
                      *(const scant_i_vector4 *)(right + b + 4 * v);
    for (size_t v = 0; v < vectors; v++)
        *(scant_i_vector4 *)(M + 4 * v) += sum[v] * *(const scant_i_vector4 *)(left + 4 * v);
}

/* M[i] = sum over a of left[a] * (sum over b of half[a, i, b] * right[b]) for some rows i, in the order in which `half`
 * lies in memory */
void SCANT_I_KERNEL(collect)(const scant_i_collect_operands *c, size_t first, size_t last)
{
    size_t lanes = c->lanes, size = c->size;
    memset(c->M + first * lanes, 0, (last - first) * lanes * sizeof *c->M);
    for (size_t a = 0; a < c->before; a++)
        for (size_t i = first; i < last; i++)
            for (size_t q = 0; q < lanes; q += 4 * VECTORS_MAX) {
                const double *half = c->half + (a * size + i) * c->after * lanes + q;
                const double *left = c->left + a * lanes + q, *right = c->right + q;
                double *M = c->M + i * lanes + q;
                switch ((lanes - q) / 8) {
                case 1: collect_vectors(M, left, half, right, c->after, lanes, 2); break;
                case 2: collect_vectors(M, left, half, right, c->after, lanes, 4); break;
                default: collect_vectors(M, left, half, right, c->after, lanes, 6); break;
                }
            }
}
