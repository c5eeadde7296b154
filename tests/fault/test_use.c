/* What is done with models - files, predictions, samples, folds, choices - with each of its
 * allocations failing once. */
#include "check.h"

#include <stdlib.h>

#include <scant/scant.h>
#include "failing.h"
#include "scratch.h"
#include "small_rows.h"

static const small_kind mixed[] = {SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_NUMBERS};
static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};

typedef struct job {
    const scant_model *model;
    const scant_rows *rows;
    scant_fit_options options;
    const char *by;
    size_t threads;
} job;

static void preset(job *j, const char *components)
{
    scant_fit_options_preset(&j->options);
    j->options.model.components = components;
    j->options.run.max_iter = 2;
    j->options.run.starts = 1;
    j->options.run.threads = 1;
}

static scant_model *fitted(const job *j)
{
    scant_model *model = NULL;
    assert_ok(scant_fit(&model, j->rows, &j->options));
    return model;
}

static scant_status write_model(void *payload)
{
    const job *j = payload;
    return scant_model_write(j->model, scratch_path("model.json"));
}

static scant_status read_model(void *payload)
{
    (void)payload;
    scant_model *model = payload;
    scant_status status = scant_model_read(&model, scratch_path("model.json"));
    if (status != SCANT_OK)
        assert_null(model);
    scant_model_free(model);
    return status;
}

static scant_status predict(void *payload)
{
    const job *j = payload;
    double classes[2 * 1100], components[4 * 1100], support[1100], loglik[1100];
    scant_predict_options how = {.size = sizeof how, .threads = j->threads, .use_labels = true};
    return scant_model_predict(j->model, j->rows, &how, classes, components, support, loglik);
}

static scant_status predict_target(void *payload)
{
    const job *j = payload;
    double target[100];
    scant_predict_options how = {.size = sizeof how, .threads = j->threads};
    return scant_model_predict_target(j->model, j->rows, &how, target);
}

static scant_status evaluate(void *payload)
{
    const job *j = payload;
    scant_evaluation evaluation;
    scant_predict_options how = {.size = sizeof how, .threads = j->threads};
    scant_status status = scant_model_evaluate(&evaluation, j->model, j->rows, &how);
    if (status != SCANT_OK)
        assert_null(evaluation.confusion);
    scant_evaluation_clear(&evaluation);
    return status;
}

static scant_status sample(void *payload)
{
    const job *j = payload;
    scant_rows *rows = payload;
    scant_status status = scant_model_sample(&rows, j->model, 5, 3, true);
    if (status != SCANT_OK)
        assert_null(rows);
    scant_rows_free(rows);
    return status;
}

static void test_model(void **state)
{
    (void)state;
    scant_rows *rows =
        small_rows(&(small_plan){30, mixed, 3, .labels = true, .weights = true, .missing = true});
    job j = {.rows = rows, .threads = 1};
    preset(&j, "2/class");
    j.options.model.prior = "0.5";
    scant_model *model = fitted(&j);
    j.model = model;
    (void)failing_sweep_strictly(write_model, &j);
    (void)failing_sweep_strictly(read_model, &j);
    assert_int_equal(scratch_count(), 1);
    (void)failing_sweep_strictly(predict, &j);
    (void)failing_sweep_strictly(evaluate, &j);
    (void)failing_sweep_strictly(sample, &j);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_threads(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){1100, numbers, 2, .labels = true, .missing = true});
    job j = {.rows = rows, .threads = 2};
    preset(&j, "2/class");
    scant_model *model = fitted(&j);
    j.model = model;
    (void)failing_sweep_strictly(predict, &j);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void test_regression(void **state)
{
    (void)state;
    static const small_kind kinds[] = {SMALL_NUMBERS, SMALL_NUMBERS, SMALL_CATEGORIES};
    const char *item[] = {"regression:x1", "x2"};
    scant_rows *rows = small_rows(&(small_plan){.n = 30, .kind = kinds, .ncolumns = 3});
    job j = {.rows = rows, .threads = 1};
    preset(&j, "2");
    j.options.model.families = (scant_texts){item, 2};
    j.options.model.target = "x2";
    scant_model *model = fitted(&j);
    j.model = model;
    (void)failing_sweep_strictly(write_model, &j);
    (void)failing_sweep_strictly(read_model, &j);
    (void)failing_sweep_strictly(predict_target, &j);
    (void)failing_sweep_strictly(evaluate, &j);
    (void)failing_sweep_strictly(sample, &j);
    scant_model_free(model);
    scant_rows_free(rows);
    scratch_clear();
}

static void test_sparse(void **state)
{
    (void)state;
    static const small_kind kinds[] = {SMALL_COUNTS, SMALL_COUNTS, SMALL_COUNTS};
    scant_rows *rows = small_rows(&(small_plan){30, kinds, 3, .labels = true, .sparse = true});
    job j = {.rows = rows, .threads = 1};
    preset(&j, "2/class");
    scant_model *model = fitted(&j);
    j.model = model;
    (void)failing_sweep_strictly(predict, &j);
    (void)failing_sweep_strictly(sample, &j);
    scant_model_free(model);
    scant_rows_free(rows);
}

static scant_status cross_validate(void *payload)
{
    const job *j = payload;
    scant_cv cv;
    scant_status status = scant_cv_fit(&cv, j->rows, &j->options, 2);
    if (status != SCANT_OK)
        assert_null(cv.fold);
    scant_cv_clear(&cv);
    return status;
}

static scant_status choose(void *payload)
{
    const job *j = payload;
    scant_selection selection;
    scant_model *model = payload;
    scant_status status = scant_select(&selection, &model, j->rows, &j->options, "1:2/class",
                                       "full,tied-diag", j->by, 2);
    if (status != SCANT_OK) {
        assert_null(selection.candidate);
        assert_null(model);
    }
    scant_selection_clear(&selection);
    scant_model_free(model);
    return status;
}

static void test_folds(void **state)
{
    (void)state;
    scant_rows *rows = small_rows(&(small_plan){36, numbers, 2, .labels = true, .weights = true});
    job j = {.rows = rows};
    preset(&j, "1/class");
    j.options.run.max_iter = 1;

    /* How unlabeled rows count is tried in several fits a fold. */
    (void)failing_sweep_sparsely(cross_validate, &j, 97);

    j.options.evidence.unlabeled_weight = 1;
    (void)failing_sweep_strictly(cross_validate, &j);
    j.options.evidence.unlabeled_weight = 1; /* the other ways have just been tried */
    j.by = "bic";
    (void)failing_sweep_strictly(choose, &j);
    j.by = "cv";
    (void)failing_sweep_strictly(choose, &j);
    scant_rows_free(rows);
}

static scant_status set_options(void *payload)
{
    (void)payload;
    size_t count;
    const scant_option *table = scant_fit_option_table(&count);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    const scant_option *family = scant_option_find(table, count, "family");
    scant_status status = scant_option_set(&options, family, "poisson:A,B");
    if (status == SCANT_OK)
        status = scant_option_set(&options, family, "gaussian");
    scant_options_clear(&options, table, count);
    assert_null(options.model.families.item);
    return status;
}

static void test_options(void **state)
{
    (void)state;
    (void)failing_sweep_strictly(set_options, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_sparse), cmocka_unit_test(test_regression),
        cmocka_unit_test(test_folds),  cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
