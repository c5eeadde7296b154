/* Triangular solves of many columns against one at a time; the largest eigenvalue of a matrix that
 * is made from known ones. */
#include <math.h>
#include "base/random.h"
#include "check.h"
#include "math/linear.h"

enum { N = 9, COLUMNS = 5 };

static void columns_are_solved_together(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(2, 1);
    double l[N * N] = {0}, b[N * COLUMNS], column[N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            l[i * N + j] = scant_i_random_normal(&random) + (i == j ? 4 : 0);
    for (size_t t = 0; t < N * COLUMNS; t++)
        b[t] = scant_i_random_normal(&random);
    double together[N * COLUMNS];
    memcpy(together, b, sizeof b);
    scant_i_forward_solve_all(l, N, together, COLUMNS);
    for (size_t c = 0; c < COLUMNS; c++) {
        for (size_t i = 0; i < N; i++)
            column[i] = b[i * COLUMNS + c];
        scant_i_forward_solve(l, N, column);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs(column[i] - together[i * COLUMNS + c]) <=
                        1e-13 * (1 + fabs(column[i])));
    }
}

/* A = X diag(value) X^-1 with X unit lower triangular, so that A x_j = value_j x_j. */
static void the_largest_eigenvalue_is_found(void **state)
{
    (void)state;
    static const double value[3] = {0.3, 0.9, -2};
    static const double x[9] = {1, 0, 0, 0.5, 1, 0, -0.7, 0.2, 1};
    double a[12] = {0}, inverse[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, found, vector[3];
    scant_i_forward_solve_all(x, 3, inverse, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t e = 0; e < 3; e++) /* rows are four apart */
                a[i * 4 + j] += x[i * 3 + e] * value[e] * inverse[e * 3 + j];
    assert_ok(scant_i_dominant(a, 4, 3, &found, vector));
    assert_true(fabs(found - 0.9) < 1e-13);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(vector[i] - vector[1] * x[i * 3 + 1]) < 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_solved_together),
        cmocka_unit_test(the_largest_eigenvalue_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
