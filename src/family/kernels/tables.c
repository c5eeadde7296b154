/* Tables of rows by components. */
#include <math.h>

#include "family/kernels/kernel.h"
#include "family/pass.h"
#include "math/special.h"
#include "math/vector.h"

/* The sum of p, and how many of it are no probabilities. */
size_t SCANT_I_KERNEL(sum_shares)(const double *p, size_t n, double most, double *total)
{
    size_t bad = 0;
    double sum = 0;
#pragma omp simd reduction(+ : sum, bad)
    for (size_t c = 0; c < n; c++) {
        sum += p[c];
        bad += p[c] >= 0 && p[c] <= most ? 0 : 1;
    }
    *total = sum;
    return bad;
}

/* Adds rows up, then what is below SCANT_I_LOG_ZERO becomes that. */
void SCANT_I_KERNEL(close_logs)(double *logs, double *sum, size_t nrows, size_t stride)
{
    for (size_t i = 0; i < nrows; i++)
        for (size_t j = 0; j < stride; j++) {
            double l = logs[i * stride + j];
            sum[j] += l;
            logs[i * stride + j] = l < SCANT_I_LOG_ZERO ? SCANT_I_LOG_ZERO : l;
        }
}

void SCANT_I_KERNEL(pass_add)(double *L, const double *own, const double *base,
                              const double *constant, size_t nrows, size_t stride)
{
    for (size_t i = 0; i < nrows; i++) {
        double shift = base ? base[i] : 0;
#pragma omp simd
        for (size_t j = 0; j < stride; j++) {
            double f = own[i * stride + j] + (shift + constant[j]);
            L[i * stride + j] += f < SCANT_I_IMPOSSIBLE ? -INFINITY : f;
        }
    }
}

void SCANT_I_KERNEL(pass_totals)(double *sum, const double *R, size_t nrows, size_t stride)
{
    for (size_t i = 0; i < nrows; i++)
        for (size_t j = 0; j < stride; j++)
            sum[j] += R[i * stride + j];
}

/* L += own + base; -inf where that is impossible */
void SCANT_I_KERNEL(add_possible)(double *L, const double *own, double base, size_t stride)
{
    for (size_t j = 0; j < stride; j++) {
        double sum = L[j] + (own[j] + base);
        L[j] = sum < SCANT_I_IMPOSSIBLE ? -INFINITY : sum;
    }
}

/* All rows in one function, so that nothing but additions is done for each. */
void SCANT_I_KERNEL(groups_gather)(double *L, size_t count, size_t stride, const double *table,
                                   const int32_t *entry, size_t nrows)
{
    for (double *l = L; l < L + nrows * stride; l += stride, entry += count) {
        for (size_t first = 0; first < stride; first += SCANT_I_EIGHT) {
            scant_i_vector8 sum = *(const scant_i_vector8 *)(l + first);
            for (size_t g = 0; g < count; g++)
                sum += *(const scant_i_vector8 *)(table + (size_t)entry[g] * stride + first);
            *(scant_i_vector8 *)(l + first) = sum;
        }
        for (size_t j = 0; j < stride; j++)
            l[j] = l[j] < SCANT_I_IMPOSSIBLE ? -INFINITY : l[j];
    }
}

void SCANT_I_KERNEL(groups_scatter)(double *table, size_t count, size_t stride, const double *R,
                                    const int32_t *entry, size_t nrows)
{
    for (size_t i = 0; i < nrows; i++, entry += count)
        for (size_t g = 0; g < count; g++) {
            double *t = table + (size_t)entry[g] * stride;
            for (size_t first = 0; first < stride; first += SCANT_I_EIGHT)
                *(scant_i_vector8 *)(t + first) +=
                    *(const scant_i_vector8 *)(R + i * stride + first);
        }
}

double SCANT_I_KERNEL(least_of)(const double *x, size_t n)
{
    double least = INFINITY;
#pragma omp simd reduction(min : least)
    for (size_t k = 0; k < n; k++)
        least = x[k] < least ? x[k] : least;
    return least;
}
