/* Rows as a matrix: the two products of a linear classifier. */
#ifndef SCANT_I_MULTIPLY_H
#define SCANT_I_MULTIPLY_H

#include "data/rows.h"

/* f[i] = sum_c x[i][c] u[c] + offset. Missing cells make it NaN. 2 flop a cell or entry. */
void scant_i_rows_times(double *f, const scant_rows *rows, const double *u, double offset);
/* g[c] = sum_i x[i][c] v[i] */
void scant_i_rows_times_transposed(double *g, const scant_rows *rows, const double *v);

#endif
