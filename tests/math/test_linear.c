/* Triangular solves of many columns against one at a time; eigenvalues and vectors by what they are; the largest
 * eigenvalue of a matrix that is made from known ones. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include "base/random.h"
#include "check.h"
#include "math/linear.h"
#include "tables.h"

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

/* The rows v of q are orthonormal, and a v = w v as far as an a of that size can be. */
static void check_vectors(const double *a, const double *q, const double *w, size_t n, double size)
{
    for (size_t i = 0; i < n; i++)
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
        for (size_t i = 1; i < n; i++)
            assert_true(w[i] >= w[i - 1]);
        check_vectors(a, q, w, n, size);
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

/* Eigenvalues, vectors and the least alone against LAPACK, relative to the norm. Without vectors LAPACK goes another way,
 * which squares: half of the digits are gone where entries are far apart. false: LAPACK gave up, and the vectors alone
 * were checked. */
static bool check_against_lapack(const double *a, size_t n)
{
    double *room = calloc(3 * n * n + 6 * n, sizeof *room), *q = room, *alone = q + n * n,
           *other = alone + n * n, *w = other + n * n, *known = w + n, *work = known + n;
    double least, size = DBL_MIN, bound = 4e-15 * (double)n;
    memcpy(q, a, n * n * sizeof *a);
    memcpy(alone, a, n * n * sizeof *a);
    memcpy(other, a, n * n * sizeof *a);
    assert_ok(scant_i_eigen(q, n, w));
    assert_ok(scant_i_least_eigenvalue(alone, n, &least));
    lapack_int gave_up = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, other,
                                            (lapack_int)n, known, work, (lapack_int)(4 * n));
    if (gave_up)
        memcpy(known, w, n * sizeof *w);
    for (size_t i = 0; i < n; i++)
        size = fmax(size, fabs(known[i]));
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(w[i] / size - known[i] / size) <= bound);
    assert_true(fabs(least / size - known[0] / size) <= bound);
    check_vectors(a, q, w, n, size);
    free(room);
    return gave_up == 0;
}

/* A number whose order is anywhere in 10^-span .. 1. */
static double spread(scant_i_random *random, double span)
{
    return scant_i_random_normal(random) * pow(10, -span * scant_i_random_uniform(random));
}

/* a = X X' with X of rank r, noise on it, rows and columns graded, times `scale` */
static void fill_difficult(double *a, size_t n, double scale, scant_i_random *random)
{
    static const double spans[] = {0, 8, 40, 160, 320};
    double span = spans[scant_i_random_below(random, 5)];
    double noise = pow(10, -330 * scant_i_random_uniform(random)), x[40 * 40], grade[40];
    size_t r = scant_i_random_below(random, n + 1), kind = scant_i_random_below(random, 4);
    for (size_t t = 0; t < n * r; t++)
        x[t] = scant_i_random_normal(random);
    for (size_t i = 0; i < n; i++)
        grade[i] = kind == 0 ? 1 : fabs(spread(random, span / 2));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = noise * scant_i_random_normal(random);
            for (size_t k = 0; k < r; k++)
                sum += x[i * r + k] * x[j * r + k];
            if (kind == 3) /* every entry of an order of its own */
                sum = scant_i_random_below(random, 3) ? spread(random, span) : 0;
            sum *= grade[i] * grade[j] * scale / 1000;
            a[i * n + j] = a[j * n + i] = sum;
        }
}

static void difficult_matrices_have_eigenvalues(void **state)
{
    (void)state;
    enum { ROUNDS = 8000, LARGEST = 40 };
    scant_i_random random = scant_i_random_new(11, 1);
    double a[LARGEST * LARGEST];
    size_t compared = 0;
    for (size_t t = 0; t < ROUNDS; t++) {
        size_t n = 1 + scant_i_random_below(&random, t % 8 ? 12 : LARGEST);
        fill_difficult(a, n, pow(10, 306 - 614 * scant_i_random_uniform(&random)), &random);
        compared += check_against_lapack(a, n);
    }
    assert_true((double)compared > 0.999 * ROUNDS);
    for (int order = -330; order <= 0; order++) { /* a reflection made of next to nothing */
        double t = pow(10, order), small[9] = {1, 0, t, 0, 1, 0.25, t, 0.25, 1};
        assert_true(check_against_lapack(small, 3));
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

/* Loops over arrays of all lengths around the vectors', against the same written down. */
static void loops_are_what_they_say(void **state)
{
    (void)state;
    enum { MOST = 19, ROWS = 3 };
    const scant_i_kernels *kernels = scant_i_kernels_now();
    double x[MOST], y[MOST], z[MOST], a[ROWS * MOST], sums[MOST];
    for (size_t n = 0; n <= MOST; n++) {
        double distance = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = cos((double)(i + n));
            y[i] = sin((double)(3 * i + n));
            distance += (x[i] - y[i]) * (x[i] - y[i]);
        }
        assert_true(fabs(kernels->squared_distance(x, y, n) - distance) <= 1e-14 * distance);
        kernels->standardize(z, y, x, y, n);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(z[i] - (y[i] - x[i]) * y[i]) <= 1e-15);

        const double row[ROWS] = {2, -0.5, 3};
        for (size_t t = 0; t < ROWS * n; t++)
            a[t] = (double)t;
        kernels->add_outer(a, row, ROWS, x, n);
        for (size_t t = 0; t < ROWS * n; t++)
            assert_true(fabs(a[t] - ((double)t + row[t / n] * x[t % n])) <= 1e-13);
        for (size_t i = 0; i < n; i++)
            sums[i] = 1;
        kernels->add_combination(sums, a, row, ROWS, n);
        for (size_t i = 0; i < n; i++) {
            double want = 1 + row[0] * a[i] + row[1] * a[n + i] + row[2] * a[2 * n + i];
            assert_true(fabs(sums[i] - want) <= 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_solved_together),
        cmocka_unit_test(eigenvectors_are_what_they_should),
        cmocka_unit_test(difficult_matrices_have_eigenvalues),
        cmocka_unit_test(unwhitening_undoes_whitening),
        cmocka_unit_test(the_largest_eigenvalue_is_found),
        cmocka_unit_test(loops_are_what_they_say),
    };
    return RUN_WITH_EACH_TABLE(tests);
}
