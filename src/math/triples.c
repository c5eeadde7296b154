/* Sums of products of three in double precision. */
#include "math/vector.h"

enum { LANES = 8 };
typedef double number;
typedef scant_i_vector8 vector;

#include "math/triples_walk.h"

SCANT_I_INLINE scant_i_vector4 sum_four(const vector *v)
{
    vector first = SCANT_I_EVEN(v[0], v[1]) + SCANT_I_ODD(v[0], v[1]);
    vector last = SCANT_I_EVEN(v[2], v[3]) + SCANT_I_ODD(v[2], v[3]);
    vector all = SCANT_I_EVEN_PAIRS(first, last) + SCANT_I_ODD_PAIRS(first, last);
    return __builtin_shufflevector(all, all, 0, 1, 2, 3) +
           __builtin_shufflevector(all, all, 4, 5, 6, 7);
}

void scant_i_triples(double *S, size_t lds, const double *x, const uint32_t *of, size_t np,
                     const double *y, size_t ny, size_t ld, size_t n, double *room)
{
    run(&(operands){S, lds, x, of, np, y, ny, ld, n, room});
}
