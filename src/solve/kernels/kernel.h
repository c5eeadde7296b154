#ifndef SCANT_I_SOLVE_KERNEL_H
#define SCANT_I_SOLVE_KERNEL_H

#include "math/kernels/kernel.h"
#include "solve/kernels.h"

SCANT_I_SOLVE_KERNELS(SCANT_I_DECLARE)

#endif
