/* SQUAREM's leap along the path of two EM steps. */
#ifndef SCANT_I_SQUAREM_H
#define SCANT_I_SQUAREM_H

#include "latent/mixture.h"

/* Puts theta0 - 2 alpha r + alpha^2 v into the mixture, r = theta1 - theta0, v = theta2 - 2 theta1
 * + theta0, alpha = -|r| / |v|, drawn towards -1 (which is theta2) until the parameters are in
 * their domain, and within what bounds M-steps. *leapt false: no leap, the mixture is undefined.
 * *magnified: how many times leaps have magnified the rounding of theta0, then of where the leap
 * goes; 1 after an M-step. `room` is as long as a theta. Fails only for want of memory. */
scant_status scant_i_squarem_leap(bool *leapt, double *magnified, scant_i_mixture *mixture,
                                  const double *theta0, const double *theta1, const double *theta2,
                                  double *room);

#endif
