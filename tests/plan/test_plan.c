/* The three questions agree with each other and with the forecast, and what cannot be planned is
 * refused. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "base/random.h"
#include "check.h"
#include <scant/scant.h>

enum { N = 600, PILOT = 60 };
static const char *const NAME[2] = {"a", "b"};

typedef struct pilot {
    scant_rows *rows;
    scant_model *model;
} pilot;

static pilot make_pilot(const char *unlabeled)
{
    pilot p = {0};
    static double x[N * 3];
    static const char *cells[N];
    scant_i_random random = scant_i_random_new(11, 1);
    for (size_t i = 0; i < N; i++) {
        size_t k = scant_i_random_uniform(&random) < 0.4;
        for (size_t c = 0; c < 3; c++)
            x[i * 3 + c] = scant_i_random_normal(&random) + (c == 0 && k ? 2 : 0);
        cells[i] = i < PILOT ? NAME[k] : "";
    }
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.covariance = "tied";
    options.evidence.unlabeled = unlabeled;
    options.run.starts = 2;
    options.run.threads = 1;
    assert_ok(scant_rows_new(&p.rows, N, 3, x, NULL));
    assert_ok(scant_rows_set_labels(p.rows, cells, NAME, 2, NULL));
    assert_ok(scant_fit(&p.model, p.rows, &options));
    return p;
}

static void free_pilot(pilot *p)
{
    scant_model_free(p->model);
    scant_rows_free(p->rows);
}

static scant_plan_options small(void)
{
    scant_plan_options options;
    scant_plan_options_preset(&options);
    options.replicates = 10;
    options.repeats = 2;
    options.threads = 1;
    return options;
}

/* Lists that presets make are freed here. */
static void let_go(scant_plan_options *options)
{
    size_t count;
    const scant_option *table = scant_plan_option_table(&count);
    scant_options_clear(options, table, count);
}

static scant_status set(scant_plan_options *options, const char *name, const char *text)
{
    size_t count;
    const scant_option *table = scant_plan_option_table(&count);
    return scant_option_set(options, scant_option_find(table, count, name), text);
}

static void questions_agree(void **state)
{
    (void)state;
    pilot p = make_pilot("em2");
    scant_plan *plan = NULL;
    scant_plan_options options = small();
    assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
    const scant_plan_summary *s = scant_plan_told(plan);
    assert_int_equal(s->rows, N);
    assert_int_equal(s->labeled, PILOT);
    assert_true(s->curve && s->unlabeled_worth > 0 && s->unlabeled_worth < 1);
    scant_plan_point bought, wanted, traded, before = {.error = 1};
    for (size_t labels = PILOT; labels <= N; labels += 60) {
        scant_plan_point at;
        scant_plan_forecast(&at, plan, labels, N);
        assert_true(at.error < before.error && at.low <= at.error && at.error <= at.high);
        before = at;
    }
    assert_ok(scant_plan_answer(&bought, plan, SCANT_PLAN_BUDGET, 100));
    assert_int_equal(bought.labels, PILOT + 100);
    assert_ok(scant_plan_answer(&wanted, plan, SCANT_PLAN_TARGET, bought.error));
    assert_int_equal(wanted.labels, bought.labels);
    assert_true(wanted.labels_low <= (double)wanted.labels);
    assert_true(wanted.labels_high >= (double)wanted.labels);
    /* at that price the next label costs more than it saves */
    scant_plan_point next;
    scant_plan_forecast(&next, plan, bought.labels + 1, N);
    assert_ok(scant_plan_answer(&traded, plan, SCANT_PLAN_TRADE, 1 / (bought.error - next.error)));
    assert_true(labs((long)traded.labels - (long)bought.labels) <= 1);
    for (int question = SCANT_PLAN_BUDGET; question <= SCANT_PLAN_TRADE; question++) {
        assert_fails(scant_plan_answer(&wanted, plan, (scant_plan_question)question, -1),
                     SCANT_ERR_ARGUMENT, "of -1");
        assert_fails(scant_plan_answer(&wanted, plan, (scant_plan_question)question, NAN),
                     SCANT_ERR_ARGUMENT, "of nan");
    }
    assert_fails(scant_plan_answer(&wanted, plan, SCANT_PLAN_TARGET, 1e-9), SCANT_ERR_UNIDENTIFIED,
                 "out of reach");
    scant_plan_free(plan);
    let_go(&options);
    free_pilot(&p);
}

/* Rows that cost a hundredth of a label are bought beside labels, and help. */
static void rows_may_be_bought(void **state)
{
    (void)state;
    pilot p = make_pilot("em1");
    scant_plan *plan = NULL;
    scant_plan_options options = small();
    scant_plan_point without, with;
    options.repeats = 0;
    assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
    assert_ok(scant_plan_answer(&without, plan, SCANT_PLAN_BUDGET, 50));
    scant_plan_free(plan);
    assert_ok(set(&options, "cost", "label=1,row=0.01"));
    options.rows = 5000;
    assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
    assert_ok(scant_plan_answer(&with, plan, SCANT_PLAN_BUDGET, 50));
    assert_true(with.rows > N && with.error < without.error && with.cost <= 50);
    scant_plan_free(plan);
    let_go(&options);
    free_pilot(&p);
}

static void rows_are_chosen(void **state)
{
    (void)state;
    enum { COUNT = 80 };
    pilot p = make_pilot("em2");
    scant_plan *plan = NULL;
    scant_plan_options options = small();
    scant_plan_choice choice;
    size_t index[COUNT], again[COUNT];
    double chosen = 0, all = 0;
    options.repeats = 0;
    assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
    assert_ok(scant_plan_choose(&choice, plan, COUNT, index));
    assert_ok(scant_plan_choose(&choice, plan, COUNT, again));
    const double *gain = scant_plan_gains(plan);
    for (size_t i = 0; i < N; i++)
        assert_true(isnan(gain[i]) == (i < PILOT));
    for (size_t i = PILOT; i < N; i++)
        all += gain[i] / (N - PILOT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(index[i], again[i]);
        chosen += gain[index[i]] / COUNT;
    }
    assert_true(chosen > 1.2 * all);
    assert_true(choice.chosen < choice.random);
    size_t *more = NULL;
    assert_ok(SCANT_I_NEW(&more, N));
    assert_fails(scant_plan_choose(&choice, plan, N, more), SCANT_ERR_ARGUMENT, "have no label");
    scant_i_free(more);
    scant_plan_free(plan);
    let_go(&options);
    free_pilot(&p);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    pilot p = make_pilot("em2");
    double error[2];
    for (size_t t = 0; t < 2; t++) {
        scant_plan *plan = NULL;
        scant_plan_options options = small();
        scant_plan_point point;
        options.threads = 1 + t;
        assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
        assert_ok(scant_plan_answer(&point, plan, SCANT_PLAN_BUDGET, 30));
        error[t] = point.error;
        scant_plan_free(plan);
        let_go(&options);
    }
    assert_same(error[0], error[1]);
    free_pilot(&p);
}

static void what_cannot_be_planned_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *cost, *words;
    } bad[] = {
        {"label=0", "label all"}, {"label", "not label=PRICE"},    {"hour=3", "not label=PRICE"},
        {"row=-1", "not label="}, {"label=1x", "not label=PRICE"},
    };
    scant_plan *plan = NULL;
    pilot p = make_pilot("em2"), own = make_pilot("em3");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scant_plan_options options = small();
        assert_ok(set(&options, "cost", bad[i].cost));
        assert_fails(scant_plan_new(&plan, p.model, p.rows, &options), SCANT_ERR_ARGUMENT,
                     bad[i].words);
        assert_null(plan);
        let_go(&options);
    }
    scant_plan_options options = small();
    assert_fails(scant_plan_new(&plan, own.model, own.rows, &options), SCANT_ERR_ARGUMENT, "em3");
    options.rows = 5;
    assert_fails(scant_plan_new(&plan, p.model, p.rows, &options), SCANT_ERR_ARGUMENT, "rows");
    options.rows = 0;
    const char *cells[N] = {"a|b"};
    assert_ok(scant_rows_set_labels(p.rows, cells, NAME, 2, NULL));
    assert_fails(scant_plan_new(&plan, p.model, p.rows, &options), SCANT_ERR_INPUT, "in part");
    cells[0] = NULL;
    assert_ok(scant_rows_set_labels(p.rows, cells, NAME, 2, NULL));
    assert_fails(scant_plan_new(&plan, p.model, p.rows, &options), SCANT_ERR_INPUT, "no pilot");
    let_go(&options);
    free_pilot(&p);
    free_pilot(&own);
}

static int stop_at(const scant_progress_event *event, void *payload)
{
    size_t *seen = payload; /* how many to see at most, how many were seen, the last one's number */
    seen[1]++;
    assert_in_range(event->done, seen[2], event->total);
    seen[2] = event->done;
    return seen[1] >= seen[0];
}

static void plans_are_watched_and_ended(void **state)
{
    (void)state;
    pilot p = make_pilot("em2");
    scant_plan *plan = NULL;
    scant_plan_options options = small();
    size_t seen[3] = {SIZE_MAX, 0, 0};
    options.progress = stop_at;
    options.payload = seen;
    assert_ok(scant_plan_new(&plan, p.model, p.rows, &options));
    /* replicates of the limit, and for each repetition 6 sizes with a limit of their own */
    assert_int_equal(seen[2], options.replicates + options.repeats * (6 + options.replicates));
    scant_plan_free(plan);
    for (size_t at = 1; at < seen[1]; at += 7) {
        size_t ended[3] = {at, 0, 0};
        options.payload = ended;
        assert_fails(scant_plan_new(&plan, p.model, p.rows, &options), SCANT_ERR_INTERRUPTED,
                     "interrupted");
        assert_int_equal(ended[1], at);
        assert_null(plan);
    }
    let_go(&options);
    free_pilot(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_agree),
        cmocka_unit_test(rows_may_be_bought),
        cmocka_unit_test(rows_are_chosen),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_cannot_be_planned_is_refused),
        cmocka_unit_test(plans_are_watched_and_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
