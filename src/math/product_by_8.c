/* Products by vectors of eight doubles: 24 sums of the 32 registers. */
#include "math/vector.h"

enum { VECTOR = 8, HEIGHT_8 = 12, HEIGHT_16 = 12, HEIGHT_24 = 8, HEIGHT_32 = 6 };
typedef scant_i_vector8 vector;

#include "math/product_walk.h"

SCANT_I_AVX512
void scant_i_product_by_8(const scant_i_operands *o, size_t nr)
{
    each_way(o, nr);
}
