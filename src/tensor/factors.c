#include "tensor/factors.h"

scant_status scant_i_factors_new(scant_factors **out, size_t order, size_t rank, size_t starts)
{
    scant_status status = SCANT_OK;
    scant_factors *f = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&f, 1));
    f->summary.order = order;
    SCANT_I_TRY(SCANT_I_NEW(&f->size, order));
    SCANT_I_TRY(SCANT_I_NEW(&f->mode, order));
    SCANT_I_TRY(SCANT_I_NEW(&f->weight, rank));
    SCANT_I_TRY(SCANT_I_NEW(&f->stability, rank));
    SCANT_I_TRY(SCANT_I_NEW(&f->starts, starts));
    *out = f;
    f = NULL;
done:
    scant_factors_free(f);
    return status;
}

void scant_factors_free(scant_factors *f)
{
    if (!f)
        return;
    for (size_t m = 0; f->mode && m < f->summary.order; m++)
        scant_i_free(f->mode[m]);
    void *blocks[] = {f->size, (void *)f->mode, f->weight, f->stability, f->trace, f->starts, f};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        scant_i_free(blocks[k]);
}

const scant_factor_summary *scant_factors_summary(const scant_factors *factors)
{
    return &factors->summary;
}

const double *scant_factors_mode(const scant_factors *factors, size_t mode)
{
    return factors->mode[mode];
}

size_t scant_factors_size(const scant_factors *factors, size_t mode)
{
    return factors->size[mode];
}

const double *scant_factors_weights(const scant_factors *factors)
{
    return factors->weight;
}

const scant_factor_step *scant_factors_trace(const scant_factors *factors)
{
    return factors->trace;
}

const scant_factor_start *scant_factors_starts(const scant_factors *factors)
{
    return factors->starts;
}

const double *scant_factors_stability(const scant_factors *factors)
{
    return factors->stability;
}
