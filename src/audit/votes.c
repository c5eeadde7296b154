/* Error rates of predictors from votes (learning-without-labels ch. 2).
 *
 * The fit is the engine's; this file says how sure it is. Estimates e have the variance g' C g of
 * the delta method, with C the inverse of the observed information, and intervals on the logit
 * scale, where they neither leave [0, 1] nor are symmetric without reason:
 *   logit e +- z sqrt(g' C g) / (e (1 - e))
 * An error rate whose interval, on what RANK_VOTES pseudo-votes add to the votes, is nearly all of
 * [0, 1] is not identified, whatever the estimate says. */
#include "audit/loglinear.h"
#include "audit/profile.h"
#include "audit/question.h"
#include "audit/result.h"
#include "audit/rules.h"
#include "audit/symmetry.h"
#include "audit/wrong.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "family/votes.h"
#include "math/tails.h"

static const double RANK_VOTES = 0.1, RANK_WIDTH = 0.95, RANK_NORMAL = 1.96;
static const scant_estimate UNKNOWN = {NAN, NAN, NAN, NAN};

/* --- estimates --- */

typedef struct certainty {
    const scant_i_mixture *mixture;
    const scant_i_audit_information *information;
    const double *covariance;
    double normal; /* half width of the interval, in standard errors */
    double *g;     /* room for a predictor's coordinates and the prior's */
} certainty;

/* g of p_cja. */
static void cell_gradient(double *g, const scant_i_mixture *m, size_t c, size_t j, size_t a)
{
    size_t l = m->nclasses;
    const double *p = scant_i_audit_table(m, c, j);
    if (scant_i_audit_is_symmetric(m)) {
        double theta = scant_i_audit_table(m, c, 0)[0], slope = theta * (1 - theta);
        g[0] = a == j ? slope : -slope / (double)(l - 1);
        return;
    }
    for (size_t b = 0; b + 1 < l; b++)
        g[j * (l - 1) + b] = p[a] * ((a == b ? 1 : 0) - p[b]);
}

static size_t own_coordinates(const scant_i_mixture *m)
{
    return scant_i_audit_first(m, 1);
}

/* g of the error rate, 1 - sum_j P_j p_cjj. */
static void error_gradient(double *g, const scant_i_mixture *m, size_t c, double *cell)
{
    size_t l = m->nclasses, own = own_coordinates(m);
    for (size_t j = 0; j < l; j++) {
        memset(cell, 0, own * sizeof *cell);
        cell_gradient(cell, m, c, j, j);
        for (size_t x = 0; x < own; x++)
            g[x] -= scant_i_audit_share(m, j) * cell[x];
    }
    double error = scant_i_audit_error(m, c);
    for (size_t b = 0; b + 1 < l && !m->coupling.prior; b++)
        g[own + b] = scant_i_audit_share(m, b) * (1 - scant_i_audit_table(m, c, b)[b] - error);
}

static void clear(const certainty *s)
{
    memset(s->g, 0, (2 * own_coordinates(s->mixture) + s->mixture->nclasses) * sizeof *s->g);
}

static scant_estimate estimate_error(const certainty *s, size_t c)
{
    const scant_i_mixture *m = s->mixture;
    clear(s);
    error_gradient(s->g, m, c, s->g + own_coordinates(m) + m->nclasses);
    return scant_i_estimate(scant_i_audit_error(m, c),
                            scant_i_audit_variance(s->information, m, s->covariance, c, s->g),
                            s->normal);
}

static scant_estimate estimate_cell(const certainty *s, size_t c, size_t j, size_t a)
{
    clear(s);
    cell_gradient(s->g, s->mixture, c, j, a);
    return scant_i_estimate(
        scant_i_audit_table(s->mixture, c, j)[a],
        scant_i_audit_variance(s->information, s->mixture, s->covariance, c, s->g), s->normal);
}

static scant_estimate estimate_share(const certainty *s, size_t j)
{
    const scant_i_mixture *m = s->mixture;
    double share = scant_i_audit_share(m, j);
    if (m->coupling.prior)
        return (scant_estimate){share, 0, share, share};
    if (!s->information->whole)
        return (scant_estimate){share, NAN, NAN, NAN};
    clear(s);
    for (size_t b = 0; b + 1 < m->nclasses; b++)
        s->g[b] = share * ((j == b ? 1 : 0) - scant_i_audit_share(m, b));
    double v =
        scant_i_audit_variance(s->information, m, s->covariance, m->factor[0]->ncolumns, s->g);
    return scant_i_estimate(share, v, s->normal);
}

static void estimate_predictor(scant_audit *audit, const certainty *s, size_t c)
{
    size_t l = audit->nclasses;
    audit->judged[c].error = estimate_error(s, c);
    for (size_t j = 0; j < l; j++)
        for (size_t a = 0; a < l; a++)
            audit->confusion[(c * l + j) * l + a] = estimate_cell(s, c, j, a);
}

static void forget_predictor(scant_audit *audit, size_t c)
{
    size_t l = audit->nclasses;
    audit->judged[c].error = UNKNOWN;
    for (size_t t = 0; t < l * l; t++)
        audit->confusion[c * l * l + t] = UNKNOWN;
}

static void forget_interval(scant_estimate *e)
{
    e->error = e->low = e->high = NAN;
}

/* Do the votes alone, with hardly a pseudo-vote, tell the error rate? */
static bool is_identified(const certainty *s, size_t c)
{
    scant_estimate e = estimate_error(s, c);
    bool at_end = !(e.value * (1 - e.value) > DBL_EPSILON);
    return at_end || e.high - e.low < RANK_WIDTH;
}

/* --- one fit, judged --- */

/* Fills the estimates of every predictor that answered; how many of them the votes can tell. */
static scant_status judge(scant_audit *audit, size_t *told, const scant_i_question *q,
                          const scant_i_audit_task *task, scant_i_mixture *m)
{
    scant_status status = SCANT_OK;
    scant_i_audit_information information = {0};
    double *covariance = NULL;
    scant_estimate *wrong = NULL;
    bool singular;
    size_t l = audit->nclasses, k = audit->npredictors, own = own_coordinates(m);
    certainty s = {.mixture = m, .information = &information};
    *told = 0;
    SCANT_I_TRY(scant_i_audit_inform(&information, m, task));
    SCANT_I_TRY(SCANT_I_NEW(&s.g, 2 * own + l));
    size_t size = information.whole ? information.n * information.n : k * own * own;
    SCANT_I_TRY(SCANT_I_NEW(&covariance, size));
    s.covariance = covariance;
    SCANT_I_TRY(scant_i_audit_covariance(covariance, &singular, &information, m, RANK_VOTES));
    memcpy(audit->S, information.S, k * l * l * sizeof *audit->S);
    memcpy(audit->N, information.N, l * sizeof *audit->N);
    s.normal = RANK_NORMAL;
    for (size_t c = 0; c < k; c++) {
        audit->judged[c].answers = q->answers[c];
        bool known = q->answers[c] > 0 && !singular && is_identified(&s, c);
        audit->judged[c].error.value = known ? 0 : NAN;
        *told += known;
    }
    if (task->options->smooth != RANK_VOTES)
        SCANT_I_TRY(scant_i_audit_covariance(covariance, &singular, &information, m,
                                             task->options->smooth));
    s.normal = scant_i_normal_quantile(0.5 + task->options->ci / 2);
    SCANT_I_TRY(SCANT_I_NEW(&wrong, k));
    SCANT_I_TRY(
        scant_i_audit_wrong(wrong, m, task, &information, singular ? NULL : covariance, s.normal));
    for (size_t c = 0; c < k; c++) {
        audit->judged[c].wrong = wrong[c];
        if (singular)
            forget_interval(&audit->judged[c].wrong);
    }
    for (size_t c = 0; c < k; c++)
        if (isnan(audit->judged[c].error.value) || singular)
            forget_predictor(audit, c);
        else
            estimate_predictor(audit, &s, c);
    for (size_t j = 0; j < l; j++)
        audit->prior[j] = estimate_share(&s, j);
    if (!task->options->separately)
        SCANT_I_TRY(scant_i_audit_depend(&audit->summary.dependence, m, task, &information,
                                         singular ? NULL : covariance));
    if (!information.whole)
        SCANT_I_TRY(scant_i_audit_warn(
            audit,
            "%zu parameters are too many for intervals that take all of them together: each "
            "predictor's are as if the others' tables were known",
            information.n));
done:
    scant_i_audit_information_clear(&information);
    scant_i_free(covariance);
    scant_i_free(wrong);
    scant_i_free(s.g);
    return status;
}

/* --- what the answers rest on --- */

/* Nothing is withheld but intervals: they say how far off an estimate may be, and do not know. */
static void forget_intervals(scant_audit *audit)
{
    for (size_t c = 0; c < audit->npredictors; c++) {
        forget_interval(&audit->judged[c].error);
        forget_interval(&audit->judged[c].wrong);
    }
    for (size_t t = 0; t < audit->npredictors * audit->nclasses * audit->nclasses; t++)
        forget_interval(&audit->confusion[t]);
}

static scant_status distrust_dependence(scant_audit *audit, const scant_votes *votes)
{
    const scant_dependence *d = &audit->summary.dependence;
    if (d->verdict != SCANT_VERDICT_FAILS || audit->ncells)
        return SCANT_OK;
    forget_intervals(audit);
    return scant_i_audit_warn(
        audit,
        "predictors are not independent given the class (%zu of %zu pairs; '%s' and '%s' most, "
        "z = %.1f): error rates are off by more than intervals could say, so none are given; leave "
        "out predictors that copy each other, or try --model loglinear",
        d->rejected, d->pairs, votes->predictor[d->first], votes->predictor[d->second], d->z);
}

/* Sources that fire together pass for better ones than they are: then the votes are counted, and that is said. */
static scant_status distrust_rules(scant_audit *audit, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    const scant_dependence *d = &audit->summary.dependence;
    const scant_votes *votes = q->votes;
    double all = 0;
    SCANT_I_TRY(scant_i_audit_warn(audit, "most predictors name one class or say nothing: their "
                                          "silence is taken for an answer (--model rules; "
                                          "--model confusion takes it for chance), error rates are "
                                          "of the answers they give, and have no intervals"));
    if (d->verdict != SCANT_VERDICT_FAILS)
        return SCANT_OK;
    SCANT_I_TRY(scant_i_audit_warn(
        audit,
        "predictors are not independent given the class (%zu of %zu pairs; '%s' and '%s' most, z = "
        "%.1f): error "
        "rates are not known, and the answers of all together are the majority's",
        d->rejected, d->pairs, votes->predictor[d->first], votes->predictor[d->second], d->z));
    for (size_t c = 0; c < audit->npredictors; c++) {
        forget_predictor(audit, c);
        audit->judged[c].wrong = UNKNOWN;
    }
    SCANT_I_TRY(SCANT_I_NEW(&audit->named, audit->nclasses));
    for (size_t j = 0; j < audit->nclasses; j++)
        all += (double)q->given[j] + 1;
    for (size_t j = 0; j < audit->nclasses; j++)
        audit->named[j] = ((double)q->given[j] + 1) / all;
done:
    return status;
}

static scant_status distrust_symmetry(scant_audit *audit)
{
    const scant_misfit *m = &audit->summary.symmetry;
    if (m->verdict != SCANT_VERDICT_FAILS || audit->separate)
        return SCANT_OK;
    forget_intervals(audit);
    return scant_i_audit_warn(
        audit,
        "the symmetric model does not fit: errors differ between classes (likelihood ratio %.0f on "
        "%.0f degrees of freedom), and error rates are off by more than intervals could say, so "
        "none are given; use --model confusion",
        m->statistic, m->degrees);
}

enum { ALIKE_LEAST = 10, WARNED_MOST = 5 }; /* many predictors would drown what matters */

static scant_status warn_of_predictors(scant_audit *audit, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    const scant_votes *v = q->votes;
    size_t silent = 0, unknown = 0, alike = 0;
    for (size_t c = 0; c < v->npredictors; c++) {
        bool told = !isnan(audit->judged[c].error.value);
        if (q->answers[c] == 0 && silent++ < WARNED_MOST)
            SCANT_I_TRY(scant_i_audit_warn(audit, "predictor '%s' never answers", v->predictor[c]));
        if (q->answers[c] > 0 && !told && unknown++ < WARNED_MOST)
            SCANT_I_TRY(scant_i_audit_warn(
                audit, "predictor '%s': its %zu answers cannot tell its error rate",
                v->predictor[c], q->answers[c]));
        if (q->answers[c] >= ALIKE_LEAST && v->npredictors <= 2 * ALIKE_LEAST && q->used[c] == 1 &&
            alike++ < WARNED_MOST)
            SCANT_I_TRY(scant_i_audit_warn(audit, "predictor '%s' gives the same answer always",
                                           v->predictor[c]));
    }
    if (silent > WARNED_MOST)
        SCANT_I_TRY(scant_i_audit_warn(audit, "%zu predictors never answer", silent));
    if (unknown > WARNED_MOST)
        SCANT_I_TRY(scant_i_audit_warn(
            audit, "%zu predictors have too few answers to tell their error rates", unknown));
done:
    return status;
}

/* Is a class answered of which, by its estimated share, there is not half an item? */
static bool is_denied(const scant_audit *audit, const scant_i_question *q, size_t j)
{
    return q->given[j] > 0 && !q->prior && audit->prior[j].value * q->weight < 0.5;
}

static scant_status warn_of_votes(scant_audit *audit, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    for (size_t j = 0; j < audit->nclasses; j++) {
        const char *name = scant_votes_class_name(q->votes, j);
        if (q->given[j] == 0)
            SCANT_I_TRY(scant_i_audit_warn(audit, "class '%s' is nobody's answer", name));
        if (is_denied(audit, q, j))
            SCANT_I_TRY(
                scant_i_audit_warn(audit,
                                   "class '%s' is answered %zu time%s, yet likeliest there is no "
                                   "item of it, and all these "
                                   "answers are errors; if there are some, say how many (--prior)",
                                   name, q->given[j], q->given[j] == 1 ? "" : "s"));
    }
    if (q->unanswered)
        SCANT_I_TRY(scant_i_audit_warn(audit, "%zu item%s no answers", q->unanswered,
                                       q->unanswered == 1 ? " has" : "s have"));
    if (audit->summary.symmetry.verdict == SCANT_VERDICT_DOUBTFUL)
        SCANT_I_TRY(scant_i_audit_warn(
            audit,
            "the symmetric model hardly fits: the answers are a little off what it can make "
            "(likelihood ratio %.0f on %.0f degrees of freedom)",
            audit->summary.symmetry.statistic, audit->summary.symmetry.degrees));
done:
    return status;
}

/* --- together and separately --- */

/* Once there is a fit, an interrupt no longer costs it: judging is short, and waits for no other fit.
 */
static scant_status judge_at_last(scant_audit *audit, size_t *told, const scant_i_question *q,
                                  const scant_i_audit_task *task, scant_i_run *run)
{
    scant_i_audit_task last = *task;
    last.cancel = &scant_i_never;
    scant_status status = q->rules ? scant_i_audit_judge_rules(audit, told, q, &last, run->mixture)
                                   : judge(audit, told, q, &last, run->mixture);
    if (scant_i_interrupted())
        run->stop = SCANT_STOP_INTERRUPTED;
    return status;
}

/* What is found after the fit: the log-linear model is another fit, which is then the answer; profiles and
 * the test of symmetry are left out where time is short. */
static scant_status go_on(scant_audit *audit, const scant_i_question *q,
                          const scant_i_audit_task *task, scant_i_run *run)
{
    scant_status status = SCANT_OK;
    bool cut = run->stop == SCANT_STOP_INTERRUPTED;
    if (q->loglinear && cut)
        return scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted before the log-linear model");
    if (q->profile && !cut && audit->summary.dependence.verdict != SCANT_VERDICT_FAILS)
        status = scant_i_audit_profiles(audit, task, run->mixture);
    if (q->loglinear && status == SCANT_OK)
        status = scant_i_audit_loglinear(audit, q, run->mixture);
    if (q->symmetric && !cut && status == SCANT_OK)
        status = scant_i_audit_symmetry(&audit->summary.symmetry, q, task, run);
    if (!q->loglinear && status == SCANT_ERR_INTERRUPTED) {
        audit->summary.stop = SCANT_STOP_INTERRUPTED;
        status = SCANT_OK;
    }
    return status;
}

/* One or two predictors have no other model to go to. */
static scant_status refuse_symmetry(const scant_audit *audit, const scant_i_question *q)
{
    const scant_misfit *m = &audit->summary.symmetry;
    if (q->active >= 3 || m->verdict != SCANT_VERDICT_FAILS)
        return SCANT_OK;
    return scant_i_fail(
        SCANT_ERR_UNIDENTIFIED,
        "no error rate of the symmetric model makes these answers (likelihood ratio %.0f on %.0f "
        "degrees of freedom): errors differ between classes, or --prior is wrong; it takes three "
        "predictors with --model confusion, or true labels (--truth)",
        m->statistic, m->degrees);
}

static const scant_i_family *family_of(const scant_i_question *q)
{
    return q->rules ? &scant_i_rules : q->symmetric ? &scant_i_symmetric : &scant_i_confusion;
}

static scant_status audit_together(scant_audit *audit, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    scant_audit_summary *s = &audit->summary;
    scant_i_run *run = NULL;
    size_t told;
    scant_i_audit_task task = {q->votes, family_of(q), q->prior, &q->options, NULL};
    SCANT_I_TRY(scant_i_audit_fit(&run, &task));
    SCANT_I_TRY(judge_at_last(audit, &told, q, &task, run));
    if (told == 0)
        SCANT_I_TRY(scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                 "these answers cannot tell any predictor's error rate: %s",
                                 "the likelihood is flat (too few common items, or too few "
                                 "independent predictors)"));
    s->loglik = run->loglik;
    s->iterations = run->iterations;
    s->stop = run->stop;
    s->parameters = scant_i_mixture_degrees(run->mixture);
    SCANT_I_TRY(go_on(audit, q, &task, run));
    SCANT_I_TRY(refuse_symmetry(audit, q));
    audit->mixture = run->mixture;
    run->mixture = NULL;
done:
    scant_i_run_free(run);
    return status;
}

/* Takes over what a predictor's own audit found. */
static void adopt(scant_audit *audit, size_t c, scant_audit *own)
{
    size_t l = audit->nclasses, k = audit->npredictors;
    scant_i_factor *to = audit->mixture->factor[0];
    const scant_estimate *confusion = audit->judged[c].confusion;
    audit->judged[c] = own->judged[0];
    audit->judged[c].confusion = confusion;
    memcpy(audit->confusion + c * l * l, own->confusion, l * l * sizeof *own->confusion);
    memcpy(audit->S + c * l * l, own->S, l * l * sizeof *own->S);
    for (size_t j = 0; j < l; j++)
        memcpy(to->theta + (j * k + c) * l, scant_i_audit_table(own->mixture, 0, j),
               l * sizeof *to->theta);
    if (isnan(audit->summary.symmetry.p) || own->summary.symmetry.p < audit->summary.symmetry.p)
        audit->summary.symmetry = own->summary.symmetry;
    audit->summary.loglik += own->summary.loglik;
    audit->summary.parameters += own->summary.parameters;
    audit->summary.iterations += own->summary.iterations;
    if (own->summary.stop != SCANT_STOP_CONVERGED)
        audit->summary.stop = own->summary.stop;
}

static scant_status audit_alone(scant_audit *audit, const scant_i_question *q, size_t c)
{
    scant_status status = SCANT_OK;
    scant_votes *votes = NULL;
    scant_audit *own = NULL;
    scant_i_question alone = *q;
    SCANT_I_TRY(scant_i_votes_only(&votes, q->votes, c));
    votes->rows->carrier = q->votes->rows->carrier;
    SCANT_I_TRY(scant_i_audit_new(&own, votes));
    alone.votes = votes;
    alone.answers += c;
    alone.used += c;
    alone.active = q->answers[c] > 0;
    status = audit_together(own, &alone);
    if (status == SCANT_ERR_UNIDENTIFIED) { /* one of many: the others may be told */
        forget_predictor(audit, c);
        audit->judged[c].answers = q->answers[c];
        audit->judged[c].wrong = UNKNOWN;
        status = q->answers[c] ? scant_i_audit_warn(audit, "predictor '%s': %s",
                                                    q->votes->predictor[c], scant_message())
                               : SCANT_OK;
        goto done;
    }
    SCANT_I_TRY(status);
    adopt(audit, c, own);
done:
    scant_votes_free(votes);
    scant_audit_free(own);
    return status;
}

static scant_status audit_separately(scant_audit *audit, const scant_i_question *q)
{
    scant_status status = SCANT_OK;
    scant_i_audit_task task = {q->votes, q->symmetric ? &scant_i_symmetric : &scant_i_confusion,
                               q->prior, &q->options, NULL};
    bool told = false;
    audit->separate = true;
    audit->summary.dependence = (scant_dependence){.p = NAN, .z = NAN, .correlation = NAN};
    SCANT_I_TRY(scant_i_audit_lay_out(&audit->mixture, &task));
    for (size_t c = 0; c < audit->npredictors; c++) {
        SCANT_I_TRY(audit_alone(audit, q, c));
        told |= !isnan(audit->judged[c].error.value);
    }
    for (size_t j = 0; j < audit->nclasses; j++)
        audit->prior[j] = (scant_estimate){q->prior[j], 0, q->prior[j], q->prior[j]};
    if (!told)
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "no predictor's answers tell its error rate by themselves");
done:
    return status;
}

scant_status scant_audit_votes(scant_audit **out, const scant_votes *votes,
                               const scant_audit_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_question q = {0};
    scant_audit *audit = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_question_new(&q, votes, options));
    SCANT_I_TRY(scant_i_audit_new(&audit, votes));
    audit->summary.model = q.rules       ? "rules"
                           : q.symmetric ? "symmetric"
                           : q.loglinear ? "loglinear"
                                         : "confusion";
    audit->rules = q.rules;
    audit->summary.prior_estimated = !q.prior;
    audit->summary.symmetry = (scant_misfit){SCANT_VERDICT_UNTESTED, NAN, NAN, NAN};
    SCANT_I_TRY(q.options.separately ? audit_separately(audit, &q) : audit_together(audit, &q));
    if (!q.rules)
        SCANT_I_TRY(warn_of_predictors(audit, &q));
    SCANT_I_TRY(warn_of_votes(audit, &q));
    SCANT_I_TRY(q.rules ? distrust_rules(audit, &q) : distrust_dependence(audit, votes));
    SCANT_I_TRY(distrust_symmetry(audit));
    *out = audit;
    audit = NULL;
done:
    scant_i_question_clear(&q);
    scant_audit_free(audit);
    return status;
}
