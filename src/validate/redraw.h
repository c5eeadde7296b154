/* Rows drawn from a model in the image of those it was fitted to. */
#ifndef SCANT_I_REDRAW_H
#define SCANT_I_REDRAW_H

#include "latent/posterior.h"
#include "model/inform.h"

/* What all draws share. A row stands for each unit of weight. */
typedef struct scant_i_redraw {
    const scant_i_fitted *fitted;
    scant_i_posterior posterior; /* prepared */
    size_t nsites;
    size_t *site;     /* nsites: row of the data */
    double *reach[2]; /* K x nsoft, of sets and of probabilities: running sums over the soft vectors
                         of how often each comes with class k */
} scant_i_redraw;

/* SCANT_ERR_ARGUMENT: a weight is no whole number. */
scant_status scant_i_redraw_new(scant_i_redraw *out, const scant_i_fitted *fitted);
void scant_i_redraw_clear(scant_i_redraw *redraw);

/* For each site a row: component and class from the coupling, or from the row's own probabilities
 * where they stand in place of the proportions; cells from the component, those absent in the data
 * absent, inputs and totals as there. Its evidence is of the data's sort:
 *     nothing known     nothing; where unlabelled rows are a class of their own, as that is drawn
 *     a label           the class drawn, seen through the model's noise
 *     a set, weights    a vector of the data's of that sort, by how it speaks for the class drawn
 *     replace, fix      the row's own */
scant_status scant_i_redraw_rows(scant_rows **out, const scant_i_redraw *redraw, uint64_t seed,
                                 uint64_t draw);

#endif
