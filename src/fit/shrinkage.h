/* What the prior of Gaussian covariances shrinks to, and how much. */
#ifndef SCANT_I_SHRINKAGE_H
#define SCANT_I_SHRINKAGE_H

#include <scant/fit.h>

#include "latent/mixture.h"

/* Sets the targets of the Gaussian factors that have a prior, once the mixture has its units. Without
 * labels, and with tied shapes, it is the data's variances. */
scant_status scant_i_shrinkage_aim(scant_i_mixture *mixture, const scant_rows *rows);
/* The strength that auto stands for with these rows. */
double scant_i_shrinkage_choose(const scant_rows *rows);

#endif
