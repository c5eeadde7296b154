/* Sums of products of three by vectors of four doubles: 8 sums of the 16 registers. */
#include "math/triples.h"
#include "math/vector.h"

enum { LANES = 4, HEIGHT = 2 };
typedef double number;
typedef scant_i_vector4 vector;
typedef scant_i_triples_operands operands;

#include "math/triples_walk.h"

/* The sums of four vectors. */
SCANT_I_INLINE vector fold(const vector *v)
{
    vector first = SCANT_I_EVEN4(v[0], v[1]) + SCANT_I_ODD4(v[0], v[1]);
    vector last = SCANT_I_EVEN4(v[2], v[3]) + SCANT_I_ODD4(v[2], v[3]);
    return SCANT_I_LOW4(first, last) + SCANT_I_HIGH4(first, last);
}

SCANT_I_INLINE void add_tile(double *to, size_t lds, vector (*v)[WIDTH])
{
    SCANT_I_UNROLL for (size_t r = 0; r < HEIGHT; r++) * (scant_i_unaligned4 *)(to + r * lds) +=
        fold(v[r]);
}

SCANT_I_INLINE void add_four(double *to, const vector *v, const size_t width)
{
    vector all = fold(v);
    SCANT_I_UNROLL for (size_t c = 0; c < width; c++) to[c] += all[c];
}

SCANT_I_CLONES
void scant_i_triples_by_4(const scant_i_triples_operands *o)
{
    all_tiles(o);
}
