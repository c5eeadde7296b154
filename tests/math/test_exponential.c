/* The inlined exp against that of long double. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "math/shares.h"
#include "math/simd.h"
#include "tables.h"

enum { EIGHT = 8 };

/* exp as the shares have it: of x <= 0, the first 0. The sums come first, and with them as the row's weight shares are exp's
 * own bits. */
static void exp_of_shares(double *y, const double *x)
{
    _Alignas(64) double L[EIGHT], log_a[EIGHT] = {0}, A[EIGHT] = {0};
    double w = 1, top = 0, sum = 0, product = 0;
    const scant_i_shares shares = {1, EIGHT, L, log_a, A, 1, &w, &top, &sum, &product};
    for (size_t round = 0; round < 2; round++) {
        memcpy(L, x, sizeof L);
        scant_i_share(&shares);
        w = sum;
    }
    memcpy(y, L, sizeof L);
}

/* exp as it is inlined into code for the baseline: of any x. */
static void exp_of_baseline(double *y, const double *x)
{
    for (size_t k = 0; k < EIGHT; k += SCANT_I_WIDTH)
        *(scant_i_unaligned *)(y + k) = scant_i_exp(*(const scant_i_unaligned *)(x + k));
}

/* The largest error of eight in a row, in units of the last place. */
static double worst_of(const double *x)
{
    double y[EIGHT], mirrored[EIGHT] = {0}, worst = 0;
    exp_of_baseline(y, x);
    for (size_t way = 0; way < 2; way++) {
        for (size_t k = 0; k < EIGHT; k++) {
            double unit = nextafter(y[k], INFINITY) - y[k];
            worst =
                fmax(worst, (double)(fabsl((long double)y[k] - expl((long double)x[k])) / unit));
        }
        for (size_t k = 1; k < EIGHT; k++) /* shares below exp(-700) are 0 */
            mirrored[k] = fmax(-fabs(x[k]), -699.9);
        x = mirrored;
        exp_of_shares(y, x);
    }
    return worst;
}

static void test_random(void **state)
{
    (void)state;
    static const double wide[] = {1e-9, 1e-3, 0.4, 3, 40, 708};
    double x[EIGHT], worst = 0;
    scant_i_random random = scant_i_random_new(1, 1);
    for (size_t w = 0; w < sizeof wide / sizeof *wide; w++)
        for (size_t round = 0; round < 20000; round++) {
            for (size_t k = 0; k < EIGHT; k++)
                x[k] = wide[w] * (2 * scant_i_random_uniform(&random) - 1);
            worst = fmax(worst, worst_of(x));
        }
    assert_true(worst < 1.25);
}

/* Around the points where k changes, where r is as large as it gets. */
static void test_seams(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = -1021; k < 1021; k++) {
        double seam = (k + 0.5) * log(2), x[EIGHT];
        for (size_t t = 0; t < EIGHT; t++)
            x[t] = seam + ((double)t - 3.5) * 1e-15 * fabs(seam);
        worst = fmax(worst, worst_of(x));
    }
    assert_true(worst < 1.25);
}

static void test_exact(void **state)
{
    (void)state;
    static const double x[] = {0, -0.0, 1e-300, -1e-300, 4.9e-324, 1e-17, -1e-17, 0};
    double y[EIGHT];
    exp_of_baseline(y, x);
    for (size_t k = 0; k < EIGHT; k++)
        assert_true(y[k] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_seams),
                                       cmocka_unit_test(test_exact)};
    return RUN_WITH_EACH_TABLE(tests);
}
