/* An EM for Gaussian mixtures written as the mathematics reads, one row at a time, with no regard
 * for speed: the oracle that the engine is held against. */
#ifndef NAIVE_EM_H
#define NAIVE_EM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct naive_em {
    size_t n, d, M, K;
    const double *x; /* n x d, NaN missing */
    const double *w; /* n */
    const double *v; /* n x K: evidence */
    const int *kind; /* n: 0 likelihood, 1 prior, 2 posterior; NULL: all 0 */
    bool component_major;
    const double *prior; /* K: fixed class proportions, or NULL */
    const char *covariance;
    double *c;     /* n x K: weights times class posteriors of the last step, or NULL */
    double *W;     /* M x K */
    double *mu;    /* M x d */
    double *S;     /* M x d x d, written out in full for every shape */
    double loglik; /* of the parameters before the last step */
} naive_em;

/* One E-step and one M-step; `loglik` is that of the parameters it started from. */
void naive_em_step(naive_em *em);
/* log N(x; mu, S) of the coordinates that are not NaN */
double naive_log_normal(const double *x, const double *mu, const double *S, size_t d);

#endif
