/* Exact optima of small problems, known to nine digits from another solver; the gap is taken again from the multipliers. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "med_cases.h"

typedef struct optimum {
    double c, bias_variance, J, b;
} optimum;

static const char CRABS[] = SCANT_EXAMPLES "/crabs.csv", IRIS[] = SCANT_TEST_DATA "/iris.csv";
static const char *const COLUMNS = "FL,RW,CL,CW,BD";

static void same(double found, double wanted, double relative)
{
    if (!(fabs(found - wanted) <= relative * fmax(1, fabs(wanted))))
        fail_msg("found %.10g, wanted %.10g", found, wanted);
}

static void check(const med_table *table, const optimum *o, const char *margin, double epsilon,
                  double rho, const scant_i_med_kernel *kernel, const char *solver, double tol)
{
    med_case c;
    double J, P;
    med_case_new(&c, table, margin, o->c, epsilon, rho, o->bias_variance, kernel);
    med_case_solve(&c, tol, solver);
    same(c.solution.certificate.dual, o->J, 1e-6);
    if (!isnan(o->b) && tol < 1e-8) /* the bias is known to the root of the gap */
        same(c.solution.certificate.bias, o->b, 2e-6);
    med_naive(&J, &P, table, c.solution.beta, o->c, epsilon, rho, o->bias_variance, kernel);
    same(J, o->J, 1e-6);
    double scale = fmax(1, fabs(J));
    if (!(P - J >= -1e-9 * scale && P - J <= tol * scale + 1e-9 * scale))
        fail_msg("gap %g at J %.9g (said: %g)", P - J, J, c.solution.certificate.gap);
    med_case_clear(&c);
}

static void test_iris(void **state)
{
    static const optimum known[] = {{10, -1, .499748683, -.217366}, {100, -1, .606689196, -.240680}};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, IRIS, NULL, "species", "setosa", 0, 100));
    for (size_t k = 0; k < 2; k++) {
        check(&table, &known[k], "exponential", 0, 1, NULL, NULL, 1e-11);
        check(&table, &known[k], "exponential", 0, 1, NULL, "newton", 1e-8);
        check(&table, &known[k], "exponential", 0, 1, &linear, "pairs", 1e-8);
    }
    med_table_clear(&table);
}

static void test_crabs(void **state)
{
    static const optimum flat[] = {{2, -1, 10.2752532, .024794},
                                   {10, -1, 149.6815462, .315198},
                                   {100, -1, 1305.1366368, .968247}};
    static const optimum variance[] = {
        {2, 1, 10.2755570, NAN}, {10, 1, 149.7308166, NAN}, {100, 1, 1305.6053103, NAN}};
    static const optimum rbf = {10, -1, 241.5050584, .186161};
    const scant_i_med_kernel kernel = {.type = SCANT_I_MED_RBF, .gamma = 0.1};
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 0));
    for (size_t k = 0; k < 3; k++) {
        check(&table, &flat[k], "exponential", 0, 1, NULL, NULL, 1e-11);
        check(&table, &variance[k], "exponential", 0, 1, NULL, NULL, 1e-11);
    }
    check(&table, &flat[0], "exponential", 0, 1, &linear, "pairs", 1e-8);
    check(&table, &variance[0], "exponential", 0, 1, NULL, "axis", 1e-8);
    check(&table, &variance[0], "exponential", 0, 1, &linear, "axis", 1e-8);
    check(&table, &rbf, "exponential", 0, 1, &kernel, NULL, 1e-11);
    med_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_iris), cmocka_unit_test(test_crabs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
