/* Families of one block for bounds and their searches, in natural form (thesis, table 5.1, with its A put right).
 *
 *   gaussian      K = Th^2 / 2                                      means, covariance 1
 *   variance      K = -log(Th) / 2, Th > 0                          precision of mean 0, X = -x^2 / 2
 *   normal        K = -Th_1^2 / (4 Th_2) - log(-2 Th_2) / 2         X = (x, x^2), a column after another
 *   choice        K = log(1 + sum_d e^Th_d)                         X a unit vector, or 0
 *   counts        the same times the trials
 *   poisson       K = e^Th
 *   exponential   K = -log(-Th), Th < 0
 *   gamma         K = log Gamma(Th), Th > 0                         X = log x
 *
 * Columns are independent, and a block all the same: sums of F and of zz are F and zz of the product, and
 * sum_d sqrt(2 F_d zz_d) <= sqrt(2 F zz). */
#include "latent/bound.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

static double square(double x)
{
    return x * x;
}

static void chart_plain(size_t n, const double *phi, double *Th)
{
    memcpy(Th, phi, n * sizeof *Th);
}

static void chart_positive(size_t n, const double *phi, double *Th)
{
    for (size_t d = 0; d < n; d++)
        Th[d] = exp(phi[d]);
}

static void chart_negative(size_t n, const double *phi, double *Th)
{
    for (size_t d = 0; d < n; d++)
        Th[d] = -exp(phi[d]);
}

/* --- gaussian means --- */

static bool gaussian_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d++) {
        *K += 0.5 * Th[d] * Th[d];
        K1[d] = Th[d];
    }
    return isfinite(*K);
}

static double gaussian_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += square(X[d] - Th[d]);
    return sum;
}

static double gaussian_least(size_t n, const double *Th, const double *s, double h)
{
    (void)n, (void)Th, (void)s, (void)h;
    return 0;
}

static void gaussian_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                          double *X)
{
    for (size_t d = 0; d < n; d++)
        X[d] = Th[d] + spread * scant_i_random_normal(random);
}

const scant_i_bound_law scant_i_bound_gaussian = {
    .name = "gaussian",
    .step = 1,
    .matrix = true,
    .cumulant = gaussian_cumulant,
    .distance = gaussian_distance,
    .least = gaussian_least,
    .chart = chart_plain,
    .draw = gaussian_draw,
};

/* --- gaussian variance --- */

static bool variance_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d++) {
        if (!(Th[d] > 0))
            return false;
        *K -= 0.5 * log(Th[d]);
        K1[d] = -0.5 / Th[d];
    }
    return isfinite(*K);
}

static double variance_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += 2 * square(Th[d] * X[d] + 0.5);
    return sum;
}

static double variance_least(size_t n, const double *Th, const double *s, double h)
{
    double least = 0;
    (void)h;
    for (size_t d = 0; d < n; d++)
        least = fmax(least, 2 * Th[d] * s[d]);
    return least;
}

static void variance_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                          double *X)
{
    for (size_t d = 0; d < n; d++)
        X[d] = -0.5 * square(spread * scant_i_random_normal(random)) / Th[d];
}

const scant_i_bound_law scant_i_bound_variance = {
    .name = "variance",
    .step = 1,
    .cumulant = variance_cumulant,
    .distance = variance_distance,
    .least = variance_least,
    .chart = chart_positive,
    .draw = variance_draw,
};

/* --- gaussian mean and variance --- */

static bool normal_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d += 2) {
        if (!(Th[d + 1] < 0))
            return false;
        double variance = -0.5 / Th[d + 1], mean = Th[d] * variance;
        *K += 0.5 * (mean * Th[d] + log(variance));
        K1[d] = mean;
        K1[d + 1] = mean * mean + variance;
    }
    return isfinite(*K);
}

/* With e = (x - mean) / sigma: e^2 + (e^2 - 1)^2 / 2 a column. */
static double normal_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d += 2) {
        double variance = -0.5 / Th[d + 1], mean = Th[d] * variance;
        double centred = X[d + 1] - 2 * mean * X[d] + mean * mean; /* (x - mean)^2, of one row */
        sum += square(X[d] - mean) / variance + 0.5 * square(centred / variance - 1);
    }
    return sum;
}

/* Of v + u e - u^2 s_1^2 > 0 with u = 1 / w, e = s_2 - 2 mean s_1. */
static double normal_least(size_t n, const double *Th, const double *s, double h)
{
    double least = 0;
    (void)h;
    for (size_t d = 0; d < n; d += 2) {
        double v = -0.5 / Th[d + 1], mean = Th[d] * v, e = s[d + 1] - 2 * mean * s[d];
        double root = sqrt(e * e + 4 * s[d] * s[d] * v);
        least = fmax(least, e > 0 ? 2 * s[d] * s[d] / (e + root) : (root - e) / (2 * v));
    }
    return least;
}

static void normal_chart(size_t n, const double *phi, double *Th)
{
    for (size_t d = 0; d < n; d += 2) {
        Th[d] = phi[d];
        Th[d + 1] = -exp(phi[d + 1]);
    }
}

static void normal_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                        double *X)
{
    for (size_t d = 0; d < n; d += 2) {
        double variance = -0.5 / Th[d + 1];
        X[d] = Th[d] * variance + sqrt(variance) * spread * scant_i_random_normal(random);
        X[d + 1] = X[d] * X[d];
    }
}

const scant_i_bound_law scant_i_bound_normal = {
    .name = "normal",
    .step = 2,
    .cumulant = normal_cumulant,
    .distance = normal_distance,
    .least = normal_least,
    .chart = normal_chart,
    .draw = normal_draw,
};

/* --- choices and counts --- */

/* log(1 + sum_d e^Th_d) */
static double log_total(size_t n, const double *Th)
{
    double top = 0, sum;
    for (size_t d = 0; d < n; d++)
        top = fmax(top, Th[d]);
    sum = exp(-top);
    for (size_t d = 0; d < n; d++)
        sum += exp(Th[d] - top);
    return top + log(sum);
}

/* The share of a category, the last of which has no entry. */
static double share_of(size_t n, const double *Th, double total, size_t d)
{
    return exp((d < n ? Th[d] : 0) - total);
}

static bool simplex_cumulant(size_t n, const double *Th, double trials, double *K, double *K1)
{
    double total = log_total(n, Th);
    *K = trials * total;
    for (size_t d = 0; d < n; d++)
        K1[d] = trials * share_of(n, Th, total, d);
    return isfinite(total);
}

static double simplex_distance(size_t n, const double *Th, const double *X, double trials)
{
    double K = log_total(n, Th), rest = trials, sum = 0;
    for (size_t d = 0; d < n; d++) {
        double expected = trials * share_of(n, Th, K, d);
        sum += square(X[d] - expected) / expected;
        rest -= X[d];
    }
    double expected = trials * share_of(n, Th, K, n);
    return sum + square(rest - expected) / expected;
}

static double simplex_least(size_t n, const double *Th, const double *s, double trials)
{
    double K = log_total(n, Th), least = 0, sum = 0;
    for (size_t d = 0; d < n; d++) {
        least = fmax(least, -s[d] / (trials * share_of(n, Th, K, d)));
        sum += s[d];
    }
    return fmax(least, sum / (trials * share_of(n, Th, K, n)));
}

static void simplex_draw(size_t n, double trials, scant_i_random *random, double *X)
{
    memset(X, 0, n * sizeof *X);
    for (double t = 0; t < trials; t++) {
        size_t k = scant_i_random_below(random, n + 1);
        if (k < n)
            X[k] += 1;
    }
}

static bool choice_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    return simplex_cumulant(n, Th, 1, K, K1);
}

static double choice_distance(size_t n, const double *Th, const double *X)
{
    return simplex_distance(n, Th, X, 1);
}

static double choice_least(size_t n, const double *Th, const double *s, double h)
{
    (void)h;
    return simplex_least(n, Th, s, 1);
}

static void choice_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                        double *X)
{
    (void)Th, (void)spread;
    simplex_draw(n, 1, random, X);
}

const scant_i_bound_law scant_i_bound_choice = {
    .name = "choice",
    .step = 1,
    .cumulant = choice_cumulant,
    .distance = choice_distance,
    .least = choice_least,
    .chart = chart_plain,
    .draw = choice_draw,
};

static bool counts_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    return simplex_cumulant(n, Th, SCANT_I_BOUND_TRIALS, K, K1);
}

static double counts_distance(size_t n, const double *Th, const double *X)
{
    return simplex_distance(n, Th, X, SCANT_I_BOUND_TRIALS);
}

static double counts_least(size_t n, const double *Th, const double *s, double h)
{
    (void)h;
    return simplex_least(n, Th, s, SCANT_I_BOUND_TRIALS);
}

static void counts_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                        double *X)
{
    (void)Th, (void)spread;
    simplex_draw(n, SCANT_I_BOUND_TRIALS, random, X);
}

const scant_i_bound_law scant_i_bound_counts = {
    .name = "counts",
    .step = 1,
    .cumulant = counts_cumulant,
    .distance = counts_distance,
    .least = counts_least,
    .chart = chart_plain,
    .draw = counts_draw,
};

/* --- poisson --- */

static bool poisson_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d++)
        *K += K1[d] = exp(Th[d]);
    return isfinite(*K);
}

static double poisson_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += square(X[d] - exp(Th[d])) / exp(Th[d]);
    return sum;
}

static double poisson_least(size_t n, const double *Th, const double *s, double h)
{
    double least = 0;
    (void)h;
    for (size_t d = 0; d < n; d++)
        least = fmax(least, -s[d] / exp(Th[d]));
    return least;
}

static void poisson_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                         double *X)
{
    for (size_t d = 0; d < n; d++)
        X[d] = scant_i_random_poisson(
            random, fmin(1e3, exp(Th[d] + 0.5 * spread * scant_i_random_normal(random))));
}

const scant_i_bound_law scant_i_bound_poisson = {
    .name = "poisson",
    .step = 1,
    .cumulant = poisson_cumulant,
    .distance = poisson_distance,
    .least = poisson_least,
    .chart = chart_plain,
    .draw = poisson_draw,
};

/* --- exponential --- */

static bool exponential_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d++) {
        if (!(Th[d] < 0))
            return false;
        *K -= log(-Th[d]);
        K1[d] = -1 / Th[d];
    }
    return isfinite(*K);
}

static double exponential_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += square(X[d] * Th[d] + 1);
    return sum;
}

static double exponential_least(size_t n, const double *Th, const double *s, double h)
{
    double least = 0;
    (void)h;
    for (size_t d = 0; d < n; d++)
        least = fmax(least, s[d] * Th[d]);
    return least;
}

static void exponential_draw(size_t n, const double *Th, double spread, scant_i_random *random,
                             double *X)
{
    for (size_t d = 0; d < n; d++)
        X[d] = -exp(0.5 * spread * scant_i_random_normal(random)) *
               scant_i_random_exponential(random) / Th[d];
}

const scant_i_bound_law scant_i_bound_exponential = {
    .name = "exponential",
    .step = 1,
    .cumulant = exponential_cumulant,
    .distance = exponential_distance,
    .least = exponential_least,
    .chart = chart_negative,
    .draw = exponential_draw,
};

/* --- gamma of scale 1 --- */

static bool gamma_cumulant(size_t n, const double *Th, double *K, double *K1)
{
    *K = 0;
    for (size_t d = 0; d < n; d++) {
        if (!(Th[d] > 0))
            return false;
        *K += scant_i_lgamma(Th[d]);
        K1[d] = scant_i_digamma(Th[d]);
    }
    return isfinite(*K);
}

static double gamma_plain(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += square(X[d] - scant_i_digamma(Th[d])) / scant_i_trigamma(Th[d]);
    return sum;
}

/* Lemma 2 fails for X above K'. What does not is zz or, where larger, sup over Th > Th~ of
 * ((Th - Th~) Z - F)^2 / (2 F): a scan of log(Th / Th~) and a golden section. */
static double needed_at(double s, double at, double K, double K1, double Z)
{
    double step = at * expm1(s);
    double F = scant_i_lgamma(at + step) - K - step * K1, gain = step * Z - F;
    return gain > 0 && F > 0 ? gain * gain / (2 * F) : 0;
}

static double needed(double at, double X)
{
    enum { SCAN = 60, STEPS = 30 };
    static const double FIRST = 1e-2, LAST = 30, SHARE = 0.6180339887498949;
    double K = scant_i_lgamma(at), K1 = scant_i_digamma(at), Z = X - K1;
    double best = Z * Z / scant_i_trigamma(at), top = FIRST, ratio = pow(LAST / FIRST, 1.0 / SCAN);
    if (!(Z > 0))
        return best;
    for (double s = FIRST; s < LAST; s *= ratio) {
        double now = needed_at(s, at, K, K1, Z);
        if (now > best) {
            best = now;
            top = s;
        }
    }
    double low = top / ratio, high = top * ratio;
    for (size_t k = 0; k < STEPS; k++) {
        double a = high - SHARE * (high - low), b = low + SHARE * (high - low);
        double fa = needed_at(a, at, K, K1, Z), fb = needed_at(b, at, K, K1, Z);
        best = fmax(best, fmax(fa, fb));
        if (fa > fb)
            high = b;
        else
            low = a;
    }
    return best;
}

static double gamma_distance(size_t n, const double *Th, const double *X)
{
    double sum = 0;
    for (size_t d = 0; d < n; d++)
        sum += needed(Th[d], X[d]);
    return sum;
}

/* K' has the whole line for its range, yet without a weight of h the bound fails for rows above it. */
static double gamma_least(size_t n, const double *Th, const double *s, double h)
{
    (void)n, (void)Th, (void)s;
    return h;
}

static void gamma_draw(size_t n, const double *Th, double spread, scant_i_random *random, double *X)
{
    for (size_t d = 0; d < n; d++)
        X[d] = scant_i_digamma(Th[d]) +
               spread * sqrt(scant_i_trigamma(Th[d])) * scant_i_random_normal(random);
}

const scant_i_bound_law scant_i_bound_gamma = {
    .name = "gamma",
    .step = 1,
    .cumulant = gamma_cumulant,
    .distance = gamma_distance,
    .plain = gamma_plain,
    .least = gamma_least,
    .chart = chart_positive,
    .draw = gamma_draw,
};

const scant_i_bound_law *const scant_i_bound_laws[SCANT_I_BOUND_LAWS] = {
    &scant_i_bound_gaussian,    &scant_i_bound_variance, &scant_i_bound_normal,
    &scant_i_bound_choice,      &scant_i_bound_counts,   &scant_i_bound_poisson,
    &scant_i_bound_exponential, &scant_i_bound_gamma,
};
