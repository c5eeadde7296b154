/* Multinomials (texts as counts of words) under a Dirichlet prior; the length of a row is not modelled.
 *
 *   T(x) = x,   chi = alpha,   K~ = sum_k log Gamma(alpha_k) - log Gamma(sum alpha),   alpha > 0
 *   A(x) = log Gamma(1 + sum x) - sum_k log Gamma(1 + x_k)
 *
 * O(d) each. */
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/special.h"
#include "med/generative.h"

static size_t size(size_t d)
{
    return d;
}

static bool accepts(double cell)
{
    return cell >= 0;
}

static void statistics(double *T, const double *x, size_t d)
{
    memcpy(T, x, d * sizeof *x);
}

static double base(const double *x, size_t d)
{
    double sum = 0, total = 0;
    for (size_t k = 0; k < d; k++) {
        sum -= scant_i_lgamma(1 + x[k]);
        total += x[k];
    }
    return sum + scant_i_lgamma(1 + total);
}

static scant_status log_normaliser(double *value, double *gradient, const double *chi, size_t d)
{
    double total = 0, sum = 0;
    *value = INFINITY;
    for (size_t k = 0; k < d; k++) {
        if (!(chi[k] > 0))
            return SCANT_OK;
        total += chi[k];
        sum += scant_i_lgamma(chi[k]);
    }
    *value = sum - scant_i_lgamma(total);
    double all = gradient ? scant_i_digamma(total) : 0;
    for (size_t k = 0; k < d && gradient; k++)
        gradient[k] = scant_i_digamma(chi[k]) - all;
    return SCANT_OK;
}

static scant_status bend(double *out, const double *chi, const double *directions, size_t m,
                         size_t d)
{
    double all = scant_i_trigamma(scant_i_sum(chi, d));
    for (size_t r = 0; r < m; r++) {
        double total = scant_i_sum(directions + r * d, d);
        for (size_t k = 0; k < d; k++)
            out[r * d + k] = -all * total;
    }
    for (size_t k = 0; k < d; k++) {
        double own = scant_i_trigamma(chi[k]);
        for (size_t r = 0; r < m; r++)
            out[r * d + k] += own * directions[r * d + k];
    }
    return SCANT_OK;
}

/* `count` of every word */
static void prior(double *chi, double count, const double *x, size_t n, size_t d)
{
    (void)x;
    (void)n;
    for (size_t k = 0; k < d; k++)
        chi[k] = count;
}

/* As many words as `like` has, from probabilities drawn anew. */
static scant_status sample(double *x, const double *chi, size_t d, const double *like,
                           scant_i_random *random)
{
    scant_status status = SCANT_OK;
    double *weight = NULL, total = 0;
    SCANT_I_TRY(SCANT_I_NEW(&weight, d + 1));
    for (size_t k = 0; k < d; k++) {
        weight[k] = scant_i_random_gamma(random, chi[k]);
        total += like && !isnan(like[k]) ? like[k] : 0;
    }
    memset(x, 0, d * sizeof *x);
    for (double words = like ? round(total) : 1; words > 0; words--) {
        size_t k = scant_i_random_pick(random, weight, d);
        if (k < d)
            x[k]++;
    }
done:
    scant_i_free(weight);
    return status;
}

/* In proportion to the words that are there. */
static scant_status fill(double *x, const double *chi, size_t d)
{
    double words = 0, seen = 0;
    for (size_t k = 0; k < d; k++)
        if (!isnan(x[k])) {
            words += x[k];
            seen += chi[k];
        }
    for (size_t k = 0; k < d; k++)
        if (isnan(x[k]))
            x[k] = seen > 0 ? words * chi[k] / seen : 0;
    return SCANT_OK;
}

/* Words that are there, given how many these are. */
static scant_status score(double *out, const double *x, const double *chi, size_t d)
{
    double before = 0, after = 0, words = 0;
    *out = 0;
    for (size_t k = 0; k < d; k++) {
        if (isnan(x[k]))
            continue;
        *out += scant_i_lgamma(chi[k] + x[k]) - scant_i_lgamma(chi[k]) - scant_i_lgamma(1 + x[k]);
        before += chi[k];
        after += chi[k] + x[k];
        words += x[k];
    }
    if (before > 0)
        *out += scant_i_lgamma(before) - scant_i_lgamma(after) + scant_i_lgamma(1 + words);
    return SCANT_OK;
}

const scant_i_med_conjugate_family scant_i_med_multinomial_family = {
    .name = "multinomial",
    .summary = "counts that share a row, Dirichlet prior",
    .cells = "counts",
    .size = size,
    .accepts = accepts,
    .statistics = statistics,
    .base = base,
    .log_normaliser = log_normaliser,
    .bend = bend,
    .prior = prior,
    .sample = sample,
    .fill = fill,
    .score = score};
