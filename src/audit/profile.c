/* How far an error rate may move before the votes object: the profile of the likelihood.
 *
 *   l(e)     = the largest log-likelihood of all tables and shares with which predictor c errs by e
 *   fall(e)  = 2 (max l - l(e));  the interval is where fall(e) <= z^2, about the maximum
 *
 * l(e) is found by EM within the constraint. With S_ja the expected answers a of c on class j, n_j
 * their sum, N_j the items of class j, T = sum_j N_j, d_j = p_cjj and D = 1 - e, the M-step is where
 *   sum_j N_j log P_j + sum_ja S_ja log p_cja - lambda (sum_j P_j d_j - D)
 * is stationary. Wrong answers are then in proportion to S, and with B = T - lambda D
 *   P known      lambda P_j d^2 - (n_j + lambda P_j) d + S_jj = 0
 *   P estimated  lambda (N_j - n_j) d^2 + (lambda (S_jj - N_j) - n_j B) d + S_jj B = 0
 *                P_j = N_j / (T + lambda (d_j - D))
 * Both are above 0 at d = 0 and below at d = 1: one root lies between. sum_j P_j (d_j - D) falls
 * with lambda and changes sign between -T / (1 - D) and T / D. A symmetric predictor has d_j = D.
 *
 * Pseudo-votes of c itself are left out, or they would rule out that it never errs; the others' stay.
 * Each climb starts where the last one ended. */
#include "audit/profile.h"

#include <math.h>

#include "family/votes.h"
#include "latent/problem.h"
#include "math/tails.h"

/* One predictor's profile: EM's machinery, and the mixture where the last climb ended. */
typedef struct climber {
    scant_i_mixture *m;
    scant_i_evidence evidence;
    scant_i_problem problem;
    size_t c;
    scant_i_mixture *best;
    double top, peak; /* the maximum of l, and the error rate there */
} climber;

/* A share of a vote for each cell of c: no class is without answers, no share is 0 for ever. */
static const double GRAIN = 1e-9;

/* --- the M-step --- */

typedef struct constraint {
    const scant_i_mixture *m;
    const double *S;    /* of c: answers a of class j at a stride + j */
    double T, D;        /* D NaN: there is no constraint */
    double lambda;      /* its multiplier */
    const double *free; /* l: N_j, or NULL: the shares are known */
} constraint;

static double right_answers(const constraint *k, size_t j)
{
    return k->S[j * k->m->stride + j] + GRAIN;
}

static double all_answers(const constraint *k, size_t j)
{
    double sum = 0;
    for (size_t a = 0; a < k->m->nclasses; a++)
        sum += k->S[a * k->m->stride + j] + GRAIN;
    return sum;
}

/* The root between 0 and 1 of a d^2 + b d + c, which is positive at 0 and negative at 1. */
static double root_between(double a, double b, double c)
{
    double spread = sqrt(fmax(b * b - 4 * a * c, 0));
    return b <= 0 ? 2 * c / (spread - b) : -(b + spread) / (2 * a);
}

static double diagonal(const constraint *k, size_t j)
{
    double right = right_answers(k, j), n = all_answers(k, j), lambda = k->lambda;
    if (!k->free) {
        double pull = lambda * scant_i_audit_share(k->m, j);
        return root_between(pull, -(n + pull), right);
    }
    double N = k->free[j], B = k->T - lambda * k->D;
    return root_between(lambda * (N - n), lambda * (right - N) - n * B, right * B);
}

static double share(const constraint *k, size_t j, double d)
{
    return k->free ? k->free[j] / (k->T + k->lambda * (d - k->D)) : scant_i_audit_share(k->m, j);
}

static double slack(const constraint *k)
{
    double sum = 0;
    for (size_t j = 0; j < k->m->nclasses; j++) {
        double d = diagonal(k, j);
        sum += share(k, j, d) * (d - k->D);
    }
    return sum;
}

static void find_multiplier(constraint *k)
{
    enum { HALVINGS = 80 };
    double low = -k->T / (1 - k->D), high = k->T / k->D;
    for (int i = 0; i < HALVINGS; i++) {
        k->lambda = (low + high) / 2;
        *(slack(k) > 0 ? &low : &high) = k->lambda;
    }
}

/* c's row of class j: d of it right, the rest as the wrong answers are. */
static void fill_row(const constraint *k, scant_i_mixture *m, size_t c, size_t j, double d)
{
    scant_i_factor *f = m->factor[0];
    size_t l = m->nclasses;
    double *p = f->theta + (j * f->ncolumns + c) * l;
    double wrong = 0; /* all less right ones would be rounding where they are few */
    for (size_t a = 0; a < l; a++)
        wrong += a == j ? 0 : k->S[a * m->stride + j] + GRAIN;
    for (size_t a = 0; a < l; a++)
        p[a] = a == j ? d : (1 - d) * (k->S[a * m->stride + j] + GRAIN) / wrong;
}

/* After the M-step of all tables and shares: c's own, and the shares, as the constraint wants them. */
static void constrain_confusion(climber *k, constraint *by, double *N)
{
    scant_i_mixture *m = k->m;
    size_t l = m->nclasses;
    for (size_t j = 0; j < l; j++) {
        N[j] = m->coupling.prior ? all_answers(by, j) : scant_i_audit_share(m, j) * by->T;
        by->T += m->coupling.prior ? N[j] : 0;
    }
    by->free = m->coupling.prior ? NULL : N;
    if (isnan(by->D))
        by->D = 0; /* and lambda 0: any will do */
    else
        find_multiplier(by);
    for (size_t j = 0; j < l; j++) {
        double d = diagonal(by, j);
        fill_row(by, m, k->c, j, d);
        if (by->free)
            m->coupling.W[j * m->stride + j] = share(by, j, d);
    }
}

static void constrain_symmetric(climber *k, const constraint *by)
{
    size_t l = k->m->nclasses;
    double right = 0, all = 0, theta = by->D;
    for (size_t j = 0; j < l; j++) {
        right += right_answers(by, j);
        all += all_answers(by, j);
    }
    if (isnan(theta))
        theta = right / all;
    for (size_t j = 0; j < l; j++) {
        double *p = k->m->factor[0]->theta + (j * k->m->factor[0]->ncolumns + k->c) * l;
        for (size_t a = 0; a < l; a++)
            p[a] = a == j ? theta : (1 - theta) / (double)(l - 1);
    }
}

static scant_status maximise(climber *k, double error, double *room)
{
    scant_i_mixture *m = k->m;
    double weight = scant_i_posterior_read(scant_i_problem_own(&k->problem)).weight;
    constraint by = {.m = m,
                     .S = scant_i_problem_factor(&k->problem, 0) + k->c * m->nclasses * m->stride,
                     .T = m->coupling.prior ? 0 : weight,
                     .D = 1 - error};
    scant_status status = scant_i_mixture_maximise(m, &k->problem);
    if (status != SCANT_OK)
        return status;
    if (scant_i_audit_is_symmetric(m))
        constrain_symmetric(k, &by);
    else
        constrain_confusion(k, &by, room);
    return SCANT_OK;
}

/* --- the climb --- */

/* The log-likelihood and the others' log prior at k->m; leaves a pass's sums. */
static scant_status look(climber *k, double *objective)
{
    scant_status status = SCANT_OK;
    size_t l = k->m->nclasses;
    double own = 0, smooth = k->m->factor[0]->settings.smooth;
    SCANT_I_TRY(scant_i_problem_expect(&k->problem, k->m, true));
    for (size_t t = 0; smooth > 0 && t < l * l; t++)
        own += log(scant_i_audit_table(k->m, k->c, t / l)[t % l]);
    *objective = scant_i_posterior_read(scant_i_problem_own(&k->problem)).objective +
                 scant_i_mixture_log_prior(k->m) - smooth * own;
done:
    return status;
}

/* l(error), or the maximum where the error is NaN. EM's rises shrink geometrically in the end, which
 * tells what is left of them. */
static scant_status climb(climber *k, double error, double *l)
{
    enum { STEPS = 2000 };
    static const double LEFT = 1e-4;
    scant_status status = SCANT_OK;
    double *room = NULL, before = -INFINITY, rise = INFINITY;
    SCANT_I_TRY(SCANT_I_NEW(&room, k->m->nclasses));
    SCANT_I_TRY(look(k, l)); /* not within the constraint yet */
    for (int t = 0; t < STEPS; t++) {
        SCANT_I_TRY(maximise(k, error, room));
        SCANT_I_TRY(look(k, l));
        double now = *l - before, rate = now / rise;
        if (!(now > 0) || (now < LEFT && now * rate < LEFT * (1 - rate)))
            break;
        before = *l;
        rise = now;
    }
done:
    scant_i_free(room);
    return status;
}

static void climber_clear(climber *k)
{
    scant_i_problem_clear(&k->problem);
    scant_i_evidence_clear(&k->evidence);
    scant_i_mixture_free(k->best);
    scant_i_mixture_free(k->m);
}

/* At the maximum. The start is the fit with a little of everything: zeros are for ever. To be
 * cleared whatever the status. */
static scant_status climber_new(climber *out, const scant_votes *votes, const scant_i_mixture *fit,
                                size_t predictor)
{
    static const double LITTLE = 1e-3;
    scant_status status = SCANT_OK;
    *out = (climber){.c = predictor};
    SCANT_I_TRY(scant_i_mixture_copy(&out->m, fit));
    scant_i_factor *f = out->m->factor[0];
    for (size_t t = 0; t < f->ntheta; t++)
        f->theta[t] += LITTLE * (1 / (double)fit->nclasses - f->theta[t]);
    SCANT_I_TRY(scant_i_audit_evidence(&out->evidence, votes));
    SCANT_I_TRY(scant_i_problem_new(&out->problem, votes->rows, &out->evidence, out->m, 0, 1));
    SCANT_I_TRY(scant_i_problem_keep(&out->problem, out->m));
    SCANT_I_TRY(climb(out, NAN, &out->top));
    SCANT_I_TRY(scant_i_mixture_copy(&out->best, out->m));
    out->peak = scant_i_audit_error(out->m, predictor);
done:
    return status;
}

static scant_status fall(climber *k, double error, double *out)
{
    double l;
    scant_status status = climb(k, error, &l);
    *out = fmax(0, 2 * (k->top - l));
    return status;
}

/* --- the ends --- */

/* Errors on the scale of log odds, where the square root of the fall is nearly straight. Further out
 * than EDGE there is nothing but the end of the scale: an error rate of 1e-10. */
static const double EDGE = 23;

static double logit(double e)
{
    return fmax(-EDGE, fmin(EDGE, log(e / (1 - e))));
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

typedef struct point {
    double x, r; /* log odds, and root of the fall - z */
} point;

static scant_status visit(climber *k, point *p, double x, double z)
{
    double f = 0;
    scant_status status = fall(k, logistic(x), &f);
    *p = (point){x, sqrt(f) - z};
    return status;
}

/* Out from the maximum by steps that double until the fall is large enough, `outside`; at the edge it
 * may still be too small. */
static scant_status bracket(climber *k, point *inside, point *outside, double step, double z)
{
    scant_status status = SCANT_OK;
    double edge = copysign(EDGE, step);
    *outside = *inside;
    while (outside->r < 0 && outside->x != edge) {
        *inside = *outside;
        SCANT_I_TRY(visit(k, outside, fmax(-EDGE, fmin(EDGE, inside->x + step)), z));
        step *= 2;
    }
done:
    return status;
}

/* Between a point inside and one outside, by false position; the side that stays put twice counts half
 * (the Illinois rule), so that it does not for long. */
static scant_status close_in(double *x, climber *k, point in, point out, double z)
{
    enum { STEPS = 40 };
    static const double NEAR = 1e-3; /* of z */
    scant_status status = SCANT_OK;
    point next;
    int side = 0;
    for (int t = 0; t < STEPS; t++) {
        SCANT_I_TRY(visit(k, &next, out.x - out.r * (out.x - in.x) / (out.r - in.r), z));
        *x = next.x;
        if (fabs(next.r) < NEAR * z)
            break;
        if (next.r < 0) {
            in = next;
            out.r /= side < 0 ? 2 : 1;
            side = -1;
        } else {
            out = next;
            in.r /= side > 0 ? 2 : 1;
            side = 1;
        }
    }
done:
    return status;
}

/* The end below the maximum or above it; `guess` says how far to look first. */
static scant_status find_end(double *end, climber *k, bool above, double guess, double z)
{
    static const double LEAST = 0.1; /* step in log odds */
    scant_status status = SCANT_OK;
    point in = {logit(k->peak), -z}, out;
    double x = 0, step = fmax(fabs(logit(guess) - in.x), LEAST);
    *end = above ? 1 : 0;
    scant_i_mixture_assign(k->m, k->best);
    SCANT_I_TRY(bracket(k, &in, &out, above ? step : -step, z));
    if (out.r < 0) /* the votes do not object to the very edge */
        goto done;
    SCANT_I_TRY(close_in(&x, k, in, out, z));
    *end = logistic(x);
done:
    return status;
}

/* --- all predictors --- */

typedef struct asked {
    scant_audit *audit;
    const scant_votes *votes;
    const scant_i_mixture *fit;
    double z;
} asked;

static scant_status find_interval(size_t c, size_t worker, void *payload)
{
    const asked *a = payload;
    scant_status status = SCANT_OK;
    scant_estimate *e = &a->audit->judged[c].error;
    climber k = {0};
    (void)worker;
    if (isnan(e->value))
        return SCANT_OK;
    SCANT_I_TRY(climber_new(&k, a->votes, a->fit, c));
    SCANT_I_TRY(find_end(&e->low, &k, false, e->low, a->z));
    SCANT_I_TRY(find_end(&e->high, &k, true, e->high, a->z));
done:
    climber_clear(&k);
    return status;
}

scant_status scant_i_audit_profiles(scant_audit *audit, const scant_i_audit_task *task,
                                    const scant_i_mixture *fit)
{
    asked a = {audit, task->votes, fit, scant_i_normal_quantile(0.5 + task->options->ci / 2)};
    return scant_i_parallel(task->options->threads, audit->npredictors, find_interval, &a);
}

scant_status scant_audit_profile(double *out, const scant_audit *audit, const scant_votes *votes,
                                 size_t predictor, const double *error, size_t count)
{
    scant_status status = SCANT_OK;
    climber k = {0};
    if (audit->ncells || audit->rules || audit->separate ||
        votes->npredictors != audit->npredictors || votes->nclasses != audit->nclasses ||
        predictor >= audit->npredictors)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "a profile is of a predictor of the votes that were "
                            "audited, together and as independent");
    for (size_t t = 0; t < count; t++)
        if (!(error[t] > 0 && error[t] < 1))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "an error rate of %g is not between 0 and 1",
                                error[t]);
    SCANT_I_TRY(climber_new(&k, votes, audit->mixture, predictor));
    for (size_t t = 0; t < count; t++) {
        scant_i_mixture_assign(k.m, k.best);
        SCANT_I_TRY(fall(&k, error[t], &out[t]));
    }
done:
    climber_clear(&k);
    return status;
}
