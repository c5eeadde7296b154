/* How generative a discriminative fit should be, by held-out labels.
 *
 * What is tried is the likelihood alone, then its weight S next to the conditional likelihood's, from 1 down to 0. The
 * weight of unlabeled rows that the likelihood's fit chooses goes with all but the last, and smaller S are tried without
 * those rows, too. Most held-out labels right wins; the least log loss decides between equals, then the more
 * generative. Cost: tries x folds fits, of MOST_STEPS steps at most. */
#include "validate/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/rows.h"
#include "model/model.h"
#include "model/options.h"
#include "validate/cv.h"
#include "validate/safe.h"

enum { MOST_STEPS = 100, FOLDS = 5 };

typedef struct attempt {
    bool likelihood; /* alone */
    double hybrid;
    bool unlabeled; /* with the others' weight */
} attempt;
static const attempt attempts[] = {
    {true, 0, true},     {false, 1, true},     {false, 0.1, true}, {false, 0.1, false},
    {false, 0.01, true}, {false, 0.01, false}, {false, 0, false},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

bool scant_i_hybrid_is_open(const scant_fit_options *options)
{
    return scant_i_is_conditional(options) && options->run.hybrid == SCANT_AUTO;
}

static scant_fit_options with(const attempt *a, const scant_fit_options *options, double weight)
{
    scant_fit_options own = *options;
    own.run.hybrid = a->hybrid;
    own.evidence.unlabeled_weight = a->unlabeled ? weight : 0;
    if (a->likelihood) {
        own.run.objective = "likelihood";
        own.run.optimizer = "auto";
    }
    return own;
}

/* The weight and the shrinkage that the likelihood's own choice comes to. */
static scant_status settle(scant_fit_options *options, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_model *model = NULL;
    scant_fit_options own = with(&attempts[0], options, options->evidence.unlabeled_weight);
    if (own.evidence.unlabeled_weight != SCANT_AUTO && own.model.shrinkage != SCANT_AUTO)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_fit_auto(&model, rows, &own));
    options->evidence.unlabeled_weight = scant_i_setting_number(model, "unlabeled-weight", 1);
    options->model.shrinkage = scant_i_setting_number(model, "shrinkage", 0);
done:
    scant_model_free(model);
    return status;
}

static bool is_answer(scant_status status)
{
    return status == SCANT_ERR_INPUT || status == SCANT_ERR_ARGUMENT ||
           status == SCANT_ERR_UNIDENTIFIED || status == SCANT_ERR_INTERNAL;
}

/* Folds that all classes can be held out of; less than 2: none. */
static size_t folds_of(const scant_rows *rows)
{
    size_t least = SIZE_MAX;
    for (size_t k = 0; k < rows->labels.nclasses; k++) {
        size_t n = 0;
        for (size_t i = 0; i < rows->nrows; i++)
            n += scant_rows_label(rows, i) == (int32_t)k && scant_rows_weight(rows, i) > 0;
        least = scant_i_min(least, n);
    }
    return scant_i_min(least, FOLDS);
}

scant_status scant_i_hybrid_settle(scant_fit_options *options, const scant_rows *rows)
{
    static const double SAME = 1e-12;
    scant_status status = SCANT_OK;
    size_t nfolds = folds_of(rows), best = 0;
    scant_cv cv = {0};
    double accuracy = -1, loss = INFINITY, began = scant_i_seconds();
    SCANT_I_TRY(settle(options, rows));
    scant_fit_options open = *options;
    open.run.max_iter = scant_i_min(open.run.max_iter, MOST_STEPS);
    for (size_t a = 0; a < ATTEMPTS && nfolds > 1; a++) {
        bool same = attempts[a].unlabeled == false && a + 1 < ATTEMPTS &&
                    options->evidence.unlabeled_weight == 0;
        if (same) /* as the one before */
            continue;
        scant_fit_options own = with(&attempts[a], &open, options->evidence.unlabeled_weight);
        own.run.time_limit =
            scant_i_time_left(options->run.time_limit, began) / (double)(ATTEMPTS + 1 - a);
        status = scant_i_cv_fit(&cv, rows, &own, nfolds);
        if (is_answer(status)) {
            status = SCANT_OK;
            continue;
        }
        SCANT_I_TRY(status);
        scant_i_log(SCANT_LOG_DETAIL,
                    "%s S %g, unlabeled weight %g: held-out accuracy %.4g, log loss %.4g",
                    own.run.objective, own.run.hybrid, own.evidence.unlabeled_weight, cv.accuracy,
                    cv.log_loss);
        if (cv.accuracy > accuracy + SAME ||
            (cv.accuracy > accuracy - SAME && cv.log_loss < loss)) {
            accuracy = cv.accuracy;
            loss = cv.log_loss;
            best = a;
        }
        scant_cv_clear(&cv);
    }
    *options = with(&attempts[nfolds > 1 ? best : 1], options, options->evidence.unlabeled_weight);
    options->run.time_limit = scant_i_time_left(options->run.time_limit, began);
done:
    scant_cv_clear(&cv);
    return status;
}
