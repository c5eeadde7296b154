#include "inform/errors.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/linear.h"

/* --- rates --- */

/* to = D from D with D = diag(scale) */
static void scale_both(double *to, const double *from, const double *scale, size_t n)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            to[a * n + b] = scale[a] * from[a * n + b] * scale[b];
}

scant_status scant_i_missing_share(double *share, const scant_i_information *information,
                                   bool component_major)
{
    scant_status status = SCANT_OK;
    size_t n = information->chart.n, q = information->chart.ncoupling;
    double *complete = NULL, *observed = NULL, *scale = NULL, least = 1;
    SCANT_I_TRY(SCANT_I_NEW(&complete, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&observed, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&scale, n));
    memcpy(complete, information->complete, n * n * sizeof *complete);
    for (size_t a = 0; a < q && component_major; a++)
        memcpy(complete + a * n, information->component_major + a * q, q * sizeof *complete);
    for (size_t a = 0; a < n; a++) /* units of their own, so that Cholesky need not mind them */
        scale[a] = complete[a * n + a] > 0 ? 1 / sqrt(complete[a * n + a]) : 0;
    scale_both(complete, complete, scale, n);
    scale_both(observed, information->observed, scale, n);
    if (!scant_i_cholesky(complete, n)) {
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "the rows do not tell some parameter, even if nothing were missing");
        goto done;
    }
    scant_i_whiten(observed, complete, n);
    if (n > 0)
        SCANT_I_TRY(scant_i_least_eigenvalue(observed, n, &least));
    *share = 1 - least;
done:
    scant_i_free(complete);
    scant_i_free(observed);
    scant_i_free(scale);
    return status;
}

/* --- standard errors --- */

scant_status scant_i_estimate_covariance(double *covariance, const scant_i_information *information,
                                         double share)
{
    scant_status status = SCANT_OK;
    size_t n = information->chart.n;
    double *lower = NULL, *scale = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&lower, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&scale, n));
    for (size_t a = 0; a < n; a++) {
        double own = information->observed[a * n + a];
        scale[a] = own > 0 ? 1 / sqrt(own) : 0;
    }
    scale_both(lower, information->observed, scale, n);
    if (share > SCANT_I_SHARE_MAX || !scant_i_cholesky(lower, n)) {
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "the observed information is not positive definite: these rows do "
                              "not tell some parameter from others, or the fit is at no maximum");
        goto done;
    }
    scant_i_cholesky_inverse(covariance, lower, n);
    scale_both(covariance, covariance, scale, n);
done:
    scant_i_free(lower);
    scant_i_free(scale);
    return status;
}

/* Share and covariance of the information that is there. */
static scant_status estimate(const scant_i_information *information, double *share,
                             double **covariance)
{
    size_t n = information->chart.n;
    scant_status status = scant_i_missing_share(share, information, false);
    if (status != SCANT_OK) {
        *share = NAN;
        return status;
    }
    status = SCANT_I_NEW(covariance, n * n);
    if (status == SCANT_OK)
        status = scant_i_estimate_covariance(*covariance, information, *share);
    if (status != SCANT_OK) {
        scant_i_free(*covariance);
        *covariance = NULL;
    }
    return status;
}

scant_status scant_i_estimate_all(scant_i_information *out, double *share, double **covariance,
                                  const scant_i_mixture *mixture, const scant_rows *rows,
                                  const scant_i_evidence *evidence, size_t threads)
{
    /* Of a variance, by a bound that takes all roundings to be as large as can be and of one sign: what they come to is
     * a hundredth of it or less. */
    static const double TOLERATED = 0.01;
    double lost = 0;
    *share = NAN;
    *covariance = NULL;
    scant_status status = scant_i_information_quick(out, mixture, rows, evidence, threads);
    if (status != SCANT_OK)
        return status;
    if (isfinite(out->rounding.u)) {
        status = estimate(out, share, covariance);
        if (status == SCANT_OK)
            status = scant_i_rounding_share(&lost, &out->rounding, *covariance, out->chart.n);
        if (status == SCANT_OK ? lost <= TOLERATED
                               : status != SCANT_ERR_UNIDENTIFIED || out->rounding.u == 0)
            return status;
    }
    scant_i_free(*covariance);
    *covariance = NULL;
    scant_i_information_clear(out);
    status = scant_i_information_new(out, mixture, rows, evidence, threads);
    return status == SCANT_OK ? estimate(out, share, covariance) : status;
}

/* out = x y, n x n each */
static void multiply(double *restrict out, const double *x, const double *y, size_t n)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            scant_i_add_multiple(out + a * n, x[a * n + b], y + b * n, n);
}

scant_status scant_i_estimate_sandwich(double *covariance, const double *products, size_t n)
{
    scant_status status = SCANT_OK;
    double *half = NULL, *whole = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&half, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&whole, n * n));
    multiply(half, covariance, products, n);
    multiply(whole, half, covariance, n);
    memcpy(covariance, whole, n * n * sizeof *whole);
done:
    scant_i_free(half);
    scant_i_free(whole);
    return status;
}

/* --- the delta method ---
 *
 *   Var(theta) = J C J' = sum_a (d theta / d l_a)^2,   C = L L', l_a the columns of L
 * by central differences along l_a: a step of a thousandth is one of a thousandth of a standard error, however the
 * coordinates depend on each other. Moved one by one they would leave the domain where columns are close to collinear. */

/* L (n x n) with L L' = C, in units of C's own; rounding may leave C short of positive definite. */
static scant_status root_of(double *L, const double *C, size_t n)
{
    static const double ROUNDING[] = {0, 1e-13, 1e-10};
    scant_status status = SCANT_OK;
    double *scale = NULL;
    bool done = n == 0;
    SCANT_I_TRY(SCANT_I_NEW(&scale, 2 * n));
    for (size_t a = 0; a < n; a++) {
        scale[n + a] = sqrt(fmax(C[a * n + a], 0));
        scale[a] = scale[n + a] > 0 ? 1 / scale[n + a] : 0;
    }
    for (size_t k = 0; k < sizeof ROUNDING / sizeof *ROUNDING && !done; k++) {
        scale_both(L, C, scale, n);
        for (size_t a = 0; a < n; a++)
            L[a * n + a] = 1 + ROUNDING[k];
        done = scant_i_cholesky(L, n);
    }
    for (size_t t = 0; t < n * n; t++)
        L[t] *= scale[n + t / n];
    if (!done)
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "the covariance of the estimates is lost in rounding");
done:
    scant_i_free(scale);
    return status;
}

typedef struct delta {
    const scant_i_chart *chart;
    scant_i_mixture *work;
    double *L; /* n x n */
    size_t n, size;
    double *origin, *point;     /* n */
    double *up, *down, *square; /* size */
} delta;

/* theta at the origin plus step l_a */
static scant_status go(const delta *d, size_t a, double step, double *theta)
{
    for (size_t b = 0; b < d->n; b++)
        d->point[b] = d->origin[b] + step * d->L[b * d->n + a];
    scant_status status = scant_i_chart_set(d->chart, d->work, d->point);
    if (status == SCANT_OK)
        scant_i_mixture_flatten(d->work, theta);
    return status;
}

/* d->square = sum_a (d theta / d l_a)^2 */
static scant_status add_up(const delta *d, double step)
{
    scant_status status = SCANT_OK;
    memset(d->square, 0, d->size * sizeof *d->square);
    for (size_t a = 0; a < d->n; a++) {
        SCANT_I_TRY(go(d, a, step, d->up));
        SCANT_I_TRY(go(d, a, -step, d->down));
        for (size_t t = 0; t < d->size; t++) {
            double slope = (d->up[t] - d->down[t]) / (2 * step);
            d->square[t] += slope * slope;
        }
    }
done:
    return status;
}

/* Variances that agree with those of the step before are kept in `settled`, which is no number before; *open: others */
static void settle(const delta *d, double *last, double *settled, size_t *open)
{
    static const double CLOSE = 1e-3;
    *open = 0;
    for (size_t t = 0; t < d->size; t++) {
        if (isnan(settled[t]) && fabs(d->square[t] - last[t]) <= CLOSE * d->square[t])
            settled[t] = last[t];
        last[t] = d->square[t];
        *open += isnan(settled[t]) ? 1 : 0;
    }
}

/* Steps shrink until variances agree: what is far from sure may saturate within a step, or leave the domain. */
static scant_status find_variances(const delta *d, double *last, double *variance)
{
    static const double STEP = 1e-3, LEAST = 1e-13, SHRINK = 16;
    scant_status status = SCANT_OK;
    size_t open = d->size;
    for (size_t t = 0; t < d->size; t++)
        last[t] = variance[t] = NAN;
    for (double step = STEP; step > LEAST && open; step /= SHRINK) {
        status = add_up(d, step);
        if (status == SCANT_OK)
            settle(d, last, variance, &open);
        else if (status != SCANT_ERR_INPUT)
            return status;
    }
    return status == SCANT_OK ? status
                              : scant_i_fail_within(SCANT_ERR_UNIDENTIFIED,
                                                    "a parameter is at the edge of its domain");
}

/* Moves columns whose place does not matter to 0: compared with a mean of 1e9 a thousandth of a standard error has no digits
 * left. */
static void forget_places(scant_i_mixture *mixture)
{
    scant_i_chart_standardise(mixture, true);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_i_factor *factor = mixture->factor[f];
        for (size_t c = 0; c < factor->ncolumns && factor->family->natural->shifts; c++)
            if (factor->family->natural->shifts(factor, c))
                factor->centre[c] = 0;
    }
    scant_i_chart_standardise(mixture, false);
}

static scant_status delta_new(delta *out, const scant_i_chart *chart,
                              const scant_i_mixture *mixture, const double *covariance)
{
    scant_status status = SCANT_OK;
    *out = (delta){.chart = chart, .n = chart->n, .size = scant_i_mixture_size(mixture)};
    SCANT_I_TRY(scant_i_mixture_copy(&out->work, mixture));
    SCANT_I_TRY(SCANT_I_NEW(&out->L, out->n * out->n));
    SCANT_I_TRY(SCANT_I_NEW(&out->origin, 2 * out->n));
    SCANT_I_TRY(SCANT_I_NEW(&out->up, 3 * out->size));
    out->point = out->origin + out->n;
    out->down = out->up + out->size;
    out->square = out->down + out->size;
    SCANT_I_TRY(scant_i_chart_get(chart, mixture, out->origin));
    SCANT_I_TRY(root_of(out->L, covariance, out->n));
    forget_places(out->work);
done:
    return status;
}

static void delta_clear(delta *d)
{
    scant_i_mixture_free(d->work);
    scant_i_free(d->L);
    scant_i_free(d->origin);
    scant_i_free(d->up);
}

scant_status scant_i_standard_errors(double *errors, const scant_i_information *information,
                                     const scant_i_mixture *mixture, const double *covariance)
{
    scant_status status = SCANT_OK;
    delta d = {0};
    double *last = NULL;
    SCANT_I_TRY(delta_new(&d, &information->chart, mixture, covariance));
    SCANT_I_TRY(SCANT_I_NEW(&last, d.size));
    SCANT_I_TRY(find_variances(&d, last, errors));
    for (size_t t = 0; t < d.size; t++)
        errors[t] = errors[t] >= 0 ? sqrt(errors[t]) : 0; /* no number: it never settled */
    for (size_t t = 0; t < mixture->nclasses * mixture->stride; t++)
        errors[t] =
            scant_i_chart_is_open(mixture->coupling.W[t]) ? errors[t] : 0; /* no parameters */
done:
    delta_clear(&d);
    scant_i_free(last);
    return status;
}
