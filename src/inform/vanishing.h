/* Entries of W that are on their way to 0.
 *
 * A step of EM2 makes W[k][j] the share N_jk / N_k of its class. At a maximum that is what it was, but for entries that
 * are 0 there: EM comes closer to those step by step, and its tolerance decides where it stops. */
#ifndef SCANT_I_VANISHING_H
#define SCANT_I_VANISHING_H

#include "latent/posterior.h"

/* What a step leaves of W[k][j] > 0, N_jk / (N_k pi_jk), from the counts N (posterior.h); 0 where the class has no rows. */
double scant_i_vanishing_factor(const scant_i_mixture *mixture, const double *N, size_t k,
                                size_t j);

/* Sends entries on that come to less than half a row and of which a step takes a twentieth or more, so that they are no
 * parameters (chart.h), wherever the fit ended; the class's other entries take them over. */
scant_status scant_i_vanishing_send_on(scant_i_mixture *mixture, const scant_rows *rows,
                                       const scant_i_evidence *evidence, size_t threads);

#endif
