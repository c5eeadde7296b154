/* Selection: criteria by their formulas, the true number of components, and the best of all by its score. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"

enum { N = 600 };

static scant_rows *draw(void)
{
    static double x[N * 2], w[N];
    scant_i_random random = scant_i_random_new(2, 1);
    for (size_t i = 0; i < N; i++) {
        x[2 * i] = 8 * (double)(i % 3) + scant_i_random_normal(&random);
        x[2 * i + 1] = scant_i_random_normal(&random) + (i % 3 == 1 ? 5 : 0);
        w[i] = 1 + (double)(i % 2);
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    assert_ok(scant_rows_set_weights(rows, w));
    return rows;
}

static scant_fit_options preset(void)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.run.starts = 4;
    options.run.threads = 1;
    return options;
}

static void the_best_is_the_least_and_the_truth(void **state)
{
    (void)state;
    static const char *const criteria[] = {"bic", "icl", "aic"};
    scant_rows *rows = draw();
    scant_fit_options options = preset();
    for (size_t by = 0; by < 3; by++) {
        scant_selection s;
        scant_model *model = NULL;
        assert_ok(
            scant_select(&s, &model, rows, &options, "1:4", "full,spherical", criteria[by], 0));
        assert_int_equal(s.ncandidates, 8);
        size_t least = 0;
        for (size_t c = 0; c < s.ncandidates; c++) {
            const scant_summary *m = &s.candidate[c].summary;
            double parameters = (double)m->parameters, weight = 1.5 * N;
            double k = strtod(s.candidate[c].components, NULL);
            bool full = strcmp(s.candidate[c].covariance, "full") == 0;
            assert_true(parameters == k - 1 + k * (full ? 5 : 3));
            assert_true(fabs(m->bic - (parameters * log(weight) - 2 * m->loglik)) < 1e-6);
            assert_true(fabs(m->aic - (parameters * 2 - 2 * m->loglik)) < 1e-6);
            assert_true(m->icl >= m->bic - 1e-9); /* the entropy of the responsibilities */
            assert_same(s.candidate[c].score, by == 0 ? m->bic : by == 1 ? m->icl : m->aic);
            least = s.candidate[c].score < s.candidate[least].score ? c : least;
        }
        assert_int_equal(s.best, least);
        if (by < 2) { /* AIC is known to take too many */
            assert_string_equal(s.candidate[s.best].components, "3");
            assert_string_equal(s.candidate[s.best].covariance, "spherical");
        }
        assert_int_equal(scant_model_summary(model)->parameters,
                         s.candidate[s.best].summary.parameters);
        assert_same(scant_model_summary(model)->loglik, s.candidate[s.best].summary.loglik);
        scant_model_free(model);
        scant_selection_clear(&s);
    }
    scant_rows_free(rows);
}

static void by_cv_is_the_cross_validation(void **state)
{
    (void)state;
    scant_rows *rows = draw();
    scant_fit_options options = preset();
    options.run.starts = 1;
    scant_selection s;
    assert_ok(scant_select(&s, NULL, rows, &options, "1,3", "diag", "cv", 3));
    assert_int_equal(s.ncandidates, 2);
    for (size_t c = 0; c < 2; c++) {
        scant_cv cv;
        options.model.components = c ? "3" : "1";
        options.model.covariance = "diag";
        assert_ok(scant_cv_fit(&cv, rows, &options, 3));
        assert_same(s.candidate[c].cv_loglik, cv.mean_loglik);
        assert_same(s.candidate[c].score, -cv.mean_loglik);
        scant_cv_clear(&cv);
    }
    assert_int_equal(s.best, 1);
    scant_selection_clear(&s);
    scant_rows_free(rows);
}

static void words_are_checked(void **state)
{
    (void)state;
    scant_rows *rows = draw();
    scant_fit_options options = preset();
    scant_selection s;
    assert_fails(scant_select(&s, NULL, rows, &options, "1:x", "all", "bic", 0), SCANT_ERR_ARGUMENT,
                 "1:x");
    assert_fails(scant_select(&s, NULL, rows, &options, "1:2", "round", "bic", 0),
                 SCANT_ERR_ARGUMENT, "round");
    assert_fails(scant_select(&s, NULL, rows, &options, "1:2", "all", "best", 0),
                 SCANT_ERR_ARGUMENT, "bic, icl, aic, cv");
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_the_least_and_the_truth),
        cmocka_unit_test(by_cv_is_the_cross_validation),
        cmocka_unit_test(words_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
