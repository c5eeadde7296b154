#ifndef SCANT_I_MED_KERNEL_H
#define SCANT_I_MED_KERNEL_H

#include "math/kernels/kernel.h"
#include "med/kernels.h"

SCANT_I_MED_KERNELS(SCANT_I_DECLARE)

#endif
