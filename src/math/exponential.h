/* exp of eight or of four numbers at once, inlined, so that they need not leave the registers.
 *
 *   x = k log 2 + r, |r| <= log 2 / 2,   exp(x) = 2^k p(r),   p(r) = 1 + r + r^2 / 2 + c_3 r^3 + .. + c_11 r^11
 *
 * c minimises the largest relative error of p on that interval: 2.4e-17. With the rounding of r and of p exp(x) is within
 * 1.25 ulp (tests/math/test_exponential.c). log 2 is taken in two parts, the first of which has so few bits that k times it
 * is exact. For |x| <= 708, where 2^k p(r) is a normal number; nothing else is looked after. */
#ifndef SCANT_I_EXPONENTIAL_H
#define SCANT_I_EXPONENTIAL_H

#include "math/vector.h"

#define SCANT_I_EXPONENTIAL(name, vector, bits)                                                    \
    SCANT_I_INLINE vector name(vector x)                                                           \
    {                                                                                              \
        const double LOG2_E = 0x1.71547652b82fep+0;                                                \
        const double LOG_2_HIGH = 0x1.62e42fefap-1, LOG_2_LOW = 0x1.cf79abc9e3b3ap-40;             \
        const double ROUND = 0x1.8p+52; /* added and taken off: rounds; its last bits are k */     \
        vector shifted = x * LOG2_E + ROUND, k = shifted - ROUND;                                  \
        vector r = x - k * LOG_2_HIGH - k * LOG_2_LOW;                                             \
        vector r2 = r * r; /* even and odd powers apart: half of the wait */                       \
        vector even = r2 * 0x1.289777eacb22ap-22 + 0x1.a019b38c23974p-16;                          \
        vector odd = r2 * 0x1.8abb8c088fbecp-26 + 0x1.71f4b38fbc9acp-19;                           \
        even = even * r2 + 0x1.6c16c17a0378cp-10;                                                  \
        odd = odd * r2 + 0x1.a019f7c3fbb21p-13;                                                    \
        even = even * r2 + 0x1.5555555553b01p-5;                                                   \
        odd = odd * r2 + 0x1.11111112d3383p-7;                                                     \
        even = even * r2 + 0.5;                                                                    \
        odd = odd * r2 + 0x1.5555555554eb2p-3;                                                     \
        vector p = 1 + (r + r2 * (even + r * odd));                                                \
        return (vector)((bits)p + ((bits)shifted << 52));                                          \
    }

SCANT_I_EXPONENTIAL(scant_i_exp8, scant_i_vector8, scant_i_bits8)
SCANT_I_EXPONENTIAL(scant_i_exp4, scant_i_vector4, scant_i_bits4)

#endif
