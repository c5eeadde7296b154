/* Sparse row kernels against their definitions. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "math/sparse.h"
#include "tables.h"

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

/* What kernels by columns make of runs, and gather of rows whose entries stand apart. */
static void test_runs(void **state)
{
    (void)state;
    enum { ROWS = 40, RUNS = 30, EACH = 7 };
    scant_i_random random = scant_i_random_new(2, 0);
    double *table[4], value[RUNS * EACH];
    uint16_t row[RUNS * EACH];
    scant_i_sparse_run run[RUNS];
    for (size_t t = 0; t < 4; t++)
        assert_non_null(table[t] = scant_i_calloc(COLUMNS * LANES_MOST, sizeof *table[t]));
    for (size_t r = 0; r < RUNS; r++) /* columns that come twice, and from the last to the first */
        run[r] = (scant_i_sparse_run){(int32_t)(RUNS - r / 2), (uint32_t)(r % EACH),
                                      (uint32_t)(EACH - r % EACH)};
    for (size_t k = 0; k < RUNS * EACH; k++) {
        row[k] = (uint16_t)scant_i_random_below(&random, ROWS);
        value[k] = scant_i_random_normal(&random);
    }
    const scant_i_sparse_columns x = {RUNS, run, row, value};
    for (size_t lanes = 8; lanes <= LANES_MOST; lanes += 8)
        for (size_t nruns = 0; nruns <= RUNS; nruns += 10) {
            const scant_i_sparse_columns some = {nruns, run, row, value};
            for (size_t k = 0; k < COLUMNS * lanes; k++) {
                table[0][k] = scant_i_random_normal(&random);
                for (size_t t = 1; t < 4; t++)
                    table[t][k] = table[1][k] + (t == 1 ? scant_i_random_normal(&random) : 0);
            }
            double *from = table[0], *want = table[3];
            for (size_t way = 0; way < 2; way++) { /* spread, then collect */
                memcpy(want, table[2], COLUMNS * lanes * sizeof *want);
                double *got = table[1];
                memcpy(got, want, COLUMNS * lanes * sizeof *got);
                size_t entry = 0;
                const double *v = value;
                for (size_t r = 0; r < nruns; r++)
                    for (size_t e = 0; e < EACH; e++, entry++) {
                        double factor = e < run[r].ones ? 1 : *v++;
                        size_t column = (size_t)run[r].column, i = row[entry];
                        size_t to = way ? column : i, source = way ? i : column;
                        for (size_t j = 0; j < lanes; j++)
                            want[to * lanes + j] += factor * from[source * lanes + j];
                    }
                if (way)
                    scant_i_sparse_collect(got, from, lanes, &some);
                else
                    scant_i_sparse_spread(got, from, lanes, &x, nruns);
                for (size_t k = 0; k < COLUMNS * lanes; k++)
                    assert_true(fabs(got[k] - want[k]) < 1e-12 * fmax(1, fabs(want[k])));
            }
        }
    for (size_t t = 0; t < 4; t++)
        scant_i_free(table[t]);
}

static void test_rows_in_two_kinds(void **state)
{
    (void)state;
    enum { ROWS = 5 };
    scant_i_random random = scant_i_random_new(3, 0);
    uint32_t one_start[ROWS + 1] = {0, 3, 3, 10, 14, 14},
                              other_start[ROWS + 1] = {0, 0, 5, 7, 30, 30};
    int32_t one[14], other[30];
    double value[30], *C = scant_i_calloc(COLUMNS * LANES_MOST, sizeof *C);
    double *L = scant_i_calloc(LANES_MOST, sizeof *L);
    assert_true(C && L);
    for (size_t k = 0; k < 14; k++)
        one[k] = (int32_t)scant_i_random_below(&random, COLUMNS);
    for (size_t k = 0; k < 30; k++) {
        other[k] = (int32_t)scant_i_random_below(&random, COLUMNS);
        value[k] = scant_i_random_normal(&random);
    }
    for (size_t k = 0; k < COLUMNS * LANES_MOST; k++)
        C[k] = scant_i_random_normal(&random);
    const scant_i_sparse_rows x = {one_start, other_start, one, other, value};
    for (size_t lanes = 8; lanes <= LANES_MOST; lanes += 8)
        for (size_t i = 0; i < ROWS; i++) {
            scant_i_sparse_gather_row(L, C, lanes, &x, i, ROWS);
            for (size_t j = 0; j < lanes; j++) {
                double want = 0;
                for (size_t k = one_start[i]; k < one_start[i + 1]; k++)
                    want += C[(size_t)one[k] * lanes + j];
                for (size_t k = other_start[i]; k < other_start[i + 1]; k++)
                    want += value[k] * C[(size_t)other[k] * lanes + j];
                assert_true(fabs(L[j] - want) < 1e-12);
            }
        }
    scant_i_free(C);
    scant_i_free(L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_rows_in_two_kinds)};
    return RUN_WITH_EACH_TABLE(tests);
}
