/* Gaussian by coordinates without bounds, in standard units z:
 *
 *   x = means m_j, then for each covariance the lower factor U of its precision P = U U', with logarithms on the
 *       diagonal; of diagonal precisions the logarithms of their roots alone, of known ones nothing
 *
 * With N, S1 and S2 a component's sums of 1, z and z z', r = S1 - N m, M = S2 - m S1' - S1 m' + N m m', and the prior
 * of covariances (gaussian_prior.c) that of s rows with M = s T,
 *
 *   Q = N/2 log det P - tr(P M) / 2
 *   dQ/dm = P r,   dQ/dU = (N P^-1 - M) U,   dQ/dlog U_aa = U_aa dQ/dU_aa
 *
 * Cost: components x d^3. */
#include "family/gaussian.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

static size_t ncovariances(const scant_i_factor *factor)
{
    return factor->settings.fixed_covariances ? 0
           : scant_i_gaussian_tied(factor)    ? 1
                                              : factor->ncomponents;
}

static size_t size_of(scant_i_shape shape, size_t d)
{
    return shape == SCANT_I_FULL ? d * (d + 1) / 2 : shape == SCANT_I_DIAGONAL ? d : 1;
}

static size_t count(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns;
    return factor->ncomponents * d +
           ncovariances(factor) * size_of(scant_i_gaussian_shape(factor), d);
}

/* --- there and back --- */

/* U of the precision, from the covariance's lower factor; room d x d. False: not positive definite. */
static bool factor_precision(const double *lower, size_t d, double *U)
{
    scant_i_cholesky_inverse(U, lower, d);
    return scant_i_cholesky(U, d);
}

/* The covariance in standard units, written as theta has it. */
static void standard_covariance(const scant_i_factor *factor, size_t j, const double *units,
                                double *S)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    const double *from = scant_i_gaussian_covariance(factor, j);
    for (size_t i = 0; i < scant_i_gaussian_covariance_size(shape, d); i++)
        S[i] = from[i] / units[shape == SCANT_I_FULL ? i / d : i] / units[i % d];
}

static void get_covariance(const scant_i_factor *factor, size_t j, const double *units, double *x,
                           double *room)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    double *S = room, *U = room + d * d;
    standard_covariance(factor, j, units, S);
    for (size_t i = 0; i < size_of(shape, d) && shape != SCANT_I_FULL; i++)
        x[i] = -0.5 * log(S[i]);
    if (shape != SCANT_I_FULL)
        return;
    if (!scant_i_cholesky(S, d) || !factor_precision(S, d, U)) {
        memset(U, 0,
               d * d *
                   sizeof *U); /* no factor in numbers: x is nowhere, and a step from it fails */
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++)
            *x++ = a == b ? log(U[a * d + a]) : U[a * d + b];
}

static void get(const scant_i_factor *factor, double *x)
{
    size_t d = factor->ncolumns, size = size_of(scant_i_gaussian_shape(factor), d);
    double *units = scant_i_alloc(d + 2 * d * d, sizeof *units);
    if (!units) {
        x[0] = NAN; /* as above */
        return;
    }
    scant_i_gaussian_units(factor, units);
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < d; c++)
            *x++ = (scant_i_gaussian_mean(factor, j)[c] - factor->centre[c]) / units[c];
    for (size_t j = 0; j < ncovariances(factor); j++)
        get_covariance(factor, j, units, x + j * size, units + d);
    scant_i_free(units);
}

/* P^-1 from U's entries in x; false: it is nothing that numbers hold. */
static bool invert(const double *x, size_t d, double *S, double *U)
{
    memset(U, 0, d * d * sizeof *U);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++, x++) {
            U[a * d + b] = a == b ? exp(*x) : *x;
            if (!isfinite(U[a * d + b]) || (a == b && !(U[a * d + b] > 0)))
                return false;
        }
    scant_i_cholesky_inverse(S, U, d);
    for (size_t i = 0; i < d * d; i++)
        if (!isfinite(S[i]))
            return false;
    return true;
}

static bool set_covariance(scant_i_factor *factor, size_t j, const double *units, const double *x,
                           double *room)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    double *S = room, *U = room + d * d, *to = scant_i_gaussian_covariance(factor, j);
    if (shape == SCANT_I_FULL && !invert(x, d, S, U))
        return false;
    for (size_t i = 0; i < scant_i_gaussian_covariance_size(shape, d); i++) {
        double standard = shape == SCANT_I_FULL ? S[i] : exp(-2 * x[i]);
        to[i] = standard * units[shape == SCANT_I_FULL ? i / d : i] * units[i % d];
        if (!isfinite(to[i]) || (shape != SCANT_I_FULL && !(to[i] > 0)))
            return false;
    }
    return true;
}

static scant_status set(scant_i_factor *factor, const double *x)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns, size = size_of(scant_i_gaussian_shape(factor), d);
    bool sound = true;
    double *units = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&units, d + 2 * d * d));
    scant_i_gaussian_units(factor, units);
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < d; c++, x++) {
            double mean = factor->centre[c] + units[c] * *x;
            scant_i_gaussian_mean(factor, j)[c] = mean;
            sound = sound && isfinite(mean);
        }
    for (size_t j = 0; j < ncovariances(factor) && sound; j++)
        sound = set_covariance(factor, j, units, x + j * size, units + d);
    status = sound ? scant_i_gaussian_within(factor) : SCANT_ERR_INPUT;
done:
    scant_i_free(units);
    return status;
}

/* --- the slope --- */

/* A component's sums about its mean: n (d, the weight of each column), r (d), M (d x d, d or 1), and the mean that
 * statistics are about. */
typedef struct sums {
    double *n, *r, *M;
} sums;

static void make_sums(const scant_i_factor *factor, const double *statistics, size_t j,
                      const sums *s)
{
    const scant_i_gaussian_tables *t = factor->tables;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *sum = statistics + stride + j, *square = statistics + (1 + d) * stride + j;
    const double *absent = statistics + scant_i_gaussian_features(shape, d) * stride + j;
    const double *m = t->mean + j * d;
    double about = t->exact[j] ? 0 : 1;
    for (size_t a = 0; a < d; a++) {
        s->n[a] = statistics[j] + (shape == SCANT_I_FULL ? 0 : absent[a * stride]);
        s->r[a] = sum[a * stride] - about * s->n[a] * m[a];
    }
    if (shape == SCANT_I_SPHERICAL)
        s->M[0] = *square;
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < (shape == SCANT_I_FULL ? d : a + 1); b++) {
            /* S2 - m_b S1_a - m_a S1_b + N m_a m_b, with S1 = r + N m */
            double moved = about * (m[b] * s->r[a] + m[a] * s->r[b] + s->n[a] * m[a] * m[b]);
            if (shape == SCANT_I_SPHERICAL) {
                s->M[0] -= moved;
                continue;
            }
            double M = *square - moved;
            square += stride;
            if (shape == SCANT_I_FULL)
                s->M[a * d + b] = s->M[b * d + a] = M;
            else
                s->M[a] = M;
        }
}

/* to += N P^-1 - M, laid out as the covariance; n and M may be the prior's. */
static void add_excess(const scant_i_factor *factor, size_t j, const double *n, const double *M,
                       double *to)
{
    const scant_i_gaussian_tables *t = factor->tables;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    if (shape == SCANT_I_FULL)
        for (size_t i = 0; i < d * d; i++)
            to[i] += n[i / d] * t->covariance[j * d * d + i] - M[i];
    for (size_t c = 0; c < d && shape != SCANT_I_FULL; c++)
        to[shape == SCANT_I_DIAGONAL ? c : 0] += n[c] * t->covariance[j * d + c];
    for (size_t c = 0; c < size_of(shape, d) && shape != SCANT_I_FULL; c++)
        to[c] -= M[c];
}

static void add_prior(const scant_i_factor *factor, size_t j, const sums *s, double *to)
{
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    double rows = factor->settings.shrinkage;
    if (!(rows > 0))
        return;
    for (size_t c = 0; c < d; c++)
        s->n[c] = rows;
    for (size_t i = 0; i < scant_i_gaussian_covariance_size(shape, d); i++)
        s->M[i] = rows * (shape == SCANT_I_SPHERICAL ? (double)d : 1) *
                  scant_i_gaussian_target(factor, shape, i);
    add_excess(factor, j, s->n, s->M, to);
}

/* dQ/dx of a covariance from N P^-1 - M; room 2 d x d. */
static void slope_of_covariance(const scant_i_factor *factor, size_t j, const double *excess,
                                double *slope, double *U)
{
    const scant_i_gaussian_tables *t = factor->tables;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns;
    for (size_t c = 0; c < size_of(shape, d) && shape != SCANT_I_FULL; c++)
        slope[c] = excess[c] / t->covariance[j * d + c];
    if (shape != SCANT_I_FULL)
        return;
    (void)factor_precision(t->lower + j * d * d, d, U); /* it was one when theta was set */
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t c = b; c < d; c++)
                sum += excess[a * d + c] * U[c * d + b];
            *slope++ = a == b ? sum * U[a * d + a] : sum;
        }
}

/* P r of component j. */
static void slope_of_mean(const scant_i_factor *factor, size_t j, const double *r, double *slope)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    memcpy(slope, r, d * sizeof *slope);
    if (scant_i_gaussian_shape(factor) == SCANT_I_FULL) {
        scant_i_cholesky_solve(t->lower + j * d * d, d, slope);
        return;
    }
    for (size_t c = 0; c < d; c++)
        slope[c] /= t->covariance[j * d + c];
}

static scant_status slope_of(const scant_i_factor *factor, const double *statistics, double *slope)
{
    scant_status status = SCANT_OK;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t d = factor->ncolumns, size = scant_i_gaussian_covariance_size(shape, d);
    size_t n = ncovariances(factor), own = size_of(shape, d);
    double *room = NULL, *of_covariance = slope + factor->ncomponents * d;
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * d + 3 * d * d));
    sums s = {room, room + d, room + 2 * d};
    double *excess = s.M + d * d, *U = excess + d * d;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        size_t k = n == 1 ? 0 : j; /* which covariance is its own */
        make_sums(factor, statistics, j, &s);
        slope_of_mean(factor, j, s.r, slope + j * d);
        if (n == 0)
            continue;
        if (n > 1 || j == 0)
            memset(excess, 0, size * sizeof *excess);
        add_excess(factor, j, s.n, s.M, excess);
        if (n > 1 || j + 1 == factor->ncomponents) {
            add_prior(factor, j, &s, excess);
            slope_of_covariance(factor, j, excess, of_covariance + k * own, U);
        }
    }
done:
    scant_i_free(room);
    return status;
}

const scant_i_family_coordinates scant_i_gaussian_coordinates = {
    .count = count,
    .get = get,
    .set = set,
    .slope = slope_of,
};
