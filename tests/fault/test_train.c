/* Training a stack, its file and its predictions with each allocation failing once. */
#include <stdio.h>

#include "check.h"

#include <scant/scant.h>
#include "failing.h"
#include "small_rows.h"

typedef struct job {
    const scant_rows *rows;
    const scant_model *model; /* or NULL: it is trained */
} job;

static scant_status train(void *payload)
{
    const job *j = payload;
    scant_train_options options;
    scant_model *model = NULL;
    scant_train_options_preset(&options);
    options.threads = 1;
    options.folds = 2;
    options.label_noise = 0.1;
    scant_status status = scant_train(&model, j->rows, &options);
    scant_model_free(model);
    return status;
}

/* Folds, a plan, and a stream that is trained again at its first labels, of a stack with one member. */
static scant_status again(void *payload)
{
    const job *j = payload;
    scant_cv cv = {0};
    scant_stream *stream = NULL, *read = NULL;
    scant_stream_options options;
    size_t index[1];
    scant_status status = scant_cv_model(&cv, j->model, j->rows, 2, false, 0, 1);
    scant_cv_clear(&cv);
    scant_stream_options_preset(&options);
    options.threads = 1;
    options.refit = 5;
    if (status == SCANT_OK)
        status = scant_stream_new(&stream, j->model, &options);
    for (index[0] = 0; index[0] < 6 && status == SCANT_OK; index[0]++) {
        scant_rows *row = NULL;
        status = scant_rows_subset(&row, j->rows, index, 1);
        if (status == SCANT_OK)
            status = scant_stream_learn(stream, row);
        scant_rows_free(row);
    }
    if (status == SCANT_OK)
        status = scant_stream_write(stream, "fault_train_stream.json");
    if (status == SCANT_OK)
        status = scant_stream_read(&read, "fault_train_stream.json", 1);
    scant_stream_free(stream);
    scant_stream_free(read);
    return status;
}

static scant_status plan(void *payload)
{
    const job *j = payload;
    scant_plan *made = NULL;
    scant_plan_options options;
    scant_plan_options_preset(&options);
    options.threads = 1;
    options.repeats = 1;
    scant_status status = scant_plan_new(&made, j->model, j->rows, &options);
    size_t count;
    const scant_option *table = scant_plan_option_table(&count);
    scant_plan_free(made);
    scant_options_clear(&options, table, count); /* prices are a list */
    return status;
}

static scant_status use(void *payload)
{
    const job *j = payload;
    double p[30 * 2];
    scant_model *read = NULL;
    scant_status status = scant_model_predict(j->model, j->rows, NULL, p, NULL, NULL, NULL);
    if (status == SCANT_OK)
        status = scant_model_read(&read, "fault_train.json");
    scant_model_free(read);
    return status;
}

static scant_status write(void *payload)
{
    const job *j = payload;
    return scant_model_write(j->model, "fault_train_again.json");
}

static void memory_may_run_out(void **state)
{
    static const small_kind kinds[] = {SMALL_NUMBERS, SMALL_CATEGORIES};
    const small_plan plan = {
        .n = 30, .kind = kinds, .ncolumns = 2, .labels = true, .missing = true};
    scant_rows *rows = small_rows(&plan);
    scant_model *model = NULL;
    scant_train_options options;
    job j = {rows, NULL};
    (void)state;
    assert_true(failing_sweep(train, &j) > 200);
    scant_train_options_preset(&options);
    options.threads = 1;
    assert_ok(scant_train(&model, rows, &options));
    assert_ok(scant_model_write(model, "fault_train.json"));
    j.model = model;
    assert_true(failing_sweep(use, &j) > 50);
    assert_true(failing_sweep(write, &j) > 1);
    (void)remove("fault_train.json");
    (void)remove("fault_train_again.json");
    scant_model_free(model);
    scant_rows_free(rows);
}

static void memory_may_run_out_again(void **state)
{
    static const small_kind kinds[] = {SMALL_NUMBERS, SMALL_CATEGORIES};
    const small_plan shape = {
        .n = 30, .kind = kinds, .ncolumns = 2, .labels = true, .missing = true};
    scant_rows *rows = small_rows(&shape);
    const char *member = "logistic";
    scant_rows *exact = NULL;
    size_t index[30], n = 0;
    scant_model *model = NULL;
    scant_train_options options;
    (void)state;
    scant_train_options_preset(&options);
    options.threads = 1;
    options.members = (scant_texts){&member, 1};
    assert_ok(scant_train(&model, rows, &options));
    job j = {rows, model};
    assert_true(failing_sweep(again, &j) > 100);
    for (size_t i = 0; i < scant_rows_count(rows); i++) /* a plan counts exact labels */
        if (scant_rows_label(rows, i) >= 0)
            index[n++] = i;
    assert_ok(scant_rows_subset(&exact, rows, index, n));
    j.rows = exact;
    assert_true(failing_sweep(plan, &j) > 50);
    scant_rows_free(exact);
    (void)remove("fault_train_stream.json");
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(memory_may_run_out_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
