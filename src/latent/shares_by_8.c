/* Shares by vectors of eight doubles, for processors that have them. */
#include "math/exponential.h"

enum { WIDE = 8 };
typedef scant_i_vector8 vector;
typedef scant_i_unaligned8 unaligned;
typedef scant_i_mask8 mask;
#define exponential scant_i_exp8

#include "latent/shares_walk.h"

SCANT_I_INLINE vector fold(const vector *v, const size_t height, combine *with)
{
    if (height == 1) {
        vector x = with(v[0], SCANT_I_HIGH_HALVES(v[0], v[0]));
        x = with(x, SCANT_I_ODD_PAIRS(x, x));
        return with(x, SCANT_I_ODD(x, x));
    }
    vector half[4], quarter[2];
    for (size_t r = 0; r < 4; r++)
        half[r] = with(SCANT_I_LOW_HALVES(v[r], v[r + 4]), SCANT_I_HIGH_HALVES(v[r], v[r + 4]));
    for (size_t r = 0; r < 2; r++)
        quarter[r] =
            with(SCANT_I_EVEN_PAIRS(half[r], half[r + 2]), SCANT_I_ODD_PAIRS(half[r], half[r + 2]));
    return with(SCANT_I_EVEN(quarter[0], quarter[1]), SCANT_I_ODD(quarter[0], quarter[1]));
}

SCANT_I_AVX512
void scant_i_share_by_8(const scant_i_shares *s)
{
    share(*s);
}
