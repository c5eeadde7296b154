/* Rows: what a model is fitted to, and what it predicts. */
#ifndef SCANT_DATA_H
#define SCANT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <scant/options.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of feature columns (dense with NaN for missing cells, or sparse), and, where
 * given, a label cell, a weight, an identifier and a group for each row. Made by a reader or by
 * scant_rows_new. */
typedef struct scant_rows scant_rows;

/* --- from memory --- */

/* nrows x ncolumns values, row-major; NaN is missing. `_view` borrows `x`, which must outlive the
 * rows;
 * `_new` copies it. `names` may be NULL: columns are then x1, x2, ... O(1) and O(nrows ncolumns).
 */
SCANT_API scant_status scant_rows_new(scant_rows **out, size_t nrows, size_t ncolumns,
                                      const double *x, const char *const *names);
SCANT_API scant_status scant_rows_view(scant_rows **out, size_t nrows, size_t ncolumns,
                                       const double *x, const char *const *names);
/* A sparse matrix in compressed rows: row i has entries start[i] .. start[i+1]-1; copied. */
SCANT_API scant_status scant_rows_new_sparse(scant_rows **out, size_t nrows, size_t ncolumns,
                                             const size_t *start, const int32_t *column,
                                             const double *value);
/* The column is a category: its cells, dense, are numbers of levels from 0 or NaN for missing. A
 * cell that is no level is SCANT_ERR_INPUT. Names are copied. O(nrows). */
SCANT_API scant_status scant_rows_set_levels(scant_rows *rows, size_t column,
                                             const char *const *levels, size_t nlevels);
/* Label cells as text, NULL or "" for unknown; the forms of a cell are `cat`, `cat|dog` (one of)
 * and `cat:0.7;dog:0.3` (probabilities). `classes` NULL: the classes are those that occur, sorted
 * (as numbers where all are numbers). `missing`: as scant_read_options.missing_label. */
SCANT_API scant_status scant_rows_set_labels(scant_rows *rows, const char *const *cells,
                                             const char *const *classes, size_t nclasses,
                                             const char *missing);
/* Class probabilities in addition to the labels. `table` has as many rows and a column a class, called
 * `p_<class>` or `<class>`; a row's numbers sum to 1 within 1e-6, or are all NaN: nothing known.
 * The row's label limits them: an exact label wins, and probabilities that rule out the label are
 * SCANT_ERR_INPUT. With `label_is_truth` they are the only evidence, and labels are no more than
 * what predictions are compared with. `classes` NULL: those of the labels and of the table. */
SCANT_API scant_status scant_rows_set_context(scant_rows *rows, const scant_rows *table,
                                              const char *const *classes, size_t nclasses,
                                              bool label_is_truth);
/* The same from a matrix, nrows x nclasses and row-major, a column a class. `classes` NULL: those of
 * the labels, in their order. */
SCANT_API scant_status scant_rows_set_probabilities(scant_rows *rows, const double *p,
                                                    const char *const *classes, size_t nclasses,
                                                    bool label_is_truth);
/* The rows' class probabilities were made under these class shares (as scant_prior_read has them,
 * above 0), so they are divided by them and made to sum to 1. */
SCANT_API scant_status scant_rows_set_context_prior(scant_rows *rows, const char *prior);
/* Weights mean repetition; they must be from 0 to 1e100. Copied. NULL: all one. */
SCANT_API scant_status scant_rows_set_weights(scant_rows *rows, const double *weight);
/* Names of the rows, copied. */
SCANT_API scant_status scant_rows_set_ids(scant_rows *rows, const char *const *ids);
SCANT_API void scant_rows_free(scant_rows *rows);
/* Shares of classes from text, into prior[0..nclasses-1]: "a=0.3,b=0.7" with every class once, or
 * for two classes one number, the second's share. Shares are from 0 to 1 and sum to 1 within 1e-6
 * (then made exactly 1). Names of classes may have commas and equals signs; of several that fit the
 * longest is meant. SCANT_ERR_ARGUMENT with the piece that is wrong. */
SCANT_API scant_status scant_prior_read(double *prior, const char *text, const char *const *classes,
                                        size_t nclasses);
/* The same for two classes that no data name: the second's share, or "a=0.3,b=0.7", first class
 * first. Both shares are above 0. */
SCANT_API scant_status scant_prior_read_pair(double prior[2], const char *text);

/* --- from files --- */

/* What to read, and as what. Preset, or all zero but for the size: every column is a feature, formats are found by
 * the file's name and first bytes. Lists are of patterns with `*` and `?`. Values are checked by
 * scant_read_option_table. */
typedef struct scant_read_options {
    size_t size;                 /* by the preset, or sizeof */
    const char *const *features; /* feature columns, NULL: all that have no other role */
    size_t nfeatures;
    const char *const *ignore; /* columns to leave out */
    size_t nignore;
    const char *const *categorical; /* feature columns whose cells are names, not numbers */
    size_t ncategorical;
    const char *label;          /* column of label cells, or NULL */
    const char *weight;         /* column of weights, or NULL */
    const char *id;             /* column of identifiers, or NULL */
    const char *group;          /* column of groups, or NULL */
    const char *missing_label;  /* label value that means unknown, with the usual ones; "none": -1
                                   is a class like any other */
    const char *dataset;        /* name of the data set inside an HDF5 file; NULL: the only one */
    const char *const *context; /* columns of class probabilities: see scant_rows_set_context */
    size_t ncontext;
    const char *context_file;          /* or a file of them; NULL: none */
    const char *context_prior;         /* class shares they were made under, or NULL */
    bool label_is_truth;               /* with a context: labels are not evidence */
    bool probabilities;                /* the features are the columns p_*, where there are any */
    char separator;                    /* 0: found in the header line */
    size_t threads;                    /* 0: OMP_NUM_THREADS, else all cores */
    const struct scant_schema *schema; /* names, levels and classes that must be met, or NULL */
    bool label_optional;               /* a label column that is absent is no error */
    bool id_optional;                  /* nor is an absent column of identifiers */
    bool keep_weightless;              /* rows of weight 0 make classes and levels, too: to write
                                          the rows elsewhere */
    bool guess;        /* CSV without a schema: columns that `types` does not name are what
                                 scant_types_guess says */
    bool numbers_stay; /* guesses make no categories, 0/1 or constants of numbers: somebody has
                                 said what family they are of */
    const char *const *types; /* COL=KIND[:how], COL a name or a pattern; the last that fits counts
                                 (scant/types.h); "none": guess nothing */
    size_t ntypes;
    const char *const *text; /* columns of texts: COL=text for each */
    size_t ntext;
    const char *const *missing_values; /* cells of features that are missing, with the usual ones */
    size_t nmissing_values;
    char decimal;   /* mark of decimals in all numbers: '.' or ','; 0: as guessed, else '.' */
    bool strict;    /* a level that the schema lacks is an error, not missing */
    bool keep_text; /* texts next to columns of numbers become counts of words, too; else they
                       are left out, which is said, unless there is nothing else */
    size_t text_min_count; /* rows that a word must be in; 0: 2, or 1 below 50 rows */
    const char *sequence;  /* column of sequences, in place of groups, or NULL: scant/sequence.h */
    const char *time;      /* column of times, which must rise within a sequence, or NULL */
} scant_read_options;

SCANT_API const scant_option *scant_read_option_table(size_t *count);
SCANT_API void scant_read_options_preset(scant_read_options *options, size_t size);
#define scant_read_options_preset(options) (scant_read_options_preset)(options, sizeof *(options))

/* What a model expects of rows. Columns are found by name in any order; others are left out. Lists
 * of features, of columns to ignore and of categories must agree with it. */
typedef struct scant_schema {
    size_t ncolumns;
    const char *const *names;
    const char *const *const *levels; /* NULL, or for each column its levels, NULL for a number */
    const size_t *nlevels;
    size_t nclasses;
    const char *const *classes;
    const char *optional; /* a column that may be absent, its cells are then missing; NULL: none */
    const char *const *types; /* how the columns were read: options.types that say the same */
    size_t ntypes;
    const char *const *missing_values;
    size_t nmissing_values;
    const char *id;           /* column of identifiers, or NULL */
    const char *const *terms; /* words of the texts next to the columns; none: of texts alone, the
                                 names are the words */
    size_t nterms;
} scant_schema;

/* Reads CSV/TSV, .npy, svmlight, Matrix Market (.gz too) or HDF5; "-" is standard input, which is
 * CSV unless its first bytes are another format's. A bad cell is SCANT_ERR_INPUT with file, line,
 * column and the text. Memory: the data as doubles plus a few megabytes. O(bytes). */
SCANT_API scant_status scant_rows_read(scant_rows **out, const char *path,
                                       const scant_read_options *options);
/* Writes by the name's ending: .csv .tsv .txt .dat .npy .svm .svmlight .libsvm .mtx .mm, each with
 * .gz behind it too, .h5 .hdf5; "-" is CSV on standard output. The file appears whole or not at
 * all; at an interrupt it does not. */
SCANT_API scant_status scant_rows_write(const scant_rows *rows, const char *path);

/* Rows one at a time, as they come: a row is there as soon as its line is, however slow the next
 * one may be. CSV only (.gz too), and a cell does not go over several lines. `options` (with all it
 * points to) is borrowed until the reader is freed. Memory: the longest line. */
typedef struct scant_reader scant_reader;
SCANT_API scant_status scant_reader_open(scant_reader **out, const char *path,
                                         const scant_read_options *options);
/* The next row, NULL behind the last; the caller frees it. A bad line is SCANT_ERR_INPUT, and the
 * next call goes on behind it; other errors are final, SCANT_ERR_INTERRUPTED among them. */
SCANT_API scant_status scant_reader_next(scant_rows **out, scant_reader *reader);
SCANT_API size_t scant_reader_line(const scant_reader *reader); /* lines taken so far */
SCANT_API void scant_reader_free(scant_reader *reader);

/* Tensors: FROSTT .tns or .npy to either. */
SCANT_API scant_status scant_tensor_convert(const char *from, const char *to);

/* --- looking --- */

SCANT_API size_t scant_rows_count(const scant_rows *rows);
SCANT_API size_t scant_rows_columns(const scant_rows *rows);
/* Borrowed. Columns without a name of their own are called x1, x2, ... */
SCANT_API const char *scant_rows_column_name(const scant_rows *rows, size_t column);
SCANT_API bool scant_rows_column_is_category(const scant_rows *rows, size_t column);
SCANT_API size_t scant_rows_missing(const scant_rows *rows, size_t column); /* cells, O(nrows) */
SCANT_API bool scant_rows_is_sparse(const scant_rows *rows);
SCANT_API size_t scant_rows_classes(const scant_rows *rows);
SCANT_API const char *scant_rows_class_name(const scant_rows *rows, size_t class_index);
/* Class of the row if its label is exact, else -1; a context leaves it as it was. */
SCANT_API int32_t scant_rows_label(const scant_rows *rows, size_t row);
SCANT_API size_t scant_rows_labeled(const scant_rows *rows); /* rows with any evidence */
SCANT_API double scant_rows_weight(const scant_rows *rows, size_t row);
/* The row's identifier, or NULL where there is no such column. Borrowed. */
SCANT_API const char *scant_rows_id(const scant_rows *rows, size_t row);
/* Value of a cell, NaN if missing; O(1) dense, O(log nonzeros) sparse. */
SCANT_API double scant_rows_value(const scant_rows *rows, size_t row, size_t column);
/* All of them, nrows x ncolumns row-major, into `x`. */
SCANT_API void scant_rows_values(const scant_rows *rows, double *x);
/* A copy of the rows index[0..n-1], in that order. */
SCANT_API scant_status scant_rows_subset(scant_rows **out, const scant_rows *rows,
                                         const size_t *index, size_t n);

#ifdef __cplusplus
}
#endif
#endif
