/* Rows from the inside. Readers fill this struct; everything to the right of `data` reads it. */
#ifndef SCANT_I_ROWS_H
#define SCANT_I_ROWS_H

#include <scant/data.h>
#include "base/base.h"
#include "data/batch.h"

typedef enum scant_i_kind { SCANT_I_NUMBER, SCANT_I_CATEGORY } scant_i_kind;

typedef struct scant_i_column {
    char *name; /* NULL: x<index+1> */
    scant_i_kind kind;
    char **levels; /* category: sorted names; a cell holds the index of its level */
    size_t nlevels;
    size_t field; /* 1-based position in the file, for messages */
    bool binary;  /* a number that is 0 or 1 */
} scant_i_column;

/* Compressed rows: entries of row i are start[i] .. start[i+1]-1, columns ascending within a row.
 */
typedef struct scant_i_csr {
    size_t *start;   /* nrows + 1 */
    int32_t *column; /* entries */
    double *value;   /* entries; NULL: all are one (votes, which no other family takes) */
} scant_i_csr;

/* Evidence about the rows' classes. A code is -1 (unknown), 0..K-1 (exactly that class), or K + e:
 * the e-th row of `soft`, a vector over the classes (0/1 for "one of", probabilities otherwise). */
typedef struct scant_i_labels {
    char *column; /* its name in the file, or NULL */
    size_t field;
    char **classes;
    size_t nclasses; /* K */
    int32_t *code;   /* nrows, or NULL: no label column at all */
    size_t nsoft;
    double *soft;            /* nsoft x K */
    uint8_t *is_probability; /* nsoft: 1 probabilities, 0 a set */
} scant_i_labels;

/* How rows were read, so that others can be read in the same way: see scant_schema. */
typedef struct scant_i_reading {
    char **types, **missing_values;
    size_t ntypes, nmissing_values;
    char *id;
    char **terms; /* of a model: words of the texts beside the columns it was fitted to */
    size_t nterms;
} scant_i_reading;

void scant_i_reading_free(scant_i_reading *reading);
scant_status scant_i_reading_copy(scant_i_reading *out, const scant_i_reading *reading);
/* Of the rows, for a model: with the words beside their columns. */
scant_status scant_i_reading_of(scant_i_reading *out, const scant_rows *rows);

struct scant_rows {
    size_t nrows, ncolumns;
    scant_i_column *columns; /* ncolumns, or NULL: all numbers without names */
    double *dense;           /* nrows x ncolumns row-major, NaN = missing; NULL where sparse */
    bool dense_is_borrowed;  /* a view: not ours to free */
    scant_i_csr sparse;      /* start NULL where dense */
    double *weight;          /* nrows, or NULL: all one */
    scant_i_labels labels;
    int32_t *truth;  /* nrows: exact labels that are not in `labels`, or NULL: they are there */
    size_t ncontext; /* while reading: how many of the last columns are class probabilities */
    char **id;       /* nrows, or NULL; they point into id_text */
    char *id_text;
    int32_t *group; /* nrows, numbered in order of appearance, or NULL */
    size_t ngroups;
    bool sequential; /* groups are sequences: consecutive rows in order */
    double *time;    /* nrows, or NULL: when each row was */
    char *weight_name, *id_name, *group_name,
        *time_name;                        /* of their columns in the file, or NULL */
    size_t group_field, time_field;        /* where these are */
    char *source;                          /* file name, or NULL: from memory */
    size_t first_line;                     /* line of row 0, where every row is one line */
    size_t *line;                          /* nrows, or NULL: row i is on first_line + i */
    char **made_names;                     /* names made for columns without one, on demand */
    const struct scant_i_carrier *carrier; /* who carries questions about the rows to parts that
                                                 hold them (parts/ask.h); NULL: they are here */
    scant_i_csr text; /* counts of words in addition to dense columns; start NULL: none */
    size_t ntext_terms;
    char **terms;            /* ntext_terms: the words, sorted */
    scant_i_reading reading; /* zeroed: plainly */
};

/* A zeroed rows object of the given size; arrays are the caller's to add. */
scant_status scant_i_rows_new(scant_rows **out, size_t nrows, size_t ncolumns);
/* Turns sparse rows into dense ones, in place. */
scant_status scant_i_rows_densify(scant_rows *rows);
/* Keeps the columns keep[0..n-1], in that order, in place. */
scant_status scant_i_rows_keep_columns(scant_rows *rows, const size_t *keep, size_t n);
/* Moves the columns from `first` on, numbers all of them, into a table of their own. */
scant_status scant_i_rows_split(scant_rows **out, scant_rows *rows, size_t first);
void scant_i_columns_free(scant_i_column *columns, size_t n);
/* Gives the rows their identifiers: row i's starts at offset[i] of `text`, which becomes the rows'.
 */
scant_status scant_i_rows_set_ids(scant_rows *rows, char *text, const size_t *offset);
/* Line of a row in its file; row + 1 where it came from memory. */
size_t scant_i_rows_line(const scant_rows *rows, size_t row);
/* Sums of weights, and of weighted squares, must stay finite. */
static inline bool scant_i_is_weight(double weight)
{
    return weight >= 0 && weight <= 1e100;
}
/* As scant_rows_column_name, but a name that has to be made is put into `made`: no memory is asked
 * for, so nothing can fail (this and the messages: batch.c). */
const char *scant_i_column_name(const scant_rows *rows, size_t column,
                                char made[SCANT_I_MADE_NAME]);
/* SCANT_ERR_INPUT with "file:line:field: column: text"; from memory "row R, column C: text". */
scant_status scant_i_fail_cell(const scant_rows *rows, size_t row, size_t column,
                               const char *format, ...) __attribute__((format(printf, 4, 5), cold));
/* The same for the column's name, which stands on the first line. */
scant_status scant_i_fail_header(const scant_rows *rows, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The same for the row's label cell. */
scant_status scant_i_fail_label(const scant_rows *rows, size_t row, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Label cells, once all distinct texts are known (labels.c). `text[t]` are the distinct cells,
 * `code[i]` says which cell row i has (-1: empty). Fills rows->labels; `classes` given: they and no
 * others. With `weight` given, cells that only rows of weight 0 have add no class: they are unknown
 * unless one that is given. */
scant_status scant_i_labels_resolve(scant_rows *rows, const int32_t *cell, const char *const *text,
                                    size_t ntext, const char *const *classes, size_t nclasses,
                                    const char *missing, const double *weight);

/* Frees all but the column's name and field. */
void scant_i_labels_clear(scant_i_labels *labels);

/* Vectors over the classes, each kept once. Room is for `most` of them; the next one is written to
 * scant_i_soft_next, zeroed, and scant_i_soft_code gives its code: its class where it has but one,
 * that of an equal vector, or its own. Probabilities are made to sum to exactly 1, class after
 * class, so that the order they came in leaves no trace. */
typedef struct scant_i_soft {
    int32_t *slot; /* vector + 1 */
    size_t nslots;
} scant_i_soft;

scant_status scant_i_soft_open(scant_i_soft *soft, scant_i_labels *labels, size_t most);
double *scant_i_soft_next(scant_i_labels *labels);
int32_t scant_i_soft_code(scant_i_labels *labels, scant_i_soft *soft, bool probability);
void scant_i_soft_close(scant_i_soft *soft);

/* Which columns are present: rows with the same pattern are handed to families together
 * (pattern.c). Patterns are in an order of their own, which does not depend on the rows' order. */
typedef struct scant_i_patterns {
    size_t npatterns; /* 1 and `order` NULL where nothing is missing */
    uint8_t *present; /* npatterns x ncolumns */
    size_t *start;    /* npatterns + 1: pattern p has rows order[start[p]] .. order[start[p+1]-1] */
    size_t *order;    /* nrows, ascending within a pattern; NULL: the identity */
} scant_i_patterns;

/* Without `missing` all rows are taken to be complete; `order` is NULL then, and only then. */
scant_status scant_i_patterns_new(scant_i_patterns *out, const scant_rows *rows, bool missing);
void scant_i_patterns_free(scant_i_patterns *patterns);

#endif
