/* Texts as counts of words: words in lower case and, where asked for, character n-grams. */
#ifndef SCANT_I_TERMS_H
#define SCANT_I_TERMS_H

#include "data/rows.h"

/* A column of texts. Its terms are `word` and `#gra` (n-grams of letters of a word with a `_` at either
 * end, shortest to longest letters; longest 0: none); where there are several columns, `name:word`. */
typedef struct scant_i_terms_text {
    const char *name;
    size_t shortest, longest;
} scant_i_terms_text;

typedef struct scant_i_terms_plan {
    scant_i_terms_text *text;
    size_t ntexts;
    size_t min_count;         /* rows that a term must be in; 0: 2, or 1 below 50 rows */
    const char *const *known; /* the terms there are, or NULL: those that occur */
    size_t nknown;
} scant_i_terms_plan;

/* `cells`: a row's texts one after the other, each ended by a zero byte, row after row. Fills rows->text
 * and rows->terms (sorted by bytes, or as known). O(bytes of text, log terms). */
scant_status scant_i_rows_add_words(scant_rows *rows, const char *cells,
                                    const scant_i_terms_plan *plan);
/* Rows without other columns: the words become columns of sparse rows. */
scant_status scant_i_rows_words_alone(scant_rows *rows);

#endif
