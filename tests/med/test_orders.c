/* Orders of axes: they reach the optimum, and how many steps they take to a hundredth of it, compared with random ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "med/order.h"
#include "med_cases.h"

static void new_sparse(med_table *out)
{
    enum { ROWS = 100, COLUMNS = 50 };
    const double FILLED = 0.1, NOISE = 0.3;
    scant_i_random random = scant_i_random_new(11, 0);
    double w[COLUMNS];
    *out = (med_table){ROWS, COLUMNS, calloc((size_t)ROWS * COLUMNS, sizeof(double)),
                       calloc(ROWS, sizeof(double)), calloc(ROWS, 1)};
    for (size_t i = 0; i < COLUMNS; i++)
        w[i] = scant_i_random_normal(&random);
    for (size_t t = 0; t < ROWS; t++) {
        double f = NOISE * scant_i_random_normal(&random);
        for (size_t i = 0; i < COLUMNS; i++) {
            double cell =
                scant_i_random_uniform(&random) < FILLED ? scant_i_random_normal(&random) : 0;
            out->x[t * COLUMNS + i] = cell;
            f += w[i] * cell;
        }
        out->side[t] = f > 0 ? 1 : -1;
        out->y[t] = out->side[t];
    }
}

/* Steps until J is within a hundredth of J* - J(0) of J*, in the mean over seeds; or 200 n steps. */
static double steps_of(const char *name, const scant_i_med_problem *problem, double J0, double best,
                       uint64_t seeds)
{
    enum { MOST = 200 };
    size_t most = MOST * problem->space->n;
    double *J = calloc(most, sizeof *J), enough = best - 0.01 * (best - J0), mean = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        size_t steps = most;
        assert_ok(
            scant_i_med_axis_trace(J, &steps, problem, scant_i_med_order_find(name), enough, seed));
        for (size_t i = 1; i < steps; i++) /* no step lowers J */
            assert_true(J[i] >= J[i - 1] - 1e-9 * (1 + fabs(J[i])));
        assert_true(J[steps - 1] <= best + 1e-6 * fabs(best));
        mean += (double)steps / (double)seeds;
    }
    free(J);
    return mean;
}

static void compare(const char *what, med_case *c, uint64_t seeds)
{
    scant_i_med_solution zero;
    assert_ok(scant_i_med_solution_new(&zero, c->space.n));
    assert_ok(scant_i_med_evaluate(&zero, &c->problem));
    med_case_solve(c, 1e-9, NULL);
    double J0 = zero.certificate.dual, best = c->solution.certificate.dual, random = 0;
    for (size_t i = 0; scant_i_med_orders[i]; i++) {
        const char *name = scant_i_med_orders[i]->name;
        double steps = steps_of(name, &c->problem, J0, best, seeds);
        random = i == 0 ? steps : random;
        printf("%s, %s: %.0f steps, %.2f of random\n", what, name, steps, steps / random);
        double most = strcmp(name, "learned") == 0     ? 0.7
                      : strcmp(name, "skip-idle") == 0 ? 0.5
                      : strcmp(name, "greedy") == 0    ? 0.2
                                                       : INFINITY;
        if (!(steps <= most * random))
            fail_msg("%s, %s: %.2f of random's steps", what, name, steps / random);
    }
    scant_i_med_solution_clear(&zero);
}

static void test_sparse(void **state)
{
    med_table table;
    med_case c;
    (void)state;
    new_sparse(&table);
    med_case_new(&c, &table, "exponential", 5, 0, 1, 1, NULL);
    compare("sparse 100 x 50", &c, 8);
    med_case_clear(&c);
    med_table_clear(&table);
}

static void test_boston(void **state)
{
    med_table table;
    med_case c;
    (void)state;
    if (!med_table_read(&table, SCANT_SHARED_DATA "/boston/boston.csv", NULL, "medv", NULL, 0, 0))
        skip();
    med_case_new(&c, &table, "tube", 5, .2, .01, 1, NULL);
    compare("Boston", &c, 2);
    med_case_clear(&c);
    med_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sparse),
                                       cmocka_unit_test(test_boston)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
