/* Tiles of eight by eight are turned in registers: pairs of rows are interleaved, then pairs of
 * pairs, then halves. Cost: three shuffles and an arithmetic operation for eight numbers, where
 * single loads and stores would take eight of each. */
#include "math/linear.h"
#include "math/vector.h"

enum { LANES = 8 };

typedef double unaligned8 __attribute__((vector_size(64), aligned(8), may_alias));

#define INTERLEAVE_EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define INTERLEAVE_ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define PAIRS_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIRS_ODD(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define HALVES_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HALVES_HIGH(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

static inline __attribute__((always_inline)) void turn(double *to, size_t ld,
                                                       const scant_i_vector8 *v)
{
    scant_i_vector8 pair[LANES], four[LANES];
    for (size_t r = 0; r < LANES; r += 2) {
        pair[r] = INTERLEAVE_EVEN(v[r], v[r + 1]);
        pair[r + 1] = INTERLEAVE_ODD(v[r], v[r + 1]);
    }
    for (size_t h = 0; h < LANES; h += 4) { /* columns 0 and 4, 1 and 5, 2 and 6, 3 and 7 */
        four[h] = PAIRS_EVEN(pair[h], pair[h + 2]);
        four[h + 1] = PAIRS_EVEN(pair[h + 1], pair[h + 3]);
        four[h + 2] = PAIRS_ODD(pair[h], pair[h + 2]);
        four[h + 3] = PAIRS_ODD(pair[h + 1], pair[h + 3]);
    }
    for (size_t c = 0; c < LANES / 2; c++) {
        *(scant_i_vector8 *)(to + c * ld) = HALVES_LOW(four[c], four[c + 4]);
        *(scant_i_vector8 *)(to + (c + 4) * ld) = HALVES_HIGH(four[c], four[c + 4]);
    }
}

SCANT_I_CLONES
void scant_i_transpose_eight(double *to, size_t ld, const double *from, size_t stride, size_t nrows,
                             const double *centre, const double *factor)
{
    const scant_i_vector8 shift = *(const unaligned8 *)centre, scale = *(const unaligned8 *)factor;
    size_t i = 0;
    for (; i + LANES <= nrows; i += LANES) {
        scant_i_vector8 v[LANES];
        for (size_t r = 0; r < LANES; r++)
            v[r] = (*(const unaligned8 *)(from + (i + r) * stride) - shift) * scale;
        turn(to + i, ld, v);
    }
    for (; i < nrows; i++)
        for (size_t c = 0; c < LANES; c++)
            to[c * ld + i] = (from[i * stride + c] - centre[c]) * factor[c];
}
