/* Sums over rows and columns that compilers make vectors of by themselves. */
#include <float.h>
#include <math.h>

#include "latent/kernels/kernel.h"

void SCANT_I_KERNEL(survey_cells)(const scant_i_cell_sums *sums, const double *x, double w,
                                  const double *from, size_t d)
{
    double *restrict rows = sums->rows, *restrict weight = sums->weight, *restrict sum = sums->sum,
                     *restrict least = sums->least, *restrict most = sums->most;
#pragma omp simd
    for (size_t c = 0; c < d; c++) {
        bool present = x[c] == x[c];
        rows[c] += present ? 1 : 0;
        weight[c] += present ? w : 0;
        sum[c] += present ? w * (x[c] - from[c]) : 0;
        least[c] = x[c] < least[c] ? x[c] : least[c];
        most[c] = x[c] > most[c] ? x[c] : most[c];
    }
}

void SCANT_I_KERNEL(survey_squares)(double *restrict sum, const double *x, double w,
                                    const double *from, const double *inverse, size_t d)
{
#pragma omp simd
    for (size_t c = 0; c < d; c++) {
        double u = x[c] == x[c] ? (x[c] - from[c]) * inverse[c] : 0;
        sum[c] += w * u * u;
    }
}

void SCANT_I_KERNEL(count_rows)(scant_i_row_totals *total, double *top, const double *w,
                                const double *sum, const double *log_sum, const double *product,
                                size_t n, double beta)
{
    double objective = 0, weight = 0, entropy = 0, lost = 0;
#pragma omp simd reduction(+ : objective, weight, entropy, lost)
    for (size_t i = 0; i < n; i++) {
        bool mass = fabs(top[i]) <= DBL_MAX;
        double l = (top[i] + log_sum[i]) / beta;
        objective += mass ? w[i] * l : 0;
        entropy += mass ? w[i] * (log_sum[i] - product[i] / sum[i]) : 0;
        weight += w[i];
        lost += mass ? 0 : w[i];
        top[i] = mass ? l : -INFINITY;
    }
    *total = (scant_i_row_totals){objective, weight, entropy, lost};
}
