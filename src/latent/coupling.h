/* The coupling of M components to K classes, and what goes with it in a row's table g[j][k].
 *
 *   W[k][j] = P(component j, class k) = P_k pi_jk, at W + k * stride + j, padding 0
 *   Z[k][j] = 1 where W[k][j] > 0: zeros are absorbing in every update
 *
 * Whoever owns it knows its shape (M, stride and K). */
#ifndef SCANT_I_LATENT_COUPLING_H
#define SCANT_I_LATENT_COUPLING_H

#include "base/base.h"

typedef struct scant_i_coupling {
    double *W;        /* K x stride */
    double *prior;    /* K: fixed class proportions, or NULL: estimated */
    double *fallback; /* K: class proportions where no row reports any (every row brings its own) */
    double *R;        /* K x stride: a further factor on every row's likelihood, or NULL: 1 */
    bool R_free;      /* R is estimated: R[k][j] = N[k][j] / N_j */
    double *noise; /* K x K: P(label y is seen | class k) at k * K + y, or NULL: labels are right */
    bool noise_free;      /* noise is estimated */
    bool component_major; /* the coupling's M-step: see posterior.h */
} scant_i_coupling;

scant_status scant_i_coupling_new(scant_i_coupling *out, size_t nclasses, size_t stride);
scant_status scant_i_coupling_copy(scant_i_coupling *out, const scant_i_coupling *coupling,
                                   size_t nclasses, size_t stride);
void scant_i_coupling_clear(scant_i_coupling *coupling);
/* W, R and noise of `from` into `to`, which has the same shape. */
void scant_i_coupling_assign(scant_i_coupling *to, const scant_i_coupling *from, size_t nclasses,
                             size_t stride);

#endif
