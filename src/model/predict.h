/* Prediction from the inside. */
#ifndef SCANT_I_PREDICT_H
#define SCANT_I_PREDICT_H

#include "model/model.h"

typedef struct scant_i_answers {
    double *classes;              /* n x K, or NULL */
    double *components;           /* n x M, or NULL */
    double *support;              /* n, or NULL */
    double *loglik;               /* n, or NULL */
    size_t without;               /* a factor whose columns are left unseen; SIZE_MAX: none */
    const scant_i_cancel *cancel; /* as of a problem */
} scant_i_answers;

/* Cells and labels are numbers of levels and classes: they mean the same only where the names do.
 * SCANT_ERR_INPUT where the rows' columns or levels (and, with `labels`, classes) are not the
 * model's. */
scant_status scant_i_check_names(const scant_model *model, const scant_rows *rows, bool labels);

/* Rows that a model is asked about, and the model as the options have it. */
typedef struct scant_i_asked {
    scant_i_mixture *mixture;
    const scant_rows *rows;    /* as the families want them */
    scant_rows *owned;         /* or NULL: they are the caller's, or: */
    scant_rows *scores;        /* a linear classifier's, or NULL */
    scant_i_evidence evidence; /* each row is one row, whatever its weight */
} scant_i_asked;
/* `mixture` is the model's, and taken over, also on failure; `without` as above. */
scant_status scant_i_asked_new(scant_i_asked *out, const scant_model *model,
                               scant_i_mixture *mixture, const scant_rows *rows,
                               const scant_predict_options *options, size_t without);
void scant_i_asked_clear(scant_i_asked *asked);

/* The caller's options, checked for a model of these classes, become `taken`; NULL: the presets. */
scant_status scant_i_predict_options_take(scant_predict_options *taken,
                                          const scant_predict_options *options,
                                          const scant_model *model);
scant_status scant_i_predict(const scant_model *model, const scant_rows *rows,
                             const scant_predict_options *options, const scant_i_answers *answers);
scant_status scant_i_predict_target(const scant_model *model, const scant_rows *rows,
                                    const scant_predict_options *options,
                                    const scant_i_cancel *cancel, double *target);

#endif
