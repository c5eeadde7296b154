#include "latent/proportions.h"

#include <math.h>
#include <string.h>

/* Of either iteration; both are Newton's within a bracket, and end long before. */
enum { STEPS = 200 };
static const double ENOUGH = 1e-15, EVEN = 1e-14; /* of a root, and of a sum of roots */

static double power_of(double x, unsigned n)
{
    double power = 1;
    for (unsigned k = 0; k < n; k++)
        power *= x;
    return power;
}

/* x = alpha / before with N / x - G x^(p - 1) = m, from a guess above 0; 0 where there is none above. */
static double root(double N, double G, unsigned p, double m, double guess)
{
    if (!(N > 0))
        return m < 0 && G > 0 ? pow(-m / G, 1.0 / (p - 1)) : 0;
    if (!(G > 0))
        return m > 0 ? N / m : INFINITY;
    double low = 0, high = INFINITY, x = guess > 0 && guess < INFINITY ? guess : 1;
    for (size_t k = 0; k < STEPS; k++) {
        double power = G * power_of(x, p - 1), f = N / x - power - m;
        if (f > 0)
            low = x;
        else
            high = x;
        double next = x - f / (-N / (x * x) - (p - 1) * power / x);
        if (!(next > low && next < high))
            next = high < INFINITY ? 0.5 * (low + high) : 2 * x;
        if (fabs(next - x) <= ENOUGH * x)
            break;
        x = next;
    }
    return x;
}

static double sum_at(double *alpha, const double *before, const double *N, const double *G,
                     size_t n, unsigned p, double mu)
{
    double sum = 0;
    for (size_t m = 0; m < n; m++) {
        alpha[m] = before[m] > 0
                       ? before[m] * root(N[m], G[m], p, mu * before[m], alpha[m] / before[m])
                       : 0;
        sum += alpha[m];
    }
    return sum;
}

/* The multiplier mu at which proportions sum to `total`, by false position (Illinois): their sum falls as it rises. */
void scant_i_bounded_proportions(double *alpha, const double *before, const double *N,
                                 const double *G, size_t n, unsigned p, double total)
{
    double mu = 0, width = 0, low, high, below, above;
    memcpy(alpha, before, n * sizeof *alpha);
    for (size_t m = 0; m < n; m++)
        if (before[m] > 0) {
            mu += (N[m] - G[m]) / total; /* at the proportions before */
            width += (N[m] + G[m]) / total;
        }
    low = high = mu;
    below = above = sum_at(alpha, before, N, G, n, p, mu) - total;
    for (double step = 0.01 * width; below < 0; step *= 2)
        below = sum_at(alpha, before, N, G, n, p, low -= step) - total;
    for (double step = 0.01 * width; above > 0; step *= 2)
        above = sum_at(alpha, before, N, G, n, p, high += step) - total;
    for (size_t k = 0; k < STEPS && below > 0 && above < 0 && nextafter(low, high) < high; k++) {
        mu = below < INFINITY ? low + below * (high - low) / (below - above) : 0.5 * (low + high);
        if (!(mu > low && mu < high))
            mu = 0.5 * (low + high);
        double excess = sum_at(alpha, before, N, G, n, p, mu) - total;
        if (fabs(excess) <= EVEN * total)
            break;
        if (excess > 0) {
            low = mu;
            below = excess;
            above *= 0.5;
        } else {
            high = mu;
            above = excess;
            below *= 0.5;
        }
    }
    double sum = 0;
    for (size_t m = 0; m < n; m++)
        sum += alpha[m];
    for (size_t m = 0; m < n && sum > 0; m++)
        alpha[m] *= total / sum;
}
