#ifndef SCANT_I_TENSOR_KERNEL_H
#define SCANT_I_TENSOR_KERNEL_H

#include "math/kernels/kernel.h"
#include "tensor/kernels.h"

SCANT_I_TENSOR_KERNELS(SCANT_I_DECLARE)

#endif
