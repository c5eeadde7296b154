/* A round updates every free mode in turn. It ends when a round lowers the loss by less than `tol`
 * of its scale, when the largest projected gradient of a mode is below `kkt_tol`, or at a limit.
 * Rounds may start ahead of where the last one ended (extrapolation.h); then only one that does not can end
 * the fit. Where a solver may raise the loss, it ends when a round hardly changes it, and the best factors are kept. */
#include "tensor/alternate.h"

#include <limits.h>
#include <math.h>

#include "base/random.h"

scant_status scant_i_alternation_new(scant_i_alternation **out, size_t order, const size_t *size,
                                     size_t rank)
{
    scant_status status = SCANT_OK;
    scant_i_alternation *run = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&run, 1));
    run->goodness.loss = INFINITY;
    SCANT_I_TRY(scant_i_kruskal_new(&run->factors, order, size, rank));
    *out = run;
    run = NULL;
done:
    scant_i_alternation_free(run);
    return status;
}

void scant_i_alternation_free(scant_i_alternation *run)
{
    if (!run)
        return;
    scant_i_kruskal_free(run->factors);
    scant_i_extrapolation_free(run->extrapolation);
    scant_i_kruskal_free(run->best);
    scant_i_free(run->trace);
    scant_i_free(run);
}

scant_status scant_i_alternation_add(scant_i_alternation *run, scant_factor_step step)
{
    if (run->iterations == run->room) {
        size_t room = run->room ? 2 * run->room : 64;
        scant_status status = scant_i_resize(&run->trace, room, sizeof *run->trace);
        if (status != SCANT_OK)
            return status;
        run->room = room;
    }
    run->trace[run->iterations++] = step;
    return SCANT_OK;
}

/* --- the best factors, where rounds may raise the loss --- */

size_t scant_i_alternation_least(const scant_i_alternation *run)
{
    size_t least = 0;
    for (size_t t = 1; t < run->iterations; t++)
        if (run->trace[t].loss < run->trace[least].loss)
            least = t;
    return least;
}

/* After a round that is in the trace. */
static scant_status keep_best(scant_i_alternation *run)
{
    size_t last = run->iterations - 1;
    if (run->best && !(run->trace[last].loss < run->trace[run->least].loss))
        return SCANT_OK;
    if (!run->best) {
        const scant_i_kruskal *k = run->factors;
        scant_status status = scant_i_kruskal_new(&run->best, k->order, k->size, k->rank);
        if (status != SCANT_OK)
            return status;
    }
    scant_i_kruskal_copy(run->best, run->factors);
    run->least = last;
    return SCANT_OK;
}

void scant_i_alternation_settle(scant_i_alternation *run)
{
    if (!run->best)
        return;
    const scant_factor_step *step = &run->trace[run->least];
    scant_i_kruskal_copy(run->factors, run->best);
    run->goodness = (scant_i_goodness){.loss = step->loss, .rssr = step->rssr};
    run->kkt = step->kkt;
}

/* Of a mode's columns. Penalties tell lengths apart. */
static bool has_free_length(const scant_i_factoring *how, size_t m)
{
    return !how->fixed[m] && how->l2[m] == 0 && how->l1[m] == 0;
}

/* --- components that vanish --- */

/* Rounds in which a component that has vanished is tried again: it may have been the start's
 * fault. Later, the rank is more than the data have. */
enum { TRIES = 20 };

static bool may_revive(const scant_i_alternation *run, const scant_i_factoring *how)
{
    bool may = run->iterations < TRIES && how->solver != &scant_i_nnls_mu; /* where 0 stays 0 */
    for (size_t m = 0; m < run->factors->order; m++)
        may = may && has_free_length(how, m);
    return may;
}

static bool is_zero(const scant_i_kruskal *k, size_t m, size_t q)
{
    for (size_t i = 0; i < k->size[m]; i++)
        if (k->mode[m][i * k->lanes + q] != 0)
            return false;
    return true;
}

/* A component with a column of zeros adds nothing, whatever its other columns are: they may be
 * drawn anew, the first mode left at 0, which is updated next. */
static bool revive(scant_i_alternation *run, uint64_t seed)
{
    scant_i_kruskal *k = run->factors;
    scant_i_random random = scant_i_random_new(~seed, run->start * TRIES + run->iterations);
    bool any = false;
    for (size_t q = 0; q < k->rank; q++) {
        bool gone = false;
        for (size_t m = 0; m < k->order; m++)
            gone = gone || is_zero(k, m, q);
        for (size_t m = 0; m < k->order && gone; m++)
            for (size_t i = 0; i < k->size[m]; i++)
                k->mode[m][i * k->lanes + q] = m ? scant_i_random_uniform(&random) : 0;
        any = any || gone;
    }
    return any;
}

/* --- lengths of columns ---
 *
 * A component stays the same where one mode's column is multiplied and another's divided. Least squares cut off at zero go
 * on doing so: a mode's columns come out longer in every round, another's shorter, until one overflows while the loss stands still.
 * Columns that have come further than 2^APART from the mean of their component's are brought to it, by powers of two, which round
 * nothing. */
enum { APART = 32 };

/* The power of two of the largest number of a column; false: it has only zeros, or what is no number. */
static bool find_exponent(int *exponent, const scant_i_kruskal *k, size_t m, size_t q)
{
    double largest = 0;
    for (size_t i = 0; i < k->size[m]; i++)
        largest = fmax(largest, k->mode[m][i * k->lanes + q]);
    (void)frexp(largest, exponent);
    return largest > 0 && isfinite(largest);
}

/* *sum, *n: of the exponents of modes whose lengths are free; true: one is far from their mean. */
static bool is_apart(int *sum, int *n, const scant_i_kruskal *k, const scant_i_factoring *how,
                     size_t q)
{
    int exponent, least = INT_MAX, most = INT_MIN;
    *sum = *n = 0;
    for (size_t m = 0; m < k->order; m++) {
        if (!has_free_length(how, m))
            continue;
        if (!find_exponent(&exponent, k, m, q))
            return false;
        *sum += exponent;
        ++*n;
        least = exponent < least ? exponent : least;
        most = exponent > most ? exponent : most;
    }
    return *n > 1 && (most * *n - *sum > APART * *n || *sum - least * *n > APART * *n);
}

static bool balance(scant_i_kruskal *k, const scant_i_factoring *how)
{
    bool any = false;
    for (size_t q = 0; q < k->rank; q++) {
        int sum, n, exponent;
        if (!is_apart(&sum, &n, k, how, q))
            continue;
        for (size_t m = 0; m < k->order; m++) {
            if (!has_free_length(how, m) || !find_exponent(&exponent, k, m, q))
                continue;
            int own = sum / n; /* of what is left for the modes that are left: the sum stays */
            for (size_t i = 0; i < k->size[m]; i++)
                k->mode[m][i * k->lanes + q] = ldexp(k->mode[m][i * k->lanes + q], own - exponent);
            sum -= own;
            n--;
        }
        any = true;
    }
    return any;
}

/* --- rounds --- */

static scant_status update_all(scant_i_alternation *run, scant_i_objective *o)
{
    run->kkt = 0;
    for (size_t m = 0; m < run->factors->order; m++) {
        double kkt = 0;
        if (o->how->fixed[m])
            continue;
        scant_status status = scant_i_objective_update(o, run->factors, m, &kkt);
        if (status != SCANT_OK)
            return status;
        run->kkt = fmax(run->kkt, kkt);
    }
    return SCANT_OK;
}

static bool asked_to_stop(const scant_i_alternation *run, const scant_i_alternate_options *options)
{
    scant_progress_event event = {.what = "factor",
                                  .done = options->start,
                                  .total = options->starts > 1 ? options->starts : 0,
                                  .start = options->start,
                                  .starts = options->starts,
                                  .iteration = run->iterations,
                                  .objective = run->goodness.rssr};
    return scant_i_interrupted() ||
           (options->progress && options->progress(&event, options->payload) != 0);
}

static void decide(scant_i_alternation *run, double before, bool plain, const scant_i_objective *o,
                   const scant_i_alternate_options *options)
{
    double fall = before - run->goodness.loss;
    if (!o->how->solver->descent) /* a rise is not the end */
        fall = fabs(fall);
    bool small_fall = options->tol > 0 && fall < options->tol * o->scale;
    run->ended = true;
    if (plain && (small_fall || run->kkt < options->kkt_tol))
        run->stop = SCANT_STOP_CONVERGED;
    else if (asked_to_stop(run, options))
        run->stop = SCANT_STOP_INTERRUPTED;
    else if (run->iterations >= options->max_iter)
        run->stop = SCANT_STOP_ITERATIONS;
    else if (scant_i_seconds() >= options->deadline)
        run->stop = SCANT_STOP_TIME;
    else
        run->ended = false;
    if (run->extrapolation &&
        small_fall) /* the next round tells whether there is nothing to gain */
        run->extrapolation->ready = false;
}

/* A round ahead must gain more than rounding does, so that dense and sparse sums decide alike. */
static const double LEAST_FALL = 1e-13;

/* One round, perhaps from a point ahead. *plain: it was not, so that it tells whether the fit has converged. */
static scant_status go_round(scant_i_alternation *run, scant_i_objective *o, bool *plain)
{
    scant_status status = SCANT_OK;
    scant_i_goodness found;
    bool ahead = run->extrapolation &&
                 scant_i_extrapolation_go(run->extrapolation, run->factors, o->how->fixed);
    if (ahead)
        scant_i_objective_renew(o, run->factors);
    SCANT_I_TRY(update_all(run, o));
    SCANT_I_TRY(scant_i_objective_evaluate(&found, o, run->factors));
    if (!ahead && !(isfinite(found.loss) && isfinite(found.rssr))) /* one ahead is not kept */
        SCANT_I_TRY(
            scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                         "the factors stopped being finite numbers in iteration %zu of start "
                         "%zu: another --solver, --seed or a smaller --rank may help",
                         run->iterations + 1, run->start + 1));
    bool kept = !ahead || found.loss < run->goodness.loss - LEAST_FALL * o->scale;
    if (run->extrapolation)
        scant_i_extrapolation_end(run->extrapolation, run->factors, ahead, kept);
    if (kept)
        run->goodness = found;
    else
        scant_i_objective_renew(o, run->factors);
    *plain = !ahead;
done:
    return status;
}

scant_status scant_i_alternate(scant_i_alternation *run, scant_i_objective *o,
                               const scant_i_alternate_options *options)
{
    scant_status status = SCANT_OK;
    double begun = scant_i_seconds() - run->seconds;
    if (options->extrapolations && !run->extrapolation)
        SCANT_I_TRY(scant_i_extrapolation_new(&run->extrapolation, run->factors));
    scant_i_objective_renew(o, run->factors);
    while (!run->ended) {
        double before = run->goodness.loss;
        bool plain;
        SCANT_I_TRY(go_round(run, o, &plain));
        run->seconds = scant_i_seconds() - begun;
        SCANT_I_TRY(
            scant_i_alternation_add(run, (scant_factor_step){run->goodness.rssr, run->goodness.loss,
                                                             run->kkt, run->seconds}));
        if (!o->how->solver->descent)
            SCANT_I_TRY(keep_best(run));
        decide(run, before, plain, o, options);
        bool revived = may_revive(run, o->how) && revive(run, options->seed);
        if (revived)
            run->ended = run->ended && run->stop != SCANT_STOP_CONVERGED;
        bool balanced = !o->how->solver->descent && balance(run->factors, o->how);
        if (revived || balanced) {
            scant_i_objective_renew(o, run->factors);
            if (run->extrapolation)
                run->extrapolation->ready = false;
        }
        if (options->keep)
            SCANT_I_TRY(options->keep(run, options->keeper));
    }
done:
    return status;
}
