/* Gaussian: log f_j(x) = -1/2 (d log 2pi + log det S_j + (x - mu_j)' S_j^-1 (x - mu_j)).
 *
 * Objective of the M-step  sum_ij R_ij log f_j(x_i), maximal at
 *     N_j = sum_i R_ij,  mu_j = sum_i R_ij x_i / N_j,
 *     S_j = sum_i R_ij (x_i - mu_j)(x_i - mu_j)' / N_j        full
 *     its diagonal                                            diag
 *     the mean of its diagonal times I                        spherical
 *     sum_j N_j S_j / sum_j N_j, then as above                tied, tied-diag, tied-spherical
 * Floor: S_j >= c D with D the data's variances (spherical: their mean) and c = min_variance:
 * eigenvalues in standard units are clipped at c, which is the exact maximum under the constraint,
 * so the objective still never falls. With a prior (settings.shrinkage) S_j is shrunk before
 * (gaussian_prior.c).
 *
 * Standard units: z = (x - centre) / scale, with the data's means and standard deviations. There
 * the log density is a product of features (1, z, zz') with coefficients C_j, and the statistics
 * are the transposed product with the responsibilities: two small matrix products a block
 * (math/product.c). Where that would lose digits - a component far from the centre for its spread,
 * measured by
 * (|m|^2 + tr S) tr S^-1 - the component goes by its Cholesky factor and statistics about its own
 * mean.
 *
 * Missing cells: S_oo of the observed part; the M-step takes E[z | z_o, j] and adds the conditional
 * covariance (gaussian_missing.c). Diagonal shapes leave absent columns out, each column with its
 * own N.
 *
 * Cost of a pass: rows x components x features x 4 flop, features = 1 + d + d(d+1)/2, 1 + 2d or 2 +
 * d. Papers: context-aware mixtures eq. 8-10; partial labels table 1 (new means inside S_j). */
#include "family/gaussian.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/kernels.h"

static const struct {
    const char *name;
    scant_i_shape shape;
    bool tied;
} covariances[] = {
    {"full", SCANT_I_FULL, false},           {"diag", SCANT_I_DIAGONAL, false},
    {"spherical", SCANT_I_SPHERICAL, false}, {"tied", SCANT_I_FULL, true},
    {"tied-diag", SCANT_I_DIAGONAL, true},   {"tied-spherical", SCANT_I_SPHERICAL, true},
};
enum { NCOVARIANCES = sizeof covariances / sizeof *covariances };

static size_t covariance_index(const scant_i_factor *factor)
{
    const char *name = factor->settings.covariance;
    size_t k = 0;
    while (k < NCOVARIANCES && name != covariances[k].name) /* ours, once it is configured */
        k++;
    if (k == NCOVARIANCES)
        for (k = 0; k < NCOVARIANCES && strcmp(name, covariances[k].name) != 0;)
            k++;
    return k;
}

scant_i_shape scant_i_gaussian_shape(const scant_i_factor *factor)
{
    return covariances[covariance_index(factor)].shape;
}

bool scant_i_gaussian_tied(const scant_i_factor *factor)
{
    return covariances[covariance_index(factor)].tied;
}

static scant_status configure(scant_i_factor *factor)
{
    size_t k = covariance_index(factor);
    if (k == NCOVARIANCES)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "covariance '%s' is none of full, diag, spherical, tied, tied-diag, "
                            "tied-spherical",
                            factor->settings.covariance);
    factor->settings.covariance = covariances[k].name; /* ours, so it outlives the caller's text */
    size_t d = factor->ncolumns;
    size_t matrices = covariances[k].tied ? 1 : factor->ncomponents;
    factor->ntheta = factor->ncomponents * d +
                     matrices * scant_i_gaussian_covariance_size(covariances[k].shape, d);
    return SCANT_OK;
}

static size_t parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    size_t M = factor->ncomponents, d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    out[0] = (scant_i_parameter){"means", 0, 2, {M, d}, false};
    scant_i_parameter *c = &out[1];
    *c = (scant_i_parameter){"covariances", M * d, 0, {0}, scant_i_gaussian_tied(factor)};
    if (!c->tied)
        c->dim[c->ndim++] = M;
    if (shape != SCANT_I_SPHERICAL)
        c->dim[c->ndim++] = d;
    if (shape == SCANT_I_FULL)
        c->dim[c->ndim++] = d;
    if (c->ndim == 0)
        c->dim[c->ndim++] = 1;
    return 2;
}

static size_t degrees(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns;
    size_t matrices = factor->settings.fixed_covariances ? 0
                      : scant_i_gaussian_tied(factor)    ? 1
                                                         : factor->ncomponents;
    return factor->ncomponents * d +
           matrices * scant_i_gaussian_squares(scant_i_gaussian_shape(factor), d);
}

static scant_status validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    /* almost always none: a plain sweep first */
    bool any = scant_i_kernels_now()->any_infinite(batch->dense, batch->nrows * batch->ncolumns);
    for (size_t i = 0; any && i < batch->nrows; i++)
        for (size_t c = 0; c < factor->ncolumns; c++)
            if (isinf(batch->dense[i * batch->ncolumns + factor->columns[c]]))
                return scant_i_batch_fail_cell(batch, i, factor->columns[c], "an infinite value");
    return SCANT_OK;
}

void scant_i_gaussian_full(const scant_i_factor *factor, size_t j, double *covariance)
{
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    const double *own = scant_i_gaussian_covariance(factor, j);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            covariance[a * d + b] = shape == SCANT_I_FULL       ? own[a * d + b]
                                    : a != b                    ? 0
                                    : shape == SCANT_I_DIAGONAL ? own[a]
                                                                : own[0];
}

static double variance(const scant_i_factor *factor, size_t component, size_t column)
{
    const double *own = scant_i_gaussian_covariance(factor, component);
    switch (scant_i_gaussian_shape(factor)) {
    case SCANT_I_FULL: return own[column * factor->ncolumns + column];
    case SCANT_I_DIAGONAL: return own[column];
    case SCANT_I_SPHERICAL: return own[0];
    }
    return NAN;
}

static scant_status check_moments(const scant_i_factor *factor, size_t j)
{
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double v = variance(factor, j, c);
        if (!isfinite(scant_i_gaussian_mean(factor, j)[c]))
            return scant_i_fail(SCANT_ERR_INPUT, "means: component %zu is not finite", j + 1);
        if (!(v > 0) || !isfinite(v))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "covariances: component %zu has variance %g in column %zu", j + 1,
                                v, c + 1);
    }
    return SCANT_OK;
}

static scant_status check(const scant_i_factor *factor)
{
    size_t M = factor->ncomponents, d = factor->ncolumns;
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    scant_status status = SCANT_OK;
    double *work = NULL;
    for (size_t j = 0; j < M; j++)
        SCANT_I_TRY(check_moments(factor, j));
    if (full)
        SCANT_I_TRY(SCANT_I_NEW(&work, d * d));
    for (size_t j = 0; j < M && full && status == SCANT_OK; j++) {
        /* correlations, so that units do not matter */
        scant_i_gaussian_full(factor, j, work);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < a; b++) {
                double low = work[a * d + b], high = work[b * d + a];
                double unit = sqrt(work[a * d + a]) * sqrt(work[b * d + b]);
                if (!(fabs(low - high) <= 1e-8 * unit))
                    status = scant_i_fail(SCANT_ERR_INPUT,
                                          "covariances: component %zu is not symmetric at %zu, %zu",
                                          j + 1, a + 1, b + 1);
                work[a * d + b] = low / unit;
            }
        for (size_t a = 0; a < d; a++) {
            work[a * d + a] = 1;
            for (size_t b = a + 1; b < d; b++)
                work[a * d + b] = work[b * d + a];
        }
        if (status == SCANT_OK && !scant_i_cholesky(work, d))
            status = scant_i_fail(SCANT_ERR_INPUT,
                                  "covariances: component %zu is not positive definite", j + 1);
    }
done:
    scant_i_free(work);
    return status;
}

/* Independent columns need no factorisation, which each row would have to make anew. */
static void sample_columns(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    bool diagonal = scant_i_gaussian_shape(factor) == SCANT_I_DIAGONAL;
    const double *mean = scant_i_gaussian_mean(factor, component);
    const double *variance = scant_i_gaussian_covariance(factor, component);
    for (size_t a = 0; a < factor->ncolumns; a++)
        x[a] = mean[a] + sqrt(variance[diagonal ? a : 0]) * scant_i_random_normal(random);
}

static scant_status sample(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    size_t d = factor->ncolumns;
    if (scant_i_gaussian_shape(factor) != SCANT_I_FULL) {
        sample_columns(factor, component, random, x);
        return SCANT_OK;
    }
    double *lower = scant_i_alloc(d * d + d, sizeof *lower);
    if (!lower)
        return SCANT_ERR_MEMORY;
    double *normal = lower + d * d;
    scant_status status = SCANT_OK;
    scant_i_gaussian_full(factor, component, lower);
    if (scant_i_cholesky(lower, d)) {
        for (size_t a = 0; a < d; a++)
            normal[a] = scant_i_random_normal(random);
        for (size_t a = 0; a < d; a++) {
            x[a] = scant_i_gaussian_mean(factor, component)[a];
            for (size_t b = 0; b <= a; b++)
                x[a] += lower[a * d + b] * normal[b];
        }
    } else {
        status = scant_i_fail(SCANT_ERR_INPUT,
                              "covariances: component %zu is not positive definite", component + 1);
    }
    scant_i_free(lower);
    return status;
}

static void moments(const scant_i_factor *factor, size_t component, double *mean,
                    double *covariance)
{
    memcpy(mean, scant_i_gaussian_mean(factor, component), factor->ncolumns * sizeof *mean);
    scant_i_gaussian_full(factor, component, covariance);
}

static bool shifts(const scant_i_factor *factor, size_t column)
{
    (void)factor;
    (void)column;
    return true;
}

static const scant_i_family_pass pass = {
    .prepare = scant_i_gaussian_prepare,
    .release = scant_i_gaussian_release,
    .scratch = scant_i_gaussian_scratch,
    .sets = true,
    .log_density = scant_i_gaussian_log_density,
    .nstatistics = scant_i_gaussian_nstatistics,
    .accumulate = scant_i_gaussian_accumulate,
    .anchor = scant_i_gaussian_anchor,
    .maximise = scant_i_gaussian_maximise,
    .within = scant_i_gaussian_within,
    .log_prior = scant_i_gaussian_log_prior,
};

static const scant_i_family_natural natural_form = {
    .nnatural = scant_i_gaussian_nnatural,
    .eta = scant_i_gaussian_natural,
    .sufficient = scant_i_gaussian_sufficient,
    .cumulant = scant_i_gaussian_cumulant,
    .from_natural = scant_i_gaussian_from_natural,
    .nshared = scant_i_gaussian_nshared,
    .nfixed = scant_i_gaussian_nfixed,
    .standardise = scant_i_gaussian_theta_standardise,
    .shifts = shifts,
    .nfeatures = scant_i_gaussian_nfeatures,
    .begins_with_one = true,
    .monomial = scant_i_gaussian_monomial,
    .features = scant_i_gaussian_features_of,
    .score = scant_i_gaussian_score,
    .information = scant_i_gaussian_information,
};

const scant_i_family scant_i_gaussian = {
    .name = "gaussian",
    .summary = "normal distribution; see --covariance",
    .has_covariances = true,
    .configure = configure,
    .parameters = parameters,
    .degrees = degrees,
    .validate = validate,
    .check = check,
    .sample = sample,
    .moments = moments,
    .pass = &pass,
    .natural = &natural_form,
    .reach = &scant_i_gaussian_reach,
    .coordinates = &scant_i_gaussian_coordinates,
};
