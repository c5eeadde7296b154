/* What families refuse: cells outside their domain, named by row and column, and parameters. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"

static const struct {
    const scant_i_family *family;
    double x;
    const char *says;
} bad_cells[] = {
    {&scant_i_bernoulli, 0.5, "expected 0 or 1, not 0.5"},
    {&scant_i_bernoulli, -1, "expected 0 or 1, not -1"},
    {&scant_i_poisson, -2, "expected a count: 0, 1, 2, ..., not -2"},
    {&scant_i_poisson, 1.5, "expected a count: 0, 1, 2, ..., not 1.5"},
    {&scant_i_poisson, INFINITY, "not inf"},
    {&scant_i_exponential, -0.25, "expected a number from 0 to 1e100, not -0.25"},
    {&scant_i_maxwell, 0, "expected a number above 0 (1e-100 to 1e100), not 0"},
    {&scant_i_gamma, 0, "expected a number above 0 (1e-100 to 1e100), not 0"},
    {&scant_i_gamma, -3, "not -3"},
    {&scant_i_multinomial, -1, "expected a count from 0 to 1e100, not -1"},
    {&scant_i_multinomial, NAN, "not nan"},
    {&scant_i_categorical, 3, "expected one of 3 categories, not 3"},
    {&scant_i_categorical, -1, "expected one of 3 categories, not -1"},
    {&scant_i_regression, INFINITY, "expected a number within -1e100 and 1e100, not inf"},
    {&scant_i_regression, NAN, "an input of a regression must not be missing"},
};

static void says(const char *text)
{
    if (!strstr(scant_message(), text))
        fail_msg("\"%s\" does not say \"%s\"", scant_message(), text);
}

static void test_cells(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bad_cells / sizeof *bad_cells; k++) {
        const family_case *one = family_case_of(bad_cells[k].family);
        scant_i_random random = scant_i_random_new(31, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        double *x = case_rows(one, factor, 9, &random);
        scant_rows rows = {.nrows = 9, .ncolumns = one->ncolumns, .dense = x};
        assert_int_equal(one->family->validate(factor, ALL_ROWS(&rows)), SCANT_OK);
        x[7 * one->ncolumns + 2] = bad_cells[k].x;
        assert_int_equal(one->family->validate(factor, ALL_ROWS(&rows)), SCANT_ERR_INPUT);
        says("row 8, column x3: ");
        says(bad_cells[k].says);
        scant_rows compressed = sparse_rows(x, 9, one->ncolumns);
        if (one->family->sparse) {
            assert_int_equal(one->family->validate(factor, ALL_ROWS(&compressed)), SCANT_ERR_INPUT);
            says("row 8, column x3: ");
        } else if (one->family != &scant_i_regression) {
            assert_int_equal(one->family->validate(factor, ALL_ROWS(&compressed)), SCANT_ERR_INPUT);
            says("does not take sparse rows");
        }
        free_sparse(&compressed);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* Missing cells are no fault where the family can do without them. */
static void test_missing(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(32, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        double *x = case_rows(one, factor, 9, &random);
        scant_rows rows = {.nrows = 9, .ncolumns = one->ncolumns, .dense = x};
        x[4 * one->ncolumns] = NAN;
        assert_int_equal(one->family->validate(factor, ALL_ROWS(&rows)),
                         one->family->needs_all_cells ? SCANT_ERR_INPUT : SCANT_OK);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

static void test_parameters(void **state)
{
    (void)state;
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(33, k);
        scant_i_factor *factor = case_factor(one, 3, NULL, &random);
        scant_i_parameter parameters[SCANT_I_PARAMETERS_MAX];
        size_t n = one->family->parameters(factor, parameters), total = 0;
        assert_int_equal(one->family->check(factor), SCANT_OK);
        for (size_t a = 0; a < n; a++) {
            size_t width = parameters[a].ndim > 1 ? parameters[a].dim[1] : 1;
            assert_int_equal(parameters[a].offset, total);
            total += 3 * width;
            double *at = factor->theta + parameters[a].offset + width, kept = *at;
            for (int bad = 0; bad < 3; bad++) {
                *at = bad == 0 ? NAN : bad == 1 ? -INFINITY : -1;
                if (bad == 2 && strcmp(parameters[a].name, "coefficients") == 0)
                    continue;
                assert_int_equal(one->family->check(factor), SCANT_ERR_INPUT);
                says("component 2");
                assert_int_equal(one->family->pass->prepare(factor), SCANT_ERR_INPUT);
            }
            *at = kept;
        }
        assert_int_equal(total, factor->ntheta);
        assert_int_equal(one->family->pass->prepare(factor), SCANT_OK);
        assert_true(one->family->degrees(factor) <= factor->ntheta);
        scant_i_factor_free(factor);
    }
}

static void test_natural_of_zero(void **state)
{
    (void)state;
    const scant_i_family *families[] = {&scant_i_bernoulli, &scant_i_multinomial,
                                        &scant_i_categorical};
    for (size_t k = 0; k < 3; k++) {
        double eta[16];
        const family_case *one = family_case_of(families[k]);
        scant_i_random random = scant_i_random_new(34, k);
        scant_i_factor *factor = case_factor(one, 2, NULL, &random);
        factor->theta[0] = 0;
        assert_int_equal(one->family->natural->eta(factor, 0, eta), SCANT_ERR_INPUT);
        says("has no natural parameter");
        scant_i_factor_free(factor);
    }
}

static void test_settings(void **state)
{
    (void)state;
    scant_i_factor *factor = NULL;
    size_t columns[] = {0, 1};
    scant_i_family_settings settings = {.target = 2};
    assert_int_equal(
        scant_i_factor_new(&factor, &scant_i_regression, &settings, 1, columns, NULL, 2),
        SCANT_ERR_ARGUMENT);
    says("target 3 is not one of its 2 columns");
    assert_null(factor);
    assert_int_equal(
        scant_i_factor_new(&factor, &scant_i_categorical, &settings, 1, columns, NULL, 2),
        SCANT_ERR_ARGUMENT);
    says("column 1 is a number, not a category");
}

/* The total of a multinomial sample is what x[0] held, 100 where it held none. */
static void test_trials(void **state)
{
    (void)state;
    const family_case *one = family_case_of(&scant_i_multinomial);
    scant_i_random random = scant_i_random_new(35, 0);
    scant_i_factor *factor = case_factor(one, 1, NULL, &random);
    const double given[] = {7, 0, NAN}, want[] = {7, 100, 100};
    for (size_t k = 0; k < 3; k++) {
        double x[5] = {given[k]}, sum = 0;
        assert_int_equal(one->family->sample(factor, 0, &random, x), SCANT_OK);
        for (size_t c = 0; c < 5; c++)
            sum += x[c];
        assert_true(sum == want[k]);
    }
    scant_i_factor_free(factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),      cmocka_unit_test(test_missing),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_natural_of_zero),
        cmocka_unit_test(test_settings),   cmocka_unit_test(test_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
