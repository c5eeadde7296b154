/* Tiles of eight by eight are turned in registers: pairs of rows are interleaved, then pairs of
 * pairs, then halves. Cost: three shuffles and an arithmetic operation for eight numbers, where
 * single loads and stores would take eight of each. */
#include "math/linear.h"
#include "math/vector.h"

enum { LANES = 8 };

SCANT_I_INLINE void turn(double *to, size_t ld, const scant_i_vector8 *v)
{
    scant_i_vector8 pair[LANES], four[LANES];
    for (size_t r = 0; r < LANES; r += 2) {
        pair[r] = SCANT_I_EVEN(v[r], v[r + 1]);
        pair[r + 1] = SCANT_I_ODD(v[r], v[r + 1]);
    }
    for (size_t h = 0; h < LANES; h += 4) { /* columns 0 and 4, 1 and 5, 2 and 6, 3 and 7 */
        four[h] = SCANT_I_EVEN_PAIRS(pair[h], pair[h + 2]);
        four[h + 1] = SCANT_I_EVEN_PAIRS(pair[h + 1], pair[h + 3]);
        four[h + 2] = SCANT_I_ODD_PAIRS(pair[h], pair[h + 2]);
        four[h + 3] = SCANT_I_ODD_PAIRS(pair[h + 1], pair[h + 3]);
    }
    for (size_t c = 0; c < LANES / 2; c++) {
        *(scant_i_vector8 *)(to + c * ld) = SCANT_I_LOW_HALVES(four[c], four[c + 4]);
        *(scant_i_vector8 *)(to + (c + 4) * ld) = SCANT_I_HIGH_HALVES(four[c], four[c + 4]);
    }
}

SCANT_I_CLONES
void scant_i_transpose_eight(double *to, size_t ld, const double *from, size_t stride, size_t nrows,
                             const double *centre, const double *factor)
{
    const scant_i_vector8 shift = *(const scant_i_unaligned8 *)centre,
                          scale = *(const scant_i_unaligned8 *)factor;
    size_t i = 0;
    for (; i + LANES <= nrows; i += LANES) {
        scant_i_vector8 v[LANES];
        for (size_t r = 0; r < LANES; r++)
            v[r] = (*(const scant_i_unaligned8 *)(from + (i + r) * stride) - shift) * scale;
        turn(to + i, ld, v);
    }
    for (; i < nrows; i++)
        for (size_t c = 0; c < LANES; c++)
            to[c * ld + i] = (from[i * stride + c] - centre[c]) * factor[c];
}
