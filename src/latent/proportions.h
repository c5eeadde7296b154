/* The coupling's part of a bound (cem.c): proportions alpha of cells that sum to `total`, at the maximum of
 *
 *   sum_m [ N_m log alpha_m - (G_m / p) (alpha_m / before_m)^p ],   N, G >= 0, p >= 2
 *
 * The second term stands for sum_i log sum_m h_im (alpha_m / before_m), with G_m = sum_i h_im: by Hoelder
 * log sum_m h_m a_m b_m <= (1/p) log sum_m h_m a_m^p + (1/q) log sum_m h_m b_m^q, and log z <= z - 1. */
#ifndef SCANT_I_LATENT_PROPORTIONS_H
#define SCANT_I_LATENT_PROPORTIONS_H

#include "base/base.h"

/* Cells with before = 0 stay at 0. Some N must be above 0. */
void scant_i_bounded_proportions(double *alpha, const double *before, const double *N,
                                 const double *G, size_t n, unsigned p, double total);

#endif
