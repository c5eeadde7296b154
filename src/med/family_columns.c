/* Families of independent columns that share a count N: T(x) = (1, x), chi = (N, s), K~ = sum_i k(N, s_i).
 *
 *   poisson      rate ~ Gamma(s, rate N)         k = log Gamma(s) - s log N
 *   bernoulli    probability ~ Beta(s, N - s)    k = log Gamma(s) + log Gamma(N - s) - log Gamma(N)
 *   exponential  rate ~ Gamma(N + 1, rate s)     k = log Gamma(N + 1) - (N + 1) log s
 *
 * The predictive mean of a cell is s / N in all three. O(d) each. */
#include <math.h>
#include <string.h>

#include "math/special.h"
#include "med/generative.h"

/* k, INFINITY outside of its domain, and k_N, k_s, k_NN, k_Ns, k_ss. */
typedef double (*column)(double slope[5], double N, double s);

static double poisson(double slope[5], double N, double s)
{
    if (!(N > 0 && s > 0))
        return INFINITY;
    slope[0] = -s / N;
    slope[1] = scant_i_digamma(s) - log(N);
    slope[2] = s / (N * N);
    slope[3] = -1 / N;
    slope[4] = scant_i_trigamma(s);
    return scant_i_lgamma(s) - s * log(N);
}

static double bernoulli(double slope[5], double N, double s)
{
    if (!(s > 0 && N - s > 0))
        return INFINITY;
    double rest = scant_i_digamma(N - s), bend = scant_i_trigamma(N - s);
    slope[0] = rest - scant_i_digamma(N);
    slope[1] = scant_i_digamma(s) - rest;
    slope[2] = bend - scant_i_trigamma(N);
    slope[3] = -bend;
    slope[4] = scant_i_trigamma(s) + bend;
    return scant_i_lgamma(s) + scant_i_lgamma(N - s) - scant_i_lgamma(N);
}

static double exponential(double slope[5], double N, double s)
{
    if (!(N > -1 && s > 0))
        return INFINITY;
    slope[0] = scant_i_digamma(N + 1) - log(s);
    slope[1] = -(N + 1) / s;
    slope[2] = scant_i_trigamma(N + 1);
    slope[3] = -1 / s;
    slope[4] = (N + 1) / (s * s);
    return scant_i_lgamma(N + 1) - (N + 1) * log(s);
}

/* --- of all columns --- */

static size_t size(size_t d)
{
    return 1 + d;
}

static void statistics(double *T, const double *x, size_t d)
{
    T[0] = 1;
    memcpy(T + 1, x, d * sizeof *x);
}

static scant_status all(column k, double *value, double *gradient, const double *chi, size_t d)
{
    double slope[5] = {0}, sum = 0, count = 0;
    for (size_t i = 0; i < d; i++) {
        double part = k(slope, chi[0], chi[1 + i]);
        sum += part;
        if (isinf(part))
            break;
        count += slope[0];
        if (gradient)
            gradient[1 + i] = slope[1];
    }
    if (gradient)
        gradient[0] = count;
    *value = sum;
    return SCANT_OK;
}

static scant_status bend_all(column k, double *out, const double *chi, const double *directions,
                             size_t m, size_t d)
{
    memset(out, 0, m * size(d) * sizeof *out);
    for (size_t i = 0; i < d; i++) {
        double slope[5] = {0};
        (void)k(slope, chi[0], chi[1 + i]);
        for (size_t r = 0; r < m; r++) {
            const double *along = directions + r * size(d);
            double *to = out + r * size(d);
            to[0] += slope[2] * along[0] + slope[3] * along[1 + i];
            to[1 + i] = slope[3] * along[0] + slope[4] * along[1 + i];
        }
    }
    return SCANT_OK;
}

static scant_status fill(double *x, const double *chi, size_t d)
{
    for (size_t i = 0; i < d; i++)
        x[i] = isnan(x[i]) ? chi[1 + i] / chi[0] : x[i];
    return SCANT_OK;
}

static double no_base(const double *x, size_t d)
{
    (void)x;
    (void)d;
    return 0;
}

/* log predictive density of the cells that are there */
static scant_status score(column k, double (*base)(const double *, size_t), double *out,
                          const double *x, const double *chi, size_t d)
{
    double slope[5];
    *out = 0;
    for (size_t i = 0; i < d; i++)
        if (!isnan(x[i]))
            *out += base(x + i, 1) + k(slope, chi[0] + 1, chi[1 + i] + x[i]) -
                    k(slope, chi[0], chi[1 + i]);
    return SCANT_OK;
}

static void prior_of_means(double *chi, double count, const double *x, size_t n, size_t d)
{
    chi[0] = count;
    for (size_t i = 0; i < d; i++) {
        double mean = 0;
        for (size_t t = 0; t < n; t++)
            mean += x[t * d + i] / (double)n;
        chi[1 + i] = count * (mean > 0 ? mean : 1);
    }
}

/* --- poisson --- */

static bool is_count(double cell)
{
    return cell >= 0 && cell == floor(cell) && isfinite(cell);
}

static double poisson_base(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum -= scant_i_log_factorial(x[i]);
    return sum;
}

static scant_status poisson_normaliser(double *value, double *gradient, const double *chi, size_t d)
{
    return all(poisson, value, gradient, chi, d);
}

static scant_status poisson_bend(double *out, const double *chi, const double *directions, size_t m,
                                 size_t d)
{
    return bend_all(poisson, out, chi, directions, m, d);
}

static scant_status poisson_sample(double *x, const double *chi, size_t d, const double *like,
                                   scant_i_random *random)
{
    (void)like;
    for (size_t i = 0; i < d; i++)
        x[i] = scant_i_random_poisson(random, scant_i_random_gamma(random, chi[1 + i]) / chi[0]);
    return SCANT_OK;
}

static scant_status poisson_score(double *out, const double *x, const double *chi, size_t d)
{
    return score(poisson, poisson_base, out, x, chi, d);
}

const scant_i_med_conjugate_family scant_i_med_poisson_family = {
    .name = "poisson",
    .summary = "independent Poisson columns, gamma prior",
    .cells = "counts",
    .size = size,
    .accepts = is_count,
    .statistics = statistics,
    .base = poisson_base,
    .log_normaliser = poisson_normaliser,
    .bend = poisson_bend,
    .prior = prior_of_means,
    .sample = poisson_sample,
    .fill = fill,
    .score = poisson_score};

/* --- bernoulli --- */

static bool is_binary(double cell)
{
    return cell == 0 || cell == 1;
}

static scant_status bernoulli_normaliser(double *value, double *gradient, const double *chi,
                                         size_t d)
{
    return all(bernoulli, value, gradient, chi, d);
}

static scant_status bernoulli_bend(double *out, const double *chi, const double *directions,
                                   size_t m, size_t d)
{
    return bend_all(bernoulli, out, chi, directions, m, d);
}

static void bernoulli_prior(double *chi, double count, const double *x, size_t n, size_t d)
{
    (void)x;
    (void)n;
    chi[0] = count;
    for (size_t i = 0; i < d; i++)
        chi[1 + i] = 0.5 * count;
}

static scant_status bernoulli_sample(double *x, const double *chi, size_t d, const double *like,
                                     scant_i_random *random)
{
    (void)like;
    for (size_t i = 0; i < d; i++)
        x[i] = scant_i_random_uniform(random) < chi[1 + i] / chi[0];
    return SCANT_OK;
}

static scant_status bernoulli_score(double *out, const double *x, const double *chi, size_t d)
{
    return score(bernoulli, no_base, out, x, chi, d);
}

const scant_i_med_conjugate_family scant_i_med_bernoulli_family = {
    .name = "bernoulli",
    .summary = "independent columns of 0 and 1, beta prior",
    .cells = "0 and 1",
    .size = size,
    .accepts = is_binary,
    .statistics = statistics,
    .base = no_base,
    .log_normaliser = bernoulli_normaliser,
    .bend = bernoulli_bend,
    .prior = bernoulli_prior,
    .sample = bernoulli_sample,
    .fill = fill,
    .score = bernoulli_score};

/* --- exponential --- */

static bool is_positive(double cell)
{
    return cell >= 0;
}

static scant_status exponential_normaliser(double *value, double *gradient, const double *chi,
                                           size_t d)
{
    return all(exponential, value, gradient, chi, d);
}

static scant_status exponential_bend(double *out, const double *chi, const double *directions,
                                     size_t m, size_t d)
{
    return bend_all(exponential, out, chi, directions, m, d);
}

static scant_status exponential_sample(double *x, const double *chi, size_t d, const double *like,
                                       scant_i_random *random)
{
    (void)like;
    for (size_t i = 0; i < d; i++)
        x[i] = scant_i_random_exponential(random) * chi[1 + i] /
               scant_i_random_gamma(random, chi[0] + 1);
    return SCANT_OK;
}

static scant_status exponential_score(double *out, const double *x, const double *chi, size_t d)
{
    return score(exponential, no_base, out, x, chi, d);
}

const scant_i_med_conjugate_family scant_i_med_exponential_family = {
    .name = "exponential",
    .summary = "independent exponential columns, gamma prior",
    .cells = "numbers of 0 or more",
    .size = size,
    .accepts = is_positive,
    .statistics = statistics,
    .base = no_base,
    .log_normaliser = exponential_normaliser,
    .bend = exponential_bend,
    .prior = prior_of_means,
    .sample = exponential_sample,
    .fill = fill,
    .score = exponential_score};
