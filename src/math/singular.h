/* The leading singular directions of sparse rows. */
#ifndef SCANT_I_SINGULAR_H
#define SCANT_I_SINGULAR_H

#include "base/base.h"

/* Entries of row i are start[i] .. start[i + 1] - 1: value[e] in column[e]. */
typedef struct scant_i_sparse_matrix {
    size_t nrows, ncolumns;
    const size_t *start;
    const int32_t *column;
    const double *value;
} scant_i_sparse_matrix;

/* Right singular vectors of A, those of the *count <= most largest singular values, as the columns of a newly allocated
 * ncolumns x lanes table (lanes = most rounded up to 8, zeros beyond *count); `sigma` has room for `most` numbers, largest
 * first. Values below 1e-6 of the largest are left out. The largest entry of a vector is positive.
 *
 * Randomized subspace iteration: Y = A G for Gaussian G, then Y <- orth(A A'Y) PASSES times; with Z = A'Y and Z'Z = E S^2 E'
 * the vectors are Z E S^-1. Exact where A has no more rows or rank than most + SPARE; else the relative error falls by
 * (sigma_l / sigma_j)^2 a pass, l = most + SPARE. Same seed, same bytes, for any number of threads.
 * Cost: PASSES (4 entries l + 4 nrows l^2) flop. */
scant_status scant_i_singular(double **vectors, double *sigma, size_t *count,
                              const scant_i_sparse_matrix *a, size_t most, uint64_t seed,
                              size_t threads);

#endif
