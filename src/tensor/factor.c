/* Factoring a tensor: words in, factors out. Starts, their comparison and the rank's choice. */
#include <scant/factor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/option_rows.h"
#include "base/options.h"
#include "tensor/resume.h"
#include "tensor/core.h"
#include "tensor/factors.h"
#include "tensor/start.h"

#define AT(field) offsetof(scant_factor_options, field)
static const scant_option table[] = {
    {"rank", 0, SCANT_OPTION_TEXT, AT(rank), "R", NULL, 0, 0, NULL,
     "components, or a range A:B to compare"},
    {"solver", 0, SCANT_OPTION_CHOICE, AT(solver), "S", "bpp", 0, 0, "bpp|active-set|als|mu|hals",
     "of the least squares problems: block principal pivoting, the active set method, least "
     "squares cut off at 0, multiplicative updates, hierarchical least squares"},
    {"loss", 0, SCANT_OPTION_CHOICE, AT(loss), "L", "square", 0, 0, "square|kl",
     "squared residuals, or Kullback-Leibler divergence, which suits counts"},
    {"missing", 0, SCANT_OPTION_CHOICE, AT(missing), "M", "error", 0, 0, "error|observed",
     "cells that are nan: an error, or left out; with observed, cells that a sparse tensor does "
     "not list are left out too, rather than 0"},
    {"l2", 0, SCANT_OPTION_LIST, AT(l2), "A,B,...", NULL, 0, 0, NULL,
     "penalty on a mode's squares, one number for all modes or one a mode"},
    {"l1", 0, SCANT_OPTION_LIST, AT(l1), "A,B,...", NULL, 0, 0, NULL,
     "penalty on the squared sums of a mode's rows, which makes zeros"},
    {"init", 0, SCANT_OPTION_CHOICE, AT(init), "I", "random", 0, 0, "random|nndsvd",
     "where to start: random numbers, or parts of singular vectors"},
    {"accelerate", 0, SCANT_OPTION_CHOICE, AT(accelerate), "A", "extrapolate", 0, 0,
     "none|extrapolate",
     "bpp and active-set: whether iterations start ahead in the direction of the last one, and are "
     "taken back where that fails"},
    {"starts", 0, SCANT_OPTION_COUNT, AT(starts), "N", "0", 0, 1e6, NULL,
     "starts in all (0: 1, or 3 for each of a range of ranks); with several, it is told how well "
     "they agree"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(max_iter), "N", "2000", 1, 1e9, NULL,
     "iterations of a start at most"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "T", "1e-9", 0, 1, NULL,
     "stop when the loss falls by less than this share of the data (0: never)"},
    {"kkt-tol", 0, SCANT_OPTION_REAL, AT(kkt_tol), "T", "0", 0, 1, NULL,
     "stop when the relative projected gradient is below this (0: never)"},
    SCANT_I_ROW_TIME_LIMIT(AT(time_limit)),
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
    SCANT_I_ROWS_CHECKPOINT(AT(checkpoint), AT(checkpoint_every), AT(resume)),
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_factor_options_preset",
                                          sizeof(scant_factor_options), table, NOPTIONS};

const scant_option *scant_factor_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_factor_options_preset)(scant_factor_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

/* --- what goes in --- */

/* A fit under way. */
typedef struct fit {
    const scant_i_tensor *tensor;
    const scant_factor_options *options;
    size_t rank;
    scant_i_factoring how;
    double *l2, *l1;
    bool *fixed;
    bool any_fixed, observed, divergence;
    size_t missing;
    double deadline;
    scant_i_objective *objective;
    scant_i_alternation **run; /* options->starts */
    scant_i_factor_resumption *checkpoint;
} fit;

static bool same(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static scant_status read_penalty(double *out, const scant_texts *texts, const char *name,
                                 size_t order)
{
    if (texts->count > 1 && texts->count != order)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: %zu numbers for %zu modes", name,
                            texts->count, order);
    for (size_t m = 0; m < order && texts->count; m++) {
        const char *text = texts->item[texts->count == 1 ? 0 : m];
        if (!scant_i_number_parse(&out[m], text, strlen(text)) || !isfinite(out[m]) || out[m] < 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not a number of at least 0",
                                name, text);
    }
    return SCANT_OK;
}

static bool any_positive(const double *penalty, size_t order)
{
    bool any = false;
    for (size_t m = 0; m < order; m++)
        any = any || penalty[m] > 0;
    return any;
}

static scant_status check_words(fit *f)
{
    const scant_factor_options *o = f->options;
    size_t order = f->tensor->order;
    f->observed = same(o->missing, "observed");
    f->divergence = same(o->loss, "kl");
    f->how.solver = scant_i_nnls_find(f->divergence ? "mu" : o->solver);
    if (!f->how.solver)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "there is no solver '%s'", o->solver);
    if (f->divergence && !same(o->solver, "mu") && !same(o->solver, "bpp"))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--loss kl is lowered by mu, not by %s", o->solver);
    if (f->divergence && (any_positive(f->l2, order) || any_positive(f->l1, order)))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--l1 and --l2 go with --loss square");
    if (o->resume && !o->checkpoint)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--resume wants --checkpoint FILE to resume from");
    return SCANT_OK;
}

/* No tensor of these sizes needs more components than all sizes but the largest multiply to. */
static scant_status check_rank(const scant_i_tensor *t, size_t rank)
{
    size_t largest = 0;
    double most = 1;
    if (t->order < 2)
        return scant_i_fail(SCANT_ERR_INPUT, "a tensor of order 1 is a list: it has no factors");
    for (size_t m = 0; m < t->order; m++) {
        most *= (double)t->size[m];
        largest = scant_i_max(largest, t->size[m]);
    }
    most /= (double)largest;
    if ((double)rank > most)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "rank %zu is more than any tensor of these sizes needs (%.0f)", rank,
                            most);
    return SCANT_OK;
}

/* Where the largest cell must be: sums of squares then neither overflow nor vanish. */
static const double CELL_LEAST = 1e-100, CELL_MOST = 1e100;

static scant_status check_cells(fit *f)
{
    const scant_i_tensor *t = f->tensor;
    char place[SCANT_I_TENSOR_PLACE];
    double largest = 0;
    size_t at = 0;
    for (size_t k = 0; k < t->nentries; k++) {
        double x = t->value[k];
        if (isinf(x)) /* readers refuse it, but tensors come from memory too */
            return scant_i_fail(SCANT_ERR_INPUT, "the cell at %s is %g, which is not finite",
                                scant_i_tensor_place(place, t, k), x);
        if (x < 0)
            return scant_i_fail(SCANT_ERR_INPUT,
                                "the cell at %s is %g; negative cells can be set to 0 "
                                "(--allow-negative)",
                                scant_i_tensor_place(place, t, k), x);
        if (isnan(x) && !f->observed)
            return scant_i_fail(SCANT_ERR_INPUT,
                                "the cell at %s is missing (NaN); missing cells can be left out "
                                "(--missing observed)",
                                scant_i_tensor_place(place, t, k));
        f->missing += isnan(x) != 0;
        at = x > largest ? k : at;
        largest = x > largest ? x : largest;
    }
    if (!(largest > 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no cell is above 0: there is nothing to factor");
    if (largest < CELL_LEAST || largest > CELL_MOST)
        return scant_i_fail(
            SCANT_ERR_INPUT,
            "the largest cell, at %s, is %g; it must be from %g to %g, so that squares "
            "can be summed: rescale the tensor",
            scant_i_tensor_place(place, t, at), largest, CELL_LEAST, CELL_MOST);
    return SCANT_OK;
}

/* A mode's factor from the caller's array; refuses what is not a nonnegative number. */
static scant_status take_mode(scant_i_kruskal *k, size_t mode, const double *from, const char *what)
{
    for (size_t i = 0; i < k->size[mode]; i++)
        for (size_t q = 0; q < k->rank; q++) {
            double x = from[i * k->rank + q];
            if (!(x >= 0) || isinf(x))
                return scant_i_fail(SCANT_ERR_INPUT, "%s of mode %zu: row %zu, component %zu is %g",
                                    what, mode + 1, i + 1, q + 1, x);
            k->mode[mode][i * k->lanes + q] = x;
        }
    return SCANT_OK;
}

static scant_status check_fixed(fit *f)
{
    size_t nfixed = 0, order = f->tensor->order;
    for (size_t m = 0; m < order && f->options->fixed; m++) {
        f->fixed[m] = f->options->fixed[m] != NULL;
        nfixed += f->fixed[m];
    }
    f->any_fixed = nfixed > 0;
    return nfixed < order ? SCANT_OK
                          : scant_i_fail(SCANT_ERR_ARGUMENT, "all modes are fixed: nothing is left "
                                                             "to be found");
}

/* Waking threads takes longer than a round of a small tensor. */
static bool is_small(const fit *f)
{
    static const double WORTH_THREADS = 1e6;
    return (double)f->tensor->nentries * (double)f->rank < WORTH_THREADS;
}

static void fit_clear(fit *f)
{
    scant_i_objective_free(f->objective);
    for (size_t s = 0; f->run && s < f->options->starts; s++)
        scant_i_alternation_free(f->run[s]);
    scant_i_free(f->run);
    scant_i_factor_resumption_free(f->checkpoint);
    scant_i_free(f->l2);
    scant_i_free(f->l1);
    scant_i_free(f->fixed);
}

static scant_status fit_begin(fit *f, const scant_i_tensor *tensor,
                              const scant_factor_options *options, size_t rank, double deadline)
{
    scant_status status = SCANT_OK;
    *f = (fit){.tensor = tensor, .options = options, .rank = rank, .deadline = deadline};
    SCANT_I_TRY(SCANT_I_NEW(&f->l2, tensor->order));
    SCANT_I_TRY(SCANT_I_NEW(&f->l1, tensor->order));
    SCANT_I_TRY(SCANT_I_NEW(&f->fixed, tensor->order));
    SCANT_I_TRY(read_penalty(f->l2, &options->l2, "l2", tensor->order));
    SCANT_I_TRY(read_penalty(f->l1, &options->l1, "l1", tensor->order));
    SCANT_I_TRY(check_words(f));
    SCANT_I_TRY(check_fixed(f));
    SCANT_I_TRY(check_rank(tensor, rank));
    SCANT_I_TRY(check_cells(f));
    f->how.l2 = f->l2;
    f->how.l1 = f->l1;
    f->how.fixed = f->fixed;
    f->how.threads = is_small(f) ? 1 : options->threads;
    SCANT_I_TRY(SCANT_I_NEW(&f->run, options->starts));
    if (f->divergence)
        SCANT_I_TRY(
            scant_i_objective_divergence(&f->objective, tensor, &f->how, rank, !f->observed));
    else if (f->observed)
        SCANT_I_TRY(scant_i_objective_observed(&f->objective, tensor, &f->how, rank));
    else
        SCANT_I_TRY(scant_i_objective_square(&f->objective, tensor, &f->how, rank));
done:
    return status;
}

/* --- starts --- */

static scant_status begin_run(fit *f, scant_i_alternation *run)
{
    scant_status status = SCANT_OK;
    const scant_factor_options *o = f->options;
    size_t order = f->tensor->order;
    for (size_t m = 0; m < order; m++)
        if (f->fixed[m])
            SCANT_I_TRY(take_mode(run->factors, m, o->fixed[m], "the fixed factor"));
    if (run->start == 0 && o->start) {
        for (size_t m = 0; m < order; m++)
            if (!f->fixed[m])
                SCANT_I_TRY(take_mode(run->factors, m, o->start[m], "the start"));
    } else if (same(o->init, "nndsvd")) {
        SCANT_I_TRY(scant_i_start_singular(run->factors, f->objective, o->seed, run->start));
    } else {
        scant_i_start_random(run->factors, &f->how, o->seed, run->start);
    }
done:
    return status;
}

static scant_status keep_state(const scant_i_alternation *run, void *keeper)
{
    fit *f = keeper;
    return f->checkpoint ? scant_i_factor_save(f->checkpoint, f->run, run->start + 1) : SCANT_OK;
}

static scant_status run_starts(fit *f, size_t *done)
{
    scant_status status = SCANT_OK;
    const scant_factor_options *o = f->options;
    scant_i_alternate_options how = {.max_iter = o->max_iter,
                                     .tol = o->tol,
                                     .kkt_tol = o->kkt_tol,
                                     .extrapolations =
                                         same(o->accelerate, "extrapolate") && f->how.solver->exact,
                                     .deadline = f->deadline,
                                     .seed = o->seed,
                                     .starts = o->starts,
                                     .progress = o->progress,
                                     .payload = o->payload,
                                     .keep = keep_state,
                                     .keeper = f};
    bool cut_short = false;
    for (size_t s = 0; s < o->starts && !cut_short; s++) {
        if (!f->run[s]) {
            SCANT_I_TRY(
                scant_i_alternation_new(&f->run[s], f->tensor->order, f->tensor->size, f->rank));
            f->run[s]->start = s;
            SCANT_I_TRY(begin_run(f, f->run[s]));
        }
        how.start = s;
        SCANT_I_TRY(scant_i_alternate(f->run[s], f->objective, &how));
        scant_stop stop = f->run[s]->stop;
        cut_short = stop == SCANT_STOP_TIME || stop == SCANT_STOP_INTERRUPTED;
        *done = s + 1;
    }
done:
    return status;
}

/* --- what comes out --- */

static size_t best_of(scant_i_alternation *const *run, size_t n)
{
    size_t best = 0;
    for (size_t s = 1; s < n; s++)
        if (run[s]->goodness.loss < run[best]->goodness.loss)
            best = s;
    return best;
}

/* Partners of the best start's components in the others. */
static scant_status compare_starts(scant_factors *out, const fit *f, size_t n, size_t best)
{
    scant_status status = SCANT_OK;
    size_t rank = f->rank, *match = NULL;
    double *congruence = NULL, total = 0;
    SCANT_I_TRY(SCANT_I_NEW(&match, rank));
    SCANT_I_TRY(SCANT_I_NEW(&congruence, rank));
    for (size_t s = 0; s < n; s++) {
        const scant_i_alternation *run = f->run[s];
        double mean = 0;
        for (size_t q = 0; q < rank; q++)
            congruence[q] = 1; /* with itself */
        if (s != best)
            SCANT_I_TRY(
                scant_i_kruskal_match(match, congruence, run->factors, f->run[best]->factors));
        for (size_t q = 0; q < rank; q++) {
            mean += congruence[q] / (double)rank;
            if (s != best)
                out->stability[q] += congruence[q] / (double)(n - 1);
        }
        total += s == best ? 0 : mean;
        out->starts[s] = (scant_factor_start){run->goodness.rssr, run->goodness.loss, run->kkt,
                                              run->iterations,    run->stop,          mean};
    }
    out->summary.stability = n > 1 ? total / (double)(n - 1) : NAN;
    for (size_t q = 0; q < rank && n == 1; q++)
        out->stability[q] = NAN;
done:
    scant_i_free(match);
    scant_i_free(congruence);
    return status;
}

/* What is not a number is no result. */
static scant_status check_finite(const double *x, size_t n)
{
    for (size_t t = 0; t < n; t++)
        if (!isfinite(x[t]))
            return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                "the factors have %g among them, which is no result: another "
                                "--solver, --seed or a smaller --rank may help",
                                x[t]);
    return SCANT_OK;
}

static scant_status copy_factors(scant_factors *out, const scant_i_kruskal *k)
{
    scant_status status = SCANT_OK;
    for (size_t m = 0; m < k->order; m++) {
        SCANT_I_TRY(SCANT_I_NEW(&out->mode[m], k->size[m] * k->rank));
        out->size[m] = k->size[m];
        for (size_t i = 0; i < k->size[m]; i++)
            memcpy(out->mode[m] + i * k->rank, k->mode[m] + i * k->lanes, k->rank * sizeof(double));
        SCANT_I_TRY(check_finite(out->mode[m], k->size[m] * k->rank));
    }
    status = check_finite(out->weight, k->rank);
done:
    return status;
}

static scant_status judge(scant_factors *out, const fit *f, scant_i_kruskal *k)
{
    scant_factor_summary *s = &out->summary;
    for (size_t q = 0; q < f->rank; q++)
        out->weight[q] = 1;
    if (!f->any_fixed)
        scant_i_kruskal_normalise(out->weight, k);
    for (size_t q = 0; q < f->rank; q++)
        s->vanished += out->weight[q] == 0;
    s->core_consistency = NAN;
    return f->missing || f->observed
               ? SCANT_OK
               : scant_i_core_consistency(&s->core_consistency, f->tensor, k, out->weight);
}

static scant_status make_result(scant_factors **result, fit *f, size_t n)
{
    scant_status status = SCANT_OK;
    scant_factors *out = NULL;
    for (size_t s = 0; s < n; s++)
        scant_i_alternation_settle(f->run[s]);
    size_t best = best_of(f->run, n);
    scant_i_alternation *run = f->run[best];
    *result = NULL;
    SCANT_I_TRY(scant_i_factors_new(&out, f->tensor->order, f->rank, n));
    out->summary = (scant_factor_summary){.order = f->tensor->order,
                                          .rank = f->rank,
                                          .rssr = run->goodness.rssr,
                                          .loss = run->goodness.loss,
                                          .kkt = run->kkt,
                                          .iterations = run->iterations,
                                          .stop = f->run[n - 1]->stop,
                                          .starts = n,
                                          .best_start = best,
                                          .missing = f->missing,
                                          .seed = f->options->seed};
    if (out->summary.stop != SCANT_STOP_TIME && out->summary.stop != SCANT_STOP_INTERRUPTED)
        out->summary.stop = run->stop;
    SCANT_I_TRY(
        judge(out, f, run->factors)); /* puts components in order, before they are compared */
    SCANT_I_TRY(compare_starts(out, f, n, best));
    SCANT_I_TRY(copy_factors(out, run->factors));
    for (size_t s = 0; s < n; s++)
        out->summary.seconds += f->run[s]->seconds;
    out->trace = run->trace;
    run->trace = NULL;
    *result = out;
    out = NULL;
done:
    scant_factors_free(out);
    return status;
}

/* --- the public calls --- */

static scant_status read_ranks(size_t *low, size_t *high, const char *text)
{
    char *end = NULL;
    *low = *high = 0;
    if (text && text[0] >= '0' && text[0] <= '9') {
        *low = *high = strtoull(text, &end, 10);
        if (*end == ':' && end[1] >= '0' && end[1] <= '9')
            *high = strtoull(end + 1, &end, 10);
    }
    if (!text || !end || *end || *low < 1 || *high < *low || *high > UINT32_MAX)
        return scant_i_fail(
            SCANT_ERR_ARGUMENT,
            "--rank: '%s' is neither a whole number above 0 nor a range A:B of them",
            text ? text : "");
    return SCANT_OK;
}

static scant_status factor(scant_factors **out, const scant_i_tensor *tensor,
                           const scant_factor_options *options, size_t rank, double deadline)
{
    scant_status status = SCANT_OK;
    size_t done_runs = 0;
    fit f;
    SCANT_I_TRY(fit_begin(&f, tensor, options, rank, deadline));
    if (options->checkpoint)
        SCANT_I_TRY(scant_i_factor_resume(&f.checkpoint, f.run, tensor, options, rank));
    SCANT_I_TRY(run_starts(&f, &done_runs));
    SCANT_I_TRY(make_result(out, &f, done_runs));
done:
    fit_clear(&f);
    return status;
}

enum { STARTS = 1, SWEEP_STARTS = 3 }; /* stability, by which ranks are compared, takes several */

/* The caller's options, checked; `starts` where they name no number. */
static scant_status take_options(scant_factor_options *with, const scant_factor_options *options,
                                 size_t starts)
{
    scant_status status = scant_i_options_take(with, options, &kind);
    if (status == SCANT_OK && with->starts == 0)
        with->starts = starts;
    return status;
}

static double deadline_of(const scant_factor_options *options)
{
    return options->time_limit > 0 ? scant_i_seconds() + options->time_limit : INFINITY;
}

scant_status scant_factor(scant_factors **out, const scant_tensor *tensor,
                          const scant_factor_options *options)
{
    size_t low, high;
    scant_factor_options with;
    *out = NULL;
    scant_status status = take_options(&with, options, STARTS);
    if (status == SCANT_OK)
        status = read_ranks(&low, &high, with.rank);
    if (status != SCANT_OK)
        return status;
    if (low != high)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--rank: one number is wanted, not '%s'",
                            with.rank);
    return factor(out, tensor, &with, low, deadline_of(&with));
}

/* A rank too high shows in a core that is not diagonal, or in starts that end elsewhere. */
static bool is_sound(const scant_factor_summary *s)
{
    static const double CONSISTENT = 60, STABLE = 0.9;
    return s->core_consistency >= CONSISTENT && !(s->stability < STABLE);
}

scant_status scant_factor_sweep(scant_factor_sweep_result *out, scant_factors **factors,
                                const scant_tensor *tensor, const scant_factor_options *options)
{
    scant_status status = SCANT_OK;
    size_t low = 0, high = 0;
    scant_factors *one = NULL, *kept = NULL;
    scant_factor_options with;
    *out = (scant_factor_sweep_result){0};
    if (factors)
        *factors = NULL;
    SCANT_I_TRY(take_options(&with, options, SWEEP_STARTS));
    double deadline = deadline_of(&with);
    SCANT_I_TRY(read_ranks(&low, &high, with.rank));
    if (with.checkpoint || with.start || with.fixed) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "a range of ranks goes with no checkpoint, start or fixed mode");
        goto done;
    }
    SCANT_I_TRY(check_rank(tensor, high)); /* before the work, not after all of it */
    SCANT_I_TRY(SCANT_I_NEW(&out->summary, high - low + 1));
    out->best = high - low + 1;
    for (size_t k = 0; k <= high - low; k++) {
        SCANT_I_TRY(factor(&one, tensor, &with, low + k, deadline));
        out->summary[k] = one->summary;
        out->count = k + 1;
        bool sound = is_sound(&one->summary);
        if (sound || out->best == high - low + 1) {
            scant_factors_free(kept);
            kept = one;
            one = NULL;
        }
        if (sound)
            out->best = k;
        scant_factors_free(one);
        one = NULL;
        scant_stop stop = out->summary[k].stop;
        if (stop == SCANT_STOP_INTERRUPTED || stop == SCANT_STOP_TIME)
            break;
    }
    out->best = scant_i_min(out->best, out->count);
    if (factors) {
        *factors = kept;
        kept = NULL;
    }
done:
    scant_factors_free(kept);
    scant_factors_free(one);
    if (status != SCANT_OK)
        scant_factor_sweep_clear(out);
    return status;
}

void scant_factor_sweep_clear(scant_factor_sweep_result *sweep)
{
    scant_i_free(sweep->summary);
    *sweep = (scant_factor_sweep_result){0};
}
