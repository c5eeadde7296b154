/* Regularized Gaussians, one a class: what the members "gaussian" and "gaussian-em" share.
 *
 *   T       = (sum_k S_k + d I) / (N + d)        S_k = sum_i r_ik (x_i - m_k)(x_i - m_k)', N_k = sum_i r_ik
 *   Sigma_k = (S_k + d T) / (N_k + d)            d = number of columns
 *   log p(x, k) = log pi_k - log det(2 pi Sigma_k) / 2 - |L_k^-1 (x - m_k)|^2 / 2,   Sigma_k = L_k L_k'
 *
 * d rows' worth of prior draw each class to the pooled covariance, and that to the unit matrix, the spread of standardized
 * columns: with N_k << d little is left of a class's own shape, with N_k >> d nearly all. */
#ifndef SCANT_I_TRAIN_CLASSWISE_H
#define SCANT_I_TRAIN_CLASSWISE_H

#include "train/member.h"

enum { SCANT_I_TILE = 256 }; /* rows that are worked on together */

typedef struct scant_i_classwise {
    size_t d, K, lanes; /* lanes: d rounded up to the vector length */
    double *proportion; /* K: pi */
    double *mean;       /* K x d */
    double *covariance; /* K x d (d + 1) / 2, lower triangles row by row */
    double *whiten;     /* K x d x lanes: (L_k^-1)', padded with 0 */
    double *shift;      /* K x lanes: L_k^-1 m_k */
    double *constant;   /* K: log pi_k - log det(2 pi Sigma_k) / 2; -inf: a class without labels */
} scant_i_classwise;

scant_status scant_i_classwise_new(scant_i_classwise **out, size_t d, size_t K);
void scant_i_classwise_free(void *fitted);

/* Rows as the passes take them. */
typedef struct scant_i_classwise_room {
    double *tile;     /* d x SCANT_I_TILE: rows, transposed */
    double *y;        /* SCANT_I_TILE x lanes */
    double *scatter;  /* K x d x lanes: sums of r x x' */
    double *sum;      /* K x d */
    double *count;    /* K */
    double *triangle; /* 2 d x d */
} scant_i_classwise_room;
scant_status scant_i_classwise_room_new(scant_i_classwise_room *out, const scant_i_classwise *g);
void scant_i_classwise_room_clear(scant_i_classwise_room *room);

/* log p(x, k) of n <= SCANT_I_TILE rows into logp (n x K). Fills room->tile. */
void scant_i_classwise_log(double *logp, const scant_i_classwise *g, const double *x, size_t n,
                           scant_i_classwise_room *room);
/* Clears the sums; adds those of n <= SCANT_I_TILE rows with weights r (n x K); makes means and covariances of them. The
 * proportions are the caller's. */
void scant_i_classwise_clear(const scant_i_classwise *g, scant_i_classwise_room *room);
void scant_i_classwise_add(const scant_i_classwise *g, const double *x, const double *r, size_t n,
                           scant_i_classwise_room *room);
scant_status scant_i_classwise_update(scant_i_classwise *g, scant_i_classwise_room *room);

/* The fit to labeled rows alone: x is n x d, r n x K. Proportions are those of the labels. */
scant_status scant_i_classwise_fit(scant_i_classwise *g, const double *x, const double *r, size_t n,
                                   scant_i_classwise_room *room);
scant_status scant_i_classwise_probabilities(double *p, const scant_i_classwise *g, const double *x,
                                             size_t n);
scant_status scant_i_classwise_to_json(json_t *to, const scant_i_classwise *g);
scant_status scant_i_classwise_from_json(scant_i_classwise **out, const scant_i_place *place,
                                         const json_t *from, size_t d, size_t K);

#endif
