/* Random numbers: moments against the truth with pinned seeds, streams apart, draws repeatable.
 * Bounds are five standard errors, so a pinned seed passes unless the generator is wrong. */
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { DRAWS = 200000 };
static const double ERRORS = 5;

typedef double (*draw)(scant_i_random *random, double parameter);

/* Mean and variance of `draw` against the truth; `kurtosis` (fourth central moment over squared
 * variance) gives the standard error of the variance. */
static void check_moments(draw next, double parameter, double mean, double variance,
                          double kurtosis)
{
    scant_i_random random = scant_i_random_new(17, 3);
    double sum = 0, squares = 0, n = DRAWS;
    for (int i = 0; i < DRAWS; i++) {
        double x = next(&random, parameter) - mean;
        sum += x;
        squares += x * x;
    }
    double mean_error = fabs(sum / n) / sqrt(variance / n);
    double variance_error = fabs(squares / n - variance) / (variance * sqrt((kurtosis - 1) / n));
    if (mean_error > ERRORS || variance_error > ERRORS)
        fail_msg("parameter %g: mean is %g and variance %g standard errors off", parameter,
                 mean_error, variance_error);
}

static double uniform(scant_i_random *random, double unused)
{
    (void)unused;
    return scant_i_random_uniform(random);
}

static double normal(scant_i_random *random, double unused)
{
    (void)unused;
    return scant_i_random_normal(random);
}

static double exponential(scant_i_random *random, double unused)
{
    (void)unused;
    return scant_i_random_exponential(random);
}

static double below(scant_i_random *random, double n)
{
    return (double)scant_i_random_below(random, (size_t)n);
}

static void moments_are_right(void **state)
{
    (void)state;
    check_moments(uniform, 0, 0.5, 1.0 / 12, 1.8);
    check_moments(normal, 0, 0, 1, 3);
    check_moments(exponential, 0, 1, 1, 9);
    check_moments(below, 7, 3, 4, 1.75);
    static const double shapes[] = {0.05, 0.3, 0.999, 1, 1.7, 5, 80, 1e4};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_moments(scant_i_random_gamma, shapes[i], shapes[i], shapes[i], 3 + 6 / shapes[i]);
    static const double means[] = {0.01, 0.7, 3, 15.9, 16.1, 19, 40, 400, 12345.6};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        check_moments(scant_i_random_poisson, means[i], means[i], means[i], 3 + 1 / means[i]);
}

/* Chi-square of Poisson counts against the probabilities: the shape, not only two moments. */
static void poisson_has_its_shape(void **state)
{
    (void)state;
    static const double means[] = {2.5, 18, 33};
    for (size_t m = 0; m < 3; m++) {
        enum { CELLS = 80 };
        double count[CELLS] = {0}, chi = 0, used = 0;
        scant_i_random random = scant_i_random_new(5, m);
        for (int i = 0; i < DRAWS; i++) {
            double x = scant_i_random_poisson(&random, means[m]);
            assert_true(x >= 0 && x == floor(x));
            if (x < CELLS)
                count[(size_t)x]++;
        }
        for (int x = 0; x < CELLS; x++) {
            double expected = DRAWS * exp(x * log(means[m]) - means[m] - lgamma(x + 1.0));
            if (expected < 10)
                continue;
            chi += (count[x] - expected) * (count[x] - expected) / expected;
            used++;
        }
        assert_true(chi < used + ERRORS * sqrt(2 * used));
    }
}

static void edges_hold(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(1, 1);
    for (int i = 0; i < DRAWS; i++) {
        double u = scant_i_random_uniform(&random);
        assert_true(u > 0 && u < 1);
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(scant_i_random_below(&random, 1), 0);
        assert_true(scant_i_random_poisson(&random, 0) == 0);
        double g = scant_i_random_gamma(&random, 1e-3);
        assert_true(g >= 0 && isfinite(g));
        double p = scant_i_random_poisson(&random, 1e9);
        assert_true(fabs(p - 1e9) < 1e6);
    }
    size_t large = SIZE_MAX / 2 + 2; /* nearly half of the words are rejected */
    for (int i = 0; i < 1000; i++)
        assert_true(scant_i_random_below(&random, large) < large);
}

static void streams_are_apart_and_repeat(void **state)
{
    (void)state;
    scant_i_random a = scant_i_random_new(1, 0), again = scant_i_random_new(1, 0);
    scant_i_random b = scant_i_random_new(1, 1), c = scant_i_random_new(2, 0);
    double ab = 0, ac = 0, n = DRAWS;
    for (int i = 0; i < DRAWS; i++) {
        double x = scant_i_random_normal(&a);
        assert_true(x == scant_i_random_normal(&again));
        ab += x * scant_i_random_normal(&b);
        ac += x * scant_i_random_normal(&c);
    }
    assert_true(fabs(ab) / sqrt(n) < ERRORS);
    assert_true(fabs(ac) / sqrt(n) < ERRORS);
}

/* The pair of normals and successive uniforms must not hang together. */
static void neighbours_are_independent(void **state)
{
    (void)state;
    scant_i_random random = scant_i_random_new(9, 9);
    double before = scant_i_random_normal(&random), product = 0, square = 0, n = DRAWS;
    for (int i = 0; i < DRAWS; i++) {
        double x = scant_i_random_normal(&random);
        product += x * before;
        square += (x * x - 1) * (before * before - 1) / 2;
        before = x;
    }
    assert_true(fabs(product) / sqrt(n) < ERRORS);
    assert_true(fabs(square) / sqrt(n) < ERRORS);
}

static void picks_follow_the_weights(void **state)
{
    (void)state;
    static const double weight[] = {0, 1, 0, 3, 6, 0};
    double count[7] = {0};
    scant_i_random random = scant_i_random_new(4, 4);
    for (int i = 0; i < DRAWS; i++)
        count[scant_i_random_pick(&random, weight, 6)]++;
    for (size_t i = 0; i < 6; i++) {
        double p = weight[i] / 10;
        assert_true(fabs(count[i] - DRAWS * p) <= ERRORS * sqrt(DRAWS * p * (1 - p)));
    }
    assert_true(count[6] == 0);
    static const double nothing[] = {0, 0};
    assert_int_equal(scant_i_random_pick(&random, nothing, 2), 2);
    assert_int_equal(scant_i_random_pick(&random, nothing, 0), 0);
}

/* All 24 orders of four things come equally often. */
static void shuffles_are_fair(void **state)
{
    (void)state;
    double count[256] = {0};
    scant_i_random random = scant_i_random_new(8, 0);
    for (int i = 0; i < DRAWS; i++) {
        size_t index[4] = {0, 1, 2, 3};
        scant_i_random_shuffle(&random, index, 4);
        count[index[0] * 64 + index[1] * 16 + index[2] * 4 + index[3]]++;
    }
    double p = 1.0 / 24, orders = 0;
    for (size_t i = 0; i < 256; i++) {
        if (count[i] == 0)
            continue;
        orders++;
        assert_true(fabs(count[i] - DRAWS * p) < ERRORS * sqrt(DRAWS * p * (1 - p)));
    }
    assert_true(orders == 24);
    size_t one[] = {7};
    scant_i_random_shuffle(&random, one, 1);
    scant_i_random_shuffle(&random, one, 0);
    assert_int_equal(one[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_right),
        cmocka_unit_test(poisson_has_its_shape),
        cmocka_unit_test(edges_hold),
        cmocka_unit_test(streams_are_apart_and_repeat),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(picks_follow_the_weights),
        cmocka_unit_test(shuffles_are_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
