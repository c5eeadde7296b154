/* Minimising a smooth function, with an L1 penalty where it is asked for. */
#ifndef SCANT_I_MINIMISE_H
#define SCANT_I_MINIMISE_H

#include "base/base.h"

/* The function's value at x, and its gradient (as many numbers as x). */
typedef scant_status (*scant_i_objective)(double *value, double *gradient, const double *x,
                                          void *payload);
/* Called between two iterations; true: stop here. */
typedef bool (*scant_i_enough)(size_t iteration, double value, void *payload);

typedef struct scant_i_minimise_options {
    const double *l1; /* n: penalty on |x_i|, 0: none; NULL: none at all */
    size_t max_iter;
    double tol;            /* stop when an iteration lowers max(|value|, 1) by a smaller share */
    scant_i_enough enough; /* or NULL */
} scant_i_minimise_options;

typedef struct scant_i_minimum {
    double value; /* the penalty included */
    size_t iterations;
    bool converged; /* false: max_iter was reached, or `enough` said so */
} scant_i_minimum;

/* L-BFGS from x, which becomes the best point met. Coordinates with a penalty are x = u - v with
 * u, v >= 0, so that the penalty is linear and the bounded method (L-BFGS-B) applies; zeros of the
 * result are exact. Memory: 2 n (CORRECTIONS + 4) doubles and more where there are penalties. */
scant_status scant_i_minimise(scant_i_minimum *out, double *x, size_t n,
                              const scant_i_minimise_options *options, scant_i_objective objective,
                              void *payload);

#endif
