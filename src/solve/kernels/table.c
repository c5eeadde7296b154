/* The table of this target. */
#include "solve/kernels/kernel.h"

SCANT_I_THIS_TABLE(solve, SCANT_I_SOLVE_KERNELS)
