/* Switches in the generative model, trees, one class: against sums over what they sum over. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "med/generative.h"
#include "med_cases.h"

static const scant_i_med_control EXACT = {.tol = 1e-8, .seed = 1};

static void check_slopes(scant_i_med_space *space, double *beta)
{
    const double STEP = 1e-5;
    size_t n = space->n;
    double *f = calloc(n, sizeof *f), *up = calloc(n, sizeof *up), *down = calloc(n, sizeof *down);
    double *H = calloc(n * n, sizeof *H), omega, above, below;
    assert_ok(space->kind->value(&omega, f, space, beta));
    assert_true(isfinite(omega));
    assert_ok(space->curvature(H, space, beta));
    for (size_t t = 0; t < n; t++) {
        double now = beta[t];
        beta[t] = now + STEP;
        assert_ok(space->kind->value(&above, up, space, beta));
        beta[t] = now - STEP;
        assert_ok(space->kind->value(&below, down, space, beta));
        beta[t] = now;
        if (!(fabs((above - below) / (2 * STEP) - f[t]) < 1e-6 * (1 + fabs(f[t]))))
            fail_msg("slope %zu is %g, differences say %g", t, f[t], (above - below) / (2 * STEP));
        for (size_t s = 0; s < n; s++) {
            double wanted = (up[s] - down[s]) / (2 * STEP);
            if (!(fabs(H[s * n + t] - wanted) < 1e-5 * (1 + fabs(wanted))))
                fail_msg("(%zu, %zu) is %g, differences say %g", s, t, H[s * n + t], wanted);
        }
    }
    free(f);
    free(up);
    free(down);
    free(H);
}

static void solve(scant_i_med_solution *s, scant_i_med_space *space, const double *level,
                  const int8_t *side, double c, bool flat)
{
    const scant_i_med_problem problem = {
        .potential = {&scant_i_med_exponential, {c, 0}, space->n, level, side, NULL},
        .space = space,
        .bias = {flat, 0, 0}};
    assert_ok(scant_i_med_solution_new(s, space->n));
    assert_ok(scant_i_med_solve(s, &problem, &EXACT, NULL));
    if (s->stop != SCANT_STOP_CONVERGED)
        fail_msg("stopped (%d) at J %g, gap %g", (int)s->stop, s->certificate.dual,
                 s->certificate.gap);
}

/* --- switches --- */

enum { N = 60, D = 4 };

static void noisy_pair(double *x, int8_t *side, double *level, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t t = 0; t < N; t++) {
        level[t] = side[t] = t % 2 ? 1 : -1;
        for (size_t i = 0; i < D; i++)
            x[t * D + i] = scant_i_random_normal(&random) + (i == 0 ? 1.5 * side[t] : 0);
    }
}

/* Omega of one column by sums over the mean, and both settings of the switch. */
static void test_switched_value(void **state)
{
    enum { STEPS = 20000 };
    const double x[3] = {0.5, -1.2, 0.9}, beta[3] = {0.3, -0.2, -0.05}, rho = 0.3;
    double sum[2] = {0}, omega, f[3];
    scant_i_med_space space;
    (void)state;
    for (int k = 0; k < STEPS; k++) {
        double mean = -20 + 40 * (k + 0.5) / STEPS, prior = exp(-0.5 * mean * mean);
        for (int side = 0; side < 2; side++) {
            double power = 0;
            for (size_t t = 0; t < 3; t++)
                power -= 0.5 * (side ? -1 : 1) * beta[t] * (x[t] - mean) * (x[t] - mean);
            sum[side] += prior * exp(power) * (40.0 / STEPS) / sqrt(2 * 3.14159265358979323846);
        }
    }
    assert_ok(scant_i_med_switched(&space, x, 3, 1, rho));
    assert_ok(space.kind->value(&omega, f, &space, beta));
    double wanted = log(1 - rho + rho * sum[0]) + log(1 - rho + rho * sum[1]);
    if (!(fabs(omega - wanted) < 1e-9))
        fail_msg("%.12g, summed %.12g", omega, wanted);
    scant_i_med_space_clear(&space);
}

static void test_switched(void **state)
{
    double x[N * D], level[N], beta[N], mean[2 * D], probability[2 * D], S;
    int8_t side[N];
    scant_i_med_space space;
    scant_i_med_solution s;
    (void)state;
    noisy_pair(x, side, level, 3);
    assert_ok(scant_i_med_switched(&space, x, N, D, 0.1));
    for (size_t t = 0; t < N; t++)
        beta[t] = 0.05 * sin(1 + 2.0 * (double)t);
    check_slopes(&space, beta);
    solve(&s, &space, level, side, 3, true);
    scant_i_med_switched_posterior(mean, probability, &space, s.beta, &S);
    for (size_t i = 1; i < D; i++)
        assert_true(probability[0] + probability[D] > probability[i] + probability[D + i]);
    for (size_t t = 0; t < N; t++) {
        double f = scant_i_med_switched_score(mean, probability, S, x + t * D, D);
        assert_true(fabs(f - s.f[t]) < 1e-9 * (1 + fabs(f)));
    }
    scant_i_med_solution_clear(&s);
    scant_i_med_space_clear(&space);
}

/* --- trees --- */

enum { ROWS = 30, CELLS = 4, EDGES = 6, LEVELS = 3 };

/* Cells hang on the first in one class, in a chain in the other. */
static void draw_trees(double *x, int8_t *side, double *level, size_t n, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 0);
    for (size_t t = 0; t < n; t++) {
        level[t] = side[t] = t % 2 ? 1 : -1;
        for (size_t v = 0; v < CELLS; v++) {
            size_t parent = side[t] > 0 ? 0 : v - 1;
            bool copies = v > 0 && scant_i_random_uniform(&random) < 0.8;
            x[t * CELLS + v] =
                copies ? x[t * CELLS + parent] : (double)scant_i_random_below(&random, LEVELS);
        }
    }
}

/* All 16 trees over four cells: three of six edges that reach every cell. */
static bool is_tree(unsigned edges)
{
    static const size_t ends[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    unsigned reached = 1;
    for (int round = 0; round < CELLS; round++)
        for (size_t e = 0; e < EDGES; e++)
            if (edges >> e & 1 && (reached >> ends[e][0] & 1 || reached >> ends[e][1] & 1))
                reached |= 1U << ends[e][0] | 1U << ends[e][1];
    return __builtin_popcount(edges) == CELLS - 1 && reached == 15;
}

/* log of the mean over trees of exp(sum_t sign beta_t log P(x_t | tree)), and the edges' probabilities. */
static double summed(double *probability, const scant_i_med_trees *trees, size_t k, const double *x,
                     const double *beta, size_t n)
{
    double total = 0;
    memset(probability, 0, EDGES * sizeof *probability);
    for (unsigned edges = 0; edges < 1U << EDGES; edges++) {
        double power = 0;
        if (!is_tree(edges))
            continue;
        for (size_t t = 0; t < n; t++)
            for (size_t u = 0, e = 0; u < CELLS; u++) {
                size_t a = (size_t)x[t * CELLS + u];
                double sign = k == 0 ? 1 : -1;
                power += sign * beta[t] * trees->cell[k][u * LEVELS + a];
                for (size_t v = u + 1; v < CELLS; v++, e++)
                    if (edges >> e & 1)
                        power += sign * beta[t] *
                                 trees->edge[k][e * LEVELS * LEVELS + a * LEVELS +
                                                (size_t)x[t * CELLS + v]];
            }
        total += exp(power) / 16;
        for (size_t e = 0; e < EDGES; e++)
            probability[e] += edges >> e & 1 ? exp(power) / 16 : 0;
    }
    for (size_t e = 0; e < EDGES; e++)
        probability[e] /= total;
    return log(total);
}

static void test_trees(void **state)
{
    double x[ROWS * CELLS], level[ROWS], beta[ROWS], omega, f[ROWS];
    double found[2 * EDGES], wanted[2 * EDGES];
    int8_t side[ROWS];
    scant_i_med_trees trees;
    scant_i_med_space space;
    scant_i_med_solution s;
    (void)state;
    draw_trees(x, side, level, ROWS, 7);
    assert_ok(scant_i_med_trees_new(&trees, x, side, ROWS, CELLS, 1));
    assert_int_equal(trees.nlevels, LEVELS);
    assert_ok(scant_i_med_tree_space(&space, &trees, x, ROWS));
    for (size_t t = 0; t < ROWS; t++)
        beta[t] = 0.4 * sin(1 + 2.0 * (double)t);
    check_slopes(&space, beta);
    assert_ok(space.kind->value(&omega, f, &space, beta));
    double naive = summed(wanted, &trees, 0, x, beta, ROWS);
    naive += summed(wanted + EDGES, &trees, 1, x, beta, ROWS);
    if (!(fabs(omega - naive) < 1e-9 * (1 + fabs(naive))))
        fail_msg("%.12g, summed over trees %.12g", omega, naive);
    assert_ok(scant_i_med_tree_edges(found, &space, beta));
    for (size_t e = 0; e < 2 * EDGES; e++)
        assert_true(fabs(found[e] - wanted[e]) < 1e-9);

    solve(&s, &space, level, side, 3, true);
    assert_ok(scant_i_med_tree_edges(found, &space, s.beta));
    double sum[2] = {0};
    for (size_t e = 0; e < EDGES; e++) {
        sum[0] += found[e];
        sum[1] += found[EDGES + e];
    }
    assert_true(fabs(sum[0] - 3) < 1e-9 && fabs(sum[1] - 3) < 1e-9);
    for (size_t t = 0; t < ROWS; t++)
        assert_true(fabs(scant_i_med_tree_score(&trees, found, x + t * CELLS) - s.f[t]) < 1e-8);
    scant_i_med_solution_clear(&s);
    scant_i_med_space_clear(&space);
    scant_i_med_trees_clear(&trees);
}

/* Trees that were drawn from are found. */
static void test_edges_found(void **state)
{
    enum { MANY = 200 };
    double x[MANY * CELLS], level[MANY], found[2 * EDGES];
    int8_t side[MANY];
    scant_i_med_trees trees;
    scant_i_med_space space;
    scant_i_med_solution s;
    (void)state;
    draw_trees(x, side, level, MANY, 8);
    assert_ok(scant_i_med_trees_new(&trees, x, side, MANY, CELLS, 1));
    assert_ok(scant_i_med_tree_space(&space, &trees, x, MANY));
    solve(&s, &space, level, side, 3, true);
    assert_ok(scant_i_med_tree_edges(found, &space, s.beta));
    double right = 0, star = found[0] + found[1] + found[2];
    double chain =
        found[EDGES] + found[EDGES + 3] + found[EDGES + 5]; /* 1.5 of either without rows */
    for (size_t t = 0; t < MANY; t++)
        right += side[t] * (s.f[t] + s.certificate.bias) > 0;
    if (!(right > 0.65 * MANY && star > 1.7 && chain > 1.7))
        fail_msg("%g right, %g of the star, %g of the chain", right, star, chain);
    scant_i_med_solution_clear(&s);
    scant_i_med_space_clear(&space);
    scant_i_med_trees_clear(&trees);
}

/* --- one class --- */

static void test_one_class(void **state)
{
    enum { MANY = 60, DIMS = 2, SIZE = 1 + DIMS + DIMS * (DIMS + 1) / 2 };
    double x[MANY * DIMS], chi[SIZE], level[MANY], after[SIZE], score[2], prior[2];
    const double probe[2 * DIMS] = {2, 2, -4, 5};
    int8_t side[MANY];
    scant_i_med_space space;
    scant_i_med_solution s;
    scant_i_random random = scant_i_random_new(4, 0);
    const scant_i_med_conjugate_family *family = &scant_i_med_gaussian_family;
    (void)state;
    for (size_t t = 0; t < MANY; t++) {
        side[t] = 1;
        level[t] = -2;
        for (size_t i = 0; i < DIMS; i++)
            x[t * DIMS + i] = 2 + 0.5 * scant_i_random_normal(&random);
    }
    const double unit[2 * DIMS] = {-1, -1, 1, 1}; /* a prior at 0 with variance 1 */
    family->prior(chi, 4, unit, 2, DIMS);
    assert_ok(scant_i_med_generative(&space, family, x, MANY, DIMS, chi, NULL));
    solve(&s, &space, level, side, 10, false);
    scant_i_med_generative_posterior(after, NULL, &space, s.beta);
    assert_ok(scant_i_med_generative_score(score, family, after, NULL, probe, 2, DIMS));
    assert_ok(scant_i_med_generative_score(prior, family, chi, NULL, probe, 2, DIMS));
    assert_true(score[0] > -2.5 && score[1] < score[0] - 5 && score[0] > prior[0] + 1);
    scant_i_med_solution_clear(&s);
    scant_i_med_space_clear(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switched_value), cmocka_unit_test(test_switched),
        cmocka_unit_test(test_trees), cmocka_unit_test(test_edges_found),
        cmocka_unit_test(test_one_class)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
