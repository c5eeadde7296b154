/* One start of blind training (blind.c): the objective with its exact gradient, the way down, and
 * the question of which class is which. */
#include "blind/blind.h"

#include <math.h>
#include <string.h>

#include "data/multiply.h"

/* --- the objective --- */

void scant_i_blind_scores(scant_i_blind_run *run, const double *theta)
{
    const scant_i_blind *b = run->blind;
    double offset = theta[b->d];
    for (size_t c = 0; c < b->d; c++) {
        run->u[c] = theta[c] * b->factor[c];
        offset -= run->u[c] * b->centre[c];
    }
    scant_i_rows_times(run->f, b->rows, run->u, &offset, 1);
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
    scant_i_rows_times_transposed(gradient, b->rows, run->c, 1);
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
                                      .total = o->starts,
                                      .start = run->start,
                                      .starts = o->starts,
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

void scant_i_blind_run_clear(scant_i_blind_run *run)
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
    double risk = INFINITY;
    scant_i_slopes at;
    scant_i_blind_scores(run, run->theta);
    run->good = scant_i_blind_risk(run, &risk, &at) && run->margin.mean[1] > run->margin.mean[0];
    run->loglik = at.loglik;
    run->share = share_above(run->blind->rows, run->f);
    run->minimum.value = risk + scant_i_blind_penalty(run->blind, run->theta);
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
    if (!*turned) /* also where equal scores leave nothing to split on that side */
        return status == SCANT_ERR_INPUT ? SCANT_OK : status;
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

scant_status scant_i_blind_run_again(scant_i_blind_run *run, const scant_i_blind_run *from)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(run_prepare(run));
    memcpy(run->theta, from->theta, (run->blind->d + 1) * sizeof *run->theta);
    run->margin = from->margin;
    SCANT_I_TRY(minimise(run));
    finish(run);
done:
    return status;
}

scant_status scant_i_blind_run_make(size_t task, size_t worker, void *payload)
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
    } else {
        SCANT_I_TRY(strcmp(algorithm, "descent") == 0 ? scant_i_blind_descend(run)
                                                      : scant_i_blind_search(run));
        finish(run);
    }
    if (run->stop == SCANT_STOP_CONVERGED && !run->minimum.converged)
        run->stop = SCANT_STOP_ITERATIONS;
done:
    scant_i_blind_run_clear(run);
    return status;
}
