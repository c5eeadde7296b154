/* Log densities of rows become the components' shares of them, for rows with the same evidence.
 *
 *   x_ij = beta (L_ij + log_a_j) - top_i,   top_i = max_j beta (L_ij + log_a_j)
 *   sum_i = sum_j exp(x_ij),   L_ij becomes w_i exp(x_ij) / sum_i,   A_j += L_ij
 *   product_i = sum_j exp(x_ij) x_ij, for the entropy: log sum_i - product_i / sum_i
 *
 * As many rows at a time as a vector has numbers, so that their maxima and sums come side by side; a row does not depend on those it is taken with.
 * Cost: an exponential for each number. */
#ifndef SCANT_I_SHARES_H
#define SCANT_I_SHARES_H

#include "base/base.h"

typedef struct scant_i_shares {
    size_t n, stride;    /* rows; components, a multiple of 8 */
    double *L;           /* n x stride, aligned to 64 bytes as are log_a and A */
    const double *log_a; /* stride: -inf where a component is out of the question */
    double *A;           /* stride */
    double beta;
    const double *w;             /* n */
    double *top, *sum, *product; /* n */
} scant_i_shares;

/* Shares below exp(-700) of a row's largest are 0. A row whose top is not finite has shares 0, and sum 1. */
void scant_i_share(const scant_i_shares *shares);

#endif
