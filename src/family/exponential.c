/* Exponential: waiting times, independent.
 *
 *   f(x) = e^(-x / m) / m, x >= 0      means m (1 / rate), M x d
 *   T = x,  eta = -1 / m,  K = -log(-eta) = log m,  A = 0
 *   M-step  m = S / N, held at or above max(SCANT_I_LEAST, sqrt(min_variance) scale): the standard
 *           deviation is m. The likelihood has one maximum in m, so holding it there is exact.
 *   cost    2 nrows d M flop for either half of a pass; sparse: nonzeros in place of nrows d */
#include "family/columns.h"

#include <math.h>

static const char *expected(double x)
{
    return x >= 0 && x <= SCANT_I_MOST ? NULL : "expected a number from 0 to 1e100";
}

static const char *unfit(const double *parameter)
{
    return parameter[0] > 0 && isfinite(parameter[0]) ? NULL : "a mean is not positive and finite";
}

static void features(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n)
{
    (void)factor, (void)c, (void)T, (void)base, (void)n; /* T is x, A is 0 */
}

static void natural(const double *parameter, double *eta)
{
    eta[0] = -1 / parameter[0];
}

static void from_natural(const double *eta, double *parameter)
{
    parameter[0] = -1 / eta[0];
}

static double tables(const scant_i_factor *factor, size_t c, const double *parameter, double *eta)
{
    (void)factor, (void)c;
    natural(parameter, eta);
    return log(parameter[0]);
}

static double least_mean(const scant_i_factor *factor, size_t c)
{
    return fmax(SCANT_I_LEAST, sqrt(factor->settings.min_variance) * factor->scale[c]);
}

static bool within(const scant_i_factor *factor, size_t c, const double *parameter)
{
    return parameter[0] >= least_mean(factor, c) * (1 - SCANT_I_SLACK);
}

static void expect(const scant_i_factor *factor, size_t c, const double *parameter, double *T)
{
    (void)factor, (void)c;
    T[0] = parameter[0];
}

static bool possible(const scant_i_factor *factor, size_t c, double N, const double *S)
{
    (void)factor, (void)c;
    return S[0] >= 0 && isfinite(S[0] / N);
}

static bool fit(const scant_i_factor *factor, size_t c, double N, const double *S,
                double *parameter)
{
    double least = least_mean(factor, c);
    parameter[0] = fmax(S[0] / N, least);
    return parameter[0] <= least;
}

static void sufficient(double x, double *T)
{
    T[0] = x;
}

static bool cumulant(const double *eta, double *K, double *K1, double *K2)
{
    *K = -log(-eta[0]);
    K1[0] = -1 / eta[0];
    K2[0] = K1[0] * K1[0];
    return eta[0] < 0 && isfinite(*K);
}

static double sample(const double *parameter, scant_i_random *random)
{
    return parameter[0] * scant_i_random_exponential(random);
}

static const scant_i_column_law law = {
    .nfeatures = 1,
    .parameters = {"means"},
    .expected = expected,
    .unfit = unfit,
    .features = features,
    .tables = tables,
    .expect = expect,
    .possible = possible,
    .fit = fit,
    .within = within,
    .range = SCANT_I_RANGE_POSITIVE,
    .power = {-1},
    .natural = natural,
    .from_natural = from_natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .sample = sample,
};

const scant_i_family scant_i_exponential = {
    .name = "exponential",
    .summary = "waiting times, independent",
    .sparse = true,
    .law = &law,
    SCANT_I_COLUMNS_FAMILY,
    .reach = &scant_i_columns_reach,
};
