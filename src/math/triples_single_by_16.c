/* Sums of products of three in single precision, by vectors of sixteen; they are added to sums in double precision. */
#include "math/triples.h"
#include "math/vector.h"

enum { LANES = 16, HEIGHT = 4 };
typedef float number;
typedef scant_i_single16 vector;
typedef scant_i_triples_operands_single operands;

#include "math/triples_walk.h"

/* Every second number of two vectors, every second pair, every second four, or the halves. */
#define EVEN(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define ODD(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define EVEN_PAIRS(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define ODD_PAIRS(a, b)                                                                            \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define EVEN_FOURS(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define ODD_FOURS(a, b)                                                                            \
    __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define LOW_HALVES(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define HIGH_HALVES(a, b)                                                                          \
    __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)

/* Four vectors become one with four times their four sums, of every fourth number each. */
SCANT_I_INLINE vector fold(const vector *v)
{
    vector first = EVEN(v[0], v[1]) + ODD(v[0], v[1]), last = EVEN(v[2], v[3]) + ODD(v[2], v[3]);
    return EVEN_PAIRS(first, last) + ODD_PAIRS(first, last);
}

SCANT_I_INLINE void add_tile(double *to, size_t lds, vector (*v)[WIDTH])
{
    vector a = fold(v[0]), b = fold(v[1]), c = fold(v[2]), d = fold(v[3]);
    vector first = EVEN_FOURS(a, b) + ODD_FOURS(a, b), last = EVEN_FOURS(c, d) + ODD_FOURS(c, d);
    vector all = LOW_HALVES(first, last) + HIGH_HALVES(first, last);
    scant_i_vector8 low = __builtin_convertvector(
        __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7), scant_i_vector8);
    scant_i_vector8 high = __builtin_convertvector(
        __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15), scant_i_vector8);
    *(scant_i_unaligned4 *)to += __builtin_shufflevector(low, low, 0, 1, 2, 3);
    *(scant_i_unaligned4 *)(to + lds) += __builtin_shufflevector(low, low, 4, 5, 6, 7);
    *(scant_i_unaligned4 *)(to + 2 * lds) += __builtin_shufflevector(high, high, 0, 1, 2, 3);
    *(scant_i_unaligned4 *)(to + 3 * lds) += __builtin_shufflevector(high, high, 4, 5, 6, 7);
}

SCANT_I_INLINE void add_four(double *to, const vector *v, const size_t width)
{
    vector all = fold(v);
    all = EVEN_FOURS(all, all) + ODD_FOURS(all, all);
    all = LOW_HALVES(all, all) + HIGH_HALVES(all, all);
    SCANT_I_UNROLL for (size_t c = 0; c < width; c++) to[c] += (double)all[c];
}

SCANT_I_AVX512
void scant_i_triples_single_by_16(const scant_i_triples_operands_single *o)
{
    all_tiles(o);
}
