/* Tiles of four by four are turned in registers: pairs of rows are interleaved, then halves exchanged. Cost: two shuffles and
 * an arithmetic operation for four numbers, where single loads and stores would take four of each. */
#include "math/linear.h"
#include "math/vector.h"

enum { EIGHT = 8, WIDE = 4 };

SCANT_I_INLINE void turn(double *to, size_t ld, const scant_i_vector4 *v)
{
    scant_i_vector4 even[2], odd[2];
    for (size_t h = 0; h < 2; h++) {
        even[h] = SCANT_I_EVEN4(v[2 * h], v[2 * h + 1]);
        odd[h] = SCANT_I_ODD4(v[2 * h], v[2 * h + 1]);
    }
    *(scant_i_unaligned4 *)to = SCANT_I_LOW4(even[0], even[1]);
    *(scant_i_unaligned4 *)(to + ld) = SCANT_I_LOW4(odd[0], odd[1]);
    *(scant_i_unaligned4 *)(to + 2 * ld) = SCANT_I_HIGH4(even[0], even[1]);
    *(scant_i_unaligned4 *)(to + 3 * ld) = SCANT_I_HIGH4(odd[0], odd[1]);
}

SCANT_I_CLONES
void scant_i_transpose_eight(double *to, size_t ld, const double *from, size_t stride, size_t nrows,
                             const double *centre, const double *factor)
{
    size_t i = 0;
    for (; i + WIDE <= nrows; i += WIDE)
        SCANT_I_UNROLL for (size_t c = 0; c < EIGHT; c += WIDE)
        {
            const scant_i_vector4 shift = *(const scant_i_unaligned4 *)(centre + c),
                                  scale = *(const scant_i_unaligned4 *)(factor + c);
            scant_i_vector4 v[WIDE];
            for (size_t r = 0; r < WIDE; r++)
                v[r] = (*(const scant_i_unaligned4 *)(from + (i + r) * stride + c) - shift) * scale;
            turn(to + c * ld + i, ld, v);
        }
    for (; i < nrows; i++)
        for (size_t c = 0; c < EIGHT; c++)
            to[c * ld + i] = (from[i * stride + c] - centre[c]) * factor[c];
}
