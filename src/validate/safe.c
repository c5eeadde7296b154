/* A fit that unlabeled rows cannot spoil: their weight is chosen on held-out labels.
 *
 * Folds are those of cross-validation. In each one the labeled rows are fitted alone (weight 0), and from
 * there all rows with each weight w of the grid. Of the weights that get no fewer held-out labels right
 * than weight 0, the one with the least mean log loss is taken; ties go to the smaller. So unlabeled rows
 * have to win on both measures. Cost: folds x (weights + 1) fits, of MOST_STEPS steps at most. */
#include <scant/fit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/split.h"
#include "fit/coupling.h"
#include "fit/shrinkage.h"
#include "model/method.h"
#include "model/model.h"
#include "model/noise.h"
#include "model/options.h"

static const double GRID[] = {0, 0.01, 0.1, 1};
enum { WEIGHTS = sizeof GRID / sizeof *GRID, MOST_STEPS = 100, FOLDS_MAX = 64 };

/* What is tried, and how it does on held-out labels: sums over folds of hits and of log losses. */
typedef struct trial {
    size_t count;
    double weight[WEIGHTS];
    double hits[WEIGHTS], loss[WEIGHTS];
    double labels; /* held-out ones */
    double accuracy[WEIGHTS][FOLDS_MAX];
    size_t nfolds;
    bool cut; /* the time limit came first */
} trial;

/* Exact labels of the class that has fewest, and of all. */
static scant_status count_labels(size_t *fewest, size_t *labeled, size_t *unknown,
                                 const scant_rows *rows)
{
    size_t K = rows->labels.code ? rows->labels.nclasses : 0, *count = NULL;
    *fewest = *labeled = *unknown = 0;
    if (K == 0)
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(&count, K);
    if (status != SCANT_OK)
        return status;
    for (size_t i = 0; i < rows->nrows; i++) {
        int32_t k = scant_rows_label(rows, i);
        if (!(scant_rows_weight(rows, i) > 0))
            continue;
        *unknown += rows->labels.code[i] < 0;
        *labeled += k >= 0;
        if (k >= 0)
            count[k]++;
    }
    *fewest = count[0];
    for (size_t k = 1; k < K; k++)
        *fewest = scant_i_min(*fewest, count[k]);
    scant_i_free(count);
    return SCANT_OK;
}

/* Do labeled rows alone make a fit of the same sort? */
static scant_status applies(bool *out, const scant_fit_options *options)
{
    const scant_i_method *method = NULL;
    scant_i_evidence_settings settings;
    const char *init = options->run.init;
    scant_status status = scant_i_method_choose(&method, &settings, options);
    bool words =
        strcmp(init, "kmeans") == 0 || strcmp(init, "random") == 0 || strcmp(init, "labels") == 0;
    *out = status == SCANT_OK && !method->own_class && !method->after && words &&
           !options->run.start && !scant_i_noise_given(options) &&
           scant_i_sharing_is_separate(&options->model);
    return status;
}

/* The labeled rows alone, then all rows from there where w > 0. */
static scant_status fit_from_labels(scant_model **out, const scant_rows *rows,
                                    const scant_fit_options *options, double w,
                                    const scant_model *labeled)
{
    scant_fit_options own = *options;
    own.evidence.unlabeled_weight = w;
    own.run.start = w > 0 ? labeled : NULL;
    return scant_fit(out, rows, &own);
}

static scant_status measure(trial *t, size_t at, size_t fold, const scant_model *model,
                            const scant_rows *test, size_t threads)
{
    scant_evaluation e = {0};
    scant_predict_options predict = {.threads = threads};
    scant_status status = scant_model_evaluate(&e, model, test, &predict);
    double n = (double)e.rows;
    if (status == SCANT_OK) {
        t->hits[at] += n * e.accuracy;
        t->loss[at] += n * e.log_loss;
        t->accuracy[at][fold] = e.accuracy;
        t->cut = t->cut || scant_model_summary(model)->stop == SCANT_STOP_TIME;
        if (at == 0)
            t->labels += n;
    }
    scant_evaluation_clear(&e);
    return status;
}

static scant_status run_fold(trial *t, size_t f, const int32_t *fold, size_t *index,
                             const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *train = NULL, *test = NULL;
    scant_model *labeled = NULL, *model = NULL;
    for (int inside = 0; inside < 2; inside++) {
        size_t n = 0;
        for (size_t i = 0; i < rows->nrows; i++)
            if (scant_rows_weight(rows, i) > 0 && (fold[i] == (int32_t)f) == inside &&
                (!inside || scant_rows_label(rows, i) >= 0))
                index[n++] = i;
        SCANT_I_TRY(scant_rows_subset(inside ? &test : &train, rows, index, n));
    }
    SCANT_I_TRY(fit_from_labels(&labeled, train, options, 0, NULL));
    SCANT_I_TRY(measure(t, 0, f, labeled, test, options->run.threads));
    for (size_t w = 1; w < t->count; w++) {
        SCANT_I_TRY(fit_from_labels(&model, train, options, t->weight[w], labeled));
        SCANT_I_TRY(measure(t, w, f, model, test, options->run.threads));
        scant_model_free(model);
        model = NULL;
    }
    if (scant_i_interrupted())
        status = scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted after %zu folds", f + 1);
done:
    scant_model_free(labeled);
    scant_model_free(model);
    scant_rows_free(train);
    scant_rows_free(test);
    return status;
}

static scant_status try_weights(trial *t, const scant_rows *rows, const scant_fit_options *options,
                                size_t nfolds)
{
    scant_status status = SCANT_OK;
    int32_t *fold = NULL;
    size_t *index = NULL;
    double began = scant_i_seconds();
    scant_fit_options own = *options;
    own.run.checkpoint = NULL;
    own.run.resume = false;
    own.run.max_iter = scant_i_min(own.run.max_iter, MOST_STEPS);
    t->nfolds = nfolds;
    SCANT_I_TRY(SCANT_I_NEW(&fold, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&index, rows->nrows));
    SCANT_I_TRY(scant_i_split_folds(fold, rows, nfolds, options->run.seed));
    for (size_t f = 0; f < nfolds && !t->cut; f++) {
        double left = scant_i_time_left(options->run.time_limit, began);
        own.run.time_limit = left / (double)((nfolds - f + 1) * (t->count + 1));
        SCANT_I_TRY(run_fold(t, f, fold, index, rows, &own));
    }
done:
    scant_i_free(fold);
    scant_i_free(index);
    return status;
}

/* The least loss among the weights that lose no label against weight 0. */
static size_t best_of(const trial *t, size_t first)
{
    size_t best = first;
    for (size_t w = first + 1; w < t->count; w++)
        if ((first > 0 || t->hits[w] >= t->hits[0]) && t->loss[w] < t->loss[best])
            best = w;
    return best;
}

static void compare(scant_comparison *out, const trial *t, size_t at, size_t labeled)
{
    double F = (double)t->nfolds, squares = 0;
    *out = (scant_comparison){.nfolds = t->nfolds, .labeled = labeled};
    for (int which = 0; which < 2; which++) {
        out->accuracy[which] = t->hits[which ? 0 : at] / t->labels;
        out->log_loss[which] = t->loss[which ? 0 : at] / t->labels;
    }
    out->difference = out->accuracy[0] - out->accuracy[1];
    for (size_t f = 0; f < t->nfolds; f++) {
        double far = t->accuracy[at][f] - t->accuracy[0][f] - out->difference;
        squares += far * far;
    }
    out->error = sqrt(squares / (F * (F - 1)));
}

/* Chooses the weight by what was tried; `*baseline` compares it with none, or the best of the others where it
 * is none. */
static double decide(scant_comparison *baseline, const trial *t, bool keep, size_t labeled)
{
    size_t best = best_of(t, keep ? 1 : 0);
    size_t other = best ? best : best_of(t, 1);
    if (t->cut) {
        *baseline = (scant_comparison){.labeled = labeled};
        (void)snprintf(baseline->why, sizeof baseline->why, "the time limit was reached");
        return t->weight[t->count - 1];
    }
    compare(baseline, t, other, labeled);
    baseline->worse = best == 0 || (t->hits[other] < t->hits[0] && t->loss[other] > t->loss[0]);
    return t->weight[best];
}

static scant_status tell(scant_model *model, const scant_comparison *b, double weight, bool single)
{
    if (weight > 0)
        return SCANT_OK;
    if (single)
        return scant_i_model_add_warning(
            model,
            "a class has a single label: nothing can be held out, so the model is of the labeled "
            "rows alone; --keep --unlabeled-weight 1 uses the others");
    return scant_i_model_add_warning(
        model,
        "unlabeled rows do not help: the model is of the labeled rows alone (held-out accuracy "
        "%.3g, log "
        "loss %.3g; with the others %.3g and %.3g); --keep uses them all the same",
        b->accuracy[1], b->log_loss[1], b->accuracy[0], b->log_loss[0]);
}

scant_status scant_fit_safe(scant_model **out, scant_comparison *baseline, scant_comparison *noise,
                            const scant_rows *rows, const scant_fit_options *options, bool keep,
                            size_t nfolds)
{
    scant_status status = SCANT_OK;
    scant_fit_options taken;
    scant_comparison own = {0};
    scant_model *labeled = NULL, *model = NULL;
    trial t = {0};
    size_t fewest, labels, unknown;
    double began = scant_i_seconds();
    bool apt = false;
    *out = NULL;
    if (baseline)
        *baseline = own;
    if (noise)
        *noise = own;
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    SCANT_I_TRY(count_labels(&fewest, &labels, &unknown, rows));
    SCANT_I_TRY(applies(&apt, &taken));
    apt = apt && labels > 0 && rows->labels.nclasses > 1;
    if (taken.model.shrinkage == SCANT_AUTO)
        taken.model.shrinkage = apt ? scant_i_shrinkage_choose(rows) : 0;
    bool as_told = keep && taken.evidence.unlabeled_weight != SCANT_AUTO;
    if (!apt || as_told || unknown == 0 || taken.evidence.unlabeled_weight == 0)
        return scant_fit_checked(out, noise, rows, &taken, nfolds);
    double given = taken.evidence.unlabeled_weight, weight = 0;
    if (given == SCANT_AUTO) {
        memcpy(t.weight, GRID, sizeof GRID);
        t.count = WEIGHTS;
    } else {
        t.weight[1] = given;
        t.count = 2;
    }
    nfolds = scant_i_min(scant_i_min(nfolds, fewest), FOLDS_MAX);
    if (nfolds >= 2) {
        SCANT_I_TRY(try_weights(&t, rows, &taken, nfolds));
        weight = decide(&own, &t, keep, labels);
    } else if (keep) {
        weight = t.weight[t.count - 1];
    }
    taken.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    scant_fit_options first = taken;
    if (weight > 0) { /* a checkpoint is of the fit that comes out */
        first.run.checkpoint = NULL;
        first.run.resume = false;
    }
    SCANT_I_TRY(fit_from_labels(&labeled, rows, &first, 0, NULL));
    taken.run.time_limit = scant_i_time_left(options->run.time_limit, began);
    if (weight > 0)
        SCANT_I_TRY(fit_from_labels(&model, rows, &taken, weight, labeled));
    else {
        model = labeled;
        labeled = NULL;
    }
    SCANT_I_TRY(tell(model, &own, weight, nfolds < 2));
    if (own.labeled)
        SCANT_I_TRY(scant_model_keep_baseline(model, &own));
    *out = model;
    model = NULL;
    if (baseline)
        *baseline = own;
done:
    scant_model_free(labeled);
    scant_model_free(model);
    return status;
}
