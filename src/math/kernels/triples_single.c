/* Sums of products of three in single precision; they are added to sums in double precision. */
#include "math/kernels/kernel.h"

#if SCANT_I_WIDTH == 8
#define LANES 16
#elif SCANT_I_WIDTH == 4
#define LANES 8
#else
#define LANES 4
#endif
typedef float number;
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
typedef scant_i_singles vector;
typedef scant_i_triples_operands_single operands;

/* Two numbers side by side are shuffled as a double is. */
#define ADD_BOTH(first, second, a, b)                                                              \
    ((vector)first((scant_i_vector)(a), (scant_i_vector)(b)) +                                     \
     (vector)second((scant_i_vector)(a), (scant_i_vector)(b)))
#define FOLD_1(a, b) (SCANT_I_EVEN_SINGLES(a, b) + SCANT_I_ODD_SINGLES(a, b))
#define FOLD_2(a, b) ADD_BOTH(SCANT_I_EVEN, SCANT_I_ODD, a, b)
#define FOLD_4(a, b) ADD_BOTH(SCANT_I_EVEN_PAIRS, SCANT_I_ODD_PAIRS, a, b)
#define FOLD_8(a, b) ADD_BOTH(SCANT_I_EVEN_FOURS, SCANT_I_ODD_FOURS, a, b)

#include "math/kernels/triples.h"

void SCANT_I_KERNEL(triples_single)(const scant_i_triples_operands_single *o)
{
    all_tiles(o);
}
