/* Scores of rows against finite differences of the engine's own log-likelihood, for every family,
 * shape and kind of evidence; their products against a plain sum; sparse rows against dense ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "check.h"
#include "inform/information.h"
#include "inform/scores.h"
#include "inform_cases.h"

static const double TOLERANCE = 1e-6;

static double *room_for(size_t n)
{
    double *room = calloc(n ? n : 1, sizeof *room);
    assert_non_null(room);
    return room;
}

/* Row i's own log-likelihood is the objective of weights that are 0 but for it. */
static double slope_of_row(inform_objective *o, const scant_i_chart *chart, const double *point,
                           double *moved, size_t a, double step)
{
    double value[4];
    static const double by[4] = {1, -1, 2, -2};
    for (size_t t = 0; t < 4; t++) {
        memcpy(moved, point, chart->n * sizeof *moved);
        moved[a] += by[t] * step;
        assert_ok(scant_i_chart_set(chart, o->mixture, moved));
        value[t] = inform_objective_at(o);
    }
    return (8 * (value[0] - value[1]) - (value[2] - value[3])) / (12 * step);
}

static void check_row(const inform_problem *p, const scant_i_chart *chart, const double *point,
                      size_t i, const double *score, const char *what)
{
    inform_problem alone = *p;
    double *weight = room_for(p->rows->nrows), *moved = room_for(chart->n);
    inform_objective o;
    weight[i] = 1;
    alone.evidence.weight = weight;
    alone.evidence.unlabelled_weight = 1;
    inform_objective_new(&o, &alone);
    for (size_t a = 0; a < chart->n; a++) {
        double step = 1e-3 * fmax(fabs(point[a]), 0.1), want;
        want = slope_of_row(&o, chart, point, moved, a, step);
        if (!(fabs(score[a] - want) <= TOLERANCE * fmax(1, fabs(want)) + 1e-11 / step))
            fail_msg("%s: row %zu, coordinate %zu of %zu: %.10g, differences say %.10g", what, i, a,
                     chart->n, score[a], want);
    }
    inform_objective_clear(&o);
    free(weight);
    free(moved);
}

static void check_plan(const inform_plan *plan)
{
    enum { LOOKED_AT = 6 };
    inform_problem p;
    scant_i_chart chart;
    scant_i_survey survey;
    char what[128];
    inform_problem_new(&p, plan);
    assert_ok(scant_i_survey_new(&survey, p.rows, &p.evidence, SCANT_I_NO_CELLS, 1));
    assert_ok(scant_i_chart_of(&chart, p.mixture, &p.evidence, &survey));
    scant_i_survey_clear(&survey);
    size_t n = chart.n;
    double *point = room_for(n), *scores = room_for(plan->n * n), *products = room_for(n * n);
    assert_ok(scant_i_chart_get(&chart, p.mixture, point));
    assert_ok(scant_i_scores(scores, &chart, p.mixture, p.rows, &p.evidence, 1));
    assert_ok(scant_i_score_products(products, &chart, p.mixture, p.rows, &p.evidence, 1));
    (void)snprintf(what, sizeof what, "%s %s, %s%s%s", plan->family->family->name,
                   plan->family->settings.covariance ? plan->family->settings.covariance : "",
                   inform_mode_name[plan->mode], plan->common ? ", common" : "",
                   plan->missing ? ", missing" : "");
    for (size_t i = 0; i < LOOKED_AT; i++)
        check_row(&p, &chart, point, i * (plan->n / LOOKED_AT),
                  scores + i * (plan->n / LOOKED_AT) * n, what);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double sum = 0, unit = 0;
            for (size_t i = 0; i < plan->n; i++) {
                double w = p.evidence.weight ? p.evidence.weight[i] : 1;
                double omega = w > 0 ? scant_i_evidence_weight(&p.evidence, i) / w : 0;
                double term = w * omega * omega * scores[i * n + a] * scores[i * n + b];
                sum += term;
                unit += fabs(term);
            }
            if (!(fabs(products[a * n + b] - sum) <= 1e-11 * unit))
                fail_msg("%s: product [%zu][%zu] %.12g, sum %.12g", what, a, b, products[a * n + b],
                         sum);
        }
    free(point);
    free(scores);
    free(products);
    scant_i_chart_clear(&chart);
    inform_problem_clear(&p);
}

static void scores_are_slopes(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILY_CASES; f++)
        for (size_t turn = 0; turn < 4 * INFORM_MODES; turn++) {
            inform_mode mode = (inform_mode)(turn % INFORM_MODES);
            bool common = turn / INFORM_MODES % 2, missing = turn >= 2 * INFORM_MODES;
            if ((mode == INFORM_NONE && common) ||
                (missing && family_cases[f].family == &scant_i_multinomial))
                continue;
            check_plan(&(inform_plan){.family = &family_cases[f],
                                      .mode = mode,
                                      .common = common,
                                      .weighted = (f + turn) % 2,
                                      .missing = missing,
                                      .prior = (f + turn) % 5 == 0,
                                      .noise = (f + turn) % 7 == 3 && mode <= INFORM_WEIGH,
                                      .fixed = (f + turn) % 3 == 0,
                                      .n = 30});
        }
}

/* Rows of counts as compressed rows. */
static scant_rows *compress(const inform_problem *p)
{
    size_t n = p->rows->nrows, d = p->rows->ncolumns, count = 0;
    size_t *start = calloc(n + 1, sizeof *start);
    int32_t *column = calloc(n * d, sizeof *column);
    double *value = room_for(n * d);
    scant_rows *rows = NULL;
    assert_true(start && column);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < d; c++)
            if (p->x[i * d + c] != 0) {
                column[count] = (int32_t)c;
                value[count++] = p->x[i * d + c];
            }
        start[i + 1] = count;
    }
    assert_ok(scant_rows_new_sparse(&rows, n, d, start, column, value));
    free(start);
    free(column);
    free(value);
    return rows;
}

static void sparse_rows_are_as_dense_ones(void **state)
{
    (void)state;
    static const scant_i_family *const counts[] = {&scant_i_multinomial, &scant_i_poisson,
                                                   &scant_i_bernoulli};
    for (size_t f = 0; f < 3; f++) {
        inform_plan plan = {.family = family_case_of(counts[f]), .mode = INFORM_EXACT, .n = 500};
        inform_problem p;
        scant_i_information dense, sparse;
        inform_problem_new(&p, &plan);
        scant_rows *rows = compress(&p);
        assert_ok(scant_i_information_new(&dense, p.mixture, p.rows, &p.evidence, 1));
        assert_ok(scant_i_information_new(&sparse, p.mixture, rows, &p.evidence, 2));
        size_t n = dense.chart.n;
        double *a = room_for(plan.n * n), *b = room_for(plan.n * n);
        assert_ok(scant_i_scores(a, &dense.chart, p.mixture, p.rows, &p.evidence, 1));
        assert_ok(scant_i_scores(b, &dense.chart, p.mixture, rows, &p.evidence, 2));
        for (size_t t = 0; t < plan.n * n; t++)
            assert_true(fabs(a[t] - b[t]) <= 1e-11 * fmax(1, fabs(a[t])));
        for (size_t t = 0; t < n * n; t++) {
            double unit = sqrt(dense.complete[t / n * (n + 1)] * dense.complete[t % n * (n + 1)]);
            assert_true(fabs(dense.observed[t] - sparse.observed[t]) <= 1e-11 * unit);
        }
        free(a);
        free(b);
        scant_rows_free(rows);
        scant_i_information_clear(&dense);
        scant_i_information_clear(&sparse);
        inform_problem_clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_slopes),
        cmocka_unit_test(sparse_rows_are_as_dense_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
