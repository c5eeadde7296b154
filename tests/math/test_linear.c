/* Triangular solves of many columns against one at a time; eigenvalues and vectors by what they are; the largest
 * eigenvalue of a matrix that is made from known ones. */
#include <math.h>
#include <stdlib.h>
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

/* a symmetric, of some kind */
static void fill_symmetric(double *a, size_t n, size_t kind, scant_i_random *random)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double x = scant_i_random_normal(random);
            x = kind == 1   ? (i == j ? 3 : 0)                  /* one eigenvalue */
                : kind == 2 ? (double)((i + 1) * (j + 1))       /* of rank one */
                : kind == 3 ? x * pow(10, -(double)(i + j) / 2) /* falling off */
                : kind == 4 ? x * 1e300
                : kind == 5 ? x * 1e-300
                : kind == 6 ? (i == j       ? 2
                               : i == j + 1 ? -1
                                            : 0) /* tridiagonal already */
                            : x;
            a[i * n + j] = a[j * n + i] = x;
        }
}

static void eigenvectors_are_what_they_should(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(5, 1);
    static const size_t sizes[] = {1, 2, 3, 5, 8, 17, 36, 64, 65, 130, 300};
    for (size_t t = 0; t < 7 * sizeof sizes / sizeof *sizes; t++) {
        size_t n = sizes[t / 7], kind = t % 7;
        double *a = calloc(3 * n * n + n, sizeof *a), *q = a + n * n, *alone = q + n * n,
               *w = alone + n * n, least, size = 0;
        fill_symmetric(a, n, kind, &random);
        memcpy(q, a, n * n * sizeof *a);
        memcpy(alone, a, n * n * sizeof *a);
        assert_ok(scant_i_eigen(q, n, w));
        assert_ok(scant_i_least_eigenvalue(alone, n, &least));
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(w[i]));
        assert_true(fabs(w[0] - least) <= 1e-14 * size * (double)n);
        for (size_t i = 0; i < n; i++) {
            assert_true(i == 0 || w[i] >= w[i - 1]);
            for (size_t j = 0; j < n; j++) {
                double image = 0, product = 0;
                for (size_t k = 0; k < n; k++) {
                    image += a[j * n + k] / size * q[i * n + k];
                    product += q[i * n + k] * q[j * n + k];
                }
                assert_true(fabs(image - w[i] / size * q[i * n + j]) < 1e-14 * (double)n);
                assert_true(fabs(product - (i == j)) < 1e-14 * (double)n);
            }
        }
        free(a);
    }
    double nan[4] = {1, NAN, NAN, 1}, w[2];
    assert_int_equal(scant_i_eigen(nan, 2, w), SCANT_ERR_INTERNAL);
    assert_int_equal(scant_i_least_eigenvalue(nan, 2, w), SCANT_ERR_INTERNAL);
    size_t large = 300; /* LAPACK's */
    double *a = malloc(large * large * sizeof *a), least = 7;
    for (size_t k = 0; k < large * large; k++)
        a[k] = NAN;
    assert_int_equal(scant_i_least_eigenvalue(a, large, &least), SCANT_ERR_INTERNAL);
    assert_same(least, 7);
    free(a);
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

/* l^-T of vectors: l' times it is the vector. */
static void unwhitening_undoes_whitening(void **state)
{
    (void)state;
    enum { SIZE = 9 };
    double l[SIZE * SIZE] = {0}, v[SIZE * SIZE], solved[SIZE * SIZE];
    for (size_t t = 0; t < SIZE * SIZE; t++) {
        size_t i = t / SIZE, j = t % SIZE;
        l[t] = j < i && (i + j) % 3 ? cos((double)t) : i == j ? 1 + (double)i : 0;
        v[t] = solved[t] = sin((double)t);
    }
    scant_i_unwhiten(solved, l, SIZE);
    for (size_t t = 0; t < SIZE * SIZE; t++) {
        double sum = 0;
        for (size_t k = 0; k < SIZE; k++)
            sum += l[k * SIZE + t % SIZE] * solved[t / SIZE * SIZE + k];
        assert_true(fabs(sum - v[t]) < 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_solved_together),
        cmocka_unit_test(eigenvectors_are_what_they_should),
        cmocka_unit_test(unwhitening_undoes_whitening),
        cmocka_unit_test(the_largest_eigenvalue_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
