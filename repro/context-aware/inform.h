/* Information in a sample whose components are not seen.
 *
 * A source tells, for row i and component j, log c_ij = log P(row i and component j) and its
 * gradient and Hessian in the parameters theta. With r_ij = c_ij / sum_j c_ij,
 *     l         = sum_i log sum_j c_ij                          the observed log-likelihood
 *     score     = sum_i E[d log c_i]                            its gradient
 *     complete  = sum_i E[-d2 log c_i]                          I_c, were components seen
 *     missing   = sum_i Cov[d log c_i]                          I_m, lost since they are not
 * with E and Cov over r_i. complete - missing is minus the Hessian of l, exactly and at any theta
 * (Louis 1982; context-aware mixtures eq. 4-5 and appendix C, where eq. 35 lacks a minus and eq.
 * 39-40 have b squared for b).
 *
 * Cost: rows x components x parameters^2. */
#ifndef INFORM_H
#define INFORM_H

#include <stdbool.h>
#include <stddef.h>

enum { PARAMETERS_MAX = 16 };

typedef struct inform_source {
    size_t nrows, ncomponents, nparameters;
    /* log c_ij; -INFINITY where the row cannot be the component's, and then nothing else. `score`
     * (nparameters) and `hessian` (nparameters x nparameters) are zero on entry. */
    double (*complete)(double *score, double *hessian, size_t row, size_t component,
                       const void *payload);
    const void *payload;
} inform_source;

typedef struct information {
    size_t nparameters;
    double loglik;
    double score[PARAMETERS_MAX];
    double complete[PARAMETERS_MAX * PARAMETERS_MAX]; /* nparameters x nparameters */
    double missing[PARAMETERS_MAX * PARAMETERS_MAX];
} information;

void inform(information *out, const inform_source *source);

/* Standard errors: roots of the diagonal of (complete - missing)^-1. False where that is not
 * positive definite: theta is no regular maximum. */
bool inform_errors(double *errors, const information *info);
/* EM's rate of convergence: the largest share of information that is missing, the spectral radius
 * of complete^-1 missing. False where complete is not positive definite. */
bool inform_rate(double *rate, const information *info);
/* Where EM would go from theta, to first order: complete^-1 score. Likewise. */
bool inform_step(double *step, const information *info);

#endif
