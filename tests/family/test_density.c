/* Log densities of blocks against the textbook's formulas: dense, sparse, with missing cells,
 * columns out of order, rows by number, and blocks of more rows than a family takes at once. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"

enum { ROWS = 301, EXTRA = 3, LATE = 31 };

static void near_to(double got, double want)
{
    if (isinf(want)) {
        assert_true(got == want);
        return;
    }
    if (!(fabs(got - want) <= 1e-11 * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

/* Block rows number[i] of the table whose rows hold the factor's cells in x. */
static void compare(const family_case *one, scant_i_factor *factor, const scant_i_block *block,
                    const double *x, const uint8_t *present)
{
    double *L = scant_i_calloc(block->nrows, factor->stride * sizeof *L);
    assert_non_null(L);
    run_log_density(factor, block, L);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *row = x + scant_i_block_row(block, i) * factor->ncolumns;
        for (size_t j = 0; j < factor->ncomponents; j++)
            near_to(L[i * factor->stride + j], one->log_density(factor, j, row, present));
        for (size_t j = factor->ncomponents; j < factor->stride; j++)
            assert_true(isfinite(L[i * factor->stride + j]));
    }
    scant_i_free(L);
}

/* A batch that starts within the table: its blocks count from there. */
static void compare_late(const family_case *one, scant_i_factor *factor, const scant_rows *rows,
                         const double *x)
{
    const scant_i_batch late = scant_i_batch_of(rows, LATE, ROWS - LATE - 1);
    size_t some[] = {4, 0, 200};
    const scant_i_block blocks[] = {
        {.batch = &late, .nrows = late.nrows},
        {.batch = &late, .nrows = late.nrows - 2, .first = 2},
        {.batch = &late, .nrows = 3, .row = some},
    };
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        compare(one, factor, &blocks[b], x, NULL);
}

static void test_dense(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(1, k);
        for (size_t M = 1; M <= 41; M += 10) {
            scant_i_factor *factor = case_factor(one, M, NULL, &random);
            double *x = case_rows(one, factor, ROWS, &random);
            scant_rows rows = {.nrows = ROWS, .ncolumns = factor->ncolumns, .dense = x};
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS - 7, .first = 7};
            compare(one, factor, &block, x, NULL);
            case_standardise(factor, x, ROWS);
            compare(one, factor, &block, x, NULL);
            size_t some[] = {5, 1, 1, 200, 17};
            scant_i_block chosen = {.batch = ALL_ROWS(&rows), .nrows = 5, .row = some};
            compare(one, factor, &chosen, x, NULL);
            compare_late(one, factor, &rows, x);
            scant_i_free(x);
            scant_i_factor_free(factor);
        }
    }
}

/* The factor's columns stand in reverse order among others, whose cells are NaN; with every pattern
 * of missing cells where the family takes them. */
static void test_columns_and_missing(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(2, k);
        size_t d = one->ncolumns, width = d + EXTRA, columns[16];
        for (size_t c = 0; c < d; c++)
            columns[c] = width - 2 - c;
        scant_i_factor *factor = case_factor(one, 3, columns, &random);
        double *x = case_rows(one, factor, 20, &random);
        double *wide = scant_i_calloc(20 * width, sizeof *wide);
        assert_non_null(wide);
        for (size_t patterns = one->family->needs_all_cells ? 1 : (size_t)1 << d; patterns-- > 0;) {
            uint8_t own[16] = {0}, present[16] = {0};
            for (size_t c = 0; c < d; c++)
                own[c] = one->family->needs_all_cells || (patterns >> c & 1);
            for (size_t i = 0; i < 20 * width; i++)
                wide[i] = NAN;
            for (size_t c = 0; c < d; c++) {
                present[columns[c]] = own[c];
                for (size_t i = 0; i < 20; i++)
                    wide[i * width + columns[c]] = own[c] ? x[i * d + c] : NAN;
            }
            scant_rows rows = {.nrows = 20, .ncolumns = width, .dense = wide};
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = 20, .present = present};
            compare(one, factor, &block, x, own);
        }
        scant_i_free(wide);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* Patterns in turn over one scratch, all under the same number: tables go by the columns that a block
 * has, in either half of a pass. */
static void test_patterns_by_their_columns(void **state)
{
    (void)state;
    enum { D = 3, PATTERNS = 1 << D };
    const family_case *one = family_case_of(&scant_i_gaussian);
    scant_i_random random = scant_i_random_new(6, 0);
    scant_i_factor *factor = case_factor(one, 3, NULL, &random);
    const scant_i_family_pass *pass = one->family->pass;
    size_t cells = ROWS * factor->stride, n = pass->nstatistics(factor);
    double *x = case_rows(one, factor, ROWS, &random);
    double *L = scant_i_calloc(2 * cells + 2 * n, sizeof *L), *alone = L + cells;
    double *sum = alone + cells, *sum_alone = sum + n;
    double *R = draw_responsibilities(factor, ROWS, &random);
    scant_rows rows = {.nrows = ROWS, .ncolumns = D, .dense = x};
    void *scratch = scant_i_calloc(1, pass->scratch(factor, ROWS, true));
    assert_true(D == one->ncolumns && L && scratch);
    assert_int_equal(pass->prepare(factor), SCANT_OK);
    for (size_t turn = 0; turn < 2 * PATTERNS; turn++) {
        uint8_t present[D];
        for (size_t c = 0; c < D; c++)
            present[c] = (turn * 5 >> c) & 1; /* 5: neighbours differ in more than one column */
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS, .present = present};
        memset(L, 0, cells * sizeof *L);
        memset(sum, 0, n * sizeof *sum);
        assert_int_equal(pass->log_density(factor, &block, L, scratch), SCANT_OK);
        assert_int_equal(pass->accumulate(factor, &block, R, sum, scratch), SCANT_OK);
        run_log_density(factor, &block, alone);
        run_statistics(factor, &block, R, sum_alone);
        assert_memory_equal(L, alone, cells * sizeof *L);
        assert_memory_equal(sum, sum_alone, n * sizeof *sum);
    }
    scant_i_free(scratch);
    scant_i_free(L);
    scant_i_free(R);
    scant_i_free(x);
    scant_i_factor_free(factor);
}

static void test_sparse(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        if (!one->family->sparse)
            continue;
        scant_i_random random = scant_i_random_new(3, k);
        for (size_t M = 1; M <= 41; M += 8) {
            scant_i_factor *factor = case_factor(one, M, NULL, &random);
            size_t d = factor->ncolumns;
            double *x = case_rows(one, factor, ROWS, &random);
            memset(x + 3 * d, 0, d * sizeof *x); /* an empty row */
            if (one->family == &scant_i_multinomial) {
                x[d] = 2.5; /* counts need not be whole, nor small */
                x[2 * d + 1] = 1000;
            }
            scant_rows rows = sparse_rows(x, ROWS, d);
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
            compare(one, factor, &block, x, NULL);
            compare_late(one, factor, &rows, x);
            free_sparse(&rows);
            scant_i_free(x);
            scant_i_factor_free(factor);
        }
    }
}

static void test_sparse_columns(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        if (!one->family->sparse)
            continue;
        scant_i_random random = scant_i_random_new(4, k);
        size_t d = one->ncolumns, width = d + EXTRA, columns[16];
        for (size_t c = 0; c < d; c++)
            columns[c] = width - 2 - c;
        scant_i_factor *factor = case_factor(one, 5, columns, &random);
        double *x = case_rows(one, factor, 30, &random);
        double *wide = scant_i_calloc(30 * width, sizeof *wide);
        assert_non_null(wide);
        for (size_t i = 0; i < 30; i++) {
            for (size_t c = 0; c < width; c++)
                wide[i * width + c] = 7;
            for (size_t c = 0; c < d; c++)
                wide[i * width + columns[c]] = x[i * d + c];
        }
        scant_rows rows = sparse_rows(wide, 30, width);
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = 30};
        compare(one, factor, &block, x, NULL);
        assert_int_equal(one->family->validate(factor, ALL_ROWS(&rows)), SCANT_OK);
        free_sparse(&rows);
        scant_i_free(wide);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* Probabilities 0 and 1: -inf where the textbook says so, and never NaN. */
static void test_certainty(void **state)
{
    (void)state;
    const scant_i_family *families[] = {&scant_i_bernoulli, &scant_i_multinomial,
                                        &scant_i_categorical};
    for (size_t k = 0; k < 3; k++) {
        const family_case *one = family_case_of(families[k]);
        scant_i_random random = scant_i_random_new(5, k);
        scant_i_factor *factor = case_factor(one, 3, NULL, &random);
        size_t d = factor->ncolumns, width = factor->ntheta / 3;
        double *x = case_rows(one, factor, 64, &random);
        if (k == 0) {
            factor->theta[0] = factor->theta[3] = 0;
            factor->theta[1] = factor->theta[width] = 1;
        } else {
            factor->theta[1] += factor->theta[0];
            factor->theta[0] = 0;
        }
        scant_rows rows = {.nrows = 64, .ncolumns = d, .dense = x};
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = 64};
        compare(one, factor, &block, x, NULL);
        if (one->family->sparse) {
            scant_rows compressed = sparse_rows(x, 64, d);
            block.batch = ALL_ROWS(&compressed);
            compare(one, factor, &block, x, NULL);
            free_sparse(&compressed);
        }
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),     cmocka_unit_test(test_columns_and_missing),
        cmocka_unit_test(test_sparse),    cmocka_unit_test(test_sparse_columns),
        cmocka_unit_test(test_certainty), cmocka_unit_test(test_patterns_by_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
