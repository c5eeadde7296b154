/* Fitting a mixture: words and rows in, a model out.
 *
 * Objective  sum_i w_i log p(x_i, evidence_i) + log prior(theta), maximised by EM from several
 * starts (latent/engine.c). Every method is a row of settings: the layout says which component may
 * serve which class, the evidence what is known of each row. */
#include <scant/fit.h>

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "data/sequence.h"
#include "latent/engine.h"
#include "fit/conditional.h"
#include "fit/resume.h"
#include "fit/coupling.h"
#include "fit/layout.h"
#include "fit/shrinkage.h"
#include "model/method.h"
#include "model/model.h"
#include "model/noise.h"
#include "model/options.h"

/* --- what goes in --- */

/* Where each class has one component and each row its class, there is one maximum. */
static bool is_plain(const scant_i_mixture *mixture, const scant_i_survey *survey)
{
    size_t used = 0;
    for (size_t k = 0; k < mixture->nclasses; k++)
        for (size_t j = 0; j < mixture->ncomponents; j++)
            used += mixture->coupling.W[k * mixture->stride + j] > 0;
    if (used > mixture->nclasses)
        return false;
    for (size_t e = mixture->nclasses; e < survey->nentries && mixture->nclasses > 1; e++)
        if (survey->weight[e] > 0)
            return false;
    return true;
}

static size_t choose_starts(const scant_fit_options *options, const scant_i_mixture *mixture,
                            const scant_i_survey *survey)
{
    size_t nrows = survey->counts.nrows;
    if (options->run.starts)
        return options->run.starts;
    if (is_plain(mixture, survey))
        return 1;
    return nrows <= 20000 ? 10 : nrows <= 200000 ? 3 : 1;
}

/* The rows come in as if nothing were known of them, with the weights they have as they are; `weight` is the caller's to
 * free. */
static scant_status hide_labels(scant_i_evidence *fitted, double **weight, size_t nrows)
{
    if (fitted->unlabelled_weight != 1) {
        scant_status status = SCANT_I_NEW(weight, nrows);
        if (status != SCANT_OK)
            return status;
        for (size_t i = 0; i < nrows; i++)
            (*weight)[i] = scant_i_evidence_weight(fitted, i);
        fitted->weight = *weight;
        fitted->unlabelled_weight = 1;
    }
    fitted->code = NULL;
    return SCANT_OK;
}

/* Rows there must be; and a column without a single value says nothing, and nothing can be said of
 * it. */
static scant_status check_columns(const scant_rows *rows, const scant_i_survey *survey)
{
    if (rows->nrows == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "there are no rows to fit");
    if (!(scant_i_survey_total_rows(survey) > 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
    for (size_t c = 0; c < survey->ncolumns; c++) {
        char made[SCANT_I_MADE_NAME];
        if (!(survey->column[c].rows > 0))
            return scant_i_fail(SCANT_ERR_INPUT, "column %s has no value in any row; leave it out",
                                scant_i_column_name(rows, c, made));
    }
    return SCANT_OK;
}

/* A component that is to find its classes starts within one of them: put between two, it would
 * stay there. */
static scant_i_start_kind start_kind(const scant_fit_options *options)
{
    double lambda;
    bool learned = scant_i_sharing_of(options->model.sharing, &lambda) == SCANT_I_BY_SEARCH;
    if (strcmp(options->run.init, "random") == 0)
        return SCANT_I_START_RANDOM;
    return learned || strcmp(options->run.init, "labels") == 0 ? SCANT_I_START_LABELS
                                                               : SCANT_I_START_KMEANS;
}

static scant_status read_start(scant_model **owned, const scant_fit_options *options,
                               const scant_model **start)
{
    *start = options->run.start;
    if (options->run.start || strcmp(options->run.init, "random") == 0 ||
        strcmp(options->run.init, "kmeans") == 0 || strcmp(options->run.init, "labels") == 0)
        return SCANT_OK;
    scant_status status = scant_model_read(owned, options->run.init);
    *start = *owned;
    return status;
}

/* --- what comes out --- */

static scant_status describe(scant_model *model, const scant_rows *rows, const scant_fit_options *o,
                             const scant_i_method *method, size_t starts, bool climbs)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_model_add_setting(model, "sharing", "%s",
                                          o->model.sharing_table ? "table" : o->model.sharing));
    if (model->nclasses) {
        SCANT_I_TRY(scant_i_model_add_setting(model, "unlabeled", "%s", method->name));
        SCANT_I_TRY(
            scant_i_model_add_number(model, "unlabeled-weight", scant_i_unlabeled_weight(o)));
        SCANT_I_TRY(
            scant_i_model_add_setting(model, "context-mode", "%s", o->evidence.context_mode));
        if (scant_i_noise_given(o))
            SCANT_I_TRY(scant_i_model_add_setting(
                model, "label-noise", "%s",
                o->evidence.label_noise_table ? "table" : o->evidence.label_noise));
    }
    if (o->model.prior)
        SCANT_I_TRY(scant_i_model_add_setting(model, "prior", "%s", o->model.prior));
    if (o->model.target)
        SCANT_I_TRY(scant_i_model_add_setting(model, "target", "%s", o->model.target));
    SCANT_I_TRY(
        scant_i_model_add_setting(model, "init", "%s", o->run.start ? "model" : o->run.init));
    SCANT_I_TRY(scant_i_model_add_setting(model, "accelerate", "%s", o->run.accelerate));
    SCANT_I_TRY(scant_i_model_add_setting(model, "anneal", "%s", o->run.anneal ? "yes" : "no"));
    if (scant_i_is_conditional(o)) {
        SCANT_I_TRY(scant_i_model_add_setting(model, "objective", "%s", o->run.objective));
        SCANT_I_TRY(scant_i_model_add_setting(model, "optimizer", "%s", climbs ? "lbfgs" : "cem"));
        SCANT_I_TRY(scant_i_model_add_number(model, "hybrid", scant_i_hybrid(o)));
    }
    if (strcmp(o->model.fixed, "none") != 0)
        SCANT_I_TRY(scant_i_model_add_setting(model, "fixed", "%s", o->model.fixed));
    SCANT_I_TRY(scant_i_model_add_number(model, "min-variance", o->model.min_variance));
    if (scant_i_shrinkage(o) > 0)
        SCANT_I_TRY(scant_i_model_add_number(model, "shrinkage", scant_i_shrinkage(o)));
    SCANT_I_TRY(scant_i_model_add_number(model, "smooth", o->model.smooth));
    if (rows->sequential) {
        SCANT_I_TRY(scant_i_model_add_setting(model, "sequence", "%s",
                                              rows->group_name ? rows->group_name : "sequence"));
        SCANT_I_TRY(scant_i_model_add_setting(model, "transitions", "%s", o->model.transitions));
    }
    SCANT_I_TRY(scant_i_model_add_setting(model, "starts", "%zu", starts));
    SCANT_I_TRY(scant_i_model_add_setting(model, "max-iter", "%zu", o->run.max_iter));
    SCANT_I_TRY(scant_i_model_add_number(model, "tol", o->run.tol));
done:
    return status;
}

static scant_status warn_of_columns(scant_model *model, const scant_rows *rows,
                                    const scant_i_survey *survey)
{
    scant_status status = SCANT_OK;
    for (size_t c = 0; c < survey->ncolumns && status == SCANT_OK; c++) {
        char made[SCANT_I_MADE_NAME];
        if (survey->column[c].least == survey->column[c].most && model->summary.rows > 1)
            status = scant_i_model_add_warning(
                model, "column %s has the same value in every row: it tells nothing",
                scant_i_column_name(rows, c, made));
    }
    return status;
}

/* A form that was chosen because the rows do not support a full one. */
static scant_status warn_of_covariance(scant_model *model, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = model->mixture;
    bool chosen = strcmp(options->model.covariance, "auto") == 0 && !options->run.start;
    for (size_t f = 0; f < m->nfactors && chosen && status == SCANT_OK; f++) {
        const scant_i_factor *of = m->factor[f];
        const char *form = of->family->has_covariances ? of->settings.covariance : "full";
        if (strcmp(form, "full") != 0)
            status = scant_i_model_add_warning(
                model,
                "covariance %s was chosen: %zu rows are too few for full ones of %zu columns "
                "(--covariance full has them all the same)",
                form, model->summary.rows, of->ncolumns);
    }
    return status;
}

/* --- what is wrong with components --- */

typedef enum fault { SOUND, EMPTY, AT_FLOOR, TOO_FEW, UNLABELLED, MIXED, FAULTS } fault;
enum { ALIKE = 5 }; /* warnings of one kind; more are one */

static fault fault_of_rows(const scant_model *model, size_t j)
{
    switch (scant_i_mixture_health(model->mixture, j, model->component_rows[j])) {
    case SCANT_I_EMPTY: return EMPTY;
    case SCANT_I_AT_FLOOR: return AT_FLOOR;
    case SCANT_I_TOO_FEW: return TOO_FEW;
    case SCANT_I_HEALTHY: break;
    }
    return SOUND;
}

/* Components that no label speaks of, and such as hold labelled rows of several classes. */
static fault fault_of_labels(const scant_model *model, size_t j)
{
    static const double PURE = 0.8, FEW = 5; /* share, and rows to judge it by */
    double labelled = 0, own = 0;
    for (size_t k = 0; k < model->nclasses; k++) {
        labelled += scant_model_component_composition(model, j, k);
        own += model->component_labelled[j * model->nclasses + k];
    }
    if (own < 0.5)
        return UNLABELLED;
    return labelled >= FEW && scant_model_component_purity(model, j) < PURE ? MIXED : SOUND;
}

static scant_status warn_of_one(scant_model *model, size_t j, fault of)
{
    double rows = model->component_rows[j];
    switch (of) {
    case EMPTY:
        return scant_i_model_add_warning(model, "component %zu is empty: fewer would do", j + 1);
    case AT_FLOOR:
        return scant_i_model_add_warning(model,
                                         "component %zu sits at the variance floor: its %.*g rows "
                                         "hardly vary in some direction, compared with all rows",
                                         j + 1, rows < 1000 ? 3 : 15,
                                         rows < 1000 ? rows : round(rows));
    case TOO_FEW:
        return scant_i_model_add_warning(
            model, "component %zu has %.3g rows, fewer than its columns call for", j + 1, rows);
    case UNLABELLED:
        return scant_i_model_add_warning(
            model, "component %zu has no labelled row: its class is a guess of the structure",
            j + 1);
    case MIXED:
        return scant_i_model_add_warning(
            model, "component %zu mixes classes: %.0f %% of its labelled rows are of one", j + 1,
            100 * scant_model_component_purity(model, j));
    default: return SCANT_OK;
    }
}

/* All components with this fault at once, by the numbers of the first. */
static scant_status warn_of_many(scant_model *model, const size_t *first, size_t count, fault of)
{
    static const char *const what[FAULTS][2] = {
        [EMPTY] = {"are empty", "fewer would do"},
        [AT_FLOOR] = {"sit at the variance floor",
                      "their rows hardly vary in some direction, compared with all rows"},
        [TOO_FEW] = {"have few rows", "fewer than their columns call for"},
        [UNLABELLED] = {"have no labelled row", "their classes are a guess of the structure"},
        [MIXED] = {"mix classes", "fewer than 80 % of their labelled rows are of one"}};
    return scant_i_model_add_warning(
        model, "%zu of %zu components %s (%zu, %zu, %zu, %zu, %zu, ...): %s", count,
        model->mixture->ncomponents, what[of][0], first[0] + 1, first[1] + 1, first[2] + 1,
        first[3] + 1, first[4] + 1, what[of][1]);
}

static scant_status warn_of_faults(scant_model *model, fault (*find)(const scant_model *, size_t))
{
    scant_status status = SCANT_OK;
    size_t count[FAULTS] = {0}, first[FAULTS][ALIKE] = {{0}}, M = model->mixture->ncomponents;
    for (size_t j = 0; j < M; j++) {
        fault of = find(model, j);
        if (count[of]++ < ALIKE)
            first[of][count[of] - 1] = j;
    }
    for (size_t j = 0; j < M && status == SCANT_OK; j++) {
        fault of = find(model, j);
        if (of != SOUND && count[of] <= ALIKE)
            status = warn_of_one(model, j, of);
        else if (of != SOUND && j == first[of][0])
            status = warn_of_many(model, first[of], count[of], of);
    }
    return status;
}

/* Classes that are numbers are in their order: 1 and 1.0 are neighbours. */
static scant_status warn_of_numbers(scant_model *model)
{
    scant_status status = SCANT_OK;
    for (size_t k = 1; k < model->nclasses && status == SCANT_OK; k++) {
        const char *name = model->classes[k], *before = model->classes[k - 1];
        double value, other;
        if (scant_i_number_parse(&value, name, strlen(name)) &&
            scant_i_number_parse(&other, before, strlen(before)) && value == other)
            status = scant_i_model_add_warning(
                model, "classes %s and %s are the same number, but two classes", before, name);
    }
    return status;
}

/* A class whose labels are mostly others' has lost its name. */
static scant_status warn_of_noise(scant_model *model)
{
    const scant_i_mixture *m = model->mixture;
    scant_status status = SCANT_OK;
    for (size_t k = 0;
         k < model->nclasses && m->coupling.noise && m->coupling.noise_free && status == SCANT_OK;
         k++)
        if (!(m->coupling.noise[k * m->nclasses + k] > 0.5))
            status = scant_i_model_add_warning(
                model, "estimated label noise: rows of class %s are labelled so in %.0f %% only",
                model->classes[k], 100 * m->coupling.noise[k * m->nclasses + k]);
    return status;
}

/* Rows of weight 0 are not there. */
static void count_rows(scant_model *model, const scant_i_evidence *evidence,
                       const scant_i_survey *survey)
{
    double unknown = survey->rows[scant_i_evidence_entry_of(evidence, -1)];
    model->summary.rows = (size_t)scant_i_survey_total_rows(survey);
    model->summary.labeled = model->summary.rows - (size_t)unknown;
}

/* Sharing was learned: fits again from where it stands, under the zeros it settles on; a fit that was cut short is only
 * looked at again. */
static scant_status refit_settled(scant_i_run **run, const scant_rows *rows,
                                  const scant_i_evidence *evidence,
                                  const scant_i_engine_options *engine)
{
    scant_i_mixture *settled = (*run)->mixture;
    scant_i_run *again = NULL;
    scant_i_engine_options from_there = *engine;
    double *R = settled->coupling.R;
    settled->coupling.R = NULL;
    scant_i_sharing_settle(settled, R);
    scant_i_free(R);
    from_there.given = true;
    from_there.anneal = false;
    from_there.save = NULL;
    from_there.resume_current = from_there.resume_best = NULL;
    if ((*run)->stop == SCANT_STOP_INTERRUPTED || (*run)->stop == SCANT_STOP_TIME)
        from_there.max_iter = 0;
    scant_status status = scant_i_engine_fit(&again, settled, rows, evidence, &from_there);
    if (status == SCANT_OK) {
        if ((*run)->stop != SCANT_STOP_CONVERGED) /* what R settled on was not settled */
            again->stop = (*run)->stop;
        again->start = (*run)->start;
        again->iterations += (*run)->iterations;
        scant_i_run_free(*run);
        *run = again;
    }
    return status;
}

scant_status scant_fit(scant_model **out, const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_fit_options taken;
    scant_i_mixture *layout = NULL;
    scant_i_run *run = NULL;
    scant_model *model = NULL, *own_start = NULL;
    scant_rows *own_rows = NULL;
    double *weight = NULL;
    scant_i_evidence evidence = {0}, fitted;
    scant_i_survey columns = {0}, labels = {0};
    scant_i_evidence_settings settings;
    const scant_i_method *method = NULL;
    scant_i_resumption resumption = {0};
    scant_i_conditional conditional = {0};
    const scant_model *start = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    SCANT_I_TRY(scant_i_survey_new(&columns, rows, NULL, SCANT_I_COLUMNS, options->run.threads));
    SCANT_I_TRY(check_columns(rows, &columns));
    SCANT_I_TRY(read_start(&own_start, options, &start));
    if (start)
        SCANT_I_TRY(scant_i_model_needs_mixture(start, "a start"));
    double began = scant_i_seconds(); /* reading a start is not fitting */
    SCANT_I_TRY(scant_i_method_choose(&method, &settings, options));
    SCANT_I_TRY(scant_i_layout_new(&layout, rows, options, method, start));
    SCANT_I_TRY(scant_i_rows_for(layout, rows, &own_rows, &rows));
    SCANT_I_TRY(scant_i_mixture_validate(layout, rows));
    if (own_rows) { /* as the families take them */
        scant_i_survey_clear(&columns);
        SCANT_I_TRY(
            scant_i_survey_new(&columns, rows, NULL, SCANT_I_COLUMNS, options->run.threads));
    }
    SCANT_I_TRY(scant_i_mixture_set_units(layout, rows, &columns));
    SCANT_I_TRY(scant_i_shrinkage_aim(layout, rows));
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, layout->nclasses, &settings));
    SCANT_I_TRY(
        scant_i_survey_new(&labels, rows, &evidence, SCANT_I_NO_CELLS, options->run.threads));
    SCANT_I_TRY(scant_i_mixture_find_fallback(layout, &evidence, &labels));
    fitted = evidence;
    if (method->after)
        SCANT_I_TRY(hide_labels(&fitted, &weight, rows->nrows));
    scant_i_engine_options engine = {
        .starts = start ? 1 : choose_starts(options, layout, &labels),
        .max_iter = options->run.max_iter,
        .tol = options->run.tol,
        .time_limit = options->run.time_limit,
        .squarem = strcmp(options->run.accelerate, "squarem") == 0,
        .anneal = options->run.anneal,
        .given = start != NULL,
        .kind = start_kind(options),
        .seed = options->run.seed,
        .threads = options->run.threads,
        .progress = options->run.progress,
        .payload = options->run.payload,
    };
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    if (scant_i_is_conditional(options))
        SCANT_I_TRY(scant_i_conditional_open(&conditional, &engine, options, layout, rows, &fitted,
                                             &labels));
    SCANT_I_TRY(describe(model, rows, options, method, engine.starts, conditional.climbs));
    SCANT_I_TRY(scant_i_resume_open(&resumption, &engine, options, model, layout, rows));
    SCANT_I_TRY(scant_i_engine_fit(&run, layout, rows, &fitted, &engine));
    engine.time_limit = scant_i_time_left(options->run.time_limit, began);
    if (conditional.count)
        SCANT_I_TRY(scant_i_conditional_fit(&run, &conditional, rows, &fitted, &engine, options));
    if (run->mixture->coupling.R && run->mixture->coupling.R_free)
        SCANT_I_TRY(refit_settled(&run, rows, &evidence, &engine));
    if (run->mixture->coupling.R || method->after)
        SCANT_I_TRY(
            scant_i_engine_judge(run, rows, &evidence, options->run.threads, method->after));
    count_rows(model, &evidence, &labels);
    SCANT_I_TRY(scant_i_model_take_run(model, run));
    model->summary.starts = engine.starts;
    model->summary.seed = options->run.seed;
    model->summary.sequences = scant_rows_sequences(rows);
    model->own_class = method->own_class;
    model->unlabeled_smoothing = options->evidence.unlabeled_smoothing;
    SCANT_I_TRY(warn_of_columns(model, rows, &columns));
    SCANT_I_TRY(warn_of_numbers(model));
    SCANT_I_TRY(warn_of_covariance(model, options));
    SCANT_I_TRY(warn_of_faults(model, fault_of_rows));
    if (model->nclasses) {
        SCANT_I_TRY(
            SCANT_I_NEW(&model->composition, model->mixture->ncomponents * (model->nclasses + 1)));
        SCANT_I_TRY(scant_i_engine_compose(model->composition, model->mixture, rows, &evidence,
                                           options->run.threads));
        SCANT_I_TRY(warn_of_faults(model, fault_of_labels));
        SCANT_I_TRY(warn_of_noise(model));
    }
    if (conditional.count)
        SCANT_I_TRY(scant_i_conditional_judge(model, rows, options));
    model->summary.seconds = scant_i_seconds() - began;
    *out = model;
    model = NULL;
done:
    scant_i_conditional_close(&conditional);
    scant_i_survey_clear(&columns);
    scant_i_survey_clear(&labels);
    scant_i_evidence_clear(&evidence);
    scant_i_free(weight);
    scant_i_run_free(run);
    scant_i_mixture_free(layout);
    scant_model_free(model);
    scant_model_free(own_start);
    scant_rows_free(own_rows);
    return status;
}
