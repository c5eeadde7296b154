#include "latent/shares.h"

void scant_i_share(const scant_i_shares *shares)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        scant_i_share_by_8(shares);
        return;
    }
#endif
    scant_i_share_by_4(shares);
}
