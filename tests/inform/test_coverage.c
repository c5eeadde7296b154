/* Intervals of two standard errors hold the truth as often as they say, and standard errors are the
 * spread of the estimates: 100 fits of 2000 rows, with no labels, a fifth of them, all of them, and
 * with contexts that weigh the proportions (WCA) or replace them (CA). A fit that gives no standard
 * errors counts as a miss. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { N = 2000, FITS = 100, TOLD = 6 };

static const double WEIGHT = 0.6, MEAN[2] = {0, 3.2}, VARIANCE[2] = {1, 1.5625};
static const char *const NAME[TOLD] = {"weight 1", "weight 2",   "mean 1",
                                       "mean 2",   "variance 1", "variance 2"};

/* What is told of a row's class: its label with probability `labelled`; else a context that names
 * the right class with probability RIGHT. */
typedef struct evidence {
    const char *what;
    double labelled;
    const char *mode; /* of contexts; NULL: there are none */
    size_t first;     /* of NAME: what is estimated at all */
} evidence;
static const double RIGHT = 0.8;

/* Probabilities that a context for class c tells: P(c | k) where they weigh, P(k | c) where they
 * replace. */
static void write_context(char *cell, size_t size, size_t c, bool replace)
{
    double a = (c == 0 ? RIGHT : 1 - RIGHT) * (replace ? WEIGHT : 1);
    double b = (c == 1 ? RIGHT : 1 - RIGHT) * (replace ? 1 - WEIGHT : 1);
    (void)snprintf(cell, size, "a:%.17g;b:%.17g", a / (a + b), b / (a + b));
}

static scant_rows *draw(const evidence *told, uint64_t seed)
{
    static double x[N];
    static const char *cells[N];
    static const char *const names[2] = {"a", "b"};
    static char context[2][64];
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 9);
    for (size_t c = 0; c < 2 && told->mode; c++)
        write_context(context[c], sizeof context[c], c, strcmp(told->mode, "prior") == 0);
    for (size_t i = 0; i < N; i++) {
        size_t j = scant_i_random_uniform(&random) < WEIGHT ? 0 : 1;
        x[i] = MEAN[j] + sqrt(VARIANCE[j]) * scant_i_random_normal(&random);
        cells[i] = scant_i_random_uniform(&random) < told->labelled ? names[j] : "";
        if (told->mode)
            cells[i] = context[scant_i_random_uniform(&random) < RIGHT ? j : 1 - j];
    }
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    if (told->labelled > 0 || told->mode)
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

static void check_coverage(const evidence *told)
{
    static const double truth[TOLD] = {0.6, 0.4, 0, 3.2, 1, 1.5625};
    size_t held[TOLD] = {0};
    double sum[TOLD] = {0}, square[TOLD] = {0}, said[TOLD] = {0};
    for (uint64_t fit = 0; fit < FITS; fit++) {
        scant_rows *rows = draw(told, 500 + fit);
        scant_model *model = NULL;
        scant_fit_options options;
        scant_fit_options_preset(&options);
        options.model.components = told->labelled > 0 || told->mode ? "1/class" : "2";
        if (told->mode)
            options.evidence.context_mode = told->mode;
        options.run.starts = 2;
        options.run.threads = 1;
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
    for (size_t t = told->first; t < TOLD; t++) {
        double mean = sum[t] / FITS, spread = sqrt(square[t] / FITS - mean * mean);
        /* 100 trials at 95 %: fewer than 88 have probability 0.004 */
        if (held[t] < 88)
            fail_msg("%s, %s: %zu of %d intervals hold it", NAME[t], told->what, held[t], FITS);
        /* the spread itself is known to 7 % */
        if (!(fabs(said[t] / FITS / spread - 1) < 0.2))
            fail_msg("%s, %s: standard error %g, spread %g", NAME[t], told->what, said[t] / FITS,
                     spread);
    }
}

static void intervals_cover(void **state)
{
    check_coverage(*state);
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
    options.model.components = "2";
    options.run.init = "random";
    options.run.starts = 1;
    options.run.max_iter = 0;
    options.model.covariance = "tied";
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
    static evidence none = {"no labels", 0, NULL, 0}, few = {"a fifth of the labels", 0.2, NULL, 0};
    static evidence all = {"all labels", 1, NULL, 0}, weighing = {"WCA", 0, "likelihood", 0};
    static evidence replacing = {"CA, in which proportions are no parameters", 0, "prior", 2};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(intervals_cover, &none),
        cmocka_unit_test_prestate(intervals_cover, &few),
        cmocka_unit_test_prestate(intervals_cover, &all),
        cmocka_unit_test_prestate(intervals_cover, &weighing),
        cmocka_unit_test_prestate(intervals_cover, &replacing),
        cmocka_unit_test(what_rows_do_not_tell_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
