#include "latent/shares.h"

#include "math/vector.h"

void scant_i_share(const scant_i_shares *shares)
{
    if (SCANT_I_HAS_AVX512)
        scant_i_share_by_8(shares);
    else
        scant_i_share_by_4(shares);
}
