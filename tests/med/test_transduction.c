/* Transduction: both ends of kappa, derivatives, what unlabeled rows bring, the divergence that no round raises. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "med/transduction.h"
#include "med_cases.h"

static const scant_i_med_control EXACT = {.tol = 1e-9, .seed = 1};

/* K = x x' + variance of the bias */
static double *linear_kernel(const double *x, size_t n, size_t d, double bias)
{
    double *K = calloc(n * n, sizeof *K);
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < n; t++) {
            K[s * n + t] = bias;
            for (size_t i = 0; i < d; i++)
                K[s * n + t] += x[s * d + i] * x[t * d + i];
        }
    return K;
}

/* Two spherical clusters at -2 and +2 of the first axis; the first 2 `labels` rows have labels. */
static void clusters(double *x, int8_t *truth, int8_t *side, size_t n, size_t d, size_t labels,
                     uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t t = 0; t < n; t++) {
        truth[t] = t % 2 ? 1 : -1;
        side[t] = t < 2 * labels ? truth[t] : 0;
        for (size_t i = 0; i < d; i++)
            x[t * d + i] = scant_i_random_normal(&random) + (i == 0 ? 2 * truth[t] : 0);
    }
}

static double accuracy(const double *f, const int8_t *truth, size_t first, size_t n)
{
    double right = 0;
    for (size_t t = first; t < n; t++)
        right += f[t] * truth[t] > 0;
    return 100 * right / (double)(n - first);
}

/* Coefficients of the machine that sees labeled rows only, and its f at all rows. */
static void labeled_only(double *coefficient, double *f, const double *K, const int8_t *side,
                         size_t n, double c)
{
    scant_i_med_space space;
    scant_i_med_solution s;
    double *scale = calloc(n, sizeof *scale), *level = calloc(n, sizeof *level);
    int8_t *sign = calloc(n, 1);
    for (size_t t = 0; t < n; t++) { /* the others' discriminant is 0 */
        scale[t] = side[t];
        level[t] = sign[t] = 1;
    }
    assert_ok(scant_i_med_matrix_space(&space, K, scale, NULL, n));
    const scant_i_med_problem problem = {
        .potential = {&scant_i_med_exponential, {c, 0}, n, level, sign, NULL}, .space = &space};
    assert_ok(scant_i_med_solution_new(&s, n));
    assert_ok(scant_i_med_solve(&s, &problem, &EXACT, NULL));
    assert_int_equal(s.stop, SCANT_STOP_CONVERGED);
    for (size_t t = 0; t < n; t++)
        coefficient[t] = scale[t] * s.beta[t];
    for (size_t t = 0; t < n; t++) {
        f[t] = 0;
        for (size_t w = 0; w < n; w++)
            f[t] += K[t * n + w] * coefficient[w];
    }
    scant_i_med_solution_clear(&s);
    scant_i_med_space_clear(&space);
    free(scale);
    free(level);
    free(sign);
}

enum { N = 12, D = 3 };

static void test_slopes(void **state)
{
    const double STEP = 1e-5;
    double x[N * D], beta[N], f[N], up[N], down[N], H[N * N], omega, above, below;
    int8_t truth[N], side[N];
    (void)state;
    clusters(x, truth, side, N, D, 3, 1);
    double *K = linear_kernel(x, N, D, 1);
    scant_i_med_space space;
    assert_ok(scant_i_med_label_space(&space, K, side, N, 30));
    for (size_t t = 0; t < N; t++)
        beta[t] = side[t] ? side[t] * 0.1 * (double)(t + 1) : 0.2 * (double)(t % 4);
    assert_ok(space.kind->value(&omega, f, &space, beta));
    assert_ok(space.curvature(H, &space, beta));
    for (size_t t = 0; t < N; t++) {
        double now = beta[t];
        beta[t] = now + STEP;
        assert_ok(space.kind->value(&above, up, &space, beta));
        beta[t] = now - STEP;
        assert_ok(space.kind->value(&below, down, &space, beta));
        beta[t] = now;
        assert_true(fabs((above - below) / (2 * STEP) - f[t]) < 1e-6 * (1 + fabs(f[t])));
        for (size_t s = 0; s < N; s++) {
            double wanted = (up[s] - down[s]) / (2 * STEP);
            if (!(fabs(H[s * N + t] - wanted) < 1e-5 * (1 + fabs(wanted))))
                fail_msg("(%zu, %zu): %g, differences say %g", s, t, H[s * N + t], wanted);
        }
    }
    scant_i_med_space_clear(&space);
    free(K);
}

/* Omega is the log of a mean over Gaussian labels and weights: with one weight and one row of either sort, by sums. */
static void test_value(void **state)
{
    enum { STEPS = 1500 };
    const double x[2] = {0.8, -1.3}, beta[2] = {0.9, 0.7}, kappa = 1.6;
    const int8_t side[2] = {1, 0};
    double sum = 0, omega, f[2];
    (void)state;
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            double theta = -12 + 24 * (i + 0.5) / STEPS, y = (-12 + 24 * (j + 0.5) / STEPS) / kappa;
            sum += exp(-0.5 * theta * theta - 0.5 * y * y * kappa * kappa + beta[0] * theta * x[0] +
                       beta[1] * y * theta * x[1]);
        }
    sum *= (24.0 / STEPS) * (24.0 / STEPS) / (2 * 3.14159265358979323846);
    double *K = linear_kernel(x, 2, 1, 0);
    scant_i_med_space space;
    assert_ok(scant_i_med_label_space(&space, K, side, 2, kappa));
    assert_ok(space.kind->value(&omega, f, &space, beta));
    if (!(fabs(omega - log(sum)) < 1e-6))
        fail_msg("%g, summed: %g", omega, log(sum));
    scant_i_med_space_clear(&space);
    free(K);
}

static void test_ends(void **state)
{
    enum { ROWS = 60, DIMS = 4 };
    double x[ROWS * DIMS], labeled[ROWS], weight[ROWS];
    int8_t truth[ROWS], side[ROWS];
    (void)state;
    clusters(x, truth, side, ROWS, DIMS, 5, 2);
    double *K = linear_kernel(x, ROWS, DIMS, 1);
    labeled_only(weight, labeled, K, side, ROWS, 3);
    scant_i_med_transduction fit;
    assert_ok(scant_i_med_gaussian_labels(&fit, K, side, ROWS, 3, 100, &EXACT));
    assert_int_equal(fit.stop, SCANT_STOP_CONVERGED);
    for (size_t t = 0; t < ROWS; t++)
        if (!(fabs(fit.f[t] - labeled[t]) < 1e-3))
            fail_msg("row %zu: %g, labeled machine %g", t, fit.f[t], labeled[t]);
    scant_i_med_transduction_clear(&fit);
    /* in between it differs */
    assert_ok(scant_i_med_gaussian_labels(&fit, K, side, ROWS, 3, 0.7, &EXACT));
    assert_true(fabs(fit.f[0] - labeled[0]) > 1e-3);
    scant_i_med_transduction_clear(&fit);
    free(K);
}

/* Accuracy at rows n .. all - 1 of the weights that the first n rows' coefficients make. */
static double tested(const double *coefficient, const double *x, const int8_t *truth, size_t n,
                     size_t all, size_t d)
{
    double *w = calloc(d + 1, sizeof *w), *f = calloc(all, sizeof *f);
    for (size_t t = 0; t < n; t++) {
        w[d] += coefficient[t];
        for (size_t i = 0; i < d; i++)
            w[i] += coefficient[t] * x[t * d + i];
    }
    for (size_t t = n; t < all; t++) {
        f[t] = w[d];
        for (size_t i = 0; i < d; i++)
            f[t] += w[i] * x[t * d + i];
    }
    double found = accuracy(f, truth, n, all);
    free(w);
    free(f);
    return found;
}

static void test_clusters(void **state)
{
    enum { DRAWS = 20, UNLABELED = 100, TEST = 200, LABELS = 3, DIMS = 20 };
    const size_t n = 2 * LABELS + UNLABELED, all = n + TEST;
    const double c = 3;
    double gain[2] = {0}, plain = 0;
    scant_i_med_control control = {.tol = 1e-6, .seed = 1};
    (void)state;
    double *x = calloc(all * DIMS, sizeof *x), *positive = calloc(n, sizeof *positive);
    double *f = calloc(n, sizeof *f), *weight = calloc(n, sizeof *weight);
    int8_t *truth = calloc(all, 1), *side = calloc(all, 1);
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        scant_i_med_transduction fit;
        clusters(x, truth, side, all, DIMS, LABELS, 100 + draw);
        double *K = linear_kernel(x, n, DIMS, 1);
        labeled_only(weight, f, K, side, n, c);
        double base = tested(weight, x, truth, n, all, DIMS);
        plain += base / DRAWS;
        for (size_t t = 0; t < n; t++)
            positive[t] = side[t] == 0 ? 0.5 : side[t] > 0;
        for (int method = 0; method < 2; method++) {
            if (method == 0)
                assert_ok(scant_i_med_gaussian_labels(&fit, K, side, n, c, 0.7, &control));
            else
                assert_ok(scant_i_med_mean_field(&fit, K, positive, n, c, &control));
            assert_int_equal(fit.stop, SCANT_STOP_CONVERGED);
            gain[method] += (tested(fit.coefficient, x, truth, n, all, DIMS) - base) / DRAWS;
            scant_i_med_transduction_clear(&fit);
        }
        free(K);
    }
    if (!(gain[0] >= 2.5 && gain[1] >= 2.5))
        fail_msg("labeled only %.2f %%; Gaussian labels %+.2f, mean field %+.2f", plain, gain[0],
                 gain[1]);
    free(x);
    free(positive);
    free(f);
    free(weight);
    free(truth);
    free(side);
}

/* More rounds never raise the divergence, and it is what its definition says at the end. */
static void test_monotone(void **state)
{
    enum { ROWS = 50, DIMS = 4 };
    double x[ROWS * DIMS], positive[ROWS], before = INFINITY;
    int8_t truth[ROWS], side[ROWS];
    (void)state;
    clusters(x, truth, side, ROWS, DIMS, 3, 4);
    double *K = linear_kernel(x, ROWS, DIMS, 1);
    for (size_t t = 0; t < ROWS; t++)
        positive[t] = side[t] ? side[t] > 0 : t % 3 ? 0.5 : 0.5 + 0.3 * truth[t];
    for (size_t rounds = 1; rounds < 12; rounds++) {
        scant_i_med_transduction fit;
        scant_i_med_control control = {.tol = 1e-10, .seed = 1, .max_iter = rounds};
        assert_ok(scant_i_med_mean_field(&fit, K, positive, ROWS, 3, &control));
        if (rounds > 1 && !(fit.divergence <= before + 1e-8))
            fail_msg("round %zu: %.10g after %.10g", rounds, fit.divergence, before);
        before = fit.divergence;
        for (size_t t = 0; t < ROWS; t++)
            assert_true(side[t] == 0 ? fabs(fit.label[t]) < 1 : fit.label[t] == side[t]);
        scant_i_med_transduction_clear(&fit);
    }
    free(K);
}

/* Class probabilities are between labels and none: probabilities of 1 and 0 are labels; what they lean to pays. */
static void test_probabilities(void **state)
{
    enum { ROWS = 80, DIMS = 10, DRAWS = 10 };
    double x[ROWS * DIMS], positive[ROWS], labeled[ROWS], weight[ROWS], with = 0, without = 0;
    int8_t truth[ROWS], side[ROWS];
    (void)state;
    for (uint64_t draw = 0; draw < DRAWS; draw++) {
        scant_i_med_transduction fit;
        clusters(x, truth, side, ROWS, DIMS, 2, 50 + draw);
        double *K = linear_kernel(x, ROWS, DIMS, 1);
        for (size_t t = 0; t < ROWS; t++)
            positive[t] = side[t] ? side[t] > 0 : 0.5 + 0.3 * truth[t];
        labeled_only(weight, labeled, K, side, ROWS, 3);
        assert_ok(scant_i_med_mean_field(&fit, K, positive, ROWS, 3, &EXACT));
        with += accuracy(fit.f, truth, 4, ROWS) / DRAWS;
        without += accuracy(labeled, truth, 4, ROWS) / DRAWS;
        scant_i_med_transduction_clear(&fit);
        free(K);
    }
    if (!(with > without + 2))
        fail_msg("%g with probabilities, %g without", with, without);
}

/* J of the regression written out by cells; unlabeled rows keep a high polynomial from diverging outside of the labels. */
static void test_whitened(void **state)
{
    enum { LABELED = 40, ALL = 80, DEGREE = 8 };
    double x[ALL], target[ALL], worst[2] = {0};
    scant_i_random random = scant_i_random_new(3, 0);
    double *K = calloc((size_t)ALL * ALL, sizeof *K);
    (void)state;
    for (size_t t = 0; t < ALL; t++) {
        x[t] = 10.0 * (double)t / LABELED;
        target[t] = t < LABELED ? sqrt(2) * sin(x[t]) + 0.1 * scant_i_random_normal(&random) : NAN;
    }
    for (size_t s = 0; s < ALL; s++)
        for (size_t t = 0; t < ALL; t++)
            K[s * ALL + t] = pow(1 + x[s] * x[t] / 100, DEGREE);
    for (int with = 0; with < 2; with++) {
        scant_i_med_transduction fit;
        size_t n = with ? ALL : LABELED;
        double *part = calloc(n * n, sizeof *part);
        for (size_t s = 0; s < n; s++)
            memcpy(part + s * n, K + s * ALL, n * sizeof *part);
        scant_i_med_control control = {.tol = 1e-6, .seed = 1};
        assert_ok(scant_i_med_whitened(&fit, part, target, n, 10, 0.1, &control));
        if (fit.stop != SCANT_STOP_CONVERGED)
            fail_msg("stopped with gap %g at J %g", fit.certificate.gap, fit.certificate.dual);
        for (size_t t = LABELED; t < ALL; t++) {
            double f = 0;
            for (size_t s = 0; s < n; s++)
                f += fit.coefficient[s] * K[s * ALL + t];
            worst[with] = fmax(worst[with], fabs(f));
            if (with)
                assert_true(fabs(fit.label[t] + fit.coefficient[t]) < 1e-12);
        }
        free(part);
        scant_i_med_transduction_clear(&fit);
    }
    if (!(worst[1] < 2 && worst[0] > 3 * worst[1]))
        fail_msg("largest outside: %g without unlabeled rows, %g with", worst[0], worst[1]);
    free(K);
}

static void test_scores(void **state)
{
    const double sorted[7] = {-3, 0, 0, 1, 2, 2, 9};
    (void)state;
    assert_true(fabs(scant_i_med_to_normal(sorted, 7, 1)) < 1e-12);
    double before = -INFINITY;
    for (double y = -8; y < 15; y += 0.25) {
        double z = scant_i_med_to_normal(sorted, 7, y);
        assert_true(z > before);
        assert_true(fabs(scant_i_med_from_normal(sorted, 7, z) - y) < 1e-9);
        before = z;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),   cmocka_unit_test(test_value),
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_monotone), cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_whitened), cmocka_unit_test(test_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
