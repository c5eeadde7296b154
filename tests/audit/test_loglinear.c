/* The log-linear model: its gradient against differences, its tables against sums over all cells,
 * copies told from experts, and what is too large or too little refused. */
#include "../../src/audit/loglinear.c" /* for the objective, which nobody else needs */

#include <stdlib.h>
#include "check.h"
#include "votes_cases.h"

static const double TWO[] = {0.7, 0.3}, THREE[] = {0.5, 0.3, 0.2};

static void check_gradient(const votes_plan *plan, const char *prior)
{
    static const double h = 1e-4;
    scant_votes *votes = votes_draw(plan);
    scant_audit_options o = votes_options("loglinear", prior);
    scant_i_question q;
    model m = {0};
    assert_ok(scant_i_question_new(&q, votes, &o));
    assert_ok(build(&m, &q));
    double *x = calloc(m.n, sizeof *x), *g = calloc(m.n, sizeof *g), *none = calloc(m.n, sizeof *g);
    double value, up, down, up2, down2;
    for (size_t e = 0; e < m.n; e++)
        x[e] = 0.5 * sin(3.7 * (double)e + 1); /* anywhere */
    assert_ok(objective(&value, g, x, &m));
    for (size_t e = 0; e < m.n; e++) {
        double at = x[e];
        x[e] = at + h;
        assert_ok(objective(&up, none, x, &m));
        x[e] = at - h;
        assert_ok(objective(&down, none, x, &m));
        x[e] = at + 2 * h;
        assert_ok(objective(&up2, none, x, &m));
        x[e] = at - 2 * h;
        assert_ok(objective(&down2, none, x, &m));
        x[e] = at;
        double slope = (8 * (up - down) - (up2 - down2)) / (12 * h);
        assert_true(fabs(slope - g[e]) < 1e-7 * fmax(1, fabs(value)));
    }
    free(x);
    free(g);
    free(none);
    free_model(&m);
    scant_i_question_clear(&q);
    scant_votes_free(votes);
}

static void test_gradient(void **state)
{
    (void)state;
    votes_plan two = {50, 6, 2, TWO, 0.7, 0.02, 0, 0.3, 0.2, 1};
    votes_plan three = {40, 5, 3, THREE, 0.6, 0.02, 0.3, 0.2, 0, 2};
    check_gradient(&two, "0.7,0.3");
    check_gradient(&two, "estimate");
    check_gradient(&three, "estimate");
}

/* Tables sum to 1, and a missing answer is the sum over what it could be. */
static void test_cells(void **state)
{
    (void)state;
    votes_plan plan = {400, 6, 2, TWO, 0.7, 0.03, 0, 0.2, 0, 3};
    scant_votes *votes = votes_draw(&plan);
    scant_audit_options o = votes_options("loglinear", "0.7,0.3");
    scant_audit *a = NULL;
    assert_ok(scant_audit_votes(&a, votes, &o));
    double total = 0, part[2], whole[2] = {0}, p[2];
    for (size_t e = 0; e < 2 * a->ncells; e++)
        total += a->cells[e];
    assert_true(fabs(total - 1) < 1e-12);
    int32_t answer[6] = {0, 1, -1, 1, 0, 0};
    scant_i_audit_look_up(part, a, answer);
    for (answer[2] = 0; answer[2] < 2; answer[2]++) {
        scant_i_audit_look_up(p, a, answer);
        for (size_t j = 0; j < 2; j++)
            whole[j] += p[j];
    }
    assert_true(fabs(part[0] - whole[0]) < 1e-15 && fabs(part[1] - whole[1]) < 1e-15);
    scant_audit_free(a);
    scant_votes_free(votes);
}

/* Two of eight predictors copy each other on half of the items: taken as independent they look like
 * experts; the log-linear model sees through it. */
static void test_copies(void **state)
{
    (void)state;
    enum { N = 4000, K = 8 };
    size_t *item = calloc(3 * N * K, sizeof *item), *predictor = item + N * K,
           *answer = predictor + N * K;
    votes_plan plan = {N, K, 2, TWO, 0.8, 0, 0, 0, 0, 4};
    scant_votes *votes = votes_draw(&plan), *copied = NULL;
    for (size_t t = 0; t < (size_t)N * K; t++) {
        item[t] = t / K;
        predictor[t] = t % K;
        size_t source = t % K == 1 && item[t] % 2 == 0 ? 0 : t % K;
        answer[t] = (size_t)scant_votes_answer(votes, item[t], source);
    }
    assert_ok(
        scant_votes_new(&copied, N, K, 2, (size_t)N * K, item, predictor, answer, NULL, NULL));
    double error[2];
    const char *name[] = {"confusion", "loglinear"};
    for (size_t t = 0; t < 2; t++) {
        scant_audit *a = NULL;
        scant_audit_options o = votes_options(name[t], "0.7,0.3");
        assert_ok(scant_audit_votes(&a, copied, &o));
        error[t] = scant_audit_predictor_at(a, 0)->error.value;
        const scant_estimate *e = &scant_audit_predictor_at(a, 0)->error;
        if (t)
            assert_true(e->low < 0.2 && e->high > 0.2);
        scant_audit_free(a);
    }
    assert_true(fabs(error[0] - 0.2) > 0.015); /* this is what is wrong with independence */
    assert_true(fabs(error[1] - 0.2) < 0.015);
    free(item);
    scant_votes_free(votes);
    scant_votes_free(copied);
}

static void test_refusals(void **state)
{
    (void)state;
    votes_plan few = {200, 4, 2, TWO, 0.7, 0, 0, 0, 0, 5},
               many = {50, 21, 2, TWO, 0.7, 0, 0, 0, 0, 6};
    scant_votes *votes[] = {votes_draw(&few), votes_draw(&many)};
    scant_audit_options o = votes_options("loglinear", "0.7,0.3");
    scant_audit *a = NULL;
    assert_fails(scant_audit_votes(&a, votes[0], &o), SCANT_ERR_UNIDENTIFIED, "more predictors");
    assert_fails(scant_audit_votes(&a, votes[1], &o), SCANT_ERR_INPUT, "cells");
    scant_votes_free(votes[0]);
    scant_votes_free(votes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
