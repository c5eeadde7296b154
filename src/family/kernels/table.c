/* The table of this target. */
#include "family/kernels/kernel.h"

SCANT_I_THIS_TABLE(family, SCANT_I_FAMILY_KERNELS)
