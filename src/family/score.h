/* Scores of families whose columns are independent and whose K does not depend on the row: features
 * are (1, T), the score of an entry of eta is T - K1 where its column is present and 0 where it is
 * not. */
#ifndef SCANT_I_SCORE_H
#define SCANT_I_SCORE_H

#include "family/family.h"

size_t scant_i_plain_nfeatures(const scant_i_factor *factor);
void scant_i_plain_features(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                            size_t ld, double *room);
scant_status scant_i_plain_score(const scant_i_factor *factor, size_t component,
                                 const uint8_t *present, double *A);
scant_status scant_i_plain_information(const scant_i_factor *factor, size_t component,
                                       const uint8_t *present, const double *S, double *complete,
                                       double *missing);

/* Needs `column_of` as well. */
#define SCANT_I_PLAIN_SCORES                                                                       \
    .nfeatures = scant_i_plain_nfeatures, .begins_with_one = true,                                 \
    .features = scant_i_plain_features, .score = scant_i_plain_score,                              \
    .information = scant_i_plain_information

#endif
