/* Products by vectors of four doubles: 12 sums of the 16 registers at most. */
#include "math/vector.h"

enum { VECTOR = 4, HEIGHT_8 = 6, HEIGHT_16 = 3, HEIGHT_24 = 2, HEIGHT_32 = 0 };
typedef scant_i_vector4 vector;

#include "math/product_walk.h"

SCANT_I_AVX2
void scant_i_product_by_4(const scant_i_operands *o, size_t nr)
{
    each_way(o, nr);
}
