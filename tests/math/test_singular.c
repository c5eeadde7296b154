/* Singular directions of sparse rows against the dense eigenproblem of LAPACK. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "math/linear.h"
#include "math/singular.h"

enum { ROWS = 300, COLUMNS = 120, MOST = 20, LANES = 24 };

typedef struct matrix {
    size_t start[ROWS + 1];
    int32_t column[ROWS * COLUMNS];
    double value[ROWS * COLUMNS], dense[ROWS * COLUMNS];
} matrix;

/* A third of the cells, of sizes that fall with the column; rows from `rank` on repeat those before. */
static scant_i_sparse_matrix draw(matrix *m, size_t rank)
{
    scant_i_random random = scant_i_random_new(21, 0);
    size_t at = 0;
    memset(m, 0, sizeof *m);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++) {
            bool has = scant_i_random_below(&random, 3) == 0;
            double x = scant_i_random_normal(&random) / (1 + (double)j / 4);
            m->dense[i * COLUMNS + j] =
                i < rank ? (has ? x : 0) : m->dense[(i - rank) * COLUMNS + j];
            if (m->dense[i * COLUMNS + j] != 0) {
                m->column[at] = (int32_t)j;
                m->value[at++] = m->dense[i * COLUMNS + j];
            }
        }
        m->start[i + 1] = at;
    }
    return (scant_i_sparse_matrix){ROWS, COLUMNS, m->start, m->column, m->value};
}

/* Eigenvalues, ascending, and vectors (rows) of A'A */
static void exact(double *vectors, double *w, const matrix *m)
{
    memset(vectors, 0, COLUMNS * COLUMNS * sizeof *vectors);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t a = 0; a < COLUMNS; a++)
            for (size_t b = 0; b < COLUMNS; b++)
                vectors[a * COLUMNS + b] += m->dense[i * COLUMNS + a] * m->dense[i * COLUMNS + b];
    assert_ok(scant_i_eigen(vectors, COLUMNS, w));
}

static void test_as_dense(void **state)
{
    matrix *m = calloc(1, sizeof *m);
    double *of = calloc(COLUMNS * COLUMNS, sizeof *of), w[COLUMNS], sigma[MOST], *v = NULL;
    size_t count;
    (void)state;
    scant_i_sparse_matrix a = draw(m, ROWS);
    exact(of, w, m);
    assert_ok(scant_i_singular(&v, sigma, &count, &a, MOST, 1, 1));
    assert_int_equal(count, MOST);
    for (size_t e = 0; e < MOST; e++) {
        const double *wanted = of + (COLUMNS - 1 - e) * COLUMNS;
        double dot = 0, largest = 0;
        for (size_t j = 0; j < COLUMNS; j++) {
            dot += wanted[j] * v[j * LANES + e];
            if (fabs(v[j * LANES + e]) > fabs(largest))
                largest = v[j * LANES + e];
        }
        assert_true(fabs(sigma[e] / sqrt(w[COLUMNS - 1 - e]) - 1) < 1e-3);
        assert_true(largest > 0);
        if (e < MOST / 2)
            assert_true(fabs(sigma[e] / sqrt(w[COLUMNS - 1 - e]) - 1) < 1e-8 &&
                        fabs(fabs(dot) - 1) < 1e-6);
        for (size_t f = 0; f <= e; f++) {
            double product = 0;
            for (size_t j = 0; j < COLUMNS; j++)
                product += v[j * LANES + e] * v[j * LANES + f];
            assert_true(fabs(product - (e == f)) < 1e-8);
        }
    }
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t e = MOST; e < LANES; e++)
            assert_true(v[j * LANES + e] == 0);
    scant_i_free(v);
    free(of);
    free(m);
}

/* Of a matrix of rank 7 there are 7, and they are exact. */
static void test_low_rank(void **state)
{
    matrix *m = calloc(1, sizeof *m);
    double *of = calloc(COLUMNS * COLUMNS, sizeof *of), w[COLUMNS], sigma[MOST], *v = NULL;
    size_t count;
    (void)state;
    scant_i_sparse_matrix a = draw(m, 7);
    exact(of, w, m);
    assert_ok(scant_i_singular(&v, sigma, &count, &a, MOST, 1, 1));
    assert_int_equal(count, 7);
    for (size_t e = 0; e < count; e++)
        assert_true(fabs(sigma[e] / sqrt(w[COLUMNS - 1 - e]) - 1) < 1e-9);
    scant_i_free(v);
    free(of);
    free(m);
}

static void test_same_bytes(void **state)
{
    matrix *m = calloc(1, sizeof *m);
    double sigma[2][MOST], *v[2];
    size_t count;
    (void)state;
    scant_i_sparse_matrix a = draw(m, ROWS);
    for (size_t t = 0; t < 2; t++)
        assert_ok(scant_i_singular(&v[t], sigma[t], &count, &a, MOST, 1, t ? 4 : 1));
    assert_memory_equal(sigma[0], sigma[1], sizeof sigma[0]);
    assert_memory_equal(v[0], v[1], COLUMNS * LANES * sizeof **v);
    scant_i_free(v[0]);
    scant_i_free(v[1]);
    free(m);
}

/* Rows without entries have no directions. */
static void test_nothing(void **state)
{
    size_t start[3] = {0, 0, 0}, count = 9;
    int32_t column[1] = {0};
    double value[1] = {0}, sigma[MOST], *v = NULL;
    scant_i_sparse_matrix a = {2, 3, start, column, value};
    (void)state;
    assert_ok(scant_i_singular(&v, sigma, &count, &a, MOST, 1, 1));
    assert_int_equal(count, 0);
    scant_i_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_dense),
        cmocka_unit_test(test_low_rank),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
