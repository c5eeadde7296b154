/* Quadratic forms of d variables x, one in each of `stride` lanes, and what becomes of them when variables are integrated out:
 *
 *     q(x) = c + h' x - x' A x / 2,   A positive definite
 *
 * A table has a row for each feature, of `stride` numbers (a multiple of eight): c, h_a, and what the products x_a x_b have in
 * q, for a <= b: -A_aa / 2 and -A_ab. The same rows hold sums of features.
 *
 * Sweeping the columns m leaves, of the others o, the log of the integral of exp q over x_m, but for the pivots p (the
 * variances of each x_m given those not yet swept): q of x_o, plus log(2 pi p) / 2 a column. In the rows of m are then the regressions
 *     E[x_m | x_o] = h_m + Q_mo x_o,   Q the rows of the products x_m x_o,
 *     Cov[x_m | x_o]: the rows of the products of two of m, the squares' rows twice.
 *
 * Cost: stride d^2 flop a column. A lane without a form (A_aa = 0) stays finite. */
#ifndef SCANT_I_SWEEP_H
#define SCANT_I_SWEEP_H

#include <stddef.h>

/* The feature x_a x_b, a <= b: rows 0 .. a - 1 of the upper triangle come before. */
static inline size_t scant_i_sweep_square(size_t d, size_t a, size_t b)
{
    return 1 + d + a * d - a * (a + 1) / 2 + b;
}

/* What completes rows of which columns are missing. */
typedef struct scant_i_completion {
    const double *table; /* swept by the missing columns */
    size_t stride, d;
    const size_t *order; /* d: the observed columns, ascending, then the others */
    size_t observed;
    double *S;    /* sums of the features of completed rows, to which is added */
    double *room; /* 2 d vectors, aligned to 64 bytes */
} scant_i_completion;

#endif
