/* Minimising a smooth function of very many variables. */
#ifndef SCANT_I_DESCEND_H
#define SCANT_I_DESCEND_H

#include "solve/minimise.h"

/* L-BFGS as scant_i_minimise does it, without bounds and penalties (`l1` is not looked at), for problems where the function
 * costs hardly more than a few passes over x. Ends after max_iter iterations, when one lowers max(|value|, 1) by a smaller
 * share than tol, or where no step lowers it. Memory: 16 n doubles; O(20 n) flop an iteration. */
scant_status scant_i_descend(scant_i_minimum *out, double *x, size_t n,
                             const scant_i_minimise_options *options, scant_i_objective objective,
                             void *payload);

#endif
