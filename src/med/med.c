/* From rows with labels or a target to a model: encoding, the choice of settings, the fit, the slope of its probabilities.
 *
 * Rows of weight 0 and rows without a label (or with a missing target) are not there. Settings are chosen by the held-out log loss (mean
 * squared error) on at most SEARCHED rows, taken by even steps; the last fit and the held-out fits for the slope take all. */
#include <math.h>
#include <string.h>

#include "data/split.h"
#include "math/linear.h"
#include "med/machine.h"
#include "med/options.h"

enum { SEARCHED = 2000 };
static const double SEARCH_TOL = 1e-3; /* of fits that only compare settings */
static const double SEARCH_TIME = 0.5; /* their part of the time limit */

/* Rows to learn from, and what is known of them. */
typedef struct working {
    size_t *row, n, unlabeled;
    int32_t *class_of, *fold;
    double *target, *weight;
    scant_i_med_table table;
    scant_i_med_truth truth;
} working;

static void working_clear(working *w)
{
    scant_i_free(w->row);
    scant_i_free(w->class_of);
    scant_i_free(w->fold);
    scant_i_free(w->target);
    scant_i_free(w->weight);
    scant_i_med_table_clear(&w->table);
}

static size_t find_column(const scant_rows *rows, const char *name)
{
    char made[SCANT_I_MADE_NAME];
    for (size_t c = 0; name && c < rows->ncolumns; c++)
        if (strcmp(scant_i_column_name(rows, c, made), name) == 0)
            return c;
    return SIZE_MAX;
}

static scant_status room_for(working *w, size_t n)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&w->row, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w->class_of, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w->fold, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w->target, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&w->weight, n + 1));
done:
    return status;
}

static scant_status choose_rows(working *w, const scant_rows *rows, size_t target,
                                const char *transduce)
{
    bool open = strcmp(transduce, "none") != 0, soft = strcmp(transduce, "mean-field") == 0;
    scant_status status = SCANT_OK;
    size_t K = rows->labels.nclasses;
    SCANT_I_TRY(room_for(w, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++) {
        double weight = scant_rows_weight(rows, i);
        if (!(weight > 0))
            continue;
        int32_t code = target == SIZE_MAX ? rows->labels.code[i] : 0;
        double y = target == SIZE_MAX ? 0 : scant_rows_value(rows, i, target);
        if (code >= (int32_t)K && target == SIZE_MAX && !soft)
            return scant_i_fail_label(rows, i,
                                      "a set or probabilities of classes: --transduce mean-field "
                                      "learns from them, and so do scant fit and scant train");
        if (code < 0 || isnan(y)) {
            w->unlabeled++;
            if (!open)
                continue;
        }
        if (isinf(y))
            return scant_i_fail_cell(rows, i, target, "the target is infinite");
        w->row[w->n] = i;
        w->class_of[w->n] = code;
        w->target[w->n] = y;
        w->weight[w->n++] = weight;
    }
done:
    return status;
}

/* The row has one class, or a target. */
static bool is_exact(const working *w, size_t t)
{
    if (w->truth.nclasses == 0)
        return !isnan(w->target[t]);
    return w->class_of[t] >= 0 && w->class_of[t] < (int32_t)w->truth.nclasses;
}

static scant_status check_classes(const working *w, const scant_rows *rows)
{
    int32_t first = -1;
    bool other = false;
    for (size_t t = 0; t < w->n; t++) {
        if (!is_exact(w, t))
            continue;
        other |= first >= 0 && w->class_of[t] != first;
        first = w->class_of[t];
    }
    if (first < 0)
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a label and a weight above 0");
    if (!other)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "all labels are of one class, '%s': a margin needs two",
                            rows->labels.classes[first]);
    return SCANT_OK;
}

static scant_status find_positive(size_t *out, const scant_rows *rows, const char *name)
{
    *out = rows->labels.nclasses - 1;
    if (!name)
        return SCANT_OK;
    for (size_t k = 0; k < rows->labels.nclasses; k++)
        if (strcmp(rows->labels.classes[k], name) == 0) {
            *out = k;
            return SCANT_OK;
        }
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--positive: there is no class '%s'", name);
}

/* Targets in units of their standard deviation. */
static void standardize_targets(working *w, scant_i_med_machine *m, bool standardize)
{
    double most = 0, mean = 0, square = 0, n = (double)(w->n - w->unlabeled);
    m->target_spread = 1;
    if (!standardize)
        return;
    for (size_t t = 0; t < w->n; t++)
        most = fmax(most, fabs(w->target[t])); /* of a number and NaN, the number */
    double unit = most > 0 ? most : 1;
    for (size_t t = 0; t < w->n; t++)
        mean += is_exact(w, t) ? w->target[t] / unit / n : 0;
    for (size_t t = 0; t < w->n; t++)
        square +=
            is_exact(w, t) ? (w->target[t] / unit - mean) * (w->target[t] / unit - mean) / n : 0;
    m->target_centre = mean * unit;
    if (sqrt(square) > 1e-14 * fabs(mean) && square > 0)
        m->target_spread = sqrt(square) * unit;
    for (size_t t = 0; t < w->n; t++)
        w->target[t] = (w->target[t] / 2 - m->target_centre / 2) / (m->target_spread / 2);
}

/* A precomputed kernel is a matrix of all rows with all rows. */
static scant_status check_square(working *w, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_med_table all = w->table;
    if (rows->ncolumns != rows->nrows || w->n != rows->nrows || !rows->dense)
        return scant_i_fail(
            SCANT_ERR_INPUT,
            "a precomputed kernel wants as many columns as rows, all of them with a "
            "label: there are %zu rows, %zu of them labeled, and %zu columns",
            rows->nrows, w->n, rows->ncolumns);
    SCANT_I_TRY(scant_i_med_check_positive(all.x, all.n));
done:
    return status;
}

static scant_status take_rows(working *w, scant_i_med_machine *m, const scant_rows *rows,
                              const scant_med_options *o)
{
    scant_status status = SCANT_OK;
    bool regress = strcmp(o->task, "regress") == 0, square = strcmp(o->kernel, "precomputed") == 0;
    bool measured = strcmp(o->generative, "none") == 0 || strcmp(o->generative, "gaussian") == 0;
    m->target = regress ? find_column(rows, o->target) : SIZE_MAX;
    if (regress && m->target == SIZE_MAX)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--target: there is no column '%s'",
                            o->target ? o->target : "");
    if (regress && (rows->labels.code || !rows->dense))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a regression wants dense rows without class labels");
    if (!regress && !rows->labels.code)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the rows have no labels: --label COL names their column");
    SCANT_I_TRY(choose_rows(w, rows, m->target, o->transduce));
    bool open = strcmp(o->transduce, "none") != 0;
    if (regress && w->n == (open ? w->unlabeled : 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a target and a weight above 0");
    w->truth = (scant_i_med_truth){0, w->class_of,      w->target, rows->weight ? w->weight : NULL,
                                   0, rows->labels.soft};
    if (!regress) {
        w->truth.nclasses = rows->labels.nclasses;
        SCANT_I_TRY(check_classes(w, rows));
        SCANT_I_TRY(find_positive(&w->truth.positive, rows, o->positive));
    } else {
        standardize_targets(w, m, !o->no_standardize);
    }
    const scant_i_med_reading reading = {m->target, o->dna,
                                         !o->no_standardize && !square && measured};
    SCANT_I_TRY(scant_i_med_inputs_new(&m->inputs, rows, w->row, w->n, &reading));
    SCANT_I_TRY(scant_i_med_table_map(&w->table, &m->inputs, rows, w->row, 0, w->n));
    SCANT_I_TRY(scant_i_med_expansion_new(&m->expansion, scant_i_med_expand_of(o->expand),
                                          o->degree, &w->table, !o->no_standardize && measured));
    SCANT_I_TRY(scant_i_med_expand_table(&w->table, &m->expansion));
    if (square)
        SCANT_I_TRY(check_square(w, rows));
done:
    return status;
}

/* --- held-out rows --- */

/* Folds of the working rows; 0 where too few rows could be held out. */
static scant_status deal(working *w, const scant_rows *rows, size_t *nfolds, uint64_t seed)
{
    scant_status status = SCANT_OK;
    int32_t *all = NULL;
    size_t *count = NULL, least = w->n;
    if (*nfolds < 2)
        *nfolds = 0;
    if (*nfolds == 0)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&all, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&count, w->truth.nclasses + 1));
    for (size_t t = 0; t < w->n; t++)
        if (is_exact(w, t))
            count[w->truth.nclasses ? w->class_of[t] : 0]++;
    for (size_t k = 0; k < w->truth.nclasses; k++)
        least = count[k] ? scant_i_min(least, count[k]) : least;
    *nfolds = scant_i_min(*nfolds, scant_i_max(least, w->truth.nclasses > 2 ? 2 : 1));
    if (*nfolds < 2) {
        *nfolds = 0;
        goto done;
    }
    SCANT_I_TRY(scant_i_split_folds(all, rows, *nfolds, seed));
    for (size_t t = 0; t < w->n; t++)
        w->fold[t] = is_exact(w, t) ? all[w->row[t]] : -1;
done:
    scant_i_free(all);
    scant_i_free(count);
    return status;
}

/* Even steps through the working rows, for the search. */
static scant_status thin(working *out, const working *w, bool square)
{
    scant_status status = SCANT_OK;
    size_t n = scant_i_min(w->n, SEARCHED);
    SCANT_I_TRY(room_for(out, n));
    out->n = n;
    for (size_t t = 0; t < n; t++) {
        size_t from = t * w->n / n;
        out->row[t] = from;
        out->class_of[t] = w->class_of[from];
        out->fold[t] = w->fold[from];
        out->target[t] = w->target[from];
        out->weight[t] = w->weight[from];
    }
    out->truth = (scant_i_med_truth){w->truth.nclasses, out->class_of,
                                     out->target,       w->truth.weight ? out->weight : NULL,
                                     w->truth.positive, w->truth.soft};
    SCANT_I_TRY(scant_i_med_table_take(&out->table, &w->table, out->row, n, square));
done:
    return status;
}

static scant_status choose(scant_i_med_settings *settings, const working *w, size_t nfolds,
                           const scant_i_med_search *search, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_med_settings *grid = NULL;
    scant_i_med_measures *measures = NULL;
    working few = {0};
    size_t count, best = SIZE_MAX;
    if (!search->c || nfolds == 0)
        return SCANT_OK;
    bool square = settings->has_kernel && settings->kernel.type == SCANT_I_MED_PRECOMPUTED;
    SCANT_I_TRY(thin(&few, w, square));
    SCANT_I_TRY(scant_i_med_grid(&grid, &count, settings, search, w->table.d));
    SCANT_I_TRY(SCANT_I_NEW(&measures, count));
    for (size_t s = 0; s < count; s++) {
        grid[s].control.tol = fmax(settings->control.tol, SEARCH_TOL);
        grid[s].control.time_limit *= SEARCH_TIME;
    }
    const scant_i_med_folds folds = {&few.table, &few.truth, few.fold, nfolds, threads};
    SCANT_I_TRY(scant_i_med_hold_out(measures, &folds, grid, count));
    for (size_t s = 0; s < count; s++)
        if (measures[s].rows && (best == SIZE_MAX || measures[s].rows > measures[best].rows ||
                                 (measures[s].rows == measures[best].rows &&
                                  measures[s].loss < measures[best].loss - 1e-9)))
            best = s;
    if (best != SIZE_MAX) {
        settings->scale = grid[best].scale;
        settings->variance = grid[best].variance;
        settings->kernel = grid[best].kernel;
    }
done:
    working_clear(&few);
    scant_i_free(grid);
    scant_i_free(measures);
    return status;
}

static scant_status hold_out(scant_i_med_machine *m, const working *w, size_t nfolds,
                             const scant_i_med_settings *settings, size_t threads)
{
    scant_med_result *r = &m->result;
    const scant_i_med_folds folds = {&w->table, &w->truth, w->fold, nfolds, threads};
    scant_i_med_measures found = {NAN, NAN, 1, 0};
    scant_status status = SCANT_OK;
    if (nfolds)
        status = scant_i_med_hold_out(&found, &folds, settings, 1);
    bool regress = w->truth.nclasses == 0;
    r->folds = found.rows ? nfolds : 0;
    r->slope = isnan(found.slope) ? 1 : found.slope;
    r->held_out_accuracy = found.accuracy;
    r->held_out_log_loss = regress ? NAN : found.loss;
    r->held_out_mse = regress ? found.loss * m->target_spread * m->target_spread : NAN;
    return status;
}

static scant_status follow_path(scant_i_med_machine *m, const working *w, size_t nfolds,
                                const scant_i_med_settings *settings, const scant_med_options *o)
{
    const scant_i_med_folds folds = {&w->table, &w->truth, w->fold, nfolds, o->threads};
    if (!o->path)
        return SCANT_OK;
    return scant_i_med_path_fit(&m->path, &folds, settings, m->target_spread * m->target_spread);
}

/* --- the model --- */

/* Bounds of the error of one discriminant, with probability 1 - RISK. Gap-tolerant hyperplanes: h = min(ceil(D^2 / M^2), d) + 1 with
 * M = 2 / |theta| and D = 2 max |phi(x_t)|, errors + sqrt((h (log(2 T / h) + 1) - log(RISK / 4)) / T). The score is the
 * least over thresholds g of (rows of margin up to g) / T + sqrt((KL log(T) / g^2 + log(T / RISK)) / T), margins in units
 * of the largest; the constant of that theorem is not known, so that scores compare and are no bounds. */
static void bound(scant_i_med_machine *m, const working *w, const scant_i_med_settings *s,
                  const double *f, size_t stride)
{
    enum { THRESHOLDS = 40 };
    const double RISK = 0.05;
    scant_med_result *r = &m->result;
    double T = 0, most = 0, farthest = 0, best = INFINITY, square = m->discriminants.square;
    r->vc_dimension = r->vc_bound = r->pac_score = NAN;
    if (isnan(square) || m->discriminants.nclasses != 2)
        return;
    for (size_t t = 0; t < w->n; t++) {
        if (!is_exact(w, t))
            continue;
        T++;
        most = fmax(most, fabs(f[t * stride]));
        farthest =
            fmax(farthest, scant_i_med_square(&w->table, t, s->has_kernel ? &s->kernel : NULL));
    }
    double sign = m->discriminants.code[1] > 0 ? 1 : -1;
    double KL = r->divergence_weights + r->divergence_bias;
    double free =
        s->has_kernel && s->kernel.type != SCANT_I_MED_LINEAR ? INFINITY : (double)w->table.d;
    r->vc_dimension = fmin(ceil(farthest * square), free) + 1;
    double h = fmin(r->vc_dimension, T);
    r->vc_bound =
        (double)r->errors_train / T + sqrt((h * (log(2 * T / h) + 1) - log(RISK / 4)) / T);
    for (size_t k = 1; k <= THRESHOLDS && most > 0; k++) {
        double g = (double)k / THRESHOLDS, below = 0;
        for (size_t t = 0; t < w->n; t++) {
            double side = w->class_of[t] == 1 ? sign : -sign;
            below += is_exact(w, t) && side * f[t * stride] <= g * most;
        }
        best = fmin(best, below / T + sqrt((KL * log(T) / (g * g) + log(T / RISK)) / T));
    }
    r->pac_score = isfinite(best) ? best : NAN;
}

static scant_status count_errors(scant_i_med_machine *m, const working *w,
                                 const scant_i_med_settings *s)
{
    scant_status status = SCANT_OK;
    const scant_i_med_discriminants *d = &m->discriminants;
    double *f = NULL, *score = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&f, w->n * d->count + 1));
    SCANT_I_TRY(SCANT_I_NEW(&score, d->nclasses + 1));
    SCANT_I_TRY(scant_i_med_decide(f, d, &m->kernel, &m->support, &w->table));
    for (size_t t = 0; t < w->n; t++) {
        if (!is_exact(w, t))
            continue;
        if (d->nclasses == 0) {
            m->result.errors_train += fabs(f[t] - w->target[t]) > s->scale.epsilon;
            continue;
        }
        size_t best = 0;
        scant_i_med_scores(score, d, f + t * d->count);
        for (size_t k = 1; k < d->nclasses; k++)
            best = score[k] > score[best] ? k : best;
        m->result.errors_train += best != (size_t)w->class_of[t];
    }
    bound(m, w, s, f, d->count);
done:
    scant_i_free(f);
    scant_i_free(score);
    return status;
}

static scant_status keep_texts(scant_i_med_machine *m, const scant_med_options *o,
                               const scant_i_med_settings *s, const scant_rows *rows)
{
    size_t K = m->discriminants.nclasses;
    bool joint = (K > 2 && s->classes == SCANT_I_MED_JOINT) || s->transduce;
    const char *texts[] = {o->task,
                           s->family ? s->family->name : o->kernel,
                           s->margin->name,
                           joint ? "gaussian" : o->bias_prior,
                           K > 2 ? o->multiclass : "none",
                           m->discriminants.solver,
                           K == 2 ? rows->labels.classes[m->discriminants.code[1] > 0] : NULL};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && !(m->texts[i] = scant_i_strdup(texts[i])))
            return SCANT_ERR_MEMORY;
    return SCANT_OK;
}

static double share_of_positive(const scant_i_med_machine *m, const working *w)
{
    const scant_i_med_discriminants *d = &m->discriminants;
    double share = 0, all = 0;
    for (size_t t = 0; d->nclasses == 2 && t < w->n; t++)
        if (is_exact(w, t)) {
            all += w->weight[t];
            share += d->code[w->class_of[t]] > 0 ? w->weight[t] : 0;
        }
    return all > 0 ? share / all : NAN;
}

static scant_status describe(scant_i_med_machine *m, const working *w,
                             const scant_i_med_settings *s)
{
    scant_med_result *r = &m->result;
    const scant_i_med_discriminants *d = &m->discriminants;
    bool width = s->has_kernel &&
                 (s->kernel.type == SCANT_I_MED_RBF || s->kernel.type == SCANT_I_MED_POLYNOMIAL);
    r->c = s->margin->fixed ? NAN : s->scale.c;
    r->weight_variance = s->variance;
    r->gamma = width ? s->kernel.gamma : NAN;
    r->select = s->has_kernel ? NAN : s->rho;
    r->epsilon = s->regress ? s->scale.epsilon : NAN;
    r->objective = d->objective;
    r->gap = d->gap;
    r->divergence_weights = d->divergence[0];
    r->divergence_bias = d->divergence[1];
    r->divergence_margins = d->divergence[2];
    r->problems = d->nclasses > 2 && s->classes == SCANT_I_MED_JOINT ? 1 : d->count;
    r->support = d->nsupport;
    r->rows = w->n - (s->transduce ? w->unlabeled : 0);
    r->share = share_of_positive(m, w);
    m->kernel = s->kernel;
    scant_status status = SCANT_OK;
    if (d->coefficient)
        status = scant_i_med_table_take(&m->support, &w->table, d->row, d->nsupport, false);
    return status == SCANT_OK ? count_errors(m, w, s) : status;
}

static scant_status warn(scant_model *model, const scant_i_med_machine *m, const working *w,
                         const scant_i_med_settings *s, bool searched)
{
    scant_status status = SCANT_OK;
    const scant_med_result *r = &m->result;
    bool one_sided = s->margin == &scant_i_med_exponential && s->level * s->scale.c <= 1;
    if (r->support == 0 && one_sided)
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "c = %g is at most 1 / margin: the margin prior already expects no more than 0, so "
            "all multipliers are 0 and nothing was learned. Take --c above %g",
            s->scale.c, 1 / s->level));
    else if (r->support == 0)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "all multipliers are 0: the rows do not differ from what the priors expect, and "
                   "nothing was learned"));
    if (m->inputs.missing)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "%zu missing cells were taken for the column's mean or most frequent category",
            m->inputs.missing));
    if (w->unlabeled && s->transduce == SCANT_I_MED_LABELED_ONLY)
        SCANT_I_TRY(scant_i_model_add_warning(model,
                                              "%zu rows without a %s were left out: --transduce "
                                              "learns from them, and so does scant train",
                                              w->unlabeled, s->regress ? "target" : "label"));
    if (r->folds == 0 && !s->regress)
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "nothing was held out: probabilities have a slope of 1 and are not calibrated%s",
            searched ? ", and c, the weights' variance and the kernel's width were not chosen"
                     : ""));
done:
    return status;
}

static scant_status finish(scant_model *model, scant_i_med_machine *m, const scant_rows *rows,
                           const working *w, const scant_med_options *o)
{
    scant_status status = SCANT_OK;
    scant_summary *s = &model->summary;
    bool transduced = strcmp(o->transduce, "none") != 0;
    *s = (scant_summary){.rows = rows->nrows,
                         .labeled = w->n - (transduced ? w->unlabeled : 0),
                         .starts = 1,
                         .seed = o->seed,
                         .iterations = m->discriminants.iterations,
                         .stop = m->discriminants.stop,
                         .loglik = NAN,
                         .objective = m->discriminants.objective,
                         .bic = NAN,
                         .icl = NAN,
                         .aic = NAN};
    for (size_t i = 0; i < rows->nrows; i++)
        s->weight += scant_rows_weight(rows, i);
    SCANT_I_TRY(scant_i_med_machine_show(m, model));
    SCANT_I_TRY(scant_i_model_add_setting(model, "task", "%s", o->task));
    SCANT_I_TRY(scant_i_model_add_setting(model, "kernel", "%s", o->kernel));
    SCANT_I_TRY(scant_i_model_add_number(model, "c", m->result.c));
    SCANT_I_TRY(scant_i_model_add_number(model, "weight_variance", m->result.weight_variance));
    SCANT_I_TRY(scant_i_model_add_number(model, "folds", (double)o->folds));
    SCANT_I_TRY(scant_i_model_add_number(model, "tol", o->tol));
    SCANT_I_TRY(scant_i_med_options_keep(model, o));
done:
    return status;
}

typedef struct reporting {
    const scant_med_options *options;
    double weight;
} reporting;

/* Tells the caller how far the fit is; true: it is to stop. */
static bool report(const scant_i_med_certificate *now, void *payload)
{
    const reporting *r = payload;
    scant_progress_event event = {
        .what = "med", .starts = 1, .objective = now ? now->dual / r->weight : NAN};
    return r->options->progress && r->options->progress(&event, r->options->payload) != 0;
}

static scant_status fit(scant_model **out, const scant_rows *rows, const scant_med_options *o)
{
    scant_status status = SCANT_OK;
    double began = scant_i_seconds();
    scant_model *model = NULL;
    scant_i_med_machine *m = NULL;
    scant_i_med_settings settings;
    scant_i_med_search search;
    working w = {0};
    size_t nfolds = o->folds;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    SCANT_I_TRY(scant_i_med_settings_of(&settings, &search, o, rows->ncolumns, began));
    SCANT_I_TRY(take_rows(&w, m, rows, o));
    SCANT_I_TRY(scant_i_med_settings_of(&settings, &search, o, w.table.d, began));
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    SCANT_I_TRY(deal(&w, rows, &nfolds, o->seed));
    SCANT_I_TRY(choose(&settings, &w, nfolds, &search, o->threads));
    scant_i_med_settings last = settings;
    reporting telling = {o, fmax(1, (double)w.n)};
    last.control.stop = report;
    last.control.payload = &telling;
    SCANT_I_TRY(scant_i_med_fit(&m->discriminants, &w.table, &w.truth, &last));
    SCANT_I_TRY(describe(m, &w, &settings));
    SCANT_I_TRY(hold_out(m, &w, nfolds, &settings, o->threads));
    SCANT_I_TRY(follow_path(m, &w, nfolds, &settings, o));
    SCANT_I_TRY(keep_texts(m, o, &settings, rows));
    SCANT_I_TRY(finish(model, m, rows, &w, o));
    SCANT_I_TRY(warn(model, m, &w, &settings, search.c));
    scant_i_med_machine *taken = m;
    m = NULL;
    SCANT_I_TRY(scant_i_model_take_machine(model, &scant_i_machine_med, taken));
    model->summary.seconds = scant_i_seconds() - began;
    *out = model;
    model = NULL;
done:
    scant_model_free(model);
    scant_i_med_machine_free(m);
    working_clear(&w);
    return status;
}

scant_status scant_med(scant_model **out, const scant_rows *rows, const scant_med_options *options)
{
    scant_med_options taken;
    *out = NULL;
    scant_status status = scant_i_med_options_take(&taken, options);
    return status == SCANT_OK ? fit(out, rows, &taken) : status;
}

scant_status scant_i_med_again(scant_model **out, const scant_model *model, const scant_rows *rows,
                               const scant_i_machine_run *run)
{
    scant_med_options options;
    scant_status status = scant_i_med_options_recall(&options, model);
    if (status != SCANT_OK)
        return status;
    if (strcmp(options.kernel, "precomputed") == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a precomputed kernel has no columns for other "
                                                "rows: its folds are those of med itself");
    options.seed = model->summary.seed;
    options.time_limit = run->time_limit;
    options.threads = run->threads;
    return scant_med(out, rows, &options);
}
