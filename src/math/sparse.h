/* Products of sparse rows with a table of lanes: the sparse kernels of an EM pass. */
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

/* Sparse rows whose entries that are one stand apart and have an index only. */
typedef struct scant_i_sparse_rows {
    uint32_t *one_start, *other_start; /* nrows + 1: where a row's entries of either kind start */
    int32_t *one, *other;              /* index of each entry */
    double *value;                     /* of each other one */
} scant_i_sparse_rows;
/* gather, for row i of nrows */
void scant_i_sparse_gather_row(double *L, const double *C, size_t lanes,
                               const scant_i_sparse_rows *x, size_t i, size_t nrows);

/* The same by columns: runs of entries of one column, in any order of columns. */
typedef struct scant_i_sparse_run {
    int32_t column;
    uint32_t ones, others; /* entries, the ones first */
} scant_i_sparse_run;
typedef struct scant_i_sparse_columns {
    size_t nruns;
    scant_i_sparse_run *run;
    uint16_t *row; /* of each entry */
    double *value; /* of each entry that is not one */
} scant_i_sparse_columns;
/* L[row][lanes] += value C[column][lanes], for the entries of the first nruns runs: what gather
 * does for all rows, but each row of C is fetched once, and those of L are held by the cache. */
void scant_i_sparse_spread(double *L, const double *C, size_t lanes,
                           const scant_i_sparse_columns *x, size_t nruns);
/* S[column][lanes] += sum over the column's entries of value R[row][lanes]: what scatter does for
 * all rows, but each row of S is fetched once, and those of R are held by the cache. */
void scant_i_sparse_collect(double *S, const double *R, size_t lanes,
                            const scant_i_sparse_columns *x);

#endif
