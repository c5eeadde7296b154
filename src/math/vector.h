/* Vectors of eight and of four doubles, or of more numbers in single precision, and functions compiled once per instruction set:
 * for loops that are no kernels yet (math/kernels.h). */
#ifndef SCANT_I_VECTOR_H
#define SCANT_I_VECTOR_H

#include "math/simd.h"

/* SCANT_KERNELS_MOST (cmake -DSCANT_KERNELS=...) leaves better instruction sets out here, too. */
#if defined(SCANT_NO_AVX2)
#define SCANT_I_TARGETS "default"
#elif defined(SCANT_NO_AVX512)
#define SCANT_I_TARGETS "arch=x86-64-v3", "default"
#else
#define SCANT_I_TARGETS "arch=x86-64-v4", "arch=x86-64-v3", "default"
#endif

/* SCANT_I_CLONES before a function: it is compiled for several instruction sets, and the best one
 * that the machine has is chosen when the program is loaded. Elsewhere, and under sanitizers, which
 * are not up that early: compiled once, for the baseline. So with clang, too, whose version 14 takes the attribute, but
 * asks for the processor's maker instead of what the processor can do. What should be as quick there is a kernel. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SCANT_I_CLONES __attribute__((target_clones(SCANT_I_TARGETS)))
#else
#define SCANT_I_CLONES
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

#endif
