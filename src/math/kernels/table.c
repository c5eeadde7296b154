/* The table of this target. */
#include "math/kernels/kernel.h"

#define TEXT_OF(target) #target
#define TEXT(target) TEXT_OF(target)
#define PLACE_OF(target) SCANT_I_PLACE_##target
#define PLACE(target) PLACE_OF(target)

extern const scant_i_kernels SCANT_I_KERNEL_OF(kernels, SCANT_I_TARGET);
const scant_i_kernels SCANT_I_KERNEL_OF(kernels, SCANT_I_TARGET) = {.name = TEXT(SCANT_I_TARGET),
                                                                    .place = PLACE(SCANT_I_TARGET),
                                                                    .width = SCANT_I_WIDTH,
                                                                    SCANT_I_KERNELS(SCANT_I_ENTRY)};
