/* Fits of every kind with each of their allocations failing once. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "data/rows.h"
#include "failing.h"
#include "scratch.h"
#include "small_rows.h"

typedef struct job {
    const scant_rows *rows;
    scant_fit_options options;
} job;

static scant_status fit(void *payload)
{
    const job *j = payload;
    scant_model *model = (scant_model *)(void *)payload; /* must be overwritten */
    scant_status status = scant_fit(&model, j->rows, &j->options);
    if (status != SCANT_OK)
        assert_null(model);
    scant_model_free(model);
    return status;
}

static void preset(job *j, const char *components)
{
    scant_fit_options_preset(&j->options);
    j->options.model.components = components;
    j->options.run.max_iter = 3;
    j->options.run.starts = 1;
    j->options.run.threads = 1;
}

static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};

static void sweep(const small_plan *plan, job *j)
{
    scant_rows *rows = small_rows(plan);
    j->rows = rows;
    (void)failing_sweep_strictly(fit, j);
    scant_rows_free(rows);
}

static void test_covariances(void **state)
{
    (void)state;
    static const char *const shapes[] = {"full", "diag",      "spherical",
                                         "tied", "tied-diag", "tied-spherical"};
    for (size_t s = 0; s < 6; s++)
        for (int missing = 0; missing < 2; missing++) {
            job j;
            preset(&j, "2");
            j.options.model.covariance = shapes[s];
            sweep(&(small_plan){30, numbers, 2, .missing = missing}, &j);
        }
}

static void test_evidence(void **state)
{
    (void)state;
    job j;
    preset(&j, "2/class");
    j.options.model.prior = "a=0.4,b=0.6";
    sweep(&(small_plan){36, numbers, 2, .labels = true, .weights = true}, &j);
    preset(&j, NULL);
    j.options.model.sharing = "common";
    sweep(&(small_plan){36, numbers, 2, .labels = true}, &j);
    preset(&j, "a=2,b=1");
    sweep(&(small_plan){36, numbers, 2, .labels = true, .missing = true}, &j);
}

static void test_ways(void **state)
{
    (void)state;
    job j;
    preset(&j, "2");
    j.options.run.accelerate = "squarem";
    j.options.run.max_iter = 12;
    sweep(&(small_plan){.n = 30, .kind = numbers, .ncolumns = 2}, &j);
    preset(&j, "2");
    j.options.run.anneal = true;
    j.options.run.max_iter = 1;
    sweep(&(small_plan){.n = 20, .kind = numbers, .ncolumns = 2}, &j);
    preset(&j, "2");
    j.options.run.init = "random";
    j.options.run.starts = 2;
    sweep(&(small_plan){.n = 30, .kind = numbers, .ncolumns = 2}, &j);
    preset(&j, "2");
    j.options.run.starts = 5; /* every kind of start */
    j.options.run.max_iter = 1;
    sweep(&(small_plan){.n = 30, .kind = numbers, .ncolumns = 2}, &j);
}

static void test_warnings(void **state)
{
    (void)state;
    static const double same[] = {1, 5, 1, 6, 1, 7, 1, 8, 1, 9};
    job j;
    preset(&j, "3");
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, 5, 2, same, NULL));
    j.rows = rows;
    (void)failing_sweep_strictly(fit, &j);
    scant_rows_free(rows);
}

static void sweep_family(const char *family, small_kind kind, bool missing, bool sparse)
{
    job j;
    const char *item[] = {family};
    const small_kind kinds[] = {kind, kind, kind};
    preset(&j, "2");
    j.options.model.families = (scant_texts){item, 1};
    j.options.model.target = strcmp(family, "regression") == 0 ? "x2" : NULL;
    sweep(&(small_plan){30, kinds, 3, .missing = missing, .sparse = sparse}, &j);
}

static void test_families(void **state)
{
    (void)state;
    sweep_family("multinomial", SMALL_COUNTS, false, false);
    sweep_family("multinomial", SMALL_COUNTS, false, true);
    sweep_family("bernoulli", SMALL_BITS, false, true);
    sweep_family("poisson", SMALL_COUNTS, false, true);
    sweep_family("gaussian", SMALL_COUNTS, false, true); /* made dense */
    sweep_family("bernoulli", SMALL_BITS, true, false);
    sweep_family("categorical", SMALL_CATEGORIES, true, false);
    sweep_family("poisson", SMALL_COUNTS, true, false);
    sweep_family("exponential", SMALL_POSITIVE, true, false);
    sweep_family("gamma", SMALL_POSITIVE, true, false);
    sweep_family("maxwell", SMALL_POSITIVE, true, false);
    sweep_family("regression", SMALL_NUMBERS, false, false);
}

static void test_product(void **state)
{
    (void)state;
    static const small_kind kinds[] = {SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_COUNTS,
                                       SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_POSITIVE};
    const char *item[] = {"poisson:x3", "gamma:x6", "gaussian"};
    job j;
    preset(&j, "2/class");
    j.options.model.families = (scant_texts){item, 3};
    sweep(&(small_plan){30, kinds, 6, .labels = true, .missing = true}, &j);
}

/* Rows enough for several chunks, so that workers of a parallel region ask for memory. */
static void test_threads(void **state)
{
    (void)state;
    job j;
    preset(&j, "2");
    j.options.run.threads = 2;
    j.options.run.max_iter = 1;
    sweep(&(small_plan){1100, numbers, 2, .missing = true}, &j);
    preset(&j, "2/class");
    j.options.run.threads = 2;
    j.options.run.max_iter = 1;
    sweep(&(small_plan){1100, numbers, 2, .labels = true, .weights = true}, &j);
}

static void test_start(void **state)
{
    (void)state;
    scant_model *model = NULL;
    scant_rows *rows = small_rows(&(small_plan){30, numbers, 2, .labels = true});
    job j;
    preset(&j, "2/class");
    j.rows = rows;
    assert_ok(scant_fit(&model, rows, &j.options));
    assert_ok(scant_model_write(model, scratch_path("start.json")));
    preset(&j, NULL);
    j.options.run.init = scratch_path("start.json");
    (void)failing_sweep_strictly(fit, &j);
    preset(&j, NULL);
    j.options.run.start = model;
    (void)failing_sweep_strictly(fit, &j);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

static int stop_later(const scant_progress_event *event, void *payload)
{
    (void)payload;
    return event->start == 1 && event->iteration == 2;
}

/* Keeps a checkpoint in the second start, and goes on from it. */
static scant_status cut_and_resume(void *payload)
{
    job j = *(const job *)payload;
    scant_model *model = NULL;
    (void)remove(j.options.run.checkpoint);
    j.options.run.resume = false;
    j.options.run.progress = stop_later;
    scant_status status = scant_fit(&model, j.rows, &j.options);
    if (status == SCANT_OK)
        assert_int_equal(scant_model_summary(model)->stop, SCANT_STOP_INTERRUPTED);
    else
        assert_null(model);
    scant_model_free(model);
    if (status != SCANT_OK)
        return status;
    j.options.run.progress = NULL;
    j.options.run.resume = true;
    status = scant_fit(&model, j.rows, &j.options);
    if (status != SCANT_OK)
        assert_null(model);
    scant_model_free(model);
    return status;
}

static void test_checkpoint(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){30, numbers, 2, .labels = true});
    job j;
    preset(&j, "2/class");
    j.rows = rows;
    j.options.run.max_iter = 4;
    j.options.run.starts = 2;
    j.options.run.tol = 0;
    j.options.run.checkpoint = scratch_path("check.json");
    (void)failing_sweep_strictly(cut_and_resume, &j);
    assert_int_equal(scratch_count(), 1); /* no temporary file was left */
    scant_rows_free(rows);
    scratch_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_covariances), cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_ways),        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_families),    cmocka_unit_test(test_product),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_start),
        cmocka_unit_test(test_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
