/* Information about confusion tables: gradient and curvature against finite differences of a
 * log-likelihood that sums over classes row by row; the published closed form of the symmetric
 * model. */
#include <math.h>
#include <stdlib.h>
#include "audit/audit.h"
#include "check.h"
#include "family/votes.h"
#include "votes_cases.h"

/* log p(votes, truth) + smooth sum log p, straight from its definition. */
static double naive_objective(const scant_i_mixture *m, const scant_votes *votes, double smooth)
{
    size_t l = m->nclasses, k = votes->npredictors;
    double sum = 0;
    for (size_t i = 0; i < scant_votes_items(votes); i++) {
        double row = 0;
        for (size_t j = 0; j < l; j++) {
            double p = scant_i_audit_share(m, j);
            for (size_t c = 0; c < k; c++) {
                int32_t a = scant_votes_answer(votes, i, c);
                p *= a < 0 ? 1 : scant_i_audit_table(m, c, j)[a];
            }
            int32_t truth = scant_votes_truth(votes, i);
            row += truth < 0 || (size_t)truth == j ? p : 0;
        }
        sum += log(row);
    }
    for (size_t t = 0; t < m->factor[0]->ntheta; t++)
        sum += smooth * log(m->factor[0]->theta[t]);
    return sum;
}

static void tilt(double *p, size_t l, size_t a, double step)
{
    double sum = 0;
    p[a] *= exp(step);
    for (size_t b = 0; b < l; b++)
        sum += p[b];
    for (size_t b = 0; b < l; b++)
        p[b] /= sum;
}

/* Moves one coordinate of audit.h. */
static void move(scant_i_mixture *m, size_t coordinate, double step)
{
    size_t l = m->nclasses, k = m->factor[0]->ncolumns;
    double *theta = m->factor[0]->theta, P[8];
    size_t own = scant_i_audit_first(m, 1);
    if (coordinate >= k * own) {
        for (size_t j = 0; j < l; j++)
            P[j] = scant_i_audit_share(m, j);
        tilt(P, l, coordinate - k * own, step);
        for (size_t j = 0; j < l; j++)
            m->coupling.W[j * m->stride + j] = P[j];
        return;
    }
    size_t c = coordinate / own, inner = coordinate % own;
    if (own == 1) {
        double pair[2] = {theta[c * l], 1 - theta[c * l]};
        tilt(pair, 2, 0, step);
        for (size_t j = 0; j < l; j++)
            for (size_t a = 0; a < l; a++)
                theta[(j * k + c) * l + a] = a == j ? pair[0] : pair[1] / (double)(l - 1);
        return;
    }
    tilt(theta + (inner / (l - 1) * k + c) * l, l, inner % (l - 1), step);
}

typedef struct probe {
    scant_i_mixture *mixture, *moved;
    const scant_votes *votes;
    double smooth;
} probe;

static double at(probe *p, size_t x, double dx, size_t y, double dy)
{
    scant_i_mixture_assign(p->moved, p->mixture);
    move(p->moved, x, dx);
    move(p->moved, y, dy);
    return naive_objective(p->moved, p->votes, p->smooth);
}

static double slope(probe *p, size_t x, double h)
{
    return (at(p, x, h, x, 0) - at(p, x, -h, x, 0)) / (2 * h);
}

static double curvature(probe *p, size_t x, size_t y, double h)
{
    return (at(p, x, h, y, h) - at(p, x, h, y, -h) - at(p, x, -h, y, h) + at(p, x, -h, y, -h)) /
           (4 * h * h);
}

static void check(const votes_plan *plan, const scant_i_family *family, bool prior_known)
{
    static const double h = 1e-3, SMOOTH = 0.3;
    scant_votes *votes = votes_draw(plan);
    scant_audit_options options = votes_options(NULL, NULL);
    options.smooth = SMOOTH;
    options.max_iter = 3; /* a point that is no maximum: the gradient must not vanish */
    scant_i_audit_task task = {votes, family, prior_known ? plan->prior : NULL, &options, NULL};
    scant_i_run *run = NULL;
    scant_i_audit_information info = {0};
    probe p = {.votes = votes, .smooth = SMOOTH};
    assert_ok(scant_i_audit_fit(&run, &task));
    p.mixture = run->mixture;
    assert_ok(scant_i_mixture_copy(&p.moved, run->mixture));
    assert_ok(scant_i_audit_inform(&info, run->mixture, &task));
    assert_int_equal(info.n, scant_i_audit_count(run->mixture));
    double scale = (double)plan->nitems;
    for (size_t x = 0; x < info.n; x++) {
        double wanted = (4 * slope(&p, x, h / 2) - slope(&p, x, h)) / 3;
        assert_true(fabs(info.gradient[x] - wanted) < 1e-8 * scale);
        for (size_t y = 0; y <= x; y++) {
            double second = (4 * curvature(&p, x, y, h / 2) - curvature(&p, x, y, h)) / 3;
            /* the pseudo-votes' curvature is that of counts, which the gradient's chart adds */
            double got = info.observed[x * info.n + y] + SMOOTH * info.pseudo[x * info.n + y];
            assert_true(fabs(got + second) < 2e-5 * scale);
            double mirror = info.observed[y * info.n + x];
            assert_true(fabs(info.observed[x * info.n + y] - mirror) < 1e-12 * scale);
        }
    }
    scant_i_audit_information_clear(&info);
    scant_i_mixture_free(p.moved);
    scant_i_run_free(run);
    scant_votes_free(votes);
}

static const double TWO[] = {0.7, 0.3}, THREE[] = {0.5, 0.3, 0.2};

static void test_differences(void **state)
{
    (void)state;
    votes_plan plans[] = {
        {60, 3, 2, TWO, 0.7, 0.05, 0, 0, 0, 1},
        {60, 4, 3, THREE, 0.6, 0.05, 0.3, 0.4, 0, 2},
        {60, 3, 3, THREE, 0.6, 0.05, 0.3, 0.2, 0.3, 3},
    };
    for (size_t t = 0; t < sizeof plans / sizeof *plans; t++)
        for (int known = 0; known < 2; known++) {
            check(&plans[t], &scant_i_confusion, known);
            check(&plans[t], &scant_i_symmetric, known);
        }
}

/* One symmetric predictor of two classes: per item (2 a - 1)^2 / (s (1 - s)) about theta, with a the
 * first class's share and s the chance of the first answer. */
static void test_closed_form_of_information(void **state)
{
    (void)state;
    votes_plan plan = {4000, 1, 2, TWO, 0.8, 0, 0, 0, 0, 4};
    scant_votes *votes = votes_draw(&plan);
    scant_audit_options options = votes_options("symmetric", "0.7,0.3");
    options.smooth = 0;
    scant_audit *audit = NULL;
    assert_ok(scant_audit_votes(&audit, votes, &options));
    const scant_estimate *e = &scant_audit_predictor_at(audit, 0)->error;
    double theta = 1 - e->value, s = 0.7 * theta + 0.3 * (1 - theta);
    double J = (2 * 0.7 - 1) * (2 * 0.7 - 1) / (s * (1 - s));
    assert_true(fabs(e->error - 1 / sqrt(J * 4000)) < 1e-9);
    scant_audit_free(audit);
    scant_votes_free(votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_closed_form_of_information)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
