/* Fits of known models: exact maxima where there is a formula, parameters that are found again, and what is said
 * of components that have too few rows. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "latent/mixture.h"
#include "model/model.h"

static scant_fit_options preset(void)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.run.threads = 1;
    return options;
}

static scant_parameter_view parameter(const scant_model *model, const char *name)
{
    scant_parameter_view view = {0};
    for (size_t t = 0; scant_model_parameter(model, 0, t, &view); t++)
        if (strcmp(view.name, name) == 0)
            return view;
    fail_msg("no parameter %s", name);
    return view;
}

/* All rows labelled: means and covariances are those of each class, proportions those of the labels. */
static void labelled_rows_have_a_closed_form(void **state)
{
    (void)state;
    enum { N = 60 };
    static const char *const names[] = {"a", "b"};
    double x[N * 2], w[N], n[2] = {0}, mean[2][2] = {{0}}, S[2][4] = {{0}};
    const char *cells[N];
    scant_i_random random = scant_i_random_new(4, 1);
    for (size_t i = 0; i < N; i++) {
        size_t k = i % 3 == 0;
        w[i] = 1 + (double)(i % 2);
        cells[i] = names[k];
        n[k] += w[i];
        for (size_t c = 0; c < 2; c++) {
            x[2 * i + c] = (double)k + scant_i_random_normal(&random) + (c ? 0.7 * x[2 * i] : 0);
            mean[k][c] += w[i] * x[2 * i + c];
        }
    }
    for (size_t i = 0; i < N; i++)
        for (size_t t = 0, k = i % 3 == 0; t < 4; t++)
            S[k][t] += w[i] * (x[2 * i + t / 2] - mean[k][t / 2] / n[k]) *
                       (x[2 * i + t % 2] - mean[k][t % 2] / n[k]) / n[k];

    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options = preset();
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, names, 2, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    assert_ok(scant_fit(&model, rows, &options));
    const double *mu = parameter(model, "means").value;
    const double *sigma = parameter(model, "covariances").value;
    for (size_t k = 0; k < 2; k++) {
        assert_true(fabs(scant_model_coupling(model, k, k) - n[k] / (n[0] + n[1])) < 1e-12);
        assert_true(scant_model_coupling(model, k, 1 - k) == 0);
        for (size_t c = 0; c < 2; c++)
            assert_true(fabs(mu[2 * k + c] - mean[k][c] / n[k]) < 1e-10);
        for (size_t t = 0; t < 4; t++)
            assert_true(fabs(sigma[4 * k + t] - S[k][t]) < 1e-10);
    }
    assert_int_equal(scant_model_summary(model)->parameters, 1 + 2 * (2 + 3));
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Three normals without labels: found again within some standard errors, whatever the start. */
static void parameters_are_found_again(void **state)
{
    (void)state;
    enum { N = 6000, M = 3 };
    static const double weight[M] = {0.5, 0.3, 0.2}, mean[M] = {-6, 0, 5}, sd[M] = {1, 1.5, 0.5};
    static const char *const starts[] = {"kmeans", "random"};
    static double x[N];
    scant_i_random random = scant_i_random_new(6, 1);
    for (size_t i = 0; i < N; i++) {
        size_t j = scant_i_random_pick(&random, weight, M);
        x[i] = mean[j] + sd[j] * scant_i_random_normal(&random);
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    double loglik[2];
    for (size_t s = 0; s < 2; s++) {
        scant_model *model = NULL;
        scant_fit_options options = preset();
        options.model.components = "3";
        options.run.init = starts[s];
        options.run.starts = 8;
        assert_ok(scant_fit(&model, rows, &options));
        const double *mu = parameter(model, "means").value;
        const double *variance = parameter(model, "covariances").value;
        for (size_t j = 0; j < M; j++) {
            size_t nearest = 0;
            for (size_t t = 1; t < M; t++)
                nearest = fabs(mu[t] - mean[j]) < fabs(mu[nearest] - mean[j]) ? t : nearest;
            double rows_of = N * weight[j], w = scant_model_component_weight(model, nearest);
            assert_true(fabs(mu[nearest] - mean[j]) < 5 * sd[j] / sqrt(rows_of));
            assert_true(fabs(sqrt(variance[nearest]) / sd[j] - 1) < 5 / sqrt(2 * rows_of));
            assert_true(fabs(w - weight[j]) < 5 * sqrt(weight[j] * (1 - weight[j]) / N));
        }
        size_t count;
        const double *trace = scant_model_trace(model, &count);
        for (size_t t = 1; t < count; t++)
            assert_true(trace[t] >= trace[t - 1] - 1e-12 * fabs(trace[t - 1]));
        loglik[s] = scant_model_summary(model)->loglik;
        scant_model_free(model);
    }
    assert_true(fabs(loglik[0] - loglik[1]) < 1e-3);
    scant_rows_free(rows);
}

static bool warns(const scant_model *model, const char *text)
{
    for (size_t t = 0; t < scant_model_warnings(model); t++)
        if (strstr(scant_model_warning(model, t), text))
            return true;
    return false;
}

/* Class b has four rows of weight `weight`, class a many: does the fit say that b's are too few? */
static bool few_with(size_t ncolumns, double weight)
{
    enum { N = 34, MOST = 5 };
    double x[N * MOST], w[N];
    const char *cells[N];
    scant_i_random random = scant_i_random_new(9, 1);
    for (size_t i = 0; i < N * ncolumns; i++)
        x[i] = scant_i_random_normal(&random);
    for (size_t i = 0; i < N; i++) {
        w[i] = i < 4 ? weight : 1;
        cells[i] = i < 4 ? "b" : "a";
    }
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options = preset();
    options.model.covariance = "tied"; /* no variance comes near its floor */
    assert_ok(scant_rows_new(&rows, N, ncolumns, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    assert_ok(scant_fit(&model, rows, &options));
    assert_false(warns(model, "component 1 has"));
    bool found = warns(model, "component 2 has");
    scant_model_free(model);
    scant_rows_free(rows);
    return found;
}

/* Fewer rows than columns plus one are too few, and so many are enough. */
static void too_few_rows_are_told(void **state)
{
    (void)state;
    for (size_t d = 1; d <= 5; d++) {
        double enough = (double)(d + 1) / 4; /* of each of the four */
        assert_false(few_with(d, enough));
        assert_true(few_with(d, enough - 0.0625));
        assert_false(few_with(d, enough + 1));
    }
}

/* The same by number, and what is worse comes first. */
static void health_has_exact_bounds(void **state)
{
    (void)state;
    enum { N = 40, D = 3 };
    double x[N * D];
    scant_i_random random = scant_i_random_new(10, 1);
    for (size_t i = 0; i < N * D; i++)
        x[i] = floor(10 * scant_i_random_uniform(&random));
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, D, x, NULL));
    scant_fit_options options = preset();
    const char *families[] = {"gaussian", "multinomial"};
    for (size_t f = 0; f < 2; f++) {
        scant_model *model = NULL;
        options.model.families = (scant_texts){.item = &families[f], .count = 1};
        assert_ok(scant_fit(&model, rows, &options));
        scant_i_mixture *m = model->mixture;
        bool sparse = f == 1; /* counts of words, of which there are always more than rows */
        assert_int_equal(scant_i_mixture_health(m, 0, D + 1), SCANT_I_HEALTHY);
        assert_int_equal(scant_i_mixture_health(m, 0, nextafter(D + 1, 0)),
                         sparse ? SCANT_I_HEALTHY : SCANT_I_TOO_FEW);
        assert_int_equal(scant_i_mixture_health(m, 0, 1e-5),
                         sparse ? SCANT_I_HEALTHY : SCANT_I_TOO_FEW);
        assert_int_equal(scant_i_mixture_health(m, 0, 1e-7), SCANT_I_EMPTY);
        assert_int_equal(scant_i_mixture_health(m, 0, NAN), SCANT_I_EMPTY);
        m->factor[0]->at_floor[0] = 1;
        assert_int_equal(scant_i_mixture_health(m, 0, 1e-7), SCANT_I_EMPTY);
        assert_int_equal(scant_i_mixture_health(m, 0, 2), SCANT_I_AT_FLOOR);
        scant_model_free(model);
    }
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labelled_rows_have_a_closed_form),
        cmocka_unit_test(parameters_are_found_again),
        cmocka_unit_test(too_few_rows_are_told),
        cmocka_unit_test(health_has_exact_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
