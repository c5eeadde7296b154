/* How sure a model is, from the inside. */
#ifndef SCANT_I_LEARN_INFORM_H
#define SCANT_I_LEARN_INFORM_H

#include <scant/fit.h>
#include "model/model.h"

/* What was fitted to which rows, as the engine saw it. */
typedef struct scant_i_fitted {
    scant_i_mixture *mixture;
    const scant_rows *rows; /* as the families want them */
    scant_rows *owned;      /* or NULL: they are the caller's */
    scant_i_evidence evidence;
    scant_i_survey survey; /* of the evidence */
} scant_i_fitted;

/* SCANT_ERR_INPUT: the rows are not such as the model was fitted to. Their cells are not looked
 * through again: the fit did, and one that no component can make is found by the pass. */
scant_status scant_i_fitted_new(scant_i_fitted *out, const scant_model *model,
                                const scant_rows *rows);
void scant_i_fitted_clear(scant_i_fitted *fitted);
/* A copy of the model's mixture with what the fit was told: what was fixed, and pseudo-counts. */
scant_status scant_i_model_recall(scant_i_mixture **out, const scant_model *model);

/* The model's errors from fits to drawn rows (bootstrap.c); its information must be there. */
scant_status scant_i_bootstrap(scant_model *model, const scant_i_fitted *fitted,
                               const scant_fit_options *options, size_t draws);

#endif
