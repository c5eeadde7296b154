/* Batches: consecutive rows with all that a worker needs to look at them.
 *
 * A batch borrows its arrays, from a table in memory or from wherever else rows come from, and has
 * no pointer back to it. Rows within a batch are counted from 0; `first` is the number of its first
 * row among all rows, which is what messages and random streams go by. */
#ifndef SCANT_I_BATCH_H
#define SCANT_I_BATCH_H

#include <scant/data.h>
#include "base/base.h"

typedef struct scant_i_column scant_i_column; /* rows.h */

/* What messages say in addition to the row: the same in all batches of a source. */
typedef struct scant_i_batch_header {
    const char *source;            /* file name, or NULL: from memory */
    const scant_i_column *columns; /* or NULL: all numbers without names */
    const char *label;             /* name of the label column, or NULL */
    size_t label_field;
} scant_i_batch_header;

/* Compressed rows: entries of row i are start[i] - offset .. start[i+1] - offset - 1, columns
 * ascending within a row. */
typedef struct scant_i_batch_sparse {
    const size_t *start;   /* nrows + 1, or NULL where dense */
    size_t offset;         /* start[0] */
    const int32_t *column; /* entries */
    const double *value;   /* entries; NULL: all are one */
} scant_i_batch_sparse;

typedef struct scant_i_batch {
    scant_i_batch_header header;
    size_t nrows, ncolumns;
    size_t first;                /* number of row 0 among all rows */
    const double *dense;         /* nrows x ncolumns, NaN = missing; NULL where sparse */
    scant_i_batch_sparse sparse; /* start NULL where dense */
    const double *weight;        /* nrows, or NULL: all one */
    const int32_t *code;         /* nrows: evidence, as of scant_i_labels, or NULL: none */
    const int32_t *sequence;     /* nrows: rows of a sequence have one number, or NULL: all one */
    size_t first_line;           /* line of row 0, where every row is one line */
    const size_t *line;          /* nrows, or NULL: row i is on first_line + i */
} scant_i_batch;

/* The rows first .. first + n - 1, and all of them. Nothing is copied. */
scant_i_batch scant_i_batch_of(const scant_rows *rows, size_t first, size_t n);
scant_i_batch scant_i_batch_all(const scant_rows *rows);

/* Where a sparse row's entries begin in the batch's, and how many they are; and those of all rows. */
static inline size_t scant_i_batch_start(const scant_i_batch *batch, size_t row)
{
    return batch->sparse.start[row] - batch->sparse.offset;
}
static inline size_t scant_i_batch_count(const scant_i_batch *batch, size_t row)
{
    return batch->sparse.start[row + 1] - batch->sparse.start[row];
}
static inline size_t scant_i_batch_entries(const scant_i_batch *batch)
{
    return scant_i_batch_start(batch, batch->nrows);
}

/* A column's name; one that has to be made is put into `made`. */
enum { SCANT_I_MADE_NAME = 24 };
const char *scant_i_batch_column_name(const scant_i_batch_header *header, size_t column,
                                      char made[SCANT_I_MADE_NAME]);
/* SCANT_ERR_INPUT with "file:line:field: column: text"; from memory "row R, column C: text". */
scant_status scant_i_batch_fail_cell(const scant_i_batch *batch, size_t row, size_t column,
                                     const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));
/* The same for the row's label cell. */
scant_status scant_i_batch_fail_label(const scant_i_batch *batch, size_t row, const char *format,
                                      ...) __attribute__((format(printf, 3, 4), cold));

#endif
