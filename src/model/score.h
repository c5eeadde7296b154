/* The score of a linear classifier: one number a row, f = weight . x + offset. A model that has one
 * is a mixture over that number, its only column; the rows' own columns are the score's. */
#ifndef SCANT_I_SCORE_H
#define SCANT_I_SCORE_H

#include "model/model.h"

/* Takes over the model's columns, which rows must have from here on; components see `score`. The
 * weights are zeroed. */
scant_status scant_i_score_new(scant_model *model);
void scant_i_score_free(scant_i_score *score);
/* The rows as components see them: n x 1. */
scant_status scant_i_score_rows(scant_rows **out, const scant_i_score *score,
                                const scant_rows *rows);
/* P(class 1 | f) = 1 / (1 + exp(-slope f)), moved to other proportions by the odds, into n x 2
 * probabilities; `given` are the model's own, `prior` NULL: no others. A row without a score gets
 * the proportions. */
void scant_i_score_classes(double *classes, const scant_i_score *score, const double *f, size_t n,
                           const double *given, const double *prior);

#endif
