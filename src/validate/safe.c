/* A fit that unlabeled rows cannot spoil: how they count is chosen on held-out labels.
 *
 * A way is a weight w of unlabeled rows, the prior of covariances or none, and where the fit starts. Way 0 fits
 * the labeled rows alone (w = 0, with the prior). The others are w = 0.01, 0.1 and 1 from that fit, with the
 * prior, and the maximum of the likelihood of all rows (w = 1, no prior, the fit's own starts). With several
 * components a class the labeled rows alone are no start: then the maximum of the likelihood is the first
 * of the others, w = 0.1 starts from it and w = 0.01 from that one. A prior that is given holds in all.
 *
 * Folds are those of cross-validation; each way is fitted without a fold and measured on its labels. Of the
 * ways that get no fewer held-out labels right than way 0, the one with the least log loss is taken, the
 * first of equal ones: unlabeled rows have to win on both measures. Several components a class are more than a
 * few labeled rows can fill, so there way 0 has to win on both, by more than TIE.
 *
 * Held-out labels measure the models of the folds, and the fit to all labels may be another one: EM may climb another
 * peak, with classes exchanged. With D_a the share of unlabeled rows that the fit by way a names otherwise than the mean
 * of its folds' models does, its accuracy is at least hits_a / L - D_a on what was measured. So where
 *     hits_a - D_a L < hits_0 - D_0 L - 1,    L held-out labels,
 * the fit is given up, and the next best way is tried. Cost: folds x ways fits, of MOST_STEPS
 * steps at most (whatever --max-iter says, so that a resumed fit chooses the same). */
#include "validate/safe.h"

#include "validate/hybrid.h"

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
#include "model/predict.h"

enum { OWN_STARTS = -1 };
typedef struct way {
    double weight;
    int from; /* the way whose model it starts from */
    bool shrunk;
} way;

static const way one_each[] = {
    {0, OWN_STARTS, true}, {0.01, 0, true}, {0.1, 0, true}, {1, 0, true}, {1, OWN_STARTS, false}};
static const way several[] = {
    {0, OWN_STARTS, true}, {1, OWN_STARTS, false}, {0.1, 1, false}, {0.01, 2, false}};
enum { WAYS = sizeof one_each / sizeof *one_each, SEVERAL = sizeof several / sizeof *several };
static const double TIE = 0.01; /* log loss of a label that no handful of labels can tell from 0 */
enum { MOST_STEPS = 100, FOLDS_MAX = 64, LOOKED_AT = 1000 };
static const char INTERRUPTED[] = "interrupted";

/* What is tried, and how it does on held-out labels: sums over folds of hits and of log losses. */
typedef struct trial {
    size_t count;
    way way[WAYS];
    bool several;                /* components a class */
    double shrinkage, otherwise; /* of ways that are shrunk, and of others */
    double hits[WAYS], loss[WAYS];
    double labels; /* held-out ones */
    double accuracy[WAYS][FOLDS_MAX];
    size_t nfolds;
    bool given_up[WAYS];         /* the fit to all labels is not what its folds were */
    const scant_rows *look;      /* unlabeled rows, at most LOOKED_AT at even steps */
    double *answers[WAYS], *one; /* of those: sums over folds, and of one model */
    const char *cut;             /* what came first: the time limit, or an interrupt */
} trial;

static void clear_trial(trial *t)
{
    for (size_t at = 0; at < WAYS; at++)
        scant_i_free(t->answers[at]);
    scant_i_free(t->one);
    scant_rows_free((scant_rows *)t->look);
}

/* The ways there are: of all weights, or of the one that is given. */
static void list_ways(trial *t, double given, bool is_several)
{
    t->several = is_several;
    t->count = is_several ? SEVERAL : WAYS;
    memcpy(t->way, is_several ? several : one_each, t->count * sizeof *t->way);
    if (given == SCANT_AUTO)
        return;
    t->count = 1;
    if (!is_several)
        t->way[t->count++] = (way){given, 0, true};
    t->way[t->count++] = (way){given, OWN_STARTS, false};
}

/* What a fit does that looks at no held-out label. */
static size_t plain_way(const trial *t)
{
    size_t at = t->count - 1;
    while (t->way[at].from != OWN_STARTS)
        at--;
    return at;
}

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

/* By way `at`, from the models of those before it. */
static scant_status fit_by(scant_model **out, const trial *t, size_t at, scant_model *const *model,
                           const scant_rows *rows, const scant_fit_options *options)
{
    scant_fit_options own = *options;
    const way *by = &t->way[at];
    own.evidence.unlabeled_weight = by->weight;
    own.model.shrinkage = by->shrunk ? t->shrinkage : t->otherwise;
    own.run.start = by->from == OWN_STARTS ? NULL : model[by->from];
    return scant_fit(out, rows, &own);
}

static scant_status measure(trial *t, size_t at, size_t fold, const scant_model *model,
                            const scant_rows *test, size_t threads)
{
    scant_evaluation e = {0};
    scant_predict_options predict = {.size = sizeof predict, .threads = threads};
    scant_status status = scant_model_evaluate(&e, model, test, &predict);
    double n = (double)e.rows;
    if (status == SCANT_OK) {
        t->hits[at] += n * e.accuracy;
        t->loss[at] += n * e.log_loss;
        t->accuracy[at][fold] = e.accuracy;
        if (scant_model_summary(model)->stop == SCANT_STOP_TIME)
            t->cut = "the time limit was reached";
        if (scant_i_interrupted())
            t->cut = INTERRUPTED;
        if (at == 0)
            t->labels += n;
    }
    scant_evaluation_clear(&e);
    return status;
}

/* --- is a fit what its folds were? --- */

static scant_status take_look(trial *t, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_rows *look = NULL;
    size_t n = 0, K = rows->labels.nclasses, *index = NULL, taken;
    SCANT_I_TRY(SCANT_I_NEW(&index, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++)
        if (rows->labels.code[i] < 0 && scant_rows_weight(rows, i) > 0)
            index[n++] = i;
    taken = scant_i_min(n, LOOKED_AT);
    for (size_t i = 0; i < taken; i++)
        index[i] = index[(size_t)((double)i * (double)n / (double)taken)];
    SCANT_I_TRY(scant_rows_subset(&look, rows, index, taken));
    t->look = look;
    SCANT_I_TRY(SCANT_I_NEW(&t->one, taken * K));
    for (size_t at = 0; at < t->count; at++)
        SCANT_I_TRY(SCANT_I_NEW(&t->answers[at], taken * K));
done:
    scant_i_free(index);
    return status;
}

/* A thousand rows: an interrupt can wait. */
static scant_status ask(trial *t, const scant_model *model, size_t threads)
{
    const scant_predict_options how = {.size = sizeof how, .threads = threads};
    const scant_i_answers answers = {t->one, NULL, NULL, NULL, SIZE_MAX, &scant_i_never};
    return scant_i_predict(model, t->look, &how, &answers);
}

static scant_status add_answers(trial *t, size_t at, const scant_model *model, size_t threads)
{
    scant_status status = ask(t, model, threads);
    size_t cells = t->look->nrows * scant_model_classes(model);
    for (size_t i = 0; i < cells && status == SCANT_OK; i++)
        t->answers[at][i] += t->one[i];
    return status;
}

static size_t likeliest(const double *p, size_t K)
{
    size_t best = 0;
    for (size_t k = 1; k < K; k++)
        best = p[k] > p[best] ? k : best;
    return best;
}

/* Held-out labels that are right, less as many as the model may get wrong for being another one: hits_a - D_a L. */
static scant_status sure_hits(double *out, trial *t, size_t at, const scant_model *model,
                              size_t threads)
{
    size_t n = t->look->nrows, K = scant_model_classes(model), other = 0;
    scant_status status = ask(t, model, threads);
    for (size_t i = 0; i < n && status == SCANT_OK; i++)
        other += likeliest(t->one + i * K, K) != likeliest(t->answers[at] + i * K, K);
    *out = t->hits[at] - (n ? (double)other / (double)n * t->labels : 0);
    return status;
}

static scant_status run_fold(trial *t, size_t f, const int32_t *fold, size_t *index,
                             const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *train = NULL, *test = NULL;
    scant_model *model[WAYS] = {0};
    for (int inside = 0; inside < 2; inside++) {
        size_t n = 0;
        for (size_t i = 0; i < rows->nrows; i++)
            if (scant_rows_weight(rows, i) > 0 && (fold[i] == (int32_t)f) == inside &&
                (!inside || rows->sequential || scant_rows_label(rows, i) >= 0))
                index[n++] = i;
        SCANT_I_TRY(scant_rows_subset(inside ? &test : &train, rows, index, n));
    }
    for (size_t at = 0; at < t->count && !t->cut; at++) {
        SCANT_I_TRY(fit_by(&model[at], t, at, model, train, options));
        SCANT_I_TRY(measure(t, at, f, model[at], test, options->run.threads));
        SCANT_I_TRY(add_answers(t, at, model[at], options->run.threads));
    }
done:
    for (size_t at = 0; at < t->count; at++)
        scant_model_free(model[at]);
    scant_rows_free(train);
    scant_rows_free(test);
    return status;
}

/* Other fits leave a checkpoint alone: it is of the one that comes out. */
static scant_fit_options without_checkpoint(const scant_fit_options *options)
{
    scant_fit_options own = *options;
    own.run.checkpoint = NULL;
    own.run.resume = false;
    return own;
}

static scant_status try_ways(trial *t, const scant_rows *rows, const scant_fit_options *options,
                             size_t nfolds)
{
    scant_status status = SCANT_OK;
    int32_t *fold = NULL;
    size_t *index = NULL;
    double began = scant_i_seconds();
    scant_fit_options own = without_checkpoint(options);
    own.run.max_iter = MOST_STEPS;
    t->nfolds = nfolds;
    SCANT_I_TRY(take_look(t, rows));
    SCANT_I_TRY(SCANT_I_NEW(&fold, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&index, rows->nrows));
    SCANT_I_TRY(scant_i_split_folds(fold, rows, nfolds, options->run.seed));
    for (size_t f = 0; f < nfolds && !t->cut; f++) {
        double left = scant_i_time_left(options->run.time_limit, began);
        own.run.time_limit = left / (double)((nfolds - f + 1) * t->count);
        SCANT_I_TRY(run_fold(t, f, fold, index, rows, &own));
    }
done:
    scant_i_free(fold);
    scant_i_free(index);
    if (status != SCANT_ERR_INTERRUPTED)
        return status;
    t->cut = INTERRUPTED; /* before a fold's fit had a first result */
    return SCANT_OK;
}

/* The least loss among way `first` and those after it; where that is 0, among those that lose no label against it. */
static size_t least_loss(const trial *t, size_t first)
{
    size_t best = first;
    for (size_t at = first + 1; at < t->count; at++)
        if (!t->given_up[at] && (first > 0 || t->hits[at] >= t->hits[0]) &&
            (t->loss[at] < t->loss[best] || t->given_up[best]))
            best = at;
    return t->given_up[best] ? 0 : best;
}

static size_t best_of(const trial *t, bool keep)
{
    size_t best = least_loss(t, keep || t->several ? 1 : 0);
    bool labels_win = t->hits[0] >= t->hits[best] && t->loss[0] + TIE * t->labels < t->loss[best];
    return t->several && !keep && labels_win ? 0 : best;
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

static scant_comparison no_comparison(const char *why, size_t labeled)
{
    scant_comparison none = {.labeled = labeled};
    (void)snprintf(none.why, sizeof none.why, "%s", why);
    return none;
}

/* Chooses a way by what was tried; `*baseline` compares it with way 0, or the best of the others where it is
 * way 0. Without a trial to the end it is the likelihood of all rows where time ran out, which is what a plain fit
 * does, and the labeled rows alone after an interrupt, which take no time. */
static size_t decide(scant_comparison *baseline, const trial *t, bool keep, size_t labeled)
{
    if (t->cut) {
        *baseline = no_comparison(t->cut, labeled);
        return scant_i_interrupted() && !keep ? 0 : plain_way(t);
    }
    size_t best = best_of(t, keep), other = best ? best : least_loss(t, 1);
    other = other ? other : t->count - 1; /* all were given up */
    compare(baseline, t, other, labeled);
    baseline->worse = best == 0 || (t->hits[other] < t->hits[0] && t->loss[other] > t->loss[0]);
    return best;
}

static scant_status say(scant_model *model, const trial *t, const scant_comparison *b, bool single)
{
    bool given_up = false;
    for (size_t at = 0; at < t->count; at++)
        given_up |= t->given_up[at];
    if (single)
        return scant_i_model_add_warning(
            model,
            "a class has a single label: nothing can be held out, so the model is of the labeled "
            "rows alone; --keep --unlabeled-weight 1 uses the others");
    if (b->nfolds == 0)
        return scant_i_model_add_warning(model, "%s: the model is of the labeled rows alone",
                                         b->why);
    if (given_up)
        return scant_i_model_add_warning(
            model,
            "unlabeled rows do not help: with all labels their fit came out otherwise than on "
            "the folds that measured it, so the model is of the labeled rows alone; --keep "
            "uses them all the same");
    return scant_i_model_add_warning(
        model,
        "unlabeled rows do not help: the model is of the labeled rows alone (held-out accuracy "
        "%.3g, log loss %.3g; with the others %.3g and %.3g); --keep uses them all the same",
        b->accuracy[1], b->log_loss[1], b->accuracy[0], b->log_loss[0]);
}

/* The fit by way `at`, given that of way 0, which may become it; those between leave the checkpoint alone. */
static scant_status fit_chosen(scant_model **out, const trial *t, size_t at, scant_model **labeled,
                               const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_model *model[WAYS] = {*labeled};
    size_t chain[WAYS], length = 0;
    double began = scant_i_seconds();
    *out = NULL;
    if (at == 0) {
        *out = *labeled;
        *labeled = NULL;
        return SCANT_OK;
    }
    for (int w = (int)at; w > 0; w = t->way[w].from)
        chain[length++] = (size_t)w;
    while (length-- > 0) {
        size_t w = chain[length];
        scant_fit_options own = length ? without_checkpoint(options) : *options;
        own.run.time_limit = scant_i_time_left(options->run.time_limit, began);
        SCANT_I_TRY(fit_by(&model[w], t, w, model, rows, &own));
    }
    *out = model[at];
    model[at] = NULL;
done:
    for (size_t w = 1; w < t->count; w++)
        scant_model_free(model[w]);
    return status;
}

/* What is to be chosen for these rows, and is it the weight? */
typedef struct choice {
    scant_fit_options options; /* with the shrinkage of a fit to labeled rows */
    size_t fewest, labeled;    /* exact labels of the class that has fewest, and of all */
    bool ways;                 /* unlabeled rows are to be held against held-out labels */
    bool shrinkage_given;
} choice;

static scant_status prepare(choice *c, const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    size_t unknown;
    bool apt = false;
    SCANT_I_TRY(scant_i_fit_options_take(&c->options, &options));
    options = &c->options;
    if (scant_i_hybrid_is_open(options))
        SCANT_I_TRY(scant_i_hybrid_settle(&c->options, rows));
    SCANT_I_TRY(count_labels(&c->fewest, &c->labeled, &unknown, rows));
    SCANT_I_TRY(applies(&apt, &c->options));
    apt = apt && c->labeled > 0 && rows->labels.nclasses > 1;
    c->shrinkage_given = c->options.model.shrinkage != SCANT_AUTO;
    if (!c->shrinkage_given)
        c->options.model.shrinkage = apt ? scant_i_shrinkage_choose(rows) : 0;
    c->ways = apt && unknown > 0 && c->options.evidence.unlabeled_weight != 0;
done:
    return status;
}

/* Of the likelihood of all rows where others than labeled ones count, of the labeled rows else. */
static double plain_shrinkage(const choice *c)
{
    return c->ways && !c->shrinkage_given ? 0 : c->options.model.shrinkage;
}

static scant_status choose(scant_model **out, scant_comparison *baseline, const scant_rows *rows,
                           const choice *c, bool keep, size_t nfolds)
{
    scant_status status = SCANT_OK;
    const scant_fit_options *options = &c->options;
    scant_fit_options rest = *options, first = without_checkpoint(options);
    scant_comparison own = {0};
    scant_model *labeled = NULL, *model = NULL;
    trial t = {.count = 1, .way = {one_each[0]}, .shrinkage = options->model.shrinkage};
    double began = scant_i_seconds();
    t.otherwise = plain_shrinkage(c);
    SCANT_I_TRY(fit_by(&labeled, &t, 0, NULL, rows, &first));
    list_ways(&t, options->evidence.unlabeled_weight,
              scant_model_components(labeled) > rows->labels.nclasses);
    nfolds = scant_i_min(scant_i_min(nfolds, c->fewest), FOLDS_MAX);
    bool single = nfolds < 2;
    size_t at = single && keep ? plain_way(&t) : 0;
    if (!single) {
        rest.run.time_limit = scant_i_time_left(options->run.time_limit, began);
        SCANT_I_TRY(try_ways(&t, rows, &rest, nfolds));
        at = decide(&own, &t, keep, c->labeled);
    }
    double least = 0;
    bool checked = single || keep || t.cut; /* or there is nothing to check it by */
    if (!checked)
        SCANT_I_TRY(sure_hits(&least, &t, 0, labeled, options->run.threads));
    do {
        double hits = 0;
        scant_model_free(model);
        rest.run.time_limit = scant_i_time_left(options->run.time_limit, began);
        status = fit_chosen(&model, &t, at, &labeled, rows, &rest);
        if (status != SCANT_OK || checked || at == 0 || scant_i_interrupted())
            break;
        SCANT_I_TRY(sure_hits(&hits, &t, at, model, options->run.threads));
        checked = hits >= least - 1;
        t.given_up[at] = !checked;
        at = checked ? at : decide(&own, &t, keep, c->labeled);
    } while (!checked);
    if (status == SCANT_ERR_INTERRUPTED) { /* the fit of the labeled rows stands */
        at = 0;
        own = no_comparison(INTERRUPTED, c->labeled);
        status = fit_chosen(&model, &t, at, &labeled, rows, &rest);
    }
    SCANT_I_TRY(status);
    if (scant_i_interrupted())
        model->summary.stop = SCANT_STOP_INTERRUPTED;
    if (at == 0)
        SCANT_I_TRY(say(model, &t, &own, single));
    if (own.labeled)
        SCANT_I_TRY(scant_model_keep_baseline(model, &own));
    *baseline = own;
    *out = model;
    model = NULL;
done:
    clear_trial(&t);
    scant_model_free(labeled);
    scant_model_free(model);
    return status;
}

scant_status scant_fit_safe(scant_model **out, scant_comparison *baseline, scant_comparison *noise,
                            const scant_rows *rows, const scant_fit_options *options, bool keep,
                            size_t nfolds)
{
    choice c;
    scant_comparison own = {0};
    *out = NULL;
    if (baseline)
        *baseline = own;
    if (noise)
        *noise = own;
    scant_status status = prepare(&c, rows, options);
    if (status != SCANT_OK)
        return status;
    if (!c.ways || (keep && c.options.evidence.unlabeled_weight != SCANT_AUTO)) {
        c.options.model.shrinkage = plain_shrinkage(&c);
        return scant_fit_checked(out, noise, rows, &c.options, nfolds);
    }
    status = choose(out, &own, rows, &c, keep, nfolds);
    if (baseline)
        *baseline = own;
    return status;
}

scant_status scant_i_fit_auto(scant_model **out, const scant_rows *rows,
                              const scant_fit_options *options)
{
    choice c;
    scant_comparison own = {0};
    *out = NULL;
    scant_status status = prepare(&c, rows, options);
    if (status != SCANT_OK)
        return status;
    if (c.ways && c.options.evidence.unlabeled_weight == SCANT_AUTO)
        return choose(out, &own, rows, &c, false, SCANT_I_SAFE_FOLDS);
    c.options.model.shrinkage = plain_shrinkage(&c);
    return scant_fit(out, rows, &c.options);
}

scant_status scant_i_fit_chooses(bool *out, const scant_rows *rows,
                                 const scant_fit_options *options)
{
    choice c;
    scant_fit_options taken;
    scant_status status = scant_i_fit_options_take(&taken, &options);
    if (status != SCANT_OK)
        return status;
    bool hybrid = scant_i_hybrid_is_open(&taken);
    taken.run.hybrid = hybrid ? 1 : taken.run.hybrid; /* whatever it will be */
    status = prepare(&c, rows, &taken);
    *out = status == SCANT_OK &&
           (hybrid || (c.ways && c.options.evidence.unlabeled_weight == SCANT_AUTO));
    return status;
}
