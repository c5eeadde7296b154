/* Plain L-BFGS against optima that are known. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "solve/descend.h"

enum { N = 50 };

/* sum_i c_i (x_i - i)^2 / 2 with c from 1 to 1000 */
static scant_status quadratic(double *value, double *gradient, const double *x, void *payload)
{
    size_t *calls = payload;
    ++*calls;
    *value = 0;
    for (size_t i = 0; i < N; i++) {
        double c = pow(1000, (double)i / (N - 1)), at = x[i] - (double)i;
        *value += c * at * at / 2;
        gradient[i] = c * at;
    }
    return SCANT_OK;
}

static void test_quadratic(void **state)
{
    double x[N] = {0};
    size_t calls = 0;
    scant_i_minimum minimum;
    const scant_i_minimise_options options = {.max_iter = 1000, .tol = 1e-16};
    (void)state;
    assert_ok(scant_i_descend(&minimum, x, N, &options, quadratic, &calls));
    assert_true(minimum.converged);
    assert_true(calls < 400); /* steepest descent takes thousands */
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(x[i] - (double)i) < 1e-5);
}

static scant_status rosenbrock(double *value, double *gradient, const double *x, void *payload)
{
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    (void)payload;
    *value = a * a + 100 * b * b;
    gradient[0] = -2 * a - 400 * x[0] * b;
    gradient[1] = 200 * b;
    return SCANT_OK;
}

/* Not convex: pairs with negative curvature are met and left out. */
static void test_valley(void **state)
{
    double x[2] = {-1.2, 1};
    scant_i_minimum minimum;
    const scant_i_minimise_options options = {.max_iter = 500, .tol = 0};
    (void)state;
    assert_ok(scant_i_descend(&minimum, x, 2, &options, rosenbrock, NULL));
    assert_true(fabs(x[0] - 1) < 1e-5 && fabs(x[1] - 1) < 1e-5);
}

static void test_limits(void **state)
{
    double x[N] = {0};
    size_t calls = 0;
    scant_i_minimum minimum;
    scant_i_minimise_options options = {.max_iter = 3, .tol = 0};
    (void)state;
    assert_ok(scant_i_descend(&minimum, x, N, &options, quadratic, &calls));
    assert_int_equal(minimum.iterations, 3);
    assert_false(minimum.converged);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)i;
    assert_ok(scant_i_descend(&minimum, x, N, &options, quadratic, &calls));
    assert_true(minimum.converged && minimum.value == 0); /* at the optimum there is no slope */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadratic),
        cmocka_unit_test(test_valley),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
