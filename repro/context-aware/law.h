/* Laws: how a component of a simulated mixture makes a row.
 *
 * theta of a component     columns of a row
 *   normal   mu, s                       x      one column, deviation s
 *   plane    mu1, mu2, s11, s12, s22     x1 x2  two columns, covariance
 *   maxwell  a                           x      scale
 *   line     b0, b1, s                   x y    y given x, deviation s
 * These are the parameters the paper measures distances and standard errors in. */
#ifndef LAW_H
#define LAW_H

#include <stdio.h>
#include "draws.h"

enum { THETA_MAX = 5, ARRAYS_MAX = 2 };

/* How far apart two components of a law are. */
typedef enum divergence { FORWARD, REVERSE, SYMMETRIC } divergence;

typedef struct law {
    const char *family;          /* scant's name of it */
    const char *setting, *value; /* what a factor of that family says of itself in a model file */
    size_t ncolumns, narrays, ntheta;
    size_t deviation; /* the one of theta whose square the library has; THETA_MAX: none */
    bool either_side; /* an equation for the place has two roots of which neither comes first */
    /* Draws a component as appendix D of the paper has it. */
    void (*spread)(double *theta, draws *d);
    /* Moves `theta` so that its divergence from `reference` is `distance`, keeping its spread;
     * false where the spreads alone are further apart. FORWARD is KL(theta || reference),
     * SYMMETRIC the mean of both directions. `sign` says to which side. NULL: cannot be placed. */
    bool (*place)(double *theta, const double *reference, divergence kind, double distance,
                  double sign, draws *d);
    void (*draw)(const double *theta, draws *d, double *x);
    /* The arrays of a model file for components theta[j], as members of a JSON object. */
    void (*write)(FILE *out, double (*theta)[THETA_MAX], size_t ncomponents);
    /* Component j from the arrays of a fitted model, or from those of its standard errors; but
     * for the deviation, which is squared there. */
    void (*read)(double *theta, const double *const *array, size_t j);
} law;

extern const law law_normal, law_plane, law_maxwell, law_line;

#endif
