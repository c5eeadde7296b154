/* Standard errors from drawn rows: they agree with the information's, do not depend on threads, and
 * rows are drawn in the image of the data. */
#include <math.h>
#include <stdlib.h>
#include "base/random.h"
#include "check.h"
#include "validate/redraw.h"
#include <scant/scant.h>

enum { N = 1500 };
static const char *const NAMES[2] = {"a", "b"};

/* Two groups in two columns; cells are labels, sets, probabilities or nothing by turns. */
static scant_rows *draw(bool missing, uint64_t seed)
{
    static double x[N * 2];
    static const char *cells[N];
    static const char *const soft[4] = {"a|b", "a:0.8;b:0.2", "a:0.3;b:0.7", ""};
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(seed, 4);
    for (size_t i = 0; i < N; i++) {
        size_t k = scant_i_random_uniform(&random) < 0.4;
        for (size_t c = 0; c < 2; c++) {
            x[2 * i + c] = 3 * (double)k + scant_i_random_normal(&random);
            if (missing && scant_i_random_uniform(&random) < 0.1)
                x[2 * i + c] = NAN;
        }
        cells[i] = i % 5 ? soft[(i + k) % 4] : NAMES[k];
    }
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, NAMES, 2, NULL));
    return rows;
}

static scant_model *fit(const scant_rows *rows, scant_fit_options *options)
{
    scant_model *model = NULL;
    options->model.covariance = "diag";
    options->run.threads = 1;
    options->run.tol = 1e-10;
    assert_ok(scant_fit(&model, rows, options));
    return model;
}

static void check_agreement(const scant_rows *rows, scant_fit_options *options, size_t draws)
{
    scant_model *model = fit(rows, options);
    scant_parameter_view view;
    double said[64];
    size_t count = 0, at = 0;
    assert_ok(scant_model_inform(model, rows, 1));
    for (size_t p = 0; scant_model_parameter(model, 0, p, &view); p++)
        for (size_t t = 0; t < view.dim[0] * 2; t++)
            said[count++] = scant_model_parameter_errors(model, 0, p)[t];
    said[count++] = scant_model_coupling_error(model, 0, 0);
    assert_ok(scant_model_bootstrap(model, rows, options, draws));
    const scant_information *i = scant_model_information(model);
    assert_true(i->identified && i->by == SCANT_ERRORS_BY_BOOTSTRAP);
    assert_int_equal(i->draws, draws);
    assert_int_equal(i->failed, 0);
    /* a standard deviation from so many draws is known to 1 / sqrt(2 draws) of itself */
    double allowed = 4 / sqrt(2 * (double)draws);
    for (size_t p = 0; scant_model_parameter(model, 0, p, &view); p++)
        for (size_t t = 0; t < view.dim[0] * 2; t++, at++) {
            double error = scant_model_parameter_errors(model, 0, p)[t];
            if (!(fabs(error / said[at] - 1) < allowed))
                fail_msg("%s %zu: bootstrap %g, information %g", view.name, t, error, said[at]);
        }
    assert_true(fabs(scant_model_coupling_error(model, 0, 0) / said[at] - 1) < allowed);
    scant_model_free(model);
}

static void bootstrap_agrees_with_information(void **state)
{
    (void)state;
    scant_fit_options options;
    scant_rows *rows = draw(false, 1), *gaps = draw(true, 2);
    scant_fit_options_preset(&options);
    check_agreement(rows, &options, 200);
    check_agreement(gaps, &options, 200);
    options.evidence.context_mode = "prior";
    check_agreement(rows, &options, 200);
    options.evidence.context_mode = "likelihood";
    options.evidence.unlabeled_weight = 0.3; /* sandwich */
    check_agreement(rows, &options, 200);
    scant_rows_free(rows);
    scant_rows_free(gaps);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    scant_fit_options options;
    scant_parameter_view view;
    scant_rows *rows = draw(true, 3);
    double found[2][8];
    scant_fit_options_preset(&options);
    scant_model *model = fit(rows, &options);
    assert_true(scant_model_parameter(model, 0, 0, &view));
    for (size_t t = 0; t < 2; t++) {
        options.run.threads = 1 + 2 * t;
        assert_ok(scant_model_bootstrap(model, rows, &options, 40));
        memcpy(found[t], scant_model_parameter_errors(model, 0, 0), 4 * sizeof(double));
    }
    assert_memory_equal(found[0], found[1], 4 * sizeof(double));
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Cells that lack still lack, evidence is of the same sort, and weights are as many rows. */
static void rows_are_drawn_in_the_data_image(void **state)
{
    (void)state;
    scant_fit_options options;
    scant_rows *rows = draw(true, 5), *drawn = NULL;
    double weight[N];
    size_t total = 0, at = 0, a[2] = {0};
    for (size_t i = 0; i < N; i++)
        total += (size_t)(weight[i] = (double)(i % 3));
    assert_ok(scant_rows_set_weights(rows, weight));
    scant_fit_options_preset(&options);
    scant_model *model = fit(rows, &options);
    scant_i_fitted fitted;
    scant_i_redraw redraw;
    assert_ok(scant_i_fitted_new(&fitted, model, rows));
    assert_ok(scant_i_redraw_new(&redraw, &fitted));
    assert_ok(scant_i_redraw_rows(&drawn, &redraw, 1, 0));
    assert_int_equal(drawn->nrows, total);
    for (size_t i = 0; i < N; i++)
        for (size_t copy = 0; copy < i % 3; copy++, at++) {
            int32_t was = rows->labels.code[i], is = drawn->labels.code[at];
            assert_int_equal(was < 0, is < 0);
            assert_int_equal(was >= 2, is >= 2);
            if (was >= 2)
                assert_int_equal(rows->labels.is_probability[was - 2],
                                 drawn->labels.is_probability[is - 2]);
            a[0] += was == 0;
            a[1] += is == 0;
            for (size_t c = 0; c < 2; c++)
                assert_int_equal(isnan(rows->dense[2 * i + c]), isnan(drawn->dense[2 * at + c]));
        }
    assert_true(fabs((double)a[0] - (double)a[1]) < 60); /* of some 180, from a share of 0.6 */
    weight[1] = 0.5;
    assert_ok(scant_rows_set_weights(rows, weight));
    assert_fails(scant_model_bootstrap(model, rows, &options, 4), SCANT_ERR_ARGUMENT, "0.5");
    scant_rows_free(drawn);
    scant_i_redraw_clear(&redraw);
    scant_i_fitted_clear(&fitted);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Labels of drawn rows are wrong as often as the fit takes them to be, beside a class of unlabelled rows as well. */
static void noise_is_drawn_too(void **state)
{
    (void)state;
    scant_fit_options options;
    static double x[N];
    static const char *cells[N];
    scant_rows *rows = NULL, *drawn = NULL;
    for (size_t i = 0; i < N; i++) {
        x[i] = 100 * (double)(i % 2) + (double)(i % 7);
        cells[i] = i % 3 == 0 ? "" : NAMES[i % 10 ? i % 2 : 1 - i % 2];
    }
    assert_ok(scant_rows_new(&rows, N, 1, x, NULL));
    assert_ok(scant_rows_set_labels(rows, cells, NAMES, 2, NULL));
    scant_fit_options_preset(&options);
    options.evidence.label_noise = "0.3";
    options.evidence.unlabeled = "em3";
    scant_model *model = fit(rows, &options);
    scant_i_fitted fitted;
    scant_i_redraw redraw;
    assert_ok(scant_i_fitted_new(&fitted, model, rows));
    assert_ok(scant_i_redraw_new(&redraw, &fitted));
    assert_ok(scant_i_redraw_rows(&drawn, &redraw, 1, 0));
    double wrong = 0, labelled = 0;
    for (size_t i = 0; i < drawn->nrows; i++) {
        labelled += drawn->labels.code[i] >= 0;
        wrong += drawn->labels.code[i] >= 0 && drawn->labels.code[i] != (drawn->dense[i] > 50);
    }
    assert_true(fabs(labelled / N - 2.0 / 3) < 0.05);
    assert_true(fabs(wrong / labelled - 0.3) < 0.05);
    scant_rows_free(drawn);
    scant_i_redraw_clear(&redraw);
    scant_i_fitted_clear(&fitted);
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Fits that find no end are counted, and too many of them are no answer. */
static void failures_are_counted(void **state)
{
    (void)state;
    scant_fit_options options;
    scant_rows *rows = draw(false, 6);
    scant_fit_options_preset(&options);
    scant_model *model = fit(rows, &options);
    size_t warnings = scant_model_warnings(model);
    options.run.max_iter = 1;
    assert_fails(scant_model_bootstrap(model, rows, &options, 10), SCANT_ERR_UNIDENTIFIED,
                 "10 of 10 fits");
    assert_int_equal(scant_model_information(model)->failed, 10);
    assert_false(scant_model_information(model)->identified);
    assert_int_equal(scant_model_warnings(model), warnings + 2);
    scant_model_free(model);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bootstrap_agrees_with_information),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(rows_are_drawn_in_the_data_image),
        cmocka_unit_test(noise_is_drawn_too),
        cmocka_unit_test(failures_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
