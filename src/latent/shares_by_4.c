/* Shares by vectors of four doubles. */
#include "math/exponential.h"

enum { WIDE = 4 };
typedef scant_i_vector4 vector;
typedef scant_i_unaligned4 unaligned;
typedef scant_i_mask4 mask;
#define exponential scant_i_exp4

#include "latent/shares_walk.h"

SCANT_I_INLINE vector fold(const vector *v, const size_t height, combine *with)
{
    if (height == 1) {
        vector x = with(v[0], SCANT_I_HIGH4(v[0], v[0]));
        return with(x, SCANT_I_ODD4(x, x));
    }
    vector half[2];
    for (size_t r = 0; r < 2; r++)
        half[r] = with(SCANT_I_LOW4(v[r], v[r + 2]), SCANT_I_HIGH4(v[r], v[r + 2]));
    return with(SCANT_I_EVEN4(half[0], half[1]), SCANT_I_ODD4(half[0], half[1]));
}

SCANT_I_CLONES
void scant_i_share_by_4(const scant_i_shares *s)
{
    share(*s);
}
