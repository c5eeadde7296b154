/* Newton's method with Levenberg's damping, for whoever has value, gradient and curvature of what it raises: audits of votes and
 * of numbers.
 *
 *   (I + damping 1) step = g,   I = minus the curvature
 *
 * A step that does not raise the value is not taken, and the next is drawn towards the gradient. Cost of a step:
 * one look, and n^3. */
#ifndef SCANT_I_NEWTON_H
#define SCANT_I_NEWTON_H

#include "base/base.h"

typedef struct scant_i_newton {
    size_t n;    /* coordinates */
    size_t most; /* steps */
    double small,
        largest; /* coordinates that move by less end it; by more is further than a quadratic can tell */
    double rounding; /* relative: a fall by less is none */
    double damping;  /* the least after a step that failed; 0: such a step ends it */
    /* Value, gradient (n) and information (n x n) at the candidate, which is the start at first. */
    scant_status (*look)(double *value, double *gradient, double *information, void *payload);
    void (*move)(const double *step, void *payload); /* the candidate is a step from the point */
    void (*keep)(double value, void *payload);       /* the candidate becomes the point */
    void *payload;
} scant_i_newton;

/* *settled: the last step was less than `settled_at` in every coordinate. Where `look` fails, its status, and the
 * point is the best so far. */
scant_status scant_i_newton_climb(const scant_i_newton *newton, double settled_at, bool *settled);

#endif
