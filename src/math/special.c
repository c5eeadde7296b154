/* Special functions and vector elementary functions.
 *
 * digamma, trigamma: the recurrences psi(x) = psi(x+1) - 1/x and psi'(x) = psi'(x+1) + 1/x^2 carry
 * x past ASYMPTOTIC, from where the asymptotic series in 1/x^2 (Abramowitz and
 * Stegun 6.3.18, 6.4.12) has a first omitted term below 1e-17.
 *
 * Vector log: of eight numbers at a time by a kernel; the last few go through a padded buffer, so that an element's result
 * does not depend on its place. */
#include "math/special.h"

#include "math/kernels.h"

#include <math.h>
#include <string.h>

enum { ASYMPTOTIC = 12, LANES = 8 };

double scant_i_digamma(double x)
{
    double shift = 0;
    while (x < ASYMPTOTIC) {
        shift += 1 / x;
        x += 1;
    }
    double z = 1 / (x * x);
    double series =
        z *
        (1.0 / 12 -
         z * (1.0 / 120 -
              z * (1.0 / 252 -
                   z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                          z * (1.0 / 12 - z * 3617.0 / 8160)))))));
    return log(x) - 0.5 / x - series - shift;
}

double scant_i_trigamma(double x)
{
    double shift = 0;
    while (x < ASYMPTOTIC) {
        shift += 1 / (x * x);
        x += 1;
    }
    double z = 1 / (x * x);
    double series =
        1.0 / 6 -
        z * (1.0 / 30 -
             z * (1.0 / 42 -
                  z * (1.0 / 30 -
                       z * (5.0 / 66 - z * (691.0 / 2730 - z * (7.0 / 6 - z * 3617.0 / 510))))));
    return (1 + 0.5 / x + z * series) / x + shift;
}

double scant_i_lgamma(double x)
{
    int sign = 0;
    return lgamma_r(x, &sign);
}

double scant_i_log_factorial(double n)
{
    if (n < SCANT_I_FACTORIALS) {
        size_t whole = (size_t)n;
        if ((double)whole == n)
            return scant_i_log_factorials[whole];
    }
    return scant_i_lgamma(n + 1);
}

static double sum_table(const double *x, size_t n)
{
    double sum[4] = {0}; /* so that additions need not wait for each other */
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += scant_i_log_factorials[(int)x[i + k]];
    for (; i < n; i++)
        sum[0] += scant_i_log_factorials[(int)x[i]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double scant_i_log_factorial_sum(const double *x, size_t n, double *total)
{
    double sum = 0;
    if (scant_i_kernels_now()->all_whole(total, x, n, SCANT_I_FACTORIALS))
        return sum_table(x, n);
    for (size_t i = 0; i < n; i++)
        sum += scant_i_log_factorial(x[i]);
    return sum;
}

double scant_i_logsumexp(const double *x, size_t n)
{
    double top = -INFINITY;
    for (size_t i = 0; i < n; i++)
        top = x[i] > top ? x[i] : top;
    if (isinf(top)) /* nothing, or an infinite term that decides alone */
        return top;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - top);
    return top + log(sum);
}

void scant_i_vector_log(double *y, const double *x, size_t n)
{
    size_t whole = n / LANES * LANES, rest = n - whole;
    if (whole)
        scant_i_kernels_now()->log(y, x, whole);
    if (rest) {
        double buffer[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
        memcpy(buffer, x + whole, rest * sizeof *x);
        scant_i_kernels_now()->log(buffer, buffer, LANES);
        memcpy(y + whole, buffer, rest * sizeof *y);
    }
}
