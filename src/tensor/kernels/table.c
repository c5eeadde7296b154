/* The table of this target. */
#include "tensor/kernels/kernel.h"

SCANT_I_THIS_TABLE(tensor, SCANT_I_TENSOR_KERNELS)
