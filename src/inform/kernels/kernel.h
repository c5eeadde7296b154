#ifndef SCANT_I_INFORM_KERNEL_H
#define SCANT_I_INFORM_KERNEL_H

#include "math/kernels/kernel.h"
#include "inform/kernels.h"

SCANT_I_INFORM_KERNELS(SCANT_I_DECLARE)

#endif
