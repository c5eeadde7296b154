/* Generative discriminants: exact optima, derivatives, densities against what defines them. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "math/special.h"
#include "med/generative.h"
#include "med_cases.h"

static const char CRABS[] = SCANT_EXAMPLES "/crabs.csv";
static const char *const COLUMNS = "FL,RW,CL,CW,BD";

enum { N = 24, D = 3 };

/* A family's kind of cells, and its priors. */
typedef struct toy {
    const scant_i_med_conjugate_family *family;
    double x[N * D], plus[1 + D + D * (D + 1) / 2], minus[1 + D + D * (D + 1) / 2];
    int8_t side[N];
} toy;

static const char *const NAMES[] = {"gaussian", "multinomial", "poisson", "bernoulli",
                                    "exponential"};
enum { FAMILIES = 5 };

static void toy_new(toy *out, size_t which, double count)
{
    scant_i_random random = scant_i_random_new(5, which);
    out->family = scant_i_med_family_find(NAMES[which]);
    for (size_t t = 0; t < N; t++) {
        out->side[t] = t % 2 ? 1 : -1;
        for (size_t i = 0; i < D; i++) {
            double rate = out->side[t] > 0 ? 1 + (double)i : 3 - (double)i;
            double *cell = &out->x[t * D + i];
            switch (which) {
            case 0: *cell = rate + scant_i_random_normal(&random); break;
            case 3: *cell = scant_i_random_uniform(&random) < rate / 4; break;
            case 4: *cell = rate * scant_i_random_exponential(&random); break;
            default: *cell = scant_i_random_poisson(&random, 2 * rate);
            }
        }
    }
    assert_ok(
        scant_i_med_empirical(out->plus, out->minus, out->family, count, out->x, out->side, N, D));
}

/* --- spaces --- */

/* f against differences of Omega, second derivatives against differences of f. */
static void check_slopes(scant_i_med_space *space, const double *beta)
{
    const double STEP = 1e-5;
    size_t n = space->n;
    double *f = calloc(n, sizeof *f), *up = calloc(n, sizeof *up), *down = calloc(n, sizeof *down);
    double *H = calloc(n * n, sizeof *H), *at = calloc(n, sizeof *at), omega, above, below;
    memcpy(at, beta, n * sizeof *at);
    assert_ok(space->kind->value(&omega, f, space, beta));
    assert_true(isfinite(omega));
    assert_ok(space->curvature(H, space, beta));
    for (size_t t = 0; t < n; t++) {
        at[t] = beta[t] + STEP;
        assert_ok(space->kind->value(&above, up, space, at));
        at[t] = beta[t] - STEP;
        assert_ok(space->kind->value(&below, down, space, at));
        at[t] = beta[t];
        if (!(fabs((above - below) / (2 * STEP) - f[t]) < 1e-6 * (1 + fabs(f[t]))))
            fail_msg("%s: slope %zu is %g, differences say %g", space->kind->name, t, f[t],
                     (above - below) / (2 * STEP));
        for (size_t s = 0; s < n; s++) {
            double found = H[s * n + t], wanted = (up[s] - down[s]) / (2 * STEP);
            if (!(fabs(found - wanted) < 1e-5 * (1 + fabs(wanted))))
                fail_msg("%s: second derivative (%zu, %zu) is %g, differences say %g",
                         space->kind->name, s, t, found, wanted);
        }
    }
    free(f);
    free(up);
    free(down);
    free(H);
    free(at);
}

static void test_slopes(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILIES; k++) {
        toy c;
        scant_i_med_space space;
        double beta[N];
        toy_new(&c, k, 1);
        assert_ok(scant_i_med_generative(&space, c.family, c.x, N, D, c.plus, c.minus));
        for (size_t t = 0; t < N; t++)
            beta[t] = 0.1 * sin(1 + 3.0 * (double)t);
        check_slopes(&space, beta);
        scant_i_med_space_clear(&space);
    }
    toy c;
    scant_i_med_space space;
    double beta[N] = {0.3, 0.2, 0, 0.1};
    toy_new(&c, 0, 1);
    assert_ok(scant_i_med_generative(&space, c.family, c.x, N, D, c.plus, NULL));
    check_slopes(&space, beta);
    scant_i_med_space_clear(&space);
}

/* --- exact optima --- */

typedef struct fit {
    scant_i_med_space space;
    scant_i_med_problem problem;
    scant_i_med_solution solution;
    double *level;
} fit;

static void fit_new(fit *out, const scant_i_med_conjugate_family *family, const double *x,
                    const int8_t *side, size_t n, size_t d, double count, double c, double level)
{
    size_t size = family->size(d);
    double *plus = calloc(size, sizeof *plus), *minus = calloc(size, sizeof *minus);
    *out = (fit){.level = calloc(n, sizeof(double))};
    assert_ok(scant_i_med_empirical(plus, minus, family, count, x, side, n, d));
    assert_ok(scant_i_med_generative(&out->space, family, x, n, d, plus, minus));
    for (size_t t = 0; t < n; t++)
        out->level[t] = side[t] * level;
    out->problem = (scant_i_med_problem){
        .potential = {&scant_i_med_exponential, {c, 0}, n, out->level, side, NULL},
        .space = &out->space,
        .bias = {true, 0, 0}};
    assert_ok(scant_i_med_solution_new(&out->solution, n));
    free(plus);
    free(minus);
}

static void fit_clear(fit *f)
{
    scant_i_med_solution_clear(&f->solution);
    scant_i_med_space_clear(&f->space);
    free(f->level);
}

static void fit_solve(fit *f, double tol, const char *solver)
{
    scant_i_med_control control = {.tol = tol, .seed = 1};
    assert_ok(scant_i_med_solve(&f->solution, &f->problem, &control, solver));
    const scant_i_med_certificate *found = &f->solution.certificate;
    if (f->solution.stop != SCANT_STOP_CONVERGED)
        fail_msg("%s stopped (%d) at J %.9g, gap %g, after %zu", f->solution.solver,
                 (int)f->solution.stop, found->dual, found->gap, f->solution.iterations);
}

/* log|S| by Gauss' elimination. */
static double naive_logdet(double S[5][5])
{
    double sum = 0;
    for (size_t i = 0; i < 5; i++) {
        sum += log(S[i][i]);
        for (size_t j = i + 1; j < 5; j++)
            for (size_t k = 5; k-- > i;)
                S[j][k] -= S[j][i] / S[i][i] * S[i][k];
    }
    return sum;
}

/* log|S+| or log|S-| with weights u(+-y) +- y lambda, of five columns. */
static double naive_class(const med_table *table, const double *beta, int sign)
{
    double N_ = 0, mean[5] = {0}, S[5][5] = {{0}};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t t = 0; t < table->n; t++) {
            double w = (table->side[t] == sign) + sign * beta[t];
            const double *x = table->x + t * 5;
            N_ += pass ? 0 : w;
            for (size_t i = 0; i < 5; i++)
                mean[i] += pass ? 0 : w * x[i];
            for (size_t i = 0; i < 5 && pass; i++)
                for (size_t j = 0; j < 5; j++)
                    S[i][j] += w * (x[i] - mean[i] / N_) * (x[j] - mean[j] / N_);
        }
    return 0.5 * N_ * naive_logdet(S);
}

static void test_crabs(void **state)
{
    static const struct {
        double c, level, J, b;
    } known[] = {{3, 2, 45.590448, -.223388}, {10, 4, 415.881423, -2.839667}};
    med_table table;
    (void)state;
    assert_true(med_table_read(&table, CRABS, COLUMNS, "sex", "M", 0, 0));
    for (size_t k = 0; k < 2; k++) {
        fit f;
        fit_new(&f, &scant_i_med_gaussian_family, table.x, table.side, table.n, table.d, 0,
                known[k].c, known[k].level);
        fit_solve(&f, 1e-11, NULL);
        double *zero = calloc(table.n, sizeof *zero), J = 0;
        for (size_t t = 0; t < table.n; t++) {
            double l = fabs(f.solution.beta[t]);
            J += known[k].level * l + log(1 - l / known[k].c);
        }
        for (int sign = -1; sign <= 1; sign += 2)
            J += naive_class(&table, f.solution.beta, sign) - naive_class(&table, zero, sign);
        free(zero);
        if (!(fabs(J - known[k].J) < 1e-6 * known[k].J))
            fail_msg("J - J(0) = %.9g, wanted %.9g", J, known[k].J);
        if (!(fabs(f.solution.certificate.dual - known[k].J) < 1e-6 * known[k].J))
            fail_msg("said: %.9g", f.solution.certificate.dual);
        if (!(fabs(f.solution.certificate.bias - known[k].b) < 2e-6 * fmax(1, fabs(known[k].b))))
            fail_msg("b = %.9g, wanted %.9g", f.solution.certificate.bias, known[k].b);
        fit_clear(&f);
    }
    med_table_clear(&table);
}

/* P - J from the multipliers, by a ternary search for b and one for every loss. */
static double naive_gap(const fit *f, const int8_t *side, double c, double level)
{
    size_t n = f->space.n;
    double low = -1e3, high = 1e3, gap[2];
    for (int k = 0; k < 200; k++) {
        for (int which = 0; which < 2; which++) {
            double b = low + (which + 1) * (high - low) / 3;
            gap[which] = 0;
            for (size_t t = 0; t < n; t++) {
                double m = side[t] * (f->solution.f[t] + b), l = fabs(f->solution.beta[t]);
                double loss = m < level - 1 / c ? c * (level - m) - 1 - log(c * (level - m)) : 0;
                gap[which] += loss - level * l - log(1 - l / c) + l * m;
            }
        }
        *(gap[0] > gap[1] ? &low : &high) =
            gap[0] > gap[1] ? low + (high - low) / 3 : high - (high - low) / 3;
    }
    return gap[0];
}

static void test_families(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILIES; k++) {
        toy c;
        fit f;
        toy_new(&c, k, 1);
        fit_new(&f, c.family, c.x, c.side, N, D, 1, 3, 1);
        fit_solve(&f, 1e-8, NULL);
        double J = f.solution.certificate.dual, gap = naive_gap(&f, c.side, 3, 1);
        if (!(J > 0.1 && gap > -1e-9 && gap < 1e-8 * fmax(1, J) + 1e-9))
            fail_msg("%s: J %g, gap %g", NAMES[k], J, gap);
        memset(f.solution.beta, 0, N * sizeof *f.solution.beta);
        scant_i_med_control control = {.tol = 1e-4, .seed = 1};
        assert_ok(scant_i_med_solve(&f.solution, &f.problem, &control, "gradient"));
        if (!(fabs(f.solution.certificate.dual - J) < 1e-2 * fmax(1, J) &&
              f.solution.certificate.dual <= J + 1e-8))
            fail_msg("%s: constrained gradient reaches %g of %g, gap %g", NAMES[k],
                     f.solution.certificate.dual, J, f.solution.certificate.gap);
        fit_clear(&f);
    }
}

/* A column that hardly varies in one class, and one that is constant, need a prior worth some rows. */
static void test_constant_columns(void **state)
{
    toy c;
    double plus[10], minus[10], beta[N] = {0}, omega, f[N];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        scant_i_med_space space;
        toy_new(&c, 0, 0);
        for (size_t t = 0; t < N; t++)
            if (kind == 0 || c.side[t] > 0)
                c.x[t * D] = kind == 0 ? 0 : 0.25 + 1e-13 * (double)(t % 3);
        assert_ok(scant_i_med_empirical(plus, minus, c.family, 0, c.x, c.side, N, D));
        scant_status without = scant_i_med_generative(&space, c.family, c.x, N, D, plus, minus);
        if (without == SCANT_OK)
            scant_i_med_space_clear(&space);
        else
            assert_non_null(strstr(scant_message(), "column without spread"));
        assert_true(kind == 1 || without == SCANT_ERR_INPUT);
        fit g;
        fit_new(&g, c.family, c.x, c.side, N, D, 1, 3, 1);
        fit_solve(&g, 1e-6, NULL);
        assert_ok(g.space.kind->value(&omega, f, &g.space, beta));
        assert_true(omega == 0);
        fit_clear(&g);
    }
}

/* --- the model as a generator --- */

static void test_densities(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILIES; k++) {
        toy c;
        toy_new(&c, k, 1);
        for (size_t t = 0; t < N; t++) {
            double score, defined, part[D];
            assert_ok(c.family->score(&score, c.x + t * D, c.plus, D));
            assert_ok(scant_i_med_predictive(&defined, c.family, c.x + t * D, c.plus, D));
            assert_true(fabs(score - defined) < 1e-9 * (1 + fabs(defined)));
            for (size_t i = 0; i < D; i++)
                part[i] = NAN;
            assert_ok(c.family->score(&score, part, c.plus, D));
            assert_true(fabs(score) < 1e-12);
        }
    }
}

/* The marginal of a Gaussian's cell: the joint density summed over the others. */
static void test_marginal(void **state)
{
    enum { STEPS = 400 };
    toy c;
    double sum = 0, seen, x[D];
    (void)state;
    toy_new(&c, 0, 1);
    memcpy(x, c.x, sizeof x);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < STEPS; j++) {
            double part;
            x[1] = -14 + 32 * (i + 0.5) / STEPS;
            x[2] = -14 + 32 * (j + 0.5) / STEPS;
            assert_ok(c.family->score(&part, x, c.plus, D));
            sum += exp(part) * (32.0 / STEPS) * (32.0 / STEPS);
        }
    x[1] = x[2] = NAN;
    assert_ok(c.family->score(&seen, x, c.plus, D));
    if (!(fabs(log(sum) - seen) < 1e-3))
        fail_msg("marginal %g, summed %g", seen, log(sum));
}

/* Rows that a fitted model draws have its classes' means; filling in the mean of what was drawn beside a given cell. */
static void test_generator(void **state)
{
    enum { DRAWS = 20000 };
    (void)state;
    for (size_t k = 0; k < FAMILIES; k++) {
        toy c;
        double mean[2][D] = {{0}}, count[2] = {0}, x[D], all[D] = {NAN, NAN, NAN};
        toy_new(&c, k, 1);
        scant_i_med_generator g = {c.family, D, c.plus, c.minus, 0, 0.3};
        scant_i_random random = scant_i_random_new(9, k);
        for (int r = 0; r < DRAWS; r++) {
            int8_t side;
            assert_ok(scant_i_med_generator_sample(x, &side, &g, c.x + D, &random));
            count[side > 0]++;
            for (size_t i = 0; i < D; i++)
                mean[side > 0][i] += x[i];
        }
        assert_true(fabs(count[1] / DRAWS - 0.3) < 0.02);
        if (k == 1)
            continue; /* a text without words has no length */
        assert_ok(scant_i_med_generator_fill(all, &g));
        for (size_t i = 0; i < D; i++) {
            double wanted = 0.3 * mean[1][i] / count[1] + 0.7 * mean[0][i] / count[0];
            if (!(fabs(all[i] - wanted) < 0.05 * (1 + fabs(wanted))))
                fail_msg("%s: mean %zu filled in as %g, drawn as %g", NAMES[k], i, all[i], wanted);
        }
    }
}

/* One conditional mean, from its definition by sums over a grid. */
static void test_fill(void **state)
{
    enum { STEPS = 4000 };
    toy c;
    double x[D], top = 0, bottom = 0, part;
    (void)state;
    toy_new(&c, 0, 1);
    memcpy(x, c.x + D, sizeof x);
    for (int i = 0; i < STEPS; i++) {
        x[2] = -20 + 44 * (i + 0.5) / STEPS;
        assert_ok(c.family->score(&part, x, c.plus, D));
        top += x[2] * exp(part);
        bottom += exp(part);
    }
    x[2] = NAN;
    assert_ok(c.family->fill(x, c.plus, D));
    if (!(fabs(x[2] - top / bottom) < 1e-3))
        fail_msg("filled in %g, wanted %g", x[2], top / bottom);
    assert_true(x[0] == c.x[D] && x[1] == c.x[D + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes),    cmocka_unit_test(test_crabs),
        cmocka_unit_test(test_families),  cmocka_unit_test(test_constant_columns),
        cmocka_unit_test(test_densities), cmocka_unit_test(test_marginal),
        cmocka_unit_test(test_generator), cmocka_unit_test(test_fill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
