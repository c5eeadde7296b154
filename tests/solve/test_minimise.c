/* Minimising: known minima, and the closed form of a penalised quadratic. */
#include <math.h>

#include "check.h"
#include "solve/minimise.h"

static scant_status rosenbrock(double *value, double *g, const double *x, void *payload)
{
    (void)payload;
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    *value = a * a + 100 * b * b;
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return SCANT_OK;
}

static void test_valley(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1};
    scant_i_minimum found;
    scant_i_minimise_options options = {.max_iter = 200, .tol = 1e-15};
    assert_ok(scant_i_minimise(&found, x, 2, &options, rosenbrock, NULL));
    assert_true(found.converged);
    assert_true(fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6);
    assert_true(found.value < 1e-12);
}

enum { N = 7 };
static const double TARGET[N] = {3, -2, 0.4, -0.4, 0, 1.5, 2.5};

/* sum (x_i - t_i)^2 / 2 */
static scant_status bowl(double *value, double *g, const double *x, void *payload)
{
    (void)payload;
    *value = 0;
    for (int i = 0; i < N; i++) {
        g[i] = x[i] - TARGET[i];
        *value += g[i] * g[i] / 2;
    }
    return SCANT_OK;
}

/* The minimum of (x - t)^2 / 2 + l |x| is t drawn towards 0 by l, and exactly 0 where |t| <= l. */
static void test_penalty(void **state)
{
    (void)state;
    double x[N] = {-1, 1, 2, 2, -3, 0, 0}, l1[N] = {0.5, 0.5, 0.5, 0.5, 0.5, 0, 1}, total = 0;
    scant_i_minimum found;
    scant_i_minimise_options options = {.l1 = l1, .max_iter = 200, .tol = 1e-16};
    assert_ok(scant_i_minimise(&found, x, N, &options, bowl, NULL));
    for (int i = 0; i < N; i++) {
        double want = copysign(fmax(fabs(TARGET[i]) - l1[i], 0), TARGET[i]);
        assert_true(fabs(x[i] - want) < 1e-7);
        if (want == 0)
            assert_true(x[i] == 0);
        total += (x[i] - TARGET[i]) * (x[i] - TARGET[i]) / 2 + l1[i] * fabs(x[i]);
    }
    assert_true(fabs(found.value - total) < 1e-12);
}

static bool at_three(size_t iteration, double value, void *payload)
{
    (void)value;
    (void)payload;
    return iteration == 3;
}

static void test_cut_short(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1}, y[2] = {-1.2, 1};
    scant_i_minimum few, stopped;
    scant_i_minimise_options options = {.max_iter = 3};
    assert_ok(scant_i_minimise(&few, x, 2, &options, rosenbrock, NULL));
    options = (scant_i_minimise_options){.max_iter = 100, .enough = at_three};
    assert_ok(scant_i_minimise(&stopped, y, 2, &options, rosenbrock, NULL));
    assert_false(few.converged || stopped.converged);
    assert_int_equal(few.iterations, 3);
    assert_same(x[0], y[0]);
    assert_same(x[1], y[1]);
}

static scant_status broken(double *value, double *g, const double *x, void *payload)
{
    (void)value;
    (void)g;
    (void)x;
    (void)payload;
    return SCANT_ERR_INTERNAL;
}

static void test_failure(void **state)
{
    (void)state;
    double x[1] = {1};
    scant_i_minimum found;
    scant_i_minimise_options options = {.max_iter = 3};
    assert_int_equal(scant_i_minimise(&found, x, 1, &options, broken, NULL), SCANT_ERR_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valley),
        cmocka_unit_test(test_penalty),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
