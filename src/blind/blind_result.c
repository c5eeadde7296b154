/* Which start of blind training wins, the model made of it, and what is to be warned of. */
#include "blind/blind.h"

#include <math.h>
#include <string.h>

#include "audit/normals.h"
#include "audit/scores.h"
#include "model/score.h"
#include "math/tails.h"

/* The slope a that makes 1 / (1 + exp(-a f)) the likeliest probabilities under the two normals: the
 * expected log loss is convex in a, so its derivative has one zero. */
static double find_slope(const scant_i_margin *m)
{
    enum { HALVINGS = 60 };
    double low = log(1e-4), high = log(1e4); /* of a */
    for (int i = 0; i < HALVINGS; i++) {
        double a = exp((low + high) / 2), slope = 0;
        for (int k = 0; k < 2; k++) {
            double y = k ? 1 : -1, sd = exp(m->log_sd[k]), g[2];
            (void)scant_i_losses[SCANT_LOSS_LOG].expected(a * y * m->mean[k], a * sd, g);
            slope += m->prior[k] * (g[0] * y * m->mean[k] + g[1] * sd);
        }
        if (slope < 0)
            low = log(a);
        else
            high = log(a);
    }
    return exp((low + high) / 2);
}

static scant_status describe(scant_model *model, const scant_blind_options *o)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_model_add_setting(model, "prior", "%s", o->prior));
    SCANT_I_TRY(scant_i_model_add_setting(model, "loss", "%s", o->loss));
    SCANT_I_TRY(scant_i_model_add_setting(model, "algorithm", "%s", o->algorithm));
    SCANT_I_TRY(scant_i_model_add_number(model, "l2", o->l2));
    SCANT_I_TRY(scant_i_model_add_number(model, "l1", o->l1));
    SCANT_I_TRY(scant_i_model_add_setting(model, "offset", "%s", o->no_offset ? "no" : "yes"));
    SCANT_I_TRY(scant_i_model_add_setting(model, "starts", "%zu", o->starts));
    SCANT_I_TRY(scant_i_model_add_setting(model, "max-iter", "%zu", o->max_iter));
    SCANT_I_TRY(scant_i_model_add_number(model, "tol", o->tol));
done:
    return status;
}

/* The run's weights, in the columns' own units, and the normals; leaves its scores in `f`. */
static scant_status take_weights(scant_model *model, double *f, const scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    scant_status status = SCANT_OK;
    scant_rows *scores = NULL;
    SCANT_I_TRY(scant_i_score_new(model));
    scant_score *view = &model->score->view;
    view->offset = run->theta[b->d];
    for (size_t c = 0; c < b->d; c++) {
        model->score->weight[c] = run->theta[c] * b->factor[c];
        view->offset -= model->score->weight[c] * b->centre[c];
    }
    SCANT_I_TRY(scant_i_score_rows(&scores, model->score, b->rows));
    SCANT_I_TRY(scant_rows_set_weights(scores, b->rows->weight));
    memcpy(f, scores->dense, scores->nrows * sizeof *f);
    SCANT_I_TRY(scant_i_normals_new(&model->mixture, &run->margin));
    SCANT_I_TRY(scant_i_mixture_standardise(model->mixture, scores, b->options->threads));
done:
    scant_rows_free(scores);
    return status;
}

/* The best run's, unless time or an interrupt kept others from their end. */
static scant_stop stop_of(const scant_i_blind_run *best, const scant_i_blind_run *runs)
{
    scant_stop stop = best->stop;
    for (size_t r = 0; r < best->blind->options->starts; r++)
        if (runs[r].stop == SCANT_STOP_TIME || runs[r].stop == SCANT_STOP_INTERRUPTED)
            stop = runs[r].stop;
    return stop;
}

/* Rows held out say what they can; the published algorithms' own estimates, and those of a run that was
 * cut short, are of the rows trained on. */
static scant_status judge(scant_score *view, scant_i_held *held, const scant_i_blind_run *run,
                          scant_stop *stop, const scant_i_scores *s)
{
    const scant_i_margin *m = &run->margin;
    double slope[SCANT_I_PHI];
    *held = (scant_i_held){0};
    if (strcmp(run->blind->options->algorithm, "exact") == 0 && *stop == SCANT_STOP_CONVERGED) {
        scant_status status = scant_i_blind_hold_out(held, stop, run);
        if (status != SCANT_OK)
            return status;
    }
    view->share = run->share;
    view->slope = find_slope(m);
    view->risk = scant_i_margin_risk(slope, m, run->blind->loss);
    view->error = scant_i_margin_risk(slope, m, &scant_i_losses[SCANT_LOSS_ZERO_ONE]);
    view->error_low = view->error_high = view->likeliest = NAN;
    if (held->told) {
        view->risk = held->risk.value;
        view->error = held->error.value;
        view->error_low = held->error.low;
        view->error_high = held->error.high;
        view->likeliest = held->share;
    }
    return scant_i_margin_distance(&view->distance, m, s);
}

static scant_status summarise(scant_model *model, const scant_i_blind_run *run, scant_stop stop,
                              const scant_i_scores *s)
{
    const scant_i_blind *b = run->blind;
    scant_status status = SCANT_OK;
    scant_i_slopes at;
    scant_summary *to = &model->summary;
    SCANT_I_TRY(SCANT_I_NEW(&model->component_rows, 2));
    SCANT_I_TRY(SCANT_I_NEW(&model->component_labelled, 4));
    scant_i_margin_slopes(&at, &run->margin, s);
    *to = (scant_summary){.rows = s->n,
                          .objective = -run->minimum.value,
                          .bic = NAN,
                          .icl = NAN,
                          .aic = NAN,
                          .iterations = run->minimum.iterations,
                          .starts = b->options->starts,
                          .best_start = run->start,
                          .stop = stop,
                          .seed = b->options->seed,
                          .parameters = !b->options->no_offset};
    for (size_t i = 0; i < s->n; i++)
        to->weight += scant_rows_weight(b->rows, i);
    for (size_t c = 0; c < b->d; c++)
        to->parameters += run->theta[c] != 0;
    to->loglik = at.loglik * to->weight;
    for (size_t k = 0; k < 2; k++)
        model->component_rows[k] = at.N[k] * to->weight;
done:
    return status;
}

/* Answers that do not have the shares that are known are wrong, however low their estimated risk:
 * two clusters of other sizes can lie further apart than the classes do. */
static bool keeps_shares(const scant_i_blind *b, double share)
{
    static const double OFF = 0.05;
    return fabs(share - b->prior[1]) <= OFF;
}

static bool is_better(const scant_i_blind_run *run, const scant_i_blind_run *than)
{
    const scant_i_blind *b = run->blind;
    if (!than || keeps_shares(b, run->share) != keeps_shares(b, than->share))
        return !than || keeps_shares(b, run->share);
    return run->minimum.value < than->minimum.value;
}

const scant_i_blind_run *scant_i_blind_best(const scant_i_blind_run *runs, size_t count)
{
    const scant_i_blind_run *best = NULL;
    for (size_t r = 0; r < count; r++)
        if (runs[r].good && is_better(&runs[r], best))
            best = &runs[r];
    return best;
}

/* The lowest objective among starts that answer many rows otherwise, or INFINITY. */
static scant_status find_rival(double *value, double *otherwise, const scant_i_blind *b,
                               scant_i_blind_run *runs, const double *f)
{
    static const double MANY = 0.1;
    scant_status status = SCANT_OK;
    *value = INFINITY;
    for (size_t r = 0; r < b->options->starts; r++) {
        scant_i_blind_run *run = &runs[r];
        double differ = 0, total = 0;
        if (!run->good || !keeps_shares(b, run->share) || !(run->minimum.value < *value))
            continue;
        SCANT_I_TRY(SCANT_I_NEW(&run->u, b->d));
        SCANT_I_TRY(SCANT_I_NEW(&run->f, b->rows->nrows));
        scant_i_blind_scores(run, run->theta);
        for (size_t i = 0; i < b->rows->nrows; i++) {
            double w = scant_rows_weight(b->rows, i);
            total += w;
            differ += (run->f[i] > 0) != (f[i] > 0) ? w : 0;
        }
        differ /= total;
        scant_i_blind_run_clear(run);
        if (differ > MANY) {
            *value = run->minimum.value;
            *otherwise = differ;
        }
    }
done:
    return status;
}

/* Does another share explain the scores much better than the one that was told? */
static bool wants_other_share(const scant_i_blind *b, const scant_i_held *held, double weight)
{
    static const double OFF = 0.05, LEVEL = 1e-3;
    return held->told && fabs(held->share - b->prior[1]) > OFF &&
           scant_i_chi_square_tail(2 * weight * held->gain, 1) < LEVEL;
}

static scant_status warn(scant_model *model, const scant_i_blind *b, scant_i_blind_run *runs,
                         const double *f, const scant_i_held *held)
{
    static const double NEARLY = 0.1;
    scant_status status = SCANT_OK;
    const scant_score *s = &model->score->view;
    double best = -model->summary.objective, rival, otherwise = 0;
    if (fabs(b->prior[1] - 0.5) < SCANT_I_NEAR_UNIFORM)
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "shares of %.3g and %.3g are nearly alike: they hardly tell which class is which",
            b->prior[0], b->prior[1]));
    if (!keeps_shares(b, s->share))
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "%.3g of the rows are answered %s where %.3g should be: do not trust the answers",
            s->share, model->classes[1], b->prior[1]));
    if (!scant_i_margin_is_normal(s->distance, model->summary.weight))
        SCANT_I_TRY(scant_i_model_add_warning(model,
                                              "the scores are not two normals (distance %.3g): "
                                              "what they say about risk and error may be far off",
                                              s->distance));
    if (held->asked && !held->told)
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "training on four fifths of the rows leads elsewhere: do not trust the answers"));
    if (wants_other_share(b, held, model->summary.weight))
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "two normals fit the scores far better if %.3g of the rows are %s, not %.3g: the "
            "shares may be wrong",
            held->share, model->classes[1], b->prior[1]));
    SCANT_I_TRY(find_rival(&rival, &otherwise, b, runs, f));
    if (rival < best + NEARLY * fabs(best))
        SCANT_I_TRY(scant_i_model_add_warning(
            model,
            "another start is nearly as good (%.4g, the best is %.4g) and answers %.0f %% of the "
            "rows otherwise",
            rival, best, 100 * otherwise));
done:
    return status;
}

/* An estimate that a check speaks against is none: the model keeps the reason in its place. */
static scant_status warn_and_withhold(scant_model *model, const scant_i_blind *b,
                                      scant_i_blind_run *runs, const double *f,
                                      const scant_i_held *held)
{
    size_t before = model->nwarnings;
    scant_score *s = &model->score->view;
    scant_status status = warn(model, b, runs, f, held);
    if (status == SCANT_OK && model->nwarnings > before)
        s->risk = s->error = s->error_low = s->error_high = NAN;
    return status;
}

scant_status scant_i_blind_result(scant_model *model, const scant_i_blind_run *best,
                                  scant_i_blind_run *runs)
{
    const scant_i_blind *b = best->blind;
    scant_status status = SCANT_OK;
    double *f = NULL;
    scant_i_held held;
    scant_stop stop = stop_of(best, runs);
    SCANT_I_TRY(SCANT_I_NEW(&f, b->rows->nrows));
    const scant_i_scores s = {f, b->rows->weight, b->rows->nrows};
    SCANT_I_TRY(describe(model, b->options));
    SCANT_I_TRY(take_weights(model, f, best));
    SCANT_I_TRY(judge(&model->score->view, &held, best, &stop, &s));
    SCANT_I_TRY(summarise(model, best, stop, &s));
    SCANT_I_TRY(warn_and_withhold(model, b, runs, f, &held));
done:
    scant_i_free(f);
    return status;
}
