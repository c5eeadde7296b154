/* All classes in one problem, by pairwise constraints. */
#ifndef SCANT_I_MED_JOINT_H
#define SCANT_I_MED_JOINT_H

#include "med/gram.h"

/* Constraints (t, k), k != y_t, demand f_{y_t}(x_t) - f_k(x_t) >= margin of n rows with classes below K; multiplier
 * t (K - 1) + k', where k' counts the classes but y_t. With weights w^k_t = sum_j lambda_tj for k = y_t, else -lambda_tk,
 *
 *   Omega = 1/2 sum_k w^k' (vK + s2) w^k
 *
 * where s2 is the prior variance of each class's bias, b_k = s2 sum_t w^k_t. Borrows `base`, which has columns. */
scant_status scant_i_med_joint_space(scant_i_med_space *out, scant_i_med_gram *base,
                                     const int32_t *class_of, size_t nclasses,
                                     double bias_variance);
/* w (K x n) of the multipliers. */
void scant_i_med_joint_weights(double *w, const double *lambda, const int32_t *class_of, size_t n,
                               size_t nclasses);

#endif
