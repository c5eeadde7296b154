/* A plan: the forecast of a model, the learning curve alongside, and three questions.
 *
 *   error(L, n) = limit + excess(L, n - L)         by the model (forecast.h, limit.h)
 *               = a + b L^-c                       by the curve (curve.h), for the rows at hand
 *   cost(L, n)  = label (L - labels at hand) + row (n - rows at hand)
 * Both fall with L, so a budget is spent on as many labels as it buys for each n, and a target is
 * found by halving. */
#include <scant/plan.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/option_rows.h"
#include "base/options.h"
#include "model/chain.h"
#include "model/method.h"
#include "model/machine.h"
#include "model/predict.h"
#include "plan/plan.h"

#define AT(field) offsetof(scant_plan_options, field)
static const scant_option table[] = {
    {"cost", 0, SCANT_OPTION_LIST, AT(cost), "PRICES", "label=1,row=0", 0, 0, NULL,
     "price of a further label and of a further row"},
    {"rows", 0, SCANT_OPTION_COUNT, AT(rows), "N", "0", 0, 1e12, NULL,
     "rows there may be in the end, with those bought (0: the rows at hand)"},
    {"replicates", 0, SCANT_OPTION_COUNT, AT(replicates), "N", "40", 2, 1e6, NULL,
     "pilots drawn from worlds like the model, for the limit and intervals (10 at least)"},
    {"repeats", 0, SCANT_OPTION_COUNT, AT(repeats), "N", "10", 0, 1e6, NULL,
     "repetitions of the learning curve (0: none)"},
    SCANT_I_ROW_SEED(AT(seed)),
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { NOPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_plan_options_preset", sizeof(scant_plan_options),
                                          table, NOPTIONS};

const scant_option *scant_plan_option_table(size_t *count)
{
    *count = NOPTIONS;
    return table;
}

void(scant_plan_options_preset)(scant_plan_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

/* --- what goes in --- */

/* Later pieces win, so that a user's come over the presets. */
static scant_status read_costs(scant_plan *plan, const scant_texts *cost)
{
    plan->label_cost = 1;
    plan->row_cost = 0;
    for (size_t i = 0; i < cost->count; i++) {
        const char *text = cost->item[i], *equals = strchr(text, '=');
        size_t length = equals ? (size_t)(equals - text) : 0;
        double value = 0;
        bool number = equals && scant_i_number_parse(&value, equals + 1, strlen(equals + 1));
        bool label = length == 5 && memcmp(text, "label", 5) == 0;
        bool row = length == 3 && memcmp(text, "row", 3) == 0;
        if (!(label || row) || !number || !(value >= 0) || isinf(value))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--cost: '%s' is not label=PRICE or row=PRICE",
                                text);
        *(label ? &plan->label_cost : &plan->row_cost) = value;
    }
    if (!(plan->label_cost > 0))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--cost: labels that cost nothing need no plan: label all");
    return SCANT_OK;
}

static scant_status check_learned(const scant_model *model)
{
    if (!model->kind->again || !model->kind->worth || model->nclasses < 2)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "planning labels wants a model with components ('scant fit') or a "
                            "stack ('scant train'); this one was made by %s",
                            model->kind->method);
    return SCANT_OK;
}

/* Fits whose labels are worth something else than the information of (x, y). */
static scant_status check_model(const scant_model *model)
{
    static const struct {
        const char *setting, *value, *why;
    } only[] = {
        {"unlabeled-weight", "1",
         "a plan is of the likelihood of all rows; fit with --unlabeled-weight 1 --keep"},
        {"fixed", "none", "some parameters known"},
    };
    const char *unlabelled = scant_model_setting(model, "unlabeled");
    const char *sharing =
        scant_model_setting(model, "sharing"); /* a file keeps no more of lambda */
    double lambda = 0;
    if (model->kind)
        return check_learned(model);
    if (model->score)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "planning wants a mixture: a linear classifier is no "
                            "maximum of a likelihood");
    if (model->nclasses < 2)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "planning labels wants a model of two classes or "
                                                "more");
    if (model->own_class || (unlabelled && strcmp(unlabelled, "em0") == 0))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "planning wants a model in which unlabelled rows are latent, not "
                            "--unlabeled %s",
                            unlabelled);
    if (model->mixture->coupling.R || model->mixture->coupling.noise ||
        (sharing && scant_i_sharing_of(sharing, &lambda) == SCANT_I_BY_LAMBDA))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "planning wants labels that are right and a "
                                                "coupling that maximises the likelihood");
    for (size_t s = 0; s < sizeof only / sizeof *only; s++) {
        const char *text = scant_model_setting(model, only[s].setting);
        if (text && strcmp(text, only[s].value) != 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "planning is not worked out for --%s %s: %s",
                                only[s].setting, text, only[s].why);
    }
    return SCANT_OK;
}

static scant_status take_rows(scant_plan *plan, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    size_t *all = NULL, n = rows->nrows;
    SCANT_I_TRY(scant_i_check_names(plan->model, rows, true));
    if (!rows->labels.code) {
        status = scant_i_fail(SCANT_ERR_INPUT, "which rows are labelled? Say --label COL");
        goto done;
    }
    for (size_t i = 0; i < n; i++)
        if (scant_rows_weight(rows, i) != 1) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT,
                                  "row %zu has weight %g: a plan counts rows, so repeat those that "
                                  "stand for several",
                                  i + 1, scant_rows_weight(rows, i));
            goto done;
        }
    for (size_t i = 0; i < n; i++)
        if (rows->labels.code[i] >= (int32_t)rows->labels.nclasses) {
            status = scant_i_fail(SCANT_ERR_INPUT,
                                  "row %zu is labelled in part: a plan counts labels that are "
                                  "exact or absent",
                                  i + 1);
            goto done;
        }
    SCANT_I_TRY(SCANT_I_NEW(&all, n));
    for (size_t i = 0; i < n; i++)
        all[i] = i;
    SCANT_I_TRY(scant_rows_subset(&plan->rows, rows, all, n));
    if (!plan->rows->dense && !plan->learned)
        SCANT_I_TRY(scant_i_rows_densify(plan->rows));
    plan->told.rows = n;
    plan->told.labeled = scant_rows_labeled(plan->rows);
    if (plan->told.labeled == 0)
        status = scant_i_fail(SCANT_ERR_INPUT, "no row is labelled: there is no pilot to plan "
                                               "from");
done:
    scant_i_free(all);
    return status;
}

/* --- how far the pilot carries --- */

static const double NORMAL_95 = 1.959963984540054; /* half of a 95 % interval, in standard errors */

/* The formula is for large numbers: pilots drawn from the model say whether these are. */
static const double WITHIN = 1.5;   /* the drawn excess and the formula's, either way */
static const double NOTHING = 1e-9; /* an excess that is none: no label would change an answer */

static void judge_classes(scant_plan *plan)
{
    scant_plan_summary *s = &plan->told;
    size_t K = plan->model->nclasses;
    for (size_t k = 0; k < K && !s->too_small; k++) {
        size_t count = 0;
        for (size_t i = 0; i < plan->rows->nrows; i++)
            count += scant_rows_label(plan->rows, i) == (int32_t)k;
        if (count < SCANT_I_CURVE_LEAST) {
            s->too_small = true;
            (void)snprintf(s->why, sizeof s->why, "class %s has %zu labelled rows, fewer than %d",
                           plan->model->classes[k], count, SCANT_I_CURVE_LEAST);
        }
    }
}

static void judge_size(scant_plan *plan)
{
    scant_plan_summary *s = &plan->told;
    double ratio = s->drawn_excess / s->excess;
    judge_classes(plan);
    if (!s->too_small && s->excess > NOTHING && !(ratio < WITHIN && ratio > 1 / WITHIN)) {
        s->too_small = true;
        (void)snprintf(s->why, sizeof s->why,
                       "pilots of this size, drawn from the model, have %.2g times the excess "
                       "error that information forecasts",
                       ratio);
    }
}

/* Information of few rows may forecast more errors than there are answers. */
static double at_most(double excess, double most)
{
    return excess > most ? most : excess;
}

static void tell_curve(scant_plan_summary *s, const scant_i_curve *c)
{
    s->curve = c != NULL;
    s->asymptote = c ? c->asymptote : NAN;
    s->factor = c ? c->factor : NAN;
    s->power = c ? c->power : NAN;
    s->measured = c ? c->measured : NAN;
    s->by_model = c ? c->by_model : NAN;
    s->by_curve = c ? c->forecast : NAN;
    s->measured_error = c ? c->deviation : NAN;
}

static void tell(scant_plan *plan, bool curve)
{
    scant_plan_summary *s = &plan->told;
    const scant_i_forecast *o = &plan->forecast;
    const scant_i_limit *l = &plan->limit;
    const scant_i_curve *c = &plan->curve;
    double L = o->labels, U = o->unlabelled, more = 1 + L / 100;
    double now = scant_i_forecast_excess(o, L, U);
    s->parameters = o->n;
    s->limit = l->error[SCANT_I_MIDDLE];
    s->limit_error = (l->error[SCANT_I_WORST] - l->error[SCANT_I_BEST]) / (2 * NORMAL_95);
    /* the formula's is of a problem whose limit is hope */
    s->excess = l->hope > 0 ? s->limit / l->hope * now : now;
    s->drawn_excess = scant_i_limit_excess(l, SCANT_I_MIDDLE, now);
    s->trace = scant_i_forecast_trace(o, L, U);
    s->unlabeled_worth = (now - scant_i_forecast_excess(o, L, U + more)) /
                         (now - scant_i_forecast_excess(o, L + more, U));
    tell_curve(s, curve ? c : NULL);
    /* a model that can forecast nothing is not near */
    bool nearer = curve && !(fabs(c->by_model - c->measured) <=
                             fabs(c->forecast - c->measured) + c->deviation);
    s->method = nearer ? SCANT_PLAN_BY_CURVE : SCANT_PLAN_BY_MODEL;
    judge_size(plan);
    s->excess = at_most(s->excess, 1 - s->limit);
    s->drawn_excess = at_most(s->drawn_excess, 1 - s->limit);
}

static scant_status inquire(scant_plan *plan, const scant_plan_options *options)
{
    scant_status status = SCANT_OK;
    bool curve = false;
    double labels = (double)plan->told.labeled, all = (double)plan->told.rows;
    size_t few = scant_i_min(options->replicates, 10);
    scant_i_steps steps = {.progress = options->progress,
                           .payload = options->payload,
                           .total = options->replicates +
                                    options->repeats * (SCANT_I_CURVE_SIZES + few)};
    SCANT_I_TRY(scant_i_forecast_new(&plan->forecast, plan->model, plan->rows, labels, all - labels,
                                     SCANT_I_FORECAST_DRAWN, plan->threads, &steps));
    const scant_i_limit_options how = {options->replicates, SCANT_I_LIMIT_DRAWN, options->seed,
                                       plan->threads, &steps};
    SCANT_I_TRY(scant_i_limit_find(&plan->limit, plan->model, plan->rows, &plan->forecast, &how));
    const scant_i_curve_options parts = {options->repeats, few, options->seed, options->threads,
                                         &steps};
    SCANT_I_TRY(scant_i_curve_new(&plan->curve, &curve, plan->model, plan->rows, &parts));
    SCANT_I_TRY(SCANT_I_NEW(&plan->gain, plan->rows->nrows));
    for (size_t i = 0; i < plan->rows->nrows; i++)
        plan->gain[i] = scant_rows_label(plan->rows, i) >= 0 ? NAN : plan->forecast.gain[i];
    tell(plan, curve);
done:
    return status;
}

/* Of a model that learns again, such as a stack: nothing is known of its parameters. Errors are the curve's, and a label
 * is worth what the machine says of the row. */
static scant_status inquire_learned(scant_plan *plan, const scant_plan_options *options)
{
    scant_status status = SCANT_OK;
    bool curve = false;
    scant_plan_summary *s = &plan->told;
    scant_i_steps steps = {.progress = options->progress,
                           .payload = options->payload,
                           .total = options->repeats * SCANT_I_CURVE_SIZES};
    const scant_i_curve_options parts = {options->repeats, 0, options->seed, options->threads,
                                         &steps};
    if (options->repeats == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--repeats 0: a model made by %s has nothing but "
                            "its learning curve to plan by",
                            plan->model->kind->method);
    judge_classes(plan);
    if (s->too_small)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "%s: too few for a learning curve. Label the rows that 'scant show' "
                            "names first",
                            s->why);
    SCANT_I_TRY(scant_i_curve_new(&plan->curve, &curve, plan->model, plan->rows, &parts));
    if (!curve)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "the labels are too few for a learning curve: parts of them leave a "
                            "class without a label");
    SCANT_I_TRY(SCANT_I_NEW(&plan->gain, plan->rows->nrows));
    SCANT_I_TRY(
        plan->model->kind->worth(plan->gain, plan->model->machine, plan->rows, plan->threads));
    for (size_t i = 0; i < plan->rows->nrows; i++)
        if (scant_rows_label(plan->rows, i) >= 0)
            plan->gain[i] = NAN;
    s->limit = s->limit_error = s->excess = s->drawn_excess = s->trace = s->unlabeled_worth = NAN;
    tell_curve(s, &plan->curve);
    s->method = SCANT_PLAN_BY_CURVE;
done:
    return status;
}

/* --- what to mind --- */

static char *next_warning(scant_plan *plan)
{
    return plan->warning[plan->nwarnings++];
}

/* A plan is of the rows of the fit: the model's errors come from their labels, and pilots like them are drawn. */
static void add_warnings(scant_plan *plan)
{
    const scant_plan_summary *told = &plan->told;
    const scant_summary *fit = scant_model_summary(plan->model);
    if (fit->rows && (fit->rows != told->rows || fit->labeled != told->labeled))
        (void)snprintf(
            next_warning(plan), SCANT_I_PLAN_WORDS,
            "the model was fitted to %zu rows, %zu with a label or class "
            "probabilities; here are %zu, %zu labelled: a plan wants the rows of the fit",
            fit->rows, fit->labeled, told->rows, told->labeled);
    if (told->too_small)
        (void)snprintf(next_warning(plan), SCANT_I_PLAN_WORDS,
                       "the pilot is too small to plan from: %s", told->why);
    if (told->method == SCANT_PLAN_BY_CURVE && plan->most > told->rows)
        (void)snprintf(next_warning(plan), SCANT_I_PLAN_WORDS,
                       "--rows %zu: no rows are bought, since the learning curve, which forecasts, "
                       "knows the rows at hand alone",
                       plan->most);
}

const char *scant_plan_warning(const scant_plan *plan, size_t index)
{
    return index < plan->nwarnings ? plan->warning[index] : NULL;
}

static void widen(scant_plan *plan);

scant_status scant_plan_new(scant_plan **out, const scant_model *model, const scant_rows *rows,
                            const scant_plan_options *options)
{
    scant_status status = SCANT_OK;
    scant_plan *plan = NULL;
    scant_plan_options taken;
    *out = NULL;
    SCANT_I_TRY(scant_i_options_take(&taken, options, &kind));
    options = &taken;
    SCANT_I_TRY(scant_i_model_needs_rows(model, "plan"));
    SCANT_I_TRY(check_model(model));
    SCANT_I_TRY(SCANT_I_NEW(&plan, 1));
    plan->model = model;
    plan->learned = model->kind != NULL;
    plan->seed = options->seed;
    plan->threads = options->threads;
    SCANT_I_TRY(read_costs(plan, &options->cost));
    SCANT_I_TRY(take_rows(plan, rows));
    plan->most = options->rows ? options->rows : plan->told.rows;
    if (plan->most < plan->told.rows) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT, "--rows: %zu, but there are %zu already",
                              plan->most, plan->told.rows);
        goto done;
    }
    SCANT_I_TRY(plan->learned ? inquire_learned(plan, options) : inquire(plan, options));
    widen(plan);
    add_warnings(plan);
    *out = plan;
    plan = NULL;
done:
    scant_plan_free(plan);
    return status;
}

void scant_plan_free(scant_plan *plan)
{
    if (!plan)
        return;
    scant_i_forecast_clear(&plan->forecast);
    scant_rows_free(plan->rows);
    scant_i_free(plan->gain);
    scant_i_free(plan);
}

const scant_plan_summary *scant_plan_told(const scant_plan *plan)
{
    return &plan->told;
}

/* --- errors --- */

/* The curve's, in each case. */
static double curve_error(const scant_plan *plan, scant_i_case which, double labels)
{
    static const double side[SCANT_I_CASES] = {0, -1, 1};
    double half = NORMAL_95 * plan->curve.deviation;
    double error = scant_i_curve_at(&plan->curve, labels) + side[which] * half;
    return fmin(1, fmax(0, error));
}

static double error_in(const scant_plan *plan, scant_i_case which, size_t labels, size_t rows)
{
    static const double side[SCANT_I_CASES] = {0, -1, 1};
    double L = (double)labels, U = (double)(rows - scant_i_min(labels, rows));
    double error = plan->told.method == SCANT_PLAN_BY_CURVE
                       ? curve_error(plan, which, L)
                       : scant_i_limit_raised(&plan->limit, which,
                                              scant_i_forecast_excess(&plan->forecast, L, U));
    return side[which] == 0 ? error : fmin(1, fmax(0, error + side[which] * plan->wider[which]));
}

/* Who forecasts takes the model, or the curve, for right. The pilot's own labels were held out for the curve, and know better: with
 * h errors among n of them, p = (h + 2) / (n + 4) is known to 1.96 sqrt(p (1 - p) / (n + 4)) (Agresti and Coull), whoever is
 * right. Intervals hold that one, too, where there are as many labels as then. Without a curve h is what the model expects. */
static void widen(scant_plan *plan)
{
    double n = (double)plan->told.labeled,
           measured = error_in(plan, SCANT_I_MIDDLE, plan->told.labeled, plan->told.rows);
    size_t labels = plan->told.labeled, unlabelled = plan->told.rows - labels;
    if (plan->told.curve) {
        measured = plan->curve.measured;
        labels = (size_t)plan->curve.labels[SCANT_I_CURVE_SIZES - 1];
    }
    double p = (measured * n + 2) / (n + 4), half = NORMAL_95 * sqrt(p * (1 - p) / (n + 4));
    double low = error_in(plan, SCANT_I_BEST, labels, labels + unlabelled);
    double high = error_in(plan, SCANT_I_WORST, labels, labels + unlabelled);
    plan->wider[SCANT_I_BEST] = fmax(0, low - fmax(0, p - half));
    plan->wider[SCANT_I_WORST] = fmax(0, p + half - high);
}

static double error_at(const scant_plan *plan, size_t labels, size_t rows)
{
    return error_in(plan, SCANT_I_MIDDLE, labels, rows);
}

void scant_plan_forecast(scant_plan_point *out, const scant_plan *plan, size_t labels, size_t rows)
{
    *out = (scant_plan_point){
        .labels = labels,
        .rows = rows,
        .cost = plan->label_cost * fmax(0, (double)labels - (double)plan->told.labeled) +
                plan->row_cost * fmax(0, (double)rows - (double)plan->told.rows),
        .error = error_at(plan, labels, rows),
        .low = error_in(plan, SCANT_I_BEST, labels, rows),
        .high = error_in(plan, SCANT_I_WORST, labels, rows),
        .labels_low = NAN,
        .labels_high = NAN,
    };
}

/* --- the three questions --- */

/* Numbers of rows that are looked at, between a least and a most. */
enum { GRID = 25 };

typedef struct span {
    size_t least, most;
} span;

static size_t rows_at(span s, size_t g)
{
    double ratio = (double)s.most / (double)s.least;
    return (size_t)round((double)s.least * pow(ratio, (double)g / (GRID - 1)));
}

/* The curve knows the rows at hand alone. */
static span rows_allowed(const scant_plan *plan)
{
    size_t least = plan->told.rows;
    return (span){least, plan->told.method == SCANT_PLAN_BY_MODEL ? plan->most : least};
}

/* Labels that are left of the budget after buying up to `rows` rows; SIZE_MAX: it does not do. */
static size_t affordable(const scant_plan *plan, size_t rows, double budget)
{
    double left = budget - plan->row_cost * (double)(rows - plan->told.rows);
    double rounding = 4 * DBL_EPSILON * budget; /* three labels of 0.1 are to be had for 0.3 */
    if (left < -rounding)
        return SIZE_MAX;
    double labels =
        (double)plan->told.labeled + floor((fmax(left, 0) + rounding) / plan->label_cost);
    return labels < (double)rows ? (size_t)labels : rows;
}

/* The least labels with which the error is at most `target`; SIZE_MAX: none of `rows`. */
static size_t least_labels(const scant_plan *plan, scant_i_case which, size_t rows, double target)
{
    size_t low = plan->told.labeled, high = rows;
    if (!(error_in(plan, which, high, rows) <= target))
        return SIZE_MAX;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (error_in(plan, which, middle, rows) <= target)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Labels that make cost + price * error least: error is convex in L, so halving the slope's sign
 * finds it. */
static size_t balanced_labels(const scant_plan *plan, size_t rows, double price)
{
    size_t low = plan->told.labeled, high = rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double saved = price * (error_at(plan, middle, rows) - error_at(plan, middle + 1, rows));
        if (saved <= plan->label_cost)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static const char *name_of(scant_plan_question question)
{
    switch (question) {
    case SCANT_PLAN_BUDGET: return "budget";
    case SCANT_PLAN_TARGET: return "target error";
    case SCANT_PLAN_TRADE: return "trade";
    }
    return "question";
}

/* What an answer is to make least. */
static double blame(const scant_plan_point *p, scant_plan_question question, double amount)
{
    switch (question) {
    case SCANT_PLAN_BUDGET: return p->error;
    case SCANT_PLAN_TARGET: return p->cost;
    case SCANT_PLAN_TRADE: return p->cost + amount * p->error;
    }
    return NAN;
}

static size_t labels_for(const scant_plan *plan, size_t rows, scant_plan_question question,
                         double amount)
{
    switch (question) {
    case SCANT_PLAN_BUDGET: return affordable(plan, rows, amount);
    case SCANT_PLAN_TARGET: return least_labels(plan, SCANT_I_MIDDLE, rows, amount);
    case SCANT_PLAN_TRADE: return balanced_labels(plan, rows, amount);
    }
    return SIZE_MAX;
}

static double labels_or_infinity(size_t labels)
{
    return labels == SIZE_MAX ? INFINITY : (double)labels;
}

static scant_status out_of_reach(const scant_plan *plan, double target)
{
    scant_plan_point most;
    size_t rows = rows_allowed(plan).most;
    scant_plan_forecast(&most, plan, rows, rows);
    return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                        "an error of %.4g is out of reach: with labels for all %zu rows it is "
                        "forecast to be %.4g (%.4g to %.4g)",
                        target, rows, most.error, most.low, most.high);
}

/* The best on a grid of rows, and the neighbours that it lies between; false: none will do. */
static bool best_within(scant_plan_point *out, span *around, const scant_plan *plan, span s,
                        scant_plan_question question, double amount)
{
    bool any = false;
    for (size_t g = 0; g < (s.most > s.least ? GRID : 1); g++) {
        scant_plan_point point;
        size_t rows = rows_at(s, g), labels = labels_for(plan, rows, question, amount);
        if (labels == SIZE_MAX)
            continue;
        scant_plan_forecast(&point, plan, labels, rows);
        if (any && !(blame(&point, question, amount) < blame(out, question, amount)))
            continue;
        *out = point;
        *around = (span){rows_at(s, g > 0 ? g - 1 : 0), rows_at(s, g + 1 < GRID ? g + 1 : g)};
        any = true;
    }
    return any;
}

/* Looks closer and closer around the best, until every number of rows is looked at. */
scant_status scant_plan_answer(scant_plan_point *out, const scant_plan *plan,
                               scant_plan_question question, double amount)
{
    span s = rows_allowed(plan), around = s;
    bool whole;
    if (!(amount >= 0))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a %s of %g: it is a number from 0 on",
                            name_of(question), amount);
    do {
        scant_plan_point point;
        whole = s.most - s.least < GRID;
        if (!best_within(&point, &around, plan, s, question, amount))
            return out_of_reach(plan, amount);
        *out = point;
        s = around;
    } while (!whole);
    if (question == SCANT_PLAN_TARGET) {
        out->labels_low = labels_or_infinity(least_labels(plan, SCANT_I_BEST, out->rows, amount));
        out->labels_high = labels_or_infinity(least_labels(plan, SCANT_I_WORST, out->rows, amount));
    }
    return SCANT_OK;
}
