#include "latent/coupling.h"

#include <string.h>

static scant_status copy(double **out, const double *from, size_t n)
{
    if (!from)
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(out, n);
    if (status == SCANT_OK)
        memcpy(*out, from, n * sizeof *from);
    return status;
}

scant_status scant_i_coupling_new(scant_i_coupling *out, size_t nclasses, size_t stride)
{
    *out = (scant_i_coupling){0};
    return SCANT_I_NEW(&out->W, nclasses * stride);
}

scant_status scant_i_coupling_copy(scant_i_coupling *out, const scant_i_coupling *coupling,
                                   size_t nclasses, size_t stride)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_coupling){.R_free = coupling->R_free,
                              .noise_free = coupling->noise_free,
                              .component_major = coupling->component_major};

    SCANT_I_TRY(copy(&out->W, coupling->W, nclasses * stride));
    SCANT_I_TRY(copy(&out->R, coupling->R, nclasses * stride));
    SCANT_I_TRY(copy(&out->noise, coupling->noise, nclasses * nclasses));
    SCANT_I_TRY(copy(&out->prior, coupling->prior, nclasses));
    SCANT_I_TRY(copy(&out->fallback, coupling->fallback, nclasses));
done:
    if (status != SCANT_OK)
        scant_i_coupling_clear(out);
    return status;
}

void scant_i_coupling_clear(scant_i_coupling *coupling)
{
    scant_i_free(coupling->W);
    scant_i_free(coupling->prior);
    scant_i_free(coupling->fallback);
    scant_i_free(coupling->R);
    scant_i_free(coupling->noise);
    *coupling = (scant_i_coupling){0};
}

void scant_i_coupling_assign(scant_i_coupling *to, const scant_i_coupling *from, size_t nclasses,
                             size_t stride)
{
    memcpy(to->W, from->W, nclasses * stride * sizeof *to->W);
    if (to->R && from->R)
        memcpy(to->R, from->R, nclasses * stride * sizeof *to->R);
    if (to->noise && from->noise)
        memcpy(to->noise, from->noise, nclasses * nclasses * sizeof *to->noise);
}
