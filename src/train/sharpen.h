/* How sure a member may be. Members differ in how far their probabilities lie from 1 / K: naive Bayes of long texts is too
 * sure, a regression with a ridge not sure enough. Held-out labels say by how much, which is one number a member:
 *
 *   q_k(s) = (1 - MIX) p_k^s / sum_j p_j^s + MIX / K
 *   s maximises sum_i log sum_k t_ik q_ik(s) - (log s)^2 / (2 SPREAD^2)
 *
 * A member's order of classes stays; what changes is how much it counts among the others. MIX: nobody is ever sure. */
#ifndef SCANT_I_TRAIN_SHARPEN_H
#define SCANT_I_TRAIN_SHARPEN_H

#include "base/base.h"

/* p, n x K, becomes q(s). */
void scant_i_sharpen(double *p, size_t n, size_t K, double s);

/* Rows that were held out: probabilities p and targets t, n x K, and folds; fold -1: the row was not held out. */
typedef struct scant_i_held {
    const double *p, *t;
    const int32_t *fold;
    size_t n, K, nfolds;
} scant_i_held;

/* s[f] of the rows of all folds but f, for each fold, and s[nfolds] of all: labels that measure the stack choose nothing. */
scant_status scant_i_find_sharpness(double *s, const scant_i_held *held);

#endif
