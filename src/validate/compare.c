/* A fit compared with its rival: both are cross-validated over the same folds of labelled rows.
 *
 *   difference  d = mean over folds, by their rows, of accuracy(fit) - accuracy(rival)
 *   error       of d, from the spread of the folds: sqrt(sum (d_f - d)^2 / (F (F - 1)))
 * More labels right is what is asked for, so accuracy decides; log losses are shown alongside. */
#include <scant/fit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/chain.h"
#include "validate/cv.h"
#include "model/model.h"
#include "model/noise.h"
#include "model/options.h"

/* The least number of labelled rows of a class, and in *total those of all. */
static scant_status least_labelled(size_t *least, size_t *total, const scant_rows *rows)
{
    size_t K = rows->labels.code ? rows->labels.nclasses : 0, *count = NULL;
    *least = *total = 0;
    if (K == 0)
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(&count, K);
    if (status != SCANT_OK)
        return status;
    for (size_t i = 0; i < rows->nrows; i++)
        if (scant_rows_label(rows, i) >= 0 && scant_rows_weight(rows, i) > 0) {
            count[scant_rows_label(rows, i)]++;
            ++*total;
        }
    *least = count[0];
    for (size_t k = 1; k < K; k++)
        *least = scant_i_min(*least, count[k]);
    scant_i_free(count);
    return SCANT_OK;
}

static bool is_cut(const scant_cv *cv)
{
    for (size_t f = 0; f < cv->nfolds; f++)
        if (cv->fold[f].stop == SCANT_STOP_TIME)
            return true;
    return false;
}

void scant_cv_compare(scant_comparison *out, const scant_cv *fit, const scant_cv *rival)
{
    double squares = 0, F = (double)fit->nfolds;
    if (is_cut(fit) || is_cut(rival)) {
        out->nfolds = 0;
        (void)snprintf(out->why, sizeof out->why, "the time limit was reached");
        return;
    }
    out->nfolds = fit->nfolds;
    out->accuracy[0] = fit->accuracy;
    out->accuracy[1] = rival->accuracy;
    out->log_loss[0] = fit->log_loss;
    out->log_loss[1] = rival->log_loss;
    out->loglik[0] = fit->mean_loglik;
    out->loglik[1] = rival->mean_loglik;
    bool labels = !isnan(fit->accuracy); /* else the rows' own likelihood is all there is */
    out->difference =
        labels ? fit->accuracy - rival->accuracy : fit->mean_loglik - rival->mean_loglik;
    for (size_t f = 0; f < fit->nfolds; f++) {
        const scant_evaluation *ours = &fit->fold[f].evaluation,
                               *theirs = &rival->fold[f].evaluation;
        double far =
            (labels ? ours->accuracy - theirs->accuracy : ours->mean_loglik - theirs->mean_loglik) -
            out->difference;
        squares += isnan(far) ? 0 : far * far;
    }
    out->error = sqrt(squares / (F * (F - 1)));
    out->worse = out->difference < 0 && -out->difference > out->error;
}

/* A checkpoint is of the fit itself, not of those it is compared with. */
static scant_fit_options beside(const scant_fit_options *options)
{
    scant_fit_options own = *options;
    own.run.checkpoint = NULL;
    own.run.resume = false;
    return own;
}

/* Rows that cannot be fitted either way are an answer, too. */
static scant_status refuse(scant_comparison *out, scant_status status)
{
    bool answer = status == SCANT_ERR_INPUT || status == SCANT_ERR_ARGUMENT ||
                  status == SCANT_ERR_UNIDENTIFIED || status == SCANT_ERR_INTERNAL;
    (void)snprintf(out->why, sizeof out->why, "%s", scant_message());
    return answer ? SCANT_OK : status;
}

scant_status scant_fit_compare(scant_comparison *out, const scant_rows *rows,
                               const scant_fit_options *options, scant_rival rival, size_t nfolds)
{
    scant_status status = SCANT_OK;
    scant_cv fit = {0}, other = {0};
    scant_fit_options taken;
    size_t least;
    double began = scant_i_seconds();
    *out = (scant_comparison){0};
    status = scant_i_fit_options_take(&taken, &options);
    if (status != SCANT_OK)
        return status;
    if (rival == SCANT_RIVAL_ROWS) {
        status = scant_i_compare_rows(out, rows, options, nfolds);
        return status == SCANT_OK ? status : refuse(out, status);
    }
    scant_fit_options ours = beside(options), theirs = ours;
    SCANT_I_TRY(least_labelled(&least, &out->labeled, rows));
    if (least < 2) {
        (void)snprintf(out->why, sizeof out->why, "a class has fewer than two labelled rows");
        return SCANT_OK;
    }
    nfolds = scant_i_min(nfolds, least);
    theirs.run.start = NULL;
    if (rival ==
        SCANT_RIVAL_TRUSTING) { /* what noise leaves out is not chosen for the rival either */
        theirs.evidence.unlabeled_weight = scant_i_unlabeled_weight(&ours);
        theirs.model.shrinkage = scant_i_shrinkage(&ours);
        scant_i_noise_drop(&theirs);
    }
    SCANT_I_TRY(scant_i_cv_fit(&fit, rows, &ours, nfolds));
    theirs.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    if (!is_cut(&fit))
        SCANT_I_TRY(rival == SCANT_RIVAL_SUPERVISED
                        ? scant_cv_fit_supervised(&other, rows, &theirs, nfolds)
                        : scant_i_cv_fit(&other, rows, &theirs, nfolds));
    scant_cv_compare(out, &fit, &other);
done:
    scant_cv_clear(&fit);
    scant_cv_clear(&other);
    return status == SCANT_OK ? status : refuse(out, status);
}

/* How trusting labels would do, in `own`, and the fit that does where that is better; else *trusted is NULL. */
static scant_status try_trusting(scant_model **trusted, scant_comparison *own,
                                 const scant_rows *rows, const scant_fit_options *options,
                                 size_t nfolds)
{
    scant_status status = SCANT_OK;
    scant_fit_options trusting = beside(options);
    double began = scant_i_seconds();
    scant_i_noise_drop(&trusting);
    SCANT_I_TRY(scant_fit_compare(own, rows, options, SCANT_RIVAL_TRUSTING, nfolds));
    trusting.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    if (own->nfolds && !(own->difference > 0))
        SCANT_I_TRY(scant_fit(trusted, rows, &trusting));
done:
    return status;
}

scant_status scant_fit_checked(scant_model **out, scant_comparison *noise, const scant_rows *rows,
                               const scant_fit_options *options, size_t nfolds)
{
    scant_status status = SCANT_OK;
    scant_comparison own = {0};
    scant_model *estimated = NULL, *trusted = NULL;
    scant_fit_options taken;
    double began = scant_i_seconds();
    *out = NULL;
    if (noise)
        *noise = own;
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    scant_fit_options rest = taken;
    if (!scant_i_noise_estimated(options))
        return scant_fit(out, rows, options);
    SCANT_I_TRY(scant_fit(&estimated, rows, options));
    rest.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    status = estimated->summary.stop == SCANT_STOP_INTERRUPTED
                 ? SCANT_ERR_INTERRUPTED
                 : try_trusting(&trusted, &own, rows, &rest, nfolds);
    if (status == SCANT_ERR_INTERRUPTED) { /* the fit that was made stands */
        own.nfolds = 0;
        (void)snprintf(own.why, sizeof own.why, "interrupted");
        estimated->summary.stop = SCANT_STOP_INTERRUPTED;
        status = SCANT_OK;
    }
    SCANT_I_TRY(status);
    if (trusted)
        SCANT_I_TRY(scant_i_model_add_warning(
            trusted,
            "labels are trusted: that predicts %.1f %% of held-out labels, estimated noise %.1f %%",
            100 * own.accuracy[1], 100 * own.accuracy[0]));
    else if (own.nfolds == 0)
        SCANT_I_TRY(scant_i_model_add_warning(
            estimated, "the estimated label noise could not be checked: %s", own.why));
    *out = trusted ? trusted : estimated;
    if (noise)
        *noise = own;
done:
    if (*out != estimated)
        scant_model_free(estimated);
    if (*out != trusted)
        scant_model_free(trusted);
    return status;
}
