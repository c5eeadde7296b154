/* From the likelihood to the conditional likelihood.
 *
 *   O_S = sum_labeled w log p(y | x) + S sum w log p(x, y) + (1 + S) W sum_unlabeled w log p(x)
 *
 * e^(S l) is a prior whose mode is the likelihood's fit; one number goes from discriminative (0) to generative. Every
 * start of EM is one of O_S, once EM has ended, and the best O_S is kept. Steps by bounds are those of latent/cem.c, the
 * gradient is in latent/coordinates.c. */
#include "fit/conditional.h"

#include <math.h>
#include <string.h>

#include "family/gaussian.h"
#include "latent/cem.h"
#include "latent/coordinates.h"
#include "model/options.h"

/* --- before --- */

/* Full and tied covariances have bounds that are too loose to get far by. */
static bool is_loose(const scant_i_factor *factor)
{
    return factor->family == &scant_i_gaussian && !factor->settings.fixed_covariances &&
           (scant_i_gaussian_shape(factor) == SCANT_I_FULL || scant_i_gaussian_tied(factor));
}

static scant_status choose_optimizer(bool *climbs, const char *optimizer,
                                     const scant_i_mixture *layout,
                                     const scant_i_evidence *evidence, bool missing)
{
    char families[256];
    const char *without_bound = scant_i_cem_refuses(layout, evidence, missing);
    const char *without_slope = scant_i_coordinates_refuse(layout);
    bool loose = without_bound != NULL;
    for (size_t f = 0; f < layout->nfactors; f++)
        loose = loose || is_loose(layout->factor[f]);
    *climbs = strcmp(optimizer, "lbfgs") == 0 ||
              (strcmp(optimizer, "auto") == 0 && loose && !without_slope);
    if (*climbs && without_slope)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--optimizer lbfgs: no gradient is known for %s",
                            without_slope);
    if (*climbs || !without_bound)
        return SCANT_OK;
    scant_i_cem_families(families, sizeof families);
    return scant_i_fail(
        SCANT_ERR_ARGUMENT,
        "--objective conditional: no bound is known for %s; families that have one: %s",
        without_bound, families);
}

static scant_status check_classes(const scant_rows *rows, const scant_i_survey *survey)
{
    size_t K = rows->labels.code ? rows->labels.nclasses : 0;
    double labeled = 0;
    for (size_t k = 0; k < K; k++)
        labeled += survey->weight[k];
    for (size_t k = 0; k < K && labeled > 0; k++)
        if (!(survey->weight[k] > 0))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "class %s has no labeled row: the conditional likelihood would "
                                "give it up",
                                rows->labels.classes[k]);
    return SCANT_OK;
}

static bool is_known(const scant_i_conditional *c, double objective)
{
    static const double SAME = 1e-9;
    for (size_t r = 0; r < c->count; r++)
        if (fabs(c->objective[r] - objective) <= SAME * (1 + fabs(objective)))
            return true;
    return false;
}

static scant_status keep(const scant_i_run *run, void *payload)
{
    scant_i_conditional *c = payload;
    double objective = run->objective / run->weight;
    if (c->count == c->room || is_known(c, objective))
        return SCANT_OK;
    scant_status status = scant_i_mixture_copy(&c->start[c->count], run->mixture);
    if (status == SCANT_OK)
        c->objective[c->count++] = objective;
    return status;
}

scant_status scant_i_conditional_open(scant_i_conditional *out, scant_i_engine_options *engine,
                                      const scant_fit_options *options,
                                      const scant_i_mixture *layout, const scant_rows *rows,
                                      const scant_i_evidence *evidence,
                                      const scant_i_survey *survey)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_conditional){.room = engine->starts};
    const char *what = scant_i_conditional_refuses(layout, evidence);
    if (what)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--objective conditional: not with %s", what);
    SCANT_I_TRY(
        choose_optimizer(&out->climbs, options->run.optimizer, layout, evidence, survey->missing));
    SCANT_I_TRY(check_classes(rows, survey));
    SCANT_I_TRY(SCANT_I_NEW(&out->start, out->room));
    SCANT_I_TRY(SCANT_I_NEW(&out->objective, out->room));
    engine->ended = keep;
    engine->ended_payload = out;
done:
    return status;
}

void scant_i_conditional_close(scant_i_conditional *conditional)
{
    for (size_t r = 0; r < conditional->count; r++)
        scant_i_mixture_free(conditional->start[r]);
    scant_i_free(conditional->start);
    scant_i_free(conditional->objective);
}

/* --- the fit --- */

static bool is_cut(const scant_i_run *run)
{
    return run->stop == SCANT_STOP_TIME || run->stop == SCANT_STOP_INTERRUPTED;
}

static bool is_better(const scant_i_run *a, const scant_i_run *b)
{
    static const double ROUNDING = 1e-12;
    if (!b || a->healthy != b->healthy)
        return !b || a->healthy;
    return a->objective > b->objective + ROUNDING * fabs(b->objective);
}

scant_status scant_i_conditional_fit(scant_i_run **run, const scant_i_conditional *from,
                                     const scant_rows *rows, const scant_i_evidence *evidence,
                                     const scant_i_engine_options *engine,
                                     const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_run *best = NULL, *one = NULL;
    scant_i_cem_settings settings = {.generative = scant_i_hybrid(options),
                                     .rule = SCANT_I_BOUND_BEST};
    scant_i_latent_objective objective =
        from->climbs ? scant_i_objective_conditional(&settings) : scant_i_objective_cem(&settings);
    scant_i_engine_options own = *engine;
    double began = scant_i_seconds();
    own.objective = &objective;
    own.climbs = from->climbs;
    own.given = true;
    own.starts = 1;
    own.ended = NULL;
    if (is_cut(*run)) /* there is no time left */
        own.max_iter = 0;
    for (size_t r = 0; r < from->count && !(best && is_cut(best)); r++) {
        own.time_limit = scant_i_time_left(engine->time_limit, began);
        SCANT_I_TRY(scant_i_engine_fit(&one, from->start[r], rows, evidence, &own));
        one->start = r;
        if (is_better(one, best)) {
            scant_i_run *worse = best;
            best = one;
            one = worse;
        }
        scant_i_run_free(one);
        one = NULL;
    }
    if (is_cut(*run))
        best->stop = (*run)->stop;
    scant_i_run_free(*run);
    *run = best;
    best = NULL;
done:
    scant_i_run_free(best);
    return status;
}

/* --- afterwards --- */

scant_status scant_i_conditional_judge(scant_model *model, const scant_rows *rows,
                                       const scant_fit_options *options)
{
    static const double SURE = 1e-3; /* mean log loss of labels that all are right */
    scant_status status = SCANT_OK;
    scant_evaluation e = {0};
    scant_predict_options predict = {.size = sizeof predict, .threads = options->run.threads};
    bool bounded = scant_i_hybrid(options) > 0 || (model->summary.labeled < model->summary.rows &&
                                                   scant_i_unlabeled_weight(options) > 0);
    if (bounded || model->nclasses < 2 || model->summary.labeled == 0)
        return SCANT_OK;
    SCANT_I_TRY(scant_model_evaluate(&e, model, rows, &predict));
    if (e.accuracy < 1 || !(e.log_loss < SURE))
        goto done;
    if (!scant_i_interrupted())
        model->summary.stop = SCANT_STOP_SEPARABLE;
    SCANT_I_TRY(scant_i_model_add_warning(model,
                                          "the classes are separable: the conditional likelihood "
                                          "rises without end, and the fit was stopped on "
                                          "its way; --hybrid 0.01 (or auto) gives it a maximum"));
done:
    scant_evaluation_clear(&e);
    return status;
}
