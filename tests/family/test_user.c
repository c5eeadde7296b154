/* Families that a program registers: written as built-in ones they give the same fits, whatever the
 * evidence, the weights and the threads; what they refuse reaches the caller in their own words. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "check.h"
#include "failing.h"
#include "data/rows.h"
#include "family/family.h"
#include "user_families.h"
#include "scratch.h"
#include "small_rows.h"

enum { MANY = 6000, FEW = 400 };

/* --- fits --- */

static int register_both(void **state)
{
    (void)state;
    return scant_family_register(&waiting) != SCANT_OK || scant_family_register(&pair) != SCANT_OK;
}

static scant_rows *rows_of(small_kind kind, size_t n, bool missing, bool labels)
{
    small_kind kinds[2] = {kind, kind};
    return small_rows(&(small_plan){.n = n,
                                    .kind = kinds,
                                    .ncolumns = 2,
                                    .labels = labels,
                                    .weights = true,
                                    .missing = missing});
}

static scant_status try_fit(scant_model **out, const scant_rows *rows, const char *family,
                            size_t threads, size_t max_iter)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){&family, 1};
    options.model.components = "4";
    options.run.starts = 2;
    options.run.tol = 0;
    options.run.max_iter = max_iter;
    options.run.threads = threads;
    return scant_fit(out, rows, &options);
}

static scant_model *fit(const scant_rows *rows, const char *family, size_t threads, size_t max_iter)
{
    scant_model *model = NULL;
    assert_ok(try_fit(&model, rows, family, threads, max_iter));
    return model;
}

static void near(double a, double b, double share)
{
    if (!(fabs(a - b) <= share * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static void same_parameters(const scant_model *own, const scant_model *built_in, size_t index)
{
    scant_parameter_view a, b;
    assert_true(scant_model_parameter(own, 0, index, &a));
    assert_true(scant_model_parameter(built_in, 0, index, &b));
    assert_string_equal(a.name, b.name);
    assert_int_equal(a.ndim, b.ndim);
    size_t n = 1;
    for (size_t k = 0; k < a.ndim; k++)
        n *= a.dim[k];
    for (size_t k = 0; k < n; k++)
        near(a.value[k], b.value[k], 1e-10);
}

static void same_predictions(const scant_model *own, const scant_model *built_in,
                             const scant_rows *rows)
{
    size_t n = scant_rows_count(rows);
    double *p = calloc(6 * n, sizeof *p), *q = p + 3 * n;
    assert_non_null(p);
    scant_predict_options options = {.size = sizeof options, .threads = 2};
    assert_ok(scant_model_predict(own, rows, &options, p, NULL, NULL, p + 2 * n));
    assert_ok(scant_model_predict(built_in, rows, &options, q, NULL, NULL, q + 2 * n));
    for (size_t k = 0; k < 3 * n; k++)
        near(p[k], q[k], 1e-10);
    free(p);
}

static void compare(const char *own, const char *built_in, small_kind kind, bool missing)
{
    scant_rows *rows = rows_of(kind, FEW, missing, true);
    scant_model *a = fit(rows, own, 2, 30), *b = fit(rows, built_in, 2, 30);
    const scant_summary *s = scant_model_summary(a), *t = scant_model_summary(b);
    near(s->loglik, t->loglik, 1e-10);
    near(s->bic, t->bic, 1e-10);
    assert_int_equal(s->parameters, t->parameters);
    assert_int_equal(s->best_start, t->best_start);
    same_parameters(a, b, 0);
    same_predictions(a, b, rows);
    scant_model_free(a);
    scant_model_free(b);
    scant_rows_free(rows);
}

static void equals_built_in(void **state)
{
    (void)state;
    compare("waiting", "exponential", SMALL_POSITIVE, false);
    compare("waiting", "exponential", SMALL_POSITIVE, true);
    compare("pair", "gaussian", SMALL_NUMBERS, false);
}

/* Starts differ where cells are missing, the maximum does not; and no step goes down. */
static void integrates_missing_cells_out(void **state)
{
    (void)state;
    scant_rows *rows = rows_of(SMALL_NUMBERS, FEW, true, true);
    scant_model *a = fit(rows, "pair", 1, 3000), *b = fit(rows, "gaussian", 1, 3000);
    size_t count;
    const double *trace = scant_model_trace(a, &count);
    for (size_t t = 1; t < count; t++)
        assert_true(trace[t] >= trace[t - 1] - 1e-12);
    near(scant_model_summary(a)->loglik, scant_model_summary(b)->loglik, 1e-8);
    scant_model_free(a);
    scant_model_free(b);
    scant_rows_free(rows);
}

static void mixes_with_others(void **state)
{
    (void)state;
    const char *own[] = {"waiting:x1", "gaussian:x2"}, *known[] = {"exponential:x1", "gaussian:x2"};
    double loglik[2];
    scant_rows *rows = rows_of(SMALL_POSITIVE, FEW, false, true);
    for (size_t k = 0; k < 2; k++) {
        scant_model *model = NULL;
        scant_fit_options options;
        scant_fit_options_preset(&options);
        options.model.families = (scant_texts){k ? known : own, 2};
        options.run.tol = 0;
        options.run.max_iter = 20;
        assert_ok(scant_fit(&model, rows, &options));
        loglik[k] = scant_model_summary(model)->loglik;
        scant_model_free(model);
    }
    near(loglik[0], loglik[1], 1e-10);
    scant_rows_free(rows);
}

static void same_bytes_for_any_threads(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 7};
    scant_rows *rows = rows_of(SMALL_POSITIVE, MANY, true, true);
    char *text[3];
    for (size_t k = 0; k < 3; k++) {
        scant_model *model = fit(rows, "waiting", threads[k], 8);
        assert_ok(scant_model_write(model, scratch_path("model.json")));
        text[k] = scratch_load(scratch_path("model.json"));
        scant_model_free(model);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
    for (size_t k = 0; k < 3; k++)
        free(text[k]);
    scant_rows_free(rows);
}

/* --- files --- */

static void is_found_in_files_by_name(void **state)
{
    (void)state;
    scant_rows *rows = rows_of(SMALL_POSITIVE, FEW, false, true);
    scant_model *model = fit(rows, "waiting", 1, 8), *again = NULL;
    assert_ok(scant_model_write(model, scratch_path("own.json")));
    assert_ok(scant_model_read(&again, scratch_path("own.json")));
    assert_string_equal(scant_model_factor_family(again, 0), "waiting");
    same_predictions(again, model, rows);
    scant_model_free(again);

    char *text = scratch_load(scratch_path("own.json"));
    for (char *at = text; (at = strstr(at, "\"waiting\"")); at++)
        memcpy(at, "\"unknown\"", 9);
    assert_fails(scant_model_read(&again, scratch_text("unknown.json", text)), SCANT_ERR_INPUT,
                 "family 'unknown' is unknown: not of this version, nor registered");
    free(text);
    text = scratch_load(scratch_path("own.json"));
    char *sign = strstr(text, "\"means\"");
    assert_non_null(sign);
    while (*sign < '0' || *sign > '9')
        sign++;
    sign[-1] = '-';
    assert_fails(scant_model_read(&again, scratch_text("bad.json", text)), SCANT_ERR_INPUT,
                 "family waiting, component 1: a mean is not positive");
    free(text);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* --- what it cannot do, it says --- */

static void draws_or_says_that_it_cannot(void **state)
{
    (void)state;
    scant_rows *rows = rows_of(SMALL_POSITIVE, FEW, false, true), *drawn = NULL;
    scant_model *model = fit(rows, "waiting", 1, 8);
    assert_ok(scant_model_sample(&drawn, model, 10, 3, false));
    for (size_t i = 0; i < 10; i++)
        assert_true(scant_rows_value(drawn, i, 0) > 0);
    scant_rows_free(drawn);
    assert_fails(scant_model_inform(model, rows, 1), SCANT_ERR_ARGUMENT,
                 "family waiting has no derivatives");
    scant_scores scores;
    scant_predict_options options = {.size = sizeof options, .threads = 1};
    assert_fails(scant_model_scores(&scores, model, rows, NULL, &options), SCANT_ERR_ARGUMENT,
                 "no derivatives");
    scant_model_free(model);
    scant_rows_free(rows);

    rows = rows_of(SMALL_NUMBERS, FEW, false, false);
    model = fit(rows, "pair", 1, 8);
    assert_fails(scant_model_sample(&drawn, model, 10, 3, false), SCANT_ERR_ARGUMENT,
                 "family pair was registered without a way to draw rows");
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Means of exponential waiting times have the standard error m / sqrt(n). */
static void has_standard_errors_by_bootstrap(void **state)
{
    (void)state;
    enum { N = 400 };
    double x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = -3 * log(((double)i + 0.5) / N);
    const char *family = "waiting";
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){&family, 1};
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    assert_ok(scant_fit(&model, rows, &options));
    assert_ok(scant_model_bootstrap(model, rows, &options, 300));
    near(scant_model_parameter_errors(model, 0, 0)[0] / (3 / sqrt(N)), 1, 0.07);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* --- failing --- */

typedef enum failing { IN_DENSITY, IN_SUMS, IN_STEP, NO_NUMBER, UNFIT } failing;
static atomic_int calls;

/* Fails at the 25th call, in a thread or not. */
static const char *fail_late(const scant_family_use *use, failing which)
{
    bool mine = *(const failing *)use->payload == which;
    return mine && atomic_fetch_add(&calls, 1) >= 24 ? "had enough" : NULL;
}

static const char *failing_density(const scant_family_use *use, const double *mean,
                                   const scant_family_cells *cells, double *out)
{
    (void)waiting.log_density(use, mean, cells, out);
    if (*(const failing *)use->payload == NO_NUMBER)
        out[cells->rows - 1] = NAN;
    return fail_late(use, IN_DENSITY);
}

static const char *failing_sums(const scant_family_use *use, const double *mean,
                                const scant_family_cells *cells, const double *weight, double *sums)
{
    (void)waiting.accumulate(use, mean, cells, weight, sums);
    return fail_late(use, IN_SUMS);
}

static const char *failing_step(const scant_family_use *use, double weight, const double *sums,
                                double *mean, bool *bounded)
{
    (void)waiting.maximise(use, weight, sums, mean, bounded);
    if (*(const failing *)use->payload == UNFIT)
        mean[0] = -1;
    return fail_late(use, IN_STEP);
}

static void failures_reach_the_caller(void **state)
{
    (void)state;
    static failing which;
    scant_family family = waiting;
    family.name = "failing";
    family.payload = &which;
    family.log_density = failing_density;
    family.accumulate = failing_sums;
    family.maximise = failing_step;
    assert_ok(scant_family_register(&family));
    scant_rows *rows = rows_of(SMALL_POSITIVE, MANY, false, true);
    for (which = IN_DENSITY; which <= UNFIT; which++)
        for (size_t threads = 1; threads < 3; threads++) {
            scant_model *model = NULL;
            calls = 0;
            assert_fails(try_fit(&model, rows, "failing", threads, 30), SCANT_ERR_INPUT,
                         which == NO_NUMBER ? "component 1: a log density is neither"
                         : which == UNFIT   ? "component 1: a mean is not positive"
                                            : "had enough");
            assert_null(model);
        }
    scant_rows_free(rows);
}

/* The first call of the step fails, which is the first start's. */
static const char *step_failing_once(const scant_family_use *use, double weight, const double *sums,
                                     double *mean, bool *bounded)
{
    (void)waiting.maximise(use, weight, sums, mean, bounded);
    return atomic_fetch_add(&calls, 1) == 0 ? "had enough of one start" : NULL;
}

static void a_failing_start_leaves_the_others(void **state)
{
    (void)state;
    scant_family family = waiting;
    family.name = "failing-once";
    family.maximise = step_failing_once;
    assert_ok(scant_family_register(&family));
    scant_rows *rows = rows_of(SMALL_POSITIVE, MANY, false, true);
    scant_fit_options options;
    const char *families[] = {"failing-once"};
    for (size_t starts = 1; starts < 4; starts++) {
        scant_model *model = NULL;
        scant_fit_options_preset(&options);
        options.model.families = (scant_texts){families, 1};
        options.model.components = "2/class";
        options.run.starts = starts;
        options.run.threads = 1;
        calls = 0;
        if (starts == 1) {
            assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_INPUT, "enough of one start");
        } else {
            assert_ok(scant_fit(&model, rows, &options));
            assert_true(isfinite(scant_model_summary(model)->loglik));
        }
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

static void refuses_rows_outside_its_domain(void **state)
{
    (void)state;
    double x[] = {1, 2, -3, 4, 5, NAN};
    scant_family whole = waiting;
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    whole.name = "whole";
    whole.takes_missing = false;
    assert_ok(scant_family_register(&whole));
    assert_ok(scant_rows_new(&rows, 3, 2, x, NULL));
    assert_fails(try_fit(&model, rows, "waiting", 1, 5), SCANT_ERR_INPUT,
                 "row 2, column x1: expected a time, not -3");
    scant_rows_free(rows);
    x[2] = 3;
    assert_ok(scant_rows_new(&rows, 3, 2, x, NULL));
    assert_fails(try_fit(&model, rows, "whole", 1, 5), SCANT_ERR_INPUT,
                 "row 3, column x2: family whole takes no missing cells");
    assert_fails(try_fit(&model, rows, "wating", 1, 5), SCANT_ERR_ARGUMENT,
                 "'wating' is none of gaussian, multinomial, bernoulli, categorical, poisson, "
                 "exponential, gamma, maxwell, regression, waiting, pair");
    scant_rows_free(rows);
}

static void registration_is_checked(void **state)
{
    (void)state;
    static const scant_family_array twice[] = {{"a", SCANT_FAMILY_NUMBER},
                                               {"a", SCANT_FAMILY_NUMBER}};
    scant_family family = waiting;
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "the name is taken");
    family.name = "gaussian";
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "the name is taken");
    family.name = "a:b";
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "'a:b' is no name");
    family.name = NULL;
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "is no name");
    family.name = "new";
    family.maximise = NULL;
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "must be there");
    family.maximise = waiting.maximise;
    family.nparameters = 5;
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "one to four arrays");
    family.parameters = twice;
    family.nparameters = 2;
    assert_fails(scant_family_register(&family), SCANT_ERR_ARGUMENT, "the same name");
}

/* Sums take either sign; what T has in the mean is not known, and no rows have a weight below 0. */
static void coefficients_of_either_sign(void **state)
{
    (void)state;
    enum { M = 2 };
    const size_t columns[] = {0, 1};
    const double x[] = {1, 2, 3, 5, 8, 13};
    const scant_i_family *family = scant_i_family_find(waiting.name);
    scant_i_factor *factor = NULL;
    assert_ok(
        scant_i_factor_new(&factor, family, &(scant_i_family_settings){0}, M, columns, NULL, 2));
    double R[3 * SCANT_I_LANES] = {2, 1, [SCANT_I_LANES] = -0.5, 4, [2 * SCANT_I_LANES] = -1, -6};
    double wanted[M][5] = {{0}}, got[M * 5] = {0};
    assert_int_equal(family->pass->nstatistics(factor), M * 5);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < M; j++) {
            double r = R[i * SCANT_I_LANES + j];
            wanted[j][0] += r;
            for (size_t c = 0; c < 2; c++) {
                wanted[j][1 + 2 * c] += r;
                wanted[j][2 + 2 * c] += r * x[2 * i + c];
            }
        }
    scant_rows rows = {.nrows = 3, .ncolumns = 2, .dense = (double *)x};
    scant_i_batch batch = scant_i_batch_all(&rows);
    scant_i_block block = {.batch = &batch, .nrows = 3};
    void *scratch = scant_i_calloc(1, family->pass->scratch(factor, 3, false));
    assert_non_null(scratch);
    assert_ok(family->pass->accumulate(factor, &block, R, got, scratch));
    for (size_t k = 0; k < M * 5; k++)
        near(got[k], wanted[k / 5][k % 5], 1e-15);

    assert_null(family->pass->anchor);
    assert_fails(family->pass->maximise(factor, got), SCANT_ERR_INPUT,
                 "component 2: its weight is below 0");
    scant_i_free(scratch);
    scant_i_factor_free(factor);
}

static scant_status fit_and_draw(void *payload)
{
    scant_model *model = NULL;
    scant_rows *drawn = NULL;
    scant_status status = try_fit(&model, payload, "waiting", 1, 3);
    if (status == SCANT_OK)
        status = scant_model_sample(&drawn, model, 3, 1, false);
    scant_model_free(model);
    scant_rows_free(drawn);
    return status;
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    scant_rows *rows = rows_of(SMALL_POSITIVE, 30, true, true);
    (void)failing_sweep_strictly(fit_and_draw, rows);
    scant_rows_free(rows);
}

/* One of many at the same time, while others look for what is there. */
static scant_status register_one(size_t task, size_t worker, void *payload)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    scant_family family = waiting;
    (void)worker;
    (void)payload;
    family.name = names[task];
    scant_status status = scant_family_register(&family);
    return status == SCANT_OK && scant_i_family_find(family.name) ? SCANT_OK : SCANT_ERR_INTERNAL;
}

static void threads_may_register(void **state)
{
    (void)state;
    assert_ok(scant_i_parallel(4, 8, register_one, NULL));
    assert_non_null(scant_i_family_find("a"));
    assert_non_null(scant_i_family_find("h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_built_in),
        cmocka_unit_test(integrates_missing_cells_out),
        cmocka_unit_test(mixes_with_others),
        cmocka_unit_test(same_bytes_for_any_threads),
        cmocka_unit_test(is_found_in_files_by_name),
        cmocka_unit_test(draws_or_says_that_it_cannot),
        cmocka_unit_test(has_standard_errors_by_bootstrap),
        cmocka_unit_test(failures_reach_the_caller),
        cmocka_unit_test(a_failing_start_leaves_the_others),
        cmocka_unit_test(refuses_rows_outside_its_domain),
        cmocka_unit_test(registration_is_checked),
        cmocka_unit_test(coefficients_of_either_sign),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(threads_may_register),
    };
    int failed = cmocka_run_group_tests(tests, register_both, NULL);
    scratch_clear();
    return failed;
}
