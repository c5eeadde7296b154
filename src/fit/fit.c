/* Fitting a mixture: words and rows in, a model out.
 *
 * Objective  sum_i w_i log p(x_i, evidence_i) + log prior(theta), maximised by EM from several
 * starts (latent/engine.c). Every method is a row of settings: the layout says which component may
 * serve which class, the evidence what is known of each row. */
#include <scant/fit.h>

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/option_rows.h"
#include "latent/engine.h"
#include "fit/checkpoint.h"
#include "fit/coupling.h"
#include "fit/layout.h"
#include "model/method.h"
#include "model/model.h"

#define AT(field) offsetof(scant_fit_options, field)
static const scant_option table[] = {
    {"components", 'k', SCANT_OPTION_TEXT, AT(components), "N", NULL, 0, 0, NULL,
     "components in all, or N/class, or class=N,class=N (default: 1, or 1/class)"},
    {"family", 0, SCANT_OPTION_LIST, AT(families), "F[:COLS]", NULL, 0, 0, NULL,
     "gaussian, multinomial, bernoulli, categorical, poisson, exponential, gamma, maxwell or "
     "regression; with "
     "columns, for those only (default: by the columns' types)"},
    {"covariance", 0, SCANT_OPTION_CHOICE, AT(covariance), "C", "full", 0, 0,
     "full|diag|spherical|tied|tied-diag|tied-spherical", "shape of Gaussian components"},
    {"sharing", 0, SCANT_OPTION_TEXT, AT(sharing), "S", "separate", 0, 0, NULL,
     "whether classes share components: separate, common, lambda=0.3 (in between), auto (learned), "
     "or "
     "a file with a 0/1 table of components by classes"},
    {"unlabeled", 0, SCANT_OPTION_CHOICE, AT(unlabeled), "U", "em2", 0, 0,
     "em1|em2|em3|em0|component-major|class-major|own-class|ignore-labels",
     "use of unlabeled rows: EM1 or EM2 (classes unknown), EM3 (a class of their own), EM0 (labels "
     "only name the components); or the long names in this order"},
    {"unlabeled-weight", 0, SCANT_OPTION_REAL, AT(unlabeled_weight), "W", "1", 0, 1e6, NULL,
     "factor on the weights of rows without a label"},
    SCANT_I_ROW_CONTEXT_MODE(AT(context_mode)),
    {"unlabeled-smoothing", 0, SCANT_OPTION_REAL, AT(unlabeled_smoothing), "W", "0.02", 0, 1, NULL,
     "em3: weight of unlabeled mass, as evenly labeled, in predictions"},
    {"label-noise", 0, SCANT_OPTION_TEXT, AT(label_noise), "R", NULL, 0, 0, NULL,
     "labels may be wrong: a share, a file with a row a class and a column a label seen, or "
     "estimate (default: they are right)"},
    {"target", 0, SCANT_OPTION_TEXT, AT(target), "COL", NULL, 0, 0, NULL,
     "regression: the column to explain"},
    {"prior", 0, SCANT_OPTION_TEXT, AT(prior), "P", NULL, 0, 0, NULL,
     "fixed class proportions a=0.3,b=0.7; one number is the second class's"},
    {"init", 0, SCANT_OPTION_TEXT, AT(init), "I", "kmeans", 0, 0, NULL,
     "kmeans, random, labels (k-means within classes), or a model file to start from"},
    {"accelerate", 0, SCANT_OPTION_CHOICE, AT(accelerate), "A", "none", 0, 0, "none|squarem",
     "extrapolations between EM steps"},
    {"anneal", 0, SCANT_OPTION_FLAG, AT(anneal), NULL, NULL, 0, 0, NULL,
     "deterministic annealing before EM"},
    {"fixed", 0, SCANT_OPTION_CHOICE, AT(fixed), "P", "none", 0, 0, "none|covariances",
     "what stays as the start has it: Gaussian covariances that are known, say"},
    {"min-variance", 0, SCANT_OPTION_REAL, AT(min_variance), "V", "1e-6", 1e-10, 1, NULL,
     "floor of variances, as a share of each column's variance"},
    {"smooth", 0, SCANT_OPTION_REAL, AT(smooth), "A", "1", 0, 1e6, NULL,
     "pseudo-count for counts and categories"},
    {"starts", 0, SCANT_OPTION_COUNT, AT(starts), "N", "0", 0, 1e6, NULL,
     "starts in all (0: 10 for small problems, fewer for large ones)"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AT(max_iter), "N", "2000", 0, 1e9, NULL,
     "iterations of a start at most"},
    {"tol", 0, SCANT_OPTION_REAL, AT(tol), "T", "1e-8", 0, 1e6, NULL,
     "stop when the objective rises by less than this per unit weight (0: never)"},
    {"time-limit", 0, SCANT_OPTION_REAL, AT(time_limit), "S", "0", 0, 1e12, NULL,
     "seconds after which to stop, for all fits of a command together (0: none)"},
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
    SCANT_I_ROWS_CHECKPOINT(AT(checkpoint), AT(checkpoint_every), AT(resume)),
};
enum { NOPTIONS = sizeof table / sizeof *table };

const scant_option *scant_fit_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void scant_fit_options_preset(scant_fit_options *options)
{
    memset(options, 0, sizeof *options);
    scant_options_preset(options, table, NOPTIONS);
}

/* --- what goes in --- */

/* Where each class has one component and each row its class, there is one maximum. */
static bool is_plain(const scant_i_mixture *mixture, const scant_i_evidence *evidence, size_t nrows)
{
    size_t used = 0;
    for (size_t k = 0; k < mixture->nclasses; k++)
        for (size_t j = 0; j < mixture->ncomponents; j++)
            used += mixture->W[k * mixture->stride + j] > 0;
    if (used > mixture->nclasses)
        return false;
    for (size_t i = 0; i < nrows && mixture->nclasses > 1; i++)
        if (scant_i_evidence_entry(evidence, i) >= evidence->nclasses)
            return false;
    return true;
}

static size_t choose_starts(const scant_fit_options *options, const scant_i_mixture *mixture,
                            const scant_i_evidence *evidence, size_t nrows)
{
    if (options->starts)
        return options->starts;
    if (is_plain(mixture, evidence, nrows))
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
static scant_status check_columns(const scant_rows *rows)
{
    if (rows->nrows == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "there are no rows to fit");
    double weight = 0;
    for (size_t i = 0; i < rows->nrows && !(weight > 0); i++)
        weight += scant_rows_weight(rows, i);
    if (!(weight > 0))
        return scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
    for (size_t c = 0; rows->dense && c < rows->ncolumns; c++) {
        char made[SCANT_I_MADE_NAME];
        bool any = false;
        for (size_t i = 0; i < rows->nrows && !any; i++)
            any = !isnan(rows->dense[i * rows->ncolumns + c]) && scant_rows_weight(rows, i) > 0;
        if (!any)
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
    bool learned = scant_i_sharing_of(options->sharing, &lambda) == SCANT_I_BY_SEARCH;
    if (strcmp(options->init, "random") == 0)
        return SCANT_I_START_RANDOM;
    return learned || strcmp(options->init, "labels") == 0 ? SCANT_I_START_LABELS
                                                           : SCANT_I_START_KMEANS;
}

static scant_status read_start(scant_model **owned, const scant_fit_options *options,
                               const scant_model **start)
{
    *start = options->start;
    if (options->start || strcmp(options->init, "random") == 0 ||
        strcmp(options->init, "kmeans") == 0 || strcmp(options->init, "labels") == 0)
        return SCANT_OK;
    scant_status status = scant_model_read(owned, options->init);
    *start = *owned;
    return status;
}

/* --- what comes out --- */

static scant_status describe(scant_model *model, const scant_fit_options *o,
                             const scant_i_method *method, size_t starts)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(scant_i_model_add_setting(model, "sharing", "%s", o->sharing));
    if (model->nclasses) {
        SCANT_I_TRY(scant_i_model_add_setting(model, "unlabeled", "%s", method->name));
        SCANT_I_TRY(scant_i_model_add_number(model, "unlabeled-weight", o->unlabeled_weight));
        SCANT_I_TRY(scant_i_model_add_setting(model, "context-mode", "%s", o->context_mode));
        if (o->label_noise)
            SCANT_I_TRY(scant_i_model_add_setting(model, "label-noise", "%s", o->label_noise));
    }
    if (o->prior)
        SCANT_I_TRY(scant_i_model_add_setting(model, "prior", "%s", o->prior));
    if (o->target)
        SCANT_I_TRY(scant_i_model_add_setting(model, "target", "%s", o->target));
    SCANT_I_TRY(scant_i_model_add_setting(model, "init", "%s", o->start ? "model" : o->init));
    SCANT_I_TRY(scant_i_model_add_setting(model, "accelerate", "%s", o->accelerate));
    SCANT_I_TRY(scant_i_model_add_setting(model, "anneal", "%s", o->anneal ? "yes" : "no"));
    if (strcmp(o->fixed, "none") != 0)
        SCANT_I_TRY(scant_i_model_add_setting(model, "fixed", "%s", o->fixed));
    SCANT_I_TRY(scant_i_model_add_number(model, "min-variance", o->min_variance));
    SCANT_I_TRY(scant_i_model_add_number(model, "smooth", o->smooth));
    SCANT_I_TRY(scant_i_model_add_setting(model, "starts", "%zu", starts));
    SCANT_I_TRY(scant_i_model_add_setting(model, "max-iter", "%zu", o->max_iter));
    SCANT_I_TRY(scant_i_model_add_number(model, "tol", o->tol));
done:
    return status;
}

static scant_status warn_of_columns(scant_model *model, const scant_rows *rows)
{
    for (size_t c = 0; rows->dense && c < rows->ncolumns; c++) {
        char made[SCANT_I_MADE_NAME];
        double first = NAN;
        bool constant = true;
        for (size_t i = 0; i < rows->nrows && constant; i++) {
            double x = scant_rows_weight(rows, i) > 0 ? rows->dense[i * rows->ncolumns + c] : NAN;
            first = isnan(first) ? x : first;
            constant = isnan(x) || x == first;
        }
        if (constant && model->summary.rows > 1) {
            scant_status status = scant_i_model_add_warning(
                model, "column %s has the same value in every row: it tells nothing",
                scant_i_column_name(rows, c, made));
            if (status != SCANT_OK)
                return status;
        }
    }
    return SCANT_OK;
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
    for (size_t k = 0; k < model->nclasses && m->noise && m->noise_free && status == SCANT_OK; k++)
        if (!(m->noise[k * m->nclasses + k] > 0.5))
            status = scant_i_model_add_warning(
                model, "estimated label noise: rows of class %s are labelled so in %.0f %% only",
                model->classes[k], 100 * m->noise[k * m->nclasses + k]);
    return status;
}

/* Rows of weight 0 are not there. */
static void count_rows(scant_model *model, const scant_rows *rows)
{
    for (size_t i = 0; i < rows->nrows; i++) {
        bool there = scant_rows_weight(rows, i) > 0;
        model->summary.rows += there;
        model->summary.labeled += there && rows->labels.code && rows->labels.code[i] >= 0;
    }
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
    double *R = settled->R;
    settled->R = NULL;
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
    scant_i_mixture *layout = NULL;
    scant_i_run *run = NULL;
    scant_model *model = NULL, *own_start = NULL;
    scant_rows *own_rows = NULL;
    double *weight = NULL;
    scant_i_evidence evidence = {0}, fitted;
    scant_i_evidence_settings settings;
    const scant_i_method *method = NULL;
    scant_i_checkpoint checkpoint = {0};
    const scant_model *start = NULL;
    *out = NULL;
    SCANT_I_TRY(check_columns(rows));
    SCANT_I_TRY(read_start(&own_start, options, &start));
    double began = scant_i_seconds(); /* reading a start is not fitting */
    SCANT_I_TRY(scant_i_method_choose(&method, &settings, options));
    SCANT_I_TRY(scant_i_layout_new(&layout, rows, options, method, start));
    SCANT_I_TRY(scant_i_rows_for(layout, rows, &own_rows, &rows));
    SCANT_I_TRY(scant_i_mixture_validate(layout, rows));
    SCANT_I_TRY(scant_i_mixture_standardise(layout, rows, options->threads));
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, layout->nclasses, &settings));
    SCANT_I_TRY(scant_i_mixture_find_fallback(layout, &evidence, rows->nrows));
    fitted = evidence;
    if (method->after)
        SCANT_I_TRY(hide_labels(&fitted, &weight, rows->nrows));
    scant_i_engine_options engine = {
        .starts = start ? 1 : choose_starts(options, layout, &evidence, rows->nrows),
        .max_iter = options->max_iter,
        .tol = options->tol,
        .time_limit = options->time_limit,
        .squarem = strcmp(options->accelerate, "squarem") == 0,
        .anneal = options->anneal,
        .given = start != NULL,
        .kind = start_kind(options),
        .seed = options->seed,
        .threads = options->threads,
        .progress = options->progress,
        .payload = options->payload,
    };
    SCANT_I_TRY(scant_i_model_new(&model, rows));
    SCANT_I_TRY(describe(model, options, method, engine.starts));
    SCANT_I_TRY(scant_i_checkpoint_open(&checkpoint, &engine, options, model, layout, rows));
    SCANT_I_TRY(scant_i_engine_fit(&run, layout, rows, &fitted, &engine));
    engine.time_limit = scant_i_time_left(options->time_limit, began);
    if (run->mixture->R && run->mixture->R_free)
        SCANT_I_TRY(refit_settled(&run, rows, &evidence, &engine));
    if (run->mixture->R || method->after)
        SCANT_I_TRY(scant_i_engine_judge(run, rows, &evidence, options->threads, method->after));
    count_rows(model, rows);
    SCANT_I_TRY(scant_i_model_take_run(model, run));
    model->summary.starts = engine.starts;
    model->summary.seed = options->seed;
    model->own_class = method->own_class;
    model->unlabeled_smoothing = options->unlabeled_smoothing;
    SCANT_I_TRY(warn_of_columns(model, rows));
    SCANT_I_TRY(warn_of_numbers(model));
    SCANT_I_TRY(warn_of_faults(model, fault_of_rows));
    if (model->nclasses) {
        SCANT_I_TRY(
            SCANT_I_NEW(&model->composition, model->mixture->ncomponents * (model->nclasses + 1)));
        SCANT_I_TRY(scant_i_engine_compose(model->composition, model->mixture, rows, &evidence,
                                           options->threads));
        SCANT_I_TRY(warn_of_faults(model, fault_of_labels));
        SCANT_I_TRY(warn_of_noise(model));
    }
    model->summary.seconds = scant_i_seconds() - began;
    *out = model;
    model = NULL;
done:
    scant_i_evidence_clear(&evidence);
    scant_i_free(weight);
    scant_i_run_free(run);
    scant_i_mixture_free(layout);
    scant_model_free(model);
    scant_model_free(own_start);
    scant_rows_free(own_rows);
    return status;
}
