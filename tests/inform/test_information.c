/* Observed information against finite differences of the engine's own objective, for every family,
 * shape and kind of evidence; complete and missing against a loop over rows, components and classes
 * that reads as their definition. */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "inform/information.h"
#include "inform_cases.h"

static const double TOLERANCE = 1e-5;

static double *room_for(size_t n)
{
    double *room = calloc(n ? n : 1, sizeof *room);
    assert_non_null(room);
    return room;
}

/* --- finite differences --- */

typedef struct difference {
    inform_objective objective;
    const scant_i_chart *chart;
    const double *point, *step;
    double *moved;
} difference;

static double value_at(difference *d, size_t a, double by_a, size_t b, double by_b)
{
    memcpy(d->moved, d->point, d->chart->n * sizeof *d->moved);
    d->moved[a] += by_a * d->step[a];
    d->moved[b] += by_b * d->step[b];
    assert_ok(scant_i_chart_set(d->chart, d->objective.mixture, d->moved));
    return inform_objective_at(&d->objective);
}

static double second(difference *d, size_t a, size_t b, double h)
{
    double sum = value_at(d, a, h, b, h) - value_at(d, a, h, b, -h) - value_at(d, a, -h, b, h) +
                 value_at(d, a, -h, b, -h);
    return sum / (4 * h * h * d->step[a] * d->step[b]);
}

/* Second derivative in coordinates a and b, with the errors in h^2 and h^4 taken out. */
static double curvature(difference *d, size_t a, size_t b)
{
    static const double h = 0.008;
    return (64 * second(d, a, b, h / 4) - 20 * second(d, a, b, h / 2) + second(d, a, b, h)) / 45;
}

static void check_problem(const inform_problem *p, const inform_plan *plan)
{
    scant_i_information info;
    assert_ok(scant_i_information_new(&info, p->mixture, p->rows, &p->evidence, 1));
    size_t n = info.chart.n;
    double *point = room_for(n), *step = room_for(n), *moved = room_for(n);
    assert_ok(scant_i_chart_get(&info.chart, p->mixture, point));
    for (size_t a = 0; a < n; a++) /* in units of what one row tells */
        step[a] = sqrt((double)plan->n / info.complete[a * n + a]);
    difference d = {.chart = &info.chart, .point = point, .step = step, .moved = moved};
    inform_objective_new(&d.objective, p);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a; b < n; b++) {
            double want = -curvature(&d, a, b), got = info.observed[a * n + b];
            double unit = sqrt(info.complete[a * n + a] * info.complete[b * n + b]);
            if (!(fabs(got - want) <= TOLERANCE * fmax(unit, fabs(want))) || got != got)
                fail_msg("%s %s, %s%s%s%s%s%s: [%zu][%zu] of %zu (%zu) is %.10g, differences say "
                         "%.10g, unit %g",
                         plan->family->family->name,
                         plan->family->settings.covariance ? plan->family->settings.covariance : "",
                         inform_mode_name[plan->mode], plan->common ? ", common" : "",
                         plan->weighted ? ", weights" : "", plan->missing ? ", missing" : "",
                         plan->prior ? ", prior" : "", plan->noise ? ", noise" : "", a, b, n,
                         info.chart.ncoupling, got, want, unit);
            assert_true(fabs(info.observed[b * n + a] - got) <= 1e-12 * unit);
        }
    inform_objective_clear(&d.objective);
    free(point);
    free(step);
    free(moved);
    scant_i_information_clear(&info);
}

static void check_plan(const inform_plan *plan)
{
    inform_problem p;
    inform_problem_new(&p, plan);
    check_problem(&p, plan);
    inform_problem_clear(&p);
}

/* Every family and shape, kind of evidence and sharing, with and without missing cells; weights,
 * fixed proportions and noise take turns so that each family meets each of them. */
static void observed_is_the_curvature(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILY_CASES; f++)
        for (size_t turn = 0; turn < 4 * INFORM_MODES; turn++) {
            inform_mode mode = (inform_mode)(turn % INFORM_MODES);
            bool common = turn / INFORM_MODES % 2, missing = turn >= 2 * INFORM_MODES;
            if ((mode == INFORM_NONE && common) ||
                (missing && family_cases[f].family == &scant_i_multinomial))
                continue;
            size_t bits = f + turn;
            check_plan(&(inform_plan){.family = &family_cases[f],
                                      .mode = mode,
                                      .common = common,
                                      .weighted = bits % 2,
                                      .missing = missing,
                                      .prior = bits % 5 == 0,
                                      .noise = bits % 7 == 3 && mode <= INFORM_WEIGH,
                                      .fixed = bits % 3 == 0,
                                      .n = 40});
        }
}

/* --- the definition, row by row --- */

typedef struct naive {
    const inform_problem *p;
    const scant_i_chart *chart;
    double *complete, *missing;
    double *s, *mean, *second; /* n, n, n x n: score, and its posterior mean and second moment */
} naive;

static double share_of(const scant_i_mixture *m, size_t k)
{
    double P = 0;
    for (size_t j = 0; j < m->ncomponents; j++)
        P += m->coupling.W[k * m->stride + j];
    return P;
}

/* s = score of (row, j, k), and with weight r: complete += r E[-d2 log c]. */
static void naive_terms(naive *t, size_t i, size_t j, size_t k, bool proportions, double r)
{
    enum { MOST = 16 };
    const scant_i_mixture *m = t->p->mixture;
    const scant_i_factor *f = m->factor[0];
    size_t n = t->chart->n, nat = f->family->natural->nnatural(f), d = f->ncolumns;
    double eta[MOST], T[MOST], K, K1[MOST], K2[MOST * MOST], P[3], x[MOST] = {0};
    memset(t->s, 0, n * sizeof *t->s);
    for (size_t a = 0; a < m->nclasses; a++)
        P[a] = share_of(m, a);
    for (size_t a = 0; a < m->nclasses && proportions; a++) {
        size_t at = t->chart->P[a];
        if (at == SCANT_I_NOWHERE)
            continue;
        t->s[at] = (a == k) - P[a];
        for (size_t b = 0; b < m->nclasses; b++)
            if (t->chart->P[b] != SCANT_I_NOWHERE)
                t->complete[at * n + t->chart->P[b]] += r * P[a] * ((a == b) - P[b]);
    }
    for (size_t a = 0; a < m->ncomponents; a++) {
        size_t at = t->chart->pi[k * m->ncomponents + a];
        double pa = m->coupling.W[k * m->stride + a] / P[k];
        if (at == SCANT_I_NOWHERE)
            continue;
        t->s[at] = (a == j) - pa;
        for (size_t b = 0; b < m->ncomponents; b++) {
            size_t other = t->chart->pi[k * m->ncomponents + b];
            if (other != SCANT_I_NOWHERE)
                t->complete[at * n + other] +=
                    r * pa * ((a == b) - m->coupling.W[k * m->stride + b] / P[k]);
        }
    }
    for (size_t c = 0; c < d; c++)
        x[c] = t->p->x[i * d + c];
    assert_ok(f->family->natural->eta(f, j, eta));
    f->family->natural->sufficient(f, x, T);
    assert_ok(f->family->natural->cumulant(f, eta, x, &K, K1, K2));
    const size_t *at = scant_i_chart_eta(t->chart, 0, j);
    for (size_t a = 0; a < nat; a++) {
        t->s[at[a]] = T[a] - K1[a];
        for (size_t b = 0; b < nat; b++)
            t->complete[at[a] * n + at[b]] += r * K2[a * nat + b];
    }
}

/* A row, or one of its labelled copies, with evidence v and weight w. */
static void naive_row(naive *t, const family_case *one, size_t i, const double *v, double w,
                      bool proportions)
{
    const scant_i_mixture *m = t->p->mixture;
    size_t n = t->chart->n, d = m->factor[0]->ncolumns;
    double total = 0, top = -INFINITY, F[4], g[3 * 4];
    memset(t->mean, 0, n * sizeof *t->mean);
    memset(t->second, 0, n * n * sizeof *t->second);
    for (size_t j = 0; j < m->ncomponents; j++) {
        F[j] = one->log_density(m->factor[0], j, t->p->x + i * d, NULL);
        for (size_t k = 0; k < m->nclasses; k++)
            top = m->coupling.W[k * m->stride + j] * v[k] > 0 ? fmax(top, F[j]) : top;
    }
    for (size_t k = 0; k < m->nclasses; k++)
        for (size_t j = 0; j < m->ncomponents; j++) {
            double W = m->coupling.W[k * m->stride + j] / (proportions ? 1 : share_of(m, k));
            g[k * 4 + j] = W * v[k] > 0 ? W * v[k] * exp(F[j] - top) : 0;
            total += g[k * 4 + j];
        }
    for (size_t k = 0; k < m->nclasses; k++)
        for (size_t j = 0; j < m->ncomponents; j++) {
            double r = w * g[k * 4 + j] / total;
            if (!(r > 0))
                continue;
            naive_terms(t, i, j, k, proportions, r);
            for (size_t a = 0; a < n; a++) {
                t->mean[a] += r * t->s[a] / w;
                for (size_t b = 0; b < n; b++)
                    t->missing[a * n + b] += r * t->s[a] * t->s[b];
            }
        }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            t->missing[a * n + b] -= w * t->mean[a] * t->mean[b];
}

static void naive_all(naive *t, const family_case *one)
{
    const scant_i_evidence *evidence = &t->p->evidence;
    size_t K = evidence->nclasses;
    for (size_t i = 0; i < t->p->rows->nrows; i++) {
        size_t e = scant_i_evidence_entry(evidence, i);
        const double *v = evidence->v + e * K;
        double w = scant_i_evidence_weight(evidence, i);
        if (!(w > 0))
            continue;
        for (size_t k = 0; k < K && evidence->kind[e] == SCANT_I_POSTERIOR; k++) {
            double own[3] = {k == 0, k == 1, k == 2};
            naive_row(t, one, i, own, w * v[k], true);
        }
        if (evidence->kind[e] != SCANT_I_POSTERIOR)
            naive_row(t, one, i, v, w, evidence->kind[e] != SCANT_I_PRIOR);
    }
}

static void check_against_naive(const inform_plan *plan)
{
    inform_problem p;
    scant_i_information info;
    inform_problem_new(&p, plan);
    assert_ok(scant_i_information_new(&info, p.mixture, p.rows, &p.evidence, 2));
    size_t n = info.chart.n;
    naive t = {.p = &p, .chart = &info.chart};
    t.complete = room_for(n * n);
    t.missing = room_for(n * n);
    t.second = room_for(n * n);
    t.s = room_for(n);
    t.mean = room_for(n);
    naive_all(&t, plan->family);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double unit = sqrt(t.complete[a * n + a] * t.complete[b * n + b]);
            if (!(fabs(t.complete[a * n + b] - info.complete[a * n + b]) <= 1e-10 * unit))
                fail_msg("%s, %s: complete[%zu][%zu] %.15g, naive %.15g",
                         plan->family->family->name, inform_mode_name[plan->mode], a, b,
                         info.complete[a * n + b], t.complete[a * n + b]);
            if (!(fabs(t.missing[a * n + b] - info.missing[a * n + b]) <= 1e-10 * unit))
                fail_msg("%s, %s: missing[%zu][%zu] %.15g, naive %.15g", plan->family->family->name,
                         inform_mode_name[plan->mode], a, b, info.missing[a * n + b],
                         t.missing[a * n + b]);
        }
    free(t.complete);
    free(t.missing);
    free(t.second);
    free(t.s);
    free(t.mean);
    scant_i_information_clear(&info);
    inform_problem_clear(&p);
}

static void complete_and_missing_are_as_defined(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILY_CASES; f++)
        for (int mode = 0; mode < INFORM_MODES; mode++)
            for (unsigned common = 0; common < (mode == INFORM_NONE ? 1 : 2); common++)
                check_against_naive(&(inform_plan){.family = &family_cases[f],
                                                   .mode = (inform_mode)mode,
                                                   .common = common,
                                                   .weighted = (f + common) % 2,
                                                   .prior = (f + (size_t)mode) % 3 == 0,
                                                   .plain_units = true,
                                                   .n = 700});
}

/* So many entries of evidence that the later ones have no table of their own. */
static void entries_beyond_tables(void **state)
{
    (void)state;
    enum { TABLES_MOST = 512 };
    for (size_t turn = 0; turn < 4; turn++) {
        const inform_plan plan = {.family = &family_cases[turn % 2 ? PLAIN_CASES : 0],
                                  .mode = turn < 2 ? INFORM_WEIGH : INFORM_REPLACE,
                                  .common = turn % 2 == 0,
                                  .weighted = turn > 0,
                                  .plain_units = true,
                                  .many = true,
                                  .n = 1500};
        inform_problem p;
        inform_problem_new(&p, &plan);
        assert_true(p.evidence.nentries > TABLES_MOST + 100);
        inform_problem_clear(&p);
        check_against_naive(&plan);
    }
}

/* --- around it --- */

/* Nothing is missing where every row is labelled and each class has one component. */
static void nothing_is_missing_of_labelled_classes(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILY_CASES; f++) {
        inform_plan plan = {.family = &family_cases[f], .mode = INFORM_LABELLED, .n = 200};
        inform_problem p;
        scant_i_information info;
        inform_problem_new(&p, &plan);
        double *first = p.mixture->coupling.W, moved = first[0];
        first[0] = 0; /* component 0 serves no class any more, and is no parameter */
        first[1] += moved;
        assert_ok(scant_i_information_new(&info, p.mixture, p.rows, &p.evidence, 1));
        size_t n = info.chart.n;
        assert_int_equal(info.chart.ncoupling, 2);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                assert_true(fabs(info.missing[a * n + b]) <=
                            1e-13 * sqrt(info.complete[a * n + a] * info.complete[b * n + b]));
        scant_i_information_clear(&info);
        inform_problem_clear(&p);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (unsigned missing = 0; missing < 2; missing++) {
        inform_plan plan = {.family = &family_cases[PLAIN_CASES],
                            .mode = INFORM_WEIGH,
                            .common = true,
                            .missing = missing,
                            .n = 9000};
        inform_problem p;
        scant_i_information one, three;
        inform_problem_new(&p, &plan);
        assert_ok(scant_i_information_new(&one, p.mixture, p.rows, &p.evidence, 1));
        assert_ok(scant_i_information_new(&three, p.mixture, p.rows, &p.evidence, 3));
        size_t bytes = one.chart.n * one.chart.n * sizeof *one.observed;
        assert_memory_equal(one.observed, three.observed, bytes);
        assert_memory_equal(one.complete, three.complete, bytes);
        scant_i_information_clear(&one);
        scant_i_information_clear(&three);
        inform_problem_clear(&p);
    }
}

/* Two families side by side: each one's block of complete information is as it is alone, and the
 * whole is the curvature again. */
static void factors_go_together(void **state)
{
    (void)state;
    inform_plan plan = {
        .family = &family_cases[PLAIN_CASES + 1], .mode = INFORM_EXACT, .missing = true, .n = 60};
    inform_problem p;
    scant_i_information info;
    inform_problem_new(&p, &plan);
    scant_i_mixture *two = NULL;
    static const size_t first[] = {0, 2}, second[] = {1};
    scant_i_random random = scant_i_random_new(5, 5);
    assert_ok(scant_i_mixture_new(&two, 4, 3, 2));
    memcpy(two->coupling.W, p.mixture->coupling.W, 3 * two->stride * sizeof *two->coupling.W);
    for (size_t f = 0; f < 2; f++) {
        scant_i_family_settings settings = {.covariance = f ? "tied" : "full"};
        assert_ok(scant_i_factor_new(&two->factor[f], &scant_i_gaussian, &settings, 4,
                                     f ? second : first, NULL, f ? 1 : 2));
        for (size_t t = 0; t < two->factor[f]->ntheta; t++)
            two->factor[f]->theta[t] = 2 * scant_i_random_normal(&random);
        for (size_t j = 0; j < (f ? 1 : 4); j++) {
            double *S = two->factor[f]->theta + (f ? 4 : 8) + 4 * j;
            static const double covariance[] = {3, 0.5, 0.5, 2};
            memcpy(S, covariance, (f ? 1 : 4) * sizeof *S);
        }
    }
    scant_i_mixture_free(p.mixture);
    p.mixture = two;
    check_problem(&p, &plan);
    assert_ok(scant_i_information_new(&info, two, p.rows, &p.evidence, 1));
    assert_int_equal(info.chart.n, 2 + 1 + 4 * 5 + 4 + 1);
    scant_i_information_clear(&info);
    inform_problem_clear(&p);
}

static void what_has_no_information_is_refused(void **state)
{
    (void)state;
    inform_plan plan = {
        .family = family_case_of(&scant_i_bernoulli), .mode = INFORM_EXACT, .n = 50};
    inform_problem p;
    scant_i_information info;
    inform_problem_new(&p, &plan);
    p.mixture->factor[0]->theta[1] = 0;
    assert_fails(scant_i_information_new(&info, p.mixture, p.rows, &p.evidence, 1),
                 SCANT_ERR_UNIDENTIFIED, "edge of its domain");
    p.mixture->factor[0]->theta[1] = 0.5;
    assert_ok(SCANT_I_NEW(&p.mixture->coupling.R, 3 * p.mixture->stride));
    assert_fails(scant_i_information_new(&info, p.mixture, p.rows, &p.evidence, 1),
                 SCANT_ERR_ARGUMENT, "pseudo-likelihood");
    assert_null(info.observed);
    inform_problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_missing_of_labelled_classes),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(factors_go_together),
        cmocka_unit_test(what_has_no_information_is_refused),
        cmocka_unit_test(complete_and_missing_are_as_defined),
        cmocka_unit_test(entries_beyond_tables),
        cmocka_unit_test(observed_is_the_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
