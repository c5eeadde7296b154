#ifndef SCANT_I_FAMILY_KERNEL_H
#define SCANT_I_FAMILY_KERNEL_H

#include "math/kernels/kernel.h"
#include "family/kernels.h"

SCANT_I_FAMILY_KERNELS(SCANT_I_DECLARE)

#endif
