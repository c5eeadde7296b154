/* Cross-validation: each fold is predicted by a model fitted to the others. */
#include <scant/fit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/sequence.h"
#include "data/split.h"
#include "validate/cv.h"
#include "validate/safe.h"
#include "model/machine.h"
#include "model/options.h"

/* What a fold is cut from. */
typedef struct cutting {
    const scant_rows *rows;
    int32_t *fold;      /* of each row; -1: always in training */
    bool labelled;      /* some row of weight has an exact label: only such rows are measured */
    bool labelled_only; /* in training, too */
    bool whole;         /* held-out groups are predicted with all their rows, as sequences are */
    uint8_t *evident;   /* of each row: something is known of it, or of its sequence */
    size_t *index;      /* room */
} cutting;

/* Rows without a label are held out with their group, but not measured; of a sequence they say what comes before
 * and after the others. */
static bool is_measured(const cutting *cut, size_t row)
{
    return cut->fold[row] >= 0 &&
           (!cut->labelled || cut->whole || scant_rows_label(cut->rows, row) >= 0);
}

static bool is_trained(const cutting *cut, size_t row)
{
    return !cut->labelled_only || cut->evident[row];
}

static scant_status take(scant_rows **out, const cutting *cut, int32_t which, bool inside)
{
    size_t n = 0;
    for (size_t i = 0; i < cut->rows->nrows; i++)
        if (scant_rows_weight(cut->rows, i) > 0 && (cut->fold[i] == which) == inside &&
            (inside ? is_measured(cut, i) : is_trained(cut, i)))
            cut->index[n++] = i;
    return scant_rows_subset(out, cut->rows, cut->index, n);
}

static scant_status run_fold(scant_cv_fold *out, const cutting *cut, const scant_i_learner *learner,
                             double time_limit, int32_t which)
{
    scant_status status = SCANT_OK;
    scant_rows *train = NULL, *test = NULL;
    scant_model *model = NULL;
    scant_predict_options predict = {.size = sizeof predict, .threads = learner->threads};
    SCANT_I_TRY(take(&train, cut, which, false));
    SCANT_I_TRY(take(&test, cut, which, true));
    SCANT_I_TRY(learner->learn(&model, train, time_limit, learner->options));
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

/* Weights of a fold's rows: all, those with an exact label, those with a target. */
typedef struct burden {
    double all, labelled, targeted;
} burden;

static void weigh_folds(burden *of, const cutting *cut, const char *name)
{
    const scant_rows *rows = cut->rows;
    const int32_t *fold = cut->fold;
    char made[SCANT_I_MADE_NAME];
    size_t target = name ? 0 : rows->ncolumns;
    while (target < rows->ncolumns && strcmp(scant_i_column_name(rows, target, made), name) != 0)
        target++;
    for (size_t i = 0; i < rows->nrows; i++) {
        if (!is_measured(cut, i))
            continue;
        double w = scant_rows_weight(rows, i);
        of[fold[i]].all += w;
        of[fold[i]].labelled += scant_rows_label(rows, i) >= 0 ? w : 0;
        if (target < rows->ncolumns && !isnan(scant_rows_value(rows, i, target)))
            of[fold[i]].targeted += w;
    }
}

/* A number of a fold is a mean per unit weight: over all folds, the mean per unit weight too; NaN
 * where no fold has the number. */
typedef struct mean {
    double sum, weight;
} mean;

static void add_to(mean *m, double value, double weight)
{
    if (!isnan(value) && weight > 0) {
        m->sum += weight * value;
        m->weight += weight;
    }
}

static double value_of(mean m)
{
    return m.weight > 0 ? m.sum / m.weight : NAN;
}

static void take_means(scant_cv *cv, const burden *of)
{
    mean loglik = {0}, accuracy = {0}, log_loss = {0}, mse = {0};
    for (size_t f = 0; f < cv->nfolds; f++) {
        const scant_evaluation *e = &cv->fold[f].evaluation;
        add_to(&loglik, e->mean_loglik, of[f].all);
        add_to(&accuracy, e->accuracy, of[f].labelled);
        add_to(&log_loss, e->log_loss, of[f].labelled);
        add_to(&mse, e->mse, of[f].targeted);
    }
    cv->mean_loglik = value_of(loglik);
    cv->accuracy = value_of(accuracy);
    cv->log_loss = value_of(log_loss);
    cv->mse = value_of(mse);
}

/* --- classes that a fold's training lacks --- */

enum { IN_NONE = -2, IN_MANY = -1, NAMES_SHOWN = 5 };

/* Does the label of a row speak of class k, by itself or among others? */
static bool speaks_of(const scant_i_labels *labels, size_t row, size_t k)
{
    int32_t code = labels->code[row];
    if (code < (int32_t)labels->nclasses)
        return code == (int32_t)k;
    return labels->soft[((size_t)code - labels->nclasses) * labels->nclasses + k] > 0;
}

/* The only fold whose rows speak of class k, one of them with an exact label. */
static int32_t home_of(const int32_t *fold, const scant_rows *rows, size_t k)
{
    int32_t home = IN_NONE;
    bool measured = false;
    for (size_t i = 0; i < rows->nrows && home != IN_MANY; i++) {
        if (!(scant_rows_weight(rows, i) > 0) || !speaks_of(&rows->labels, i, k))
            continue;
        home = home == IN_NONE || home == fold[i] ? fold[i] : IN_MANY;
        measured |= scant_rows_label(rows, i) == (int32_t)k;
    }
    return measured ? home : IN_NONE;
}

scant_status scant_i_cv_warn(const int32_t *fold, const scant_rows *rows, size_t nfolds)
{
    scant_status status = SCANT_OK;
    size_t count = 0, K = rows->labels.code ? rows->labels.nclasses : 0, room = 1, used = 0;
    char *names = NULL;
    for (size_t k = 0; k < K; k++)
        room += strlen(rows->labels.classes[k]) + sizeof ", ''";
    SCANT_I_TRY(SCANT_I_NEW(&names, room));
    for (size_t k = 0; k < K; k++)
        if (home_of(fold, rows, k) >= 0 && count++ < NAMES_SHOWN)
            used += (size_t)snprintf(names + used, room - used, "%s'%s'", used ? ", " : "",
                                     rows->labels.classes[k]);
    if (count)
        scant_i_log(SCANT_LOG_WARNING,
                    "%s %s%s: labels in one of the %zu folds alone, which is measured by a fit "
                    "that has none of them: log_loss is no guide then",
                    count > 1 ? "classes" : "class", names, count > NAMES_SHOWN ? ", ..." : "",
                    nfolds);
done:
    scant_i_free(names);
    return status;
}

scant_status scant_i_cv(scant_cv *out, const scant_rows *rows, const scant_i_learner *learner,
                        size_t nfolds, bool labelled_only, bool warn)
{
    scant_status status = SCANT_OK;
    cutting cut = {
        .rows = rows, .labelled_only = labelled_only, .whole = learner->whole || rows->sequential};
    double began = scant_i_seconds();
    burden *weights = NULL;
    *out = (scant_cv){0};
    if (nfolds < 2)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--folds: %zu folds; two is the least", nfolds);
    SCANT_I_TRY(SCANT_I_NEW(&cut.fold, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&cut.index, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&weights, nfolds));
    SCANT_I_TRY(scant_i_find_evident(&cut.evident, rows));
    SCANT_I_TRY(SCANT_I_NEW(&out->fold, nfolds));
    SCANT_I_TRY(scant_i_split_folds(cut.fold, rows, nfolds, learner->seed));
    if (warn)
        SCANT_I_TRY(scant_i_cv_warn(cut.fold, rows, nfolds));
    for (size_t i = 0; i < rows->nrows; i++)
        cut.labelled |= scant_rows_weight(rows, i) > 0 && scant_rows_label(rows, i) >= 0;
    for (size_t f = 0; f < nfolds; f++) {
        double limit = scant_i_time_left(learner->time_limit, began) / (double)(nfolds - f);
        SCANT_I_TRY(run_fold(&out->fold[f], &cut, learner, limit, (int32_t)f));
        out->nfolds = f + 1;
        if (scant_i_interrupted()) {
            status = scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted after %zu of %zu folds",
                                  f + 1, nfolds);
            goto done;
        }
    }
    weigh_folds(weights, &cut, learner->target);
    take_means(out, weights);
done:
    scant_i_free(cut.fold);
    scant_i_free(cut.index);
    scant_i_free(cut.evident);
    scant_i_free(weights);
    if (status != SCANT_OK)
        scant_cv_clear(out);
    return status;
}

/* --- of fits --- */

static scant_status learn_fit(scant_model **out, const scant_rows *rows, double time_limit,
                              const void *any)
{
    scant_fit_options options = *(const scant_fit_options *)any;
    options.run.time_limit = time_limit;
    return scant_i_fit_auto(out, rows, &options);
}

static scant_status cross_validate(scant_cv *out, const scant_rows *rows,
                                   const scant_fit_options *options, size_t nfolds,
                                   bool labelled_only, bool whole, bool warn)
{
    scant_status status = SCANT_OK;
    scant_fit_options taken;
    *out = (scant_cv){0};
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    if (options->run.checkpoint)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--checkpoint is for a single fit, not for many");
    if (labelled_only && !rows->labels.code)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "these rows have no labels (--label)");
    if (labelled_only) {
        bool chooses;
        SCANT_I_TRY(scant_i_fit_chooses(&chooses, rows, options));
        if (chooses) { /* as the fit that chooses has the labeled rows alone, in units of all rows */
            taken.evidence.unlabeled_weight = 0;
            labelled_only = false;
        }
    }
    const scant_i_learner learner = {learn_fit,
                                     &taken,
                                     taken.model.target,
                                     taken.run.seed,
                                     taken.run.threads,
                                     taken.run.time_limit,
                                     whole};
    status = scant_i_cv(out, rows, &learner, nfolds, labelled_only, warn);
done:
    return status;
}

scant_status scant_cv_fit(scant_cv *out, const scant_rows *rows, const scant_fit_options *options,
                          size_t nfolds)
{
    return cross_validate(out, rows, options, nfolds, false, false, true);
}

scant_status scant_i_cv_fit(scant_cv *out, const scant_rows *rows, const scant_fit_options *options,
                            size_t nfolds)
{
    return cross_validate(out, rows, options, nfolds, false, false, false);
}

scant_status scant_i_cv_fit_whole(scant_cv *out, const scant_rows *rows,
                                  const scant_fit_options *options, size_t nfolds)
{
    return cross_validate(out, rows, options, nfolds, false, true, false);
}

scant_status scant_cv_fit_supervised(scant_cv *out, const scant_rows *rows,
                                     const scant_fit_options *options, size_t nfolds)
{
    return cross_validate(out, rows, options, nfolds, true, false, false);
}

/* --- of models that learn again --- */

typedef struct relearning {
    const scant_model *model;
    size_t threads;
} relearning;

static scant_status learn_again(scant_model **out, const scant_rows *rows, double time_limit,
                                const void *any)
{
    const relearning *again = any;
    const scant_i_machine_run run = {time_limit, again->threads};
    return scant_i_machine_again(out, again->model, rows, &run, "cross-validation");
}

scant_status scant_cv_model(scant_cv *out, const scant_model *model, const scant_rows *rows,
                            size_t nfolds, bool labelled_only, double time_limit, size_t threads)
{
    const relearning again = {model, threads};
    size_t target = scant_i_machine_target_column(model);
    const char *name = target < model->ncolumns ? model->columns[target] : NULL;
    const scant_i_learner learner = {learn_again, &again,     name, model->summary.seed,
                                     threads,     time_limit, false};
    return scant_i_cv(out, rows, &learner, nfolds, labelled_only, !labelled_only);
}

void scant_cv_clear(scant_cv *cv)
{
    for (size_t f = 0; cv->fold && f < cv->nfolds; f++)
        scant_evaluation_clear(&cv->fold[f].evaluation);
    scant_i_free(cv->fold);
    *cv = (scant_cv){0};
}
