/* Rates and standard errors from information. */
#ifndef SCANT_I_ERRORS_H
#define SCANT_I_ERRORS_H

#include "inform/information.h"

/* The largest eigenvalue of complete^-1 missing: the largest share of the information about some
 * parameter that is missing; and, unless an entry of W fades more slowly (information.h), the
 * factor by which a step of EM shrinks its distance to the maximum in the end. `component_major`
 * takes EM1's complete information in place of EM2's. At a maximum it is below 1.
 * SCANT_ERR_UNIDENTIFIED: even complete data would leave some parameter open. O(n^3). */
scant_status scant_i_missing_share(double *share, const scant_i_information *information,
                                   bool component_major);

/* Shares from here on are 1 but for rounding: the observed information is singular. */
#define SCANT_I_SHARE_MAX (1 - 1e-9)

/* The inverse of the observed information (n x n): the covariance of the estimates in the chart.
 * `share` is EM2's missing share. SCANT_ERR_UNIDENTIFIED: it is not positive definite. O(n^3). */
scant_status scant_i_estimate_covariance(double *covariance, const scant_i_information *information,
                                         double share);

/* All of these for a mixture: information, EM2's missing share, covariance (the caller frees). Sums are in single
 * precision (scant_i_information_quick) if that costs no variance more than a small share. SCANT_ERR_UNIDENTIFIED:
 * there is no covariance; the information is there if *share is a number. */
scant_status scant_i_estimate_all(scant_i_information *out, double *share, double **covariance,
                                  const scant_i_mixture *mixture, const scant_rows *rows,
                                  const scant_i_evidence *evidence, size_t threads);

/* The same where the objective is no likelihood: covariance = I^-1 V I^-1, in place of I^-1, with
 * V the covariance of the objective's score (scant_i_score_products). */
scant_status scant_i_estimate_sandwich(double *covariance, const double *products, size_t n);

/* Standard errors of the user's parameters, as long as a mixture's vector (scant_i_mixture_size),
 * by the delta method; `covariance` as above. 0: not estimated. */
scant_status scant_i_standard_errors(double *errors, const scant_i_information *information,
                                     const scant_i_mixture *mixture, const double *covariance);

#endif
