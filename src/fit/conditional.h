/* A fit that goes on from the likelihood to the conditional likelihood of labels. */
#ifndef SCANT_I_FIT_CONDITIONAL_H
#define SCANT_I_FIT_CONDITIONAL_H

#include <scant/fit.h>

#include "latent/engine.h"
#include "model/model.h"

/* The likelihood's runs, from each of which the conditional likelihood is raised. */
typedef struct scant_i_conditional {
    size_t count, room;
    scant_i_mixture **start;
    double *objective; /* per unit weight, by which runs that came to the same are told */
    bool climbs;       /* by the gradient */
} scant_i_conditional;

/* Prepares: the likelihood's engine then keeps its runs. Errors are of what the method is not made for, and of classes
 * that no row is labeled with. */
scant_status scant_i_conditional_open(scant_i_conditional *out, scant_i_engine_options *engine,
                                      const scant_fit_options *options,
                                      const scant_i_mixture *layout, const scant_rows *rows,
                                      const scant_i_evidence *evidence,
                                      const scant_i_survey *survey);
void scant_i_conditional_close(scant_i_conditional *conditional);

/* `*run`, the likelihood's best, becomes the best of those from all its runs. */
scant_status scant_i_conditional_fit(scant_i_run **run, const scant_i_conditional *from,
                                     const scant_rows *rows, const scant_i_evidence *evidence,
                                     const scant_i_engine_options *engine,
                                     const scant_fit_options *options);
/* Says so where a conditional likelihood has no maximum. `rows` are those of the fit. */
scant_status scant_i_conditional_judge(scant_model *model, const scant_rows *rows,
                                       const scant_fit_options *options);

#endif
