/* Sums of products of three by vectors of eight doubles: 16 sums of the 32 registers. */
#include "math/triples.h"
#include "math/vector.h"

enum { LANES = 8, HEIGHT = 4 };
typedef double number;
typedef scant_i_vector8 vector;
typedef scant_i_triples_operands operands;

#include "math/triples_walk.h"

/* Four vectors become one with twice their four sums, of every fourth number each. */
SCANT_I_INLINE vector fold(const vector *v)
{
    vector first = SCANT_I_EVEN(v[0], v[1]) + SCANT_I_ODD(v[0], v[1]);
    vector last = SCANT_I_EVEN(v[2], v[3]) + SCANT_I_ODD(v[2], v[3]);
    return SCANT_I_EVEN_PAIRS(first, last) + SCANT_I_ODD_PAIRS(first, last);
}

SCANT_I_INLINE void add_tile(double *to, size_t lds, vector (*v)[WIDTH])
{
    SCANT_I_UNROLL for (size_t r = 0; r < HEIGHT; r += 2)
    {
        vector a = fold(v[r]), b = fold(v[r + 1]);
        vector all = SCANT_I_LOW_HALVES(a, b) + SCANT_I_HIGH_HALVES(a, b);
        *(scant_i_unaligned4 *)(to + r * lds) += __builtin_shufflevector(all, all, 0, 1, 2, 3);
        *(scant_i_unaligned4 *)(to + (r + 1) * lds) +=
            __builtin_shufflevector(all, all, 4, 5, 6, 7);
    }
}

SCANT_I_INLINE void add_four(double *to, const vector *v, const size_t width)
{
    vector all = fold(v);
    all = SCANT_I_LOW_HALVES(all, all) + SCANT_I_HIGH_HALVES(all, all);
    SCANT_I_UNROLL for (size_t c = 0; c < width; c++) to[c] += all[c];
}

SCANT_I_AVX512
void scant_i_triples_by_8(const scant_i_triples_operands *o)
{
    all_tiles(o);
}
