/* Spaces: f is the gradient of Omega; dense and sparse rows, explicit and kernel forms are the same. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "med/joint.h"
#include "med_cases.h"

enum { N = 30, D = 4, K = 3 };

static void fill(double *x, size_t n, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t i = 0; i < n; i++)
        x[i] = scant_i_random_normal(&random);
}

static void check_gradient(scant_i_med_space *space, const double *beta)
{
    const double h = 1e-5;
    double *b = calloc(space->n, sizeof *b), *f = calloc(space->n, sizeof *f),
           *scrap = calloc(space->n, sizeof *scrap), omega, above, below;
    memcpy(b, beta, space->n * sizeof *b);
    assert_ok(space->kind->value(&omega, f, space, b));
    for (size_t t = 0; t < space->n; t++) {
        b[t] = beta[t] + h;
        assert_ok(space->kind->value(&above, scrap, space, b));
        b[t] = beta[t] - h;
        assert_ok(space->kind->value(&below, scrap, space, b));
        b[t] = beta[t];
        med_near(f[t], (above - below) / (2 * h), 1e-6 * (1 + fabs(f[t])));
    }
    free(b);
    free(f);
    free(scrap);
}

static void test_gradients(void **state)
{
    static const double rho[] = {1, 0.3, 1e-3};
    double x[N * D], beta[N];
    (void)state;
    fill(x, N * D, 1);
    fill(beta, N, 2);
    for (size_t k = 0; k < 3; k++) {
        const scant_i_med_features features = {N, D, x, {0}, rho[k], 0.7};
        scant_i_med_space space;
        assert_ok(scant_i_med_linear(&space, &features, 1));
        check_gradient(&space, beta);
        scant_i_med_space_clear(&space);
    }
}

static double naive(const scant_i_med_kernel *kernel, const double *a, const double *b)
{
    double dot = 0, distance = 0;
    for (size_t i = 0; i < D; i++) {
        dot += a[i] * b[i];
        distance += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return kernel->type == SCANT_I_MED_RBF ? exp(-kernel->gamma * distance)
           : kernel->type == SCANT_I_MED_POLYNOMIAL
               ? pow(kernel->gamma * dot + kernel->offset, (double)kernel->degree)
               : dot;
}

/* Columns, whether they come out of a cache of two or of all, from dense or from sparse rows. */
static void test_kernels(void **state)
{
    const scant_i_med_kernel kernels[] = {{SCANT_I_MED_LINEAR, 0, 0, 0},
                                          {SCANT_I_MED_POLYNOMIAL, 0.5, 1, 3},
                                          {SCANT_I_MED_RBF, 0.4, 0, 0}};
    double x[N * D], beta[N];
    size_t start[N + 1];
    int32_t column[N * D];
    (void)state;
    fill(x, N * D, 3);
    fill(beta, N, 4);
    for (size_t t = 0; t <= N; t++)
        start[t] = t * D;
    for (size_t e = 0; e < (size_t)N * D; e++)
        column[e] = (int32_t)(e % D);
    for (size_t k = 0; k < 3; k++)
        for (int form = 0; form < 3; form++) {
            const scant_i_csr sparse = {start, column, x};
            const scant_i_med_features features = {
                N, D, form == 1 ? NULL : x, form == 1 ? sparse : (scant_i_csr){0}, 1, 0.7};
            scant_i_med_space space;
            assert_ok(
                scant_i_med_gram_space(&space, &features, &kernels[k], form == 2 ? 1 : 1 << 20));
            for (size_t t = 0; t < N; t++) {
                const double *c;
                assert_ok(space.gram->column(&c, space.gram, t));
                for (size_t s = 0; s < N; s++) {
                    double wanted = 0.7 * naive(&kernels[k], x + s * D, x + t * D);
                    med_near(c[s], wanted, 1e-12 * (1 + fabs(wanted)));
                }
                med_near(space.gram->diagonal[t], c[t], 1e-12 * (1 + fabs(c[t])));
            }
            check_gradient(&space, beta);
            scant_i_med_space_clear(&space);
        }
}

/* All classes in one: Omega is half of sum_k w_k'(K + s2)w_k, written out. */
static void test_joint(void **state)
{
    const scant_i_med_kernel kernel = {SCANT_I_MED_RBF, 0.4, 0, 0};
    const double S2 = 0.5;
    double x[N * D], lambda[N * (K - 1)], w[K * N], wanted = 0, omega, f[N * (K - 1)];
    int32_t class_of[N];
    (void)state;
    fill(x, N * D, 5);
    fill(lambda, N * (K - 1), 6);
    for (size_t t = 0; t < N; t++)
        class_of[t] = (int32_t)(t * 7 % K);
    const scant_i_med_features features = {N, D, x, {0}, 1, 1};
    scant_i_med_space base, space;
    assert_ok(scant_i_med_gram_space(&base, &features, &kernel, 1 << 20));
    assert_ok(scant_i_med_joint_space(&space, base.gram, class_of, K, S2));
    scant_i_med_joint_weights(w, lambda, class_of, N, K);
    for (size_t k = 0; k < K; k++)
        for (size_t s = 0; s < N; s++)
            for (size_t t = 0; t < N; t++)
                wanted +=
                    0.5 * w[k * N + s] * w[k * N + t] * (naive(&kernel, x + s * D, x + t * D) + S2);
    assert_ok(space.kind->value(&omega, f, &space, lambda));
    med_near(omega, wanted, 1e-10 * (1 + fabs(wanted)));
    check_gradient(&space, lambda);
    scant_i_med_space_clear(&space);
    scant_i_med_space_clear(&base);
}

static void test_matrices(void **state)
{
    double skew[] = {1, 0.5, 0.4, 1}, negative[] = {1, 2, 2, 1}, good[] = {1, 0.5, 0.5, 1};
    const scant_i_med_kernel kernel = {.type = SCANT_I_MED_PRECOMPUTED};
    const scant_i_med_features features = {2, 2, skew, {0}, 1, 1};
    scant_i_med_space space;
    (void)state;
    assert_fails(scant_i_med_gram_space(&space, &features, &kernel, 1 << 10), SCANT_ERR_INPUT,
                 "not symmetric");
    assert_fails(scant_i_med_check_positive(negative, 2), SCANT_ERR_INPUT, "not positive");
    assert_ok(scant_i_med_check_positive(good, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients),
                                       cmocka_unit_test(test_kernels), cmocka_unit_test(test_joint),
                                       cmocka_unit_test(test_matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
