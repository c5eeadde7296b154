/* A model's layout and settings, put to other rows. */
#ifndef SCANT_I_REFIT_H
#define SCANT_I_REFIT_H

#include "model/method.h"
#include "model/model.h"

/* Files keep floors, pseudo-counts and what is fixed as settings of the fit, not of its factors: puts them there,
 * with the method's M-step of the coupling. What they do not keep, an estimate of label noise that goes on and the
 * prior of covariances, ends with the fit, so that a model goes on as one out of its file does. */
void scant_i_mixture_settle(scant_i_mixture *mixture, const scant_model *model,
                            const scant_i_method *method);

typedef struct scant_i_refit_options {
    bool
        warm; /* from the model's parameters; else from starts of its own, as many as its fit had */
    uint64_t seed;
    size_t threads;
} scant_i_refit_options;

/* The model's mixture fitted to rows that have its columns and classes, labels exact or absent.
 * Tolerance and limits are those of the model's own fit. */
scant_status scant_i_refit(scant_i_mixture **out, const scant_model *model, const scant_rows *rows,
                           const scant_i_refit_options *options);

#endif
