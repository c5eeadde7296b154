/* Rows without labels, or with class probabilities only: their labels are random variables that are averaged over.
 *
 * K is the kernel matrix of all rows (n x n, row-major, borrowed), v K + s2 where the weights have variance v and the bias
 * N(0, s2): there is no bias beside it. The discriminant of any row x is f(x) = sum_t coefficient_t K(x_t, x). */
#ifndef SCANT_I_MED_TRANSDUCTION_H
#define SCANT_I_MED_TRANSDUCTION_H

#include "med/med.h"

/* Omega = (s beta)'(K + diag(own)) (s beta) / 2: rows scaled by s (NULL: 1), `own` (NULL: 0) variances of single rows. All
 * are borrowed, and may change between values. */
scant_status scant_i_med_matrix_space(scant_i_med_space *out, const double *K, const double *scale,
                                      const double *own, size_t n);

/* side: +1, -1; 0 is without a label, y ~ N(0, kappa^-2), with a multiplier of its own for E[y f(x)] >= margin. */
scant_status scant_i_med_label_space(scant_i_med_space *out, const double *K, const int8_t *side,
                                     size_t n, double kappa);
/* kappa = r (c - 1) sqrt(largest eigenvalue of K among rows without labels). */
scant_status scant_i_med_kappa(double *kappa, const double *K, const int8_t *side, size_t n,
                               double c, double r);
/* Coefficients of f, and E[y] of every row. */
scant_status scant_i_med_label_posterior(double *coefficient, double *label,
                                         const scant_i_med_space *space, const double *beta);

typedef struct scant_i_med_transduction {
    double *coefficient;                 /* n: of f */
    double *label;                       /* n: E[y_t]; the label of labeled rows */
    double *f;                           /* n */
    double divergence;                   /* KL of the posterior from the prior: what is minimised */
    scant_i_med_certificate certificate; /* of the weights, given the labels' means */
    scant_stop stop;
    size_t rounds;
} scant_i_med_transduction;
void scant_i_med_transduction_clear(scant_i_med_transduction *t);

/* Gaussian labels by the rule r. margin exponential, c > 1. */
scant_status scant_i_med_gaussian_labels(scant_i_med_transduction *out, const double *K,
                                         const int8_t *side, size_t n, double c, double r,
                                         const scant_i_med_control *control);
/* Mean field: labels are +-1 with prior probability `positive` of +1 (1 and 0 are labels that are known, 1/2 none), independent
 * of the weights. Two local minima of the divergence are looked for, one from the prior's means of the labels, one along rising
 * c; no round raises it, and the lower one is kept. */
scant_status scant_i_med_mean_field(scant_i_med_transduction *out, const double *K,
                                    const double *positive, size_t n, double c,
                                    const scant_i_med_control *control);
/* Regression with whitened targets (mean 0, variance 1): known ones (NaN: not), tube c and epsilon, y ~ N(0, 1) where not
 * known. label: E[y]. */
scant_status scant_i_med_whitened(scant_i_med_transduction *out, const double *K,
                                  const double *target, size_t n, double c, double epsilon,
                                  const scant_i_med_control *control);

/* Targets to normal scores and back, by the order statistics of those that are known (sorted), with straight lines between
 * them and beyond. */
double scant_i_med_to_normal(const double *sorted, size_t n, double y);
double scant_i_med_from_normal(const double *sorted, size_t n, double z);

#endif
