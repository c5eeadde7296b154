/* Drawing from a model, from the inside. */
#ifndef SCANT_I_SAMPLE_H
#define SCANT_I_SAMPLE_H

#include "model/model.h"

/* Cells of one row (in the places of the model's columns) from a component; `own` has room for as
 * many. Where `like`, a row of data, is not NULL, what the model does not speak of is taken from
 * it: inputs of a regression, totals of counts, which cells are missing. It may be `cells`. */
scant_status scant_i_sample_cells(double *cells, const scant_i_mixture *mixture, size_t component,
                                  scant_i_random *random, const double *like, double *own);

/* n rows drawn from the model, with their classes as labels; row i is like row i % nrows of `rows`
 * (dense) in what the model does not speak of. */
scant_status scant_i_sample_like(scant_rows **out, const scant_model *model, const scant_rows *rows,
                                 size_t n, uint64_t seed);

#endif
