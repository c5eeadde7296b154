#include "inform/errors.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/vector.h"

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
SCANT_I_CLONES
static void multiply(double *restrict out, const double *x, const double *y, size_t n)
{
    memset(out, 0, n * n * sizeof *out);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            for (size_t c = 0; c < n; c++)
                out[a * n + c] += x[a * n + b] * y[b * n + c];
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

/* The slopes of all parameters in one coordinate: of the vectors up and down, 2 step apart */
static scant_status slopes(double *J, const scant_i_chart *chart, scant_i_mixture *work,
                           double *point, size_t a, double step)
{
    scant_status status = SCANT_OK;
    size_t size = scant_i_mixture_size(work);
    double at = point[a], *up = J, *down = J + size;
    point[a] = at + step;
    SCANT_I_TRY(scant_i_chart_set(chart, work, point));
    scant_i_mixture_flatten(work, up);
    point[a] = at - step;
    SCANT_I_TRY(scant_i_chart_set(chart, work, point));
    scant_i_mixture_flatten(work, down);
    for (size_t t = 0; t < size; t++)
        up[t] = (up[t] - down[t]) / (2 * step);
done:
    point[a] = at;
    return status;
}

/* variance[t] += sum_ab C_ab J_at J_bt. A parameter depends on few coordinates: `of` has room for all n. */
SCANT_I_CLONES
static void add_variances(double *variance, const double *C, const double *J, size_t n, size_t size,
                          size_t *of)
{
    for (size_t t = 0; t < size; t++) {
        size_t count = 0;
        for (size_t a = 0; a < n; a++)
            if (J[a * size + t] != 0)
                of[count++] = a;
        for (size_t k = 0; k < count; k++) {
            double sum = 0;
            for (size_t l = 0; l < count; l++)
                sum += C[of[k] * n + of[l]] * J[of[l] * size + t];
            variance[t] += sum * J[of[k] * size + t];
        }
    }
}

/* Var(theta) = J C J', with J by central differences that step a small share of each coordinate's
 * own standard error: their error is that share squared. */
scant_status scant_i_standard_errors(double *errors, const scant_i_information *information,
                                     const scant_i_mixture *mixture, const double *covariance)
{
    static const double STEP = 1e-3;
    scant_status status = SCANT_OK;
    const scant_i_chart *chart = &information->chart;
    size_t n = chart->n, size = scant_i_mixture_size(mixture);
    scant_i_mixture *work = NULL;
    double *J = NULL, *room = NULL, *point = NULL;
    size_t *of = NULL;
    SCANT_I_TRY(scant_i_mixture_copy(&work, mixture));
    SCANT_I_TRY(SCANT_I_NEW(&J, n * size));
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * size));
    SCANT_I_TRY(SCANT_I_NEW(&point, n));
    SCANT_I_TRY(SCANT_I_NEW(&of, n));
    SCANT_I_TRY(scant_i_chart_get(chart, mixture, point));
    for (size_t a = 0; a < n; a++) {
        status = slopes(room, chart, work, point, a, STEP * sqrt(covariance[a * n + a]));
        if (status == SCANT_ERR_INPUT)
            status = scant_i_fail_within(SCANT_ERR_UNIDENTIFIED,
                                         "a parameter is a thousand times less sure than its size");
        SCANT_I_TRY(status);
        memcpy(J + a * size, room, size * sizeof *J);
    }
    memset(errors, 0, size * sizeof *errors);
    add_variances(errors, covariance, J, n, size, of);
    for (size_t t = 0; t < size; t++)
        errors[t] = sqrt(fmax(errors[t], 0));
done:
    scant_i_mixture_free(work);
    scant_i_free(J);
    scant_i_free(room);
    scant_i_free(point);
    scant_i_free(of);
    return status;
}
