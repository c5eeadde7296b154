/* Vectors of eight doubles, and functions compiled once per instruction set. */
#ifndef SCANT_I_VECTOR_H
#define SCANT_I_VECTOR_H

/* SCANT_I_CLONES before a function: it is compiled for several instruction sets, and the best one
 * that the machine has is chosen when the program is loaded. Elsewhere, and under sanitizers, which
 * are not up that early: compiled once, for the baseline. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SCANT_I_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
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

/* Eight doubles at an address aligned to 64 bytes; may alias arrays of double. */
typedef double scant_i_vector8 __attribute__((vector_size(64), may_alias));

#endif
