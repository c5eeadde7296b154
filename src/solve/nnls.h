/* Nonnegative least squares with many right-hand sides, from inner products alone:
 *
 *   minimise  1/2 x_i' G x_i - b_i' x_i   over x_i >= 0,   for every row i,
 *
 * which is min |D x - e_i| with G = D'D and b_i = D'e_i. Solvers are descriptors behind one
 * interface; rows are independent, so any number of threads gives the same bytes. */
#ifndef SCANT_I_NNLS_H
#define SCANT_I_NNLS_H

#include "base/base.h"

typedef struct scant_i_nnls {
    size_t rank;
    size_t lanes;        /* row stride of all arrays: rank rounded up to eight, zeros in between */
    const double *gram;  /* rank x lanes, symmetric, positive semidefinite */
    size_t gram_stride;  /* 0: one matrix for all rows; else row i's is gram + i * gram_stride */
    const double *cross; /* nrows x lanes: b_i; b_i[j] = 0 where G[j][j] = 0 */
    double *x;           /* nrows x lanes, nonnegative: where to start, and the solution */
    size_t nrows;
} scant_i_nnls;

typedef struct scant_i_nnls_solver {
    const char *name;
    bool exact;   /* solves the problem; others go a step towards its solution */
    bool descent; /* never raises the objective */
    scant_status (*solve)(const scant_i_nnls *problem);
} scant_i_nnls_solver;

/* Block principal pivoting; the active set method; least squares cut off at zero; multiplicative
 * updates; hierarchical alternating least squares. */
extern const scant_i_nnls_solver scant_i_nnls_bpp, scant_i_nnls_active_set, scant_i_nnls_als,
    scant_i_nnls_mu, scant_i_nnls_hals;

/* NULL where there is no such solver. */
const scant_i_nnls_solver *scant_i_nnls_find(const char *name);
/* Solves all rows, chunks of them in parallel. */
scant_status scant_i_nnls_solve(const scant_i_nnls *problem, const scant_i_nnls_solver *solver,
                                size_t threads);
/* The square of the projected gradient at x, summed over all rows: 0 at a solution. The gradient
 * G x - b counts where x > 0, elsewhere only as far as it is negative. */
scant_status scant_i_nnls_residual(double *squared, const scant_i_nnls *problem, size_t threads);

#endif
