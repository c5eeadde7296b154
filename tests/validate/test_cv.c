/* Cross-validation against the same done by hand. */
#include <math.h>
#include <stdlib.h>

#include <scant/scant.h>
#include "base/random.h"
#include "check.h"
#include "data/split.h"

enum { N = 120, FOLDS = 4 };

static scant_rows *draw(bool labelled)
{
    double x[N * 2];
    const char *cells[N];
    scant_i_random random = scant_i_random_new(12, 1);
    for (size_t i = 0; i < N; i++) {
        size_t k = i % 2;
        x[2 * i] = 2 * (double)k + scant_i_random_normal(&random);
        x[2 * i + 1] = scant_i_random_normal(&random);
        cells[i] = labelled && i % 3 ? (k ? "b" : "a") : NULL;
    }
    scant_rows *rows = NULL;
    assert_ok(scant_rows_new(&rows, N, 2, x, NULL));
    if (labelled)
        assert_ok(scant_rows_set_labels(rows, cells, NULL, 0, NULL));
    return rows;
}

static scant_fit_options preset(void)
{
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.run.starts = 1;
    options.run.max_iter = 20;
    options.run.threads = 1;
    return options;
}

/* The rows of a fold, or those that are not of it. */
static scant_rows *part(const scant_rows *rows, const int32_t *fold, int32_t f, bool of_it)
{
    size_t index[N], n = 0;
    scant_rows *out = NULL;
    for (size_t i = 0; i < N; i++)
        if ((fold[i] == f) == of_it)
            index[n++] = i;
    assert_ok(scant_rows_subset(&out, rows, index, n));
    return out;
}

static void folds_are_fits_to_the_other_rows(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        bool labelled = which > 0, chosen = which > 1; /* what is auto is chosen in every fold */
        scant_rows *rows = draw(labelled);
        scant_fit_options options = preset();
        if (!chosen) {
            options.model.shrinkage = 0;
            options.evidence.unlabeled_weight = 1;
        }
        int32_t fold[N];
        scant_cv cv;
        double right = 0, held = 0, loglik = 0;
        size_t counted = 0;
        assert_ok(scant_i_split_folds(fold, rows, FOLDS, options.run.seed));
        assert_ok(scant_cv_fit(&cv, rows, &options, FOLDS));
        assert_int_equal(cv.nfolds, FOLDS);
        for (size_t f = 0; f < FOLDS; f++) {
            scant_rows *train = part(rows, fold, (int32_t)f, false);
            scant_rows *test = part(rows, fold, (int32_t)f, true);
            scant_model *model = NULL;
            scant_evaluation e;
            if (chosen)
                assert_ok(scant_fit_safe(&model, NULL, NULL, train, &options, false, 5));
            else
                assert_ok(scant_fit(&model, train, &options));
            assert_ok(scant_model_evaluate(&e, model, test, NULL));
            size_t n = scant_rows_count(test);
            assert_int_equal(cv.fold[f].train_rows, scant_rows_count(train));
            assert_int_equal(cv.fold[f].test_rows, n);
            assert_same(cv.fold[f].evaluation.accuracy, e.accuracy);
            assert_same(cv.fold[f].evaluation.log_loss, e.log_loss);
            right += labelled ? e.accuracy * (double)n : 0;
            loglik += e.mean_loglik * (double)n;
            held += (double)n;
            counted += n;
            scant_evaluation_clear(&e);
            scant_model_free(model);
            scant_rows_free(train);
            scant_rows_free(test);
        }
        assert_int_equal(counted, labelled ? scant_rows_labeled(rows) : N);
        assert_true(fabs(cv.mean_loglik - loglik / held) < 1e-12 * fabs(loglik));
        if (labelled)
            assert_true(fabs(cv.accuracy - right / held) < 1e-12);
        else
            assert_true(isnan(cv.accuracy));
        scant_cv_clear(&cv);
        scant_rows_free(rows);
    }
}

static void folds_must_make_sense(void **state)
{
    (void)state;
    scant_rows *rows = draw(true);
    scant_fit_options options = preset();
    scant_cv cv;
    assert_int_equal(scant_cv_fit(&cv, rows, &options, 1), SCANT_ERR_ARGUMENT);
    assert_int_not_equal(scant_cv_fit(&cv, rows, &options, N + 1), SCANT_OK);
    scant_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_fits_to_the_other_rows),
        cmocka_unit_test(folds_must_make_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
