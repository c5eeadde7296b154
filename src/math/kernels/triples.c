/* Sums of products of three in double precision. */
#include "math/kernels/kernel.h"

#define LANES SCANT_I_WIDTH
typedef double number;
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef scant_i_vector vector;
typedef scant_i_triples_operands operands;

#define FOLD_1(a, b) (SCANT_I_EVEN(a, b) + SCANT_I_ODD(a, b))
#define FOLD_2(a, b) (SCANT_I_EVEN_PAIRS(a, b) + SCANT_I_ODD_PAIRS(a, b))
#define FOLD_4(a, b) (SCANT_I_EVEN_FOURS(a, b) + SCANT_I_ODD_FOURS(a, b))

#include "math/kernels/triples.h"

void SCANT_I_KERNEL(triples)(const scant_i_triples_operands *o)
{
    all_tiles(o);
}
