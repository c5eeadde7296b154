/* Gamma: positive numbers, independent.
 *
 *   f(x) = x^(k - 1) e^(-x / s) / (Gamma(k) s^k), x > 0        shapes k, scales s, M x d each
 *   T = (log x, x),  eta = (k, -1 / s),  K = log Gamma(k) + k log s,  A = -log x
 *
 *   The pass works with u = log(x / c), v = x / c - a, c the column's mean in the data, and takes
 *   log Gamma(k) apart by Stirling's formula: with m = k s the mean,
 *     log f = -log x + k u - (c / s) v - [ k (a (c / m) - 1 - log(c / m)) + stirling(k) ].
 *   In narrow columns, whose cells are all about c, a = 1, and nothing large cancels when k is
 *   large. In others a = 0: a cell of 1e-8 c would lose its digits, and c / s times what is left.
 *   M-step  m = mean of x;  log k - digamma(k) = log(mean x) - mean(log x), solved for k by
 *           Newton's method in 1 / k within a bracket. The left side falls in k, so the likelihood
 *           with m at its maximum has one maximum in k and holding k within bounds is exact. The
 *           bounds are SHAPE_LEAST, and from above the lesser of SHAPE_MOST and
 *           centre^2 / (min_variance scale^2): a component's squared coefficient of variation,
 *           1 / k, is at least min_variance times the column's.
 *   cost    4 nrows d M flop for either half of a pass, and a logarithm a cell */
#include "family/columns.h"
#include "math/special.h"

#include <float.h>
#include <math.h>

#define SHAPE_LEAST 1e-6
#define SHAPE_MOST 1e8
#define SERIES_FROM 20 /* from here the series below are exact to the last bit */
/* Deviation by mean of a narrow column: one cell far below the mean makes it 1 / sqrt(rows). */
#define NARROW 1e-3
enum { NEWTON_MOST = 200 };

static const char *expected(double x)
{
    return x >= SCANT_I_LEAST && x <= SCANT_I_MOST ? NULL
                                                   : "expected a number above 0 (1e-100 to 1e100)";
}

static const char *unfit(const double *parameter)
{
    if (!(parameter[0] > 0) || !isfinite(parameter[0]))
        return "a shape is not positive and finite";
    return parameter[1] > 0 && isfinite(parameter[1]) ? NULL : "a scale is not positive and finite";
}

static double centre_of(const scant_i_factor *factor, size_t c)
{
    return factor->centre[c] > 0 ? factor->centre[c] : 1;
}

static double relative_scale(const scant_i_factor *factor, size_t c)
{
    return factor->scale[c] / centre_of(factor, c);
}

/* a */
static double offset_of(const scant_i_factor *factor, size_t c)
{
    return relative_scale(factor, c) < NARROW ? 1 : 0;
}

/* log Gamma(k) - (k log k - k) */
static double stirling(double k)
{
    if (k < SERIES_FROM)
        return scant_i_lgamma(k) - (k * log(k) - k);
    double z = 1 / (k * k);
    double series = 1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)));
    return 0.5 * log(2 * 3.14159265358979323846 / k) + series / k;
}

/* log k - digamma(k) */
static double log_excess(double k)
{
    if (k < SERIES_FROM)
        return log(k) - scant_i_digamma(k);
    double z = 1 / (k * k);
    double series =
        1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132))));
    return 0.5 / k + z * series;
}

static void features(const scant_i_factor *factor, size_t c, double *const *T, double *base,
                     size_t n)
{
    double centre = centre_of(factor, c), log_centre = log(centre), offset = offset_of(factor, c);
    for (size_t i = 0; i < n; i++) {
        T[0][i] /= centre;
        T[1][i] = T[0][i] - offset;
    }
    scant_i_vector_log(T[0], T[0], n);
    for (size_t i = 0; base && i < n; i++)
        base[i] -= T[0][i] + log_centre;
}

static double tables(const scant_i_factor *factor, size_t c, const double *parameter, double *eta)
{
    double k = parameter[0], ratio = centre_of(factor, c) / parameter[1] / k;
    eta[0] = k;
    eta[1] = -ratio * k;
    return k * (offset_of(factor, c) * ratio - 1 - log(ratio)) + stirling(k);
}

/* k with log k - digamma(k) = excess, within the bounds. */
static double solve_shape(double excess, double most)
{
    double low = SHAPE_LEAST, high = most;
    if (!(excess > log_excess(high)))
        return high;
    if (!(excess < log_excess(low)))
        return low;
    double k = (3 - excess + sqrt((excess - 3) * (excess - 3) + 24 * excess)) / (12 * excess);
    for (int step = 0; step < NEWTON_MOST; step++) {
        if (!(k > low && k < high))
            k = sqrt(low * high);
        double error = log_excess(k) - excess;
        if (error > 0)
            low = k;
        else
            high = k;
        /* d/dk (log k - digamma(k)) = 1/k - trigamma(k) < 0; a step in 1/k */
        double slope = k * k * (1 / k - scant_i_trigamma(k));
        double next = 1 / (1 / k + error / slope);
        if (fabs(next - k) <= 1e-14 * k)
            break;
        k = next;
    }
    return k;
}

static double most_shape(const scant_i_factor *factor, size_t c)
{
    double relative = relative_scale(factor, c);
    double most = fmin(SHAPE_MOST, 1 / (factor->settings.min_variance * relative * relative));
    return fmax(most, 2 * SHAPE_LEAST);
}

static bool within(const scant_i_factor *factor, size_t c, const double *parameter)
{
    return parameter[0] >= SHAPE_LEAST * (1 - SCANT_I_SLACK) &&
           parameter[0] <= most_shape(factor, c) * (1 + SCANT_I_SLACK);
}

/* E log x = log(k s) - (log k - digamma(k)) */
static void expect(const scant_i_factor *factor, size_t c, const double *parameter, double *T)
{
    double k = parameter[0], centre = centre_of(factor, c), offset = offset_of(factor, c);
    T[1] = k * parameter[1] / centre - offset;
    T[0] = (offset > 0 ? log1p(T[1]) : log(T[1])) - log_excess(k);
}

/* The mean of v, kept from where it has no logarithm, and log(mean x) - mean(log x). */
static double mean_of(const scant_i_factor *factor, size_t c, double N, const double *S,
                      double *excess)
{
    bool narrow = offset_of(factor, c) > 0;
    double mean = fmax(S[1] / N, narrow ? DBL_EPSILON - 1 : SCANT_I_LEAST / SCANT_I_MOST);
    *excess = (narrow ? log1p(mean) : log(mean)) - S[0] / N;
    return mean;
}

static bool possible(const scant_i_factor *factor, size_t c, double N, const double *S)
{
    double excess, mean = mean_of(factor, c, N, S, &excess);
    double slack = SCANT_I_ROUNDING * (1 + fabs(S[0] / N)); /* of a logarithm and its mean */
    return S[1] / N + offset_of(factor, c) >= -SCANT_I_SLACK && isfinite(mean) &&
           isfinite(excess) && excess >= -slack;
}

static bool fit(const scant_i_factor *factor, size_t c, double N, const double *S,
                double *parameter)
{
    double excess, mean = mean_of(factor, c, N, S, &excess), centre = centre_of(factor, c);
    double most = most_shape(factor, c), k = solve_shape(excess, most);
    bool narrow = offset_of(factor, c) > 0;
    parameter[0] = k;
    parameter[1] = centre * (narrow ? 1 + mean : mean) / k;
    return k <= SHAPE_LEAST || k >= most;
}

static void natural(const double *parameter, double *eta)
{
    eta[0] = parameter[0];
    eta[1] = -1 / parameter[1];
}

static void from_natural(const double *eta, double *parameter)
{
    parameter[0] = eta[0];
    parameter[1] = -1 / eta[1];
}

static void sufficient(double x, double *T)
{
    T[0] = log(x);
    T[1] = x;
}

static bool cumulant(const double *eta, double *K, double *K1, double *K2)
{
    double k = eta[0], rate = -eta[1];
    if (!(k > 0 && rate > 0))
        return false;
    *K = scant_i_lgamma(k) - k * log(rate);
    K1[0] = scant_i_digamma(k) - log(rate);
    K1[1] = k / rate;
    K2[0] = scant_i_trigamma(k);
    K2[1] = K2[2] = 1 / rate;
    K2[3] = k / (rate * rate);
    return isfinite(*K);
}

static double sample(const double *parameter, scant_i_random *random)
{
    double x = parameter[1] * scant_i_random_gamma(random, parameter[0]);
    return fmax(x, SCANT_I_LEAST); /* small shapes underflow */
}

static const scant_i_column_law law = {
    .nfeatures = 2,
    .parameters = {"shapes", "scales"},
    .expected = expected,
    .unfit = unfit,
    .features = features,
    .tables = tables,
    .expect = expect,
    .possible = possible,
    .fit = fit,
    .within = within,
    .power = {1, -1},
    .natural = natural,
    .from_natural = from_natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .sample = sample,
};

const scant_i_family scant_i_gamma = {
    .name = "gamma",
    .summary = "positive numbers, independent",
    .law = &law,
    SCANT_I_COLUMNS_FAMILY,
};
