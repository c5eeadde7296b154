/* Margin priors against quadrature of the integrals that they come from, finite differences, and a search for the conjugate. */
#include <math.h>

#include "check.h"
#include "med_cases.h"

static const double C = 2.5, EPSILON = 0.3;

/* log of the integral of P0(g) exp(-lambda g), P0 normalised, by Simpson's rule over [low, high]. */
static double log_integral(double (*density)(double), double lambda, double low, double high)
{
    enum { STEPS = 200000 };
    double h = (high - low) / STEPS, with = 0, without = 0;
    for (int k = 0; k <= STEPS; k++) {
        double g = low + k * h, weight = k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2;
        with += weight * density(g) * exp(-lambda * (g - 1));
        without += weight * density(g);
    }
    return log(with / without) - lambda;
}

static double exponential(double g)
{
    return exp(-C * (1 - g));
}

static double laplace(double g)
{
    return exp(-C * fabs(1 - g));
}

static double gaussian(double g)
{
    return exp(-C * C * (1 - g) * (1 - g) / 2);
}

/* phi = -log Z. The grids have a point at 1, where two densities have a corner. */
static void test_integrals(void **state)
{
    static const double lambda[] = {0.1, 0.7, 1.5};
    const scant_i_med_scale s = {C, EPSILON};
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        double l = lambda[k];
        double e = l + scant_i_med_exponential.value(l, &s),
               a = l + scant_i_med_laplace.value(l, &s), g = l + scant_i_med_gaussian.value(l, &s);
        med_near(e, -log_integral(exponential, l, -59, 1), 1e-7);
        med_near(a, -log_integral(laplace, l, -59, 61), 1e-7);
        med_near(g, -log_integral(gaussian, l, -9, 11), 1e-7);
        /* the tube: exp(lambda g) over [0, eps] and beyond, not normalised, twice with the side that is not used */
        double inside = expm1(l * EPSILON) / l, outside = exp(l * EPSILON) / (C - l);
        double rest = log(EPSILON + 1 / C);
        med_near(scant_i_med_tube.value(l, &s), -log(inside + outside) - rest, 1e-12);
    }
}

static void test_derivatives(void **state)
{
    static const scant_i_med_margin *const all[] = {&scant_i_med_exponential, &scant_i_med_laplace,
                                                    &scant_i_med_gaussian, &scant_i_med_tube};
    static const double lambda[] = {1e-4, 0.05, 0.9, 2.4}, epsilon[] = {0, 0.01, 0.3, 8};
    const double h = 1e-5;
    (void)state;
    for (size_t m = 0; m < 4; m++)
        for (size_t e = 0; e < 4; e++)
            for (size_t k = 0; k < 4; k++) {
                const scant_i_med_scale s = {C, epsilon[e]};
                double l = lambda[k];
                double slope = (all[m]->value(l + h, &s) - all[m]->value(l - h, &s)) / (2 * h);
                double bend = (all[m]->slope(l + h, &s) - all[m]->slope(l - h, &s)) / (2 * h);
                med_near(all[m]->slope(l, &s), slope, 1e-6 * (1 + fabs(slope)));
                med_near(all[m]->curvature(l, &s), bend, 1e-6 * (1 + fabs(bend)));
                double slack = -all[m]->slope(l, &s);
                med_near(all[m]->inverse(slack, &s), l, 1e-9);
            }
}

/* phi* is the largest phi(beta) - beta f, and beta is where: no point of a fine grid is better. */
static void test_conjugates(void **state)
{
    static const scant_i_med_margin *const all[] = {&scant_i_med_exponential, &scant_i_med_laplace,
                                                    &scant_i_med_gaussian, &scant_i_med_tube};
    static const double fs[] = {-3, -0.2, 0.1, 0.55, 0.61, 0.95, 1.3, 4};
    (void)state;
    for (size_t m = 0; m < 4; m++)
        for (int side = -1; side <= 1; side += 2)
            for (size_t k = 0; k < sizeof fs / sizeof *fs; k++) {
                const int8_t sides[] = {(int8_t)side};
                const double level[] = {all[m]->tube ? 0.4 : 1.2 * side}, weight[] = {3};
                const scant_i_med_potential p = {
                    all[m], {C, EPSILON}, 1, level, all[m]->tube ? NULL : sides, weight};
                double beta, best = scant_i_med_conjugate(&beta, &p, 0, fs[k]), grid = -INFINITY;
                double low = fmax(scant_i_med_low(&p, 0), -150),
                       high = fmin(scant_i_med_high(&p, 0), 150);
                assert_true(beta >= low && beta <= high);
                med_near(best, scant_i_med_phi(&p, 0, beta) - beta * fs[k], 1e-9);
                for (int i = 0; i <= 4000; i++) {
                    double b = low + (high - low) * i / 4000;
                    grid = fmax(grid, scant_i_med_phi(&p, 0, b) - b * fs[k]);
                }
                assert_true(grid <= best + 1e-12);
                assert_true(grid >= best - 0.05);
            }
}

/* The soft tube: a multiplier is 0 while the residual is below the prior mean of the margin. */
static void test_tube_width(void **state)
{
    const double level[] = {0},
                 mean = (EPSILON * EPSILON / 2 + EPSILON / C + 1 / (C * C)) / (EPSILON + 1 / C);
    const scant_i_med_potential p = {&scant_i_med_tube, {C, EPSILON}, 1, level, NULL, NULL};
    double beta;
    (void)state;
    (void)scant_i_med_conjugate(&beta, &p, 0, mean - 1e-9);
    assert_true(beta == 0);
    (void)scant_i_med_conjugate(&beta, &p, 0, mean + 1e-6);
    assert_true(beta < 0);
    (void)scant_i_med_conjugate(&beta, &p, 0, -mean - 1e-6);
    assert_true(beta > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integrals), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_conjugates), cmocka_unit_test(test_tube_width)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
