/* Rows as a matrix: the two products of a linear classifier. */
#ifndef SCANT_I_MULTIPLY_H
#define SCANT_I_MULTIPLY_H

#include "data/rows.h"

/* F[a][i] = sum_c x[i][c] U[a][c] + offset[a] for `count` vectors, at one reading of the rows. Missing
 * cells make it NaN. 2 count flop a cell or entry. */
void scant_i_rows_times(double *F, const scant_rows *rows, const double *U, const double *offset,
                        size_t count);
/* G[a][c] = sum_i x[i][c] V[a][i] */
void scant_i_rows_times_transposed(double *G, const scant_rows *rows, const double *V,
                                   size_t count);

#endif
