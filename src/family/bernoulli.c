/* Bernoulli: cells 0 or 1, independent.
 *
 *   f(x) = p^x (1 - p)^(1 - x)         probabilities p, M x d
 *   T = x,  eta = log(p / (1 - p)),  K = log(1 + e^eta) = -log(1 - p),  A = 0
 *   M-step  p = (S + smooth) / (N + 2 smooth), the maximum of the expected log-likelihood plus
 *           smooth (log p + log(1 - p)); smooth 0 allows p = 0 and p = 1
 *   cost    2 nrows d M flop for either half of a pass; sparse: nonzeros in place of nrows d */
#include "family/columns.h"

#include <float.h>
#include <math.h>

static const char *expected(double x)
{
    return x == 0 || x == 1 ? NULL : "expected 0 or 1";
}

static const char *unfit(const double *parameter)
{
    return parameter[0] >= 0 && parameter[0] <= 1 ? NULL : "a probability is not within 0 and 1";
}

static void features(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n)
{
    (void)factor, (void)c, (void)T, (void)base, (void)n; /* T is x, A is 0 */
}

static void natural(const double *parameter, double *eta)
{
    eta[0] = log(parameter[0]) - log1p(-parameter[0]);
}

static void from_natural(const double *eta, double *parameter)
{
    parameter[0] = eta[0] > 0 ? 1 / (1 + exp(-eta[0])) : exp(eta[0]) / (1 + exp(eta[0]));
}

static double tables(const scant_i_factor *factor, size_t c, const double *parameter, double *eta)
{
    (void)factor, (void)c;
    natural(parameter, eta);
    return parameter[0] < 1 ? -log1p(-parameter[0]) : 0;
}

static void expect(const scant_i_factor *factor, size_t c, const double *parameter, double *T)
{
    (void)factor, (void)c;
    T[0] = parameter[0];
}

static bool possible(const scant_i_factor *factor, size_t c, double N, const double *S)
{
    double smooth = factor->settings.smooth, slack = SCANT_I_SLACK * N;
    (void)c;
    return S[0] + smooth >= 0 && S[0] <= N + smooth + slack;
}

static bool fit(const scant_i_factor *factor, size_t c, double N, const double *S,
                double *parameter)
{
    double smooth = factor->settings.smooth;
    (void)c;
    /* S may pass N by rounding, and a pseudo-count may be lost in it */
    parameter[0] = fmin((S[0] + smooth) / (N + 2 * smooth), smooth > 0 ? 1 - DBL_EPSILON / 2 : 1);
    return false;
}

static double log_prior(const scant_i_factor *factor, const double *parameter)
{
    double smooth = factor->settings.smooth;
    return smooth > 0 ? smooth * (log(parameter[0]) + log1p(-parameter[0])) : 0;
}

static double prior_slope(const scant_i_factor *factor, const double *parameter)
{
    return factor->settings.smooth * (1 - 2 * parameter[0]);
}

static void sufficient(double x, double *T)
{
    T[0] = x;
}

static bool cumulant(const double *eta, double *K, double *K1, double *K2)
{
    double small = exp(-fabs(eta[0]));
    *K = fmax(eta[0], 0) + log1p(small);
    K1[0] = (eta[0] > 0 ? 1 : small) / (1 + small);
    K2[0] = small / ((1 + small) * (1 + small));
    return isfinite(eta[0]);
}

static double sample(const double *parameter, scant_i_random *random)
{
    return scant_i_random_uniform(random) < parameter[0] ? 1 : 0;
}

static const scant_i_column_law law = {
    .nfeatures = 1,
    .parameters = {"probabilities"},
    .expected = expected,
    .unfit = unfit,
    .features = features,
    .tables = tables,
    .expect = expect,
    .possible = possible,
    .fit = fit,
    .log_prior = log_prior,
    .prior_slope = prior_slope,
    .range = SCANT_I_RANGE_SHARES,
    .natural = natural,
    .from_natural = from_natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .sample = sample,
};

const scant_i_family scant_i_bernoulli = {
    .name = "bernoulli",
    .summary = "cells 0 or 1, independent",
    .sparse = true,
    .law = &law,
    SCANT_I_COLUMNS_FAMILY,
    .reach = &scant_i_columns_reach,
};
