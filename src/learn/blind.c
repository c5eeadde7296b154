/* Blind training: a linear classifier without labels (learning-without-labels §3.4).
 *
 * Objective  J(theta) = R(phi(theta)) + l2 |theta|^2 / 2 + l1 |theta|_1     phi: audit/margin.h
 *            f_i = sum_c theta_c z_ic + theta_d, z in standard units, theta_d without penalty
 *            phi(theta) = argmax l(phi; f), the maximum next to that of the step before
 * Gradient   dR/dtheta = sum_i c_i z_i with c = dR/df through phi: implicit differentiation of
 *            dl/dphi = 0 gives dphi/df = (-H)^-1 d2l/dphi df, so c_i = (H^-1 dR)' ... of one 4 x 4
 *            solve and one pass over the scores (scant_i_margin_pull).
 * Cost       two products with the rows and a few passes over the scores an evaluation, where the
 *            published algorithms fit the two normals 2 d times for a gradient.
 *
 * R alone does not know the classes' names: exchanged, they make another minimum nearly as low. The
 * likelihood knows, as far as the shares differ. So a run keeps its order of the classes, which
 * makes R smooth, and is judged in the end by whether that order is the likelier one; among runs
 * that pass, and whose answers have the known shares, the lowest objective decides. */
#include "learn/blind.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "audit/normals.h"
#include "audit/scores.h"
#include "data/multiply.h"
#include "data/prior.h"
#include "learn/model.h"
#include "learn/score.h"

#define AT(field) offsetof(scant_blind_options, field)
static const scant_option table[] = {
    {"prior", 0, SCANT_OPTION_TEXT, AT(prior), "P", NULL, 0, 0, NULL,
     "classes' proportions: the second class's share, or a=0.3,b=0.7, which also names them"},
    {"loss", 0, SCANT_OPTION_CHOICE, AT(loss), "L", "log", 0, 0, "log|hinge|exp",
     "what the classifier is to keep low"},
    {"algorithm", 0, SCANT_OPTION_CHOICE, AT(algorithm), "A", "exact", 0, 0, "exact|descent|grid",
     "exact gradient and L-BFGS, or the paper's algorithms 1 (finite differences) and 2 (grid)"},
    {"l2", 0, SCANT_OPTION_REAL, AT(l2), "A", "0.01", 0, 1e6, NULL,
     "penalty A/2 on the squared weights of columns in standard units"},
    {"l1", 0, SCANT_OPTION_REAL, AT(l1), "A", "0", 0, 1e6, NULL,
     "penalty on their absolute values: some become 0"},
    {"no-offset", 0, SCANT_OPTION_FLAG, AT(no_offset), NULL, NULL, 0, 0, NULL,
     "no offset: the mean row has score 0, as published"},
    {"restarts", 0, SCANT_OPTION_COUNT, AT(restarts), "N", "20", 1, 1e6, NULL, "starts in all"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(max_iter), "N", "500", 1, 1e9, NULL,
     "iterations of a start at most"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "T", "1e-8", 0, 1, NULL,
     "stop when an iteration lowers the objective by less"},
    {"time-limit", 0, SCANT_OPTION_REAL, AT(time_limit), "S", "0", 0, 1e12, NULL,
     "seconds after which to stop (0: none)"},
    {"step", 0, SCANT_OPTION_REAL, AT(step), "A", "1", 1e-9, 1e9, NULL,
     "descent: step along the gradient"},
    {"grid", 0, SCANT_OPTION_COUNT, AT(grid), "N", "9", 2, 1e6, NULL,
     "grid: points for each weight"},
    {"reach", 0, SCANT_OPTION_REAL, AT(reach), "R", "4", 1e-9, 1e9, NULL,
     "grid: how far the points go to either side"},
    {"seed", 0, SCANT_OPTION_SEED, AT(seed), "N", "1", 0, 0, NULL, "seed of the random numbers"},
    {"threads", 0, SCANT_OPTION_COUNT, AT(threads), "N", "0", 0, 4096, NULL,
     "threads (0: all cores)"},
};
enum { NOPTIONS = sizeof table / sizeof *table };

const scant_option *scant_blind_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void scant_blind_options_preset(scant_blind_options *options)
{
    memset(options, 0, sizeof *options);
    scant_options_preset(options, table, NOPTIONS);
}

/* --- the objective --- */

void scant_i_blind_scores(scant_i_blind_run *run, const double *theta)
{
    const scant_i_blind *b = run->blind;
    double offset = theta[b->d];
    for (size_t c = 0; c < b->d; c++) {
        run->u[c] = theta[c] * b->factor[c];
        offset -= run->u[c] * b->centre[c];
    }
    scant_i_rows_times(run->f, b->rows, run->u, offset);
}

static scant_i_scores scores_of(const scant_i_blind_run *run)
{
    const scant_rows *rows = run->blind->rows;
    return (scant_i_scores){run->f, rows->weight, rows->nrows};
}

bool scant_i_blind_risk(scant_i_blind_run *run, double *risk, scant_i_slopes *at)
{
    scant_i_scores s = scores_of(run);
    scant_i_margin next = run->margin;
    double slope[SCANT_I_PHI];
    if (!scant_i_margin_fit(&next, &s, at))
        return false;
    run->margin = next;
    *risk = scant_i_margin_risk(slope, &next, run->blind->loss);
    return isfinite(*risk);
}

double scant_i_blind_penalty(const scant_i_blind *b, const double *theta)
{
    double square = 0, sum = 0;
    for (size_t c = 0; c < b->d; c++) {
        square += theta[c] * theta[c];
        sum += fabs(theta[c]);
    }
    return b->options->l2 * square / 2 + b->options->l1 * sum;
}

/* dR/dtheta_c = sum_i c_i (x_ic - centre_c) factor_c */
static void slope_of_weights(double *gradient, const scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    double sum = 0;
    for (size_t i = 0; i < b->rows->nrows; i++)
        sum += run->c[i];
    scant_i_rows_times_transposed(gradient, b->rows, run->c);
    for (size_t c = 0; c < b->d; c++)
        gradient[c] = (gradient[c] - sum * b->centre[c]) * b->factor[c];
    gradient[b->d] = b->options->no_offset ? 0 : sum;
}

scant_status scant_i_blind_objective(double *value, double *gradient, const double *theta,
                                     void *payload)
{
    static const double LOST = 1e30; /* the line search turns back from it */
    scant_i_blind_run *run = payload;
    const scant_i_blind *b = run->blind;
    scant_i_scores s = scores_of(run);
    scant_i_slopes at;
    double slope[SCANT_I_PHI], v[SCANT_I_PHI];
    scant_i_blind_scores(run, theta);
    memset(gradient, 0, (b->d + 1) * sizeof *gradient);
    *value = LOST;
    if (!scant_i_blind_risk(run, value, &at)) {
        *value = LOST;
        return SCANT_OK;
    }
    (void)scant_i_margin_risk(slope, &run->margin, b->loss);
    if (!scant_i_margin_solve(v, &at, slope)) {
        *value = LOST;
        return SCANT_OK;
    }
    scant_i_margin_pull(run->c, &run->margin, &s, v);
    slope_of_weights(gradient, run);
    for (size_t c = 0; c < b->d; c++) {
        *value += b->options->l2 * theta[c] * theta[c] / 2;
        gradient[c] += b->options->l2 * theta[c];
    }
    return SCANT_OK;
}

bool scant_i_blind_enough(size_t iteration, double value, void *payload)
{
    scant_i_blind_run *run = payload;
    const scant_blind_options *o = run->blind->options;
    if (o->progress && run->worker == 0) { /* the caller's own thread */
        scant_progress_event event = {.what = "blind",
                                      .done = run->start,
                                      .total = o->restarts,
                                      .start = run->start,
                                      .starts = o->restarts,
                                      .iteration = iteration,
                                      .objective = value};
        if (o->progress(&event, o->payload))
            run->stop = SCANT_STOP_INTERRUPTED;
    }
    if (scant_i_interrupted())
        run->stop = SCANT_STOP_INTERRUPTED;
    else if (o->time_limit > 0 && scant_i_seconds() - run->blind->began > o->time_limit)
        run->stop = SCANT_STOP_TIME;
    return run->stop != SCANT_STOP_CONVERGED;
}

/* --- one start --- */

static void run_clear(scant_i_blind_run *run)
{
    scant_i_free(run->u);
    scant_i_free(run->f);
    scant_i_free(run->c);
    scant_i_free(run->gradient);
    run->u = run->f = run->c = run->gradient = NULL;
}

static scant_status run_prepare(scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&run->theta, b->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&run->u, b->d));
    SCANT_I_TRY(SCANT_I_NEW(&run->f, b->rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&run->c, b->rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&run->gradient, b->d + 1));
done:
    return status;
}

/* The order of the classes is settled here: the second is the upper part of the scores. */
static scant_status settle(scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    scant_i_scores s = scores_of(run);
    scant_i_slopes at;
    scant_i_blind_start(run);
    scant_i_blind_scores(run, run->theta);
    memcpy(run->margin.prior, b->prior, sizeof run->margin.prior);
    scant_status status = scant_i_margin_split(&run->margin, &s);
    run->good = status == SCANT_OK && scant_i_margin_fit(&run->margin, &s, &at);
    if (run->good && !b->options->no_offset) { /* scores of 0 lie between the two */
        double middle = (run->margin.mean[0] + run->margin.mean[1]) / 2;
        run->theta[b->d] = -middle;
        run->margin.mean[0] -= middle;
        run->margin.mean[1] -= middle;
    }
    return status == SCANT_ERR_INPUT ? SCANT_OK : status; /* a start without spread is lost */
}

static scant_status minimise(scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    scant_status status = SCANT_OK;
    double *l1 = NULL;
    scant_i_minimise_options options = {
        .max_iter = b->options->max_iter, .tol = b->options->tol, .enough = scant_i_blind_enough};
    if (b->options->l1 > 0) {
        SCANT_I_TRY(SCANT_I_NEW(&l1, b->d + 1));
        for (size_t c = 0; c < b->d; c++)
            l1[c] = b->options->l1;
        options.l1 = l1;
    }
    SCANT_I_TRY(scant_i_minimise(&run->minimum, run->theta, b->d + 1, &options,
                                 scant_i_blind_objective, run));
done:
    scant_i_free(l1);
    return status;
}

static double share_above(const scant_rows *rows, const double *f)
{
    double above = 0, total = 0;
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = scant_rows_weight(rows, i);
        total += w;
        above += f[i] > 0 ? w : 0;
    }
    return above / total;
}

/* The last point evaluated need not be the best: back to it, and the normals with it. */
static void finish(scant_i_blind_run *run)
{
    double risk;
    scant_i_slopes at;
    scant_i_blind_scores(run, run->theta);
    run->good = scant_i_blind_risk(run, &risk, &at) && run->margin.mean[1] > run->margin.mean[0];
    run->loglik = at.loglik;
    run->share = share_above(run->blind->rows, run->f);
    run->minimum.value = risk + scant_i_blind_penalty(run->blind, run->theta);
    if (run->stop == SCANT_STOP_CONVERGED && !run->minimum.converged)
        run->stop = SCANT_STOP_ITERATIONS;
}

/* Eq. 70 wants the highest maximum of the likelihood, and a run has followed one with the classes
 * in a given order. Where the scores are likelier with the classes exchanged the run has minimised
 * something else; it turns its weights about, takes that maximum, and is true. */
static scant_status turn(scant_i_blind_run *run, bool *turned)
{
    const scant_i_blind *b = run->blind;
    scant_i_scores s = scores_of(run);
    scant_i_margin other = run->margin;
    scant_i_slopes at;
    for (size_t i = 0; i < s.n; i++)
        run->f[i] = -run->f[i];
    scant_status status = scant_i_margin_split(&other, &s);
    *turned = status == SCANT_OK && scant_i_margin_fit(&other, &s, &at) && at.loglik > run->loglik;
    if (!*turned)
        return status;
    run->margin = other;
    for (size_t c = 0; c <= b->d; c++)
        run->theta[c] = -run->theta[c];
    return SCANT_OK;
}

/* Down from the start; once more from the other side where that is likelier; and no result where
 * even there the first side is. */
static scant_status descend_truly(scant_i_blind_run *run)
{
    scant_status status = SCANT_OK;
    bool turned = true;
    for (int side = 0; side < 2 && turned; side++) {
        SCANT_I_TRY(minimise(run));
        finish(run);
        if (!run->good)
            goto done;
        SCANT_I_TRY(turn(run, &turned));
    }
    run->good = !turned;
done:
    return status;
}

static scant_status make_run(size_t task, size_t worker, void *payload)
{
    scant_i_blind_run *run = (scant_i_blind_run *)payload + task;
    const char *algorithm = run->blind->options->algorithm;
    scant_status status = SCANT_OK;
    run->start = task;
    run->worker = worker;
    if (task > 0 && scant_i_blind_enough(0, NAN, run))
        return SCANT_OK;
    SCANT_I_TRY(run_prepare(run));
    SCANT_I_TRY(settle(run));
    if (!run->good)
        goto done;
    if (strcmp(algorithm, "exact") == 0) {
        SCANT_I_TRY(descend_truly(run));
        goto done;
    }
    SCANT_I_TRY(strcmp(algorithm, "descent") == 0 ? scant_i_blind_descend(run)
                                                  : scant_i_blind_search(run));
    finish(run);
done:
    run_clear(run);
    return status;
}

/* --- what goes in --- */

static scant_status check_rows(const scant_rows *rows)
{
    double weight = 0;
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (scant_rows_column_is_category(rows, c))
            return scant_i_fail_header(rows, c, "a score is made of numbers, not of categories");
    for (size_t i = 0; i < rows->nrows; i++) {
        weight += scant_rows_weight(rows, i);
        for (size_t c = 0; rows->dense && c < rows->ncolumns; c++)
            if (isnan(rows->dense[i * rows->ncolumns + c]))
                return scant_i_fail_cell(rows, i, c, "missing: a score needs every column");
    }
    if (!(weight > 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
    if (rows->labels.code && rows->labels.nclasses != 2)
        return scant_i_fail(SCANT_ERR_INPUT, "the labels are of %zu classes; a score tells two",
                            rows->labels.nclasses);
    return SCANT_OK;
}

/* Weighted means, and 1 / standard deviation of each column. */
static scant_status standardise(scant_i_blind *b)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = b->rows;
    const scant_i_csr *x = &rows->sparse;
    double total = 0;
    SCANT_I_TRY(SCANT_I_NEW(&b->centre, b->d));
    SCANT_I_TRY(SCANT_I_NEW(&b->factor, b->d));
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = scant_rows_weight(rows, i);
        total += w;
        for (size_t c = 0; rows->dense && c < b->d; c++)
            b->centre[c] += w * rows->dense[i * b->d + c];
        for (size_t e = rows->dense ? 1 : x->start[i]; !rows->dense && e < x->start[i + 1]; e++)
            b->centre[x->column[e]] += w * x->value[e];
    }
    for (size_t c = 0; c < b->d; c++)
        b->centre[c] /= total;
    double *square =
        b->factor; /* of deviations; cells that a sparse row lacks deviate by -centre */
    for (size_t c = 0; !rows->dense && c < b->d; c++)
        square[c] = total * b->centre[c] * b->centre[c];
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = scant_rows_weight(rows, i);
        for (size_t c = 0; rows->dense && c < b->d; c++) {
            double z = rows->dense[i * b->d + c] - b->centre[c];
            square[c] += w * z * z;
        }
        for (size_t e = rows->dense ? 1 : x->start[i]; !rows->dense && e < x->start[i + 1]; e++)
            square[x->column[e]] += w * x->value[e] * (x->value[e] - 2 * b->centre[x->column[e]]);
    }
    for (size_t c = 0; c < b->d; c++) {
        double sd = sqrt(fmax(square[c] / total, 0)), size = fabs(b->centre[c]);
        b->factor[c] = sd > sqrt(DBL_EPSILON) * size ? 1 / sd : 0;
    }
done:
    return status;
}

static void blind_clear(scant_i_blind *b)
{
    scant_i_free(b->centre);
    scant_i_free(b->factor);
    scant_i_free(b->basis);
}

static scant_status blind_new(scant_i_blind *b, const scant_model *model)
{
    scant_status status = SCANT_OK;
    b->began = scant_i_seconds();
    b->d = b->rows->ncolumns;
    b->loss = scant_i_loss_find(b->options->loss);
    SCANT_I_TRY(scant_i_prior_read(b->prior, b->options->prior, model->classes, 2, "--prior"));
    if (b->prior[0] == b->prior[1])
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "with two shares of one half the classes could be exchanged: nothing "
                            "in the rows names them");
    SCANT_I_TRY(standardise(b));
    if (strcmp(b->options->algorithm, "grid") != 0)
        SCANT_I_TRY(scant_i_blind_basis(b));
done:
    return status;
}

/* Names of the classes where no labels give them: those of "a=0.3,b=0.7", or 0 and 1. */
static scant_status name_classes(scant_model *model, const char *prior)
{
    static const char *const plain[] = {"0", "1"};
    scant_status status = SCANT_OK;
    if (model->nclasses)
        return SCANT_OK;
    bool named = strchr(prior, '=') != NULL;
    SCANT_I_TRY(SCANT_I_NEW(&model->classes, 2));
    model->nclasses = 2;
    for (size_t k = 0; k < 2; k++) {
        size_t item = strcspn(prior, ","), length = item;
        while (length > 0 && prior[length - 1] != '=')
            length--;
        model->classes[k] =
            named ? scant_i_strndup(prior, length ? length - 1 : item) : scant_i_strdup(plain[k]);
        if (!model->classes[k])
            return SCANT_ERR_MEMORY;
        prior += item + (prior[item] == ',');
    }
    scant_i_model_make_schema(model);
done:
    return status;
}

/* --- what comes out --- */

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
    SCANT_I_TRY(scant_i_model_add_setting(model, "l2", "%.17g", o->l2));
    SCANT_I_TRY(scant_i_model_add_setting(model, "l1", "%.17g", o->l1));
    SCANT_I_TRY(scant_i_model_add_setting(model, "offset", "%s", o->no_offset ? "no" : "yes"));
    SCANT_I_TRY(scant_i_model_add_setting(model, "restarts", "%zu", o->restarts));
    SCANT_I_TRY(scant_i_model_add_setting(model, "max-iter", "%zu", o->max_iter));
    SCANT_I_TRY(scant_i_model_add_setting(model, "tol", "%.17g", o->tol));
done:
    return status;
}

/* Weights, mixture and summary of the run; leaves its scores in `f`. */
static scant_status take_run(scant_model *model, double *f, const scant_i_blind *b,
                             const scant_i_blind_run *run)
{
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
    SCANT_I_TRY(SCANT_I_NEW(&model->component_rows, 2));
    SCANT_I_TRY(SCANT_I_NEW(&model->component_labelled, 4));
    scant_i_scores s = {f, b->rows->weight, b->rows->nrows};
    scant_i_slopes at;
    scant_i_margin_slopes(&at, &run->margin, &s);
    scant_summary *summary = &model->summary;
    for (size_t i = 0; i < s.n; i++)
        summary->weight += scant_rows_weight(b->rows, i);
    view->share = run->share;
    for (size_t k = 0; k < 2; k++)
        model->component_rows[k] = at.N[k] * summary->weight;
    for (size_t c = 0; c < b->d; c++)
        summary->parameters += run->theta[c] != 0;
    summary->parameters += !b->options->no_offset;
    summary->rows = s.n;
    summary->loglik = at.loglik * summary->weight;
    summary->objective = -run->minimum.value;
    summary->bic = summary->aic = summary->icl = NAN;
    summary->iterations = run->minimum.iterations;
    summary->starts = b->options->restarts;
    summary->best_start = run->start;
    summary->stop = run->stop;
    summary->seed = b->options->seed;
    double slope[SCANT_I_PHI];
    view->slope = find_slope(&run->margin);
    view->risk = scant_i_margin_risk(slope, &run->margin, b->loss);
    view->error = scant_i_margin_risk(slope, &run->margin, &scant_i_losses[SCANT_LOSS_ZERO_ONE]);
    SCANT_I_TRY(scant_i_margin_distance(&view->distance, &run->margin, &s));
done:
    scant_rows_free(scores);
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

static const scant_i_blind_run *best_of(const scant_i_blind_run *runs, size_t count)
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
    for (size_t r = 0; r < b->options->restarts; r++) {
        scant_i_blind_run *run = &runs[r];
        double differ = 0;
        if (!run->good || !keeps_shares(b, run->share) || !(run->minimum.value < *value))
            continue;
        SCANT_I_TRY(SCANT_I_NEW(&run->u, b->d));
        SCANT_I_TRY(SCANT_I_NEW(&run->f, b->rows->nrows));
        scant_i_blind_scores(run, run->theta);
        for (size_t i = 0; i < b->rows->nrows; i++)
            differ += (run->f[i] > 0) != (f[i] > 0);
        differ /= (double)b->rows->nrows;
        run_clear(run);
        if (differ > MANY) {
            *value = run->minimum.value;
            *otherwise = differ;
        }
    }
done:
    return status;
}

static scant_status warn(scant_model *model, const scant_i_blind *b, scant_i_blind_run *runs,
                         const double *f)
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
        SCANT_I_TRY(scant_i_model_add_warning(
            model, "the scores are not two normals (distance %.3g): risk and error may be far off",
            s->distance));
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

scant_status scant_blind(scant_model **out, const scant_rows *rows,
                         const scant_blind_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_blind b = {.options = options, .rows = rows};
    scant_i_blind_run *runs = NULL;
    scant_model *model = NULL;
    double *f = NULL;
    *out = NULL;
    if (!options->prior)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "blind training needs the classes' proportions");
    SCANT_I_TRY(check_rows(rows));
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    SCANT_I_TRY(name_classes(model, options->prior));
    SCANT_I_TRY(blind_new(&b, model));
    SCANT_I_TRY(SCANT_I_NEW(&f, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&runs, options->restarts));
    for (size_t r = 0; r < options->restarts; r++)
        runs[r].blind = &b;
    SCANT_I_TRY(scant_i_parallel(options->threads, options->restarts, make_run, runs));
    const scant_i_blind_run *best = best_of(runs, options->restarts);
    if (!best) {
        status = scant_i_fail(
            scant_i_interrupted() ? SCANT_ERR_INTERRUPTED : SCANT_ERR_UNIDENTIFIED,
            "none of %zu starts led to two classes that scores tell apart", options->restarts);
        goto done;
    }
    SCANT_I_TRY(describe(model, options));
    SCANT_I_TRY(take_run(model, f, &b, best));
    SCANT_I_TRY(warn(model, &b, runs, f));
    model->summary.seconds = scant_i_seconds() - b.began;
    *out = model;
    model = NULL;
done:
    for (size_t r = 0; runs && r < options->restarts; r++) {
        run_clear(&runs[r]);
        scant_i_free(runs[r].theta);
    }
    scant_i_free(runs);
    scant_i_free(f);
    blind_clear(&b);
    scant_model_free(model);
    return status;
}
