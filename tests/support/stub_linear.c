/* Stands in for src/math/linear.c until that is merged; then drop this file. */
#include "math/linear.h"

void scant_i_product(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                     size_t nfeatures, size_t lanes)
{
    for (size_t i = 0; i < nrows * lanes; i++)
        L[i] = 0;
    for (size_t f = 0; f < nfeatures; f++)
        for (size_t i = 0; i < nrows; i++)
            for (size_t j = 0; j < lanes; j++)
                L[i * lanes + j] += phi[f * ldphi + i] * C[f * lanes + j];
}

void scant_i_product_add(double *S, const double *phi, size_t ldphi, const double *R, size_t nrows,
                         size_t nfeatures, size_t lanes)
{
    for (size_t f = 0; f < nfeatures; f++)
        for (size_t i = 0; i < nrows; i++)
            for (size_t j = 0; j < lanes; j++)
                S[f * lanes + j] += phi[f * ldphi + i] * R[i * lanes + j];
}
