/* Error rates from votes: known models are found again, closed forms and brute force agree, missing
 * answers are integrated out, and what cannot be told is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "audit/audit.h"
#include "check.h"
#include "family/votes.h"
#include "votes_cases.h"

static const double TWO[] = {0.7, 0.3}, EVEN[] = {0.5, 0.5}, THREE[] = {0.5, 0.3, 0.2};

static scant_audit *audit(const scant_votes *votes, const char *model, const char *prior)
{
    scant_audit *a = NULL;
    scant_audit_options o = votes_options(model, prior);
    assert_ok(scant_audit_votes(&a, votes, &o));
    return a;
}

static double error_of(const scant_audit *a, size_t c)
{
    return scant_audit_predictor_at(a, c)->error.value;
}

/* theta = (a - m / n) / (2 a - 1), eq. 20, for priors on either side of one half. */
static void test_closed_form(void **state)
{
    (void)state;
    for (size_t t = 0; t < 12; t++) {
        double share = 0.6 + 0.03 * (double)t, prior[2] = {share, 1 - share};
        votes_plan plan = {500, 1, 2, prior, 0.75, 0, 0, 0, 0, 10 + t};
        scant_votes *votes = votes_draw(&plan);
        scant_audit_options o = votes_options("symmetric", NULL);
        char text[64];
        snprintf(text, sizeof text, "%.17g,%.17g", prior[0], prior[1]);
        o.prior = text;
        o.smooth = 0;
        o.tol = 1e-14;
        double second = 0, tally[2];
        for (size_t i = 0; i < 500; i++) {
            scant_votes_tally(votes, i, tally);
            second += tally[1];
        }
        double theta = (share - second / 500) / (2 * share - 1);
        scant_audit *a = NULL;
        assert_ok(scant_audit_votes(&a, votes, &o));
        if (theta > 0.01 && theta < 0.99) /* else the maximum is at the edge */
            assert_true(fabs(1 - error_of(a, 0) - theta) < 1e-10);
        scant_audit_free(a);
        scant_votes_free(votes);
    }
}

static double largest_error(const votes_plan *plan, const char *model, const char *prior)
{
    scant_votes *votes = votes_draw(plan);
    scant_audit *a = audit(votes, model, prior);
    double largest = 0;
    for (size_t c = 0; c < plan->npredictors; c++)
        largest = fmax(largest, fabs(error_of(a, c) - votes_error(plan, c)));
    scant_audit_free(a);
    scant_votes_free(votes);
    return largest;
}

static void test_known_models_are_found(void **state)
{
    (void)state;
    votes_plan two = {40000, 3, 2, TWO, 0.7, 0.08, 0, 0, 0, 21};
    votes_plan sparse = {60000, 12, 3, THREE, 0.6, 0.02, 0.5, 0.6, 0, 22};
    votes_plan known = {40000, 2, 3, THREE, 0.6, 0.1, 0.5, 0, 0.3, 23};
    assert_true(largest_error(&two, "symmetric", "0.7,0.3") < 0.01);
    assert_true(largest_error(&two, "confusion", "0.7,0.3") < 0.02);
    assert_true(largest_error(&two, "confusion", "estimate") < 0.04);
    assert_true(largest_error(&sparse, "confusion", "estimate") < 0.02);
    assert_true(largest_error(&known, "confusion", "estimate") < 0.02);
}

/* Mean squared error of the mean over many draws falls as 1 / n. */
static void test_rate(void **state)
{
    (void)state;
    double squares[2] = {0};
    for (size_t t = 0; t < 60; t++)
        for (size_t s = 0; s < 2; s++) {
            votes_plan plan = {s ? 4000 : 1000, 5, 2, TWO, 0.7, 0.05, 0, 0.2, 0, 100 + t};
            scant_votes *votes = votes_draw(&plan);
            scant_audit *a = audit(votes, "confusion", "0.7,0.3");
            for (size_t c = 0; c < 5; c++)
                squares[s] += pow(error_of(a, c) - votes_error(&plan, c), 2) / 300;
            scant_audit_free(a);
            scant_votes_free(votes);
        }
    double ratio = squares[0] / squares[1]; /* 4, with some 10% of chance */
    assert_true(ratio > 3 && ratio < 5.3);
}

/* The likelihood of answers that are missing is the sum over all they could have been. */
static void test_missing_is_marginal(void **state)
{
    (void)state;
    votes_plan plan = {40, 4, 2, TWO, 0.65, 0.05, 0, 0.4, 0, 31};
    scant_votes *votes = votes_draw(&plan);
    scant_audit_options o = votes_options(NULL, NULL);
    scant_i_audit_task task = {votes, &scant_i_confusion, TWO, &o, NULL};
    scant_i_run *run = NULL;
    assert_ok(scant_i_audit_fit(&run, &task));
    double total = 0;
    for (size_t i = 0; i < 40; i++) {
        double row = 0;
        for (size_t full = 0; full < 16; full++) { /* every table of four answers */
            bool fits = true;
            double chance[2] = {TWO[0], TWO[1]};
            for (size_t c = 0; c < 4; c++) {
                int32_t seen = scant_votes_answer(votes, i, c), a = full >> c & 1;
                fits &= seen < 0 || seen == a;
                for (size_t j = 0; j < 2; j++)
                    chance[j] *= scant_i_audit_table(run->mixture, c, j)[a];
            }
            row += fits ? chance[0] + chance[1] : 0;
        }
        total += log(row);
    }
    assert_true(fabs(total - run->loglik) < 1e-9);
    scant_i_run_free(run);
    scant_votes_free(votes);
}

static void test_objective_rises(void **state)
{
    (void)state;
    votes_plan plan = {300, 6, 3, THREE, 0.5, 0.05, 0.4, 0.3, 0.1, 41};
    scant_votes *votes = votes_draw(&plan);
    const scant_i_family *family[] = {&scant_i_confusion, &scant_i_symmetric};
    for (size_t f = 0; f < 2; f++)
        for (int known = 0; known < 2; known++) {
            scant_audit_options o = votes_options(NULL, NULL);
            scant_i_audit_task task = {votes, family[f], known ? THREE : NULL, &o, NULL};
            scant_i_run *run = NULL;
            assert_ok(scant_i_audit_fit(&run, &task));
            for (size_t t = 1; t < run->ntrace; t++)
                assert_true(run->trace[t] >= run->trace[t - 1] - 1e-12);
            assert_true(run->objective / run->weight >= run->trace[run->ntrace - 1] - 1e-12);
            scant_i_run_free(run);
        }
    scant_votes_free(votes);
}

/* Combination against Bayes' rule on the reported tables. */
static void test_combine(void **state)
{
    (void)state;
    votes_plan plan = {200, 5, 3, THREE, 0.6, 0.05, 0.3, 0.3, 0, 51};
    scant_votes *votes = votes_draw(&plan);
    scant_audit *a = audit(votes, "confusion", "estimate");
    const scant_audit_summary *s = scant_audit_summarise(a);
    double p[200 * 3];
    assert_ok(scant_audit_combine(p, a, votes));
    for (size_t i = 0; i < 200; i++) {
        double wanted[3], sum = 0;
        for (size_t j = 0; j < 3; j++) {
            wanted[j] = s->prior[j].value;
            for (size_t c = 0; c < 5; c++) {
                int32_t x = scant_votes_answer(votes, i, c);
                if (x >= 0)
                    wanted[j] *= scant_audit_predictor_at(a, c)->confusion[j * 3 + (size_t)x].value;
            }
            sum += wanted[j];
        }
        for (size_t j = 0; j < 3; j++)
            assert_true(fabs(p[i * 3 + j] - wanted[j] / sum) < 1e-12);
    }
    scant_audit_free(a);
    scant_votes_free(votes);
}

static void test_threads_agree(void **state)
{
    (void)state;
    votes_plan plan = {5000, 6, 3, THREE, 0.6, 0.05, 0.3, 0.3, 0, 61};
    scant_votes *votes = votes_draw(&plan);
    scant_audit *a[2];
    for (size_t t = 0; t < 2; t++) {
        scant_audit_options o = votes_options(NULL, NULL);
        o.threads = t ? 3 : 1;
        assert_ok(scant_audit_votes(&a[t], votes, &o));
    }
    for (size_t c = 0; c < 6; c++) {
        const scant_audit_predictor *x = scant_audit_predictor_at(a[0], c),
                                    *y = scant_audit_predictor_at(a[1], c);
        assert_same(x->error.value, y->error.value);
        assert_same(x->error.low, y->error.low);
        assert_same(x->confusion[4].error, y->confusion[4].error);
    }
    assert_same(scant_audit_summarise(a[0])->dependence.z,
                scant_audit_summarise(a[1])->dependence.z);
    scant_audit_free(a[0]);
    scant_audit_free(a[1]);
    scant_votes_free(votes);
}

static void refused(const votes_plan *plan, const char *model, const char *prior, bool separately,
                    const char *why)
{
    scant_votes *votes = votes_draw(plan);
    scant_audit *a = NULL;
    scant_audit_options o = votes_options(model, prior);
    o.separately = separately;
    assert_fails(scant_audit_votes(&a, votes, &o), SCANT_ERR_UNIDENTIFIED, why);
    assert_null(a);
    scant_votes_free(votes);
}

static void test_refusals(void **state)
{
    (void)state;
    votes_plan one = {300, 1, 2, TWO, 0.7, 0, 0, 0, 0, 71};
    votes_plan two = {300, 2, 2, TWO, 0.7, 0, 0, 0, 0, 72};
    votes_plan three = {300, 3, 2, TWO, 0.7, 0, 0, 0, 0, 73};
    votes_plan silent = {300, 3, 2, TWO, 0.7, 0, 0, 1, 0, 74};
    votes_plan even = {300, 1, 2, EVEN, 0.7, 0, 0, 0, 0, 75};
    refused(&one, "confusion", "0.7,0.3", false, "three independent predictors");
    refused(&two, "confusion", "0.7,0.3", false, "three independent predictors");
    refused(&three, "confusion", "0.7,0.3", true, "three independent predictors");
    refused(&even, "symmetric", "0.5,0.5", false, "uniform prior");
    refused(&two, "symmetric", "0.5,0.5", false, "uniform prior");
    refused(&two, "symmetric", "estimate", false, "fewer than three");
    refused(&three, "symmetric", "estimate", true, "one predictor at a time");
    refused(&silent, "confusion", "0.7,0.3", false, "no predictor answers");
}

/* Three predictors that never answer about the same item: counting finds no fault, information
 * does. */
static void test_no_common_items(void **state)
{
    (void)state;
    enum { N = 300 };
    size_t item[N], predictor[N], answer[N];
    for (size_t i = 0; i < N; i++) {
        item[i] = i;
        predictor[i] = i % 3;
        answer[i] = i % 7 < 3;
    }
    scant_votes *votes = NULL;
    scant_audit *a = NULL;
    scant_audit_options o = votes_options("confusion", "0.7,0.3");
    assert_ok(scant_votes_new(&votes, N, 3, 2, N, item, predictor, answer, NULL, NULL));
    assert_fails(scant_audit_votes(&a, votes, &o), SCANT_ERR_UNIDENTIFIED, "flat");
    scant_votes_free(votes);
}

static void test_truth_replaces_predictors(void **state)
{
    (void)state;
    votes_plan one = {3000, 1, 2, EVEN, 0.8, 0, 0, 0, 0.5, 81};
    assert_true(largest_error(&one, "confusion", "0.5,0.5") < 0.03);
}

static void test_bad_votes(void **state)
{
    (void)state;
    size_t item[] = {0, 0}, predictor[] = {0, 0}, answer[] = {0, 1}, far[] = {0, 9};
    scant_votes *votes = NULL;
    assert_fails(scant_votes_new(&votes, 1, 1, 2, 2, item, predictor, answer, NULL, NULL),
                 SCANT_ERR_INPUT, "'p1' answers twice");
    assert_fails(scant_votes_new(&votes, 1, 1, 2, 2, far, predictor, answer, NULL, NULL),
                 SCANT_ERR_ARGUMENT, "item 10 of 1");
    assert_fails(scant_votes_new(&votes, 1, 1, 1, 1, item, predictor, item, NULL, NULL),
                 SCANT_ERR_INPUT, "two are the least");
    assert_null(votes);
}

/* A pair that copies each other is found; independent predictors are left alone. */
static void test_dependence(void **state)
{
    (void)state;
    enum { N = 1000, K = 7 };
    size_t item[N * K], predictor[N * K], answer[N * K];
    votes_plan plan = {N, K, 2, TWO, 0.75, 0.03, 0, 0, 0, 91};
    scant_votes *votes = votes_draw(&plan), *copied = NULL;
    for (size_t t = 0; t < N * K; t++) {
        item[t] = t / K;
        predictor[t] = t % K;
        size_t source = t % K == 1 && item[t] % 5 < 2 ? 0 : t % K;
        answer[t] = (size_t)scant_votes_answer(votes, item[t], source);
    }
    assert_ok(scant_votes_new(&copied, N, K, 2, N * K, item, predictor, answer, NULL, NULL));
    scant_audit *a = audit(votes, NULL, NULL), *b = audit(copied, NULL, NULL);
    const scant_dependence *good = &scant_audit_summarise(a)->dependence,
                           *bad = &scant_audit_summarise(b)->dependence;
    assert_int_equal(good->verdict, SCANT_VERDICT_HOLDS);
    assert_int_equal(good->pairs, K * (K - 1) / 2);
    assert_int_equal(bad->verdict, SCANT_VERDICT_FAILS);
    assert_true(bad->first == 0 && bad->second == 1 && bad->z > 5);
    assert_true(isnan(scant_audit_predictor_at(b, 2)->error.low)); /* not to be trusted */
    assert_true(isfinite(scant_audit_predictor_at(b, 2)->error.value));
    scant_audit_free(a);
    scant_audit_free(b);
    scant_votes_free(votes);
    scant_votes_free(copied);
}

/* Half of the votes audited, the other half added: most of the way to an audit of all of them. */
static void test_update(void **state)
{
    (void)state;
    enum { N = 4000, K = 5 };
    votes_plan plan = {N, K, 2, TWO, 0.7, 0.04, 0, 0.2, 0, 95};
    scant_votes *all = votes_draw(&plan), *half[2];
    size_t *item = calloc(3 * N * K, sizeof *item), *predictor = item + N * K,
           *answer = predictor + N * K;
    for (size_t h = 0; h < 2; h++) {
        size_t n = 0;
        for (size_t t = 0; t < (size_t)N / 2 * K; t++) {
            int32_t a = scant_votes_answer(all, t / K + h * N / 2, t % K);
            item[n] = t / K;
            predictor[n] = t % K;
            answer[n] = (size_t)a;
            n += a >= 0;
        }
        assert_ok(scant_votes_new(&half[h], N / 2, K, 2, n, item, predictor, answer, NULL, NULL));
    }
    scant_audit *whole = audit(all, NULL, NULL), *grown = audit(half[0], NULL, NULL);
    double before = 0, after = 0;
    for (size_t c = 0; c < K; c++)
        before = fmax(before, fabs(error_of(grown, c) - error_of(whole, c)));
    assert_ok(scant_audit_update(grown, half[1]));
    for (size_t c = 0; c < K; c++) {
        after = fmax(after, fabs(error_of(grown, c) - error_of(whole, c)));
        assert_int_equal(scant_audit_predictor_at(grown, c)->answers,
                         scant_audit_predictor_at(whole, c)->answers);
        assert_true(isnan(scant_audit_predictor_at(grown, c)->error.low));
    }
    assert_true(after < before / 2); /* the old items' share of the way is not gone again */
    scant_audit_free(whole);
    scant_audit_free(grown);
    scant_votes_free(all);
    scant_votes_free(half[0]);
    scant_votes_free(half[1]);
    free(item);
}

/* Gains against the entropies of the audits' own combinations, and the order against all others. */
static void test_ask(void **state)
{
    (void)state;
    enum { N = 60, K = 4, MOST = 1000 };
    votes_plan plan = {N, K, 3, THREE, 0.6, 0.08, 0.2, 0.4, 0, 96};
    scant_votes *votes = votes_draw(&plan);
    scant_audit_options o = votes_options("confusion", "0.5,0.3,0.2");
    scant_audit *a = NULL;
    scant_ask few[7], all[MOST];
    size_t nfew = 7, nall = MOST, missing = 0;
    double cost[K] = {1, 2, 3, 1}, p[N * 3];
    assert_ok(scant_audit_votes(&a, votes, &o));
    assert_ok(scant_audit_ask(few, &nfew, a, votes, cost));
    assert_ok(scant_audit_ask(all, &nall, a, votes, cost));
    assert_ok(scant_audit_combine(p, a, votes));
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < K; c++)
            missing += scant_votes_answer(votes, i, c) < 0;
    assert_int_equal(nfew, 7);
    assert_int_equal(nall, missing);
    assert_memory_equal(few, all, sizeof few);
    for (size_t t = 0; t < nall; t++) {
        const scant_estimate *table = scant_audit_predictor_at(a, all[t].predictor)->confusion;
        const double *r = p + all[t].item * 3;
        double gain = 0; /* of two ways to write the information, the other */
        for (size_t x = 0; x < 3; x++) {
            double chance = 0;
            for (size_t j = 0; j < 3; j++)
                chance += r[j] * table[j * 3 + x].value;
            for (size_t j = 0; j < 3; j++)
                gain += r[j] * table[j * 3 + x].value * log2(table[j * 3 + x].value / chance);
        }
        assert_true(fabs(gain - all[t].gain) < 1e-9);
        assert_true(t == 0 || all[t].worth <= all[t - 1].worth);
        assert_true(scant_votes_answer(votes, all[t].item, all[t].predictor) < 0);
    }
    scant_audit_free(a);
    scant_votes_free(votes);
}

/* An item of weight 2 is two items. */
static void test_weights(void **state)
{
    (void)state;
    enum { ITEMS = 200, PREDICTORS = 3 };
    size_t item[2 * ITEMS * PREDICTORS], predictor[2 * ITEMS * PREDICTORS];
    size_t answer[2 * ITEMS * PREDICTORS], nvotes = 0, ncopied = ITEMS;
    double weight[ITEMS];
    votes_plan plan = {ITEMS, PREDICTORS, 2, TWO, 0.7, 0.08, 0, 0, 0, 77};
    scant_votes *once = votes_draw(&plan), *twice = NULL;
    for (size_t i = 0; i < ITEMS; i++) {
        weight[i] = 1 + (double)(i % 2);
        for (size_t copy = 0; copy < 1 + i % 2; copy++) {
            size_t to = copy ? ncopied++ : i;
            for (size_t c = 0; c < PREDICTORS; c++, nvotes++) {
                item[nvotes] = to;
                predictor[nvotes] = c;
                answer[nvotes] = (size_t)scant_votes_answer(once, i, c);
            }
        }
    }
    assert_ok(scant_votes_set_weights(once, weight));
    assert_ok(scant_votes_new(&twice, ncopied, PREDICTORS, 2, nvotes, item, predictor, answer, NULL,
                              NULL));
    scant_audit *a = audit(once, "confusion", "0.7,0.3"), *b = audit(twice, "confusion", "0.7,0.3");
    for (size_t c = 0; c < PREDICTORS; c++) {
        assert_true(fabs(error_of(a, c) - error_of(b, c)) < 1e-6);
        assert_true(fabs(scant_audit_predictor_at(a, c)->error.error -
                         scant_audit_predictor_at(b, c)->error.error) < 1e-6);
    }
    weight[3] = -1;
    assert_fails(scant_votes_set_weights(once, weight), SCANT_ERR_INPUT, "weight");
    scant_audit_free(a);
    scant_audit_free(b);
    scant_votes_free(once);
    scant_votes_free(twice);
}

/* One predictor that answers as often as the prior says, or more: its error rate goes to 0, where extrapolations leave it above 1
 * by rounding, and what is left for the other answers is not 1 less that. */
static void test_edge(void **state)
{
    (void)state;
    enum { ITEMS = 500 };
    size_t item[ITEMS], predictor[ITEMS] = {0}, answer[ITEMS];
    for (size_t i = 0; i < ITEMS; i++)
        item[i] = i;
    for (size_t t = 0; t < 12; t++)
        for (size_t first = 300; first < 500; first += 2) {
            double share = 0.58 + 0.03 * (double)t, prior[2] = {share, 1 - share};
            scant_votes *votes = NULL;
            scant_audit_options o = votes_options("symmetric", NULL);
            scant_i_audit_task task = {NULL, &scant_i_symmetric, prior, &o, NULL};
            scant_i_run *run = NULL;
            o.smooth = 0;
            for (size_t i = 0; i < ITEMS; i++)
                answer[i] = i >= first;
            assert_ok(
                scant_votes_new(&votes, ITEMS, 1, 2, ITEMS, item, predictor, answer, NULL, NULL));
            task.votes = votes;
            assert_ok(scant_i_audit_fit(&run, &task));
            for (size_t j = 0; j < 2; j++) {
                const double *p = scant_i_audit_table(run->mixture, 0, j);
                assert_true(p[0] >= 0 && p[1] >= 0 && fabs(p[0] + p[1] - 1) < 1e-14);
            }
            scant_i_run_free(run);
            scant_votes_free(votes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_known_models_are_found),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_missing_is_marginal),
        cmocka_unit_test(test_objective_rises),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_common_items),
        cmocka_unit_test(test_truth_replaces_predictors),
        cmocka_unit_test(test_bad_votes),
        cmocka_unit_test(test_dependence),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_edge),
        cmocka_unit_test(test_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
