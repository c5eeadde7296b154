/* Poisson: counts, independent, each with its own mean.
 *
 *   f(x) = m^x e^-m / x!               means m, M x d
 *   T = x,  eta = log m,  K = e^eta,  A = -log x!
 *   M-step  m = S / N, held at or above SCANT_I_LEAST. The likelihood is bounded: no floor is needed.
 *   cost    2 nrows d M flop for either half of a pass; sparse: nonzeros in place of nrows d */
#include "family/columns.h"
#include "math/special.h"

#include <math.h>

static const char *expected(double x)
{
    return x >= 0 && x <= SCANT_I_MOST && floor(x) == x ? NULL : "expected a count: 0, 1, 2, ...";
}

static const char *unfit(const double *parameter)
{
    return parameter[0] > 0 && isfinite(parameter[0]) ? NULL : "a mean is not positive and finite";
}

static void features(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n)
{
    (void)factor, (void)c; /* T is x */
    for (size_t i = 0; base && i < n; i++)
        base[i] -= scant_i_log_factorial(T[0][i]);
}

static void natural(const double *parameter, double *eta)
{
    eta[0] = log(parameter[0]);
}

static void from_natural(const double *eta, double *parameter)
{
    parameter[0] = exp(eta[0]);
}

static double tables(const scant_i_factor *factor, size_t c, const double *parameter, double *eta)
{
    (void)factor, (void)c;
    natural(parameter, eta);
    return parameter[0];
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
    (void)factor, (void)c;
    parameter[0] = fmax(S[0] / N, SCANT_I_LEAST);
    return false; /* the likelihood is bounded: rows that are all 0 are no collapse */
}

static void sufficient(double x, double *T)
{
    T[0] = x;
}

static bool cumulant(const double *eta, double *K, double *K1, double *K2)
{
    *K = K1[0] = K2[0] = exp(eta[0]);
    return isfinite(*K);
}

static double sample(const double *parameter, scant_i_random *random)
{
    return scant_i_random_poisson(random, parameter[0]);
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
    .range = SCANT_I_RANGE_POSITIVE,
    .natural = natural,
    .from_natural = from_natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .sample = sample,
};

const scant_i_family scant_i_poisson = {
    .name = "poisson",
    .summary = "counts without a common total, independent",
    .sparse = true,
    .law = &law,
    SCANT_I_COLUMNS_FAMILY,
    .reach = &scant_i_columns_reach,
};
