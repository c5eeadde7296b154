/* Sums of products of three in single precision; they are added to sums in double precision. */
#include "math/vector.h"

enum { LANES = 16 };
typedef float number;
typedef scant_i_single16 vector;

#include "math/triples_walk.h"

/* Every second number of two vectors, or every second pair. */
#define EVEN(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define ODD(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define EVEN_PAIRS(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define ODD_PAIRS(a, b)                                                                            \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)

SCANT_I_INLINE scant_i_vector4 sum_four(const vector *v)
{
    vector first = EVEN(v[0], v[1]) + ODD(v[0], v[1]), last = EVEN(v[2], v[3]) + ODD(v[2], v[3]);
    vector all = EVEN_PAIRS(first, last) + ODD_PAIRS(first, last);
    scant_i_single8 half = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7) +
                           __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_convertvector(__builtin_shufflevector(half, half, 0, 1, 2, 3),
                                   scant_i_vector4) +
           __builtin_convertvector(__builtin_shufflevector(half, half, 4, 5, 6, 7),
                                   scant_i_vector4);
}

void scant_i_triples_single(double *S, size_t lds, const float *x, const uint32_t *of, size_t np,
                            const float *y, size_t ny, size_t ld, size_t n, float *room)
{
    run(&(operands){S, lds, x, of, np, y, ny, ld, n, room});
}
