/* Settings that must come to the same: after a fixed number of steps from one start, parameters
 * agree to 1e-12. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "model/model.h"

enum { ROWS = 400, D = 2, STEPS = 9 };

typedef enum labelling { NOTHING, PARTLY, EXACT, ONE_HOT, UNIFORM } labelling;
static const char *const covariances[] = {"full", "diag",      "spherical",
                                          "tied", "tied-diag", "tied-spherical"};

static size_t class_of(size_t i)
{
    return i % 5 < 2;
}

static scant_rows *make_rows(labelling kind)
{
    static const char *const classes[] = {"a", "b"};
    scant_i_random random = scant_i_random_new(8, 1);
    double x[ROWS * D];
    const char *cells[ROWS];
    scant_rows *rows = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = class_of(i), sub = i % 2;
        x[i * D] = 3 * (double)k + scant_i_random_normal(&random);
        x[i * D + 1] = 3 * (double)sub + scant_i_random_normal(&random) * (1 + 0.5 * (double)k);
        cells[i] = kind == EXACT || (kind == PARTLY && i % 7 == 0) ? classes[k] : NULL;
    }
    assert_ok(scant_rows_new(&rows, ROWS, D, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, classes, 2, NULL));
    if (kind == ONE_HOT || kind == UNIFORM) { /* probabilities that readers would simplify */
        static const double one_hot[] = {1, 0, 0, 1}, even[] = {0.5, 0.5};
        scant_i_labels *labels = &rows->labels;
        labels->nsoft = kind == ONE_HOT ? 2 : 1;
        scant_i_free(labels->soft);
        scant_i_free(labels->is_probability);
        assert_ok(SCANT_I_NEW(&labels->soft, labels->nsoft * 2));
        assert_ok(SCANT_I_NEW(&labels->is_probability, labels->nsoft));
        memcpy(labels->soft, kind == ONE_HOT ? one_hot : even, labels->nsoft * 2 * sizeof(double));
        memset(labels->is_probability, 1, labels->nsoft);
        for (size_t i = 0; i < ROWS; i++)
            labels->code[i] = 2 + (kind == ONE_HOT ? (int32_t)class_of(i) : 0);
    }
    return rows;
}

static scant_fit_options preset(const char *covariance)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "2/class";
    options.model.covariance = covariance;
    options.run.starts = 1;
    options.run.tol = 0;
    options.run.max_iter = STEPS;
    return options;
}

/* A start that all sides share, from rows with every label. */
static scant_model *make_start(const char *covariance, const char *sharing)
{
    scant_rows *rows = make_rows(EXACT);
    scant_fit_options options = preset(covariance);
    scant_model *start = NULL;
    options.model.sharing = sharing;
    options.run.max_iter = 0;
    assert_ok(scant_fit(&start, rows, &options));
    scant_rows_free(rows);
    return start;
}

static scant_model *fit(labelling kind, scant_fit_options options, const scant_model *start)
{
    scant_rows *rows = make_rows(kind);
    scant_model *model = NULL;
    options.run.start = start;
    options.model.components = NULL;
    assert_ok(scant_fit(&model, rows, &options));
    scant_rows_free(rows);
    return model;
}

static void same_parameters(scant_model *a, scant_model *b, bool with_coupling, const char *what)
{
    size_t n = scant_i_mixture_size(a->mixture);
    double *x = scant_i_calloc(2 * n, sizeof *x), *y = x + n;
    assert_non_null(x);
    assert_int_equal(n, scant_i_mixture_size(b->mixture));
    scant_i_mixture_flatten(a->mixture, x);
    scant_i_mixture_flatten(b->mixture, y);
    for (size_t i = with_coupling ? 0 : a->mixture->nclasses * a->mixture->stride; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-12 * fmax(1, fabs(x[i]))))
            fail_msg("%s: parameter %zu is %.17g and %.17g", what, i, x[i], y[i]);
    scant_i_free(x);
    scant_model_free(a);
    scant_model_free(b);
}

static void test_one_hot_is_a_label(void **state)
{
    (void)state;
    static const char *const modes[] = {"likelihood", "prior", "posterior"};
    for (size_t c = 0; c < 6; c++)
        for (size_t m = 0; m < 3; m++) {
            scant_fit_options options = preset(covariances[c]);
            scant_model *start = make_start(covariances[c], "separate");
            scant_model *labels = fit(EXACT, options, start);
            options.evidence.context_mode = modes[m];
            same_parameters(fit(ONE_HOT, options, start), labels, true, modes[m]);
            scant_model_free(start);
        }
}

static void test_uniform_context_says_nothing(void **state)
{
    (void)state;
    for (size_t c = 0; c < 6; c++) {
        scant_fit_options options = preset(covariances[c]);
        scant_model *start = make_start(covariances[c], "separate");
        scant_model *plain = fit(NOTHING, options, start);
        same_parameters(fit(UNIFORM, options, start), plain, true, "likelihood");
        options.model.prior = "a=0.5,b=0.5";
        plain = fit(NOTHING, options, start);
        options.model.prior = NULL;
        options.evidence.context_mode = "prior";
        same_parameters(fit(UNIFORM, options, start), plain, true, "prior");
        scant_model_free(start);
    }
}

static void test_majors_agree_on_labels(void **state)
{
    (void)state;
    scant_model *start = make_start("full", "common");
    scant_fit_options options = preset("full");
    options.model.sharing = "common";
    scant_model *both = fit(EXACT, options, start);
    options.evidence.unlabeled = "em1";
    same_parameters(fit(EXACT, options, start), both, true, "component-major");
    scant_model_free(start);
}

/* EM1 and EM2 have one objective: from one start they end at the same likelihood. */
static void test_majors_reach_the_same(void **state)
{
    (void)state;
    static const char *const sharings[] = {"separate", "common"};
    for (size_t s = 0; s < 2; s++) {
        scant_model *start = make_start("full", sharings[s]);
        scant_fit_options options = preset("full");
        options.model.sharing = sharings[s];
        options.run.tol = 1e-13;
        options.run.max_iter = 20000;
        scant_model *two = fit(PARTLY, options, start);
        options.evidence.unlabeled = "em1";
        scant_model *one = fit(PARTLY, options, start);
        double a = scant_model_summary(one)->loglik, b = scant_model_summary(two)->loglik;
        if (!(fabs(a - b) <= 1e-6 * fabs(a)))
            fail_msg("%s: EM1 reaches %.12g, EM2 %.12g", sharings[s], a, b);
        scant_model_free(one);
        scant_model_free(two);
        scant_model_free(start);
    }
}

/* Separate components of untied shapes are one mixture a class: the class alone, from the same
 * start. */
static void test_separate_is_a_mixture_a_class(void **state)
{
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        scant_model *start = make_start(covariances[c], "separate");
        scant_model *together = fit(EXACT, preset(covariances[c]), start);
        scant_rows *rows = make_rows(EXACT);
        for (size_t k = 0; k < 2; k++) {
            double own[ROWS * D];
            size_t n = 0;
            scant_rows *alone = NULL;
            scant_model *part = NULL, *model = NULL;
            for (size_t i = 0; i < ROWS; i++)
                if (class_of(i) == k)
                    memcpy(own + D * n++, rows->dense + i * D, D * sizeof *own);
            assert_ok(scant_rows_new(&alone, n, D, own, NULL));
            scant_fit_options options = preset(covariances[c]);
            options.model.components = "2";
            options.run.max_iter = 0;
            assert_ok(scant_fit(&part, alone, &options));
            /* the class's components of the common start */
            scant_i_factor *to = part->mixture->factor[0], *from = start->mixture->factor[0];
            size_t means = 2 * D, spread = to->ntheta - means;
            memcpy(to->theta, from->theta + k * means, means * sizeof(double));
            memcpy(to->theta + means, from->theta + 4 * D + k * spread, spread * sizeof(double));
            double *W = start->mixture->coupling.W + k * start->mixture->stride + 2 * k;
            part->mixture->coupling.W[0] = W[0] / (W[0] + W[1]);
            part->mixture->coupling.W[1] = W[1] / (W[0] + W[1]);
            options.run.max_iter = STEPS;
            options.run.start = part;
            options.model.components = NULL;
            assert_ok(scant_fit(&model, alone, &options));
            const double *a = model->mixture->factor[0]->theta,
                         *b = together->mixture->factor[0]->theta;
            for (size_t t = 0; t < means; t++)
                assert_true(fabs(a[t] - b[k * means + t]) <= 1e-12 * fmax(1, fabs(a[t])));
            for (size_t t = 0; t < spread; t++)
                assert_true(fabs(a[means + t] - b[4 * D + k * spread + t]) <= 1e-12);
            scant_model_free(model);
            scant_model_free(part);
            scant_rows_free(alone);
        }
        scant_rows_free(rows);
        scant_model_free(together);
        scant_model_free(start);
    }
}

/* lambda = 0 is separate, lambda = 1 common; in between the objective still rises. */
static void test_lambda_between_separate_and_common(void **state)
{
    (void)state;
    static const char *const ends[] = {"separate", "common"}, *const lambdas[] = {"lambda=0",
                                                                                  "lambda=1"};
    for (size_t c = 0; c < 6; c++)
        for (size_t s = 0; s < 2; s++) {
            scant_model *start = make_start(covariances[c], ends[s]);
            scant_fit_options options = preset(covariances[c]);
            options.model.sharing = ends[s];
            scant_model *end = fit(PARTLY, options, start);
            scant_rows *rows = make_rows(PARTLY);
            scant_model *model = NULL;
            options.model.sharing = lambdas[s];
            options.run.start = start;
            assert_ok(scant_fit(&model, rows, &options));
            same_parameters(model, end, true, lambdas[s]);
            scant_rows_free(rows);
            scant_model_free(start);
        }
}

static void test_objective_of_sharing_rises(void **state)
{
    (void)state;
    static const char *const sharings[] = {"lambda=0.1", "lambda=0.7", "auto"};
    for (size_t c = 0; c < 6; c++)
        for (size_t s = 0; s < 3; s++) {
            scant_rows *rows = make_rows(PARTLY);
            scant_fit_options options = preset(covariances[c]);
            scant_model *model = NULL;
            options.model.sharing = sharings[s];
            options.run.max_iter = 200;
            options.run.tol = 1e-9;
            options.run.starts = 3;
            assert_ok(scant_fit(&model, rows, &options));
            size_t count;
            const double *trace = scant_model_trace(model, &count);
            for (size_t k = 1; k < count; k++)
                assert_true(trace[k] >= trace[k - 1] - 1e-12 * fabs(trace[k]));
            /* every class keeps a component, and the coupling is a distribution */
            double sum = 0;
            for (size_t k = 0; k < 2; k++) {
                double P = 0;
                for (size_t j = 0; j < scant_model_components(model); j++)
                    P += scant_model_coupling(model, j, k);
                assert_true(P > 0);
                sum += P;
            }
            assert_true(fabs(sum - 1) < 1e-12);
            scant_model_free(model);
            scant_rows_free(rows);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hot_is_a_label),
        cmocka_unit_test(test_uniform_context_says_nothing),
        cmocka_unit_test(test_majors_agree_on_labels),
        cmocka_unit_test(test_majors_reach_the_same),
        cmocka_unit_test(test_separate_is_a_mixture_a_class),
        cmocka_unit_test(test_lambda_between_separate_and_common),
        cmocka_unit_test(test_objective_of_sharing_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
