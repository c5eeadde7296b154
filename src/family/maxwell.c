/* Maxwell-Boltzmann: lengths of three-dimensional normal vectors, independent.
 *
 *   f(x) = sqrt(2 / pi) x^2 / a^3 e^(-x^2 / (2 a^2)), x > 0      scales a, M x d
 *   T = x^2,  eta = -1 / (2 a^2),  K = 3 log a = -3/2 log(-2 eta),
 *   A = log(2 / pi) / 2 + 2 log x
 *   M-step  a^2 = S / (3 N), with a held at or above
 *           max(SCANT_I_LEAST, sqrt(min_variance / (3 - 8 / pi)) scale): the variance is
 *           (3 - 8 / pi) a^2. The likelihood has one maximum in a, so holding it there is exact.
 *   cost    2 nrows d M flop for either half of a pass, and a logarithm a cell */
#include "family/columns.h"

#include <math.h>

static const double VARIANCE_OF_UNIT = 3 - 8 / 3.14159265358979323846;

static const char *expected(double x)
{
    return x >= SCANT_I_LEAST && x <= SCANT_I_MOST ? NULL
                                                   : "expected a number above 0 (1e-100 to 1e100)";
}

static const char *unfit(const double *parameter)
{
    return parameter[0] > 0 && isfinite(parameter[0]) ? NULL : "a scale is not positive and finite";
}

static void features(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n)
{
    double constant = log(2 / 3.14159265358979323846) / 2;
    (void)factor, (void)c;
    for (size_t i = 0; base && i < n; i++)
        base[i] += constant + 2 * log(T[0][i]);
    for (size_t i = 0; i < n; i++)
        T[0][i] *= T[0][i];
}

static void natural(const double *parameter, double *eta)
{
    eta[0] = -0.5 / parameter[0] / parameter[0];
}

static void from_natural(const double *eta, double *parameter)
{
    parameter[0] = sqrt(-0.5 / eta[0]);
}

static double tables(const scant_i_factor *factor, size_t c, const double *parameter, double *eta)
{
    (void)factor, (void)c;
    natural(parameter, eta);
    return 3 * log(parameter[0]);
}

static double least_scale(const scant_i_factor *factor, size_t c)
{
    double share = factor->settings.min_variance / VARIANCE_OF_UNIT;
    return fmax(SCANT_I_LEAST, sqrt(share) * factor->scale[c]);
}

static bool within(const scant_i_factor *factor, size_t c, const double *parameter)
{
    return parameter[0] >= least_scale(factor, c) * (1 - SCANT_I_SLACK);
}

static void expect(const scant_i_factor *factor, size_t c, const double *parameter, double *T)
{
    (void)factor, (void)c;
    T[0] = 3 * parameter[0] * parameter[0];
}

static bool possible(const scant_i_factor *factor, size_t c, double N, const double *S)
{
    (void)factor, (void)c;
    return S[0] >= 0 && isfinite(S[0] / N);
}

static bool fit(const scant_i_factor *factor, size_t c, double N, const double *S,
                double *parameter)
{
    double least = least_scale(factor, c);
    parameter[0] = fmax(sqrt(S[0] / (3 * N)), least);
    return parameter[0] <= least;
}

static void sufficient(double x, double *T)
{
    T[0] = x * x;
}

static bool cumulant(const double *eta, double *K, double *K1, double *K2)
{
    *K = -1.5 * log(-2 * eta[0]);
    K1[0] = -1.5 / eta[0];
    K2[0] = 1.5 / (eta[0] * eta[0]);
    return eta[0] < 0 && isfinite(*K);
}

static double sample(const double *parameter, scant_i_random *random)
{
    double a = scant_i_random_normal(random), b = scant_i_random_normal(random);
    double c = scant_i_random_normal(random);
    return parameter[0] * sqrt(a * a + b * b + c * c);
}

static const scant_i_column_law law = {
    .nfeatures = 1,
    .parameters = {"scales"},
    .expected = expected,
    .unfit = unfit,
    .features = features,
    .tables = tables,
    .expect = expect,
    .possible = possible,
    .fit = fit,
    .within = within,
    .range = SCANT_I_RANGE_POSITIVE,
    .power = {-2},
    .natural = natural,
    .from_natural = from_natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .sample = sample,
};

const scant_i_family scant_i_maxwell = {
    .name = "maxwell",
    .summary = "speeds: lengths of three-dimensional normal vectors, independent",
    .law = &law,
    SCANT_I_COLUMNS_FAMILY,
    .reach = &scant_i_columns_reach,
};
