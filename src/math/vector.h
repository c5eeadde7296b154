/* Vectors of eight and of four doubles, or of more numbers in single precision, and functions compiled once per instruction set. */
#ifndef SCANT_I_VECTOR_H
#define SCANT_I_VECTOR_H

/* Vectors of 64 bytes are for processors that have them: for others compilers keep them in memory, and what is to be quick
 * goes by vectors of 32. SCANT_NO_AVX512 (cmake -DSCANT_AVX512=OFF) leaves them out, to see how others fare. */
#if defined(__x86_64__) && !defined(SCANT_NO_AVX512)
#define SCANT_I_HAS_AVX512 __builtin_cpu_supports("avx512f")
#define SCANT_I_TARGETS "arch=x86-64-v4", "arch=x86-64-v3", "default"
#else
#define SCANT_I_HAS_AVX512 0
#define SCANT_I_TARGETS "arch=x86-64-v3", "default"
#endif
#if defined(__x86_64__)
#define SCANT_I_HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define SCANT_I_AVX512 __attribute__((target("avx512f")))
#define SCANT_I_AVX2 __attribute__((target("avx2,fma")))
#else
#define SCANT_I_HAS_AVX2 0
#define SCANT_I_AVX512
#define SCANT_I_AVX2
#endif

/* SCANT_I_CLONES before a function: it is compiled for several instruction sets, and the best one
 * that the machine has is chosen when the program is loaded. Elsewhere, and under sanitizers, which
 * are not up that early: compiled once, for the baseline. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SCANT_I_CLONES __attribute__((target_clones(SCANT_I_TARGETS)))
#else
#define SCANT_I_CLONES
#endif

/* Before a function: inlined wherever it is called, so that loops over what is a constant there vanish; before such a
 * loop of at most 16 rounds: written out. */
#define SCANT_I_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define SCANT_I_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SCANT_I_UNROLL _Pragma("GCC unroll 16")
#endif

/* Eight doubles, at an address aligned to 64 bytes or at any; they may alias arrays of double. A mask has all bits or none
 * of each number, as comparisons give them. */
typedef double scant_i_vector8 __attribute__((vector_size(64), may_alias));
typedef double scant_i_unaligned8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long scant_i_mask8 __attribute__((vector_size(64), may_alias));
typedef unsigned long long scant_i_bits8 __attribute__((vector_size(64), may_alias));
/* As many bytes of numbers in single precision, and half of that. */
typedef float scant_i_single16 __attribute__((vector_size(64), may_alias));
typedef float scant_i_single8 __attribute__((vector_size(32), may_alias));
/* Four doubles: half of that. */
typedef double scant_i_vector4 __attribute__((vector_size(32), may_alias));
typedef double scant_i_unaligned4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long scant_i_mask4 __attribute__((vector_size(32), may_alias));
typedef unsigned long long scant_i_bits4 __attribute__((vector_size(32), may_alias));

/* Two vectors become two others: every second number of both (even, odd), every second pair, or the halves. */
#define SCANT_I_EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define SCANT_I_ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define SCANT_I_EVEN_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SCANT_I_ODD_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define SCANT_I_LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define SCANT_I_HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
/* The same of four doubles. */
#define SCANT_I_EVEN4(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define SCANT_I_ODD4(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define SCANT_I_LOW4(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define SCANT_I_HIGH4(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)

#endif
