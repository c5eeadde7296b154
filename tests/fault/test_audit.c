/* Audits with each allocation failing once: nothing leaks, nothing is half built. */
#include "check.h"

#include <math.h>
#include <scant/scant.h>
#include "failing.h"
#include "votes_cases.h"

enum { N = 60, K = 6, L = 2 };

typedef struct job {
    const scant_votes *votes;
    scant_audit_options options;
} job;

static scant_status audit_and_use(void *payload)
{
    const job *j = payload;
    scant_audit *audit = NULL;
    double p[N * L];
    scant_ask ask[5];
    size_t count = 5;
    bool plain = !j->options.model || strcmp(j->options.model, "loglinear") != 0;
    scant_status status = scant_audit_votes(&audit, j->votes, &j->options);
    if (status == SCANT_OK)
        status = scant_audit_combine(p, audit, j->votes);
    if (status == SCANT_OK && plain)
        status = scant_audit_ask(ask, &count, audit, j->votes, NULL);
    if (status == SCANT_OK && plain)
        status = scant_audit_update(audit, j->votes);
    scant_audit_free(audit);
    return status;
}

static scant_status read_votes(void *payload)
{
    scant_votes *votes = NULL;
    scant_votes_options how = {
        .size = sizeof how,
        .read = {.size = sizeof(scant_read_options), .id = "answer", .threads = 1}};
    scant_status status = scant_votes_read(&votes, payload, &how);
    scant_votes_free(votes);
    return status;
}

static void votes_may_not_fit(void **state)
{
    (void)state;
    static const double prior[] = {0.7, 0.3};
    votes_plan plan = {N, K, L, prior, 0.75, 0.02, 0, 0.1, 0, 5}, few = plan;
    few.nitems = 20;
    few.npredictors = 3;
    scant_votes *many = votes_draw(&plan), *some = votes_draw(&few); /* profiles take long */
    const struct {
        const char *model, *prior, *intervals;
        bool separately;
    } kinds[] = {{"confusion", "0.7,0.3", "wald", false},
                 {"symmetric", "estimate", "wald", false},
                 {"loglinear", "0.7,0.3", "wald", false},
                 {"symmetric", "0.7,0.3", "wald", true},
                 {"symmetric", "0.7,0.3", "profile", false}};
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
        bool profile = strcmp(kinds[t].intervals, "profile") == 0;
        job j = {profile ? some : many, votes_options(kinds[t].model, kinds[t].prior)};
        j.options.separately = kinds[t].separately;
        j.options.intervals = kinds[t].intervals;
        j.options.max_iter = 5;
        assert_true(failing_sweep(audit_and_use, &j) > 50);
    }
    scant_votes_free(many);
    scant_votes_free(some);
    static char path[] = SCANT_EXAMPLES "/judges.csv";
    assert_true(failing_sweep(read_votes, path) > 50);
}

static scant_status judge_numbers(void *payload)
{
    scant_regression found;
    scant_regression_options how = {
        .size = sizeof how, .mean = 1, .sd = 1, .noise = NAN, .ci = 0.95};
    scant_status status = scant_audit_regression(&found, payload, &how);
    if (status == SCANT_OK)
        scant_regression_clear(&found);
    return status;
}

static void numbers_may_not_fit(void **state)
{
    (void)state;
    double x[40 * 2];
    for (size_t t = 0; t < 80; t++)
        x[t] = 1 + sin(0.7 * (double)(t / 2)) + 0.3 * sin(11.3 * (double)t);
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, 40, 2, x, NULL));
    for (size_t c = 0; c < 2; c++)
        (void)scant_rows_column_name(rows, c); /* names are made once, and stay with the rows */
    assert_true(failing_sweep(judge_numbers, rows) > 5);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(votes_may_not_fit),
                                       cmocka_unit_test(numbers_may_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
