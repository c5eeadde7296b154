/* Expectation-maximisation and its surroundings. See engine.h.
 *
 * An iteration: prepare tables, pass over the rows (objective O and statistics at the present
 * parameters), stop if O rose by less than tol per unit weight, else M-step. A monotone O never
 * falls (algebra: MONOTONE; of another it is the change that is looked at); annealing and SQUAREM leave that path only where a later pass confirms that
 * O rose. */
#include "latent/engine.h"
#include "latent/coordinates.h"
#include "latent/squarem.h"
#include "solve/descend.h"

#include <math.h>
#include <string.h>

typedef struct engine {
    const scant_i_engine_options *options;
    const scant_i_mixture *layout;
    scant_i_problem problem;
    scant_i_run *run;      /* the present start's, at its last evaluated parameters */
    scant_i_mixture *work; /* the parameters being evaluated */
    scant_i_run *best;
    double *counts;      /* the three parts of N */
    scant_i_run *resume; /* the run to go on with, until its start comes */
    double *squarem;     /* three parameter vectors, and room for a fourth */
    double began, saved;
    bool stopped_early; /* time, interrupt or the caller: no further starts */
    bool going_on; /* all starts are done; the best goes on, past the limit that had ended it */
} engine;

/* --- runs --- */

void scant_i_run_free(scant_i_run *run)
{
    if (!run)
        return;
    scant_i_mixture_free(run->mixture);
    scant_i_free(run->N);
    scant_i_free(run->labelled);
    scant_i_free(run->trace);
    scant_i_free(run);
}

scant_status scant_i_run_new(scant_i_run **out, const scant_i_mixture *layout, size_t start)
{
    scant_status status = SCANT_OK;
    scant_i_run *run = NULL;
    size_t table = layout->nclasses * layout->stride;
    SCANT_I_TRY(SCANT_I_NEW(&run, 1));
    run->start = start;
    run->objective = -INFINITY;
    run->error_growth = 1;
    SCANT_I_TRY(scant_i_mixture_copy(&run->mixture, layout));
    SCANT_I_TRY(SCANT_I_NEW(&run->N, table));
    SCANT_I_TRY(SCANT_I_NEW(&run->labelled, table));
    *out = run;
    run = NULL;
done:
    scant_i_run_free(run);
    return status;
}

static scant_status push_trace(scant_i_run *run, double objective)
{
    if (run->ntrace == run->trace_room) {
        size_t room = run->trace_room ? 2 * run->trace_room : 64;
        scant_status status = scant_i_resize(&run->trace, room, sizeof *run->trace);
        if (status != SCANT_OK)
            return status;
        run->trace_room = room;
    }
    run->trace[run->ntrace++] = objective;
    return SCANT_OK;
}

static bool is_healthy(const scant_i_run *run)
{
    const scant_i_mixture *m = run->mixture;
    for (size_t k = 0; k < m->nclasses && m->coupling.noise && m->coupling.noise_free; k++)
        if (!(m->coupling.noise[k * m->nclasses + k] > 0.5))
            return false; /* classes have changed their names */
    for (size_t j = 0; j < m->ncomponents; j++) {
        double rows = 0;
        for (size_t k = 0; k < m->nclasses; k++)
            rows += run->N[k * m->stride + j];
        if (scant_i_mixture_health(m, j, rows) != SCANT_I_HEALTHY)
            return false;
    }
    return true;
}

/* --- one evaluation --- */

/* Without `accumulate` there is an objective, and nothing for an M-step. */
static scant_status run_pass(engine *e, bool accumulate)
{
    return scant_i_problem_expect(&e->problem, e->work, accumulate);
}

static double objective_of(const engine *e)
{
    return scant_i_problem_value(&e->problem) + scant_i_mixture_log_prior(e->work);
}

/* The run's N from its three parts. */
static void add_parts(scant_i_run *run, const double *counts)
{
    size_t table = run->mixture->nclasses * run->mixture->stride;
    for (size_t t = 0; t < table; t++)
        run->N[t] = counts[SCANT_I_INFORMATIVE * table + t] +
                    counts[SCANT_I_UNINFORMATIVE * table + t] +
                    counts[SCANT_I_OWN_PRIOR * table + t];
}

/* Makes the parameters just evaluated, and what the pass said of them, the run's. */
static scant_status adopt(engine *e)
{
    scant_i_run *run = e->run;
    const scant_i_mixture *m = e->work;
    const double *own = scant_i_problem_own(&e->problem);
    scant_i_posterior_head head = scant_i_posterior_read(own);
    scant_i_mixture_assign(run->mixture, m);
    run->loglik = head.objective;
    run->weight = head.weight;
    run->entropy = head.entropy;
    run->objective = objective_of(e);
    if (isnan(run->objective))
        return scant_i_fail(SCANT_ERR_INTERNAL,
                            "the objective is not a number in iteration %zu of start %zu",
                            run->iterations + 1, run->start + 1);
    scant_i_posterior_labelled(&e->problem.posterior, own, run->labelled);
    m->structure->counts(&e->problem.posterior, own, e->counts);
    add_parts(run, e->counts);
    return SCANT_OK;
}

/* --- limits --- */

static bool tell(engine *e, size_t iteration)
{
    const scant_i_engine_options *o = e->options;
    if (!o->progress)
        return true;
    scant_progress_event event = {
        .what = "fit",
        .done = e->run->start,
        .total = o->starts,
        .start = e->run->start,
        .starts = o->starts,
        .iteration = iteration,
        .objective = e->run->objective / e->run->weight,
    };
    return o->progress(&event, o->payload) == 0;
}

static scant_status save(engine *e)
{
    if (!e->options->save)
        return SCANT_OK;
    scant_i_progress_state state = {e->run, e->going_on ? e->run : e->best, e->run->start};
    e->saved = scant_i_seconds();
    return e->options->save(&state, e->options->save_payload);
}

/* After an evaluation: shall the start end, and why? */
static bool limit_reached(engine *e, double risen, bool first, scant_stop *why)
{
    const scant_i_engine_options *o = e->options;
    scant_i_run *run = e->run;
    double moved = e->problem.aim.objective->monotone ? risen : fabs(risen);
    if (!first && o->tol > 0 && moved < o->tol * run->weight) {
        *why = SCANT_STOP_CONVERGED;
        return true;
    }
    if (!tell(e, run->iterations) || scant_i_is_cancelled(o->cancel))
        *why = SCANT_STOP_INTERRUPTED;
    else if (scant_i_time_is_up(o->time_limit, e->began))
        *why = SCANT_STOP_TIME;
    else if (run->iterations >= o->max_iter)
        *why = SCANT_STOP_ITERATIONS;
    else
        return false;
    e->stopped_early = *why != SCANT_STOP_ITERATIONS;
    return true;
}

/* --- the loop --- */

/* Deterministic annealing (Ueda and Nakano 1998): EM on tempered responsibilities, beta rising
 * to 1, as far as the time allows. */
static scant_status anneal(engine *e)
{
    enum { STEPS_A_TEMPERATURE = 10 };
    const scant_i_engine_options *o = e->options;
    scant_status status = SCANT_OK;
    for (double beta = 0.2; beta < 1 && status == SCANT_OK; beta *= 1.35)
        for (size_t step = 0; step < STEPS_A_TEMPERATURE && status == SCANT_OK; step++) {
            if (scant_i_time_is_up(o->time_limit, e->began))
                break;
            e->problem.posterior.beta = beta;
            status = run_pass(e, true);
            if (status == SCANT_OK)
                status = scant_i_mixture_maximise(e->work, &e->problem);
        }
    e->problem.posterior.beta = 1;
    return status;
}

/* Has the point just evaluated a lower objective than the run, by more than rounding? */
static bool is_lower(const engine *e)
{
    static const double ROUNDING = 1e-12;
    return objective_of(e) < e->run->objective - ROUNDING * fabs(e->run->objective);
}

/* Where the last step has lowered the objective, it is made again from the run's parameters, held back more and more.
 * Where nothing helps they stay, as at a stationary point. */
static scant_status hold_back(engine *e)
{
    enum { DOUBLINGS = 40 };
    scant_status status = SCANT_OK;
    const scant_i_aim *aim = &e->problem.aim;
    if (!aim->objective->be_cautious || aim->objective->monotone)
        return SCANT_OK;
    for (int k = 1; k <= DOUBLINGS && is_lower(e); k++) {
        scant_i_mixture_assign(e->work, e->run->mixture);
        SCANT_I_TRY(run_pass(e, true));
        aim->objective->be_cautious(aim, ldexp(1, k));
        status = scant_i_mixture_maximise(e->work, &e->problem);
        aim->objective->be_cautious(aim, 1);
        SCANT_I_TRY(status);
        SCANT_I_TRY(run_pass(e, true));
    }
    if (is_lower(e)) {
        scant_i_mixture_assign(e->work, e->run->mixture);
        SCANT_I_TRY(run_pass(e, true));
    }
done:
    return status;
}

/* From the point just evaluated to the next: one EM step. */
static scant_status advance_em(engine *e)
{
    bool last = e->run->iterations + 1 >= e->options->max_iter;
    scant_status status = scant_i_mixture_maximise(e->work, &e->problem);
    if (status == SCANT_OK)
        status = run_pass(e, !last);
    if (status == SCANT_OK)
        status = hold_back(e);
    if (status == SCANT_OK)
        status = adopt(e);
    if (status == SCANT_OK) {
        e->run->error_growth = 1;
        e->run->iterations++;
    }
    return status;
}

/* The same by SQUAREM (Varadhan and Roland 2008, step length S3): two EM steps give the direction r
 * and the curvature v; the point theta0 - 2 alpha r + alpha^2 v is taken if its objective is not
 * below the first step's, and the second step's otherwise. */
static scant_status advance_squarem(engine *e)
{
    scant_status status = SCANT_OK;
    size_t n = scant_i_mixture_size(e->work);
    double *theta = e->squarem, *theta0 = theta, *theta1 = theta + n, *theta2 = theta1 + n,
           *room = theta2 + n;
    scant_i_mixture_flatten(e->work, theta0);
    SCANT_I_TRY(scant_i_mixture_maximise(e->work, &e->problem));
    scant_i_mixture_flatten(e->work, theta1);
    SCANT_I_TRY(run_pass(e, true));
    double first = objective_of(e);
    SCANT_I_TRY(scant_i_mixture_maximise(e->work, &e->problem));
    scant_i_mixture_flatten(e->work, theta2);
    bool extrapolated;
    double error_growth = e->run->error_growth;
    SCANT_I_TRY(scant_i_squarem_extrapolate(&extrapolated, &error_growth, e->work, theta0, theta1,
                                            theta2, room));
    if (extrapolated) {
        status = run_pass(e, true);
        if (status == SCANT_ERR_INTERRUPTED || status == SCANT_ERR_MEMORY)
            goto done;
        extrapolated = status == SCANT_OK && objective_of(e) >= first;
    }
    if (!extrapolated) {
        scant_i_mixture_restore(e->work, theta2);
        SCANT_I_TRY(run_pass(e, true));
    }
    SCANT_I_TRY(hold_back(e));
    SCANT_I_TRY(adopt(e));
    e->run->error_growth = extrapolated ? error_growth : 1;
    e->run->iterations += 2;
done:
    return status;
}

/* --- by the gradient --- */

/* What an ascent needs between two calls of the function. */
typedef struct ascent {
    engine *e;
    scant_stop why;
    bool limited;
    scant_status pushed;
} ascent;

/* -O per unit weight and its slope at x; infinite where parameters are past their domain. */
static scant_status fall(double *value, double *slope, const double *x, void *payload)
{
    scant_status status = SCANT_OK;
    ascent *a = payload;
    engine *e = a->e;
    size_t n = scant_i_coordinates_count(e->work);
    *value = INFINITY;
    memset(slope, 0, n * sizeof *slope);
    scant_i_mixture_assign(e->work, e->run->mixture); /* what is at an edge stays there */
    status = scant_i_coordinates_set(e->work, x);
    if (status == SCANT_OK)
        status = run_pass(e, true);
    if (status == SCANT_ERR_INPUT)
        return SCANT_OK;
    SCANT_I_TRY(status);
    SCANT_I_TRY(scant_i_coordinates_slope(&e->problem, slope));
    *value = -objective_of(e) / e->run->weight;
    for (size_t i = 0; i < n; i++)
        slope[i] /= -e->run->weight;
done:
    return status;
}

static bool is_enough(size_t iteration, double value, void *payload)
{
    ascent *a = payload;
    engine *e = a->e;
    e->run->iterations = iteration;
    e->run->objective = -value * e->run->weight;
    a->pushed = push_trace(e->run, -value);
    a->limited = limit_reached(e, INFINITY, false, &a->why) || a->pushed != SCANT_OK;
    return a->limited;
}

/* From the run's parameters, whose pass was just made, to a maximum. */
static scant_status climb(engine *e, scant_stop *why)
{
    scant_status status = SCANT_OK;
    const scant_i_engine_options *o = e->options;
    ascent a = {.e = e, .why = SCANT_STOP_ITERATIONS};
    scant_i_minimum found;
    double *x = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&x, scant_i_coordinates_count(e->work)));
    scant_i_coordinates_get(e->run->mixture, x);
    scant_i_minimise_options options = {
        .max_iter = o->max_iter, .tol = o->tol, .enough = is_enough};
    status = scant_i_descend(&found, x, scant_i_coordinates_count(e->work), &options, fall, &a);
    if (status == SCANT_ERR_INTERRUPTED) {
        a.why = SCANT_STOP_INTERRUPTED;
        a.limited = e->stopped_early = true;
        status = SCANT_OK;
    }
    SCANT_I_TRY(status);
    SCANT_I_TRY(a.pushed);
    *why = a.limited ? a.why : found.converged ? SCANT_STOP_CONVERGED : SCANT_STOP_ITERATIONS;
    scant_i_mixture_assign(e->work, e->run->mixture);
    SCANT_I_TRY(scant_i_coordinates_set(e->work, x));
    e->problem.cancel = &scant_i_never;
    status = run_pass(e, true);
    e->problem.cancel = o->cancel;
    SCANT_I_TRY(status);
    SCANT_I_TRY(adopt(e));
done:
    scant_i_free(x);
    return status;
}

/* Runs the present start to its end. */
static scant_status iterate(engine *e)
{
    scant_status status = SCANT_OK;
    scant_i_run *run = e->run;
    scant_stop why = SCANT_STOP_CONVERGED;
    double before = -INFINITY;
    scant_i_mixture_assign(e->work, run->mixture);
    e->problem.cancel = &scant_i_never; /* a start that was made is worth its first point */
    status = run_pass(e, true);
    e->problem.cancel = e->options->cancel;
    SCANT_I_TRY(status);
    SCANT_I_TRY(adopt(e));
    if (run->ntrace ==
        0) /* a resumed run has this point, and was found not to have converged at it */
        SCANT_I_TRY(push_trace(run, run->objective / run->weight));
    if (e->options->climbs)
        SCANT_I_TRY(climb(e, &why));
    while (!e->options->climbs &&
           !limit_reached(e, run->objective - before, before == -INFINITY, &why)) {
        if (e->options->save && scant_i_seconds() - e->saved > e->options->save_every)
            SCANT_I_TRY(save(e));
        before = run->objective;
        bool extrapolation = e->options->squarem && e->options->max_iter - run->iterations >= 2;
        status = extrapolation ? advance_squarem(e) : advance_em(e);
        if (status == SCANT_ERR_INTERRUPTED) { /* the run stands where it last was whole */
            why = SCANT_STOP_INTERRUPTED;
            e->stopped_early = true;
            break;
        }
        SCANT_I_TRY(status);
        SCANT_I_TRY(push_trace(run, run->objective / run->weight));
    }
    run->stop = why;
    run->healthy = is_healthy(run);
    if (e->options->ended)
        SCANT_I_TRY(e->options->ended(run, e->options->ended_payload));
    status = e->stopped_early ? save(e) : SCANT_OK;
done:
    return status;
}

/* --- starts --- */

static scant_status begin(engine *e, size_t start)
{
    scant_status status = SCANT_OK;
    const scant_i_engine_options *o = e->options;
    scant_i_run *run = NULL;
    if (e->resume) {
        e->run = e->resume;
        e->resume = NULL;
        for (size_t f = 0; f < e->layout->nfactors; f++) { /* units come from the data, as before */
            scant_i_factor *to = e->run->mixture->factor[f], *from = e->layout->factor[f];
            memcpy(to->centre, from->centre, from->ncolumns * sizeof *to->centre);
            memcpy(to->scale, from->scale, from->ncolumns * sizeof *to->scale);
        }
        return SCANT_OK;
    }
    SCANT_I_TRY(scant_i_run_new(&run, e->layout, start));
    scant_i_mixture_assign(e->work, e->layout);
    if (!o->given)
        SCANT_I_TRY(scant_i_start_make(e->work, &e->problem, o->kind, o->seed, start));
    if (o->anneal && !o->climbs)
        SCANT_I_TRY(anneal(e));
    scant_i_mixture_assign(run->mixture, e->work);
    e->run = run;
    run = NULL;
done:
    scant_i_run_free(run);
    return status;
}

/* Starts that come to one maximum differ by rounding, which the machine decides about: the first of them is kept. */
static bool is_better(const scant_i_run *a, const scant_i_run *b)
{
    static const double ROUNDING = 1e-12;
    if (!b || a->healthy != b->healthy)
        return !b || a->healthy;
    return a->objective > b->objective + ROUNDING * fabs(b->objective);
}

/* A start that ran into rows or parameters that cannot be gone on with says nothing about the others. */
static bool is_its_own(scant_status status)
{
    return status == SCANT_ERR_INPUT || status == SCANT_ERR_INTERNAL;
}

/* Where every start has failed, the last failure is returned, and its message stands. */
static scant_status all_starts(engine *e)
{
    scant_status status = SCANT_OK, failed = SCANT_OK;
    const scant_i_engine_options *o = e->options;
    size_t starts = o->given ? 1 : o->starts;
    size_t first = e->going_on ? starts : e->resume ? e->resume->start : 0;
    for (size_t s = first; s < starts && !e->stopped_early; s++) {
        status = begin(e, s);
        if (status == SCANT_OK)
            status = iterate(e);
        if (status == SCANT_ERR_INTERRUPTED && e->best) { /* this start never got a first point */
            e->stopped_early = true;
            e->best->stop = SCANT_STOP_INTERRUPTED;
            return SCANT_OK;
        }
        if (is_its_own(status)) {
            scant_i_log(SCANT_LOG_DETAIL, "start %zu of %zu failed: %s", s + 1, starts,
                        scant_message());
            failed = status;
            status = SCANT_OK;
            scant_i_run_free(e->run);
            e->run = NULL;
            continue;
        }
        SCANT_I_TRY(status);
        scant_i_log(SCANT_LOG_DETAIL, "start %zu of %zu: %zu iterations, %s, objective %.9g%s",
                    s + 1, starts, e->run->iterations, scant_stop_name(e->run->stop),
                    e->run->objective, e->run->healthy ? "" : " (a component has collapsed)");
        scant_stop why = e->run->stop;
        if (is_better(e->run, e->best)) {
            scant_i_run_free(e->best);
            e->best = e->run;
        } else {
            scant_i_run_free(e->run);
        }
        e->run = NULL;
        if (e->stopped_early)
            e->best->stop = why;
    }
    if (!e->best && failed != SCANT_OK)
        status = failed;
    else if (!e->best)
        status = scant_i_fail(SCANT_ERR_INTERNAL, "no start was left to make");
done:
    return status;
}

/* Goes on with the best start where a lower limit ended it, before a checkpoint. */
static scant_status go_on(engine *e)
{
    scant_i_run *best = e->best;
    e->going_on |= !e->stopped_early && best->stop == SCANT_STOP_ITERATIONS &&
                   best->iterations < e->options->max_iter;
    if (!e->going_on)
        return SCANT_OK;
    e->run = best;
    e->best = NULL;
    scant_status status = iterate(e);
    if (status == SCANT_OK) {
        e->best = e->run;
        e->run = NULL;
    }
    return status;
}

scant_status scant_i_engine_fit(scant_i_run **out, const scant_i_mixture *mixture,
                                const scant_rows *rows, const scant_i_evidence *evidence,
                                const scant_i_engine_options *options)
{
    scant_status status = SCANT_OK;
    engine e = {.options = options, .layout = mixture};
    e.began = e.saved = scant_i_seconds();
    e.resume = options->resume_current;
    e.best = options->resume_best;
    e.going_on = e.resume && e.best && e.best->start == e.resume->start;
    *out = NULL;
    SCANT_I_TRY(scant_i_mixture_copy(&e.work, mixture));
    for (size_t f = 0; f < mixture->nfactors; f++)
        e.work->factor[f]->threads = scant_i_threads(options->threads);
    SCANT_I_TRY(scant_i_problem_new_for(&e.problem, rows, evidence, e.work,
                                        options->objective ? options->objective
                                                           : &scant_i_objective_likelihood,
                                        0, options->threads));
    e.problem.cancel = options->cancel;
    SCANT_I_TRY(SCANT_I_NEW(&e.counts, SCANT_I_COUNTS * mixture->nclasses * mixture->stride));
    SCANT_I_TRY(scant_i_problem_keep(&e.problem, mixture));
    if (options->squarem)
        SCANT_I_TRY(SCANT_I_NEW(&e.squarem, 4 * scant_i_mixture_size(mixture)));
    SCANT_I_TRY(all_starts(&e));
    SCANT_I_TRY(go_on(&e));
    *out = e.best;
    e.best = NULL;
done:
    scant_i_run_free(e.run);
    scant_i_run_free(e.best);
    scant_i_run_free(e.resume);
    scant_i_problem_clear(&e.problem);
    scant_i_mixture_free(e.work);
    scant_i_free(e.squarem);
    scant_i_free(e.counts);
    return status;
}

/* B_jk from the rows whose evidence tells classes apart; a component without any keeps its own. */
static void name_components(scant_i_mixture *m, const double *counts)
{
    size_t table = m->nclasses * m->stride;
    for (size_t j = 0; j < m->ncomponents; j++) {
        double telling = 0, whole = 0;
        for (size_t k = 0; k < m->nclasses; k++) {
            telling += counts[SCANT_I_INFORMATIVE * table + k * m->stride + j];
            whole += m->coupling.W[k * m->stride + j];
        }
        for (size_t k = 0; k < m->nclasses && telling > 0; k++)
            scant_i_mixture_couple(
                m, j, k, whole * counts[SCANT_I_INFORMATIVE * table + k * m->stride + j] / telling);
    }
}

/* One E-step over the rows, interrupt or not; `problem` is the caller's to clear. */
static scant_status look(scant_i_problem *problem, scant_i_mixture *m, const scant_rows *rows,
                         const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_problem_new(problem, rows, evidence, m, 0, threads));
    problem->cancel = &scant_i_never;
    status = scant_i_problem_expect(problem, m, false);
done:
    return status;
}

scant_status scant_i_engine_judge(scant_i_run *run, const scant_rows *rows,
                                  const scant_i_evidence *evidence, size_t threads, bool name)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *m = run->mixture;
    scant_i_problem problem = {0};
    double *counts = NULL;
    scant_i_free(m->coupling.R);
    m->coupling.R = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&counts, SCANT_I_COUNTS * m->nclasses * m->stride));
    SCANT_I_TRY(look(&problem, m, rows, evidence, threads));
    m->structure->counts(&problem.posterior, scant_i_problem_own(&problem), counts);
    scant_i_posterior_labelled(&problem.posterior, scant_i_problem_own(&problem), run->labelled);
    if (name) {
        name_components(m, counts);
    } else {
        run->loglik = scant_i_posterior_read(scant_i_problem_own(&problem)).objective;
        run->entropy = scant_i_posterior_read(scant_i_problem_own(&problem)).entropy;
        add_parts(run, counts);
    }
done:
    scant_i_problem_clear(&problem);
    scant_i_free(counts);
    return status;
}

scant_status scant_i_engine_compose(double *C, scant_i_mixture *mixture, const scant_rows *rows,
                                    const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_evidence blank = {0};
    scant_i_problem problem = {0};
    size_t n = evidence->nlabels + 1;
    SCANT_I_TRY(scant_i_evidence_blank(&blank, evidence));
    SCANT_I_TRY(look(&problem, mixture, rows, &blank, threads));
    for (size_t y = 0; y < n; y++) {
        const double *fell =
            scant_i_posterior_expected(&problem.posterior, scant_i_problem_own(&problem), y);
        for (size_t j = 0; j < mixture->ncomponents; j++)
            C[j * n + y] = fell[j];
    }
done:
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&blank);
    return status;
}
