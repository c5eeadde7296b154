/* Selection: one fit for every number of components and covariance asked for, the best by a
 * criterion.
 *
 * By bic, icl and aic smaller is better, as they are reported; by cv it is the held-out error of
 * labelled rows where there are labels, and minus the held-out log-likelihood otherwise. A tie goes
 * to the fewest parameters. A fit in which a component has collapsed never wins over one in which
 * none has. A candidate may take what those before it have left of the time limit; by cv its fit
 * and its folds share that. */
#include <scant/fit.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/split.h"
#include "validate/cv.h"
#include "validate/safe.h"
#include "fit/layout.h"
#include "model/model.h"
#include "model/options.h"

static const char *const all_covariances[] = {"full", "diag",      "spherical",
                                              "tied", "tied-diag", "tied-spherical"};
enum { NCOVARIANCES = sizeof all_covariances / sizeof *all_covariances, CANDIDATES_MAX = 10000 };
enum { COMPONENTS_MAX = 100000 };           /* as of a single fit */
static const char NO_COVARIANCE[] = "none"; /* where no column is Gaussian */

typedef struct range {
    size_t first, last;
    char tail[32]; /* "/class" or "" */
} range;

static scant_status bad_range(const char *text)
{
    return scant_i_fail(SCANT_ERR_ARGUMENT, "-k: '%s' is neither a range A:B nor a list of numbers",
                        text);
}

static scant_status parse_range(range *out, const char *text, const char *end, const char *whole)
{
    char *stop;
    *out = (range){0};
    if (*text < '0' || *text > '9')
        return bad_range(whole);
    out->first = out->last = strtoul(text, &stop, 10);
    if (*stop == ':') {
        if (stop[1] < '0' || stop[1] > '9')
            return bad_range(whole);
        out->last = strtoul(stop + 1, &stop, 10);
    }
    size_t tail = (size_t)(end - stop);
    if (stop > end || (tail && (tail != strlen("/class") || memcmp(stop, "/class", tail) != 0)) ||
        out->first == 0 || out->last < out->first || out->last > COMPONENTS_MAX ||
        out->last - out->first > CANDIDATES_MAX)
        return bad_range(whole);
    memcpy(out->tail, stop, tail);
    return SCANT_OK;
}

static scant_status add_candidate(scant_selection *s, size_t k, const char *tail,
                                  const char *covariance, size_t length)
{
    scant_status status = scant_i_resize(&s->candidate, s->ncandidates + 1, sizeof *s->candidate);
    if (status != SCANT_OK)
        return status;
    scant_candidate *c = &s->candidate[s->ncandidates++];
    *c = (scant_candidate){.cv_loglik = NAN, .cv_error = NAN, .score = NAN};
    (void)snprintf(c->components, sizeof c->components, "%zu%s", k, tail);
    (void)snprintf(c->covariance, sizeof c->covariance, "%.*s", (int)length, covariance);
    return SCANT_OK;
}

static scant_status check_covariance(const char *name, size_t length)
{
    for (size_t c = 0; c < NCOVARIANCES; c++)
        if (strlen(all_covariances[c]) == length && memcmp(all_covariances[c], name, length) == 0)
            return SCANT_OK;
    return scant_i_fail(SCANT_ERR_ARGUMENT,
                        "--covariance: '%.*s' is none of all, full, diag, spherical, tied, "
                        "tied-diag, tied-spherical",
                        (int)length, name);
}

/* Without Gaussian columns all covariances are one fit. */
static scant_status choose_covariances(const char **list, const scant_rows *rows,
                                       const scant_fit_options *options)
{
    bool has = false, all = strcmp(*list, "all") == 0;
    scant_status status = SCANT_OK;
    for (const char *item = *list; !all && *item && status == SCANT_OK;) {
        size_t length = strcspn(item, ",");
        status = check_covariance(item, length);
        item += length + (item[length] == ',');
    }
    if (status == SCANT_OK)
        status = scant_i_layout_has_covariances(&has, rows, options);
    if (status != SCANT_OK || has)
        return status;
    if (!all)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--covariance %s: no column has the gaussian family", *list);
    *list = NO_COVARIANCE;
    return SCANT_OK;
}

static scant_status add_covariances(scant_selection *s, size_t k, const char *tail,
                                    const char *covariances)
{
    scant_status status = SCANT_OK;
    if (strcmp(covariances, "all") == 0) {
        for (size_t c = 0; c < NCOVARIANCES && status == SCANT_OK; c++)
            status = add_candidate(s, k, tail, all_covariances[c], strlen(all_covariances[c]));
        return status;
    }
    for (const char *item = covariances; *item && status == SCANT_OK;) {
        size_t length = strcspn(item, ",");
        status = add_candidate(s, k, tail, item, length);
        item += length + (item[length] == ',');
    }
    return status;
}

static scant_status list_candidates(scant_selection *s, const char *components,
                                    const char *covariances)
{
    scant_status status = SCANT_OK;
    for (const char *item = components; *item && status == SCANT_OK;) {
        range r;
        size_t length = strcspn(item, ",");
        status = parse_range(&r, item, item + length, components);
        for (size_t k = r.first; status == SCANT_OK && k <= r.last; k++)
            status = add_covariances(s, k, r.tail, covariances);
        item += length + (item[length] == ',');
    }
    if (status == SCANT_OK && s->ncandidates == 0)
        status = bad_range(components);
    return status;
}

/* Folds that cannot be made are no fault of a candidate. */
static scant_status check_folds(const scant_rows *rows, size_t nfolds, uint64_t seed)
{
    int32_t *fold = NULL;
    scant_status status = SCANT_I_NEW(&fold, rows->nrows);
    if (status == SCANT_OK)
        status = scant_i_split_folds(fold, rows, nfolds, seed);
    if (status == SCANT_OK)
        status = scant_i_cv_warn(fold, rows, nfolds);
    scant_i_free(fold);
    return status;
}

static scant_status score_cv(scant_candidate *c, const scant_rows *rows,
                             const scant_fit_options *options, size_t nfolds)
{
    scant_cv cv;
    scant_status status = scant_i_cv_fit(&cv, rows, options, nfolds);
    if (status != SCANT_OK)
        return status;
    c->cv_loglik = cv.mean_loglik;
    c->cv_error = 1 - cv.accuracy;
    c->score = isnan(cv.accuracy) ? -cv.mean_loglik : c->cv_error;
    for (size_t f = 0; f < cv.nfolds; f++)
        if (cv.fold[f].stop == SCANT_STOP_TIME)
            c->summary.stop = SCANT_STOP_TIME;
    scant_cv_clear(&cv);
    return SCANT_OK;
}

static bool is_healthy(const scant_model *model)
{
    for (size_t j = 0; j < model->mixture->ncomponents; j++)
        if (scant_i_mixture_health(model->mixture, j, model->component_rows[j]) != SCANT_I_HEALTHY)
            return false;
    return true;
}

static void set_candidate(scant_fit_options *options, const scant_candidate *c)
{
    options->model.components = c->components;
    options->model.covariance =
        strcmp(c->covariance, NO_COVARIANCE) == 0 ? all_covariances[0] : c->covariance;
}

static scant_status try_candidate(scant_candidate *c, scant_model **model, const scant_rows *rows,
                                  const scant_fit_options *base, const char *by, size_t nfolds)
{
    scant_fit_options options = *base;
    double began = scant_i_seconds();
    bool cv = strcmp(by, "cv") == 0;
    options.run.time_limit /= cv ? 1 + (double)nfolds : 1;
    set_candidate(&options, c);
    scant_status status = (cv ? scant_i_fit_auto : scant_fit)(model, rows, &options);
    if (status == SCANT_OK) {
        c->summary = *scant_model_summary(*model);
        c->healthy = is_healthy(*model);
        c->score = strcmp(by, "icl") == 0   ? c->summary.icl
                   : strcmp(by, "aic") == 0 ? c->summary.aic
                                            : c->summary.bic;
        options.run.time_limit = scant_i_time_left(base->run.time_limit, began);
        if (cv)
            status = score_cv(c, rows, &options, nfolds);
        if (status == SCANT_ERR_INTERRUPTED) { /* the fit stands, behind all that have a score */
            c->score = INFINITY;
            c->summary.stop = SCANT_STOP_INTERRUPTED;
            status = SCANT_OK;
        }
    }
    return status;
}

/* Criteria are of the likelihood of all rows; how those without a label count in the model that comes out is then
 * chosen on held-out labels, where nothing else was said. */
static scant_status fit_best(scant_model **best, const scant_candidate *c, const scant_rows *rows,
                             const scant_fit_options *base)
{
    scant_fit_options options = *base;
    scant_model *chosen = NULL;
    bool chooses = false;
    set_candidate(&options, c);
    scant_status status = scant_i_fit_chooses(&chooses, rows, &options);
    if (status == SCANT_OK && chooses)
        status = scant_i_fit_auto(&chosen, rows, &options);
    if (status == SCANT_OK && chooses) {
        scant_model_free(*best);
        *best = chosen;
    }
    return status;
}

/* One that cannot be had does not keep the others from being tried. */
static scant_status forgive(scant_candidate *c, scant_status *refusal, scant_status status)
{
    if (status == SCANT_OK || status == SCANT_ERR_MEMORY || status == SCANT_ERR_IO ||
        status == SCANT_ERR_INTERRUPTED)
        return status; /* these would end the next one, too */
    c->failed = true;
    (void)snprintf(c->why, sizeof c->why, "%s", scant_message());
    *refusal = status;
    return SCANT_OK;
}

/* Errors are means over folds: what ties may differ by their rounding. */
static bool is_tie(double a, double b)
{
    static const double ROUNDING = 1e-10;
    return fabs(a - b) <= ROUNDING * fmax(1, fmin(fabs(a), fabs(b)));
}

/* Of two that tie the one with fewer parameters, and then the first, `b`. */
static bool is_better(const scant_candidate *a, const scant_candidate *b)
{
    if (a->failed || isnan(a->score))
        return false;
    if (!b)
        return true;
    if (a->healthy != b->healthy)
        return a->healthy;
    return is_tie(a->score, b->score) ? a->summary.parameters < b->summary.parameters
                                      : a->score < b->score;
}

/* Ends the list: `tried` candidates were, for `why` no more. */
static void cut_short(scant_selection *s, size_t tried, scant_stop why)
{
    s->untried = s->ncandidates - tried;
    s->ncandidates = tried;
    s->stop = why;
}

scant_status scant_select(scant_selection *out, scant_model **model, const scant_rows *rows,
                          const scant_fit_options *options, const char *components,
                          const char *covariances, const char *by, size_t nfolds)
{
    scant_status status = SCANT_OK, refusal = SCANT_ERR_INPUT;
    scant_model *fitted = NULL, *best = NULL;
    scant_fit_options taken;
    double began = scant_i_seconds();
    *out = (scant_selection){0};
    if (model)
        *model = NULL;
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    scant_fit_options rest = taken;
    if (options->run.checkpoint)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--checkpoint is for a single fit, not for many");
    if (strcmp(by, "bic") != 0 && strcmp(by, "icl") != 0 && strcmp(by, "aic") != 0 &&
        strcmp(by, "cv") != 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--by: '%s' is none of bic, icl, aic, cv", by);
    SCANT_I_TRY(choose_covariances(&covariances, rows, options));
    SCANT_I_TRY(list_candidates(out, components, covariances));
    if (strcmp(by, "cv") == 0)
        SCANT_I_TRY(check_folds(rows, nfolds, options->run.seed));
    out->best = out->ncandidates;
    for (size_t c = 0; c < out->ncandidates; c++) {
        rest.run.time_limit = scant_i_time_left(options->run.time_limit, began);
        status = try_candidate(&out->candidate[c], &fitted, rows, &rest, by, nfolds);
        if (status == SCANT_ERR_INTERRUPTED && best) { /* what was tried before stands */
            status = SCANT_OK;
            cut_short(out, c, SCANT_STOP_INTERRUPTED);
            break;
        }
        SCANT_I_TRY(forgive(&out->candidate[c], &refusal, status));
        if (is_better(&out->candidate[c],
                      out->best < out->ncandidates ? &out->candidate[out->best] : NULL)) {
            scant_model *swap = best;
            best = fitted;
            fitted = swap;
            out->best = c;
        }
        scant_model_free(fitted);
        fitted = NULL;
        if (scant_i_interrupted() || out->candidate[c].summary.stop == SCANT_STOP_INTERRUPTED)
            cut_short(out, c + 1, SCANT_STOP_INTERRUPTED);
        else if (best && c + 1 < out->ncandidates &&
                 scant_i_time_is_up(options->run.time_limit, began))
            cut_short(out, c + 1, SCANT_STOP_TIME);
    }
    if (out->best >= out->ncandidates) {
        status = scant_i_fail(refusal, "no candidate could be fitted; the last said: %s",
                              out->candidate[out->ncandidates - 1].why);
        goto done;
    }
    if (out->stop == SCANT_STOP_CONVERGED)
        out->stop = out->candidate[out->best].summary.stop;
    if (model) {
        rest.run.time_limit = scant_i_time_left(options->run.time_limit, began);
        if (strcmp(by, "cv") != 0 && out->stop == SCANT_STOP_CONVERGED)
            SCANT_I_TRY(fit_best(&best, &out->candidate[out->best], rows, &rest));
        *model = best;
        best = NULL;
    }
done:
    scant_model_free(fitted);
    scant_model_free(best);
    if (status != SCANT_OK)
        scant_selection_clear(out);
    return status;
}

void scant_selection_clear(scant_selection *selection)
{
    scant_i_free(selection->candidate);
    *selection = (scant_selection){0};
}
