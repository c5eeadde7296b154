/* Predictions against Bayes' rule written out, with missing cells, labels, sets and other proportions. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "naive_em.h"

enum { N = 80, D = 2, M = 4, K = 2 };
static const char *const names[K] = {"a", "b"};

typedef struct problem {
    double x[N * D], v[N][K];
    const char *cells[N];
    scant_rows *rows;
    scant_model *model;
} problem;

static void make(problem *p, const char *sharing)
{
    static const char *const cell_of[] = {"a", "b", "a|b", NULL};
    static const double v_of[][K] = {{1, 0}, {0, 1}, {1, 1}, {1, 1}};
    scant_i_random random = scant_i_random_new(3, 7);
    for (size_t i = 0; i < N; i++) {
        size_t k = i % 2, cell = i % 5 < 2 ? k : i % 5 == 2 ? 2 : 3;
        p->x[2 * i] = 2 * (double)k + scant_i_random_normal(&random);
        p->x[2 * i + 1] = 3 * (double)(i / 2 % 2) + scant_i_random_normal(&random);
        if (i % 7 == 0)
            p->x[2 * i + i % 2] = NAN;
        p->cells[i] = cell_of[cell];
        memcpy(p->v[i], v_of[cell], sizeof p->v[i]);
    }
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = strcmp(sharing, "common") == 0 ? "4" : "2/class";
    options.model.sharing = sharing;
    options.run.starts = 2;
    options.run.threads = 1;
    assert_ok(scant_rows_new(&p->rows, N, D, p->x, NULL));
    assert_ok(scant_rows_set_labels(p->rows, p->cells, names, K, NULL));
    assert_ok(scant_fit(&p->model, p->rows, &options));
}

static void clear(problem *p)
{
    scant_model_free(p->model);
    scant_rows_free(p->rows);
}

/* P(x, component j, class k) with the class proportions of `prior`. */
static void joint(double out[M][K], const problem *p, size_t row, const double *prior)
{
    scant_parameter_view means, covariances;
    assert_true(scant_model_parameter(p->model, 0, 0, &means));
    assert_true(scant_model_parameter(p->model, 0, 1, &covariances));
    double P[K] = {0};
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < K; k++)
            P[k] += scant_model_coupling(p->model, j, k);
    for (size_t j = 0; j < M; j++)
        for (size_t k = 0; k < K; k++)
            out[j][k] = scant_model_coupling(p->model, j, k) * (prior ? prior[k] / P[k] : 1) *
                        exp(naive_log_normal(p->x + row * D, means.value + j * D,
                                             covariances.value + j * D * D, D));
}

static void check(const problem *p, const double *prior, bool use_labels)
{
    double classes[N * K], components[N * M], loglik[N], g[M][K];
    scant_predict_options options = {
        .size = sizeof options, .prior = prior, .use_labels = use_labels, .threads = 2};
    assert_ok(scant_model_predict(p->model, p->rows, &options, classes, components, NULL, loglik));
    for (size_t i = 0; i < N; i++) {
        double total = 0, of_class[K] = {0}, of_component[M] = {0};
        joint(g, p, i, prior);
        for (size_t j = 0; j < M; j++)
            for (size_t k = 0; k < K; k++) {
                double mass = g[j][k] * (use_labels ? p->v[i][k] : 1);
                total += mass;
                of_class[k] += mass;
                of_component[j] += mass;
            }
        assert_true(fabs(loglik[i] - log(total)) < 1e-9 * (1 + fabs(loglik[i])));
        for (size_t k = 0; k < K; k++)
            assert_true(fabs(classes[i * K + k] - of_class[k] / total) < 1e-9);
        for (size_t j = 0; j < M; j++)
            assert_true(fabs(components[i * M + j] - of_component[j] / total) < 1e-9);
    }
}

static void predictions_are_bayes_rule(void **state)
{
    (void)state;
    static const double prior[K] = {0.9, 0.1};
    static const char *const sharings[] = {"separate", "common"};
    for (size_t s = 0; s < 2; s++) {
        problem p;
        make(&p, sharings[s]);
        for (int bits = 0; bits < 4; bits++)
            check(&p, bits & 1 ? prior : NULL, bits & 2);
        clear(&p);
    }
}

/* Whatever makes predictions refuses options that it could not heed. */
static void refused(const problem *p, const scant_predict_options *options, const char *message)
{
    double classes[N * K];
    scant_evaluation evaluation;
    scant_scores scores;
    assert_fails(scant_model_predict(p->model, p->rows, options, classes, NULL, NULL, NULL),
                 SCANT_ERR_ARGUMENT, message);
    assert_fails(scant_model_evaluate(&evaluation, p->model, p->rows, options), SCANT_ERR_ARGUMENT,
                 message);
    assert_fails(scant_model_scores(&scores, p->model, p->rows, NULL, options), SCANT_ERR_ARGUMENT,
                 message);
}

static void options_are_checked(void **state)
{
    (void)state;
    static const double priors[][K] = {{2, -1}, {0.5, 0.4}, {0.5, NAN}, {INFINITY, 0}};
    const double smoothing[] = {-0.1, 1.5, NAN};
    scant_predict_options options = {0};
    problem p;
    make(&p, "separate");
    refused(&p, &options, "call scant_predict_options_preset() first");
    scant_predict_options_preset(&options);
    options.threads = 5000;
    refused(&p, &options, "threads: '5000' is not a whole number from 0 to 4096");
    for (size_t t = 0; t < sizeof priors / sizeof *priors; t++) {
        scant_predict_options_preset(&options);
        options.prior = priors[t];
        refused(&p, &options, "prior: ");
    }
    for (size_t t = 0; t < sizeof smoothing / sizeof *smoothing; t++) {
        scant_predict_options_preset(&options);
        options.unlabeled_smoothing = &smoothing[t];
        refused(&p, &options, "unlabeled_smoothing: ");
    }
    clear(&p);
}

/* One row at a time, in another order and with more threads: the same numbers. */
static void rows_do_not_see_each_other(void **state)
{
    (void)state;
    problem p;
    make(&p, "separate");
    double all[N * K], alone[K];
    assert_ok(scant_model_predict(p.model, p.rows, NULL, all, NULL, NULL, NULL));
    for (size_t t = 0; t < N; t++) {
        size_t i = 37 * t % N;
        scant_rows *one = NULL;
        assert_ok(scant_rows_subset(&one, p.rows, &i, 1));
        assert_ok(scant_model_predict(p.model, one, NULL, alone, NULL, NULL, NULL));
        for (size_t k = 0; k < K; k++)
            assert_true(fabs(alone[k] - all[i * K + k]) < 1e-14);
        scant_rows_free(one);
    }
    clear(&p);
}

/* Rows beyond all components' reach have finite numbers, and no density is 0 in silence. */
static void far_rows_keep_their_density(void **state)
{
    (void)state;
    problem p;
    make(&p, "separate");
    double x[D] = {1e8, -1e8}, classes[K], loglik;
    scant_rows *far = NULL;
    assert_ok(scant_rows_new(&far, 1, D, x, NULL));
    assert_ok(scant_model_predict(p.model, far, NULL, classes, NULL, NULL, &loglik));
    assert_true(fabs(classes[0] + classes[1] - 1) < 1e-12);
    assert_true(isfinite(loglik) && loglik < -1e12);
    scant_rows_free(far);

    assert_ok(scant_rows_new(&far, 1, 1, x, NULL));
    assert_fails(scant_model_predict(p.model, far, NULL, classes, NULL, NULL, NULL),
                 SCANT_ERR_INPUT, "the rows have 1 columns, the model 2");
    scant_rows_free(far);
    clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_bayes_rule),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(rows_do_not_see_each_other),
        cmocka_unit_test(far_rows_keep_their_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
