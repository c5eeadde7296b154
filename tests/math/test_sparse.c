/* Sparse row kernels against their definitions. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "math/sparse.h"
#include "math/sparse_strips.h"
#include "base/random.h"

enum { COLUMNS = 50, ENTRIES = 120, LANES_MOST = 80 };

static void test_products(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(1, 0);
    double *C = scant_i_calloc(COLUMNS * LANES_MOST, sizeof *C), value[ENTRIES];
    double *L = scant_i_calloc(LANES_MOST, sizeof *L), *S = scant_i_calloc(COLUMNS, LANES_MOST * 8);
    double *R = scant_i_calloc(LANES_MOST, sizeof *R);
    int32_t index[ENTRIES];
    assert_true(C && L && S && R);
    for (size_t lanes = 8; lanes <= LANES_MOST; lanes += 8) {
        for (size_t n = 0; n <= ENTRIES; n += 1 + n / 3) {
            for (size_t k = 0; k < ENTRIES; k++) {
                index[k] = (int32_t)scant_i_random_below(&random, COLUMNS);
                value[k] = scant_i_random_normal(&random);
            }
            for (size_t k = 0; k < COLUMNS * lanes; k++)
                C[k] = scant_i_random_normal(&random);
            for (int ones = 0; ones < 2; ones++) {
                double want[COLUMNS * LANES_MOST] = {0}, sum[LANES_MOST] = {0};
                memset(S, 0, COLUMNS * LANES_MOST * sizeof *S);
                scant_i_sparse_gather(L, C, lanes, index, ones ? NULL : value, n, ENTRIES);
                for (size_t j = 0; j < lanes; j++) /* zeros at both ends, in some rounds */
                    if (n % 3 == 1 && (j < n % 31 || j + n % 17 >= lanes))
                        R[j] = 0;
                    else
                        R[j] = L[j];
                scant_i_sparse_scatter(S, R, lanes, index, ones ? NULL : value, n, n);
                for (size_t k = 0; k < n; k++) {
                    for (size_t j = 0; j < lanes; j++) {
                        double v = ones ? 1 : value[k];
                        sum[j] += v * C[(size_t)index[k] * lanes + j];
                        want[(size_t)index[k] * lanes + j] += v * R[j];
                    }
                }
                for (size_t j = 0; j < lanes; j++)
                    assert_true(fabs(sum[j] - L[j]) < 1e-12);
                for (size_t k = 0; k < COLUMNS * lanes; k++)
                    assert_true(fabs(want[k] - S[k]) < 1e-11 * fmax(1, fabs(want[k])));
            }
        }
    }
    scant_i_free(C);
    scant_i_free(L);
    scant_i_free(S);
    scant_i_free(R);
}

/* By shorter vectors, for processors without the longest; what kernels by columns make of runs, too. */
static void test_narrow(void **state)
{
    (void)state;
    enum { ROWS = 40, RUNS = 30, EACH = 7 };
    scant_i_random random = scant_i_random_new(2, 0);
    double *table[4], value[RUNS * EACH];
    int32_t index[ENTRIES];
    uint16_t row[RUNS * EACH];
    scant_i_sparse_run run[RUNS];
    for (size_t t = 0; t < 4; t++)
        assert_non_null(table[t] = scant_i_calloc(COLUMNS * LANES_MOST, sizeof *table[t]));
    for (size_t r = 0; r < RUNS; r++)
        run[r] =
            (scant_i_sparse_run){(int32_t)r, (uint32_t)(r % EACH), (uint32_t)(EACH - r % EACH)};
    for (size_t k = 0; k < RUNS * EACH; k++) {
        row[k] = (uint16_t)scant_i_random_below(&random, ROWS);
        value[k] = scant_i_random_normal(&random);
    }
    for (size_t k = 0; k < ENTRIES; k++)
        index[k] = (int32_t)scant_i_random_below(&random, COLUMNS);
    const scant_i_sparse_columns x = {RUNS, run, row, value};
    const scant_i_sparse_entries ones = {index, NULL, 33, ENTRIES}, others = {index, value, 51, 60};
    for (size_t lanes = 8; lanes <= LANES_MOST; lanes += 8)
        for (size_t what = 0; what < 4; what++) {
            for (size_t k = 0; k < COLUMNS * lanes; k++) {
                table[0][k] = scant_i_random_normal(&random);
                table[1][k] = table[2][k] = scant_i_random_normal(&random);
            }
            if (what == 0) {
                scant_i_sparse_collect(table[1], table[0], lanes, &x);
                scant_i_sparse_collect_by_4(table[2], table[0], lanes, &x);
            } else if (what == 1) {
                scant_i_sparse_spread(table[1], table[0], lanes, &x, RUNS);
                scant_i_sparse_spread_by_4(table[2], table[0], lanes, &x, RUNS);
            } else if (what == 2) {
                scant_i_sparse_scatter(table[1], table[0], lanes, index, value, 51, 60);
                scant_i_sparse_scatter_by_4(table[2], table[0], lanes, 0, lanes, &others);
            } else {
                scant_i_sparse_gather(table[1], table[0], lanes, index, NULL, 33, ENTRIES);
                scant_i_sparse_gather(table[3], table[0], lanes, index, value, 51, 60);
                scant_i_sparse_gather_by_4(table[2], table[0], lanes, &ones, &others);
                for (size_t j = 0; j < lanes; j++)
                    table[1][j] += table[3][j];
            }
            for (size_t k = 0; k < COLUMNS * lanes; k++)
                assert_true(fabs(table[1][k] - table[2][k]) < 1e-12);
        }
    for (size_t t = 0; t < 4; t++)
        scant_i_free(table[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products),
                                       cmocka_unit_test(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
