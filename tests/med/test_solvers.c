/* Solvers agree with each other, under every prior; gradients of J equal finite differences; the gap is a bound. */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "med_cases.h"

static const char CRABS[] = SCANT_EXAMPLES "/crabs.csv", IRIS[] = SCANT_TEST_DATA "/iris.csv";
static const char *const COLUMNS = "FL,RW,CL,CW,BD";

static double solved(const med_table *table, const char *margin, double c, double rho,
                     double variance, const scant_i_med_kernel *kernel, const char *solver,
                     double tol)
{
    med_case one;
    med_case_new(&one, table, margin, c, 0.2, rho, variance, kernel);
    med_case_solve(&one, tol, solver);
    double J = one.solution.certificate.dual;
    med_case_clear(&one);
    return J;
}

/* The same problem by a method on the primal and by two on the dual. */
static void test_agreement(void **state)
{
    static const char *const margins[] = {"exponential", "laplace", "gaussian"};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 0));
    for (size_t m = 0; m < 3; m++) {
        double newton = solved(&table, margins[m], 3, 1, -1, NULL, "newton", 1e-9);
        double pairs = solved(&table, margins[m], 3, 1, -1, &linear, "pairs", 1e-7);
        med_near(newton, pairs, 2e-7 * fmax(1, fabs(newton)));
        med_near(newton, solved(&table, margins[m], 3, 1, -1, NULL, "axis", 1e-6),
                 2e-6 * fmax(1, fabs(newton)));
        double with_prior = solved(&table, margins[m], 3, 1, 1, NULL, "newton", 1e-9);
        double axis = solved(&table, margins[m], 3, 1, 1, NULL, "axis", 1e-6);
        double greedy = solved(&table, margins[m], 3, 1, 1, &linear, "axis", 1e-6);
        med_near(with_prior, axis, 2e-6 * fmax(1, fabs(newton)));
        med_near(with_prior, greedy, 2e-6 * fmax(1, fabs(newton)));
    }
    double switches = solved(&table, "exponential", 3, 0.1, 1, NULL, "newton", 1e-9);
    med_near(switches, solved(&table, "exponential", 3, 0.1, 1, NULL, "axis", 1e-6),
             2e-6 * fmax(1, fabs(switches)));
    switches = solved(&table, "exponential", 3, 0.1, -1, NULL, "newton", 1e-9);
    med_near(switches, solved(&table, "exponential", 3, 0.1, -1, NULL, "axis", 1e-6),
             2e-6 * fmax(1, fabs(switches)));
    med_table_clear(&table);
}

/* Regression: kernels and features, three solvers. */
static void test_regression(void **state)
{
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "BD", NULL, 0, 0));
    double newton = solved(&table, "tube", 5, 1, -1, NULL, "newton", 1e-9);
    double pairs = solved(&table, "tube", 5, 1, -1, &linear, "pairs", 1e-7);
    med_near(newton, pairs, 2e-7 * fabs(newton));
    newton = solved(&table, "tube", 5, 0.1, 1, NULL, "newton", 1e-9);
    med_near(newton, solved(&table, "tube", 5, 0.1, 1, NULL, "axis", 1e-6), 2e-6 * fabs(newton));
    med_table_clear(&table);
}

/* dJ / dbeta_t = phi' - f - b, against differences of J. */
static void test_gradient(void **state)
{
    const double h = 1e-6;
    med_table table;
    med_case c;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 40));
    med_case_new(&c, &table, "exponential", 3, 0, 0.2, 0.7, NULL);
    scant_i_random random = scant_i_random_new(5, 0);
    double *beta = c.solution.beta;
    for (size_t t = 0; t < 40; t++)
        beta[t] = table.side[t] * 2.5 * scant_i_random_uniform(&random);
    assert_ok(scant_i_med_evaluate(&c.solution, &c.problem));
    double f[40], b = c.solution.certificate.bias;
    memcpy(f, c.solution.f, sizeof f);
    for (size_t t = 0; t < 40; t++) {
        double at = beta[t], above, below;
        beta[t] = at + h;
        assert_ok(scant_i_med_evaluate(&c.solution, &c.problem));
        above = c.solution.certificate.dual;
        beta[t] = at - h;
        assert_ok(scant_i_med_evaluate(&c.solution, &c.problem));
        below = c.solution.certificate.dual;
        beta[t] = at;
        double slope = scant_i_med_up(&c.problem.potential, t, at) - f[t] - b;
        med_near(slope, (above - below) / (2 * h), 1e-5 * (1 + fabs(slope)));
    }
    med_case_clear(&c);
    med_table_clear(&table);
}

/* J* lies between J and P wherever the multipliers are. */
static void test_bound(void **state)
{
    med_table table;
    med_case c;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 0));
    double J = solved(&table, "exponential", 3, 1, -1, NULL, NULL, 1e-10);
    scant_i_random random = scant_i_random_new(7, 0);
    med_case_new(&c, &table, "exponential", 3, 0, 1, -1, NULL);
    for (int draw = 0; draw < 200; draw++) {
        double sum[2] = {0}, *beta = c.solution.beta;
        for (size_t t = 0; t < table.n; t++)
            sum[table.side[t] > 0] += beta[t] =
                2 * scant_i_random_uniform(&random) * (scant_i_random_uniform(&random) < 0.3);
        for (size_t t = 0; t < table.n; t++) /* sum y lambda = 0 */
            beta[t] *= table.side[t] * fmin(sum[0], sum[1]) / sum[table.side[t] > 0];
        assert_ok(scant_i_med_evaluate(&c.solution, &c.problem));
        const scant_i_med_certificate *found = &c.solution.certificate;
        assert_true(found->gap > 0 && found->dual <= J + 1e-9 && found->primal >= J - 1e-9);
    }
    med_case_clear(&c);
    med_table_clear(&table);
}

/* Rows of weight 3 are three rows. */
static void test_weights(void **state)
{
    enum { EACH = 60 };
    med_table table, thrice;
    med_case weighed, copied;
    double weight[EACH];
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 20, EACH));
    thrice = (med_table){3 * EACH, table.d, calloc(3 * EACH * table.d, sizeof(double)),
                         calloc(3 * EACH, sizeof(double)), calloc(3 * EACH, 1)};
    for (size_t t = 0; t < 3 * EACH; t++) {
        memcpy(thrice.x + t * table.d, table.x + t % EACH * table.d, table.d * sizeof(double));
        thrice.y[t] = table.y[t % EACH];
        thrice.side[t] = table.side[t % EACH];
        weight[t % EACH] = 3;
    }
    med_case_new(&weighed, &table, "exponential", 3, 0, 1, -1, NULL);
    weighed.problem.potential.weight = weight;
    med_case_new(&copied, &thrice, "exponential", 3, 0, 1, -1, NULL);
    med_case_solve(&weighed, 1e-10, NULL);
    med_case_solve(&copied, 1e-10, NULL);
    med_near(weighed.solution.certificate.dual, copied.solution.certificate.dual, 1e-8);
    med_near(weighed.solution.certificate.bias, copied.solution.certificate.bias, 1e-5);
    med_case_clear(&weighed);
    med_case_clear(&copied);
    med_table_clear(&table);
    med_table_clear(&thrice);
}

/* c <= 1: all multipliers are 0. */
static void test_small_c(void **state)
{
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, IRIS, NULL, "species", "setosa", 0, 100));
    for (double c = 0.3; c <= 1; c += 0.35) {
        med_case one;
        med_case_new(&one, &table, "exponential", c, 0, 1, -1, NULL);
        med_case_solve(&one, 1e-9, NULL);
        for (size_t t = 0; t < table.n; t++)
            assert_true(one.solution.beta[t] == 0);
        assert_true(one.solution.certificate.dual == 0);
        med_case_clear(&one);
    }
    med_table_clear(&table);
}

/* With w of the largest margin, J is |w|^2 / 2 - |w|^2 / c but for terms of higher order; fixed margins are the limit. */
static void test_large_c(void **state)
{
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, IRIS, NULL, "species", "setosa", 0, 100));
    double hard = solved(&table, "fixed", 1, 1, -1, &linear, "pairs", 1e-9);
    for (double c = 1e2; c <= 1e4; c *= 1e2) {
        double J = solved(&table, "exponential", c, 1, -1, NULL, NULL, 1e-9);
        med_near(hard - J, 2 * hard / c, 0.05 * 2 * hard / c);
    }
    double nearly = solved(&table, "exponential", 1e6, 1, -1, NULL, NULL, 1e-8);
    med_near(hard, nearly, 1e-5);
    med_table_clear(&table);
}

/* Every solver's exit that says converged: the default at 1e-8, one axis at a time at 1e-6. */
static void test_tolerances(void **state)
{
    static const struct {
        const char *path, *features, *label, *positive;
    } sets[] = {{CRABS, COLUMNS, "sex", "M"},
                {SCANT_SHARED_DATA "/heart/heart_statlog.csv", NULL, "class", "present"},
                {SCANT_SHARED_DATA
                 "/breast_cancer_wisconsin_original/breast_cancer_wisconsin_original.csv",
                 "Cl.thickness,Cell.size,Cell.shape,Marg.adhesion,Epith.c.size,Bl.cromatin,"
                 "Normal.nucleoli,Mitoses",
                 "Class", "malignant"}};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR},
                             rbf = {.type = SCANT_I_MED_RBF, .gamma = 0.1};
    size_t seen = 0;
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        med_table table;
        if (!med_table_read(&table, sets[k].path, sets[k].features, sets[k].label, sets[k].positive,
                            0, 0))
            continue;
        seen++;
        double flat = solved(&table, "exponential", 3, 1, -1, NULL, NULL, 1e-8);
        med_near(flat, solved(&table, "exponential", 3, 1, -1, &linear, "pairs", 1e-8),
                 1e-8 * fmax(1, fabs(flat)));
        (void)solved(&table, "exponential", 3, 1, -1, &rbf, NULL, 1e-8);
        double prior = solved(&table, "exponential", 3, 1, 1, NULL, NULL, 1e-8);
        med_near(prior, solved(&table, "exponential", 3, 1, 1, NULL, "axis", 1e-6),
                 1e-6 * fmax(1, fabs(prior)));
        (void)solved(&table, "exponential", 3, 1, 1, &rbf, "axis", 1e-6);
        med_table_clear(&table);
    }
    if (seen < sizeof sets / sizeof *sets)
        skip(); /* the others are not here */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement), cmocka_unit_test(test_regression),
        cmocka_unit_test(test_gradient),  cmocka_unit_test(test_bound),
        cmocka_unit_test(test_weights),   cmocka_unit_test(test_small_c),
        cmocka_unit_test(test_large_c),   cmocka_unit_test(test_tolerances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
