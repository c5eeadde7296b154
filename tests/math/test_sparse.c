/* Sparse row kernels against their definitions. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "math/sparse.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
