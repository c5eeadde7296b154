/* Vectors of eight and of four doubles, or of more numbers in single precision, whatever the target: for kernels
 * (math/kernels.h) whose arrays are laid out in eights. */
#ifndef SCANT_I_VECTOR_H
#define SCANT_I_VECTOR_H

#include "math/simd.h"

/* Eight doubles, at an address aligned to 64 bytes or at any; they may alias arrays of double. A mask has all bits or none
 * of each number, as comparisons give them. */
typedef double scant_i_vector8 __attribute__((vector_size(64), may_alias));
typedef long long scant_i_mask8 __attribute__((vector_size(64), may_alias));
/* As many bytes of numbers in single precision, and half of that. */
typedef float scant_i_single16 __attribute__((vector_size(64), may_alias));
typedef float scant_i_single8 __attribute__((vector_size(32), may_alias));
/* Four doubles: half of that. */
typedef double scant_i_vector4 __attribute__((vector_size(32), may_alias));

#endif
