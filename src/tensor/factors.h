/* The result of a factorization. */
#ifndef SCANT_I_FACTORS_H
#define SCANT_I_FACTORS_H

#include <scant/factor.h>
#include "base/base.h"

struct scant_factors {
    scant_factor_summary summary;
    size_t *size;
    double **mode; /* order: size x rank */
    double *weight, *stability;
    scant_factor_step *trace;
    scant_factor_start *starts;
};

/* With room for everything but the modes' factors and the trace. */
scant_status scant_i_factors_new(scant_factors **out, size_t order, size_t rank, size_t starts);

#endif
