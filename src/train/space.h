/* Spaces: a table's rows as the members of the stack see them.
 *
 *   standard  s   numbers and indicators of categories in units of their standard deviation
 *   ranks     r   normal scores of the ranks of s: Phi^-1 of the mean rank / n
 *   white     w   principal axes of s, coordinates with variance l divided by sqrt((l + RIDGE) / (1 + RIDGE)) in all
 *   leading   p   leading principal components: at least eight, and all with l > LEAST, each with unit mean square
 *
 * All are made from labeled and unlabeled rows together and without labels, so that every fold has the same. A missing
 * number is replaced by the column's mean, a missing category by the most frequent one: members see completed rows.
 * Columns that do not vary are left out. Cells are limited to +-REACH standard deviations, so that one absurd cell
 * cannot overflow a product. */
#ifndef SCANT_I_TRAIN_SPACE_H
#define SCANT_I_TRAIN_SPACE_H

#include "data/rows.h"
#include "io/document.h"
#include "train/words.h"

enum { SCANT_I_STANDARD, SCANT_I_RANKS, SCANT_I_WHITE, SCANT_I_LEADING, SCANT_I_SPACES };

/* Rows in the spaces, row-major; x[s] is NULL where no dense table was given or the space is not wanted. `counts` and
 * `tfidf` are rows of words; start NULL: there are none. */
typedef struct scant_i_view {
    size_t nrows;
    const double *x[SCANT_I_SPACES];
    size_t width[SCANT_I_SPACES];
    scant_i_csr counts, tfidf;
    size_t nwords;
    bool beside; /* the words are of texts beside the columns, not the columns themselves */
} scant_i_view;

typedef struct scant_i_spaces {
    size_t ncolumns; /* of the rows */
    size_t width[SCANT_I_SPACES];
    /* standard, for each of its D columns: */
    size_t *column;          /* of the rows */
    int32_t *level;          /* the level that it indicates, or -1: a number */
    double *centre, *spread; /* D */
    double *fill;            /* D: what stands for a missing cell, before standardizing */
    /* ranks: knots of a monotone, piecewise linear function */
    size_t *nknots;       /* D */
    double *knot, *score; /* D x SCANT_I_KNOTS */
    /* white and leading */
    double *axis;              /* naxes x D: eigenvectors, largest eigenvalue first */
    double *variance;          /* naxes: eigenvalues */
    scant_i_vocabulary *words; /* or NULL */
} scant_i_spaces;

enum { SCANT_I_KNOTS = 256 };

/* Looks at rows use[0..n-1] of `rows`, n > 0. Sparse rows are taken as dense up to SCANT_I_MOST_SPARSE columns; with
 * more there are no dense spaces, all widths are 0, and only members of words can learn. */
enum { SCANT_I_MOST_SPARSE = 1000 };
scant_status scant_i_spaces_new(scant_i_spaces **out, const scant_rows *rows, const size_t *use,
                                size_t n);
void scant_i_spaces_free(scant_i_spaces *spaces);

/* Numbers a row takes in all spaces together. */
size_t scant_i_spaces_row(const scant_i_spaces *spaces);
/* Rows use[0..n-1] (NULL: first .. first + n - 1) in all spaces; `cells` has n * scant_i_spaces_row() numbers and must
 * live as long as the view. */
scant_status scant_i_spaces_map(scant_i_view *out, double *cells, const scant_i_spaces *spaces,
                                const scant_rows *rows, const size_t *use, size_t first, size_t n);

/* The same rows as words, which live in `store`, in addition to the columns. */
scant_status scant_i_spaces_map_words(scant_i_view *out, scant_i_word_rows *store,
                                      const scant_i_spaces *spaces, const scant_rows *rows,
                                      const size_t *use, size_t first, size_t n);
/* Rows first .. first + n - 1 of a view. */
scant_i_view scant_i_view_part(const scant_i_view *rows, size_t first, size_t n);

scant_status scant_i_spaces_to_json(json_t *to, const scant_i_spaces *spaces);
scant_status scant_i_spaces_from_json(scant_i_spaces **out, const scant_i_place *place,
                                      const json_t *from, size_t ncolumns, size_t nterms);

#endif
