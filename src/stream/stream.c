/* A model that follows a stream of rows (context-aware mixtures §4.4).
 *
 * After row t, with the n <= N rows of the window and the start model theta0:
 *   objective  O_t(theta) = sum_{i in window} w_i l_i(theta) + s_t E0[log W_jk f_j(x)]
 *   weight     s_t = max(prior_rows, N - n)
 *   update     a few EM iterations on O_t from the parameters of row t - 1 (latent/engine.c)
 *
 * E0 is over the rows x, components j and classes k that theta0 makes: a conjugate prior worth s_t
 * rows. A window that is not full yet is filled up with it, so early answers are the start model's
 * and change as evidence comes in. Later it keeps a component whose rows have left the window: with
 * no row it goes back to theta0's parameters, with few its covariance is at least
 * s W0_j / (N_j + s W0_j) times theta0's, and no W_jk that was above 0 falls to it; so nothing
 * collapses and no logarithm of 0 is met, for any prior_rows > 0. E0 is taken over rows made once
 * (reference.c), each known to be of its component: exact for Gaussians, by sampling otherwise.
 *
 * Rows of --context-mode prior say nothing of class proportions, so where there are no others
 * these stay theta0's. With prior_rows 0 a full window stands alone: the same fit as scant_fit from the
 * same start, variances kept up by the families' floors, and a class without rows lost.
 *
 * O_t is another one after every row, so it rises within a row and not from row to row. Cost of a
 * row: iterations x (N + reference rows) x the E-step of a row. */
#include "stream/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_rows.h"
#include "base/options.h"
#include "model/chain.h"
#include "model/predict.h"
#include "model/refit.h"

#define AT(field) offsetof(scant_stream_options, field)
static const scant_option table[] = {
    {"window", 0, SCANT_OPTION_COUNT, AT(window), "N", "240", 1, 1e8, NULL,
     "rows that the model is fitted to: the last N"},
    {"prior-rows", 0, SCANT_OPTION_REAL, AT(prior_rows), "N", "1", 0, 1e9, NULL,
     "rows that the model given counts as, in addition to those of the window (0: none)"},
    {"iterations", 0, SCANT_OPTION_COUNT, AT(iterations), "N", "10", 0, 1e9, NULL,
     "iterations of EM for each row, at most"},
    {"budget-ms", 0, SCANT_OPTION_REAL, AT(budget_ms), "MS", "0", 0, 1e9, NULL,
     "milliseconds for the iterations of a row (0: no limit); alone it replaces the number of "
     "iterations"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "T", "1e-6", 0, 1e6, NULL,
     "fewer iterations where the objective rises by less than this per unit weight (0: never)"},
    SCANT_I_ROW_CONTEXT_MODE(AT(context_mode)),
    SCANT_I_ROW_THREADS(AT(threads)),
    {"refit", 0, SCANT_OPTION_COUNT, AT(refit), "N", "10", 1, 1e8, NULL,
     "of a stack (scant train): labels after which it is trained again on the window"},
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_stream_options_preset",
                                          sizeof(scant_stream_options), table, NOPTIONS};

const scant_option *scant_stream_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_stream_options_preset)(scant_stream_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

const char *scant_i_context_mode(const char *word)
{
    static const char *const modes[] = {"likelihood", "prior", "posterior"};
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        if (strcmp(word, modes[m]) == 0)
            return modes[m];
    return NULL;
}

scant_status scant_i_stream_options_take(scant_stream_options *taken,
                                         const scant_stream_options *options)
{
    scant_status status = scant_i_options_take(taken, options, &kind);
    if (status == SCANT_OK)
        taken->context_mode = scant_i_context_mode(taken->context_mode);
    return status;
}

/* --- making --- */

/* The model's settings as options of a fit: what a stream goes on with. */
static scant_status choose_method(scant_stream *s)
{
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    const char *unlabelled = scant_model_setting(s->start, "unlabeled");
    fit.evidence.unlabeled = s->start->own_class ? "em3"
                             : unlabelled        ? unlabelled
                                                 : fit.evidence.unlabeled;
    fit.evidence.unlabeled_weight =
        scant_i_setting_number(s->start, "unlabeled-weight", fit.evidence.unlabeled_weight);
    fit.evidence.context_mode = s->options.context_mode;
    scant_status status = scant_i_method_choose(&s->method, &s->evidence, &fit);
    if (status == SCANT_OK && s->method->after)
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "a model of --unlabeled em0 has no way to learn from labelled "
                              "rows one by one; fit it with em2");
    return status;
}

/* A model made by hand was never trained: no rows have been assigned to its components. */
static scant_status allow_counts(scant_model *model)
{
    scant_status status = SCANT_OK;
    size_t M = model->mixture->ncomponents;
    if (!model->component_rows)
        SCANT_I_TRY(SCANT_I_NEW(&model->component_rows, M));
    if (!model->component_labelled)
        SCANT_I_TRY(SCANT_I_NEW(&model->component_labelled, M * model->nclasses));
    model->ntrace = 0; /* of a fit that is no longer this model's */
done:
    return status;
}

static scant_status make_room(scant_stream *s)
{
    scant_status status = SCANT_OK;
    scant_rows *rows;
    size_t K = scant_i_max(s->model->nclasses, 1), d = s->model->ncolumns, room, cells;
    if (__builtin_add_overflow(s->pseudo_rows.nrows, s->options.window, &room) ||
        __builtin_mul_overflow(room, scant_i_max(d, K), &cells))
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory: a window of %zu rows",
                            s->options.window);
    SCANT_I_TRY(scant_i_rows_new(&s->rows, 0, d));
    rows = s->rows;
    SCANT_I_TRY(SCANT_I_NEW(&rows->columns, d));
    SCANT_I_TRY(SCANT_I_NEW(&rows->dense, room * d));
    SCANT_I_TRY(SCANT_I_NEW(&rows->weight, room));
    SCANT_I_TRY(SCANT_I_NEW(&rows->line, room));
    SCANT_I_TRY(SCANT_I_NEW(&s->known, room));
    SCANT_I_TRY(SCANT_I_NEW(&s->v, room * K));
    SCANT_I_TRY(SCANT_I_NEW(&rows->labels.code, room));
    SCANT_I_TRY(SCANT_I_NEW(&rows->labels.soft, room * K));
    SCANT_I_TRY(SCANT_I_NEW(&rows->labels.is_probability, room));
    SCANT_I_TRY(SCANT_I_NEW(&s->loss, room));
    if (s->pseudo_rows.nrows)
        memcpy(rows->dense, s->pseudo_rows.cells, s->pseudo_rows.nrows * d * sizeof *rows->dense);
done:
    return status;
}

/* Names are for messages; columns of the window are those of the model. */
static scant_status name_columns(scant_stream *s)
{
    for (size_t c = 0; c < s->model->ncolumns; c++) {
        s->rows->columns[c].name = scant_i_strdup(s->model->columns[c]);
        s->rows->columns[c].field = c + 1;
        if (!s->rows->columns[c].name)
            return SCANT_ERR_MEMORY;
    }
    return SCANT_OK;
}

static scant_status prepare_mixture(scant_stream *s)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(allow_counts(s->start));
    SCANT_I_TRY(allow_counts(s->model));
    SCANT_I_TRY(choose_method(s));
    scant_i_mixture_settle(s->model->mixture, s->start, s->method);
    SCANT_I_TRY(scant_i_mixture_copy(&s->layout, s->model->mixture));
    SCANT_I_TRY(scant_i_reference_new(&s->pseudo_rows, s->start, s->options.window));
done:
    return status;
}

scant_status scant_i_stream_new(scant_stream **out, const scant_model *start,
                                const scant_model *now, const scant_stream_options *options)
{
    scant_status status = SCANT_OK;
    scant_stream *s = NULL;
    *out = NULL;
    if (start->kind)
        SCANT_I_TRY(scant_i_stream_check_machine(start));
    if (start->kind != now->kind)
        return scant_i_fail(SCANT_ERR_INPUT, "a stream began as another kind of model than it is");
    SCANT_I_TRY(scant_i_model_needs_rows(start, "a stream"));
    SCANT_I_TRY(scant_i_model_needs_rows(now, "a stream"));
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    if (start->score || now->score) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT, "a linear classifier does not follow a stream");
        goto done;
    }
    SCANT_I_TRY(scant_i_stream_options_take(&s->options, options));
    SCANT_I_TRY(scant_i_model_copy(&s->start, start));
    SCANT_I_TRY(scant_i_model_copy(&s->model, now));
    if (!s->model->kind)
        SCANT_I_TRY(prepare_mixture(s));
    SCANT_I_TRY(make_room(s));
    SCANT_I_TRY(name_columns(s));
    *out = s;
    s = NULL;
done:
    scant_stream_free(s);
    return status;
}

scant_status scant_stream_new(scant_stream **out, const scant_model *model,
                              const scant_stream_options *options)
{
    return scant_i_stream_new(out, model, model, options);
}

void scant_stream_free(scant_stream *stream)
{
    if (!stream)
        return;
    scant_model_free(stream->start);
    scant_model_free(stream->model);
    scant_i_mixture_free(stream->layout);
    scant_i_reference_clear(&stream->pseudo_rows);
    scant_rows_free(stream->rows);
    scant_i_free(stream->known);
    scant_i_free(stream->v);
    scant_i_free(stream->loss);
    scant_i_free(stream);
}

const scant_model *scant_stream_model(const scant_stream *stream)
{
    return stream->model;
}

const scant_stream_options *scant_stream_settings(const scant_stream *stream)
{
    return &stream->options;
}

size_t scant_stream_learned(const scant_stream *stream)
{
    return stream->learned;
}

/* --- the window --- */

size_t scant_i_stream_slide(scant_stream *s)
{
    size_t first = s->pseudo_rows.nrows, d = s->rows->ncolumns, K = s->model->nclasses;
    if (s->nrows == s->options.window) {
        size_t n = --s->nrows;
        memmove(s->rows->dense + first * d, s->rows->dense + (first + 1) * d,
                n * d * sizeof *s->rows->dense);
        memmove(s->rows->weight + first, s->rows->weight + first + 1, n * sizeof *s->rows->weight);
        memmove(s->rows->line + first, s->rows->line + first + 1, n * sizeof *s->rows->line);
        memmove(s->known + first, s->known + first + 1, n * sizeof *s->known);
        memmove(s->loss + first, s->loss + first + 1, n * sizeof *s->loss);
        memmove(s->v + first * K, s->v + (first + 1) * K, n * K * sizeof *s->v);
    }
    return first + s->nrows++;
}

/* What the row says of its class. */
static void take_evidence(scant_stream *s, size_t place, const scant_rows *rows, size_t row)
{
    const scant_i_labels *labels = &rows->labels;
    size_t K = s->model->nclasses;
    int32_t code = labels->code && K ? labels->code[row] : -1;
    s->known[place] = code;
    if (code < (int32_t)K)
        return;
    size_t soft = (size_t)code - K;
    s->known[place] =
        labels->is_probability[soft] ? SCANT_I_KNOWN_PROBABILITIES : SCANT_I_KNOWN_SET;
    memcpy(s->v + place * K, labels->soft + soft * K, K * sizeof *s->v);
}

static scant_status check_row(const scant_stream *s, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = s->model->mixture;
    scant_rows *owned = NULL;
    if (rows->nrows == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "there is no row to learn");
    SCANT_I_TRY(scant_i_check_names(s->model, rows, true));
    if (s->model->kind)
        goto done;
    SCANT_I_TRY(scant_i_rows_for(m, rows, &owned, &rows));
    SCANT_I_TRY(scant_i_mixture_validate(m, rows));
done:
    scant_rows_free(owned);
    return status;
}

static void take_row(scant_stream *s, const scant_rows *rows, double loss)
{
    size_t place = scant_i_stream_slide(s), d = s->rows->ncolumns;
    for (size_t c = 0; c < d; c++) {
        s->rows->dense[place * d + c] = scant_rows_value(rows, 0, c);
        s->rows->columns[c].field = rows->columns ? rows->columns[c].field : c + 1;
    }
    s->rows->labels.field = rows->labels.field;
    s->rows->weight[place] = scant_rows_weight(rows, 0);
    s->rows->line[place] = scant_i_rows_line(rows, 0);
    s->loss[place] = loss;
    take_evidence(s, place, rows, 0);
    if (rows->source && !s->rows->source)
        s->rows->source = scant_i_strdup(rows->source); /* without it messages are less exact */
}

/* --- a fit --- */

/* Rows that the start model counts as now. */
static double pseudo_weight(const scant_stream *s)
{
    return fmax(s->options.prior_rows, (double)(s->options.window - s->nrows));
}

/* Labels of the rows from `first` on, as readers make them. The vectors of pseudo-rows, one a
 * pair, come first; pin_pairs fills them in. */
static void make_labels(scant_stream *s, scant_i_labels *labels, size_t first, size_t n)
{
    size_t K = scant_i_max(s->model->nclasses, 1), ahead = s->pseudo_rows.nrows - first;
    size_t nsoft = ahead ? s->pseudo_rows.npairs : 0;
    memset(labels->soft, 0, nsoft * K * sizeof *labels->soft);
    memset(labels->is_probability, 0, nsoft);
    for (size_t i = 0; i < ahead; i++)
        labels->code[i] = (int32_t)(K + s->pseudo_rows.pair[i]);
    for (size_t i = ahead; i < n; i++) {
        int32_t known = s->known[first + i];
        labels->code[i] = known;
        if (known >= SCANT_I_KNOWN_NOTHING)
            continue;
        labels->code[i] = (int32_t)(K + nsoft);
        labels->is_probability[nsoft] = known == SCANT_I_KNOWN_PROBABILITIES;
        memcpy(labels->soft + nsoft++ * K, s->v + (first + i) * K, K * sizeof *s->v);
    }
    labels->nclasses = K;
    labels->nsoft = nsoft;
}

/* Pseudo-rows are known to be of their component and class. */
static scant_status pin_pairs(scant_i_evidence *evidence, const scant_i_reference *pseudo_rows)
{
    size_t K = evidence->nclasses;
    scant_status status = SCANT_I_NEW(&evidence->only, evidence->nentries);
    for (size_t e = 0; status == SCANT_OK && e < evidence->nentries; e++)
        evidence->only[e] = -1;
    for (size_t p = 0; status == SCANT_OK && p < pseudo_rows->npairs; p++) {
        evidence->v[(K + 1 + p) * K + pseudo_rows->class_of[p]] = 1;
        evidence->only[K + 1 + p] = (int32_t)pseudo_rows->component[p];
    }
    return status;
}

scant_rows scant_i_stream_rows(scant_stream *s)
{
    double pseudo_rows = pseudo_weight(s);
    size_t first = pseudo_rows > 0 ? 0 : s->pseudo_rows.nrows;
    for (size_t i = 0; i < s->pseudo_rows.nrows; i++)
        s->rows->weight[i] = pseudo_rows * s->pseudo_rows.weight[i];
    scant_rows view = *s->rows;
    view.nrows = s->pseudo_rows.nrows + s->nrows - first;
    view.dense += first * view.ncolumns;
    view.weight += first;
    view.line += first;
    make_labels(s, &view.labels, first, view.nrows);
    return view;
}

/* Labels that a component saw: those of the start's training, and of the window's rows. */
static void count_labels(scant_model *model, const scant_model *start, const scant_i_run *run)
{
    size_t K = model->nclasses;
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < model->mixture->ncomponents; j++)
            model->component_labelled[j * K + k] = start->component_labelled[j * K + k] +
                                                   run->labelled[k * model->mixture->stride + j];
}

static void adopt(scant_stream *s, const scant_i_run *run)
{
    scant_model *model = s->model;
    const scant_i_mixture *m = run->mixture;
    scant_i_mixture_assign(model->mixture, m);
    memset(model->component_rows, 0, m->ncomponents * sizeof *model->component_rows);
    for (size_t j = 0; j < m->ncomponents; j++)
        for (size_t k = 0; k < m->nclasses; k++)
            model->component_rows[j] += run->N[k * m->stride + j];
    count_labels(model, s->start, run);
    scant_i_model_summarise(model, run);
    model->summary.rows = s->nrows;
    model->summary.labeled = 0;
    for (size_t i = s->pseudo_rows.nrows; i < s->pseudo_rows.nrows + s->nrows; i++)
        model->summary.labeled += s->known[i] != SCANT_I_KNOWN_NOTHING;
}

/* One fit to what is in the window: short, and half of it would be nothing, so an interrupt waits. */
static scant_status follow(scant_stream *s)
{
    scant_status status = SCANT_OK;
    scant_i_evidence evidence = {0};
    scant_i_survey survey = {0};
    scant_i_run *run = NULL;
    scant_rows rows = scant_i_stream_rows(s);
    scant_i_engine_options engine = {
        .starts = 1,
        .max_iter = s->options.iterations,
        .tol = s->options.tol,
        .time_limit = s->options.budget_ms / 1000,
        .given = true,
        .threads = s->options.threads,
        .cancel = &scant_i_never,
    };
    if (s->options.iterations == 0)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_evidence_new(&evidence, &rows, s->layout->nclasses, &s->evidence));
    /* quicker done than threads are woken, for any window that keeps up with its rows */
    SCANT_I_TRY(scant_i_survey_new(&survey, &rows, &evidence, SCANT_I_COLUMNS, 1));
    if (!(scant_i_survey_total_weight(&survey) > 0))
        goto done; /* rows of which nothing is known may count for nothing */
    scant_i_mixture_assign(s->layout, s->model->mixture);
    SCANT_I_TRY(scant_i_mixture_set_units(s->layout, &rows, &survey));
    if (pseudo_weight(s) > 0)
        SCANT_I_TRY(pin_pairs(&evidence, &s->pseudo_rows));
    SCANT_I_TRY(scant_i_mixture_find_fallback(s->layout, &evidence, &survey));
    SCANT_I_TRY(scant_i_engine_fit(&run, s->layout, &rows, &evidence, &engine));
    adopt(s, run);
done:
    scant_i_survey_clear(&survey);
    scant_i_evidence_clear(&evidence);
    scant_i_run_free(run);
    return status;
}

/* --- from outside --- */

scant_status scant_stream_predict(const scant_stream *stream, const scant_rows *rows,
                                  const scant_predict_options *options, double *classes,
                                  double *components, double *support, double *loglik,
                                  double *target)
{
    scant_i_answers answers = {classes, components, support, loglik, SIZE_MAX, &scant_i_never};
    scant_status status = scant_i_predict(stream->model, rows, options, &answers);
    if (status == SCANT_OK && target)
        status = scant_i_predict_target(stream->model, rows, options, &scant_i_never, target);
    return status;
}

scant_status scant_stream_learn(scant_stream *stream, const scant_rows *rows)
{
    double loss = NAN;
    size_t pending = stream->pending;
    scant_status status = check_row(stream, rows);
    if (status == SCANT_OK && stream->model->kind)
        status = scant_i_stream_loss(&loss, stream, rows);
    if (status != SCANT_OK)
        return status;
    take_row(stream, rows, loss);
    stream->pending += isnan(loss) ? 0 : 1;
    status = stream->model->kind ? scant_i_stream_again(stream) : follow(stream);
    if (status == SCANT_OK) {
        stream->learned++;
    } else { /* the row that could not be learned */
        stream->nrows--;
        stream->pending = pending;
    }
    return status;
}
