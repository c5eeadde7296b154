#include "math/tails.h"

#include <math.h>

#include "math/special.h"

static double normal_tail(double x) /* P(normal > x) */
{
    return erfc(x / sqrt(2)) / 2;
}

/* Newton's method on the logarithm of the upper tail, which is concave: from 0 it never goes beyond
 * the root by more than the next step takes back. */
double scant_i_normal_quantile(double p)
{
    if (p < 0.5)
        return -scant_i_normal_quantile(1 - p);
    double x = 0, q = 1 - p;
    for (int step = 0; step < 50; step++) {
        double tail = normal_tail(x), density = exp(-x * x / 2) / sqrt(2 * M_PI);
        double change = log(tail / q) * tail / density;
        x += change;
        if (fabs(change) < 1e-15 * (1 + x))
            break;
    }
    return x;
}

enum { TERMS_MOST = 10000 };
static const double ENOUGH = 1e-16;

/* P(a, x) = x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + ...), for x < a + 1 */
static double lower_gamma(double a, double x)
{
    double term = 1, sum = 1;
    for (int n = 1; n < TERMS_MOST && term > ENOUGH * sum; n++)
        sum += term *= x / (a + n);
    return sum * exp(a * log(x) - x - scant_i_lgamma(a + 1));
}

/* Q(a, x) by Lentz's continued fraction, for x >= a + 1 */
static double upper_gamma(double a, double x)
{
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int n = 1; n < TERMS_MOST; n++) {
        double an = -n * (n - a);
        b += 2;
        d = 1 / (fabs(an * d + b) > tiny ? an * d + b : tiny);
        c = fabs(b + an / c) > tiny ? b + an / c : tiny;
        h *= d * c;
        if (fabs(d * c - 1) < ENOUGH)
            break;
    }
    return h * exp(a * log(x) - x - scant_i_lgamma(a));
}

double scant_i_chi_square_tail(double x, double degrees)
{
    double a = degrees / 2, y = x / 2;
    if (!(y > 0))
        return 1;
    return y < a + 1 ? 1 - lower_gamma(a, y) : upper_gamma(a, y);
}
