/* One vocabulary of vectors, in which a kernel is written once and compiled for every target (math/kernels.h). What a vector is the
 * target of the compilation says:
 *
 *   SCANT_I_WIDTH      doubles in a vector: 8 with AVX-512, 4 with AVX2, 2 with SSE2, NEON and elsewhere
 *   SCANT_I_REGISTERS  vectors that stay in registers at once
 *
 * Of vectors longer than the processor's, compilers keep sums in memory and take comparisons and shuffles apart, number by
 * number: so no kernel uses longer ones. */
#ifndef SCANT_I_SIMD_H
#define SCANT_I_SIMD_H

#include <stddef.h>

#if defined(__AVX512F__)
#define SCANT_I_WIDTH 8
#define SCANT_I_REGISTERS 32
#elif defined(__AVX2__)
#define SCANT_I_WIDTH 4
#define SCANT_I_REGISTERS 16
#elif defined(__aarch64__)
#define SCANT_I_WIDTH 2
#define SCANT_I_REGISTERS 32
#else
#define SCANT_I_WIDTH 2
#define SCANT_I_REGISTERS 16
#endif

#if defined(__has_feature)
#define SCANT_I_HAS(feature) __has_feature(feature)
#else
#define SCANT_I_HAS(feature) 0
#endif

/* Before a function: inlined wherever it is called, so that loops over what is a constant there vanish; before such a
 * loop of at most 16 rounds: written out. Sanitizers check every access of what is written out, for which compilers take
 * minutes a file: for them both are left alone. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    SCANT_I_HAS(address_sanitizer) || SCANT_I_HAS(thread_sanitizer)
#define SCANT_I_INLINE __attribute__((unused)) static
#define SCANT_I_UNROLL
#else
#define SCANT_I_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define SCANT_I_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SCANT_I_UNROLL _Pragma("GCC unroll 16")
#endif
#endif

/* SCANT_I_WIDTH doubles, at an address aligned to as many bytes or at any; they may alias arrays of double. A mask has all bits
 * or none of each number, as comparisons give them. */
enum { SCANT_I_VECTOR_BYTES = 8 * SCANT_I_WIDTH };
typedef double scant_i_vector __attribute__((vector_size(SCANT_I_VECTOR_BYTES), may_alias));
typedef double scant_i_unaligned
    __attribute__((vector_size(SCANT_I_VECTOR_BYTES), aligned(8), may_alias));
typedef long long scant_i_mask __attribute__((vector_size(SCANT_I_VECTOR_BYTES), may_alias));
typedef unsigned long long scant_i_bits
    __attribute__((vector_size(SCANT_I_VECTOR_BYTES), may_alias));
/* As many bytes of numbers in single precision. */
typedef float scant_i_singles __attribute__((vector_size(SCANT_I_VECTOR_BYTES), may_alias));

/* Two vectors become two others: every second number of both (EVEN, ODD), every second pair, four or eight. The largest of
 * these groups that there is are the halves. *_SINGLES are for numbers in single precision. */
#define SCANT_I_SHUFFLE __builtin_shufflevector
#if SCANT_I_WIDTH == 8
#define SCANT_I_EVEN(a, b) SCANT_I_SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define SCANT_I_ODD(a, b) SCANT_I_SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define SCANT_I_EVEN_PAIRS(a, b) SCANT_I_SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SCANT_I_ODD_PAIRS(a, b) SCANT_I_SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define SCANT_I_EVEN_FOURS(a, b) SCANT_I_SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define SCANT_I_ODD_FOURS(a, b) SCANT_I_SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define SCANT_I_EVEN_SINGLES(a, b)                                                                 \
    SCANT_I_SHUFFLE(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define SCANT_I_ODD_SINGLES(a, b)                                                                  \
    SCANT_I_SHUFFLE(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#elif SCANT_I_WIDTH == 4
#define SCANT_I_EVEN(a, b) SCANT_I_SHUFFLE(a, b, 0, 4, 2, 6)
#define SCANT_I_ODD(a, b) SCANT_I_SHUFFLE(a, b, 1, 5, 3, 7)
#define SCANT_I_EVEN_PAIRS(a, b) SCANT_I_SHUFFLE(a, b, 0, 1, 4, 5)
#define SCANT_I_ODD_PAIRS(a, b) SCANT_I_SHUFFLE(a, b, 2, 3, 6, 7)
#define SCANT_I_EVEN_SINGLES(a, b) SCANT_I_SHUFFLE(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define SCANT_I_ODD_SINGLES(a, b) SCANT_I_SHUFFLE(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#else
#define SCANT_I_EVEN(a, b) SCANT_I_SHUFFLE(a, b, 0, 2)
#define SCANT_I_ODD(a, b) SCANT_I_SHUFFLE(a, b, 1, 3)
#define SCANT_I_EVEN_SINGLES(a, b) SCANT_I_SHUFFLE(a, b, 0, 4, 2, 6)
#define SCANT_I_ODD_SINGLES(a, b) SCANT_I_SHUFFLE(a, b, 1, 5, 3, 7)
#endif

SCANT_I_INLINE scant_i_vector scant_i_select(scant_i_mask which, scant_i_vector yes,
                                             scant_i_vector no)
{
    return (scant_i_vector)(((scant_i_mask)yes & which) | ((scant_i_mask)no & ~which));
}

SCANT_I_INLINE scant_i_vector scant_i_larger(scant_i_vector a,
                                             scant_i_vector b) /* b where a is NaN */
{
    return scant_i_select(a > b, a, b);
}

SCANT_I_INLINE scant_i_vector scant_i_plus(scant_i_vector a, scant_i_vector b)
{
    return a + b;
}

/* The first number of the result is all of v's folded by `with`. Halves first, then halves of what comes of them, so that this
 * and scant_i_fold have the same bits. */
typedef scant_i_vector scant_i_combine(scant_i_vector, scant_i_vector);
SCANT_I_INLINE scant_i_vector scant_i_fold_one(scant_i_vector v, scant_i_combine *with)
{
#if SCANT_I_WIDTH >= 8
    v = with(v, SCANT_I_ODD_FOURS(v, v));
#endif
#if SCANT_I_WIDTH >= 4
    v = with(v, SCANT_I_ODD_PAIRS(v, v));
#endif
    return with(v, SCANT_I_ODD(v, v));
}

/* Number r of the result is v[r] folded by `with`; v is used up. */
SCANT_I_INLINE scant_i_vector scant_i_fold(scant_i_vector *v, scant_i_combine *with)
{
#if SCANT_I_WIDTH >= 8
    SCANT_I_UNROLL for (size_t r = 0; r < 4; r++) v[r] =
        with(SCANT_I_EVEN_FOURS(v[r], v[r + 4]), SCANT_I_ODD_FOURS(v[r], v[r + 4]));
#endif
#if SCANT_I_WIDTH >= 4
    SCANT_I_UNROLL for (size_t r = 0; r < 2; r++) v[r] =
        with(SCANT_I_EVEN_PAIRS(v[r], v[r + 2]), SCANT_I_ODD_PAIRS(v[r], v[r + 2]));
#endif
    return with(SCANT_I_EVEN(v[0], v[1]), SCANT_I_ODD(v[0], v[1]));
}

/* exp of each number, inlined, so that they need not leave the registers.
 *
 *   x = k log 2 + r, |r| <= log 2 / 2,   exp(x) = 2^k p(r),   p(r) = 1 + r + r^2 / 2 + c_3 r^3 + .. + c_11 r^11
 *
 * c minimises the largest relative error of p on that interval: 2.4e-17. With the rounding of r and of p exp(x) is within
 * 1.25 ulp (tests/math/test_exponential.c). log 2 is taken in two parts, the first of which has so few bits that k times it
 * is exact. For |x| <= 708, where 2^k p(r) is a normal number; nothing else is looked after. */
SCANT_I_INLINE scant_i_vector scant_i_exp(scant_i_vector x)
{
    const double LOG2_E = 0x1.71547652b82fep+0;
    const double LOG_2_HIGH = 0x1.62e42fefap-1, LOG_2_LOW = 0x1.cf79abc9e3b3ap-40;
    const double ROUND = 0x1.8p+52; /* added and taken off: rounds; its last bits are k */
    scant_i_vector shifted = x * LOG2_E + ROUND, k = shifted - ROUND;
    scant_i_vector r = x - k * LOG_2_HIGH - k * LOG_2_LOW;
    scant_i_vector r2 = r * r; /* even and odd powers apart: half of the wait */
    scant_i_vector even = r2 * 0x1.289777eacb22ap-22 + 0x1.a019b38c23974p-16;
    scant_i_vector odd = r2 * 0x1.8abb8c088fbecp-26 + 0x1.71f4b38fbc9acp-19;
    even = even * r2 + 0x1.6c16c17a0378cp-10;
    odd = odd * r2 + 0x1.a019f7c3fbb21p-13;
    even = even * r2 + 0x1.5555555553b01p-5;
    odd = odd * r2 + 0x1.11111112d3383p-7;
    even = even * r2 + 0.5;
    odd = odd * r2 + 0x1.5555555554eb2p-3;
    scant_i_vector p = 1 + (r + r2 * (even + r * odd));
    return (scant_i_vector)((scant_i_bits)p + ((scant_i_bits)shifted << 52));
}

#endif
