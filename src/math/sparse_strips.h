/* The sparse kernels for a width of vectors each (sparse_walk.h). scatter is for the columns from `first` to `last`. */
#ifndef SCANT_I_SPARSE_STRIPS_H
#define SCANT_I_SPARSE_STRIPS_H

#include "math/sparse.h"

/* Entries of a row, of one kind. */
typedef struct scant_i_sparse_entries {
    const int32_t *index;
    const double *value; /* others only */
    size_t n, known;
} scant_i_sparse_entries;

void scant_i_sparse_gather_by_8(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_entries *ones,
                                const scant_i_sparse_entries *others);
void scant_i_sparse_scatter_by_8(double *S, const double *R, size_t lanes, size_t first,
                                 size_t last, const scant_i_sparse_entries *all);
void scant_i_sparse_collect_by_8(double *S, const double *R, size_t lanes,
                                 const scant_i_sparse_columns *x);
void scant_i_sparse_spread_by_8(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_columns *x, size_t nruns);
void scant_i_sparse_gather_by_4(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_entries *ones,
                                const scant_i_sparse_entries *others);
void scant_i_sparse_scatter_by_4(double *S, const double *R, size_t lanes, size_t first,
                                 size_t last, const scant_i_sparse_entries *all);
void scant_i_sparse_collect_by_4(double *S, const double *R, size_t lanes,
                                 const scant_i_sparse_columns *x);
void scant_i_sparse_spread_by_4(double *L, const double *C, size_t lanes,
                                const scant_i_sparse_columns *x, size_t nruns);

#endif
