/* E L(m + s Z) for the losses of learning-without-labels eq. 61-63 and the 0-1 loss. With t = m / s,
 * phi and Phi the standard normal density and distribution:
 *
 *   zero-one  [a < 0]          Phi(-t)
 *   exp       exp(-a)          exp(-m + s^2 / 2)
 *   hinge     max(1 - a, 0)    (1 - m) Phi((1 - m) / s) + s phi((1 - m) / s)
 *   log       log(1 + exp -a)  no closed form: the trapezoidal rule, see below */
#include "audit/loss.h"

#include <math.h>
#include <string.h>

static double normal_density(double z)
{
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

static double normal_below(double z)
{
    return erfc(-z / M_SQRT2) / 2;
}

static double zero_one(double a)
{
    return a < 0;
}

static double zero_one_expected(double m, double s, double slope[2])
{
    double t = m / s;
    slope[0] = -normal_density(t) / s;
    slope[1] = normal_density(t) * t / s;
    return normal_below(-t);
}

static double exponential(double a)
{
    return exp(-a);
}

static double exponential_expected(double m, double s, double slope[2])
{
    double e = exp(-m + s * s / 2);
    slope[0] = -e;
    slope[1] = s * e;
    return e;
}

static double hinge(double a)
{
    return fmax(1 - a, 0);
}

static double hinge_expected(double m, double s, double slope[2])
{
    double t = (1 - m) / s;
    slope[0] = -normal_below(t);
    slope[1] = normal_density(t);
    return (1 - m) * normal_below(t) + s * normal_density(t);
}

static double logistic(double a)
{
    return fmax(-a, 0) + log1p(exp(-fabs(a)));
}

/* The integrand is analytic for |Im z| < pi / s, so with step h the rule errs by about
 * exp(-2 pi^2 / (s h)), and by exp(-2 pi^2 / h^2) for the density's sake: h = 1/2 over the larger of
 * 1 and s leaves 1e-17. Past |z| = 9 nothing is left of the density. Spreads above a thousand get no
 * finer step: there the loss is hinge-like to one part in a million. */
static double logistic_expected(double m, double s, double slope[2])
{
    static const double REACH = 9, WIDEST = 1000;
    double h = 0.5 / fmin(fmax(s, 1), WIDEST), value = 0, first = 0, second = 0, mass = 0;
    long steps = (long)ceil(REACH / h);
    for (long i = -steps; i <= steps; i++) {
        double z = h * (double)i, a = m + s * z, w = exp(-z * z / 2);
        double slope_here = -1 / (1 + exp(a));
        mass += w;
        value += w * logistic(a);
        first += w * slope_here;
        second += w * slope_here * z;
    }
    slope[0] = first / mass;
    slope[1] = second / mass;
    return value / mass;
}

const scant_i_loss scant_i_losses[SCANT_LOSSES] = {
    [SCANT_LOSS_LOG] = {"log", logistic, logistic_expected},
    [SCANT_LOSS_HINGE] = {"hinge", hinge, hinge_expected},
    [SCANT_LOSS_EXP] = {"exp", exponential, exponential_expected},
    [SCANT_LOSS_ZERO_ONE] = {"zero-one", zero_one, zero_one_expected},
};

const scant_i_loss *scant_i_loss_find(const char *name)
{
    for (size_t l = 0; l < SCANT_LOSSES; l++)
        if (strcmp(scant_i_losses[l].name, name) == 0)
            return &scant_i_losses[l];
    return NULL;
}
