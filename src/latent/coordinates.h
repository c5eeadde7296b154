/* All free parameters of a mixture as one vector without bounds, and the slope of an objective along it.
 *
 *   W      log W[k][j] of cells above 0, W = e^x / sum e^x (of a class, where its proportion is fixed)
 *          dO/dx_kj = N_kj - sum N W_kj / sum W
 *   theta  the families' own (scant_i_family_coordinates)
 *
 * The structure's ties, noise and R are no part of it. */
#ifndef SCANT_I_LATENT_COORDINATES_H
#define SCANT_I_LATENT_COORDINATES_H

#include "latent/problem.h"

/* NULL, or the family that has none. */
const char *scant_i_coordinates_refuse(const scant_i_mixture *mixture);
size_t scant_i_coordinates_count(const scant_i_mixture *mixture);
void scant_i_coordinates_get(const scant_i_mixture *mixture, double *x);
/* SCANT_ERR_INPUT: out of what the M-step keeps parameters to; the mixture is then to be thrown away. */
scant_status scant_i_coordinates_set(scant_i_mixture *mixture, const double *x);
/* Of the aim's objective with the log prior, after an E-step with statistics; no anchor may be in them. */
scant_status scant_i_coordinates_slope(const scant_i_problem *problem, double *slope);

#endif
