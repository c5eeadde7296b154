/* The table of this target. */
#include "math/kernels/kernel.h"

#define TEXT_OF(target) #target
#define TEXT(target) TEXT_OF(target)
#define ENTRY(result, name, arguments) .name = SCANT_I_KERNEL(name),

extern const scant_i_kernels SCANT_I_KERNEL_OF(kernels, SCANT_I_TARGET);
const scant_i_kernels SCANT_I_KERNEL_OF(kernels, SCANT_I_TARGET) = {
    .name = TEXT(SCANT_I_TARGET), .width = SCANT_I_WIDTH, SCANT_I_KERNELS(ENTRY)};
