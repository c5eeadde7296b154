/* The table of this target. */
#include "med/kernels/kernel.h"

SCANT_I_THIS_TABLE(med, SCANT_I_MED_KERNELS)
