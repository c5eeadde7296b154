/* Cross-validation: each fold is predicted by a model fitted to the others. */
#include <scant/fit.h>

#include <math.h>

#include "data/split.h"
#include "learn/model.h"

static scant_status take(scant_rows **out, const scant_rows *rows, const int32_t *fold,
                         int32_t which, bool inside, size_t *index)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        if ((fold[i] == which) == inside)
            index[n++] = i;
    return scant_rows_subset(out, rows, index, n);
}

static scant_status run_fold(scant_cv_fold *out, const scant_rows *rows,
                             const scant_fit_options *options, const int32_t *fold, int32_t which,
                             size_t *index)
{
    scant_status status = SCANT_OK;
    scant_rows *train = NULL, *test = NULL;
    scant_model *model = NULL;
    scant_predict_options predict = {.threads = options->threads};
    SCANT_I_TRY(take(&train, rows, fold, which, false, index));
    SCANT_I_TRY(take(&test, rows, fold, which, true, index));
    SCANT_I_TRY(scant_fit(&model, train, options));
    SCANT_I_TRY(scant_model_evaluate(&out->evaluation, model, test, &predict));
    out->stop = scant_model_summary(model)->stop;
    out->train_rows = train->nrows;
    out->test_rows = test->nrows;
done:
    scant_model_free(model);
    scant_rows_free(train);
    scant_rows_free(test);
    if (status != SCANT_OK)
        (void)scant_i_fail_within(status, "fold %d", which + 1);
    return status;
}

/* Means over folds, each fold by its number of rows; NaN where no fold has the number. */
static double mean_over(const scant_cv *cv, double (*of)(const scant_cv_fold *),
                        double (*weight)(const scant_cv_fold *))
{
    double sum = 0, total = 0;
    for (size_t f = 0; f < cv->nfolds; f++)
        if (!isnan(of(&cv->fold[f]))) {
            sum += of(&cv->fold[f]) * weight(&cv->fold[f]);
            total += weight(&cv->fold[f]);
        }
    return total > 0 ? sum / total : NAN;
}

static double loglik_of(const scant_cv_fold *fold)
{
    return fold->evaluation.mean_loglik;
}
static double accuracy_of(const scant_cv_fold *fold)
{
    return fold->evaluation.accuracy;
}
static double log_loss_of(const scant_cv_fold *fold)
{
    return fold->evaluation.log_loss;
}
static double mse_of(const scant_cv_fold *fold)
{
    return fold->evaluation.mse;
}
static double tested(const scant_cv_fold *fold)
{
    return (double)fold->test_rows;
}
static double judged(const scant_cv_fold *fold)
{
    return (double)fold->evaluation.rows;
}

scant_status scant_cv_fit(scant_cv *out, const scant_rows *rows, const scant_fit_options *options,
                          size_t nfolds)
{
    scant_status status = SCANT_OK;
    int32_t *fold = NULL;
    size_t *index = NULL;
    *out = (scant_cv){0};
    if (nfolds < 2)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--folds: %zu folds; two is the least", nfolds);
    SCANT_I_TRY(SCANT_I_NEW(&fold, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&index, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&out->fold, nfolds));
    SCANT_I_TRY(scant_i_split_folds(fold, rows, nfolds, options->seed));
    for (size_t f = 0; f < nfolds; f++) {
        SCANT_I_TRY(run_fold(&out->fold[f], rows, options, fold, (int32_t)f, index));
        out->nfolds = f + 1;
        if (scant_i_interrupted()) {
            status = scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted after %zu of %zu folds",
                                  f + 1, nfolds);
            goto done;
        }
    }
    out->mean_loglik = mean_over(out, loglik_of, tested);
    out->accuracy = mean_over(out, accuracy_of, judged);
    out->log_loss = mean_over(out, log_loss_of, judged);
    out->mse = mean_over(out, mse_of, tested);
done:
    scant_i_free(fold);
    scant_i_free(index);
    if (status != SCANT_OK)
        scant_cv_clear(out);
    return status;
}

void scant_cv_clear(scant_cv *cv)
{
    for (size_t f = 0; cv->fold && f < cv->nfolds; f++)
        scant_evaluation_clear(&cv->fold[f].evaluation);
    scant_i_free(cv->fold);
    *cv = (scant_cv){0};
}
