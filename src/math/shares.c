#include "math/shares.h"

#include "math/kernels.h"

void scant_i_share(const scant_i_shares *shares)
{
    scant_i_kernels_now()->share(shares);
}
