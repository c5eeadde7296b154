/* How good predictions are, on rows whose truth is known.
 *
 *   accuracy, balanced accuracy (mean recall over classes that occur), log loss, Brier score
 *   sum_k (p_k - [k = y])^2, and expected calibration error over ten bins of the top probability;
 *   mean squared error for regressions; of sequences, precision, recall and F1 of segments. Rows count by their weights; those of weight 0 are not there. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "data/sequence.h"
#include "model/chain.h"
#include "model/machine.h"
#include "model/predict.h"

enum { BINS = 10 };

typedef struct bin {
    double weight, confidence, right;
} bin;

typedef struct tally {
    double weight, right, log_loss, brier;
    bin bins[BINS];
} tally;

static void count_row(tally *t, double *confusion, const double *p, size_t K, size_t truth,
                      double w)
{
    size_t best = 0;
    double brier = 0;
    for (size_t k = 0; k < K; k++) {
        best = p[k] > p[best] ? k : best;
        brier += (p[k] - (k == truth)) * (p[k] - (k == truth));
    }
    t->weight += w;
    t->right += best == truth ? w : 0;
    t->log_loss -= w * log(fmax(p[truth], DBL_MIN));
    t->brier += w * brier;
    confusion[truth * K + best] += w;
    bin *b = &t->bins[scant_i_min((size_t)(p[best] * BINS), BINS - 1)];
    b->weight += w;
    b->confidence += w * p[best];
    b->right += best == truth ? w : 0;
}

static double balanced(const double *confusion, size_t K)
{
    double sum = 0, present = 0;
    for (size_t k = 0; k < K; k++) {
        double of_class = 0;
        for (size_t l = 0; l < K; l++)
            of_class += confusion[k * K + l];
        if (of_class > 0) {
            sum += confusion[k * K + k] / of_class;
            present++;
        }
    }
    return present > 0 ? sum / present : NAN;
}

static double calibration_error(const tally *t)
{
    double sum = 0;
    for (size_t b = 0; b < BINS; b++)
        sum += fabs(t->bins[b].confidence - t->bins[b].right);
    return sum / t->weight;
}

/* --- segments: runs of one class --- */

/* Of the rows from `begin` to `end` - 1, all of known class: the end of the run that begins at row i. */
static size_t end_of_run(const int32_t *class_of, size_t i, size_t end)
{
    size_t next = i + 1;
    while (next < end && class_of[next] == class_of[i])
        next++;
    return next;
}

typedef struct segments {
    double truth, predicted, right;
} segments;

static void count_segments(segments *out, const int32_t *truth, const int32_t *predicted,
                           size_t begin, size_t end, double w)
{
    for (size_t i = begin; i < end; i = end_of_run(truth, i, end))
        out->truth += w;
    for (size_t i = begin, next; i < end; i = next) {
        next = end_of_run(predicted, i, end);
        bool begins = i == begin || truth[i - 1] != truth[i];
        out->predicted += w;
        if (begins && truth[i] == predicted[i] && end_of_run(truth, i, end) == next)
            out->right += w;
    }
}

static scant_status evaluate_segments(scant_evaluation *out, const scant_rows *rows,
                                      const double *p, size_t K)
{
    scant_status status = SCANT_OK;
    segments found = {0};
    int32_t *truth = NULL, *predicted = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&truth, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&predicted, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++) {
        int32_t best = 0;
        for (size_t k = 1; k < K; k++)
            best = p[i * K + k] > p[i * K + (size_t)best] ? (int32_t)k : best;
        predicted[i] = best;
        truth[i] = scant_rows_label(rows, i);
    }
    for (size_t i = 0, end; i < rows->nrows; i = end) {
        end = i + 1;
        while (end < rows->nrows && !scant_i_begins_sequence(rows, end) &&
               (truth[end] >= 0) == (truth[i] >= 0))
            end++;
        if (truth[i] >= 0 && scant_rows_weight(rows, i) > 0)
            count_segments(&found, truth, predicted, i, end, scant_rows_weight(rows, i));
    }
    if (found.truth > 0) {
        out->segment_precision = found.right / found.predicted;
        out->segment_recall = found.right / found.truth;
        out->segment_f1 = 2 * found.right / (found.truth + found.predicted);
    }
done:
    scant_i_free(truth);
    scant_i_free(predicted);
    return status;
}

static scant_status evaluate_classes(scant_evaluation *out, const scant_model *model,
                                     const scant_rows *rows, const scant_predict_options *options,
                                     double *loglik)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses;
    tally t = {0};
    double *p = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&p, rows->nrows * K));
    SCANT_I_TRY(SCANT_I_NEW(&out->confusion, K * K));
    out->classes = K;
    SCANT_I_TRY(scant_model_predict(model, rows, options, p, NULL, NULL, loglik));
    for (size_t i = 0; i < rows->nrows; i++) {
        int32_t label = scant_rows_label(rows, i);
        double w = scant_rows_weight(rows, i);
        if (label < 0 || (size_t)label >= K || !(w > 0))
            continue;
        out->rows++;
        count_row(&t, out->confusion, p + i * K, K, (size_t)label, w);
    }
    if (t.weight > 0) {
        out->accuracy = t.right / t.weight;
        out->log_loss = t.log_loss / t.weight;
        out->brier = t.brier / t.weight;
        out->balanced_accuracy = balanced(out->confusion, K);
        out->ece = calibration_error(&t);
    }
    if (rows->sequential || scant_i_is_chain(model))
        SCANT_I_TRY(evaluate_segments(out, rows, p, K));
done:
    scant_i_free(p);
    return status;
}

/* The column of a regression's target, or SIZE_MAX. */
static size_t target_column(const scant_model *model)
{
    size_t column = scant_i_machine_target_column(model);
    for (size_t f = 0; f < model->mixture->nfactors; f++) {
        const scant_i_factor *factor = model->mixture->factor[f];
        if (factor->family->has_target)
            column = factor->columns[factor->settings.target];
    }
    return column;
}

static scant_status evaluate_target(scant_evaluation *out, const scant_model *model,
                                    const scant_rows *rows, const scant_predict_options *options)
{
    size_t column = target_column(model);
    if (column == SIZE_MAX)
        return SCANT_OK;
    double *target = NULL, sum = 0, weight = 0;
    bool classes_count = model->nclasses && rows->labels.code; /* the rows, then */
    scant_status status = SCANT_I_NEW(&target, rows->nrows);
    if (status == SCANT_OK)
        status = scant_model_predict_target(model, rows, options, target);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++) {
        double y = scant_rows_value(rows, i, column);
        double w = scant_rows_weight(rows, i);
        if (isnan(y) || !(w > 0))
            continue;
        sum += w * (y - target[i]) * (y - target[i]);
        weight += w;
        out->rows += !classes_count;
    }
    out->mse = weight > 0 ? sum / weight : NAN;
    scant_i_free(target);
    return status;
}

/* As many rows, as heavy, and with their labels the log-likelihood that the fit ended with. */
static scant_status compare_with_fit(bool *same, const scant_model *model, const scant_rows *rows,
                                     const scant_predict_options *options)
{
    static const double ROUNDING = 1e-9;
    scant_status status = SCANT_OK;
    const scant_summary *s = scant_model_summary(model);
    scant_predict_options labeled = {.size = sizeof labeled, .use_labels = true};
    double *loglik = NULL, sum = 0, weight = 0;
    *same = false;
    for (size_t i = 0; i < rows->nrows; i++)
        weight += scant_rows_weight(rows, i);
    if (model->kind || model->score || model->own_class || s->starts == 0 ||
        s->rows != rows->nrows || !(fabs(weight - s->weight) <= ROUNDING * weight))
        return SCANT_OK;
    labeled.threads = options ? options->threads : 0;
    SCANT_I_TRY(SCANT_I_NEW(&loglik, rows->nrows));
    SCANT_I_TRY(scant_model_predict(model, rows, &labeled, NULL, NULL, NULL, loglik));
    for (size_t i = 0; i < rows->nrows; i++)
        sum += scant_rows_weight(rows, i) > 0 ? scant_rows_weight(rows, i) * loglik[i] : 0;
    *same = fabs(sum - s->loglik) <= ROUNDING * fabs(s->loglik);
done:
    scant_i_free(loglik);
    return status;
}

scant_status scant_model_evaluate(scant_evaluation *out, const scant_model *model,
                                  const scant_rows *rows, const scant_predict_options *options)
{
    scant_status status = SCANT_OK;
    double *loglik = NULL, sum = 0, weight = 0;
    *out = (scant_evaluation){.accuracy = NAN,
                              .balanced_accuracy = NAN,
                              .log_loss = NAN,
                              .brier = NAN,
                              .ece = NAN,
                              .mse = NAN,
                              .mean_loglik = NAN,
                              .segment_precision = NAN,
                              .segment_recall = NAN,
                              .segment_f1 = NAN};
    SCANT_I_TRY(scant_i_check_names(model, rows, true));
    SCANT_I_TRY(SCANT_I_NEW(&loglik, rows->nrows));
    if (model->nclasses && rows->labels.code)
        SCANT_I_TRY(evaluate_classes(out, model, rows, options, loglik));
    else
        SCANT_I_TRY(scant_model_predict(model, rows, options, NULL, NULL, NULL, loglik));
    SCANT_I_TRY(evaluate_target(out, model, rows, options));
    for (size_t i = 0; i < rows->nrows; i++) {
        sum += scant_rows_weight(rows, i) > 0 ? scant_rows_weight(rows, i) * loglik[i] : 0;
        weight += scant_rows_weight(rows, i);
    }
    out->mean_loglik = weight > 0 ? sum / weight : NAN;
    SCANT_I_TRY(compare_with_fit(&out->of_the_fit, model, rows, options));
done:
    scant_i_free(loglik);
    if (status != SCANT_OK)
        scant_evaluation_clear(out);
    return status;
}

void scant_evaluation_clear(scant_evaluation *evaluation)
{
    scant_i_free(evaluation->confusion);
    evaluation->confusion = NULL;
}

/* A row counts 1 where only the model is right, -1 where only the guess is, else 0. */
void scant_guess_by(scant_guess *out, const double *confusion, size_t classes)
{
    *out = (scant_guess){.accuracy = NAN};
    double all = 0, most = 0, right = 0, own = 0;
    for (size_t k = 0; confusion && k < classes; k++) {
        double total = 0;
        for (size_t j = 0; j < classes; j++)
            total += confusion[k * classes + j];
        all += total;
        right += confusion[k * classes + k];
        if (total > most) {
            most = total;
            own = confusion[k * classes + k];
            out->named = k;
        }
    }
    if (!(all > 0))
        return;
    double gained = (right - own) / all, lost = (most - own) / all;
    out->accuracy = most / all;
    out->difference = gained - lost;
    out->error = sqrt((gained + lost - out->difference * out->difference) / all);
    out->better = out->difference < 0 && -out->difference > out->error;
}
