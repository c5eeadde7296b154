/* Rows as if nothing were known of their classes: the posterior of log p(x), which conditional objectives take
 * away. Rows of which nothing is known have weight 0 in it, so that log p(x, e) - log p(x) is taken of all others
 * alone. */
#ifndef SCANT_I_LATENT_BLANK_H
#define SCANT_I_LATENT_BLANK_H

#include "latent/structure.h"

typedef struct scant_i_blank {
    scant_i_evidence evidence;
    scant_i_posterior posterior;
} scant_i_blank;

/* Borrows codes and weights of the posterior's evidence. */
scant_status scant_i_blank_new(scant_i_blank **out, const scant_i_posterior *posterior);
void scant_i_blank_free(scant_i_blank *blank);
/* Takes over the posterior's mixture and temperature. */
void scant_i_blank_prepare(scant_i_blank *blank, const scant_i_posterior *posterior);
/* log sum_k W[k][j], stride: what every row has for its evidence. */
const double *scant_i_blank_log_share(const scant_i_blank *blank);

#endif
