/* What families keep of a block of sparse rows changes nothing but the time: log densities and
 * statistics with it against those without it. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"
#include "family/transposed.h"

typedef struct shape {
    size_t rows, columns, components;
    double filled; /* share of cells that are not zero */
    double ones;   /* share of those that are one */
} shape;

/* Counts with an empty row and an empty column; some are not whole. */
static double *draw_counts(const shape *s, scant_i_random *random)
{
    double *x = scant_i_calloc(s->rows * s->columns, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t c = 0; c < s->columns; c++) {
            bool empty = (s->rows > 1 && i == s->rows / 2) || c == s->columns / 3;
            double share = s->filled / (1 + 0.1 * (double)c); /* common columns and rare ones */
            if (empty || scant_i_random_uniform(random) > share)
                continue;
            bool one = scant_i_random_uniform(random) < s->ones;
            x[i * s->columns + c] = one ? 1 : 0.5 + (double)scant_i_random_below(random, 9);
        }
    return x;
}

/* A factor over every `step`-th column with drawn parameters; the first component never makes the
 * last column. */
static scant_i_factor *draw_factor(const shape *s, size_t step, scant_i_random *random)
{
    size_t d = s->columns / step, *columns = scant_i_calloc(d, sizeof *columns);
    scant_i_family_settings settings = {0};
    scant_i_factor *factor = NULL;
    assert_non_null(columns);
    for (size_t c = 0; c < d; c++)
        columns[c] = c * step;
    assert_int_equal(scant_i_factor_new(&factor, &scant_i_multinomial, &settings, s->components,
                                        columns, NULL, d),
                     SCANT_OK);
    for (size_t j = 0; j < s->components; j++) {
        double sum = 0, *p = factor->theta + j * d;
        for (size_t c = 0; c < d; c++)
            sum += p[c] = j == 0 && c == d - 1 ? 0 : 0.01 + scant_i_random_uniform(random);
        for (size_t c = 0; c < d; c++)
            p[c] /= sum;
    }
    assert_int_equal(factor->family->pass->prepare(factor), SCANT_OK);
    scant_i_free(columns);
    return factor;
}

static void assert_close(const double *a, const double *b, size_t n)
{
    for (size_t k = 0; k < n; k++)
        assert_true(a[k] == b[k] || fabs(a[k] - b[k]) <= 1e-12 * fmax(1, fabs(b[k])));
}

enum { LEAD = 2 };

static void compare(const shape *s, size_t step, scant_i_random *random)
{
    shape table = *s; /* the batch starts within it */
    table.rows += LEAD;
    double *x = draw_counts(&table, random);
    scant_rows rows = sparse_rows(x, table.rows, s->columns);
    const scant_i_batch batch = scant_i_batch_of(&rows, LEAD, s->rows);
    scant_i_factor *factor = draw_factor(s, step, random);
    const scant_i_family *family = factor->family;
    size_t cells = s->rows * factor->stride, nstatistics = family->pass->nstatistics(factor);
    double *L = scant_i_calloc(2 * cells, sizeof *L), *R = scant_i_calloc(cells, sizeof *R);
    double *S = scant_i_calloc(2 * nstatistics, sizeof *S);
    scant_i_block block = {.batch = &batch, .nrows = s->rows};
    void *kept = NULL;
    assert_true(L && R && S);
    for (size_t i = 0; i < s->rows; i++) /* rows that belong to some components only */
        for (size_t j = 0; j < s->components; j++)
            R[i * factor->stride + j] =
                i % 3 && j % 4 == i % 4 ? 0 : scant_i_random_uniform(random);
    assert_true(family->pass->keep_bytes(factor, &block) > 0);
    assert_int_equal(family->pass->keep(factor, &block, &kept), SCANT_OK);
    assert_non_null(kept);
    run_log_density(factor, &block, L);
    run_statistics(factor, &block, R, S);
    block.kept = kept;
    run_log_density(factor, &block, L + cells);
    run_statistics(factor, &block, R, S + nstatistics);
    for (size_t i = 0; i < s->rows; i++)
        assert_close(L + cells + i * factor->stride, L + i * factor->stride, s->components);
    assert_close(S + nstatistics, S, nstatistics);
    family->pass->drop(kept);
    scant_i_factor_free(factor);
    free_sparse(&rows);
    scant_i_free(x);
    scant_i_free(L);
    scant_i_free(R);
    scant_i_free(S);
}

static void test_same_result(void **state)
{
    (void)state;
    static const shape shapes[] = {
        {1, 9, 3, 0.9, 0.8},     {2, 6, 1, 0.9, 1.0},       {40, 30, 20, 0.5, 0.9},
        {300, 50, 24, 0.7, 0.8}, {700, 400, 20, 0.3, 0.85}, {700, 60, 40, 0.3, 0.6},
        {64, 90, 70, 0.4, 0.0},  {500, 33, 9, 0.4, 0.2},
    };
    scant_i_random random = scant_i_random_new(5, 0);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (size_t step = 1; step <= 2; step++)
            compare(&shapes[k], step, &random);
}

static void test_nothing_to_keep(void **state)
{
    (void)state;
    shape s = {10, 5, 2, 0.5, 0.5};
    scant_i_random random = scant_i_random_new(6, 0);
    scant_i_factor *factor = draw_factor(&s, 1, &random);
    double *x = draw_counts(&s, &random);
    scant_rows dense = {.nrows = s.rows, .ncolumns = s.columns, .dense = x};
    scant_i_block block = {.batch = ALL_ROWS(&dense), .nrows = s.rows};
    assert_int_equal(factor->family->pass->keep_bytes(factor, &block), 0);
    assert_int_equal(factor->family->pass->block_rows(factor, &(scant_i_counts){.nrows = s.rows}),
                     0);
    scant_i_factor_free(factor);
    scant_i_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_result),
        cmocka_unit_test(test_nothing_to_keep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
