/* The fit of an audit: the engine, with classes as components.
 *
 * The start gives each item to the classes as its votes are shared, times the prior, with one vote
 * more that is shared as the prior is: without that vote an item with a single answer would rule classes out,
 * and zeros are for ever. EM then rises to the maximum near the majority's opinion, which is how
 * "better than chance" names the classes. */
#include "audit/audit.h"

#include <math.h>
#include <string.h>

#include "audit/newton.h"
#include "family/votes.h"

double scant_i_audit_error(const scant_i_mixture *m, size_t predictor)
{
    double error = 1;
    for (size_t j = 0; j < m->nclasses; j++)
        error -= scant_i_audit_share(m, j) * scant_i_audit_table(m, predictor, j)[j];
    return fmax(error, 0);
}

scant_status scant_i_audit_evidence(scant_i_evidence *out, const scant_votes *votes)
{
    scant_i_evidence_settings settings = {
        .probabilities = SCANT_I_LIKELIHOOD, .unlabelled_weight = 1, .own_class = false};
    return scant_i_evidence_new(out, votes->rows, votes->nclasses, &settings);
}

/* Tables start even: predictors without answers keep them. */
scant_status scant_i_audit_lay_out(scant_i_mixture **out, const scant_i_audit_task *task)
{
    scant_status status = SCANT_OK;
    const scant_votes *votes = task->votes;
    size_t k = votes->npredictors, l = votes->nclasses, *column = NULL, *nlevels = NULL;
    scant_i_mixture *m = NULL;
    scant_i_family_settings settings = {.smooth = task->options->smooth};
    SCANT_I_TRY(scant_i_mixture_new(&m, l, l, 1));
    SCANT_I_TRY(SCANT_I_NEW(&column, k));
    SCANT_I_TRY(SCANT_I_NEW(&nlevels, k));
    for (size_t c = 0; c < k; c++) {
        column[c] = c;
        nlevels[c] = l;
    }
    SCANT_I_TRY(scant_i_factor_new(&m->factor[0], task->family, &settings, l, column, nlevels, k));
    bool silence = task->family == &scant_i_rules; /* is an answer, too */
    for (size_t t = 0; t < m->factor[0]->ntheta; t++)
        m->factor[0]->theta[t] = 1 / (double)(l + silence);
    for (size_t j = 0; j < l; j++)
        m->coupling.W[j * m->stride + j] = task->prior ? task->prior[j] : 1 / (double)l;
    if (task->prior) {
        SCANT_I_TRY(SCANT_I_NEW(&m->coupling.prior, l));
        memcpy(m->coupling.prior, task->prior, l * sizeof *m->coupling.prior);
    }
    *out = m;
    m = NULL;
done:
    scant_i_mixture_free(m);
    scant_i_free(column);
    scant_i_free(nlevels);
    return status;
}

typedef struct sharing {
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
} sharing;

/* Logarithms of votes in place of densities; the prior and the evidence come with the posterior, so
 * that a class known to be rare starts rare whatever the votes say. */
static scant_status share_votes(const scant_i_block *block, double *L, double *own, double *room,
                                void *payload)
{
    const sharing *s = payload;
    const scant_i_mixture *m = s->mixture;
    size_t l = m->nclasses;
    for (size_t i = 0; i < block->nrows; i++) {
        double *row = L + i * m->stride;
        size_t n;
        const int32_t *column =
            scant_i_batch_votes(block->batch, scant_i_block_place(block, i), &n);
        memset(row, 0, l * sizeof *row);
        for (size_t e = 0; e < n; e++)
            row[(size_t)column[e] % l]++;
        for (size_t j = 0; j < l; j++)
            row[j] = log(row[j] + scant_i_audit_share(m, j));
    }
    return scant_i_posterior_block(s->posterior, block, L, own, NULL, room);
}

static scant_status start(scant_i_mixture *m, const scant_i_audit_task *task,
                          const scant_i_evidence *evidence)
{
    scant_status status = SCANT_OK;
    scant_i_problem problem = {0};
    sharing s = {m, &problem.posterior};
    scant_i_pass_plan plan = {share_votes, &s, false, true};
    SCANT_I_TRY(
        scant_i_problem_new(&problem, task->votes->rows, evidence, m, 0, task->options->threads));
    SCANT_I_TRY(scant_i_problem_run(&problem, m, &plan));
    SCANT_I_TRY(scant_i_mixture_maximise(m, &problem));
done:
    scant_i_problem_clear(&problem);
    return status;
}

/* --- Newton steps to the maximum that EM came near to --- */

/* p_a proportional to p_a e^step_a, the last one's step 0. */
static void tilt(double *p, const double *step, size_t l)
{
    double sum = 0;
    for (size_t a = 0; a < l; a++)
        sum += p[a] *= exp(a + 1 < l ? step[a] : 0);
    for (size_t a = 0; a < l; a++)
        p[a] /= sum;
}

static void step_symmetric(scant_i_mixture *m, size_t c, double step)
{
    scant_i_factor *f = m->factor[0];
    size_t l = m->nclasses;
    const double *p = scant_i_audit_table(m, c, 0);
    double pair[2] = {p[0], (double)(l - 1) * p[1]}; /* rounding may leave p[0] above 1 */
    tilt(pair, &step, 2);
    for (size_t j = 0; j < l; j++)
        for (size_t a = 0; a < l; a++)
            f->theta[(j * f->ncolumns + c) * l + a] = a == j ? pair[0] : pair[1] / (double)(l - 1);
}

static void step_prior(scant_i_mixture *m, const double *step, double *room)
{
    size_t l = m->nclasses;
    for (size_t j = 0; j < l; j++)
        room[j] = scant_i_audit_share(m, j);
    tilt(room, step, l);
    for (size_t j = 0; j < l; j++)
        m->coupling.W[j * m->stride + j] = room[j];
}

static void take_step(scant_i_mixture *m, const double *step, double *room)
{
    scant_i_factor *f = m->factor[0];
    size_t l = m->nclasses;
    for (size_t c = 0; c < f->ncolumns; c++) {
        const double *own = step + scant_i_audit_first(m, c);
        if (scant_i_audit_is_symmetric(m))
            step_symmetric(m, c, own[0]);
        for (size_t j = 0; j < l && !scant_i_audit_is_symmetric(m); j++)
            tilt(f->theta + (j * f->ncolumns + c) * l, own + j * (l - 1), l);
    }
    if (!m->coupling.prior)
        step_prior(m, step + scant_i_audit_first(m, f->ncolumns), room);
}

enum { NEWTON_MOST = 11, NEWTON_COORDINATES = 400 };
static const double NEWTON_SMALL = 1e-13, NEWTON_LARGEST = 2;

typedef struct votes_climb {
    const scant_i_audit_task *task;
    scant_i_run *run;
    scant_i_mixture *at, *next; /* the point, and the candidate */
    double loglik, *room;       /* of the candidate; l */
} votes_climb;

static scant_status look_at_votes(double *value, double *gradient, double *information,
                                  void *payload)
{
    votes_climb *k = payload;
    scant_i_audit_information found = {0};
    size_t n = scant_i_audit_count(k->next);
    scant_status status = scant_i_audit_inform(&found, k->next, k->task);
    if (status == SCANT_OK) {
        k->loglik = found.loglik;
        *value = found.loglik + scant_i_mixture_log_prior(k->next);
        memcpy(gradient, found.gradient, n * sizeof *gradient);
        for (size_t e = 0; e < n * n; e++)
            information[e] = found.observed[e] + k->task->options->smooth * found.pseudo[e];
    }
    scant_i_audit_information_clear(&found);
    return status;
}

static void move_votes(const double *step, void *payload)
{
    votes_climb *k = payload;
    scant_i_mixture_assign(k->next, k->at);
    take_step(k->next, step, k->room);
}

static void keep_votes(double value, void *payload)
{
    votes_climb *k = payload;
    scant_i_mixture_assign(k->at, k->next);
    k->run->loglik = k->loglik;
    k->run->objective = value;
}

static scant_status newton(scant_i_mixture *m, scant_i_run *run, const scant_i_audit_task *task)
{
    scant_status status = SCANT_OK;
    votes_climb climb = {.task = task, .run = run, .at = m};
    scant_i_newton steps = {
        scant_i_audit_count(m), NEWTON_MOST, NEWTON_SMALL, NEWTON_LARGEST, NEWTON_SMALL, 0,
        look_at_votes,          move_votes,  keep_votes,   &climb};
    double *still = NULL;
    bool settled;
    SCANT_I_TRY(SCANT_I_NEW(&climb.room, m->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&still, steps.n));
    SCANT_I_TRY(scant_i_mixture_copy(&climb.next, m));
    /* an extrapolation of SQUAREM leaves sums that are 1 but for rounding */
    take_step(climb.next, still, climb.room);
    SCANT_I_TRY(scant_i_newton_climb(&steps, NEWTON_SMALL, &settled));
done:
    scant_i_mixture_free(climb.next);
    scant_i_free(climb.room);
    scant_i_free(still);
    return status;
}

scant_status scant_i_audit_fit(scant_i_run **out, const scant_i_audit_task *task)
{
    scant_status status = SCANT_OK;
    const scant_audit_options *o = task->options;
    scant_i_mixture *m = NULL;
    scant_i_evidence evidence = {0};
    scant_i_engine_options how = {.starts = 1,
                                  .max_iter = o->max_iter,
                                  .tol = o->tol,
                                  .time_limit = o->time_limit,
                                  .squarem = o->tol > 0, /* no tolerance: plain steps, counted */
                                  .given = true,
                                  .seed = o->seed,
                                  .threads = o->threads,
                                  .progress = o->progress,
                                  .payload = o->payload};
    *out = NULL;
    SCANT_I_TRY(scant_i_audit_lay_out(&m, task));
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, task->votes));
    SCANT_I_TRY(start(m, task, &evidence));
    SCANT_I_TRY(scant_i_engine_fit(out, m, task->votes->rows, &evidence, &how));
    if ((*out)->stop == SCANT_STOP_CONVERGED && task->family != &scant_i_rules &&
        scant_i_audit_count(m) <= NEWTON_COORDINATES)
        status = newton((*out)->mixture, *out, task);
    if (status == SCANT_ERR_INTERRUPTED) { /* among Newton's steps, each of which is whole */
        (*out)->stop = SCANT_STOP_INTERRUPTED;
        status = SCANT_OK;
    }
done:
    if (status != SCANT_OK) {
        scant_i_run_free(*out);
        *out = NULL;
    }
    scant_i_mixture_free(m);
    scant_i_evidence_clear(&evidence);
    return status;
}
