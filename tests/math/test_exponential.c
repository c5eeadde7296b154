/* The inlined exp against that of long double. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "math/exponential.h"

enum { EIGHT = 8 };

/* The largest error of eight in a row, in units of the last place. */
static double worst_of(const double *x)
{
    scant_i_vector8 v, y;
    scant_i_vector4 half;
    memcpy(&v, x, sizeof v);
    y = scant_i_exp8(v);
    memcpy(&half, x + EIGHT / 2, sizeof half);
    half = scant_i_exp4(half);
    double worst = 0;
    for (size_t k = 0; k < EIGHT; k++) {
        assert_true(k < EIGHT / 2 || half[k - EIGHT / 2] == y[k]);
        double unit = nextafter(y[k], INFINITY) - y[k];
        worst = fmax(worst, (double)(fabsl((long double)y[k] - expl((long double)x[k])) / unit));
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
    scant_i_vector8 y =
        scant_i_exp8((scant_i_vector8){0, -0.0, 1e-300, -1e-300, 4.9e-324, 1e-17, -1e-17, 0});
    for (size_t k = 0; k < EIGHT; k++)
        assert_true(y[k] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_seams),
                                       cmocka_unit_test(test_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
