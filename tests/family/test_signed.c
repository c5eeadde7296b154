/* Coefficients of either sign and the anchor: statistics are sums, whatever their terms; w E_theta[T]
 * is what rows drawn from theta come to, and has theta as its maximum; statistics that no rows could
 * have are refused, and rounding is not taken for one of them. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "family/gaussian.h"
#include "family/votes.h"
#include "family_cases.h"

enum { ROWS = 60, M = 5, DRAWS = 20000 };

static double *new_statistics(const scant_i_factor *factor)
{
    double *statistics =
        scant_i_calloc(factor->family->pass->nstatistics(factor), sizeof *statistics);
    assert_non_null(statistics);
    return statistics;
}

/* Coefficients of either sign, 0 in the padding; the caller frees. */
static double *draw_signed(const scant_i_factor *factor, size_t n, scant_i_random *random)
{
    double *R = scant_i_calloc(n, factor->stride * sizeof *R);
    assert_non_null(R);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < factor->ncomponents; j++)
            R[i * factor->stride + j] = scant_i_random_normal(random);
    return R;
}

static void assert_near(const scant_i_factor *factor, const double *got, const double *wanted,
                        double slack)
{
    double size = 1;
    size_t n = factor->family->pass->nstatistics(factor);
    for (size_t k = 0; k < n; k++)
        size = fmax(size, fabs(wanted[k]));
    for (size_t k = 0; k < n; k++)
        if (!(fabs(got[k] - wanted[k]) <= slack * size))
            fail_msg("%s: statistic %zu is %.17g, not %.17g", factor->family->name, k, got[k],
                     wanted[k]);
}

/* --- T(x) of a whole row in the layout of the statistics, from the textbook --- */

static size_t gaussian_T(const scant_i_factor *factor, const double *x, double *T)
{
    size_t d = factor->ncolumns, n = 0;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double z[16], squares = 0, common = 0;
    for (size_t c = 0; c < d; c++)
        common += factor->scale[c] * factor->scale[c] / (double)d;
    for (size_t c = 0; c < d; c++) {
        z[c] = (x[c] - factor->centre[c]) /
               (shape == SCANT_I_SPHERICAL ? sqrt(common) : factor->scale[c]);
        squares += z[c] * z[c];
    }
    T[n++] = 1;
    for (size_t c = 0; c < d; c++)
        T[n++] = z[c];
    if (shape == SCANT_I_SPHERICAL)
        T[n++] = squares;
    for (size_t a = 0; a < d && shape != SCANT_I_SPHERICAL; a++)
        for (size_t b = a; b < (shape == SCANT_I_FULL ? d : a + 1); b++)
            T[n++] = z[a] * z[b];
    for (size_t c = 0; c < d && shape != SCANT_I_FULL; c++)
        T[n++] = 0; /* weights of rows with something missing */
    return n;
}

static size_t regression_T(const scant_i_factor *factor, const double *x, double *T)
{
    size_t d = factor->ncolumns, target = factor->settings.target, n = 0, k = 1;
    double u[16] = {1};
    for (size_t c = 0; c < d; c++) {
        size_t at = c == target ? d : k++;
        u[at] = (x[c] - factor->centre[c]) / factor->scale[c];
    }
    for (size_t a = 0; a <= d; a++)
        for (size_t b = a; b <= d; b++)
            T[n++] = u[a] * u[b];
    return n;
}

static size_t columns_T(const scant_i_factor *factor, const double *x, double *T)
{
    size_t d = factor->ncolumns, n = 0;
    T[n++] = 1;
    for (size_t c = 0; c < d; c++)
        T[n++] = 0; /* weights of rows with something missing */
    for (size_t c = 0; c < d; c++) {
        if (factor->family == &scant_i_gamma)
            T[n++] = log(x[c] / factor->centre[c]);
        T[n++] = factor->family == &scant_i_gamma     ? x[c] / factor->centre[c]
                 : factor->family == &scant_i_maxwell ? x[c] * x[c]
                                                      : x[c];
    }
    return n;
}

static size_t simplex_T(const scant_i_factor *factor, const double *x, double *T)
{
    size_t n = 0;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        if (!factor->family->categorical)
            T[n++] = x[c];
        for (size_t l = 0; factor->family->categorical && l < factor->nlevels[c]; l++)
            T[n++] = x[c] == (double)l;
    }
    if (!factor->family->categorical)
        T[n++] = 1;
    return n;
}

static size_t naive_T(const scant_i_factor *factor, const double *x, double *T)
{
    const scant_i_family *family = factor->family;
    return family == &scant_i_gaussian     ? gaussian_T(factor, x, T)
           : family == &scant_i_regression ? regression_T(factor, x, T)
           : family->law                   ? columns_T(factor, x, T)
                                           : simplex_T(factor, x, T);
}

static void test_naive(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        scant_i_random random = scant_i_random_new(11, k);
        scant_i_factor *factor = case_factor(&family_cases[k], M, NULL, &random);
        double *x = case_rows(&family_cases[k], factor, ROWS, &random);
        case_standardise(factor, x, ROWS);
        scant_rows rows = {.nrows = ROWS, .ncolumns = factor->ncolumns, .dense = x};
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
        double *R = draw_signed(factor, ROWS, &random), *got = new_statistics(factor);
        double *wanted = new_statistics(factor), T[64];
        for (size_t i = 0; i < ROWS; i++) {
            size_t n = naive_T(factor, x + i * factor->ncolumns, T);
            assert_int_equal(n * factor->stride, factor->family->pass->nstatistics(factor));
            for (size_t t = 0; t < n; t++)
                for (size_t j = 0; j < M; j++)
                    wanted[t * factor->stride + j] += R[i * factor->stride + j] * T[t];
        }
        run_statistics(factor, &block, R, got);
        assert_near(factor, got, wanted, 1e-13);
        scant_i_free(x);
        scant_i_free(R);
        scant_i_free(got);
        scant_i_free(wanted);
        scant_i_factor_free(factor);
    }
}

/* --- every way to the statistics is linear in R --- */

/* Sums over [P; -Q; Q - P] of the same rows are 0. */
static void check_linear(scant_i_factor *factor, const scant_i_block *block, scant_i_random *random)
{
    size_t n = factor->family->pass->nstatistics(factor), cells = block->nrows * factor->stride;
    double *P = draw_responsibilities(factor, block->nrows, random);
    double *R = draw_signed(factor, block->nrows, random);
    double *got = new_statistics(factor), *first = new_statistics(factor),
           *second = new_statistics(factor);
    double most = 0;
    run_statistics(factor, block, R, got);
    for (size_t k = 0; k < cells; k++) { /* R = (|R| + P) - (|R| + P - R), both at least 0 */
        double whole = fabs(R[k]) + P[k];
        P[k] = whole - R[k];
        R[k] = whole;
        assert_true(P[k] >= 0 && R[k] >= 0);
    }
    run_statistics(factor, block, R, first);
    run_statistics(factor, block, P, second);
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fabs(first[k]) + fabs(second[k]));
        first[k] -= second[k];
    }
    assert_true(most > 0);
    assert_near(factor, got, first, 1e-12 * fmax(1, most));
    scant_i_free(P);
    scant_i_free(R);
    scant_i_free(got);
    scant_i_free(first);
    scant_i_free(second);
}

static void check_kept(scant_i_factor *factor, scant_i_block block, scant_i_random *random)
{
    const scant_i_family_pass *pass = factor->family->pass;
    if (!pass->keep || pass->keep_bytes(factor, &block) == 0)
        return;
    void *kept = NULL;
    assert_int_equal(pass->keep(factor, &block, &kept), SCANT_OK);
    block.kept = kept;
    check_linear(factor, &block, random);
    pass->drop(kept);
}

static void test_linear(void **state)
{
    (void)state;
    size_t sparse_ways = 0, missing_ways = 0;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        scant_i_random random = scant_i_random_new(12, k);
        scant_i_factor *factor = case_factor(&family_cases[k], M, NULL, &random);
        double *x = case_rows(&family_cases[k], factor, ROWS, &random);
        uint8_t present[16];
        memset(present, 1, sizeof present);
        if (factor->family == &scant_i_gaussian) /* one component goes by its factor */
            scant_i_gaussian_mean(factor, 0)[1] += 1e5;
        assert_int_equal(factor->family->pass->prepare(factor), SCANT_OK);
        scant_rows rows = {.nrows = ROWS, .ncolumns = factor->ncolumns, .dense = x};
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
        check_linear(factor, &block, &random);
        if (!factor->family->needs_all_cells) {
            present[1] = 0;
            block.present = present;
            check_linear(factor, &block, &random);
            missing_ways++;
        }
        if (factor->family->sparse) {
            scant_rows sparse = sparse_rows(x, ROWS, factor->ncolumns);
            scant_i_block of = {.batch = ALL_ROWS(&sparse), .nrows = ROWS};
            check_linear(factor, &of, &random);
            check_kept(factor, of, &random);
            free_sparse(&sparse);
            sparse_ways++;
        }
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
    assert_int_equal(sparse_ways, 4);
    assert_int_equal(missing_ways, FAMILY_CASES - 2);
}

/* --- the anchor --- */

static void add_anchor(scant_i_factor *factor, double w, size_t only, double *statistics)
{
    double weights[M] = {0};
    for (size_t j = 0; j < M; j++)
        weights[j] = only == M || only == j ? w : 0;
    assert_int_equal(factor->family->pass->prepare(factor), SCANT_OK);
    assert_int_equal(factor->family->pass->anchor(factor, weights, statistics), SCANT_OK);
}

static void entry(const family_case *one, const scant_i_factor *factor, scant_i_random *random,
                  double *x)
{
    one->draw_entry(factor, random, x);
    if (factor->family->has_total)
        x[0] = 1;
}

/* Means over rows drawn from component j, accumulated by the family itself, which test_naive holds to
 * the textbook: each statistic within five standard errors of the anchor's. */
static void check_anchor(const family_case *one, scant_i_factor *factor, size_t j,
                         scant_i_random *random)
{
    size_t d = factor->ncolumns, n = factor->family->pass->nstatistics(factor), batches = 50;
    size_t each = DRAWS / batches;
    double *x = scant_i_calloc(each, d * sizeof *x);
    double *R = scant_i_calloc(each, factor->stride * sizeof *R);
    double *mean = new_statistics(factor), *square = new_statistics(factor),
           *sum = new_statistics(factor), *anchor = new_statistics(factor);
    assert_true(x && R);
    for (size_t i = 0; i < each; i++)
        R[i * factor->stride + j] = 1 / (double)each;
    add_anchor(factor, 1, j, anchor);
    for (size_t b = 0; b < batches; b++) {
        for (size_t i = 0; i < each; i++) {
            entry(one, factor, random, x + i * d);
            assert_int_equal(factor->family->sample(factor, j, random, x + i * d), SCANT_OK);
        }
        scant_rows rows = {.nrows = each, .ncolumns = d, .dense = x};
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = each};
        run_statistics(factor, &block, R, sum);
        for (size_t k = 0; k < n; k++) {
            mean[k] += sum[k] / (double)batches;
            square[k] += (sum[k] - anchor[k]) * (sum[k] - anchor[k]) / (double)batches;
        }
    }
    for (size_t k = 0; k < n; k++) {
        double error = sqrt(square[k] / (double)batches);
        if (!(fabs(mean[k] - anchor[k]) <= 5 * error + 1e-12 * fabs(anchor[k])))
            fail_msg("%s of component %zu: statistic %zu has mean %g, error %g, not %g",
                     factor->family->name, j, k, mean[k], error, anchor[k]);
    }
    scant_i_free(x);
    scant_i_free(R);
    scant_i_free(mean);
    scant_i_free(square);
    scant_i_free(sum);
    scant_i_free(anchor);
}

static void test_anchor(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(13, k);
        scant_i_factor *factor = case_factor(one, M, NULL, &random);
        double *x = case_rows(one, factor, ROWS, &random);
        case_standardise(factor, x, ROWS);
        if (factor->family == &scant_i_regression) { /* inputs have no distribution */
            assert_null(factor->family->pass->anchor);
        } else {
            if (factor->family == &scant_i_gaussian)
                scant_i_gaussian_mean(factor, 2)[0] += 1e5;
            for (size_t j = 0; j < 3; j++)
                check_anchor(one, factor, j, &random);
        }
        if (factor->family == &scant_i_gaussian)
            assert_int_equal(((scant_i_gaussian_tables *)factor->tables)->nexact, 1);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* A narrow column of gammas has statistics of its own (gamma.c). */
static void test_narrow_gamma(void **state)
{
    (void)state;
    const family_case *one = family_case_of(&scant_i_gamma);
    scant_i_random random = scant_i_random_new(14, 0);
    scant_i_factor *factor = case_factor(one, M, NULL, &random);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        factor->centre[c] = 7;
        factor->scale[c] = 7e-4;
        for (size_t j = 0; j < M; j++) {
            factor->theta[j * factor->ncolumns + c] = 1e7;
            factor->theta[(M + j) * factor->ncolumns + c] = 7.001e-7;
        }
    }
    check_anchor(one, factor, 1, &random);
    scant_i_factor_free(factor);
}

static void assert_theta(const scant_i_factor *factor, const double *wanted, double slack)
{
    for (size_t k = 0; k < factor->ntheta; k++)
        if (!(fabs(factor->theta[k] - wanted[k]) <= slack * fmax(1, fabs(wanted[k]))))
            fail_msg("%s: parameter %zu is %.17g, not %.17g", factor->family->name, k,
                     factor->theta[k], wanted[k]);
}

/* maximise(w E_theta[T]) = theta; and so is that of any statistics with the anchor added and taken
 * away again. */
static void check_return(scant_i_factor *factor)
{
    double *statistics = new_statistics(factor);
    double *theta = scant_i_calloc(factor->ntheta, sizeof *theta);
    assert_non_null(theta);
    memcpy(theta, factor->theta, factor->ntheta * sizeof *theta);
    add_anchor(factor, 1, M, statistics);
    assert_int_equal(factor->family->pass->maximise(factor, statistics), SCANT_OK);
    assert_theta(factor, theta, 1e-9);
    for (size_t j = 0; j < M; j++)
        assert_int_equal(factor->at_floor[j], 0);

    memcpy(factor->theta, theta, factor->ntheta * sizeof *theta);
    add_anchor(factor, 3, M, statistics);
    add_anchor(factor, -2.5, M, statistics);
    assert_int_equal(factor->family->pass->maximise(factor, statistics), SCANT_OK);
    assert_theta(factor, theta, 1e-9);
    scant_i_free(theta);
    scant_i_free(statistics);
}

static void test_return(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        scant_i_random random = scant_i_random_new(15, k);
        scant_i_factor *factor = case_factor(&family_cases[k], M, NULL, &random);
        double *x = case_rows(&family_cases[k], factor, ROWS, &random);
        case_standardise(factor, x, ROWS);
        if (factor->family->pass->anchor)
            check_return(factor);
        if (factor->family == &scant_i_gaussian) {
            factor->settings.fixed_covariances = true;
            check_return(factor);
        }
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* M predictors' answers, M of them: every predictor answers. */
static scant_i_factor *votes_factor(const scant_i_family *family, scant_i_random *random)
{
    enum { PREDICTORS = 3 };
    size_t columns[PREDICTORS] = {0, 1, 2}, levels[PREDICTORS] = {M, M, M};
    scant_i_factor *factor = NULL;
    assert_int_equal(scant_i_factor_new(&factor, family, &(scant_i_family_settings){0}, M, columns,
                                        levels, PREDICTORS),
                     SCANT_OK);
    for (size_t j = 0; j < M; j++)
        for (size_t c = 0; c < PREDICTORS; c++) {
            double *p = factor->theta + (j * PREDICTORS + c) * M, sum = 0;
            for (size_t a = 0; a < M; a++)
                sum += p[a] = family == &scant_i_symmetric ? (a == j ? 4 + (double)c : 1)
                                                           : scant_i_random_exponential(random);
            for (size_t a = 0; a < M; a++)
                p[a] /= sum;
        }
    return factor;
}

static void test_votes(void **state)
{
    (void)state;
    const scant_i_family *families[] = {&scant_i_confusion, &scant_i_symmetric};
    for (size_t k = 0; k < 2; k++) {
        scant_i_random random = scant_i_random_new(16, k);
        scant_i_factor *factor = votes_factor(families[k], &random);
        double *statistics = new_statistics(factor);
        check_return(factor);
        add_anchor(factor, 1, M, statistics);
        for (size_t t = 0; t < factor->ncolumns * M; t++) /* fewer right answers than none */
            statistics[t * factor->stride + t % M] -= 0.9;
        assert_int_equal(families[k]->pass->maximise(factor, statistics), SCANT_ERR_INPUT);
        scant_i_free(statistics);
        scant_i_factor_free(factor);
    }
}

/* --- what no rows have --- */

static void assert_refused(scant_i_factor *factor, const double *statistics)
{
    scant_status status = factor->family->pass->maximise(factor, statistics);
    if (status != SCANT_ERR_INPUT)
        fail_msg("%s: impossible statistics came back as %d", factor->family->name, status);
    assert_non_null(strstr(scant_message(), factor->family->name));
    assert_non_null(strstr(scant_message(), "rows"));
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(17, k);
        scant_i_factor *factor = case_factor(one, M, NULL, &random);
        double *x = case_rows(one, factor, ROWS, &random);
        case_standardise(factor, x, ROWS);
        scant_rows rows = {.nrows = ROWS, .ncolumns = factor->ncolumns, .dense = x};
        scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
        double *R = draw_responsibilities(factor, ROWS, &random);
        double *statistics = new_statistics(factor);

        /* a weight below 0 */
        for (size_t i = 0; i < ROWS; i++)
            R[i * factor->stride + 3] *= -1;
        run_statistics(factor, &block, R, statistics);
        assert_refused(factor, statistics);

        /* a weight above 0, but one row outdoes the others */
        memset(R, 0, ROWS * factor->stride * sizeof *R);
        for (size_t i = 0; i < ROWS; i++)
            R[i * factor->stride + 3] = i == 0 ? 1 - ROWS + 1e-3 : 1;
        for (size_t i = 1; i < ROWS; i++) /* which has more of everything than there is */
            for (size_t c = 0; c < factor->ncolumns; c++)
                if (!factor->family->categorical)
                    x[c] = fmax(x[c], x[i * factor->ncolumns + c]);
        if (factor->family == &scant_i_regression)
            x[factor->settings.target] += 100;
        run_statistics(factor, &block, R, statistics);
        assert_refused(factor, statistics);
        scant_i_free(x);
        scant_i_free(R);
        scant_i_free(statistics);
        scant_i_factor_free(factor);
    }
}

/* Rows that are taken away again leave the maximum of the others. */
static void test_taken_away(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        scant_i_random random = scant_i_random_new(18, k);
        scant_i_factor *factor = case_factor(one, M, NULL, &random);
        double *x = case_rows(one, factor, 2 * ROWS, &random);
        case_standardise(factor, x, 2 * ROWS);
        assert_int_equal(factor->family->pass->prepare(factor), SCANT_OK);
        scant_rows rows = {.nrows = 2 * ROWS, .ncolumns = factor->ncolumns, .dense = x};
        scant_i_block all = {.batch = ALL_ROWS(&rows), .nrows = 2 * ROWS};
        scant_i_block half = {.batch = all.batch, .nrows = ROWS};
        scant_i_block rest = {.batch = all.batch, .nrows = ROWS, .first = ROWS};
        double *R = draw_responsibilities(factor, 2 * ROWS, &random);
        double *sum = new_statistics(factor), *less = new_statistics(factor);
        double *theta = scant_i_calloc(factor->ntheta, sizeof *theta);
        run_statistics(factor, &half, R, sum);
        assert_int_equal(factor->family->pass->maximise(factor, sum), SCANT_OK);
        memcpy(theta, factor->theta, factor->ntheta * sizeof *theta);

        run_statistics(factor, &all, R, sum);
        for (size_t t = 0; t < 2 * ROWS * factor->stride; t++)
            R[t] *= -1;
        run_statistics(factor, &rest, R + ROWS * factor->stride, less);
        for (size_t t = 0; t < factor->family->pass->nstatistics(factor); t++)
            sum[t] += less[t];
        assert_int_equal(factor->family->pass->maximise(factor, sum), SCANT_OK);
        assert_theta(factor, theta, 1e-9);
        scant_i_free(theta);
        scant_i_free(sum);
        scant_i_free(less);
        scant_i_free(R);
        scant_i_free(x);
        scant_i_factor_free(factor);
    }
}

/* Rows that hardly vary, far from where statistics are about: variances are rounding, and of either
 * sign, but the rows are there. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t k = 0; k < FAMILY_CASES; k++) {
        const family_case *one = &family_cases[k];
        for (uint64_t seed = 0; seed < 20; seed++) {
            scant_i_random random = scant_i_random_new(19, seed);
            scant_i_factor *factor = case_factor(one, M, NULL, &random);
            double *x = case_rows(one, factor, ROWS, &random);
            case_standardise(factor, x, ROWS);
            factor->settings.min_variance = 1e-6;
            for (size_t i = 1; i < ROWS; i++)
                memcpy(x + i * factor->ncolumns, x, factor->ncolumns * sizeof *x);
            scant_rows rows = {.nrows = ROWS, .ncolumns = factor->ncolumns, .dense = x};
            scant_i_block block = {.batch = ALL_ROWS(&rows), .nrows = ROWS};
            double *R = draw_responsibilities(factor, ROWS, &random);
            double *statistics = new_statistics(factor);
            for (size_t t = 0; t < ROWS; t++) /* from everything to hardly anything */
                for (size_t j = 0; j < M; j++)
                    R[t * factor->stride + j] *= pow(10, -70.0 * (double)j);
            run_statistics(factor, &block, R, statistics);
            if (factor->family->pass->maximise(factor, statistics) != SCANT_OK)
                fail_msg("%s: %s", factor->family->name, scant_message());
            assert_int_equal(factor->family->check(factor), SCANT_OK);
            scant_i_free(x);
            scant_i_free(R);
            scant_i_free(statistics);
            scant_i_factor_free(factor);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_naive),    cmocka_unit_test(test_linear),
        cmocka_unit_test(test_anchor),   cmocka_unit_test(test_narrow_gamma),
        cmocka_unit_test(test_return),   cmocka_unit_test(test_votes),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_taken_away),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
