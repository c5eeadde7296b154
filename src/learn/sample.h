/* Drawing from a model, from the inside. */
#ifndef SCANT_I_SAMPLE_H
#define SCANT_I_SAMPLE_H

#include "learn/model.h"

/* Cells of one row (in the places of the model's columns) from a component; `own` has room for as
 * many. */
scant_status scant_i_sample_cells(double *cells, const scant_i_mixture *mixture, size_t component,
                                  scant_i_random *random, double *own);

#endif
