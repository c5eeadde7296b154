/* How generative a discriminative fit should be, chosen on held-out labels. */
#ifndef SCANT_I_HYBRID_H
#define SCANT_I_HYBRID_H

#include <scant/fit.h>

/* Is it to be chosen? */
bool scant_i_hybrid_is_open(const scant_fit_options *options);
/* Chooses --hybrid, and with it what else is SCANT_AUTO; the likelihood alone may be what is chosen. With a class of a
 * single label nothing can be held out, and S is 1. */
scant_status scant_i_hybrid_settle(scant_fit_options *options, const scant_rows *rows);

#endif
