/* SQUAREM's extrapolation along the path of two EM steps. */
#ifndef SCANT_I_SQUAREM_H
#define SCANT_I_SQUAREM_H

#include "latent/mixture.h"

/* Puts theta0 - 2 alpha r + alpha^2 v into the mixture, r = theta1 - theta0, v = theta2 - 2 theta1
 * + theta0, alpha = -|r| / |v|, drawn towards -1 (which is theta2) until the parameters are in
 * their domain, and within what bounds M-steps. *extrapolated false: no extrapolation, the mixture is undefined.
 * *error_growth: how many times extrapolations have multiplied the rounding of theta0, then of where the extrapolation
 * goes; 1 after an M-step. `room` is as long as a theta. Fails only for want of memory. */
scant_status scant_i_squarem_extrapolate(bool *extrapolated, double *error_growth,
                                         scant_i_mixture *mixture, const double *theta0,
                                         const double *theta1, const double *theta2, double *room);

#endif
