/* Gaussian: the prior that shrinks covariances; see gaussian.c.
 *
 * Inverse Wishart, with its mode kept where T is and worth s rows:
 *     log p(S_j) = -s/2 (log det S_j + tr S_j^-1 T) + constant,   flat in the means,
 * so that the M-step maximises the expected log-likelihood plus log prior at
 *     S_j = (N_j S_j^ML + s T) / (N_j + s)                       full
 *     the same for each column with its own N                    diag
 *     the same for the mean variance, which has d N_j + d s      spherical
 * and tied shapes have one S, one T and the N of all components. The target T is fixed for a fit, in
 * standard units: what the fit found in labeled rows (fit/shrinkage.c), or the data's own variances,
 * T = I. Eigenvalues below the floor are clipped as without a prior: log det S + tr S^-1 A has its
 * maximum under the bound there, too. Cost: components x d^3 a step. */
#include "family/gaussian.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

double scant_i_gaussian_target(const scant_i_factor *factor, scant_i_shape shape, size_t i)
{
    if (factor->target)
        return factor->target[i];
    return shape != SCANT_I_FULL || i % (factor->ncolumns + 1) == 0 ? 1 : 0;
}

void scant_i_gaussian_shrink(const scant_i_factor *factor, const double *weight, double total,
                             double *covariance)
{
    double s = factor->settings.shrinkage;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns, size = scant_i_gaussian_covariance_size(shape, d);
    double pseudo = shape == SCANT_I_SPHERICAL ? s * (double)d : s;
    for (size_t i = 0; i < size && s > 0; i++) {
        double N = shape == SCANT_I_DIAGONAL ? weight[i] : total;
        if (N > 0) /* else nothing was seen, and the variance stays */
            covariance[i] =
                (N * covariance[i] + pseudo * scant_i_gaussian_target(factor, shape, i)) /
                (N + pseudo);
    }
}

/* log det S + tr S^-1 T of a covariance in standard units, which becomes its Cholesky factor; `room` has d
 * doubles. */
static double divergence(const scant_i_factor *factor, scant_i_shape shape, double *S, double *room)
{
    size_t d = factor->ncolumns;
    double sum = 0;
    if (shape == SCANT_I_SPHERICAL)
        return (double)d * (log(S[0]) + scant_i_gaussian_target(factor, shape, 0) / S[0]);
    for (size_t c = 0; c < d && shape == SCANT_I_DIAGONAL; c++)
        sum += log(S[c]) + scant_i_gaussian_target(factor, shape, c) / S[c];
    if (shape == SCANT_I_DIAGONAL)
        return sum;
    if (!scant_i_cholesky(S, d))
        return INFINITY;
    for (size_t c = 0; c < d; c++) {
        sum += 2 * log(S[c * d + c]);
        /* column c of T, solved by L and by L', gives column c of S^-1 T */
        for (size_t a = 0; a < d; a++) {
            room[a] = scant_i_gaussian_target(factor, shape, a * d + c);
            for (size_t b = 0; b < a; b++)
                room[a] -= S[a * d + b] * room[b];
            room[a] /= S[a * d + a];
        }
        for (size_t a = d; a-- > c;) { /* entries before c are not asked for */
            for (size_t b = a + 1; b < d; b++)
                room[a] -= S[b * d + a] * room[b];
            room[a] /= S[a * d + a];
        }
        sum += room[c];
    }
    return sum;
}

double scant_i_gaussian_log_prior(const scant_i_factor *factor)
{
    double s = factor->settings.shrinkage, sum = 0;
    if (!(s > 0) || factor->settings.fixed_covariances)
        return 0;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns, size = scant_i_gaussian_covariance_size(shape, d);
    size_t count = scant_i_gaussian_tied(factor) ? 1 : factor->ncomponents;
    double *units = scant_i_alloc(2 * d + size, sizeof *units);
    if (!units)
        return NAN; /* which the engine takes for a fit that went wrong */
    double *room = units + d, *S = room + d;
    scant_i_gaussian_units(factor, units);
    for (size_t j = 0; j < count; j++) {
        const double *from = scant_i_gaussian_covariance(factor, j);
        for (size_t i = 0; i < size; i++)
            S[i] = from[i] / units[shape == SCANT_I_FULL ? i / d : i] / units[i % d];
        sum += divergence(factor, shape, S, room);
    }
    scant_i_free(units);
    return -s / 2 * sum;
}
