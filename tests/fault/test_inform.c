/* Standard errors with each allocation failing once. */
#include "check.h"

#include <scant/scant.h>
#include "failing.h"
#include "small_rows.h"

typedef struct job {
    scant_fit_options options;
    const scant_rows *rows;
} job;

static scant_status fit_and_inform(void *payload)
{
    const job *j = payload;
    scant_model *model = NULL;
    scant_status status = scant_fit(&model, j->rows, &j->options);
    if (status == SCANT_OK)
        status = scant_model_inform(model, j->rows, 1);
    scant_model_free(model);
    /* a few rows need not tell all parameters; that too is an answer */
    return status == SCANT_ERR_UNIDENTIFIED ? SCANT_OK : status;
}

static void sweep(const small_plan *plan, const char *family, const char *mode, const char *sharing)
{
    const char *item[] = {family};
    job j;
    scant_rows *rows = small_rows(plan);
    scant_fit_options_preset(&j.options);
    if (family)
        j.options.families = (scant_texts){item, 1};
    j.options.components = "2";
    j.options.context_mode = mode;
    j.options.sharing = sharing;
    j.options.max_iter = 3;
    j.options.restarts = 1;
    j.options.threads = 1;
    j.rows = rows;
    assert_true(failing_sweep(fit_and_inform, &j) > 50);
    scant_rows_free(rows);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    static const small_kind mixed[] = {SMALL_NUMBERS, SMALL_CATEGORIES, SMALL_NUMBERS};
    static const small_kind counts[] = {SMALL_COUNTS, SMALL_COUNTS, SMALL_COUNTS};
    const small_plan plain = {.n = 120, .kind = numbers, .ncolumns = 2};
    const small_plan partly = {
        .n = 120, .kind = mixed, .ncolumns = 3, .labels = true, .missing = true};
    const small_plan sparse = {.n = 120, .kind = counts, .ncolumns = 3, .sparse = true};
    sweep(&plain, NULL, "weigh", "separate");
    sweep(&partly, NULL, "fix", "separate");
    sweep(&partly, NULL, "replace", "common");
    sweep(&sparse, "multinomial", "weigh", "separate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
