/* Loops over arrays that compilers make vectors of by themselves. */
#include <float.h>
#include <math.h>

#include "math/kernels/kernel.h"

double SCANT_I_KERNEL(dot)(const double *x, const double *y, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double SCANT_I_KERNEL(dot_fixed)(const double *x, const double *y, size_t n)
{
    enum { LANES = SCANT_I_EIGHT };
    double lane[LANES] = {0}, sum = 0;
    size_t c = 0;
    for (; c + LANES <= n; c += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += x[c + l] * y[c + l];
    for (; c < n; c++)
        sum += x[c] * y[c];
    for (size_t l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

void SCANT_I_KERNEL(add_multiple)(double *restrict to, double factor, const double *restrict from,
                                  size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

void SCANT_I_KERNEL(add_and_clear)(double *restrict to, double *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] += from[i];
        from[i] = 0;
    }
}

void SCANT_I_KERNEL(add_outer)(double *restrict a, const double *x, size_t n, const double *y,
                               size_t m)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            a[i * m + j] += x[i] * y[j];
}

void SCANT_I_KERNEL(add_combination)(double *restrict y, const double *a, const double *x, size_t n,
                                     size_t m)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            y[j] += x[i] * a[i * m + j];
}

void SCANT_I_KERNEL(standardize)(double *restrict z, const double *x, const double *centre,
                                 const double *inverse, size_t n)
{
    for (size_t c = 0; c < n; c++)
        z[c] = (x[c] - centre[c]) * inverse[c];
}

double SCANT_I_KERNEL(squared_distance)(const double *x, const double *y, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

/* all rows whole: half the work is not worth rows of odd lengths */
void SCANT_I_KERNEL(subtract_pair)(double *a, size_t stride, size_t n, const double *v,
                                   const double *u)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * stride + j] -= v[i] * u[j] + u[i] * v[j];
}

void SCANT_I_KERNEL(rotate)(double *x, double *y, size_t n, double c, double s)
{
    for (size_t k = 0; k < n; k++) {
        double kept = x[k];
        x[k] = c * kept + s * y[k];
        y[k] = c * y[k] - s * kept;
    }
}

/* Adding 2^52 and taking it off again rounds to a whole number. */
static const double TWO_TO_52 = 4503599627370496.0;

bool SCANT_I_KERNEL(all_whole)(double *total, const double *x, size_t n, double end)
{
    double sum = 0, outside = 0;
#pragma omp simd reduction(+ : sum, outside)
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        outside += fabs((x[i] + TWO_TO_52) - TWO_TO_52 - x[i]);
        outside += x[i] < end ? 0.0 : 1.0;
    }
    *total = sum;
    return outside == 0;
}

/* A stretch at a time, so that one found early is soon told. */
bool SCANT_I_KERNEL(any_missing)(const double *x, size_t n)
{
    enum { STRETCH = 4096 };
    for (size_t first = 0; first < n; first += STRETCH) {
        size_t last = scant_i_min(n, first + STRETCH);
        double some = 0;
#pragma omp simd reduction(+ : some)
        for (size_t i = first; i < last; i++)
            some += x[i] != x[i] ? 1.0 : 0.0;
        if (some > 0)
            return true;
    }
    return false;
}

bool SCANT_I_KERNEL(any_infinite)(const double *x, size_t n)
{
    double some = 0;
#pragma omp simd reduction(+ : some)
    for (size_t i = 0; i < n; i++)
        some += fabs(x[i]) > DBL_MAX ? 1.0 : 0.0;
    return some > 0;
}
