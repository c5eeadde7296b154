/* What families share in a pass over blocks of rows. */
#ifndef SCANT_I_FAMILY_PASS_H
#define SCANT_I_FAMILY_PASS_H

#include "family/family.h"

/* A finite stand-in for log 0 in tables, so that 0 * log 0 = 0; what it takes part in ends far
 * below any true log density, and is then made -inf. */
#define SCANT_I_LOG_ZERO (-1e308)
#define SCANT_I_IMPOSSIBLE (-1e200)

/* Rows at a time for features of nfeatures doubles a row: they should stay in the second-level
 * cache. */
size_t scant_i_pass_rows(size_t nfeatures);
/* L[i][j] += own[i][j] + base[i] + constant[j], impossible becomes -inf. base may be NULL. */
void scant_i_pass_add(double *L, const double *own, const double *base, const double *constant,
                      size_t nrows, size_t stride);
/* sum[j] += sum_i R[i][j] */
void scant_i_pass_totals(double *sum, const double *R, size_t nrows, size_t stride);

/* Sparse rows seen through a factor's columns: each row's entries with the column's place within
 * the factor. Where the factor has all columns in order the rows are borrowed as they are. */
typedef struct scant_i_view {
    bool ready, identity;
    size_t nmap;    /* data columns that the map knows */
    int32_t *map;   /* place within the factor, or -1 */
    int32_t *index; /* room for one row */
    double *value;
} scant_i_view;
typedef struct scant_i_sparse_row {
    const int32_t *index;
    const double *value;
    size_t n;     /* entries */
    size_t known; /* entries of this and following rows that may be looked at in advance */
} scant_i_sparse_row;

/* Bytes of a view with its arrays; the view is at their start, zeroed before first use. */
size_t scant_i_view_bytes(const scant_i_factor *factor);
scant_i_sparse_row scant_i_view_row(scant_i_view *view, const scant_i_factor *factor,
                                    const scant_i_block *block, size_t i);

#endif
