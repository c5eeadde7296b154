/* A chain: rows of a sequence are steps, and components hidden states that follow each other.
 *
 *   p(x, e) = sum over paths s of  start[s_1] prod_t A[s_{t-1}][s_t]  prod_t F_{t,s_t} b_{t,s_t}
 *   b_tj    = sum_k B_jk v_t[k],   B_jk = W[k][j] / sum_l W[l][j] = P(class k | state j)
 *
 * The mixture's `ties` are start (stride) and then A (M lines of stride), padding 0. Zeros are known:
 * they stay, and no other falls below SCANT_I_CHAIN_TRANSITION. W is read and estimated as occupancy: component-major. */
#ifndef SCANT_I_LATENT_CHAIN_H
#define SCANT_I_LATENT_CHAIN_H

#include "latent/structure.h"

extern const scant_i_structure scant_i_structure_chain;

/* Makes the mixture's components states of a chain: start and transitions even, in so far as `start` (M) and
 * `transitions` (M x M) are above 0; NULL: all are. */
scant_status scant_i_chain_lay(scant_i_mixture *mixture, const double *start,
                               const double *transitions);
static inline double *scant_i_chain_start(const scant_i_mixture *mixture)
{
    return mixture->ties;
}
static inline double *scant_i_chain_transitions(const scant_i_mixture *mixture)
{
    return mixture->ties + mixture->stride;
}

#endif
