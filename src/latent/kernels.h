/* The kernels of this layer (math/kernels.h).
 *
 *   survey_cells    one row x of weight w in the sums of d columns; deviations are measured from `from`, NaN is a missing cell
 *   survey_squares  sum += w ((x - from) inverse)^2 for the cells that are there
 *   count_rows      totals over n rows of what the shares of a block left (math/shares.h); top becomes the log-likelihood of a
 *                   row, -inf where it has no mass
 *   chain_weigh, chain_forward, chain_backward
 *                   the steps of a sequence (chain.h); forward returns the first that no path comes to, or n */
#ifndef SCANT_I_LATENT_KERNELS_H
#define SCANT_I_LATENT_KERNELS_H

#include "latent/chain_steps.h"
#include "math/kernels.h"

/* One number a column. */
typedef struct scant_i_cell_sums {
    double *rows, *weight; /* of rows whose cell is there */
    double *sum;           /* of deviations times weights */
    double *least, *most;
} scant_i_cell_sums;

typedef struct scant_i_row_totals {
    double objective, weight, entropy;
    double lost; /* weight of the rows without mass */
} scant_i_row_totals;

/* clang-format off */
#define SCANT_I_LATENT_KERNELS(kernel) \
    kernel(void, survey_cells, (const scant_i_cell_sums *sums, const double *x, double w, const double *from, size_t d)) \
    kernel(void, survey_squares, (double *sum, const double *x, double w, const double *from, const double *inverse, size_t d)) \
    kernel(void, count_rows, (scant_i_row_totals *total, double *top, const double *w, const double *sum, const double *log_sum, const double *product, size_t n, double beta)) \
    kernel(void, chain_weigh, (const scant_i_chain_steps *s)) \
    kernel(size_t, chain_forward, (const scant_i_chain_steps *s)) \
    kernel(void, chain_backward, (scant_i_chain_found *out, const scant_i_chain_steps *s, double w))
/* clang-format on */
SCANT_I_LAYER_KERNELS(latent, SCANT_I_LATENT_KERNELS)

#endif
