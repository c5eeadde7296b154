/* The table of this target. */
#include "inform/kernels/kernel.h"

SCANT_I_THIS_TABLE(inform, SCANT_I_INFORM_KERNELS)
