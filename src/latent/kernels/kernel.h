#ifndef SCANT_I_LATENT_KERNEL_H
#define SCANT_I_LATENT_KERNEL_H

#include "math/kernels/kernel.h"
#include "latent/kernels.h"

SCANT_I_LATENT_KERNELS(SCANT_I_DECLARE)

#endif
