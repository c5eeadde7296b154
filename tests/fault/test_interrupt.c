/* An interrupt at a request for memory, whichever: once there is a first result, it is kept. */
#include "check.h"

#include <stdlib.h>

#include <scant/scant.h>
#include "small_rows.h"
#include "votes_cases.h"

static size_t requests, fatal;
static bool has_result;

static void *resize(void *payload, void *block, size_t bytes)
{
    (void)payload;
    if (++requests == fatal)
        scant_interrupt();
    return realloc(block, bytes);
}

static void release(void *payload, void *block)
{
    (void)payload;
    free(block);
}

static void listen(scant_log_level level, const char *text, void *payload)
{
    (void)level;
    (void)payload;
    has_result |= strncmp(text, "start 1 of", 10) == 0 && requests < fatal;
}

/* Each request in turn where a fit is young, then fewer and fewer of the many. */
static size_t next_request(size_t n)
{
    return n + 1 + n / 256;
}

static void begin(size_t n)
{
    static const scant_allocator allocator = {resize, release, NULL};
    requests = 0;
    fatal = n;
    has_result = false;
    scant_allocator_set(&allocator);
    scant_log_set(SCANT_LOG_DETAIL, listen, NULL);
}

static void end(void)
{
    scant_log_set(SCANT_LOG_WARNING, NULL, NULL);
    scant_allocator_set(NULL);
    scant_interrupt_clear();
}

static void preset(scant_fit_options *options)
{
    scant_fit_options_preset(options);
    options->model.components = "2";
    options->run.max_iter = 3;
    options->run.starts = 3;
    options->run.threads = 1;
}

/* A fit, checked or not, interrupted at each request in turn. */
static void fit_interrupted(const scant_rows *rows, const scant_fit_options *options)
{
    for (size_t n = 1; n == 1 || requests >= fatal; n = next_request(n)) {
        scant_model *model = NULL;
        begin(n);
        scant_status status = scant_fit_checked(&model, NULL, rows, options, 2);
        end();
        if (status != SCANT_OK && (has_result || status != SCANT_ERR_INTERRUPTED))
            fail_msg("request %zu: status %d: %s", n, (int)status, scant_message());
        assert_int_equal(status == SCANT_OK, model != NULL);
        scant_model_free(model);
    }
}

static scant_rows *two_columns(bool labels)
{
    static const small_kind numbers[] = {SMALL_NUMBERS, SMALL_NUMBERS};
    return small_rows(&(small_plan){.n = 30, .kind = numbers, .ncolumns = 2, .labels = labels});
}

static void test_fit(void **state)
{
    (void)state;
    scant_rows *rows = two_columns(false);
    scant_fit_options options;
    preset(&options);
    fit_interrupted(rows, &options);
    scant_rows_free(rows);
}

static void test_fit_with_labels(void **state)
{
    (void)state;
    const char *sharing[] = {"separate", "auto", "lambda=0.3", "common", "separate"};
    const char *unlabeled[] = {"em1", "em2", "em2", "em0", "em2"};
    const char *noise[] = {NULL, NULL, NULL, NULL, "estimate"};
    scant_rows *rows = two_columns(true);
    for (size_t m = 0; m < sizeof sharing / sizeof *sharing; m++) {
        scant_fit_options options;
        preset(&options);
        options.model.sharing = sharing[m];
        options.evidence.unlabeled = unlabeled[m];
        options.evidence.label_noise = noise[m];
        fit_interrupted(rows, &options);
    }
    scant_rows_free(rows);
}

static void select_interrupted(const scant_rows *rows, const char *components, const char *by)
{
    scant_fit_options options;
    preset(&options);
    options.run.starts = 1;
    for (size_t n = 1; n == 1 || requests >= fatal; n = next_request(n)) {
        scant_model *model = NULL;
        scant_selection selection;
        begin(n);
        scant_status status =
            scant_select(&selection, &model, rows, &options, components, "full", by, 2);
        end();
        if (has_result && status != SCANT_OK)
            fail_msg("%s, request %zu: status %d: %s", by, n, (int)status, scant_message());
        assert_true(status == SCANT_OK || status == SCANT_ERR_INTERRUPTED);
        assert_int_equal(status == SCANT_OK, model != NULL);
        if (status == SCANT_OK) {
            assert_true(selection.best < selection.ncandidates);
            assert_int_equal(selection.ncandidates + selection.untried, 3);
            if (requests >= n)
                assert_int_equal(selection.stop, SCANT_STOP_INTERRUPTED);
        }
        scant_selection_clear(&selection);
        scant_model_free(model);
    }
}

static void test_select(void **state)
{
    (void)state;
    scant_rows *plain = two_columns(false), *labelled = two_columns(true);
    select_interrupted(plain, "1:3", "bic");
    select_interrupted(labelled, "1:3/class", "bic");
    select_interrupted(labelled, "1:3/class", "cv");
    scant_rows_free(plain);
    scant_rows_free(labelled);
}

static void test_audit(void **state)
{
    (void)state;
    const char *models[] = {"confusion", "symmetric"};
    votes_plan plan = {200, 4, 2, (double[]){0.7, 0.3}, 0.7, 0.05, 0, 0.1, 0, 5};
    scant_votes *votes = votes_draw(&plan);
    for (size_t m = 0; m < 2; m++) {
        scant_audit_options options = votes_options(models[m], "0.7,0.3");
        options.threads = 1;
        for (size_t n = 1; n == 1 || requests >= fatal; n = next_request(n)) {
            scant_audit *audit = NULL;
            begin(n);
            scant_status status = scant_audit_votes(&audit, votes, &options);
            end();
            if (has_result && status != SCANT_OK)
                fail_msg("request %zu: status %d: %s", n, (int)status, scant_message());
            assert_true(status == SCANT_OK || status == SCANT_ERR_INTERRUPTED);
            assert_int_equal(status == SCANT_OK, audit != NULL);
            if (audit && requests >= n)
                assert_true(scant_audit_predictor_at(audit, 0)->error.value > 0);
            scant_audit_free(audit);
        }
    }
    scant_votes_free(votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_with_labels),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
