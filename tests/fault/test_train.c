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
    scant_status status = scant_train(&model, j->rows, &options);
    scant_model_free(model);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
