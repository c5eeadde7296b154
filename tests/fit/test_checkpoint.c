/* A checkpoint goes on with the same bits, and only with the fit it belongs to. */
#include "check.h"

#include <stdlib.h>

#include <scant/scant.h>
#include "scratch.h"
#include "small_rows.h"

enum { N = 24 };

static scant_fit_options preset(void)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2";
    options.run.max_iter = 6;
    options.run.starts = 3;
    options.run.tol = 0;
    options.run.threads = 1;
    options.run.checkpoint = scratch_path("checkpoint.json");
    return options;
}

static int stop_later(const scant_progress_event *event, void *payload)
{
    (void)payload;
    return event->start == 1 && event->iteration == 3;
}

static void cut_short(const scant_rows *rows, scant_fit_options options)
{
    scant_model *model = NULL;
    options.run.progress = stop_later;
    assert_ok(scant_fit(&model, rows, &options));
    assert_int_equal(scant_model_summary(model)->stop, SCANT_STOP_INTERRUPTED);
    scant_model_free(model);
}

static void refuse(const scant_rows *rows, scant_fit_options options)
{
    scant_model *model = NULL;
    options.run.resume = true;
    assert_fails(scant_fit(&model, rows, &options), SCANT_ERR_INPUT, "other data or settings");
}

static void test_same_bits(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 2, .labels = true});
    scant_model *whole = NULL, *resumed = NULL;
    scant_fit_options options = preset();
    options.model.components = "2/class";
    cut_short(rows, options);
    options.run.resume = true;
    assert_ok(scant_fit(&resumed, rows, &options));
    options.run.checkpoint = NULL;
    options.run.resume = false;
    assert_ok(scant_fit(&whole, rows, &options));
    assert_same(scant_model_summary(resumed)->loglik, scant_model_summary(whole)->loglik);
    assert_int_equal(scant_model_summary(resumed)->best_start,
                     scant_model_summary(whole)->best_start);
    scant_model_free(whole);
    scant_model_free(resumed);
    scant_rows_free(rows);
    scratch_clear();
}

static int stop_in_second(const scant_progress_event *event, void *payload)
{
    (void)payload;
    return event->start == 1 && event->iteration == 20;
}

static int count_others(const scant_progress_event *event, void *payload)
{
    *(size_t *)payload += event->start != 1;
    return 0;
}

/* The best start is the second of three, and is cut short after it has gone on at a higher limit. */
static void test_best_goes_on(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 2});
    scant_model *limited = NULL, *cut = NULL, *resumed = NULL;
    scant_fit_options options = preset();
    size_t others = 0;
    options.run.checkpoint_every = 0;
    options.run.seed = 3;
    assert_ok(scant_fit(&limited, rows, &options));
    assert_int_equal(scant_model_summary(limited)->best_start, 1);
    options.run.resume = true;
    options.run.max_iter = 40;
    options.run.progress = stop_in_second;
    assert_ok(scant_fit(&cut, rows, &options));
    assert_int_equal(scant_model_summary(cut)->stop, SCANT_STOP_INTERRUPTED);
    assert_int_equal(scant_model_summary(cut)->iterations, 20);
    options.run.progress = count_others;
    options.run.payload = &others;
    assert_ok(scant_fit(&resumed, rows, &options));
    assert_int_equal(others, 0);
    assert_int_equal(scant_model_summary(resumed)->best_start, 1);
    assert_int_equal(scant_model_summary(resumed)->iterations, 40);
    scant_model_free(limited);
    scant_model_free(cut);
    scant_model_free(resumed);
    scant_rows_free(rows);
    scratch_clear();
}

/* With as many components as columns, two shapes have as many parameters. */
static void test_other_shape(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 2});
    scant_fit_options options = preset();
    options.model.covariance = "spherical";
    cut_short(rows, options);
    options.model.covariance = "tied-diag";
    refuse(rows, options);
    scant_rows_free(rows);
    scratch_clear();
}

/* The same values in other columns. */
static void test_other_columns(void **state)
{
    (void)state;
    size_t start[N + 1];
    int32_t column[N];
    double value[N];
    const char *item[] = {"bernoulli"};
    scant_rows *rows = NULL;
    scant_fit_options options = preset();
    options.model.families = (scant_texts){item, 1};
    for (size_t i = 0; i < N; i++) {
        start[i + 1] = i + 1;
        column[i] = (int32_t)(i % 2);
        value[i] = 1;
    }
    start[0] = 0;
    assert_ok(scant_rows_new_sparse(&rows, N, 3, start, column, value));
    cut_short(rows, options);
    scant_rows_free(rows);
    for (size_t i = 0; i < N; i++)
        column[i] = (int32_t)(i % 3);
    assert_ok(scant_rows_new_sparse(&rows, N, 3, start, column, value));
    refuse(rows, options);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_other_probabilities(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS};
    const char *cells[N];
    scant_rows *rows = small_rows(&(small_plan){.n = N, .kind = numbers, .ncolumns = 1});
    scant_fit_options options = preset();
    options.model.components = "2/class";
    for (size_t i = 0; i < N; i++)
        cells[i] = i % 3 == 0 ? "a:0.7;b:0.3" : i % 2 ? "a" : "b";
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    cut_short(rows, options);
    for (size_t i = 0; i < N; i += 3)
        cells[i] = "a:0.6;b:0.4";
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    refuse(rows, options);
    scant_rows_free(rows);
    scratch_clear();
}

/* Which components are a class's own is not in the coupling, where all are shared. */
static void test_other_sharing(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 2, .labels = true});
    scant_fit_options options = preset();
    options.model.sharing = "lambda=0.3";
    options.model.components = "a=1,b=3";
    cut_short(rows, options);
    options.model.components = "a=3,b=1";
    refuse(rows, options);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_other_noise(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    scant_rows *rows = small_rows(&(small_plan){N, numbers, 2, .labels = true});
    scant_fit_options options = preset();
    options.model.components = "2/class";
    options.evidence.label_noise = scratch_text("noise.csv", "a,b\n0.9,0.1\n0.2,0.8\n");
    cut_short(rows, options);
    options.evidence.label_noise = scratch_text("noise.csv", "a,b\n0.8,0.2\n0.2,0.8\n");
    refuse(rows, options);
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),           cmocka_unit_test(test_best_goes_on),
        cmocka_unit_test(test_other_shape),         cmocka_unit_test(test_other_columns),
        cmocka_unit_test(test_other_probabilities), cmocka_unit_test(test_other_sharing),
        cmocka_unit_test(test_other_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
