/* Standard errors and scores with each allocation failing once. */
#include "check.h"

#include <scant/scant.h>
#include "failing.h"
#include "small_rows.h"

typedef struct job {
    scant_fit_options options;
    const scant_rows *rows;
    size_t draws; /* 0: information alone */
} job;

/* A few rows need not tell all parameters; that too is an answer. */
static scant_status told(scant_status status)
{
    return status == SCANT_ERR_UNIDENTIFIED ? SCANT_OK : status;
}

static scant_status fit_and_inform(void *payload)
{
    const job *j = payload;
    scant_model *model = NULL;
    scant_scores scores = {0};
    scant_predict_options how = {.size = sizeof how, .threads = 1};
    scant_status status = scant_fit(&model, j->rows, &j->options);
    if (status == SCANT_OK)
        status = told(scant_model_inform(model, j->rows, 1));
    if (status == SCANT_OK && j->draws)
        status = told(scant_model_scores(&scores, model, j->rows, NULL, &how));
    if (status == SCANT_OK && j->draws)
        status = told(scant_model_bootstrap(model, j->rows, &j->options, j->draws));
    scant_scores_clear(&scores);
    scant_model_free(model);
    return status;
}

static void sweep(const small_plan *plan, const char *family, const char *mode, const char *sharing,
                  size_t draws)
{
    const char *item[] = {family};
    job j;
    scant_rows *rows = small_rows(plan);
    scant_fit_options_preset(&j.options);
    if (family)
        j.options.model.families = (scant_texts){item, 1};
    j.options.model.components = "2";
    j.options.evidence.context_mode = mode;
    j.options.model.sharing = sharing;
    j.options.run.max_iter = 3;
    j.options.run.tol = draws ? 1e6 : 1e-8; /* drawn rows must be fitted */
    j.options.run.starts = 1;
    j.options.run.threads = 1;
    j.rows = rows;
    j.draws = draws;
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
    sweep(&plain, NULL, "likelihood", "separate", 3);
    sweep(&partly, NULL, "posterior", "separate", 0);
    sweep(&partly, NULL, "prior", "common", 3);
    sweep(&sparse, "multinomial", "likelihood", "separate", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
