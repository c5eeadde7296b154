/* Prediction from the inside. */
#ifndef SCANT_I_PREDICT_H
#define SCANT_I_PREDICT_H

#include "learn/model.h"

typedef struct scant_i_answers {
    double *classes;    /* n x K, or NULL */
    double *components; /* n x M, or NULL */
    double *support;    /* n, or NULL */
    double *loglik;     /* n, or NULL */
    size_t without;     /* a factor whose columns are left unseen; SIZE_MAX: none */
} scant_i_answers;

/* Cells and labels are numbers of levels and classes: they mean the same only where the names do.
 * SCANT_ERR_INPUT where the rows' columns or levels (and, with `labels`, classes) are not the
 * model's. */
scant_status scant_i_check_names(const scant_model *model, const scant_rows *rows, bool labels);

scant_status scant_i_predict(const scant_model *model, const scant_rows *rows,
                             const scant_predict_options *options, const scant_i_answers *answers);

#endif
