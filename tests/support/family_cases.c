#include "family_cases.h"
#include "gaussian_cases.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

static bool has(const uint8_t *present, size_t c)
{
    return !present || present[c];
}

/* --- positive parameters: poisson, exponential, maxwell, gamma --- */

static void draw_positive(scant_i_factor *factor, scant_i_random *random)
{
    for (size_t k = 0; k < factor->ntheta; k++)
        factor->theta[k] = exp(1.5 * scant_i_random_uniform(random) - 0.2);
}

static void perturb_positive(scant_i_factor *factor, scant_i_random *random, double size)
{
    for (size_t k = 0; k < factor->ntheta; k++)
        factor->theta[k] *= exp(size * scant_i_random_normal(random));
}

static void entry_none(const scant_i_factor *factor, scant_i_random *random, double *x)
{
    (void)random;
    for (size_t c = 0; c < factor->ncolumns; c++)
        x[c] = 0;
}

static double poisson_density(const scant_i_factor *factor, size_t j, const double *x,
                              const uint8_t *present)
{
    double sum = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double m = factor->theta[j * factor->ncolumns + c];
        if (has(present, c))
            sum += x[c] * log(m) - m - lgamma(x[c] + 1);
    }
    return sum;
}

static double exponential_density(const scant_i_factor *factor, size_t j, const double *x,
                                  const uint8_t *present)
{
    double sum = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double m = factor->theta[j * factor->ncolumns + c];
        if (has(present, c))
            sum += log(exp(-x[c] / m) / m);
    }
    return sum;
}

static double maxwell_density(const scant_i_factor *factor, size_t j, const double *x,
                              const uint8_t *present)
{
    double sum = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double a = factor->theta[j * factor->ncolumns + c];
        if (has(present, c))
            sum += log(sqrt(2 / PI) * x[c] * x[c] / (a * a * a)) - x[c] * x[c] / (2 * a * a);
    }
    return sum;
}

static double gamma_density(const scant_i_factor *factor, size_t j, const double *x,
                            const uint8_t *present)
{
    double sum = 0;
    size_t d = factor->ncolumns;
    for (size_t c = 0; c < d; c++) {
        double k = factor->theta[j * d + c], s = factor->theta[(factor->ncomponents + j) * d + c];
        if (has(present, c))
            sum += (k - 1) * log(x[c]) - x[c] / s - lgamma(k) - k * log(s);
    }
    return sum;
}

/* --- bernoulli --- */

static void draw_bernoulli(scant_i_factor *factor, scant_i_random *random)
{
    for (size_t k = 0; k < factor->ntheta; k++)
        factor->theta[k] = 0.05 + 0.9 * scant_i_random_uniform(random);
}

static void perturb_bernoulli(scant_i_factor *factor, scant_i_random *random, double size)
{
    for (size_t k = 0; k < factor->ntheta; k++) {
        double p = factor->theta[k];
        double odds = p / (1 - p) * exp(size * scant_i_random_normal(random));
        factor->theta[k] = p < 1 ? odds / (1 + odds) : 1;
    }
}

static double bernoulli_density(const scant_i_factor *factor, size_t j, const double *x,
                                const uint8_t *present)
{
    double sum = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double p = factor->theta[j * factor->ncolumns + c];
        if (has(present, c))
            sum += log(x[c] > 0 ? p : 1 - p);
    }
    return sum;
}

/* --- multinomial and categorical --- */

static void normalise(double *p, size_t n)
{
    double sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += p[c];
    for (size_t c = 0; c < n; c++)
        p[c] /= sum;
}

static void normalise_groups(scant_i_factor *factor)
{
    double *p = factor->theta;
    bool categorical = factor->family->categorical;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        if (!categorical) {
            normalise(p, factor->ncolumns);
            p += factor->ncolumns;
        }
        for (size_t c = 0; categorical && c < factor->ncolumns; c++) {
            normalise(p, factor->nlevels[c]);
            p += factor->nlevels[c];
        }
    }
}

static void draw_simplex(scant_i_factor *factor, scant_i_random *random)
{
    draw_positive(factor, random);
    normalise_groups(factor);
}

static void perturb_simplex(scant_i_factor *factor, scant_i_random *random, double size)
{
    perturb_positive(factor, random, size);
    normalise_groups(factor);
}

static void entry_trials(const scant_i_factor *factor, scant_i_random *random, double *x)
{
    entry_none(factor, random, x);
    x[0] = 1 + (double)scant_i_random_below(random, 40);
}

static double multinomial_density(const scant_i_factor *factor, size_t j, const double *x,
                                  const uint8_t *present)
{
    double sum = 0, n = 0;
    (void)present;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double p = factor->theta[j * factor->ncolumns + c];
        if (x[c] > 0)
            sum += x[c] * log(p) - lgamma(x[c] + 1);
        n += x[c];
    }
    return sum + lgamma(n + 1);
}

static double categorical_density(const scant_i_factor *factor, size_t j, const double *x,
                                  const uint8_t *present)
{
    double sum = 0;
    const double *p = factor->theta + j * (factor->ntheta / factor->ncomponents);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        if (has(present, c))
            sum += log(p[(size_t)x[c]]);
        p += factor->nlevels[c];
    }
    return sum;
}

/* --- regression --- */

static void draw_regression(scant_i_factor *factor, scant_i_random *random)
{
    size_t n = factor->ncomponents * factor->ncolumns;
    for (size_t k = 0; k < factor->ntheta; k++)
        factor->theta[k] =
            k < n ? scant_i_random_normal(random) : 0.2 + scant_i_random_uniform(random);
}

static void perturb_regression(scant_i_factor *factor, scant_i_random *random, double size)
{
    size_t n = factor->ncomponents * factor->ncolumns;
    for (size_t k = 0; k < factor->ntheta; k++) {
        if (k < n)
            factor->theta[k] += size * scant_i_random_normal(random);
        else
            factor->theta[k] *= exp(size * scant_i_random_normal(random));
    }
}

static void entry_inputs(const scant_i_factor *factor, scant_i_random *random, double *x)
{
    for (size_t c = 0; c < factor->ncolumns; c++)
        x[c] = 3 + 2 * scant_i_random_normal(random);
}

static double regression_density(const scant_i_factor *factor, size_t j, const double *x,
                                 const uint8_t *present)
{
    size_t d = factor->ncolumns, k = 1;
    const double *b = factor->theta + j * d;
    double s2 = factor->theta[factor->ncomponents * d + j], mean = b[0];
    (void)present;
    for (size_t c = 0; c < d; c++)
        if (c != factor->settings.target)
            mean += b[k++] * x[c];
    double e = x[factor->settings.target] - mean;
    return -0.5 * log(2 * PI * s2) - e * e / (2 * s2);
}

static const size_t levels[] = {2, 5, 3, 1};

const family_case family_cases[FAMILY_CASES] = {
    {&scant_i_bernoulli,
     6,
     NULL,
     {.smooth = 0},
     draw_bernoulli,
     perturb_bernoulli,
     entry_none,
     bernoulli_density},
    {&scant_i_poisson, 4, NULL, {0}, draw_positive, perturb_positive, entry_none, poisson_density},
    {&scant_i_exponential,
     4,
     NULL,
     {0},
     draw_positive,
     perturb_positive,
     entry_none,
     exponential_density},
    {&scant_i_maxwell, 3, NULL, {0}, draw_positive, perturb_positive, entry_none, maxwell_density},
    {&scant_i_gamma, 3, NULL, {0}, draw_positive, perturb_positive, entry_none, gamma_density},
    {&scant_i_multinomial,
     5,
     NULL,
     {0},
     draw_simplex,
     perturb_simplex,
     entry_trials,
     multinomial_density},
    {&scant_i_categorical,
     4,
     levels,
     {0},
     draw_simplex,
     perturb_simplex,
     entry_none,
     categorical_density},
    {&scant_i_regression,
     4,
     NULL,
     {.target = 1},
     draw_regression,
     perturb_regression,
     entry_inputs,
     regression_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "full"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "diag"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "spherical"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "tied"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "tied-diag"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
    {&scant_i_gaussian,
     3,
     NULL,
     {.covariance = "tied-spherical"},
     draw_gaussian,
     perturb_gaussian,
     entry_none,
     gaussian_density},
};

const family_case *family_case_of(const scant_i_family *family)
{
    for (size_t k = 0; k < FAMILY_CASES; k++)
        if (family_cases[k].family == family)
            return &family_cases[k];
    return NULL;
}

scant_i_factor *case_factor(const family_case *one, size_t ncomponents, const size_t *columns,
                            scant_i_random *random)
{
    size_t all[16];
    scant_i_factor *factor = NULL;
    for (size_t c = 0; c < 16; c++)
        all[c] = c;
    assert_int_equal(scant_i_factor_new(&factor, one->family, &one->settings, ncomponents,
                                        columns ? columns : all, one->nlevels, one->ncolumns),
                     SCANT_OK);
    one->draw_theta(factor, random);
    return factor;
}

double *case_rows(const family_case *one, const scant_i_factor *factor, size_t n,
                  scant_i_random *random)
{
    double *x = scant_i_calloc(n, factor->ncolumns * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        double *row = x + i * factor->ncolumns;
        one->draw_entry(factor, random, row);
        assert_int_equal(one->family->sample(factor, i % factor->ncomponents, random, row),
                         SCANT_OK);
    }
    return x;
}

void case_standardise(scant_i_factor *factor, const double *x, size_t n)
{
    size_t d = factor->ncolumns;
    for (size_t c = 0; c < d; c++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[i * d + c] / (double)n;
        for (size_t i = 0; i < n; i++)
            square += (x[i * d + c] - mean) * (x[i * d + c] - mean) / (double)n;
        factor->centre[c] = mean;
        factor->scale[c] = square > 0 ? sqrt(square) : 1;
    }
}

void run_log_density(scant_i_factor *factor, const scant_i_block *block, double *L)
{
    size_t bytes = factor->family->pass->scratch(factor, block->nrows, block->present != NULL);
    void *scratch = scant_i_calloc(1, bytes);
    assert_non_null(scratch);
    assert_int_equal(factor->family->pass->prepare(factor), SCANT_OK);
    memset(L, 0, block->nrows * factor->stride * sizeof *L);
    assert_int_equal(factor->family->pass->log_density(factor, block, L, scratch), SCANT_OK);
    scant_i_free(scratch);
}

void run_statistics(scant_i_factor *factor, const scant_i_block *block, const double *R,
                    double *statistics)
{
    size_t bytes = factor->family->pass->scratch(factor, block->nrows, block->present != NULL);
    void *scratch = scant_i_calloc(1, bytes);
    assert_non_null(scratch);
    memset(statistics, 0, factor->family->pass->nstatistics(factor) * sizeof *statistics);
    assert_int_equal(factor->family->pass->accumulate(factor, block, R, statistics, scratch),
                     SCANT_OK);
    scant_i_free(scratch);
}

double *draw_responsibilities(const scant_i_factor *factor, size_t n, scant_i_random *random)
{
    size_t stride = factor->stride;
    double *R = scant_i_calloc(n, stride * sizeof *R);
    assert_non_null(R);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < factor->ncomponents; j++)
            R[i * stride + j] = scant_i_random_exponential(random);
        normalise(R + i * stride, factor->ncomponents);
    }
    return R;
}

scant_rows sparse_rows(const double *x, size_t nrows, size_t ncolumns)
{
    scant_rows rows = {.nrows = nrows, .ncolumns = ncolumns};
    rows.sparse.start = scant_i_calloc(nrows + 1, sizeof *rows.sparse.start);
    rows.sparse.column = scant_i_calloc(nrows * ncolumns + 1, sizeof *rows.sparse.column);
    rows.sparse.value = scant_i_calloc(nrows * ncolumns + 1, sizeof *rows.sparse.value);
    assert_true(rows.sparse.start && rows.sparse.column && rows.sparse.value);
    size_t n = 0;
    for (size_t i = 0; i < nrows; i++) {
        for (size_t c = 0; c < ncolumns; c++) {
            if (x[i * ncolumns + c] != 0) {
                rows.sparse.column[n] = (int32_t)c;
                rows.sparse.value[n++] = x[i * ncolumns + c];
            }
        }
        rows.sparse.start[i + 1] = n;
    }
    return rows;
}

void free_sparse(scant_rows *rows)
{
    scant_i_free(rows->sparse.start);
    scant_i_free(rows->sparse.column);
    scant_i_free(rows->sparse.value);
}
