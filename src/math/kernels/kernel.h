/* What the files of this folder include: each is compiled once for every target, which SCANT_I_TARGET names, and its kernels are
 * named by it. */
#ifndef SCANT_I_KERNEL_H
#define SCANT_I_KERNEL_H

#include "math/kernels.h"
#include "math/simd.h"

#define SCANT_I_PASTE(target, name) scant_i_##target##_##name
#define SCANT_I_KERNEL_OF(target, name) SCANT_I_PASTE(target, name)
#define SCANT_I_KERNEL(name) SCANT_I_KERNEL_OF(SCANT_I_TARGET, name)

#define SCANT_I_DECLARE(result, name, arguments) result SCANT_I_KERNEL(name) arguments;
SCANT_I_KERNELS(SCANT_I_DECLARE)
#undef SCANT_I_DECLARE

enum { SCANT_I_EIGHT = 8 }; /* what lanes and lengths are multiples of: a cache line of doubles */

#endif
