/* M-steps: the closed forms written naively, no better parameters nearby, bounds and priors
 * included, and what happens to components of no weight. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family_cases.h"

enum { ROWS = 60, M = 5 };

typedef struct problem {
    const family_case *one;
    scant_i_factor *factor;
    double *x, *R, *statistics;
    scant_rows rows;
} problem;

static problem new_problem(const family_case *one, const scant_i_family_settings *settings,
                           uint64_t seed)
{
    problem p = {.one = one};
    scant_i_random random = scant_i_random_new(seed, 0);
    p.factor = case_factor(one, M, NULL, &random);
    if (settings)
        p.factor->settings = *settings;
    p.x = case_rows(one, p.factor, ROWS, &random);
    p.R = draw_responsibilities(p.factor, ROWS, &random);
    p.statistics = scant_i_calloc(one->family->pass->nstatistics(p.factor), sizeof *p.statistics);
    assert_non_null(p.statistics);
    p.rows = (scant_rows){.nrows = ROWS, .ncolumns = one->ncolumns, .dense = p.x};
    case_standardise(p.factor, p.x, ROWS);
    return p;
}

static void free_problem(problem *p)
{
    scant_i_free(p->x);
    scant_i_free(p->R);
    scant_i_free(p->statistics);
    scant_i_factor_free(p->factor);
}

static void solve(problem *p)
{
    scant_i_block block = {.batch = ALL_ROWS(&p->rows), .nrows = ROWS};
    run_statistics(p->factor, &block, p->R, p->statistics);
    assert_int_equal(p->one->family->pass->maximise(p->factor, p->statistics), SCANT_OK);
    assert_int_equal(p->one->family->check(p->factor), SCANT_OK);
}

/* Expected complete log-likelihood plus log prior; 0 * -inf = 0. */
static double objective(const problem *p, scant_i_factor *factor)
{
    double sum = 0;
    assert_int_equal(p->one->family->pass->prepare(factor), SCANT_OK);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < M; j++) {
            double r = p->R[i * factor->stride + j];
            if (r > 0)
                sum += r * p->one->log_density(factor, j, p->x + i * factor->ncolumns, NULL);
        }
    }
    return sum + (p->one->family->pass->log_prior ? p->one->family->pass->log_prior(factor) : 0);
}

static void no_better_nearby(const problem *p, uint64_t seed)
{
    scant_i_factor *other = NULL;
    scant_i_random random = scant_i_random_new(seed, 1);
    double best = objective(p, p->factor);
    assert_true(isfinite(best));
    assert_int_equal(scant_i_factor_copy(&other, p->factor), SCANT_OK);
    for (size_t k = 0; k < 200; k++) {
        double size = pow(10, -1.0 * (double)(k % 6));
        memcpy(other->theta, p->factor->theta, other->ntheta * sizeof *other->theta);
        p->one->perturb(other, &random, size);
        double value = objective(p, other);
        if (value > best + 1e-10 * fabs(best))
            fail_msg("%s: moved by %g, %.17g is above %.17g", p->one->family->name, size, value,
                     best);
    }
    scant_i_factor_free(other);
}

static void test_no_better(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            problem p = new_problem(&family_cases[k], NULL, seed);
            solve(&p);
            no_better_nearby(&p, seed);
            for (size_t j = 0; j < M; j++)
                assert_int_equal(p.factor->at_floor[j], 0);
            free_problem(&p);
        }
    }
}

static void test_smooth(void **state)
{
    (void)state;
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        scant_i_family_settings settings = family_cases[k].settings;
        settings.smooth = 0.7;
        problem p = new_problem(&family_cases[k], &settings, 9);
        solve(&p);
        no_better_nearby(&p, 9);
        free_problem(&p);
    }
}

/* sum R x / sum R, the mean of T under one component */
static double mean_of(const problem *p, size_t j, size_t c, double power)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double r = p->R[i * p->factor->stride + j];
        sum += r * pow(p->x[i * p->factor->ncolumns + c], power);
        weight += r;
    }
    return sum / weight;
}

static void near_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

/* With a prior of covariances nothing near the maximum is better. */
static void test_shrinkage(void **state)
{
    (void)state;
    for (size_t k = PLAIN_CASES; k < FAMILY_CASES; k++) {
        for (int aimed = 0; aimed < 2; aimed++) {
            scant_i_family_settings settings = family_cases[k].settings;
            settings.shrinkage = 7.5;
            problem p = new_problem(&family_cases[k], &settings, 13);
            size_t d = p.factor->ncolumns;
            double *target = scant_i_calloc(d * d, sizeof *target);
            assert_non_null(target);
            scant_i_parameter parameter[SCANT_I_PARAMETERS_MAX];
            p.one->family->parameters(p.factor, parameter);
            size_t size = (p.factor->ntheta - M * d) / (parameter[1].tied ? 1 : M);
            for (size_t i = 0; i < size; i++) /* diagonally dominant */
                target[i] = size > d ? (i % (d + 1) == 0 ? 0.5 : 0.1) : 0.3 + 0.1 * (double)i;
            if (aimed)
                assert_int_equal(scant_i_factor_aim(p.factor, target, size), SCANT_OK);
            solve(&p);
            no_better_nearby(&p, 13);
            scant_i_free(target);
            free_problem(&p);
        }
    }
}

/* (N S + s I) / (N + s) in standard units, naively. */
static void test_shrinkage_closed_form(void **state)
{
    (void)state;
    const double s = 4;
    size_t k = PLAIN_CASES;
    scant_i_family_settings settings = family_cases[k].settings;
    assert_string_equal(settings.covariance, "full");
    settings.shrinkage = s;
    problem p = new_problem(&family_cases[k], &settings, 14);
    solve(&p);
    size_t d = p.factor->ncolumns;
    for (size_t j = 0; j < M; j++)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                double N = 0, sum = 0, ma = mean_of(&p, j, a, 1), mb = mean_of(&p, j, b, 1);
                for (size_t i = 0; i < ROWS; i++) {
                    double r = p.R[i * p.factor->stride + j];
                    N += r;
                    sum += r * (p.x[i * d + a] - ma) * (p.x[i * d + b] - mb);
                }
                double target = a == b ? p.factor->scale[a] * p.factor->scale[a] : 0;
                double got = p.factor->theta[M * d + (j * d + a) * d + b];
                double want = (sum + s * target) / (N + s);
                if (!(fabs(got - want) <= 1e-9 * p.factor->scale[a] * p.factor->scale[b]))
                    fail_msg("%.17g is not %.17g", got, want);
            }
    free_problem(&p);
}

static void test_closed_forms(void **state)
{
    (void)state;
    const scant_i_family *families[] = {&scant_i_bernoulli, &scant_i_poisson, &scant_i_exponential,
                                        &scant_i_maxwell};
    for (size_t k = 0; k < 4; k++) {
        problem p = new_problem(family_case_of(families[k]), NULL, 5);
        solve(&p);
        for (size_t j = 0; j < M; j++) {
            for (size_t c = 0; c < p.factor->ncolumns; c++) {
                double want = k < 3 ? mean_of(&p, j, c, 1) : sqrt(mean_of(&p, j, c, 2) / 3);
                near_to(p.factor->theta[j * p.factor->ncolumns + c], want);
            }
        }
        free_problem(&p);
    }
    problem g = new_problem(family_case_of(&scant_i_gamma), NULL, 5);
    solve(&g);
    for (size_t k = 0; k < M * 3; k++) /* shape times scale is the mean */
        near_to(g.factor->theta[k] * g.factor->theta[M * 3 + k], mean_of(&g, k / 3, k % 3, 1));
    free_problem(&g);
}

static void test_shares(void **state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; smooth++) {
        scant_i_family_settings settings = {.smooth = smooth};
        problem p = new_problem(family_case_of(&scant_i_multinomial), &settings, 6);
        solve(&p);
        for (size_t j = 0; j < M; j++) {
            double sum[5] = {0}, total = 0;
            for (size_t i = 0; i < ROWS; i++)
                for (size_t c = 0; c < 5; c++)
                    sum[c] += p.R[i * p.factor->stride + j] * p.x[i * 5 + c];
            for (size_t c = 0; c < 5; c++)
                total += sum[c] + smooth;
            for (size_t c = 0; c < 5; c++)
                near_to(p.factor->theta[j * 5 + c], (sum[c] + smooth) / total);
        }
        free_problem(&p);
        problem q = new_problem(family_case_of(&scant_i_categorical), &settings, 6);
        solve(&q);
        const double *theta = q.factor->theta;
        for (size_t j = 0; j < M; j++) {
            for (size_t c = 0; c < 4; c++) {
                double sum[5] = {0}, total = 0;
                for (size_t i = 0; i < ROWS; i++)
                    sum[(size_t)q.x[i * 4 + c]] += q.R[i * q.factor->stride + j];
                for (size_t l = 0; l < q.factor->nlevels[c]; l++)
                    total += sum[l] + smooth;
                for (size_t l = 0; l < q.factor->nlevels[c]; l++)
                    near_to(*theta++, (sum[l] + smooth) / total);
            }
        }
        free_problem(&q);
    }
}

/* Sparse and dense rows give the same statistics; so do two halves of the rows. */
static void test_statistics_add(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        problem p = new_problem(one, NULL, 7);
        solve(&p);
        size_t n = one->family->pass->nstatistics(p.factor);
        double *other = scant_i_calloc(2 * n, sizeof *other);
        assert_non_null(other);
        scant_i_block halves[] = {{.batch = ALL_ROWS(&p.rows), .nrows = 23},
                                  {.batch = ALL_ROWS(&p.rows), .nrows = ROWS - 23, .first = 23}};
        run_statistics(p.factor, &halves[0], p.R, other);
        run_statistics(p.factor, &halves[1], p.R + 23 * p.factor->stride, other + n);
        for (size_t s = 0; s < n; s++)
            near_to(other[s] + other[n + s], p.statistics[s]);
        if (one->family->sparse) {
            scant_rows rows = sparse_rows(p.x, ROWS, one->ncolumns);
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
            run_statistics(p.factor, &block, p.R, other);
            for (size_t s = 0; s < n; s++)
                near_to(other[s], p.statistics[s]);
            free_sparse(&rows);
        }
        scant_i_free(other);
        free_problem(&p);
    }
}

/* A column that is missing in some rows is fitted to the others alone. */
static void test_missing(void **state)
{
    (void)state;
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        const family_case *one = &family_cases[k];
        if (one->family->needs_all_cells)
            continue;
        problem p = new_problem(one, NULL, 8), q = new_problem(one, NULL, 8);
        size_t n = one->family->pass->nstatistics(p.factor), missing = one->ncolumns - 1;
        uint8_t present[16];
        memset(present, 1, sizeof present);
        present[missing] = 0;
        double *more = scant_i_calloc(n, sizeof *more);
        assert_non_null(more);
        scant_i_block whole = {.batch = ALL_ROWS(&p.rows), .nrows = 40},
                      rest = {.batch = ALL_ROWS(&p.rows),
                              .nrows = ROWS - 40,
                              .first = 40,
                              .present = present};
        run_statistics(p.factor, &whole, p.R, p.statistics);
        for (size_t i = 40; i < ROWS; i++)
            p.x[i * one->ncolumns + missing] = NAN;
        run_statistics(p.factor, &rest, p.R + 40 * p.factor->stride, more);
        for (size_t s = 0; s < n; s++)
            p.statistics[s] += more[s];
        assert_int_equal(one->family->pass->maximise(p.factor, p.statistics), SCANT_OK);
        /* the other problem: those rows weigh nothing, then compare that column only */
        memset(q.R + 40 * q.factor->stride, 0, (ROWS - 40) * q.factor->stride * sizeof *q.R);
        solve(&q);
        size_t width = p.factor->ntheta / M;
        size_t last = one->family->categorical ? one->nlevels[missing] : 1;
        for (size_t j = 0; j < M && one->family != &scant_i_gamma; j++)
            for (size_t c = width - last; c < width; c++)
                near_to(p.factor->theta[j * width + c], q.factor->theta[j * width + c]);
        for (size_t s = 0; s < p.factor->ntheta; s++)
            assert_true(isfinite(p.factor->theta[s]));
        scant_i_free(more);
        free_problem(&p);
        free_problem(&q);
    }
}

static void test_no_weight(void **state)
{
    (void)state;
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_family_settings settings = one->settings;
        settings.smooth = 1;
        problem p = new_problem(one, &settings, 10);
        scant_i_factor *before = NULL;
        assert_int_equal(scant_i_factor_copy(&before, p.factor), SCANT_OK);
        for (size_t i = 0; i < ROWS; i++)
            p.R[i * p.factor->stride + 2] = 0;
        solve(&p);
        scant_i_parameter parameters[SCANT_I_PARAMETERS_MAX];
        size_t n = one->family->parameters(p.factor, parameters);
        for (size_t a = 0; a < n; a++) {
            size_t width = parameters[a].ndim > 1 ? parameters[a].dim[1] : 1;
            size_t at = parameters[a].offset + 2 * width;
            assert_int_equal(parameters[a].dim[0], M);
            assert_memory_equal(p.factor->theta + at, before->theta + at, width * sizeof(double));
            assert_memory_not_equal(p.factor->theta + at + width, before->theta + at + width,
                                    width * sizeof(double));
        }
        scant_i_factor_free(before);
        free_problem(&p);
    }
}

/* All rows equal: the bounds hold, and nothing near them within the bounds is better. */
static void test_equal_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        const family_case *one = &family_cases[k];
        for (int bounded = 0; bounded < 2; bounded++) {
            scant_i_family_settings settings = one->settings;
            settings.min_variance = bounded ? 1e-3 : 0;
            problem p = new_problem(one, &settings, 11);
            for (size_t i = 1; i < ROWS; i++)
                memcpy(p.x + i * one->ncolumns, p.x, one->ncolumns * sizeof *p.x);
            if (!bounded) /* else as when one component holds equal rows of varied data */
                case_standardise(p.factor, p.x, ROWS);
            solve(&p);
            assert_true(isfinite(objective(&p, p.factor)));
            bool collapses = one->family == &scant_i_gamma || one->family == &scant_i_regression;
            for (size_t j = 0; j < M; j++)
                assert_int_equal(p.factor->at_floor[j], collapses);
            free_problem(&p);
        }
    }
}

/* Values at the ends of the domain leave everything finite. */
static void test_extremes(void **state)
{
    (void)state;
    const double ends[] = {0, 1e-100, 1e-30, 1, 1e30, 1e100};
    for (size_t k = 0; k < PLAIN_CASES; k++) {
        const family_case *one = &family_cases[k];
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            for (int mixed = 0; mixed < 2; mixed++) {
                problem p = new_problem(one, NULL, 12);
                for (size_t i = 0; i < ROWS; i += 1 + (size_t)mixed)
                    for (size_t c = 0; c < one->ncolumns; c++)
                        p.x[i * one->ncolumns + c] = ends[e];
                if (one->family->validate(p.factor, ALL_ROWS(&p.rows)) != SCANT_OK) {
                    free_problem(&p);
                    continue;
                }
                case_standardise(p.factor, p.x, ROWS);
                solve(&p);
                scant_i_block block = {.batch = ALL_ROWS(&p.rows), .nrows = ROWS};
                double *L = scant_i_calloc(ROWS, p.factor->stride * sizeof *L);
                assert_non_null(L);
                run_log_density(p.factor, &block, L);
                for (size_t i = 0; i < ROWS * p.factor->stride; i++)
                    assert_false(isnan(L[i]) || L[i] == INFINITY);
                scant_i_free(L);
                free_problem(&p);
            }
        }
    }
}

/* Inputs that repeat or do not vary: no NaN, and the fit of the plain design. */
static void test_degenerate_design(void **state)
{
    (void)state;
    problem p = new_problem(family_case_of(&scant_i_regression), NULL, 13);
    for (size_t i = 0; i < ROWS; i++) {
        p.x[i * 4 + 2] = 2 * p.x[i * 4] - 1; /* columns 0 and 2 are one, column 3 is constant */
        p.x[i * 4 + 3] = 5;
    }
    case_standardise(p.factor, p.x, ROWS);
    solve(&p);
    no_better_nearby(&p, 13);
    double full = objective(&p, p.factor);
    for (size_t i = 0; i < ROWS; i++)
        p.x[i * 4 + 2] = 1;
    case_standardise(p.factor, p.x, ROWS);
    solve(&p);
    assert_true(fabs(objective(&p, p.factor) - full) < 1e-8 * fabs(full));
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_better),      cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_shrinkage),      cmocka_unit_test(test_shrinkage_closed_form),
        cmocka_unit_test(test_closed_forms),   cmocka_unit_test(test_shares),
        cmocka_unit_test(test_statistics_add), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_no_weight),      cmocka_unit_test(test_equal_rows),
        cmocka_unit_test(test_extremes),       cmocka_unit_test(test_degenerate_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
