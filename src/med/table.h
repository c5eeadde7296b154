/* Rows as the problems of maximum entropy discrimination see them: numbers, encoded and scaled. */
#ifndef SCANT_I_MED_TABLE_H
#define SCANT_I_MED_TABLE_H

#include "io/document.h"
#include "med/med.h"

/* How rows become d numbers: cells in standard units, categories as indicators (one where there are two levels), missing
 * cells as the column's mean or most frequent level. Sparse rows stay as they are. */
typedef struct scant_i_med_inputs {
    size_t ncolumns, d;
    bool sparse;
    size_t *column;  /* d: of the rows; NULL: sparse */
    int32_t *level;  /* d: the level that it indicates; -1: a number; -2 - b: base b of DNA */
    uint8_t **bases; /* ncolumns: of letters, the bases each level stands for (bits); or NULL */
    size_t *nbases;  /* ncolumns: levels with an entry */
    double *centre, *spread; /* d */
    double *fill;            /* d: stands for a missing cell */
    size_t missing;          /* cells that were, when it was made */
} scant_i_med_inputs;

/* How rows are to be seen. */
typedef struct scant_i_med_reading {
    size_t target; /* a column that is no input; SIZE_MAX: none */
    bool dna;      /* categories whose levels all are letters of DNA (IUPAC) are bases */
    bool standardize;
} scant_i_med_reading;

/* Looks at rows use[0..n-1]. SCANT_ERR_INPUT: infinite cells, or cells so large that their squares are. */
scant_status scant_i_med_inputs_new(scant_i_med_inputs *out, const scant_rows *rows,
                                    const size_t *use, size_t n, const scant_i_med_reading *how);
void scant_i_med_inputs_clear(scant_i_med_inputs *inputs);
scant_status scant_i_med_inputs_to_json(json_t *to, const scant_i_med_inputs *inputs);
scant_status scant_i_med_inputs_from_json(scant_i_med_inputs *out, const scant_i_place *place,
                                          const json_t *from, size_t ncolumns);

/* n rows of d numbers, dense or sparse. */
typedef struct scant_i_med_table {
    size_t n, d;
    double *x;
    scant_i_csr sparse;
} scant_i_med_table;

/* Rows use[0..n-1], or (NULL) first .. first + n - 1, encoded. */
scant_status scant_i_med_table_map(scant_i_med_table *out, const scant_i_med_inputs *inputs,
                                   const scant_rows *rows, const size_t *use, size_t first,
                                   size_t n);
/* Rows index[0..n-1] of a table; with `square` their columns as well. */
scant_status scant_i_med_table_take(scant_i_med_table *out, const scant_i_med_table *from,
                                    const size_t *index, size_t n, bool square);
void scant_i_med_table_clear(scant_i_med_table *table);
/* One row of it as d dense numbers. */
void scant_i_med_table_row(double *to, const scant_i_med_table *table, size_t row);

#endif
