/* The exponential form: K' and K'' against finite differences, log densities against eta . T - K,
 * samples against K' and, refitted, against the parameters they came from. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"

enum { M = 3, MOST = 16, SAMPLES = 200000 };

/* One row that `sample` of component j fills. */
static void draw(const family_case *one, const scant_i_factor *factor, size_t j, double *x,
                 scant_i_random *random)
{
    one->draw_entry(factor, random, x);
    assert_int_equal(one->family->sample(factor, j, random, x), SCANT_OK);
}

static void test_derivatives(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(21, k);
        scant_i_factor *factor = case_factor(one, M, NULL, &random);
        size_t n = one->family->natural->nnatural(factor);
        assert_true(n > 0 && n <= MOST);
        for (size_t j = 0; j < M; j++) {
            double eta[MOST], x[MOST], K, K1[MOST], K2[MOST * MOST];
            assert_int_equal(one->family->natural->eta(factor, j, eta), SCANT_OK);
            draw(one, factor, j, x, &random);
            assert_int_equal(one->family->natural->cumulant(factor, eta, x, &K, K1, K2), SCANT_OK);
            double top = 1;
            for (size_t a = 0; a < n * n; a++)
                top = fmax(top, fabs(K2[a]));
            for (size_t a = 0; a < n; a++) {
                double at = eta[a], step = 1e-5 * fmax(0.1, fabs(at)), up, down;
                double up1[MOST], down1[MOST];
                eta[a] = at + step;
                assert_int_equal(one->family->natural->cumulant(factor, eta, x, &up, up1, NULL),
                                 SCANT_OK);
                eta[a] = at - step;
                assert_int_equal(one->family->natural->cumulant(factor, eta, x, &down, down1, NULL),
                                 SCANT_OK);
                eta[a] = at;
                double slope = (up - down) / (2 * step);
                assert_true(fabs(slope - K1[a]) <= 1e-6 * fmax(1, fabs(K1[a])));
                for (size_t b = 0; b < n; b++)
                    assert_true(fabs((up1[b] - down1[b]) / (2 * step) - K2[a * n + b]) <=
                                1e-6 * top);
            }
            assert_int_equal(one->family->natural->cumulant(factor, eta, x, &K, NULL, NULL),
                             SCANT_OK);
        }
        scant_i_factor_free(factor);
    }
}

static void test_density(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(22, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        size_t n = one->family->natural->nnatural(factor);
        for (size_t i = 0; i < 100; i++) {
            double x[MOST], T[MOST], eta[2][MOST], K[2];
            _Alignas(64) double L[8];
            draw(one, factor, i % 2, x, &random);
            one->family->natural->sufficient(factor, x, T);
            scant_rows rows = {.nrows = 1, .ncolumns = one->ncolumns, .dense = x};
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = 1};
            run_log_density(factor, &block, L);
            double want = 0, size = 1;
            for (size_t j = 0; j < 2; j++) {
                assert_int_equal(one->family->natural->eta(factor, j, eta[j]), SCANT_OK);
                assert_int_equal(
                    one->family->natural->cumulant(factor, eta[j], x, &K[j], NULL, NULL), SCANT_OK);
                for (size_t a = 0; a < n; a++) {
                    want += (j ? -1 : 1) * eta[j][a] * T[a];
                    size += fabs(eta[j][a] * T[a]);
                }
                want -= (j ? -1 : 1) * K[j];
            }
            assert_true(fabs(L[0] - L[1] - want) <= 1e-10 * fmax(1, fabs(want)) + 1e-14 * size);
        }
        scant_i_factor_free(factor);
    }
}

/* Natural parameters and back, and into standard units and back; what is outside the domain is
 * refused. */
static void test_inverse(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        const scant_i_family *family = one->family;
        scant_i_random random = scant_i_random_new(25, k);
        scant_i_factor *factor = case_factor(one, M, NULL, &random), *copy = NULL;
        for (size_t c = 0; c < one->ncolumns; c++) {
            factor->centre[c] = scant_i_random_normal(&random);
            factor->scale[c] = 0.5 + scant_i_random_uniform(&random);
        }
        assert_int_equal(scant_i_factor_copy(&copy, factor), SCANT_OK);
        if (family->natural->standardise)
            family->natural->standardise(copy, true);
        double eta[M][MOST];
        for (size_t j = 0; j < M; j++)
            assert_int_equal(family->natural->eta(copy, j, eta[j]), SCANT_OK);
        one->perturb(copy, &random, 0.3);
        for (size_t j = 0; j < M; j++)
            assert_int_equal(family->natural->from_natural(copy, j, eta[j]), SCANT_OK);
        if (family->natural->standardise)
            family->natural->standardise(copy, false);
        for (size_t t = 0; t < factor->ntheta; t++)
            assert_true(fabs(copy->theta[t] - factor->theta[t]) <=
                        1e-12 * fmax(1, fabs(factor->theta[t])));
        for (size_t a = 0; a < family->natural->nnatural(factor); a++)
            eta[0][a] = NAN;
        assert_int_equal(family->natural->from_natural(copy, 0, eta[0]), SCANT_ERR_INPUT);
        scant_i_factor_free(copy);
        scant_i_factor_free(factor);
    }
}

/* The score of one component is the slope of its log density, and features times A give it. */
static void test_scores(void **state)
{
    (void)state;
    enum { WIDE = 32, LD = 8 };
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        const scant_i_family *family = one->family;
        scant_i_random random = scant_i_random_new(26, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        size_t n = family->natural->nnatural(factor), m = family->natural->nfeatures(factor);
        assert_true(n <= MOST && m <= WIDE);
        for (size_t i = 0; i < 20; i++) {
            double x[MOST], T[MOST], eta[MOST], K, K1[MOST], K2[MOST * MOST], room[2 * MOST];
            double A[MOST * WIDE], S[WIDE], complete[MOST * MOST], missing[MOST * MOST];
            _Alignas(64) double phi[WIDE * LD];
            draw(one, factor, i % 2, x, &random);
            family->natural->sufficient(factor, x, T);
            assert_int_equal(family->natural->eta(factor, 1, eta), SCANT_OK);
            assert_int_equal(family->natural->cumulant(factor, eta, x, &K, K1, K2), SCANT_OK);
            scant_rows rows = {.nrows = 1, .ncolumns = one->ncolumns, .dense = x};
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = 1};
            family->natural->features(factor, &block, phi, LD, room);
            assert_int_equal(family->natural->score(factor, 1, NULL, A), SCANT_OK);
            for (size_t f = 0; f < m; f++)
                S[f] = phi[f * LD];
            assert_int_equal(family->natural->information(factor, 1, NULL, S, complete, missing),
                             SCANT_OK);
            for (size_t a = 0; a < n; a++) {
                double score = 0;
                for (size_t f = 0; f < m; f++)
                    score += A[a * m + f] * S[f];
                assert_true(fabs(score - (T[a] - K1[a])) <= 1e-11 * fmax(1, fabs(T[a])));
                for (size_t b = 0; b < n; b++) {
                    assert_true(fabs(complete[a * n + b] - K2[a * n + b]) <=
                                1e-11 * fmax(1, fabs(K2[a * n + b])));
                    assert_true(missing[a * n + b] == 0);
                }
            }
        }
        scant_i_factor_free(factor);
    }
}

/* Solves a x = b (n x n) by elimination with pivots. */
static void eliminate(double *a, double *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t r = k + 1; r < n; r++)
            best = fabs(a[r * n + k]) > fabs(a[best * n + k]) ? r : best;
        for (size_t c = 0; c < n; c++) {
            double swap = a[k * n + c];
            a[k * n + c] = a[best * n + c];
            a[best * n + c] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (size_t r = 0; r < n; r++) {
            double share = r == k ? 0 : a[r * n + k] / a[k * n + k];
            for (size_t c = 0; c < n; c++)
                a[r * n + c] -= share * a[k * n + c];
            b[r] -= share * b[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        b[k] /= a[k * n + k];
}

/* Means of T, K1 and K2 over the samples; then the mean of T is within 5 standard errors of K1, and
 * the refitted natural parameters within 5 of the true ones (covariance: the inverse of the
 * information). */
static void test_samples(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(23, k);
        scant_i_factor *factor = case_factor(one, 1, NULL, &random);
        size_t n = one->family->natural->nnatural(factor), stride = factor->stride,
               d = one->ncolumns;
        double eta[MOST], fitted[MOST], T[MOST], K, K1[MOST], K2[MOST * MOST];
        double gap[MOST] = {0}, information[MOST * MOST] = {0};
        assert_int_equal(one->family->natural->eta(factor, 0, eta), SCANT_OK);
        double *x = case_rows(one, factor, SAMPLES, &random);
        double *R = scant_i_calloc(SAMPLES, stride * sizeof *R);
        double *statistics =
            scant_i_calloc(one->family->pass->nstatistics(factor), sizeof *statistics);
        assert_true(R && statistics);
        for (size_t i = 0; i < SAMPLES; i++) {
            R[i * stride] = 1;
            one->family->natural->sufficient(factor, x + i * d, T);
            assert_int_equal(one->family->natural->cumulant(factor, eta, x + i * d, &K, K1, K2),
                             SCANT_OK);
            for (size_t a = 0; a < n; a++)
                gap[a] += T[a] - K1[a];
            for (size_t a = 0; a < n * n; a++)
                information[a] += K2[a];
        }
        for (size_t a = 0; a < n; a++)
            assert_true(fabs(gap[a]) <= 5 * sqrt(information[a * n + a]));
        scant_rows rows = {.nrows = SAMPLES, .ncolumns = d, .dense = x};
        assert_int_equal(one->family->validate(factor, ALL_ROWS(&rows)), SCANT_OK);
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = SAMPLES};
        case_standardise(factor, x, SAMPLES);
        run_statistics(factor, &block, R, statistics);
        assert_int_equal(one->family->pass->maximise(factor, statistics), SCANT_OK);
        assert_int_equal(one->family->natural->eta(factor, 0, fitted), SCANT_OK);
        for (size_t a = 0; a < n; a++) {
            double inverse[MOST] = {0}, copy[MOST * MOST];
            memcpy(copy, information, sizeof copy);
            inverse[a] = 1;
            eliminate(copy, inverse, n);
            if (!(fabs(fitted[a] - eta[a]) <= 5 * sqrt(inverse[a])))
                fail_msg("%s: %g refitted as %g, standard error %g", one->family->name, eta[a],
                         fitted[a], sqrt(inverse[a]));
        }
        scant_i_free(statistics);
        scant_i_free(R);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* Gamma over the whole range of shapes: refitted parameters of exact moments come back. The features of
 * a narrow column, whose cells are all about its mean, are of x / mean - 1, those of others of x / mean. */
static void check_gamma_shapes(bool narrow)
{
    const family_case *one = family_case_of(&scant_i_gamma);
    scant_i_random random = scant_i_random_new(24, 0);
    scant_i_factor *factor = case_factor(one, 1, NULL, &random);
    double *statistics = scant_i_calloc(one->family->pass->nstatistics(factor), sizeof *statistics);
    assert_non_null(statistics);
    for (double shape = 1e-4; shape < 1e7; shape *= 3) {
        double eta[2] = {shape, -0.5}, all[6], K, K1[6];
        for (size_t c = 0; c < 3; c++)
            memcpy(all + 2 * c, eta, sizeof eta);
        assert_int_equal(one->family->natural->cumulant(factor, all, NULL, &K, K1, NULL), SCANT_OK);
        for (size_t c = 0; c < 3; c++) {
            double centre = factor->centre[c] = K1[1];
            factor->scale[c] = narrow ? 1e-4 * centre : centre;
            statistics[0] = 1; /* all rows whole */
            statistics[(4 + 2 * c) * factor->stride] = K1[0] - log(centre);
            statistics[(5 + 2 * c) * factor->stride] = K1[1] / centre - (narrow ? 1 : 0);
        }
        assert_int_equal(one->family->pass->maximise(factor, statistics), SCANT_OK);
        /* mean log x comes rounded, which moves the shape by about eps log(shape) shape */
        double tolerance = 1e-12 + 1e-14 * shape;
        assert_true(fabs(factor->theta[0] / shape - 1) < tolerance);
        assert_true(fabs(factor->theta[3] * factor->theta[0] / K1[1] - 1) < 1e-12);
    }
    scant_i_free(statistics);
    scant_i_factor_free(factor);
}

static void test_gamma_shapes(void **state)
{
    (void)state;
    check_gamma_shapes(false);
    check_gamma_shapes(true);
}

/* `moments` are those of the rows that `sample` draws; families with another M-step have none. */
static void test_moments(void **state)
{
    (void)state;
    enum { DRAWS = 20000, D = 3 };
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        assert_true(one->family->has_covariances == (one->family->moments != NULL));
        if (!one->family->moments)
            continue;
        scant_i_random random = scant_i_random_new(31, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        double mean[D], covariance[D * D], sum[D * D] = {0}, x[D], total[D] = {0};
        assert_int_equal(factor->ncolumns, D);
        one->family->moments(factor, 1, mean, covariance);
        for (size_t i = 0; i < DRAWS; i++) {
            assert_int_equal(one->family->sample(factor, 1, &random, x), SCANT_OK);
            for (size_t a = 0; a < D; a++) {
                total[a] += x[a] / DRAWS;
                for (size_t b = 0; b < D; b++)
                    sum[a * D + b] += (x[a] - mean[a]) * (x[b] - mean[b]) / DRAWS;
            }
        }
        for (size_t a = 0; a < D; a++) {
            double va = covariance[a * D + a];
            assert_true(fabs(total[a] - mean[a]) <= 5 * sqrt(va / DRAWS));
            for (size_t b = 0; b < D; b++) {
                double vb = covariance[b * D + b], c = covariance[a * D + b];
                assert_true(fabs(sum[a * D + b] - c) <= 5 * sqrt((va * vb + c * c) / DRAWS));
            }
        }
        scant_i_factor_free(factor);
    }
}

/* A normal target is most likely at its mean, and as likely on either side of it. */
static void test_target(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        assert_true(one->family->has_target == (one->family->expect_target != NULL));
        if (!one->family->has_target)
            continue;
        scant_i_random random = scant_i_random_new(32, k);
        scant_i_factor *factor = case_factor(one, 3, NULL, &random);
        double x[16] = {0}, *y = &x[factor->settings.target];
        for (size_t j = 0; j < 3; j++) {
            one->draw_entry(factor, &random, x);
            *y = NAN; /* is not looked at */
            double mean = one->family->expect_target(factor, j, x), density[3];
            for (size_t s = 0; s < 3; s++) {
                *y = mean + 0.1 * ((double)s - 1);
                density[s] = one->log_density(factor, j, x, NULL);
            }
            assert_true(density[1] > density[0]);
            assert_true(fabs(density[0] - density[2]) < 1e-9);
        }
        scant_i_factor_free(factor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_density),
        cmocka_unit_test(test_inverse),     cmocka_unit_test(test_scores),
        cmocka_unit_test(test_samples),     cmocka_unit_test(test_gamma_shapes),
        cmocka_unit_test(test_moments),     cmocka_unit_test(test_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
