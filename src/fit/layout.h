/* From words to a mixture: which families over which columns, how many components for which class.
 */
#ifndef SCANT_I_LAYOUT_H
#define SCANT_I_LAYOUT_H

#include <scant/fit.h>
#include "latent/mixture.h"
#include "model/method.h"
#include "model/model.h"

/* A mixture laid out for the rows: factors with zeroed parameters, W > 0 where a component may
 * serve a class. With options->start (or a model as `init`) the parameters are that model's. */
scant_status scant_i_layout_new(scant_i_mixture **out, const scant_rows *rows,
                                const scant_fit_options *options, const scant_i_method *method,
                                const scant_model *start);

/* Does a fit with these options give some column a family that has covariances? */
scant_status scant_i_layout_has_covariances(bool *out, const scant_rows *rows,
                                            const scant_fit_options *options);

#endif
