/* Shares of components against the formulas in long double, for numbers of rows and components around those of a vector. */
#include "check.h"

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "math/shares.h"
#include "tables.h"

enum { ROWS = 19, EIGHT = 8, STRIDE_MOST = 40 };

typedef struct table {
    double *L, *log_a, *A, *w, *top, *sum, *product;
    size_t n, stride;
} table;

static void table_new(table *t, size_t n, size_t stride)
{
    *t = (table){.n = n, .stride = stride};
    double **places[] = {&t->L, &t->log_a, &t->A, &t->w, &t->top, &t->sum, &t->product};
    size_t sizes[] = {n * stride, stride, stride, n, n, n, n};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        assert_ok(SCANT_I_NEW(places[k], sizes[k]));
}

static void table_clear(table *t)
{
    double *places[] = {t->L, t->log_a, t->A, t->w, t->top, t->sum, t->product};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        scant_i_free(places[k]);
}

/* Log densities of all sizes; the last component is out of the question. */
static void fill(table *t, double wide, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 1);
    for (size_t k = 0; k < t->n * t->stride; k++)
        t->L[k] = wide * (2 * scant_i_random_uniform(&random) - 1);
    for (size_t j = 0; j < t->stride; j++)
        t->log_a[j] = j + 1 < t->stride ? log(scant_i_random_uniform(&random)) : -INFINITY;
    for (size_t i = 0; i < t->n; i++)
        t->w[i] = (double)(i % 3);
}

static void share(const table *t, size_t first, size_t n, double beta)
{
    scant_i_share(&(scant_i_shares){.n = n,
                                    .stride = t->stride,
                                    .L = t->L + first * t->stride,
                                    .log_a = t->log_a,
                                    .A = t->A,
                                    .beta = beta,
                                    .w = t->w + first,
                                    .top = t->top + first,
                                    .sum = t->sum + first,
                                    .product = t->product + first});
}

static double rounding = 1e-14; /* allowed */

static void near(double got, long double want)
{
    if (!(fabsl(got - want) <= rounding * (1 + fabsl(want))))
        fail_msg("%.17g is not %.17Lg", got, want);
}

/* Row i of L as it was, and what came of it; its shares add to A. */
static void check_row(const table *t, size_t i, const double *L, double beta, long double *A)
{
    long double top = -INFINITY, sum = 0, product = 0;
    for (size_t j = 0; j < t->stride; j++)
        top = fmaxl(top, (long double)beta * (L[j] + t->log_a[j]));
    near(t->top[i], top);
    for (size_t j = 0; j < t->stride; j++) {
        long double x = (long double)beta * (L[j] + t->log_a[j]) - t->top[i];
        sum += expl(x);
        product += x > -700 ? expl(x) * x : 0;
    }
    near(t->sum[i], sum);
    near(t->product[i], product);
    for (size_t j = 0; j < t->stride; j++) {
        long double x = (long double)beta * (L[j] + t->log_a[j]) - t->top[i];
        near(t->L[i * t->stride + j], t->w[i] * expl(x) / sum);
        A[j] += t->w[i] * expl(x) / sum;
    }
}

static void check(size_t n, size_t stride, double wide, double beta)
{
    table t;
    double *L = NULL;
    long double A[STRIDE_MOST] = {0};
    rounding = 1e-14 + 4 * DBL_EPSILON * wide; /* log weights are known to that */
    table_new(&t, n, stride);
    fill(&t, wide, 1 + n);
    assert_ok(SCANT_I_NEW(&L, n * stride));
    memcpy(L, t.L, n * stride * sizeof *L);
    share(&t, 0, n, beta);
    for (size_t i = 0; i < n; i++)
        check_row(&t, i, L + i * stride, beta, A);
    for (size_t j = 0; j < stride; j++)
        near(t.A[j], A[j]);
    scant_i_free(L);
    table_clear(&t);
}

static void test_formulas(void **state)
{
    (void)state;
    static const double wide[] = {2000, 30, 0.1};
    for (size_t stride = EIGHT; stride <= STRIDE_MOST; stride += EIGHT)
        for (size_t n = 0; n <= ROWS; n++)
            for (size_t w = 0; w < sizeof wide / sizeof *wide; w++) {
                check(n, stride, wide[w], 1);
                check(n, stride, wide[w], 0.3);
            }
}

/* A row's bits do not depend on those beside it. */
static void test_places(void **state)
{
    (void)state;
    for (size_t stride = EIGHT; stride <= STRIDE_MOST; stride += EIGHT) {
        table whole, parts;
        table_new(&whole, ROWS, stride);
        table_new(&parts, ROWS, stride);
        fill(&whole, 30, 7);
        fill(&parts, 30, 7);
        share(&whole, 0, ROWS, 1);
        for (size_t first = 0, n = 1; first < ROWS;
             first += n, n = scant_i_min(3 * n, ROWS - first))
            share(&parts, first, n, 1);
        assert_memory_equal(whole.L, parts.L, ROWS * stride * sizeof *whole.L);
        assert_memory_equal(whole.A, parts.A, stride * sizeof *whole.A);
        assert_memory_equal(whole.top, parts.top, ROWS * sizeof *whole.top);
        assert_memory_equal(whole.sum, parts.sum, ROWS * sizeof *whole.sum);
        assert_memory_equal(whole.product, parts.product, ROWS * sizeof *whole.product);
        table_clear(&whole);
        table_clear(&parts);
    }
}

/* Rows without mass, a density that overflowed, and one that is no number, alone and among others. */
static void test_no_mass(void **state)
{
    (void)state;
    static const double odd[] = {-INFINITY, INFINITY, NAN};
    for (size_t n = 1; n <= ROWS; n += 9)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            table t;
            size_t stride = 2 * EIGHT, row = n / 2;
            table_new(&t, n, stride);
            fill(&t, 3, 3);
            for (size_t i = 0; i < n; i++)
                t.w[i] = 1;
            for (size_t j = 0; j < stride; j++)
                t.L[row * stride + j] = odd[k];
            share(&t, 0, n, 1);
            assert_true(!isfinite(t.top[row]));
            assert_true(t.sum[row] == 1 && t.product[row] == 0);
            for (size_t i = 0; i < n; i++) {
                double total = 0;
                for (size_t j = 0; j < stride; j++)
                    total += t.L[i * stride + j];
                near(total, i == row ? 0 : 1);
            }
            table_clear(&t);
        }
}

/* One number that is none does not spoil the others' shares. */
static void test_not_a_number(void **state)
{
    (void)state;
    table t;
    table_new(&t, 1, EIGHT);
    t.w[0] = 1;
    t.L[2] = NAN;
    for (size_t j = 0; j < EIGHT; j++)
        t.log_a[j] = j < 5 ? 0 : -INFINITY;
    share(&t, 0, 1, 1);
    for (size_t j = 0; j < EIGHT; j++)
        near(t.L[j], j < 5 && j != 2 ? 0.25L : 0);
    near(t.sum[0], 4);
    table_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_no_mass),
        cmocka_unit_test(test_not_a_number),
    };
    return RUN_WITH_EACH_TABLE(tests);
}
