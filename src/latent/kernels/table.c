/* The table of this target. */
#include "latent/kernels/kernel.h"

SCANT_I_THIS_TABLE(latent, SCANT_I_LATENT_KERNELS)
