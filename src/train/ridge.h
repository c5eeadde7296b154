/* Multinomial logistic regression with a ridge: what the linear members of the stack share. */
#ifndef SCANT_I_TRAIN_RIDGE_H
#define SCANT_I_TRAIN_RIDGE_H

#include "base/base.h"

/* Minimises over B ((d + 1) x K, the last row the intercepts)
 *     C sum_i sum_k -t_ik log p_ik + sum_{c < d} |B_c|^2 / 2,   p_i = softmax(B' (x_i, 1))
 * where x is n x d and t, the targets, n x K. Rows of zeros in t have no part in it. */
scant_status scant_i_ridge_fit(double *B, const double *x, size_t n, size_t d, const double *t,
                               size_t K, double C);
/* The value, and its gradient of as many numbers as B. */
double scant_i_ridge_objective(double *gradient, const double *B, const double *x, size_t n,
                               size_t d, const double *t, size_t K, double C);
/* p: n x K */
void scant_i_ridge_probabilities(double *p, const double *B, const double *x, size_t n, size_t d,
                                 size_t K);
/* K numbers become softmax of themselves; the result is log(sum exp). */
double scant_i_softmax(double *p, size_t K);

#endif
