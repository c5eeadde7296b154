/* Tiles are turned in registers: neighbours of two rows are interleaved, then pairs exchanged. Cost: two shuffles and
 * an arithmetic operation for four numbers, where single loads and stores would take four of each. */
#include "math/kernels/kernel.h"

/* Tiles of two by two, or of four by four: eight by eight take as many shuffles as two of these and wait longer for them. */
#if SCANT_I_WIDTH == 2
enum { TILE = 2 };
#else
enum { TILE = 4 };
#endif
typedef double tile_row __attribute__((vector_size(8 * TILE), may_alias));
typedef double unaligned __attribute__((vector_size(8 * TILE), aligned(8), may_alias));

SCANT_I_INLINE void turn(double *to, size_t ld, const tile_row *v)
{
#if SCANT_I_WIDTH == 2
    *(unaligned *)to = SCANT_I_EVEN(v[0], v[1]);
    *(unaligned *)(to + ld) = SCANT_I_ODD(v[0], v[1]);
#else
    tile_row even[2], odd[2];
    for (size_t h = 0; h < 2; h++) {
        even[h] = __builtin_shufflevector(v[2 * h], v[2 * h + 1], 0, 4, 2, 6);
        odd[h] = __builtin_shufflevector(v[2 * h], v[2 * h + 1], 1, 5, 3, 7);
    }
    *(unaligned *)to = __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5);
    *(unaligned *)(to + ld) = __builtin_shufflevector(odd[0], odd[1], 0, 1, 4, 5);
    *(unaligned *)(to + 2 * ld) = __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7);
    *(unaligned *)(to + 3 * ld) = __builtin_shufflevector(odd[0], odd[1], 2, 3, 6, 7);
#endif
}

void SCANT_I_KERNEL(transpose_eight)(double *to, size_t ld, const double *from, size_t stride,
                                     size_t nrows, const double *centre, const double *factor)
{
    enum { EIGHT = SCANT_I_EIGHT };
    size_t i = 0;
    for (; i + TILE <= nrows; i += TILE)
        SCANT_I_UNROLL for (size_t c = 0; c < EIGHT; c += TILE)
        {
            const tile_row shift = *(const unaligned *)(centre + c),
                           scale = *(const unaligned *)(factor + c);
            tile_row v[TILE];
            for (size_t r = 0; r < TILE; r++)
                v[r] = (*(const unaligned *)(from + (i + r) * stride + c) - shift) * scale;
            turn(to + c * ld + i, ld, v);
        }
    for (; i < nrows; i++)
        for (size_t c = 0; c < EIGHT; c++)
            to[c * ld + i] = (from[i * stride + c] - centre[c]) * factor[c];
}
