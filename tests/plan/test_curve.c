/* Power laws come back from their points, also with noise and at the edges of what is allowed. */
#include "plan/curve.h"

#include <math.h>
#include "base/random.h"
#include "check.h"

enum { POINTS = 6 };

static void law_at(double *y, const double *x, double a, double b, double c)
{
    for (size_t i = 0; i < POINTS; i++)
        y[i] = a + b * pow(x[i], -c);
}

static const double X[POINTS] = {20, 30, 45, 70, 100, 150};

static void law_is_found(void **state)
{
    (void)state;
    double y[POINTS], law[3];
    law_at(y, X, 0.12, 1.7, 0.85);
    scant_i_power_law(law, X, y, POINTS);
    assert_true(fabs(law[0] - 0.12) < 1e-6);
    assert_true(fabs(law[1] - 1.7) < 1e-4);
    assert_true(fabs(law[2] - 0.85) < 1e-9);
}

static void neither_part_is_negative(void **state)
{
    (void)state;
    double y[POINTS], law[3];
    law_at(y, X, -0.05, 2, 0.5); /* would go below 0 */
    scant_i_power_law(law, X, y, POINTS);
    assert_true(law[0] >= 0 && law[1] >= 0);
    for (size_t i = 0; i < POINTS; i++)
        y[i] = 0.1 + 0.001 * (double)i; /* rises */
    scant_i_power_law(law, X, y, POINTS);
    assert_true(law[1] == 0 && fabs(law[0] - 0.1025) < 1e-12);
}

/* Four times as many labels as any seen: noise of half a per cent moves it by about as much. */
static void extrapolation_is_steady(void **state)
{
    (void)state;
    double mean = 0, truth = 0.12 + 1.7 * pow(600, -0.85);
    for (uint64_t trial = 0; trial < 200; trial++) {
        double y[POINTS], law[3];
        scant_i_random random = scant_i_random_new(trial, 3);
        law_at(y, X, 0.12, 1.7, 0.85);
        for (size_t i = 0; i < POINTS; i++)
            y[i] += 0.005 * scant_i_random_normal(&random);
        scant_i_power_law(law, X, y, POINTS);
        mean += (law[0] + law[1] * pow(600, -law[2])) / 200;
    }
    assert_true(fabs(mean - truth) < 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_is_found),
        cmocka_unit_test(neither_part_is_negative),
        cmocka_unit_test(extrapolation_is_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
