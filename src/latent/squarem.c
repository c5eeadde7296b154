#include "latent/squarem.h"

#include <math.h>

enum { TRIES = 5 };
/* An extrapolation by alpha multiplies the rounding of theta0 by (1 + alpha)^2 and that of the two others by some 4 alpha^2, and
 * extrapolations that follow each other add up: probabilities should still sum to 1 within 1e-9. */
static const double ERROR_GROWTH_MOST = 5e6;

/* SCANT_OK: the parameters are in their domain */
static scant_status check_domain(const scant_i_mixture *mixture)
{
    for (size_t i = 0; i < mixture->nclasses * mixture->stride; i++)
        if (!(mixture->coupling.W[i] >= 0))
            return SCANT_ERR_INPUT;
    for (size_t i = 0; i < mixture->nties; i++)
        if (!(mixture->ties[i] >= 0))
            return SCANT_ERR_INPUT;
    scant_status status = SCANT_OK;
    for (size_t f = 0; f < mixture->nfactors && status == SCANT_OK; f++) {
        const scant_i_family *family = mixture->factor[f]->family;
        status = family->check(mixture->factor[f]);
        if (status == SCANT_OK && family->pass->within)
            status = family->pass->within(mixture->factor[f]);
    }
    return status;
}

/* |r| / |v| with each parameter measured against its own size, since their units differ */
static double step_length(const double *theta0, const double *theta1, const double *theta2,
                          size_t n)
{
    double rr = 0, vv = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(theta0[i]) + fabs(theta1[i]) + fabs(theta2[i]);
        if (!(size > 0))
            continue;
        double r = (theta1[i] - theta0[i]) / size;
        double v = (theta2[i] - 2 * theta1[i] + theta0[i]) / size;
        rr += r * r;
        vv += v * v;
    }
    return vv > 0 ? sqrt(rr / vv) : 1;
}

scant_status scant_i_squarem_extrapolate(bool *extrapolated, double *error_growth,
                                         scant_i_mixture *mixture, const double *theta0,
                                         const double *theta1, const double *theta2,
                                         double *extrapolation)
{
    size_t n = scant_i_mixture_size(mixture);
    double before = *error_growth, most = sqrt(ERROR_GROWTH_MOST / (before + 4));
    double alpha = -fmin(step_length(theta0, theta1, theta2, n), most);
    *extrapolated = false;
    for (int attempt = 0; !*extrapolated && attempt < TRIES && alpha < -1; attempt++) {
        for (size_t i = 0; i < n; i++) {
            double r = theta1[i] - theta0[i], v = theta2[i] - 2 * theta1[i] + theta0[i];
            extrapolation[i] = theta0[i] - 2 * alpha * r + alpha * alpha * v;
        }
        scant_i_mixture_restore(mixture, extrapolation);
        scant_status status = check_domain(mixture);
        if (status == SCANT_ERR_MEMORY)
            return status;
        *extrapolated = status == SCANT_OK;
        *error_growth = (before + 4) * alpha * alpha;
        alpha = 0.5 * (alpha - 1);
    }
    return SCANT_OK;
}
