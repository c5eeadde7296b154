/* The Gaussian as the tests see it, in its six shapes. */
#include "gaussian_cases.h"

#include <math.h>

#include "family/gaussian.h"
#include "naive_em.h"

static size_t matrices(const scant_i_factor *factor)
{
    return scant_i_gaussian_tied(factor) ? 1 : factor->ncomponents;
}

/* A A' / d + I / 2 with normal A, or variances between 1/2 and 3/2. */
void draw_gaussian(scant_i_factor *factor, scant_i_random *random)
{
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    for (size_t t = 0; t < factor->ncomponents * d; t++)
        factor->theta[t] = 3 * scant_i_random_normal(random);
    for (size_t m = 0; m < matrices(factor); m++) {
        double A[64], *S = scant_i_gaussian_covariance(factor, m);
        for (size_t t = 0; t < d * d; t++)
            A[t] = scant_i_random_normal(random);
        if (shape != SCANT_I_FULL) {
            for (size_t t = 0; t < scant_i_gaussian_covariance_size(shape, d); t++)
                S[t] = 0.5 + scant_i_random_uniform(random);
            continue;
        }
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                S[a * d + b] = a == b ? 0.5 : 0;
                for (size_t k = 0; k < d; k++)
                    S[a * d + b] += A[a * d + k] * A[b * d + k] / (double)d;
            }
    }
}

void perturb_gaussian(scant_i_factor *factor, scant_i_random *random, double size)
{
    size_t d = factor->ncolumns, at = factor->ncomponents * d;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    for (size_t t = 0; t < at; t++)
        factor->theta[t] += size * scant_i_random_normal(random);
    for (size_t m = 0; m < matrices(factor); m++) {
        double *S = scant_i_gaussian_covariance(factor, m);
        if (shape != SCANT_I_FULL) {
            for (size_t t = 0; t < scant_i_gaussian_covariance_size(shape, d); t++)
                S[t] *= exp(size * scant_i_random_normal(random));
            continue;
        }
        /* S becomes C S C' with C near I, so it stays positive definite */
        double C[64], CS[64];
        for (size_t t = 0; t < d * d; t++)
            C[t] = (t % (d + 1) == 0 ? 1 : 0) + size * scant_i_random_normal(random);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                CS[a * d + b] = 0;
                for (size_t k = 0; k < d; k++)
                    CS[a * d + b] += C[a * d + k] * S[k * d + b];
            }
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b <= a; b++) {
                double sum = 0;
                for (size_t k = 0; k < d; k++)
                    sum += CS[a * d + k] * C[b * d + k];
                S[a * d + b] = S[b * d + a] = sum;
            }
    }
}

double gaussian_density(const scant_i_factor *factor, size_t j, const double *x,
                        const uint8_t *present)
{
    double cells[8], S[64];
    for (size_t c = 0; c < factor->ncolumns; c++)
        cells[c] = present && !present[c] ? NAN : x[c];
    scant_i_gaussian_full(factor, j, S);
    return naive_log_normal(cells, scant_i_gaussian_mean(factor, j), S, factor->ncolumns);
}
