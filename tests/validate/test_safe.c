/* Unlabeled rows are held against held-out labels: where they mislead, the labeled rows' model comes out. */
#include <math.h>
#include <string.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"

enum { ROWS = 400, LABELED = 24 };

/* Classes differ in column 0 by 2. Two misleading clusters lie along column 1, 12 apart, in both classes; or there
 * are none. */
static scant_rows *draw(bool misleading, size_t labeled)
{
    static double x[ROWS * 2];
    static const char *cells[ROWS];
    scant_rows *rows = NULL;
    scant_i_random random = scant_i_random_new(11, 0);
    for (size_t i = 0; i < ROWS; i++) {
        size_t k = i % 2, cluster = scant_i_random_normal(&random) > 0;
        x[2 * i] = 2 * (double)k + scant_i_random_normal(&random);
        x[2 * i + 1] = (misleading ? 12 * (double)cluster : 0) + scant_i_random_normal(&random);
        cells[i] = i < labeled ? (k ? "b" : "a") : "";
    }
    assert_ok(scant_rows_new(&rows, ROWS, 2, x, NULL));
    if (labeled > 0)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    return rows;
}

static scant_model *fit(const scant_rows *rows, const scant_fit_options *options, bool keep,
                        scant_comparison *baseline)
{
    scant_model *model = NULL;
    assert_ok(scant_fit_safe(&model, baseline, NULL, rows, options, keep, 5));
    return model;
}

static bool warns(const scant_model *model, const char *words)
{
    bool any = false;
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        any = any || strstr(scant_model_warning(model, i), words);
    return any;
}

static void misleading_rows_are_left_out(void **state)
{
    (void)state;
    scant_rows *rows = draw(true, LABELED);
    scant_fit_options options;
    scant_comparison b;
    scant_fit_options_preset(&options);
    scant_model *model = fit(rows, &options, false, &b);
    assert_string_not_equal(scant_model_setting(model, "unlabeled-weight"), "1");
    assert_true(b.labeled == LABELED && b.nfolds == 5);
    assert_true(b.accuracy[0] >= b.accuracy[1] || b.worse);
    scant_model_free(model);

    /* also where the weight is given, unless told otherwise */
    options.evidence.unlabeled_weight = 1;
    model = fit(rows, &options, false, &b);
    assert_string_equal(scant_model_setting(model, "unlabeled-weight"), "0");
    assert_true(warns(model, "labeled rows alone"));
    assert_true(b.worse && b.accuracy[0] < b.accuracy[1] && b.log_loss[0] > b.log_loss[1]);
    assert_non_null(scant_model_baseline(model));
    scant_model_free(model);
    model = fit(rows, &options, true, &b);
    assert_string_equal(scant_model_setting(model, "unlabeled-weight"), "1");
    assert_false(warns(model, "labeled rows alone"));
    assert_int_equal(b.labeled, 0);
    scant_model *same = NULL; /* from the same starts, too */
    options.model.shrinkage = 6;
    scant_model_free(model);
    model = fit(rows, &options, true, &b);
    assert_ok(scant_fit(&same, rows, &options));
    assert_true(scant_model_summary(model)->objective == scant_model_summary(same)->objective);
    scant_model_free(same);
    scant_model_free(model);
    scant_rows_free(rows);
}

static void one_label_cannot_be_held_out(void **state)
{
    (void)state;
    scant_rows *rows = draw(false, 2);
    scant_fit_options options;
    scant_comparison b;
    scant_fit_options_preset(&options);
    scant_model *model = fit(rows, &options, false, &b);
    assert_true(warns(model, "single label"));
    assert_true(b.labeled == 0 && isfinite(scant_model_summary(model)->objective));
    scant_model_free(model);
    scant_rows_free(rows);
}

/* Without unlabeled rows, or without labels, the fit is scant_fit's where nothing is shrunk. */
static void plain_fits_are_as_they_were(void **state)
{
    (void)state;
    for (int labeled = 0; labeled < 2; labeled++) {
        scant_rows *rows = draw(true, labeled ? ROWS : 0);
        scant_fit_options options;
        scant_comparison b;
        scant_fit_options_preset(&options);
        options.model.components = labeled ? NULL : "2";
        scant_model *model = fit(rows, &options, false, &b), *same = NULL;
        assert_ok(scant_fit(&same, rows, &options));
        assert_true(scant_model_summary(model)->loglik == scant_model_summary(same)->loglik);
        assert_int_equal(b.labeled, 0);
        scant_model_free(model);
        scant_model_free(same);
        scant_rows_free(rows);
    }
}

/* The objective, log prior included, never falls, and the fit is the same for any threads. */
static void a_shrunk_fit_rises(void **state)
{
    (void)state;
    scant_rows *rows = draw(false, LABELED);
    scant_fit_options options;
    static const char *const shapes[] = {"full", "diag", "spherical", "tied", "tied-diag"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double before = -INFINITY;
        scant_fit_options_preset(&options);
        options.model.covariance = shapes[s];
        options.model.shrinkage = 20;
        options.run.starts = 1;
        options.run.tol = 0;
        for (size_t steps = 1; steps < 12; steps++) {
            scant_model *model = NULL;
            options.run.max_iter = steps;
            assert_ok(scant_fit(&model, rows, &options));
            double now = scant_model_summary(model)->objective;
            assert_true(now >= before - 1e-9 * fabs(now));
            assert_true(now != scant_model_summary(model)->loglik);
            before = now;
            scant_model_free(model);
        }
    }
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misleading_rows_are_left_out),
        cmocka_unit_test(one_label_cannot_be_held_out),
        cmocka_unit_test(plain_fits_are_as_they_were),
        cmocka_unit_test(a_shrunk_fit_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
