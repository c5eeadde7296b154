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

/* In a file of src/<layer>/kernels: this target's table of the layer, whose list is declared by SCANT_I_DECLARE. */
#define SCANT_I_ENTRY(result, name, arguments) .name = SCANT_I_KERNEL(name),
#define SCANT_I_TABLE_OF(target, layer) SCANT_I_LAYER_TABLE(target, layer)
#define SCANT_I_THIS_TABLE(layer, list)                                                            \
    const scant_i_##layer##_kernels SCANT_I_TABLE_OF(SCANT_I_TARGET, layer) = {list(SCANT_I_ENTRY)};

enum { SCANT_I_EIGHT = 8 }; /* what lanes and lengths are multiples of: a cache line of doubles */

#endif
