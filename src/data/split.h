/* Folds for cross-validation. */
#ifndef SCANT_I_SPLIT_H
#define SCANT_I_SPLIT_H

#include "data/rows.h"

/* fold[i] in 0..nfolds-1 for the rows whose label is exact, spread evenly over the folds class by
 * class; -1 (always in training) for all others. Without any exact label every row gets a fold.
 * Rows of one group (rows->group) get the same, those without a label, too. Rows of weight 0 are not dealt
 * out and change nothing. The same seed gives the same folds.
 * O(nrows), and O(groups (nfolds + log groups)) with groups. */
scant_status scant_i_split_folds(int32_t *fold, const scant_rows *rows, size_t nfolds,
                                 uint64_t seed);

#endif
