/* Votes from the inside: sparse rows with a column for each answer of each predictor.
 *
 * Row i is item i. Predictor c's answer a is column c l + a, so a row has as many entries as the
 * item has answers, and an answer that is missing is not there at all. Entries are all one, so the
 * rows have no values. True classes are the rows' labels. */
#ifndef SCANT_I_VOTES_H
#define SCANT_I_VOTES_H

#include <scant/audit.h>
#include "data/rows.h"

struct scant_votes {
    size_t npredictors, nclasses;
    char **predictor; /* names */
    scant_rows *rows; /* labels.classes are the classes' names */
};

/* The item's columns, ascending; *n of them. */
static inline const int32_t *scant_i_votes_of(const scant_votes *votes, size_t item, size_t *n)
{
    const scant_i_csr *sparse = &votes->rows->sparse;
    *n = sparse->start[item + 1] - sparse->start[item];
    return sparse->column + sparse->start[item];
}

static inline const int32_t *scant_i_batch_votes(const scant_i_batch *batch, size_t i, size_t *n)
{
    *n = scant_i_batch_count(batch, i);
    return batch->sparse.column + scant_i_batch_start(batch, i);
}

/* The votes of one predictor, with truth and weights of all items. */
scant_status scant_i_votes_only(scant_votes **out, const scant_votes *votes, size_t predictor);

/* votes_table.c: from columns of categories, either a row an item and a column a predictor, or a
 * row a vote with the columns item, worker and answer. The rows' labels are true classes. Wide rows
 * hand over their weights and identifiers. Of the options `classes` and `missing` are heeded. */
scant_status scant_i_votes_from_wide(scant_votes **out, scant_rows *rows,
                                     const scant_votes_options *options);
scant_status scant_i_votes_from_long(scant_votes **out, scant_rows *rows,
                                     const scant_votes_options *options);

#endif
