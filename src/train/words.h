/* Words: sparse rows of counts as the members of texts see them.
 *
 *   counts  c   of a row, scaled to LENGTH = 100 in all: a long text is no surer than a short one
 *   tfidf   z   z_j = f(count_j) idf_j, rows scaled to length 1;  f(x) = 1 + log x, or x below 1;
 *               idf_j = log((1 + n) / (1 + n_j)) + 1, n_j of the n rows have word j
 *
 * Words are columns that FEWEST rows have, labeled or not (one, where there are fewer than FEW_ROWS rows); others tell
 * nothing of new rows and are passed over. A row without any is a row of zeros. */
#ifndef SCANT_I_TRAIN_WORDS_H
#define SCANT_I_TRAIN_WORDS_H

#include "data/rows.h"
#include "io/document.h"

typedef struct scant_i_vocabulary {
    bool beside;            /* columns are words of texts beside the rows' columns */
    size_t ncolumns, width; /* of the rows; words */
    int32_t *column;        /* width, ascending: of the rows */
    int32_t *place;         /* ncolumns: which word a column is, or -1 */
    double *idf;            /* width */
} scant_i_vocabulary;

/* The counts of rows: of texts beside their columns, or of sparse rows. NULL: they have none. */
const scant_i_csr *scant_i_words_source(const scant_rows *rows, size_t *ncolumns);

/* Looks at rows use[0..n-1]. *out stays NULL where the rows have no counts, or a negative or missing one. */
scant_status scant_i_words_new(scant_i_vocabulary **out, const scant_rows *rows, const size_t *use,
                               size_t n);
void scant_i_words_free(scant_i_vocabulary *words);

/* Rows of words: `counts` and `tfidf` have the same entries. start NULL: there are none. */
typedef struct scant_i_word_rows {
    scant_i_csr counts, tfidf;
} scant_i_word_rows;
void scant_i_word_rows_clear(scant_i_word_rows *rows);
/* Rows use[0..n-1] (NULL: first .. first + n - 1); words NULL: none. SCANT_ERR_INPUT: a negative or missing count. */
scant_status scant_i_words_map(scant_i_word_rows *out, const scant_i_vocabulary *words,
                               const scant_rows *rows, const size_t *use, size_t first, size_t n);

/* to = C'x of row i of `rows`, for a table C of `lanes` numbers a word; and C += x r' */
void scant_i_words_gather(double *to, const double *C, size_t lanes, const scant_i_csr *rows,
                          size_t i);
void scant_i_words_scatter(double *C, const double *r, size_t lanes, const scant_i_csr *rows,
                           size_t i);
/* The table's row length for K numbers: what the products of math/sparse.h take. */
static inline size_t scant_i_words_lanes(size_t K)
{
    return scant_i_round_up(K, 8);
}

/* A table of `lanes` numbers a word, K of them in use, by words: those whose K numbers equal `other` are left out. */
scant_status scant_i_put_words(json_t *to, const char *key, const double *table, size_t width,
                               size_t K, const double *other);
scant_status scant_i_get_words(double **out, const scant_i_place *place, const json_t *from,
                               const char *key, size_t width, size_t K, const double *other);

scant_status scant_i_words_to_json(json_t *to, const scant_i_vocabulary *words);
/* Columns are those of the rows or, where there are any, `nterms` words beside them. */
scant_status scant_i_words_from_json(scant_i_vocabulary **out, const scant_i_place *place,
                                     const json_t *from, size_t ncolumns, size_t nterms);

#endif
