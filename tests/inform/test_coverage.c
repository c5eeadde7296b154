/* Intervals of two standard errors hold the truth as often as they say, and standard errors are the
 * spread of the estimates: 100 fits of 2000 rows, with no labels and with a fifth of them. A fit
 * that gives no standard errors counts as a miss. */
#include <math.h>
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { N = 2000, FITS = 100, TOLD = 6 };

static const double WEIGHT = 0.6, MEAN[2] = {0, 3.2}, VARIANCE[2] = {1, 1.5625};
static const char *const NAME[TOLD] = {"weight 1", "weight 2",   "mean 1",
                                       "mean 2",   "variance 1", "variance 2"};

static scant_rows *draw(double labelled, uint64_t seed)
{
    static double x[N];
    static const char *cells[N];
    static const char *const names[2] = {"a", "b"};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 9);
    for (size_t i = 0; i < N; i++) {
        size_t j = scant_i_random_uniform(&random) < WEIGHT ? 0 : 1;
        x[i] = MEAN[j] + sqrt(VARIANCE[j]) * scant_i_random_normal(&random);
        cells[i] = scant_i_random_uniform(&random) < labelled ? names[j] : "";
    }
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    if (labelled > 0)
        assert_ok(scant_rows_set_labels(rows, cells, names, 2, NULL));
    return rows;
}

/* Estimates and standard errors in the order of NAME, the component with the lesser mean first. */
static void tell(const scant_model *model, double *value, double *error)
{
    scant_parameter_view means, variances;
    assert_true(scant_model_parameter(model, 0, 0, &means));
    assert_true(scant_model_parameter(model, 0, 1, &variances));
    const double *of_means = scant_model_parameter_errors(model, 0, 0);
    const double *of_variances = scant_model_parameter_errors(model, 0, 1);
    assert_true(of_means && of_variances);
    for (size_t j = 0; j < 2; j++) {
        size_t at = means.value[0] < means.value[1] ? j : 1 - j;
        size_t k = scant_model_classes(model) ? at : 0;
        value[j] = scant_model_coupling(model, at, k);
        error[j] = scant_model_coupling_error(model, at, k);
        value[2 + j] = means.value[at];
        error[2 + j] = of_means[at];
        value[4 + j] = variances.value[at];
        error[4 + j] = of_variances[at];
    }
}

static void check_coverage(double labelled)
{
    static const double truth[TOLD] = {0.6, 0.4, 0, 3.2, 1, 1.5625};
    size_t held[TOLD] = {0};
    double sum[TOLD] = {0}, square[TOLD] = {0}, said[TOLD] = {0};
    for (uint64_t fit = 0; fit < FITS; fit++) {
        scant_rows *rows = draw(labelled, 500 + fit);
        scant_model *model = NULL;
        scant_fit_options options;
        scant_fit_options_preset(&options);
        options.components = labelled > 0 ? "1/class" : "2";
        options.restarts = 2;
        options.threads = 1;
        assert_ok(scant_fit(&model, rows, &options));
        if (scant_model_inform(model, rows, 1) == SCANT_OK) {
            double value[TOLD], error[TOLD];
            tell(model, value, error);
            for (size_t t = 0; t < TOLD; t++) {
                held[t] += fabs(value[t] - truth[t]) <= 1.959963984540054 * error[t];
                sum[t] += value[t];
                square[t] += value[t] * value[t];
                said[t] += error[t];
            }
        }
        scant_model_free(model);
        scant_rows_free(rows);
    }
    for (size_t t = 0; t < TOLD; t++) {
        double mean = sum[t] / FITS, spread = sqrt(square[t] / FITS - mean * mean);
        /* 100 trials at 95 %: fewer than 88 have probability 0.004 */
        if (held[t] < 88)
            fail_msg("%s, %g labelled: %zu of %d intervals hold it", NAME[t], labelled, held[t],
                     FITS);
        /* the spread itself is known to 7 % */
        if (!(fabs(said[t] / FITS / spread - 1) < 0.2))
            fail_msg("%s, %g labelled: standard error %g, spread %g", NAME[t], labelled,
                     said[t] / FITS, spread);
    }
}

static void intervals_cover_without_labels(void **state)
{
    (void)state;
    check_coverage(0);
}

static void intervals_cover_with_few_labels(void **state)
{
    (void)state;
    check_coverage(0.2);
}

/* Two components where one would do: the observed information is singular. */
static void what_rows_do_not_tell_is_said(void **state)
{
    (void)state;
    double x[200];
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options;
    scant_i_random random = scant_i_random_new(3, 3);
    for (size_t i = 0; i < 200; i++)
        x[i] = scant_i_random_normal(&random);
    assert_ok(scant_rows_new(&rows, 200, 1, x, NULL));
    scant_fit_options_preset(&options);
    options.components = "2";
    options.init = "random";
    options.restarts = 1;
    options.max_iter = 0;
    options.covariance = "tied";
    assert_ok(scant_fit(&model, rows, &options));
    scant_parameter_view means;
    assert_true(scant_model_parameter(model, 0, 0, &means));
    double *same = (double *)(uintptr_t)means.value; /* as a file could have them */
    same[0] = same[1] = 0;
    size_t warnings = scant_model_warnings(model);
    assert_fails(scant_model_inform(model, rows, 1), SCANT_ERR_UNIDENTIFIED, "no standard errors");
    assert_int_equal(scant_model_warnings(model), warnings + 1);
    assert_false(scant_model_information(model)->identified);
    assert_null(scant_model_parameter_errors(model, 0, 0));
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_without_labels),
        cmocka_unit_test(intervals_cover_with_few_labels),
        cmocka_unit_test(what_rows_do_not_tell_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
