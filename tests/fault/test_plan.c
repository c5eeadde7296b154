/* Planning with each allocation failing once. */
#include "check.h"

#include <scant/scant.h>
#include "failing.h"
#include "plan/forecast.h"
#include "plan/world.h"
#include "small_rows.h"

typedef struct job {
    const scant_model *model;
    const scant_rows *rows;
} job;

/* The forecast and worlds take the rooms that there are; plans of all sizes are these two, again and
 * again. */
static scant_status look_out(void *payload)
{
    const job *j = payload;
    scant_i_forecast forecast = {0};
    const scant_i_ground ground = {j->model, j->rows, 200, 1, 1, NULL};
    scant_i_world world = {0};
    double excess, hope, limit;
    const size_t index[] = {3, 5, 8};
    scant_status status = scant_i_forecast_new(&forecast, j->model, j->rows, 60, 60, 300, 1, NULL);
    if (status == SCANT_OK)
        status = scant_i_forecast_excess_with(&excess, &forecast, j->model, j->rows, index, 3, 1);
    if (status == SCANT_OK)
        status = scant_i_world_new(&world, &ground, 0.9);
    if (status == SCANT_OK)
        status = scant_i_world_pilot(&excess, &hope, &world, 2, 1);
    if (status == SCANT_OK)
        status = scant_i_world_limit(&limit, &world, 1);
    scant_i_world_clear(&world);
    scant_i_forecast_clear(&forecast);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const small_kind counts[] = {SMALL_COUNTS, SMALL_COUNTS};
    const small_plan plan = {.n = 120, .kind = counts, .ncolumns = 2, .labels = true};
    const char *item[] = {"poisson"};
    scant_model *model = NULL;
    scant_rows *rows = small_rows(&plan);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.families = (scant_texts){item, 1};
    options.run.starts = 1;
    options.run.max_iter = 5;
    options.run.threads = 1;
    assert_ok(scant_fit(&model, rows, &options));
    job j = {model, rows};
    assert_true(failing_sweep(look_out, &j) > 50);
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
