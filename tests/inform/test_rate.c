/* The rate that information predicts is the rate at which EM goes, component-major (EM1) and
 * class-major (EM2). */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "inform/errors.h"
#include "inform/rate.h"
#include "latent/pass.h"
#include "latent/start.h"

enum { N = 400, D = 2, M = 3, K = 2, PROBLEMS = 50, STEPS = 20000 };

typedef struct problem {
    scant_i_mixture *mixture;
    scant_rows *rows;
    scant_i_evidence evidence;
    scant_i_problem asked;
    double x[N * D];
} problem;

/* Rows of three groups that classes share in parts; two rows in five have a label. */
static void problem_new(problem *p, size_t number)
{
    static const char *const shapes[] = {"full", "diag", "tied", "spherical", "tied-diag"};
    static const char *const names[K] = {"a", "b"};
    static const double share[M] = {0.15, 0.5, 0.9};
    static const size_t columns[D] = {0, 1};
    scant_i_random random = scant_i_random_new(77, number);
    scant_i_family_settings settings = {.covariance = shapes[number % 5], .min_variance = 1e-8};
    const char *cells[N];
    double centre[M][D];
    memset(p, 0, sizeof *p);
    for (size_t j = 0; j < M; j++)
        for (size_t c = 0; c < D; c++)
            centre[j][c] = (c == 0 ? 2.8 * (double)j : 0) + 0.7 * scant_i_random_normal(&random);
    for (size_t i = 0; i < N; i++) {
        size_t j = scant_i_random_below(&random, M);
        bool second = scant_i_random_uniform(&random) < share[j];
        for (size_t c = 0; c < D; c++)
            p->x[i * D + c] = centre[j][c] + scant_i_random_normal(&random);
        cells[i] = scant_i_random_uniform(&random) < 0.4 ? names[second] : "";
    }
    assert_ok(scant_rows_new(&p->rows, N, D, p->x, NULL));
    assert_ok(scant_rows_set_labels(p->rows, cells, names, K, NULL));
    assert_ok(scant_i_evidence_new(&p->evidence, p->rows, K,
                                   &(scant_i_evidence_settings){.unlabelled_weight = 1}));
    assert_ok(scant_i_mixture_new(&p->mixture, M, K, 1));
    assert_ok(scant_i_factor_new(&p->mixture->factor[0], &scant_i_gaussian, &settings, M, columns,
                                 NULL, D));
    scant_i_factor *factor = p->mixture->factor[0];
    for (size_t j = 0; j < M; j++) {
        p->mixture->coupling.W[j] = (1 - share[j]) / M;
        p->mixture->coupling.W[p->mixture->stride + j] = share[j] / M;
        memcpy(factor->theta + j * D, centre[j], sizeof centre[j]);
    }
    for (size_t t = M * D; t < factor->ntheta; t++) /* unit variances in every shape */
        factor->theta[t] =
            strcmp(settings.covariance, "full") != 0 && strcmp(settings.covariance, "tied") != 0
                ? 1
                : (t - M * D) % (D * D) % (D + 1) == 0;
    assert_ok(scant_i_mixture_standardise(p->mixture, p->rows, 1));
    assert_ok(scant_i_problem_new(&p->asked, p->rows, &p->evidence, p->mixture, 0, 1));
}

static void problem_clear(problem *p)
{
    scant_i_problem_clear(&p->asked);
    scant_i_evidence_clear(&p->evidence);
    scant_i_mixture_free(p->mixture);
    scant_rows_free(p->rows);
}

/* One step of EM; returns how far it went. */
static double step(problem *p)
{
    size_t size = scant_i_mixture_size(p->mixture);
    double *before = calloc(2 * size, sizeof *before), *after = before + size, sum = 0;
    assert_non_null(before);
    scant_i_mixture_flatten(p->mixture, before);
    assert_ok(scant_i_problem_expect(&p->asked, p->mixture, true));
    assert_ok(scant_i_mixture_maximise(p->mixture, &p->asked));
    scant_i_mixture_flatten(p->mixture, after);
    for (size_t t = 0; t < size; t++)
        sum += (after[t] - before[t]) * (after[t] - before[t]);
    free(before);
    return sqrt(sum);
}

/* Runs EM up to its fixed point; returns the ratio of its last steps that are not yet rounding. */
static double contraction(problem *p)
{
    double last = step(p), ratio = 0;
    for (size_t s = 0; s < STEPS && last > 1e-11; s++) {
        double now = step(p);
        if (now > 1e-9)
            ratio = now / last;
        last = now;
    }
    assert_true(last <= 1e-11);
    return ratio;
}

/* Differences of steps know the same factor as the matrices. */
static void check_steps(const problem *p, const scant_i_chart *chart, double share)
{
    double factor = 0;
    assert_ok(scant_i_em_factor(&factor, chart, p->mixture, p->rows, &p->evidence, 1));
    if (!(fabs(factor - share) <= 2e-3 * (1 - share)))
        fail_msg("steps say %.6f, matrices %.6f", factor, share);
}

static void predicted_rate_is_measured(void **state)
{
    (void)state;
    size_t slower = 0;
    for (size_t number = 0; number < PROBLEMS; number++) {
        double share[2];
        for (unsigned major = 0; major < 2; major++) {
            problem p;
            scant_i_information info;
            problem_new(&p, number);
            p.mixture->coupling.component_major = major;
            double measured = contraction(&p);
            assert_ok(scant_i_information_new(&info, p.mixture, p.rows, &p.evidence, 1));
            assert_ok(scant_i_missing_share(&share[major], &info, major));
            check_steps(&p, &info.chart, share[major]);
            share[major] = fmax(share[major], info.vanishing[major]);
            if (!(fabs(share[major] - measured) <= 0.02 * measured))
                fail_msg("problem %zu, EM%d: predicted %.6f, measured %.6f", number, major ? 1 : 2,
                         share[major], measured);
            scant_i_information_clear(&info);
            problem_clear(&p);
        }
        assert_true(share[0] >= share[1] - 1e-6); /* EM1 completes less, so it is no slower */
        slower += share[0] > share[1] + 1e-3;
    }
    assert_true(slower > PROBLEMS / 10);
}

/* --- more parameters than matrices are made for --- */

enum { TEXTS = 600, WORDS = 2200, TOPICS = 2, LENGTH = 20 };

/* Sparse counts of two topics that share most of their words, with pseudo-counts. */
static void texts_new(problem *p)
{
    static size_t start[TEXTS + 1], columns[WORDS];
    static int32_t column[TEXTS * LENGTH];
    static double value[TEXTS * LENGTH], count[WORDS];
    scant_i_family_settings settings = {.smooth = 0.1};
    scant_i_random random = scant_i_random_new(5, 5);
    size_t n = 0;
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < TEXTS; i++) {
        memset(count, 0, sizeof count);
        for (size_t t = 0; t < LENGTH; t++) {
            bool own = scant_i_random_uniform(&random) < 0.1;
            size_t word = scant_i_random_below(&random, own ? 40 : WORDS);
            count[own && i % 2 ? WORDS - 1 - word : word]++;
        }
        for (size_t c = 0; c < WORDS; c++)
            if (count[c] > 0) {
                column[n] = (int32_t)c;
                value[n++] = count[c];
            }
        start[i + 1] = n;
    }
    for (size_t c = 0; c < WORDS; c++)
        columns[c] = c;
    assert_ok(scant_rows_new_sparse(&p->rows, TEXTS, WORDS, start, column, value));
    assert_ok(scant_i_evidence_new(&p->evidence, p->rows, 1,
                                   &(scant_i_evidence_settings){.unlabelled_weight = 1}));
    assert_ok(scant_i_mixture_new(&p->mixture, TOPICS, 1, 1));
    assert_ok(scant_i_factor_new(&p->mixture->factor[0], &scant_i_multinomial, &settings, TOPICS,
                                 columns, NULL, WORDS));
    for (size_t j = 0; j < TOPICS; j++) {
        double *theta = p->mixture->factor[0]->theta + j * WORDS;
        p->mixture->coupling.W[j] = 1.0 / TOPICS;
        for (size_t c = 0; c < WORDS; c++)
            theta[c] = 0.9 / WORDS + ((j ? WORDS - 1 - c : c) < 40 ? 0.1 / 40 : 0);
    }
    assert_ok(scant_i_problem_new(&p->asked, p->rows, &p->evidence, p->mixture, 0, 1));
}

static void many_parameters_have_a_rate(void **state)
{
    (void)state;
    problem p;
    scant_i_chart chart;
    double factor[2];
    texts_new(&p);
    double measured = contraction(&p);
    assert_ok(scant_i_chart_new(&chart, p.mixture, true, NULL));
    assert_true(chart.n > SCANT_I_COORDINATES_MAX);
    for (size_t threads = 1; threads <= 2; threads++)
        assert_ok(scant_i_em_factor(&factor[threads - 1], &chart, p.mixture, p.rows, &p.evidence,
                                    threads));
    assert_true(factor[0] == factor[1]);
    assert_true(measured > 0.1);
    if (!(fabs(factor[0] - measured) <= 0.02 * measured))
        fail_msg("predicted %.6f, measured %.6f", factor[0], measured);
    scant_i_chart_clear(&chart);
    problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicted_rate_is_measured),
        cmocka_unit_test(many_parameters_have_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
