/* Eigenvalues and eigenvectors of symmetric matrices that fit the cache, on the calling thread alone. */
#ifndef SCANT_I_SYMMETRIC_H
#define SCANT_I_SYMMETRIC_H

#include "base/base.h"

/* Eigenvalues of a (n x n, symmetric) ascending into w, orthonormal eigenvectors into the rows of a.
 * SCANT_ERR_INTERNAL where they are not found (entries that are not finite). */
scant_status scant_i_symmetric_eigen(double *a, size_t n, double *w);
/* The least alone, n > 0; a is undefined afterwards. */
scant_status scant_i_symmetric_least(double *a, size_t n, double *least);
/* SCANT_ERR_INTERNAL, and says so. */
scant_status scant_i_eigen_not_found(size_t n);

#endif
