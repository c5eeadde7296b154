/* Votes dealt out to parts whose answers come late, twice and in random order: the same audit as of one
 * part, byte for byte, for any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "audit/result.h"
#include "check.h"
#include "data/votes.h"
#include "dealing.h"
#include "parts/tiles.h"
#include "votes_cases.h"

/* Nine tiles of 32 items, the last one of a single item. */
enum { LOG2 = 5, ITEMS = 8 * 32 + 1, PREDICTORS = 5, CLASSES_MOST = 3 };

typedef struct scenario {
    const char *name, *model, *intervals, *prior;
    bool weighted, separately;
    bool
        sorted; /* items of a class one after the other, and answers of a predictor in one part alone */
    size_t classes, items;
} scenario;

static const scenario scenarios[] = {
    {"symmetric", "symmetric", "wald", NULL, true, false, false, 3, ITEMS},
    {"confusion", "confusion", "wald", NULL, false, false, false, 3, ITEMS},
    {"confusion, sorted, weights", "confusion", "wald", NULL, true, false, true, 3, ITEMS},
    {"log-linear, weights", "loglinear", "wald", NULL, true, false, false, 2, ITEMS},
    {"profiles", "symmetric", "profile", NULL, false, false, true, 2, ITEMS},
    {"separately", "symmetric", "wald", "0.5,0.3,0.2", true, true, false, 3, ITEMS},
    {"chosen tiles", "confusion", "wald", NULL, true, false, false, 3, 8 * 512 + 1},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static scant_votes *draw(const scenario *s)
{
    static const double prior[CLASSES_MOST] = {0.5, 0.3, 0.2};
    size_t n = s->items, count = 0, *item = calloc(n * PREDICTORS, sizeof *item),
           *predictor = calloc(n * PREDICTORS, sizeof *predictor),
           *answer = calloc(n * PREDICTORS, sizeof *answer);
    int32_t *truth = calloc(n, sizeof *truth);
    double *weight = calloc(n, sizeof *weight);
    scant_i_random random = scant_i_random_new(3, 0);
    for (size_t i = 0; i < n; i++) {
        size_t y = s->sorted ? i * s->classes / n : scant_i_random_pick(&random, prior, s->classes);
        truth[i] = scant_i_random_uniform(&random) < 0.1 ? (int32_t)y : -1;
        weight[i] = floor(4 * scant_i_random_uniform(&random)) / 3;
        for (size_t c = 0; c < PREDICTORS; c++) {
            bool right = scant_i_random_uniform(&random) < 0.55 + 0.07 * (double)c;
            bool silent = scant_i_random_uniform(&random) < 0.2;
            size_t other = scant_i_random_below(&random, s->classes);
            /* the last predictor answers in the fifth tile alone */
            if (silent || (s->sorted && c == PREDICTORS - 1 && i / 32 != 4))
                continue;
            item[count] = i;
            predictor[count] = c;
            answer[count++] = right ? y : other;
        }
    }
    scant_votes *votes = NULL;
    assert_ok(scant_votes_new(&votes, n, PREDICTORS, s->classes, count, item, predictor, answer,
                              NULL, NULL));
    assert_ok(scant_votes_set_truth(votes, truth));
    if (s->weighted)
        assert_ok(scant_votes_set_weights(votes, weight));
    free(item);
    free(predictor);
    free(answer);
    free(truth);
    free(weight);
    return votes;
}

static scant_audit *audit(const scenario *s, const scant_votes *votes, size_t threads)
{
    scant_audit *made = NULL;
    scant_audit_options options = votes_options(s->model, s->prior);
    options.intervals = s->intervals;
    options.separately = s->separately;
    options.threads = threads;
    if (scant_audit_votes(&made, votes, &options) != SCANT_OK)
        fail_msg("%s: %s", s->name, scant_message());
    return made;
}

#define SAME(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

static void expect_same(const scant_audit *one, const scant_audit *many)
{
    const scant_audit_summary *a = scant_audit_summarise(one), *b = scant_audit_summarise(many);
    size_t l = one->nclasses;
    SAME(a->loglik, b->loglik);
    assert_int_equal(a->iterations, b->iterations);
    assert_int_equal(a->stop, b->stop);
    assert_memory_equal(a->prior, b->prior, l * sizeof *a->prior);
    assert_int_equal(a->dependence.verdict, b->dependence.verdict);
    assert_int_equal(a->dependence.pairs, b->dependence.pairs);
    assert_int_equal(a->dependence.rejected, b->dependence.rejected);
    SAME(a->dependence.z, b->dependence.z);
    SAME(a->dependence.p, b->dependence.p);
    SAME(a->dependence.correlation, b->dependence.correlation);
    SAME(a->dependence.largest, b->dependence.largest);
    assert_int_equal(a->symmetry.verdict, b->symmetry.verdict);
    SAME(a->symmetry.statistic, b->symmetry.statistic);
    assert_int_equal(a->nwarnings, b->nwarnings);
    for (size_t k = 0; k < a->nwarnings; k++)
        assert_string_equal(a->warning[k], b->warning[k]);
    for (size_t c = 0; c < PREDICTORS; c++) {
        const scant_audit_predictor *p = scant_audit_predictor_at(one, c),
                                    *q = scant_audit_predictor_at(many, c);
        assert_int_equal(p->answers, q->answers);
        SAME(p->error, q->error);
        SAME(p->wrong, q->wrong);
        assert_memory_equal(p->confusion, q->confusion, l * l * sizeof *p->confusion);
    }
}

static void parts_and_threads_make_the_same_audit(void **state)
{
    (void)state;
    for (size_t k = 0; k < SCENARIOS; k++) {
        const scenario *s = &scenarios[k];
        scant_votes *votes = draw(s);
        scant_i_tiles_use(s->items == ITEMS ? LOG2 : 0);
        scant_audit *one = audit(s, votes, 1);
        for (uint64_t seed = 0; seed < DEALINGS; seed++) {
            dealing d;
            dealing_open(&d, seed);
            votes->rows->carrier = &d.loopback.carrier;
            scant_audit *many = audit(s, votes, d.threads);
            votes->rows->carrier = NULL;
            expect_same(one, many);
            dealing_close(&d);
            scant_audit_free(many);
        }
        for (size_t threads = 2; threads <= 7; threads += 5) {
            scant_audit *again = audit(s, votes, threads);
            expect_same(one, again);
            scant_audit_free(again);
        }
        scant_i_tiles_use(0);
        scant_audit_free(one);
        scant_votes_free(votes);
    }
}

/* --- numbers --- */

static scant_rows *draw_numbers(bool weighted)
{
    scant_rows *rows = NULL;
    double *x = calloc(ITEMS * PREDICTORS, sizeof *x), *w = calloc(ITEMS, sizeof *w);
    scant_i_random random = scant_i_random_new(5, 0);
    for (size_t i = 0; i < ITEMS; i++) {
        double y = 3 + 2 * scant_i_random_normal(&random);
        w[i] = weighted ? floor(4 * scant_i_random_uniform(&random)) / 3 : 1;
        for (size_t c = 0; c < PREDICTORS; c++) {
            double error = (0.3 + 0.2 * (double)c) * scant_i_random_normal(&random);
            bool silent = scant_i_random_uniform(&random) < 0.1;
            x[i * PREDICTORS + c] = silent ? NAN : y + error;
        }
    }
    assert_ok(scant_rows_new(&rows, ITEMS, PREDICTORS, x, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    free(x);
    free(w);
    return rows;
}

static scant_regression judge_numbers(const scant_rows *rows, bool channel)
{
    scant_regression out;
    scant_regression_options options;
    scant_regression_options_preset(&options);
    options.channel = channel;
    options.mean = 3;
    options.sd = 2;
    assert_ok(scant_audit_regression(&out, rows, &options));
    return out;
}

static void parts_make_the_same_audit_of_numbers(void **state)
{
    (void)state;
    for (int channel = 0; channel < 2; channel++) {
        scant_rows *rows = draw_numbers(channel);
        scant_i_tiles_use(LOG2);
        scant_regression one = judge_numbers(rows, channel);
        for (uint64_t seed = 0; seed < DEALINGS; seed++) {
            dealing d;
            dealing_open(&d, seed);
            rows->carrier = &d.loopback.carrier;
            scant_regression many = judge_numbers(rows, channel);
            rows->carrier = NULL;
            SAME(one.loglik, many.loglik);
            SAME(one.noise, many.noise);
            for (size_t c = 0; c < PREDICTORS; c++) {
                assert_int_equal(one.predictor[c].answers, many.predictor[c].answers);
                SAME(one.predictor[c].theta, many.predictor[c].theta);
                SAME(one.predictor[c].risk, many.predictor[c].risk);
            }
            dealing_close(&d);
            scant_regression_clear(&many);
        }
        scant_i_tiles_use(0);
        scant_regression_clear(&one);
        scant_rows_free(rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_threads_make_the_same_audit),
        cmocka_unit_test(parts_make_the_same_audit_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
