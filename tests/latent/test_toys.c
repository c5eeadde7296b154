/* A structure and an objective that nothing in the library knows of: against naive computations, and the
 * same bytes for any number of threads and parts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "check.h"
#include "family_cases.h"
#include "latent/engine.h"
#include "model/model.h"
#include "parts/loopback.h"
#include "toys.h"

enum { FEW = 26, MANY = 4097, M = 3, K = 2, D = 3 };

typedef struct toy {
    const family_case *family;
    scant_i_mixture *mixture;
    scant_rows *rows;
    scant_i_evidence evidence;
    double *x, *w;
} toy;

/* Labels a, b, sets that say nothing, and none; all rows of a bag may bear the same label. */
static void set_labels(toy *t, size_t n, size_t bag, scant_i_random *random)
{
    const char **cells = calloc(n, sizeof *cells);
    assert_non_null(cells);
    for (size_t i = 0; i < n; i++) {
        double u = scant_i_random_uniform(random);
        const char *label = i / bag % 2 ? "a" : "b";
        cells[i] = u < 0.3 ? label : u < 0.4 ? "a|b" : u < 0.5 ? "a:0.3;b:0.7" : "";
    }
    assert_ok(scant_rows_set_labels(t->rows, cells, NULL, 0, NULL));
    free(cells);
}

static void toy_new(toy *t, const scant_i_family *family, size_t n, size_t bag, bool missing)
{
    scant_i_random random = scant_i_random_new(5, n + bag);
    *t = (toy){.family = family_case_of(family)};
    assert_ok(scant_i_mixture_new(&t->mixture, M, K, 1));
    scant_i_factor *factor = case_factor(t->family, M, NULL, &random);
    t->mixture->factor[0] = factor;
    t->x = case_rows(t->family, factor, n, &random);
    case_standardise(factor, t->x, n);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < M; j++)
            scant_i_mixture_couple(t->mixture, j, k, (1 + (double)((j + 2 * k) % 3)) / 12);
    for (size_t c = 0; c < n * factor->ncolumns && missing; c++)
        if (scant_i_random_uniform(&random) < 0.15)
            t->x[c] = NAN;
    assert_ok(scant_rows_new(&t->rows, n, factor->ncolumns, t->x, NULL));
    t->w = calloc(n, sizeof *t->w);
    assert_non_null(t->w);
    for (size_t i = 0; i < n; i++)
        t->w[i] = 0.5 * (double)(1 + scant_i_random_below(&random, 4));
    assert_ok(scant_rows_set_weights(t->rows, t->w));
    set_labels(t, n, bag, &random);
    scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    assert_ok(scant_i_evidence_new(&t->evidence, t->rows, K, &settings));
}

static void toy_clear(toy *t)
{
    scant_i_evidence_clear(&t->evidence);
    scant_rows_free(t->rows);
    scant_i_mixture_free(t->mixture);
    free(t->w);
    scant_i_free(t->x);
}

/* --- oracles --- */

/* F_ij of a row, and v_i. */
static double density(const toy *t, size_t i, size_t j)
{
    const scant_i_factor *factor = t->mixture->factor[0];
    uint8_t present[8];
    const double *x = t->x + i * factor->ncolumns;
    for (size_t c = 0; c < factor->ncolumns; c++)
        present[c] = (uint8_t)(isfinite(x[c]) != 0);
    return exp(t->family->log_density(factor, j, x, present));
}

static const double *vector(const toy *t, size_t i)
{
    return t->evidence.v + scant_i_evidence_entry(&t->evidence, i) * K;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-10 * fmax(1, fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

/* r (K x M) of rows first to end - 1, which have one component and one class; returns their likelihood. */
static double enumerate(const toy *t, size_t first, size_t end, bool known, double *r)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < M; j++) {
            double g = t->mixture->coupling.W[k * t->mixture->stride + j];
            for (size_t i = first; i < end; i++)
                g *= density(t, i, j) * (known ? vector(t, i)[k] : 1);
            r[k * M + j] = g;
            sum += g;
        }
    for (size_t c = 0; c < K * M; c++)
        r[c] /= sum;
    return sum;
}

/* Statistics of row i with coefficients R (stride), the row's pattern of cells included. */
static void add_row(const toy *t, size_t i, const double *R, double *statistics, double *room)
{
    scant_i_factor *factor = t->mixture->factor[0];
    uint8_t present[8];
    for (size_t c = 0; c < factor->ncolumns; c++)
        present[c] = (uint8_t)(isfinite(t->x[i * factor->ncolumns + c]) != 0);
    scant_i_batch batch = scant_i_batch_all(t->rows);
    scant_i_block block = {.batch = &batch, .nrows = 1, .first = i, .present = present};
    run_statistics(factor, &block, R, room);
    size_t n = factor->family->pass->nstatistics(factor);
    for (size_t s = 0; s < n; s++)
        statistics[s] += room[s];
}

/* --- a structure --- */

static void bags_are_enumerated(void **state)
{
    (void)state;
    toy t;
    toy_new(&t, &scant_i_gaussian, FEW, TOY_BAG, true);
    t.mixture->structure = &toy_bags;
    scant_i_problem problem = {0};
    assert_ok(scant_i_problem_new(&problem, t.rows, &t.evidence, t.mixture, 0, 1));
    assert_ok(scant_i_problem_expect(&problem, t.mixture, true));
    const double *own = scant_i_problem_own(&problem);

    scant_i_factor *factor = t.mixture->factor[0];
    size_t n = factor->family->pass->nstatistics(factor), stride = t.mixture->stride;
    double loglik = 0, N[K * M] = {0}, r[K * M], bags = 0;
    size_t apart = scant_i_round_up(n, SCANT_I_LANES); /* kernels want whole cache lines */
    double *expected = NULL;
    assert_ok(SCANT_I_NEW(&expected, 2 * apart + stride));
    double *R = expected + 2 * apart;
    for (size_t first = 0; first < FEW; first += TOY_BAG, bags++) {
        size_t end = scant_i_min(FEW, first + TOY_BAG);
        loglik += t.w[first] * log(enumerate(&t, first, end, true, r));
        for (size_t c = 0; c < K * M; c++)
            N[c] += t.w[first] * r[c];
        for (size_t j = 0; j < M; j++)
            R[j] = t.w[first] * (r[j] + r[M + j]);
        for (size_t i = first; i < end; i++)
            add_row(&t, i, R, expected, expected + apart);
    }

    assert_near(scant_i_problem_value(&problem), loglik);
    double *counts = calloc(SCANT_I_COUNTS * K * stride, sizeof *counts);
    t.mixture->structure->counts(&problem.posterior, own, counts);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < M; j++)
            assert_near(counts[k * stride + j], N[k * M + j]);
    for (size_t s = 0; s < n; s++)
        assert_near(scant_i_problem_factor(&problem, 0)[s], expected[s]);
    double *copy = calloc(scant_i_posterior_nstatistics(&problem.posterior), sizeof *copy);
    memcpy(copy, own, scant_i_posterior_nstatistics(&problem.posterior) * sizeof *copy);
    assert_true(*scant_i_posterior_own(&problem.posterior, copy) == bags);
    free(copy);
    free(counts);
    scant_i_free(expected);
    scant_i_problem_clear(&problem);
    toy_clear(&t);
}

/* Predictions of a model ask its structure. */
static void predictions_ask_the_structure(void **state)
{
    (void)state;
    toy t;
    scant_model *model = NULL;
    scant_fit_options options;
    scant_predict_options predict = {.size = sizeof predict, .use_labels = true};
    toy_new(&t, &scant_i_poisson, FEW, TOY_BAG, false);
    scant_fit_options_preset(&options);
    const char *family[] = {"poisson"};
    options.model.families = (scant_texts){family, 1};
    options.model.components = "3";
    options.model.sharing = "common";
    options.run.starts = 1;
    options.run.max_iter = 3;
    assert_ok(scant_fit(&model, t.rows, &options));
    model->mixture->structure = &toy_bags;
    scant_i_mixture_free(t.mixture);
    assert_ok(scant_i_mixture_copy(&t.mixture, model->mixture));

    double classes[FEW * K], r[K * M];
    for (int known = 0; known < 2; known++) {
        predict.use_labels = known;
        assert_ok(scant_model_predict(model, t.rows, &predict, classes, NULL, NULL, NULL));
        for (size_t i = 0; i < FEW; i++) {
            size_t first = i / TOY_BAG * TOY_BAG;
            (void)enumerate(&t, first, scant_i_min(FEW, first + TOY_BAG), known, r);
            for (size_t k = 0; k < K; k++)
                assert_near(classes[i * K + k], r[k * M] + r[k * M + 1] + r[k * M + 2]);
        }
    }
    assert_fails(scant_model_inform(model, t.rows, 1), SCANT_ERR_ARGUMENT, "independent rows");
    scant_model_free(model);
    toy_clear(&t);
}

/* --- an objective --- */

/* One step of Poisson rates and W, from definitions. */
static void contrast_is_raised_by_its_step(void **state)
{
    (void)state;
    toy t;
    toy_new(&t, &scant_i_poisson, FEW, 1, false);
    scant_i_factor *factor = t.mixture->factor[0];
    size_t d = factor->ncolumns;
    scant_i_problem problem = {0};
    assert_ok(
        scant_i_problem_new_for(&problem, t.rows, &t.evidence, t.mixture, &toy_contrast, 0, 1));
    assert_ok(scant_i_problem_expect(&problem, t.mixture, true));

    double value = 0, known[K * M], blank[K * M], N[K * M] = {0}, all = 0;
    double weight[M] = {0}, sum[M * 8] = {0};
    for (size_t i = 0; i < FEW; i++) {
        value += t.w[i] * log(enumerate(&t, i, i + 1, true, known));
        value -= TOY_CONTRAST * t.w[i] * log(enumerate(&t, i, i + 1, false, blank));
        for (size_t j = 0; j < M; j++) {
            double q = blank[j] + blank[M + j];
            double anchor = 2 * TOY_CONTRAST * t.w[i] * q;
            double coefficient = t.w[i] * (known[j] + known[M + j] - TOY_CONTRAST * q);
            weight[j] += coefficient + anchor;
            for (size_t c = 0; c < d; c++)
                sum[j * d + c] += coefficient * t.x[i * d + c] + anchor * factor->theta[j * d + c];
            for (size_t k = 0; k < K; k++)
                N[k * M + j] += t.w[i] * (known[k * M + j] + TOY_CONTRAST * blank[k * M + j]);
        }
    }
    for (size_t c = 0; c < K * M; c++)
        all += N[c];

    assert_near(scant_i_problem_value(&problem), value);
    assert_ok(scant_i_mixture_maximise(t.mixture, &problem));
    for (size_t j = 0; j < M; j++) {
        for (size_t c = 0; c < d; c++)
            assert_near(factor->theta[j * d + c], sum[j * d + c] / weight[j]);
        for (size_t k = 0; k < K; k++)
            assert_near(t.mixture->coupling.W[k * t.mixture->stride + j], N[k * M + j] / all);
    }
    scant_i_problem_clear(&problem);
    toy_clear(&t);
}

static void families_without_an_anchor_are_refused(void **state)
{
    (void)state;
    toy t;
    toy_new(&t, &scant_i_regression, FEW, 1, false);
    scant_i_problem problem = {0};
    assert_ok(
        scant_i_problem_new_for(&problem, t.rows, &t.evidence, t.mixture, &toy_contrast, 0, 1));
    assert_fails(scant_i_problem_expect(&problem, t.mixture, true), SCANT_ERR_ARGUMENT,
                 "regression takes no other objective");
    scant_i_problem_clear(&problem);
    toy_clear(&t);
}

/* --- fits --- */

typedef struct fitted {
    double *theta;
    size_t n;
    scant_i_run *run;
} fitted;

static fitted fit(const toy *t, const scant_i_latent_objective *objective, size_t threads,
                  bool given)
{
    fitted out = {.n = scant_i_mixture_size(t->mixture)};
    scant_i_engine_options options = {.objective = objective,
                                      .starts = given ? 1 : 2,
                                      .max_iter = 2,
                                      .given = given,
                                      .kind = SCANT_I_START_KMEANS,
                                      .seed = 3,
                                      .threads = threads};
    assert_ok(scant_i_engine_fit(&out.run, t->mixture, t->rows, &t->evidence, &options));
    out.theta = calloc(out.n, sizeof *out.theta);
    assert_non_null(out.theta);
    scant_i_mixture_flatten(out.run->mixture, out.theta);
    return out;
}

static void fitted_clear(fitted *f)
{
    free(f->theta);
    scant_i_run_free(f->run);
}

static void same_fit(const fitted *a, const fitted *b, const char *what)
{
    if (memcmp(a->theta, b->theta, a->n * sizeof *a->theta) != 0 ||
        a->run->ntrace != b->run->ntrace ||
        memcmp(a->run->trace, b->run->trace, a->run->ntrace * sizeof *a->run->trace) != 0)
        fail_msg("%s: another fit", what);
}

/* Cuts within tiles, within bags, and twice at one place. */
static void same_for_threads_and_parts(toy *t, const scant_i_latent_objective *objective)
{
    static const size_t threads[] = {1, 2, 7};
    static const double cut[] = {0.13, 0.3, 0.31, 0.31, 0.5, 0.77, 0.9999};
    for (int given = 0; given < 2; given++) {
        fitted one = fit(t, objective, 1, given), other;
        for (size_t k = 1; k < 3; k++) {
            other = fit(t, objective, threads[k], given);
            same_fit(&one, &other, "threads");
            fitted_clear(&other);
        }
        for (size_t nparts = 2; nparts <= 8; nparts += nparts < 3 ? 1 : 5) {
            scant_i_loopback loopback;
            scant_i_loopback_open(&loopback, nparts, cut, nparts);
            t->rows->carrier = &loopback.carrier;
            other = fit(t, objective, threads[nparts % 3], given);
            t->rows->carrier = NULL;
            scant_i_loopback_close(&loopback);
            same_fit(&one, &other, "parts");
            fitted_clear(&other);
        }
        for (size_t k = 1; k < one.run->ntrace && !objective; k++)
            assert_true(one.run->trace[k] >= one.run->trace[k - 1]);
        fitted_clear(&one);
    }
}

static void bags_of(const scant_i_structure *structure, size_t bag, bool missing,
                    const scant_i_latent_objective *objective)
{
    toy t;
    toy_new(&t, &scant_i_gaussian, MANY, bag, missing);
    t.mixture->structure = structure;
    same_for_threads_and_parts(&t, objective);
    toy_clear(&t);
}

static void threads_and_parts_leave_no_trace(void **state)
{
    (void)state;
    for (int missing = 0; missing < 2; missing++) {
        bags_of(&toy_bags, TOY_BAG, missing, NULL);
        bags_of(&toy_long_bags, TOY_LONG_BAG, missing, NULL);
        bags_of(&scant_i_structure_rows, 1, missing, &toy_contrast);
    }
    bags_of(&toy_bags, TOY_BAG, true, &toy_contrast); /* neither knows of the other */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bags_are_enumerated),
        cmocka_unit_test(predictions_ask_the_structure),
        cmocka_unit_test(contrast_is_raised_by_its_step),
        cmocka_unit_test(families_without_an_anchor_are_refused),
        cmocka_unit_test(threads_and_parts_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
