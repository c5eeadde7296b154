/* Profiles of the likelihood: against brute force that knows nothing of EM, at the edges, and where the
 * votes do not tell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "votes_cases.h"

static const double TWO[] = {0.7, 0.3};

static scant_audit *audit(const scant_votes *votes, const char *model, const char *prior,
                          const char *intervals)
{
    scant_audit *a = NULL;
    scant_audit_options o = votes_options(model, prior);
    o.intervals = intervals;
    o.smooth = 0; /* brute force maximises the likelihood alone */
    o.tol = 1e-13;
    assert_ok(scant_audit_votes(&a, votes, &o));
    return a;
}

/* --- brute force: every table as logits, one of them given by the error rate --- */

enum { K = 3, L = 2, MOST = K * L * L + L };

typedef struct brute {
    const scant_votes *votes;
    size_t k, l, c;
    bool symmetric, free_prior;
    const double *prior;
    double error;
} brute;

static size_t dimensions(const brute *b)
{
    size_t tables = b->symmetric ? b->k : b->k * b->l * (b->l - 1);
    return tables + (b->free_prior ? b->l - 1 : 0);
}

static void softmax(double *p, const double *x, size_t l)
{
    double sum = 0;
    for (size_t a = 0; a < l; a++)
        sum += p[a] = exp(a + 1 < l ? x[a] : 0);
    for (size_t a = 0; a < l; a++)
        p[a] /= sum;
}

/* Tables and shares from x; the last class's row of predictor c is bent so that c errs by `error`. false:
 * no row does. */
static bool unfold(double p[K][L][L], double *prior, const brute *b, const double *x)
{
    size_t l = b->l;
    for (size_t c = 0; c < b->k; c++)
        for (size_t j = 0; j < l; j++) {
            double theta = c == b->c ? 1 - b->error : 1 / (1 + exp(-x[c]));
            if (!b->symmetric)
                softmax(p[c][j], x + (c * l + j) * (l - 1), l);
            for (size_t a = 0; a < l && b->symmetric; a++)
                p[c][j][a] = a == j ? theta : (1 - theta) / (double)(l - 1);
        }
    memcpy(prior, b->prior, l * sizeof *prior);
    if (b->free_prior)
        softmax(prior, x + dimensions(b) - (l - 1), l);
    if (b->symmetric)
        return true;
    double right = 1 - b->error, last = p[b->c][l - 1][l - 1];
    for (size_t j = 0; j + 1 < l; j++)
        right -= prior[j] * p[b->c][j][j];
    right /= prior[l - 1];
    if (!(right > 0 && right < 1))
        return false;
    for (size_t a = 0; a < l; a++)
        p[b->c][l - 1][a] = a + 1 == l ? right : p[b->c][l - 1][a] / (1 - last) * (1 - right);
    return true;
}

static double loglik(const brute *b, const double *x)
{
    double p[K][L][L], prior[L], sum = 0;
    if (!unfold(p, prior, b, x))
        return -INFINITY;
    for (size_t i = 0; i < scant_votes_items(b->votes); i++) {
        double row = 0;
        for (size_t j = 0; j < b->l; j++) {
            double chance = prior[j];
            for (size_t c = 0; c < b->k; c++) {
                int32_t a = scant_votes_answer(b->votes, i, c);
                chance *= a < 0 ? 1 : p[c][j][a];
            }
            row += chance;
        }
        sum += log(row);
    }
    return sum;
}

/* Steps along each coordinate and along the last gain, halved where none rises. */
static double compass(const brute *b, double *x, double step)
{
    double best = loglik(b, x), from[MOST], there[MOST];
    size_t n = dimensions(b);
    for (int round = 0; step > 1e-4 && round < 2000; round++) {
        double before = best;
        memcpy(from, x, n * sizeof *from);
        for (size_t d = 0; d < n; d++)
            for (int side = -1; side <= 1; side += 2) {
                double old = x[d], now;
                x[d] = old + side * step;
                now = loglik(b, x);
                x[d] = now > best ? x[d] : old;
                best = fmax(best, now);
            }
        for (double extrapolation = 1; extrapolation < 1e3; extrapolation *= 2) {
            for (size_t d = 0; d < n; d++)
                there[d] = x[d] + extrapolation * (x[d] - from[d]);
            double now = loglik(b, there);
            if (!(now > best))
                break;
            best = now;
            memcpy(x, there, n * sizeof *x);
        }
        step /= best - before < 1e-7 ? 2 : 1;
    }
    return best;
}

/* Starts at the audit's own estimates, which are the maximum. */
static void start(double *x, const brute *b, const scant_audit *a)
{
    size_t l = b->l;
    for (size_t c = 0; c < b->k; c++) {
        const scant_estimate *p = scant_audit_predictor_at(a, c)->confusion;
        if (b->symmetric)
            x[c] = log(p[0].value / (1 - p[0].value));
        for (size_t j = 0; j < l && !b->symmetric; j++)
            for (size_t t = 0; t + 1 < l; t++)
                x[(c * l + j) * (l - 1) + t] = log(p[j * l + t].value / p[j * l + l - 1].value);
    }
    const scant_estimate *prior = scant_audit_summarise(a)->prior;
    for (size_t t = 0; t + 1 < l && b->free_prior; t++)
        x[dimensions(b) - (l - 1) + t] = log(prior[t].value / prior[l - 1].value);
}

static void compare(const votes_plan *plan, const char *model, const char *prior)
{
    scant_votes *votes = votes_draw(plan);
    scant_audit *a = audit(votes, model, prior, "wald");
    double error[3], fall[3], x[MOST] = {0};
    brute b = {.votes = votes,
               .k = plan->npredictors,
               .l = plan->nclasses,
               .c = 1 % plan->npredictors,
               .symmetric = strcmp(model, "symmetric") == 0,
               .free_prior = strcmp(prior, "estimate") == 0,
               .prior = plan->prior};
    const scant_estimate *e = &scant_audit_predictor_at(a, b.c)->error;
    for (int t = 0; t < 3; t++) /* two standard errors, on both sides and beyond */
        error[t] = e->value + (double[]){1, 2, -1.5}[t] * e->error;
    assert_ok(scant_audit_profile(fall, a, votes, b.c, error, 3));
    for (int t = 0; t < 3; t++) {
        b.error = error[t];
        start(x, &b, a);
        double naive = 2 * (scant_audit_summarise(a)->loglik - compass(&b, x, 0.3));
        if (!(fabs(fall[t] - naive) < 2e-3 * fmax(naive, 1)))
            fail_msg("%s %s, error %g: %g, brute force %g", model, prior, error[t], fall[t], naive);
    }
    scant_audit_free(a);
    scant_votes_free(votes);
}

static void test_brute_force(void **state)
{
    (void)state;
    votes_plan one = {300, 1, 2, TWO, 0.75, 0, 0, 0, 0, 1};
    votes_plan full = {300, 3, 2, TWO, 0.7, 0.08, 0, 0, 0, 2};
    votes_plan gaps = {300, 3, 2, TWO, 0.75, 0.05, 0, 0.3, 0, 3};

    compare(&one, "symmetric", "0.7,0.3");
    compare(&full, "symmetric", "estimate");
    compare(&gaps, "symmetric", "0.7,0.3");
    compare(&full, "confusion", "0.7,0.3");
    compare(&gaps, "confusion", "0.7,0.3");
    compare(&gaps, "confusion", "estimate");
}

/* One symmetric predictor: the answers are a binomial's, and a fine grid has the ends. Under shares that are
 * nearly even, an end is the scale's. */
static void test_ends_on_a_grid(void **state)
{
    (void)state;
    for (uint64_t seed = 5; seed < 11; seed++) {
        double share = seed < 8 ? 0.7 : 0.55, prior[] = {share, 1 - share};
        votes_plan plan = {400, 1, 2, prior, 0.8, 0, 0, 0, 0, seed};
        scant_votes *votes = votes_draw(&plan);
        scant_audit *a = audit(votes, "symmetric", seed < 8 ? "0.7,0.3" : "0.55,0.45", "profile");
        double tally[2], first = 0, top = -INFINITY, low = 1, high = 0;
        for (size_t i = 0; i < 400; i++) {
            scant_votes_tally(votes, i, tally);
            first += tally[0];
        }
        for (int pass = 0; pass < 2; pass++)
            for (int t = 0; t <= 100000; t++) {
                double e = t / 1e5, s = share * (1 - e) + (1 - share) * e;
                double l = first * log(s) + (400 - first) * log(1 - s);
                top = fmax(top, l);
                if (pass && 2 * (top - l) <= 3.841458820694124) {
                    low = fmin(low, e);
                    high = fmax(high, e);
                }
            }
        const scant_estimate *e = &scant_audit_predictor_at(a, 0)->error;
        assert_true(fabs(e->low - low) < 5e-4 && fabs(e->high - high) < 5e-4);
        assert_true((low > 0 || e->low == 0) && (high < 1 || e->high == 1));
        scant_audit_free(a);
        scant_votes_free(votes);
    }
}

/* Never wrong where the truth is known: from 0 to 1 - exp(-z^2 / (2 n)), as for any count of none. */
static void test_never_wrong(void **state)
{
    (void)state;
    votes_plan plan = {50, 1, 2, TWO, 1, 0, 0, 0, 1, 6};
    scant_votes *votes = votes_draw(&plan);
    scant_audit *a = audit(votes, "symmetric", "0.7,0.3", "profile");
    const scant_estimate *e = &scant_audit_predictor_at(a, 0)->error;
    assert_true(e->low == 0);
    assert_true(fabs(e->high - (1 - exp(-3.841458820694124 / 100))) < 1e-4);
    scant_audit_free(a);
    scant_votes_free(votes);
}

/* The same with tables: three of them, of items without truth, where wrong answers are all but none. */
static void test_tables_at_the_edge(void **state)
{
    (void)state;
    for (uint64_t seed = 20; seed < 40; seed++) {
        votes_plan plan = {100, 3, 2, TWO, 0.97, 0.01, 0, 0, 0, seed};
        scant_votes *votes = votes_draw(&plan);
        scant_audit *a = audit(votes, "confusion", "0.7,0.3", "profile");
        for (size_t c = 0; c < 3; c++) {
            const scant_estimate *e = &scant_audit_predictor_at(a, c)->error;
            assert_true(isnan(e->value) || (e->low >= 0 && e->low <= e->value + 1e-6 &&
                                            e->high > e->value && e->high < 0.3));
        }
        scant_audit_free(a);
        scant_votes_free(votes);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    votes_plan plan = {200, 5, 2, TWO, 0.75, 0.03, 0, 0, 0, 8};
    scant_votes *votes = votes_draw(&plan);
    scant_audit_options o = votes_options("loglinear", "0.7,0.3");
    scant_audit *a = NULL;
    double error = 0.2, fall;
    o.intervals = "profile";
    assert_fails(scant_audit_votes(&a, votes, &o), SCANT_ERR_ARGUMENT, "loglinear");
    o.model = "symmetric";
    o.separately = true;
    assert_ok(scant_audit_votes(&a, votes, &o));
    assert_true(scant_audit_predictor_at(a, 3)->error.low <
                scant_audit_predictor_at(a, 3)->error.high);
    assert_fails(scant_audit_profile(&fall, a, votes, 0, &error, 1), SCANT_ERR_ARGUMENT,
                 "together");
    scant_audit_free(a);
    o.separately = false;
    assert_ok(scant_audit_votes(&a, votes, &o));
    error = 1;
    assert_fails(scant_audit_profile(&fall, a, votes, 0, &error, 1), SCANT_ERR_ARGUMENT, "between");
    assert_fails(scant_audit_profile(&fall, a, votes, 9, &error, 1), SCANT_ERR_ARGUMENT,
                 "predictor");
    scant_audit_free(a);
    scant_votes_free(votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_ends_on_a_grid),
        cmocka_unit_test(test_never_wrong), cmocka_unit_test(test_tables_at_the_edge),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
