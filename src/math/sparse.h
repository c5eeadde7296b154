/* Products of one sparse row with a table of lanes: the two sparse kernels of an EM pass. */
#ifndef SCANT_I_SPARSE_H
#define SCANT_I_SPARSE_H

#include "base/base.h"

/* C and S are tables of `lanes` doubles a row, lanes a multiple of 8, rows aligned to 64 bytes; a
 * sparse row is n pairs (index, value), `value` NULL: all ones. Entries n .. known-1 of `index`,
 * those of rows to come, serve only to fetch their rows of the table early. 2 n lanes flop.
 *
 *   gather:   L[lanes]            = sum_k value[k] C[index[k]][lanes]
 *   scatter:  S[index[k]][lanes] += value[k] R[lanes] */
void scant_i_sparse_gather(double *L, const double *C, size_t lanes, const int32_t *index,
                           const double *value, size_t n, size_t known);
void scant_i_sparse_scatter(double *S, const double *R, size_t lanes, const int32_t *index,
                            const double *value, size_t n, size_t known);

#endif
