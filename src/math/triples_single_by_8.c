/* The same as triples_single_by_16.c by vectors of eight. */
#include "math/triples.h"
#include "math/vector.h"

enum { LANES = 8, HEIGHT = 2 };
typedef float number;
typedef scant_i_single8 vector;
typedef scant_i_triples_operands_single operands;

#include "math/triples_walk.h"

/* Four vectors become one with twice their four sums. */
SCANT_I_INLINE vector fold(const vector *v)
{
    vector first = SCANT_I_EVEN(v[0], v[1]) + SCANT_I_ODD(v[0], v[1]);
    vector last = SCANT_I_EVEN(v[2], v[3]) + SCANT_I_ODD(v[2], v[3]);
    vector all = SCANT_I_EVEN_PAIRS(first, last) + SCANT_I_ODD_PAIRS(first, last);
    return SCANT_I_LOW_HALVES(all, all) + SCANT_I_HIGH_HALVES(all, all);
}

SCANT_I_INLINE void add_four(double *to, const vector *v, const size_t width)
{
    vector all = fold(v);
    SCANT_I_UNROLL for (size_t c = 0; c < width; c++) to[c] += (double)all[c];
}

SCANT_I_INLINE void add_tile(double *to, size_t lds, vector (*v)[WIDTH])
{
    SCANT_I_UNROLL for (size_t r = 0; r < HEIGHT; r++) add_four(to + r * lds, v[r], WIDTH);
}

SCANT_I_CLONES
void scant_i_triples_single_by_8(const scant_i_triples_operands_single *o)
{
    all_tiles(o);
}
