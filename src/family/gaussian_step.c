/* Gaussian: the M-step, from statistics in standard units to parameters in the data's. See
 * gaussian.c. */
#include "family/gaussian.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"

/* In standard units. Eigenvalues are good to about 1e-16 of the largest: a floor below this could
 * not be held. */
static const double VARIANCE_LEAST = 1e-10;

/* What the statistics say of one component. */
typedef struct moments {
    double *weight;     /* d: N of each column */
    double *mean;       /* d, in standard units */
    double *covariance; /* d x d, or the first d: variances; spherical: the first entry. Infinite
                           where nothing was seen: at no floor, and not to be stored */
    double total;       /* N, or the sum of `weight` for spherical */
    double least;       /* the least of `weight`; full: N */
    double square;      /* the largest mean square of a column: what rounding is a share of */
} moments;

/* The point the statistics are about: the component's own mean where it was exact, else 0. */
static double origin(const scant_i_factor *factor, size_t j, size_t c)
{
    const scant_i_gaussian_tables *t = factor->tables;
    return t && t->exact[j] ? t->mean[j * factor->ncolumns + c] : 0;
}

static void full_moments(const scant_i_factor *factor, const double *statistics, size_t j,
                         moments *m)
{
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *sum = statistics + stride + j, *square = statistics + (1 + d) * stride + j;
    double N = statistics[j];
    m->total = m->least = N;
    m->square = 0;
    for (size_t a = 0; a < d; a++) {
        m->weight[a] = N;
        m->mean[a] = sum[a * stride] / N;
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < d; b++, square += stride)
            m->covariance[a * d + b] = m->covariance[b * d + a] =
                *square / N - m->mean[a] * m->mean[b];
    for (size_t a = 0; a < d; a++)
        m->square = fmax(m->square, fabs(m->covariance[a * d + a]) + m->mean[a] * m->mean[a]);
    for (size_t a = 0; a < d; a++)
        m->mean[a] += origin(factor, j, a);
}

/* Has component j no weight in any column? */
static bool is_empty(const scant_i_factor *factor, const double *statistics, size_t j,
                     scant_i_shape shape)
{
    size_t d = factor->ncolumns, stride = factor->stride;
    const double *present = statistics + scant_i_gaussian_features(shape, d) * stride + j;
    bool empty = fabs(statistics[j]) <= DBL_MIN;
    for (size_t c = 0; c < d && shape != SCANT_I_FULL; c++)
        empty = empty && fabs(present[c * stride]) <= DBL_MIN;
    return empty;
}

static void column_moments(const scant_i_factor *factor, const double *statistics, size_t j,
                           scant_i_shape shape, moments *m)
{
    size_t d = factor->ncolumns, stride = factor->stride;
    size_t features = scant_i_gaussian_features(shape, d);
    const double *sum = statistics + stride + j, *square = statistics + (1 + d) * stride + j;
    const double *present = statistics + features * stride + j;
    double N = statistics[j], squares = shape == SCANT_I_SPHERICAL ? *square : 0;
    m->total = m->square = 0;
    m->least = INFINITY;
    for (size_t c = 0; c < d; c++) {
        double n = N + present[c * stride];
        n = fabs(n) > DBL_MIN ? n : 0;
        double shift = n > 0 ? sum[c * stride] / n : 0;
        m->weight[c] = n;
        m->mean[c] = shift + origin(factor, j, c);
        m->total += n;
        m->least = fmin(m->least, n);
        if (n > 0)
            m->square =
                fmax(m->square, fabs(square[shape == SCANT_I_SPHERICAL ? 0 : c * stride]) / n);
        if (shape == SCANT_I_SPHERICAL)
            squares -= n * shift * shift;
        else
            m->covariance[c] = n > 0 ? square[c * stride] / n - shift * shift : INFINITY;
    }
    if (shape == SCANT_I_SPHERICAL)
        m->covariance[0] = m->total > 0 ? squares / m->total : INFINITY;
}

/* Is this what rows of some weights could have, but for rounding? Variances are looked at when they
 * are clipped. */
static bool is_possible(const moments *m, scant_i_shape shape, size_t d)
{
    bool sound = m->least >= 0;
    for (size_t c = 0; c < d; c++)
        sound = sound && isfinite(m->mean[c]);
    for (size_t s = 0; s < scant_i_gaussian_covariance_size(shape, d); s++)
        sound = sound &&
                (isfinite(m->covariance[s]) || (shape == SCANT_I_DIAGONAL && m->weight[s] == 0));
    return sound;
}

static scant_status impossible(size_t j)
{
    return scant_i_fail(SCANT_ERR_INPUT, "gaussian of component %zu: no rows have such statistics",
                        j + 1);
}

/* Clips eigenvalues at `floor`; *clipped says whether any was below, and then *least is the
 * smallest. room: d x d + 2 d. */
static scant_status clip_full(double *covariance, size_t d, double floor, double *room,
                              bool *clipped, double *least)
{
    double *work = room, *value = room + d * d;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            work[a * d + b] = covariance[a * d + b] - (a == b ? floor : 0);
    *clipped = !scant_i_cholesky(work, d);
    if (!*clipped)
        return SCANT_OK;
    memcpy(work, covariance, d * d * sizeof *work);
    scant_status status = scant_i_eigen(work, d, value);
    if (status != SCANT_OK)
        return status;
    memset(covariance, 0, d * d * sizeof *covariance);
    for (size_t k = 0; k < d; k++) {
        double v = fmax(value[k], floor);
        *least = fmin(*least, value[k]);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                covariance[a * d + b] += v * work[k * d + a] * work[k * d + b];
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < a; b++)
            covariance[a * d + b] = covariance[b * d + a];
    return SCANT_OK;
}

static size_t clip_room(scant_i_shape shape, size_t d)
{
    return shape == SCANT_I_FULL ? d * d + 2 * d : 0;
}

static scant_status clip(double *covariance, scant_i_shape shape, size_t d, double floor,
                         double *room, bool *clipped, double *least)
{
    *least = floor;
    if (shape == SCANT_I_FULL)
        return clip_full(covariance, d, floor, room, clipped, least);
    *clipped = false;
    for (size_t c = 0; c < scant_i_gaussian_covariance_size(shape, d); c++)
        if (!(covariance[c] > floor)) {
            *least = fmin(*least, covariance[c]);
            covariance[c] = floor;
            *clipped = true;
        }
    return SCANT_OK;
}

static double floor_of(const scant_i_factor *factor)
{
    return fmax(factor->settings.min_variance, VARIANCE_LEAST);
}

scant_status scant_i_gaussian_within(const scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns, count = scant_i_gaussian_tied(factor) ? 1 : factor->ncomponents;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    size_t size = scant_i_gaussian_covariance_size(shape, d);
    double floor = floor_of(factor) * (1 - SCANT_I_SLACK), least, *units = NULL;
    bool beyond = false;
    SCANT_I_TRY(SCANT_I_NEW(&units, d + size + clip_room(shape, d)));
    double *covariance = units + d, *room = covariance + size;
    scant_i_gaussian_units(factor, units);
    for (size_t j = 0; j < count && !factor->settings.fixed_covariances && !beyond; j++) {
        const double *from = scant_i_gaussian_covariance(factor, j);
        for (size_t s = 0; s < size; s++)
            covariance[s] = from[s] / units[shape == SCANT_I_FULL ? s / d : s] / units[s % d];
        SCANT_I_TRY(clip(covariance, shape, d, floor, room, &beyond, &least));
    }
    status = beyond ? SCANT_ERR_INPUT : SCANT_OK;
done:
    scant_i_free(units);
    return status;
}

static void store_mean(scant_i_factor *factor, size_t j, const moments *m, const double *units)
{
    double *mean = scant_i_gaussian_mean(factor, j);
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (m->weight[c] > 0) /* a column never seen with this component keeps its mean */
            mean[c] = factor->centre[c] + units[c] * m->mean[c];
}

static void store_covariance(scant_i_factor *factor, size_t j, scant_i_shape shape,
                             const moments *m, const double *units)
{
    size_t d = factor->ncolumns;
    double *to = scant_i_gaussian_covariance(factor, j);
    if (shape == SCANT_I_SPHERICAL && m->total > 0)
        to[0] = m->covariance[0] * units[0] * units[0];
    for (size_t a = 0; a < d && shape != SCANT_I_SPHERICAL; a++) {
        if (shape == SCANT_I_DIAGONAL && m->weight[a] > 0)
            to[a] = m->covariance[a] * units[a] * units[a];
        for (size_t b = 0; b < d && shape == SCANT_I_FULL; b++)
            to[a * d + b] = m->covariance[a * d + b] * units[a] * units[b];
    }
}

/* pooled += N_j S_j; `share` holds the weights by which to divide in the end */
static void pool(moments *pooled, const moments *m, scant_i_shape shape, size_t d)
{
    size_t size = scant_i_gaussian_covariance_size(shape, d);
    for (size_t c = 0; c < size; c++) {
        double N = shape == SCANT_I_DIAGONAL ? m->weight[c] : m->total;
        pooled->covariance[c] += N > 0 ? N * m->covariance[c] : 0;
    }
    for (size_t c = 0; c < d; c++)
        pooled->weight[c] += m->weight[c];
    pooled->total += m->total;
    pooled->square = fmax(pooled->square, m->square);
}

/* Clips what a component or all of them have. Not possible: a variance is below 0 by more than
 * rounding. */
static scant_status clip_moments(moments *m, const scant_i_factor *factor, double *room,
                                 bool *clipped, bool *possible)
{
    double least = 0;
    scant_status status = clip(m->covariance, scant_i_gaussian_shape(factor), factor->ncolumns,
                               floor_of(factor), room, clipped, &least);
    *possible = least >= -SCANT_I_ROUNDING * m->square;
    return status;
}

static scant_status moments_new(moments *m, scant_i_shape shape, size_t d)
{
    scant_status status =
        SCANT_I_NEW(&m->weight, 2 * d + scant_i_gaussian_covariance_size(shape, d));
    if (status != SCANT_OK)
        return status;
    m->mean = m->weight + d;
    m->covariance = m->mean + d;
    return SCANT_OK;
}

scant_status scant_i_gaussian_maximise(scant_i_factor *factor, const double *statistics)
{
    scant_status status = SCANT_OK;
    size_t M = factor->ncomponents, d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    bool tied = scant_i_gaussian_tied(factor), clipped = false, possible = true;
    moments m = {0}, pooled = {0};
    double *units = NULL, *room = NULL;
    SCANT_I_TRY(moments_new(&m, shape, d));
    SCANT_I_TRY(moments_new(&pooled, shape, d));
    SCANT_I_TRY(SCANT_I_NEW(&units, d));
    SCANT_I_TRY(SCANT_I_NEW(&room, clip_room(shape, d)));
    scant_i_gaussian_units(factor, units);
    for (size_t j = 0; j < M; j++) {
        if (is_empty(factor, statistics, j, shape))
            continue; /* it keeps its parameters */
        if (shape == SCANT_I_FULL)
            full_moments(factor, statistics, j, &m);
        else
            column_moments(factor, statistics, j, shape, &m);
        if (!is_possible(&m, shape, d))
            SCANT_I_TRY(impossible(j));
        store_mean(factor, j, &m, units);
        if (factor->settings.fixed_covariances)
            continue; /* the mean above is the maximum whatever they are */
        if (tied) {
            pool(&pooled, &m, shape, d);
            continue;
        }
        scant_i_gaussian_shrink(factor, m.weight, m.total, m.covariance);
        SCANT_I_TRY(clip_moments(&m, factor, room, &clipped, &possible));
        if (!possible)
            SCANT_I_TRY(impossible(j));
        factor->at_floor[j] = clipped;
        store_covariance(factor, j, shape, &m, units);
    }
    if (tied && pooled.total > 0) {
        for (size_t c = 0; c < scant_i_gaussian_covariance_size(shape, d); c++) {
            double N = shape == SCANT_I_DIAGONAL ? pooled.weight[c] : pooled.total;
            pooled.covariance[c] = N > 0 ? pooled.covariance[c] / N : INFINITY;
        }
        scant_i_gaussian_shrink(factor, pooled.weight, pooled.total, pooled.covariance);
        SCANT_I_TRY(clip_moments(&pooled, factor, room, &clipped, &possible));
        if (!possible)
            SCANT_I_TRY(scant_i_fail(SCANT_ERR_INPUT, "gaussian: no rows of all components "
                                                      "together have such statistics"));
        memset(factor->at_floor, clipped, M);
        store_covariance(factor, 0, shape, &pooled, units);
    }
done:
    scant_i_free(m.weight);
    scant_i_free(pooled.weight);
    scant_i_free(units);
    scant_i_free(room);
    return status;
}
