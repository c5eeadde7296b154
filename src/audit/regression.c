/* Mean squared errors of predictors of a number, without its values (learning-without-labels
 * eq. 21-37): the public call. numbers.h has the likelihood, multiple.c and channel.c the two models.
 *
 * Where no error at all is likeliest, theta_c = 0, a channel's log q_c has no maximum and no curvature: it is held
 * at next to nothing. Intervals are those of the maximum in log|theta|; a channel's whose log theta is not known to a
 * quarter are those of the profile, which end where l is z^2 / 2 below its maximum. */
#include "audit/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/option_rows.h"
#include "base/options.h"
#include "math/linear.h"
#include "math/tails.h"

/* --- channels without error --- */

/* A theta that is none, and one that is lost in rounding, compared with the readings; a fall of l that is none. */
static const double NO_ERROR = 1e-4, ROUNDING = 1e-6, NO_FALL = 1e-4;
/* A standard error of log theta beyond which its quadratic says little. */
static const double LOG_ERROR = 0.25;

static bool is_channel(const scant_i_numbers *p)
{
    return p->model == &scant_i_number_channel;
}

/* How far predictions are from mu, or s if that is less: the prior may be far wider than they are. */
static double scale_of(const scant_i_numbers *p, const scant_i_survey *survey)
{
    double squares = 0, n = 0;
    for (size_t c = 0; c < p->k; c++) {
        const scant_i_column_survey *of = &survey->column[p->column[c]];
        double off = of->mean - p->mu;
        squares += of->weight * (of->deviation * of->deviation + off * off);
        n += of->weight;
    }
    return squares > 0 ? fmin(p->s, sqrt(squares / n)) : p->s;
}

/* Holds predictors of which no error at all is likeliest; true: there are some. */
static scant_status hold_edges(scant_i_numbers *p, scant_i_number_point *at, bool *any)
{
    enum { FURTHER = 4 }; /* in log q: an error of a seventh */
    scant_status status = SCANT_OK;
    scant_i_number_point there = {0};
    *any = false;
    SCANT_I_TRY(scant_i_number_point_new(&there, p->n));
    for (size_t c = 0; c < p->k; c++) {
        memcpy(there.x, at->x, p->n * sizeof *there.x);
        there.x[c] += FURTHER;
        SCANT_I_TRY(scant_i_number_evaluate(p, &there));
        p->held[c] = there.value >= at->value - NO_FALL;
        if (p->held[c])
            at->x[c] = fmax(at->x[c], -2 * log(NO_ERROR * p->scale));
        *any = *any || p->held[c];
    }
done:
    scant_i_number_point_clear(&there);
    return status;
}

/* Channels that never differ: the likelihood rises for ever as the errors of both fall. */
static bool never_differ(const scant_i_numbers *p, const scant_i_number_point *at)
{
    size_t tiny = 0;
    for (size_t c = 0; c < p->k; c++)
        tiny += at->x[c] > -2 * log(ROUNDING * p->scale);
    return is_channel(p) && tiny > 1;
}

/* The maximum, channels without error apart. */
static scant_status find_maximum(scant_i_numbers *p, scant_i_number_point *at, double *gap)
{
    scant_status status = SCANT_OK;
    bool settled, edges = false;
    if (p->model->signed_scale)
        SCANT_I_TRY(scant_i_number_signs(p, at, gap, &settled));
    else
        SCANT_I_TRY(scant_i_number_maximise(p, at, &settled));
    bool equal = never_differ(p, at);
    if (is_channel(p) && !equal)
        SCANT_I_TRY(hold_edges(p, at, &edges));
    if (edges)
        SCANT_I_TRY(scant_i_number_maximise(p, at, &settled));
    if (equal || !settled)
        status = scant_i_fail(
            SCANT_ERR_UNIDENTIFIED, "these predictions cannot tell the errors: %s",
            equal ? "some predictors do not differ" : "no maximum of their likelihood was found");
done:
    return status;
}

/* --- the profile of a channel's error --- */

typedef struct profile {
    scant_i_numbers *p;
    const scant_i_number_point *at;
    scant_i_number_point there; /* where the last one ended */
    size_t c;
    double most; /* by which l may fall */
} profile;

/* Does l, where log q_c is held there, fall by too much? */
static scant_status objects(bool *out, profile *k, double log_q)
{
    bool settled, held = k->p->held[k->c];
    k->p->held[k->c] = true;
    k->there.x[k->c] = log_q;
    scant_status status = scant_i_number_maximise(k->p, &k->there, &settled);
    k->p->held[k->c] = held;
    *out = k->at->value - k->there.value > k->most;
    return status;
}

/* theta where l begins to object: as it grows (way -1 in log q), or as it falls, down to 0. */
static scant_status profile_limit(double *theta, profile *k, int way)
{
    enum { HALVINGS = 30 };
    scant_status status = SCANT_OK;
    double inside = k->at->x[k->c], outside = inside, end = -2 * log(NO_ERROR * k->p->scale);
    bool too_much = false;
    memcpy(k->there.x, k->at->x, k->p->n * sizeof *k->there.x);
    while (!too_much) {
        if (way > 0 && outside >= end) {
            *theta = 0;
            goto done;
        }
        inside = outside;
        outside += way;
        SCANT_I_TRY(objects(&too_much, k, outside));
    }
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (inside + outside) / 2;
        SCANT_I_TRY(objects(&too_much, k, middle));
        *(too_much ? &outside : &inside) = middle;
    }
    *theta = exp(-outside / 2);
done:
    return status;
}

/* --- results --- */

/* A number whose logarithm has the given standard error. */
static scant_estimate scaled(double value, double log_error, double normal)
{
    double low = value * exp(-normal * log_error), high = value * exp(normal * log_error);
    return (scant_estimate){value, fabs(value) * log_error, fmin(low, high), fmax(low, high)};
}

static scant_status report_profile(scant_regression_predictor *out, profile *k, double error)
{
    scant_status status = SCANT_OK;
    double low = 0, high;
    bool edge = k->p->held[k->c];
    SCANT_I_TRY(profile_limit(&high, k, -1));
    if (!edge)
        SCANT_I_TRY(profile_limit(&low, k, 1));
    double theta = edge ? 0 : exp(-k->at->x[k->c] / 2);
    out->theta = (scant_estimate){theta, edge ? NAN : error * theta, low, high};
    out->risk = (scant_estimate){theta * theta, edge ? NAN : 2 * error * theta * theta, low * low,
                                 high * high};
done:
    return status;
}

static scant_status report(scant_regression *out, const size_t *place, scant_i_numbers *p,
                           const scant_i_number_point *at, const double *C, const double *gap)
{
    scant_status status = SCANT_OK;
    size_t n = p->n, k = p->k;
    double normal = scant_i_normal_quantile(0.5 + out->options.ci / 2);
    double t = scant_i_number_noise(p, at->x);
    profile search = {.p = p, .at = at, .most = normal * normal / 2};
    SCANT_I_TRY(scant_i_number_point_new(&search.there, n));
    for (size_t c = 0; c < k; c++) {
        scant_regression_predictor *to = &out->predictor[place[c]];
        double theta = p->model->theta(scant_i_number_q(p, at->x, c)), slope[2];
        double error = fabs(p->model->theta_slope) * sqrt(C[c * n + c]);
        double risk = p->model->risk(p, theta, t, slope);
        double variance = slope[0] * slope[0] * C[c * n + c];
        if (p->free_noise)
            variance += 2 * slope[0] * slope[1] * C[c * n + k] + slope[1] * slope[1] * C[k * n + k];
        to->theta = scaled(theta, error, normal);
        to->risk = scaled(risk, sqrt(fmax(variance, 0)) / risk, normal);
        to->noise = p->model->has_noise ? t : NAN;
        to->mirrored = p->model->signed_scale ? p->model->risk(p, -theta, t, slope) : NAN;
        to->gap = p->model->signed_scale ? fmin(gap[c], gap[k]) : NAN;
        search.c = c;
        if (is_channel(p) && (p->held[c] || !(error <= LOG_ERROR)))
            SCANT_I_TRY(report_profile(to, &search, error));
    }
done:
    scant_i_number_point_clear(&search.there);
    return status;
}

static scant_status judge(scant_regression *out, const size_t *place, scant_i_numbers *p,
                          const scant_i_number_point *at, const double *gap)
{
    scant_status status = SCANT_OK;
    size_t n = p->n;
    double *factor = NULL, *C = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&factor, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&C, n * n));
    memcpy(factor, at->information, n * n * sizeof *factor);
    if (!scant_i_cholesky(factor, n))
        SCANT_I_TRY(scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                 "these predictions cannot tell the errors: the information about "
                                 "them is singular"));
    scant_i_cholesky_inverse(C, factor, n);
    SCANT_I_TRY(report(out, place, p, at, C, gap));
    if (!out->options.separately)
        SCANT_I_TRY(scant_i_number_depend(&out->dependence, p, at));
done:
    scant_i_free(factor);
    scant_i_free(C);
    return status;
}

/* Time is up, or somebody asked: the point as far as it has come, and no intervals. */
static void report_point(scant_regression *out, const size_t *place, const scant_i_numbers *p,
                         const scant_i_number_point *at)
{
    double t = scant_i_number_noise(p, at->x), slope[2];
    for (size_t c = 0; c < p->k; c++) {
        double theta = p->model->theta(scant_i_number_q(p, at->x, c));
        scant_regression_predictor *to = &out->predictor[place[c]];
        to->theta = (scant_estimate){theta, NAN, NAN, NAN};
        to->risk = (scant_estimate){p->model->risk(p, theta, t, slope), NAN, NAN, NAN};
        to->noise = p->model->has_noise ? t : NAN;
        to->mirrored = to->gap = NAN;
    }
    out->stop = p->stop;
}

#define AT(field) offsetof(scant_regression_options, field)
static const scant_option table[] = {
    {"channel", 0, SCANT_OPTION_FLAG, AT(channel), NULL, NULL, 0, 0, NULL,
     "readings of a number, each with noise of its own, instead of multiples of it with noise"},
    {"prior-mean", 0, SCANT_OPTION_REAL, AT(mean), "M", NULL, -1e300, 1e300, NULL,
     "mean of the number"},
    {"prior-sd", 0, SCANT_OPTION_REAL, AT(sd), "S", "1", 1e-300, 1e300, NULL,
     "standard deviation of the number"},
    {"ci", 0, SCANT_OPTION_REAL, AT(ci), "LEVEL", "0.95", 0.5, 0.9999, NULL,
     "level of the intervals"},
    {"truth", 0, SCANT_OPTION_TEXT, AT(truth), "COL", NULL, 0, 0, NULL,
     "column of the number itself, empty where it is not known; used as evidence"},
    {"separately", 0, SCANT_OPTION_FLAG, AT(separately), NULL, NULL, 0, 0, NULL,
     "each predictor by itself, as if there were no other"},
    SCANT_I_ROW_TIME_LIMIT(AT(time_limit)),
    SCANT_I_ROW_THREADS(AT(threads)),
};
enum { OPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_regression_options_preset",
                                          sizeof(scant_regression_options), table, OPTIONS};

const scant_option *scant_regression_option_table(size_t *count)
{
    *count = OPTIONS;
    return table;
}

void(scant_regression_options_preset)(scant_regression_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
    if (size > AT(noise))
        options->noise = NAN;
}

static scant_status check(const scant_rows *rows, const scant_regression_options *o, size_t k)
{
    if (!rows->dense || rows->nrows == 0 || k == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "predictions are a dense table of numbers");
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (scant_rows_column_is_category(rows, c))
            return scant_i_fail(SCANT_ERR_INPUT, "column '%s' is not of numbers",
                                scant_rows_column_name(rows, c));
    if (!o->channel && !isnan(o->noise) && !(o->noise > 0 && isfinite(o->noise)))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--noise-sd: %g is not a number above 0", o->noise);
    return SCANT_OK;
}

/* The column of a name, or SIZE_MAX. */
static size_t column_of(const scant_rows *rows, const char *name)
{
    for (size_t c = 0; name && c < rows->ncolumns; c++)
        if (strcmp(scant_rows_column_name(rows, c), name) == 0)
            return c;
    return SIZE_MAX;
}

/* What the predictions say of their errors at all. */
static scant_status check_predictions(const scant_i_numbers *p, const scant_i_survey *survey)
{
    bool known = p->truth != SIZE_MAX && survey->column[p->truth].rows > 0;
    for (size_t c = 0; c < p->k; c++) {
        const scant_i_column_survey *of = &survey->column[p->column[c]];
        if (!(of->rows > 0))
            return scant_i_fail(SCANT_ERR_UNIDENTIFIED, "predictor '%s' predicts nothing",
                                scant_rows_column_name(p->rows, p->column[c]));
        if (p->model->has_noise && of->least == 0 && of->most == 0)
            return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                "predictor '%s' is always 0: no multiple of a number is",
                                scant_rows_column_name(p->rows, p->column[c]));
    }
    if (p->free_noise && p->k == 1 && p->mu == 0 && !known)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "one predictor of numbers of mean 0: its spread is all that is seen, "
                            "and scale and noise both make it; give --noise-sd, or a second one");
    return SCANT_OK;
}

/* An audit of the k predictors in these columns; results go to their places. */
static scant_status audit_some(scant_regression *out, const scant_rows *rows,
                               const scant_i_survey *survey, const size_t *column,
                               const size_t *place, size_t k, double began)
{
    scant_status status = SCANT_OK;
    const scant_regression_options *o = &out->options;
    bool free_noise = !o->channel && isnan(o->noise);
    scant_i_numbers p = {.model = o->channel ? &scant_i_number_channel : &scant_i_number_regression,
                         .rows = rows,
                         .mu = o->mean,
                         .s = o->sd,
                         .k = k,
                         .column = column,
                         .truth = column_of(rows, o->truth),
                         .noise = o->noise,
                         .free_noise = free_noise,
                         .n = k + free_noise,
                         .weight = scant_i_survey_total_weight(survey),
                         .threads = o->threads,
                         .began = began,
                         .time_limit = o->time_limit,
                         .progress = o->progress,
                         .payload = o->payload};
    scant_i_number_point at = {0};
    double *gap = NULL, guess = free_noise ? o->sd : o->noise;
    p.scale = scale_of(&p, survey);
    SCANT_I_TRY(check_predictions(&p, survey));
    SCANT_I_TRY(SCANT_I_NEW(&p.held, p.n));
    SCANT_I_TRY(SCANT_I_NEW(&p.sign, k));
    SCANT_I_TRY(SCANT_I_NEW(&gap, k + 1));
    SCANT_I_TRY(scant_i_number_point_new(&at, p.n));
    for (size_t c = 0; c < k; c++) {
        double q = p.model->q_of(p.model->begin(&p, &survey->column[column[c]], guess));
        p.sign[c] = q < 0 ? -1 : 1;
        at.x[c] = log(fabs(q));
    }
    if (free_noise)
        at.x[k] = log(guess);
    status = find_maximum(&p, &at, gap);
    if (status == SCANT_OK)
        status = judge(out, place, &p, &at, gap);
    if (status == SCANT_ERR_INTERRUPTED) {
        report_point(out, place, &p, &at);
        status = SCANT_OK;
    }
    out->loglik += at.value;
done:
    scant_i_number_point_clear(&at);
    scant_i_free(p.held);
    scant_i_free(p.sign);
    scant_i_free(gap);
    return status;
}

/* --- what speaks against the answer --- */

static scant_status warn(scant_regression *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static scant_status warn(scant_regression *out, const char *format, ...)
{
    char text[512], *copy;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scant_status status = scant_i_resize(&out->warning, out->nwarnings + 1, sizeof *out->warning);
    if (status != SCANT_OK)
        return status;
    if (!(copy = scant_i_strdup(text)))
        return SCANT_ERR_MEMORY;
    out->warning[out->nwarnings++] = copy;
    return SCANT_OK;
}

static void forget(scant_estimate *e)
{
    e->error = e->low = e->high = NAN;
}

/* Both roots of eq. 28 make the predictions: the other one's error is part of the answer. */
static scant_status warn_of_signs(scant_regression *out, const scant_rows *rows,
                                  const size_t *column)
{
    enum { WARNED_MOST = 5 };
    scant_status status = SCANT_OK;
    double normal = scant_i_normal_quantile(0.5 + out->options.ci / 2);
    size_t warned = 0, all = 0;
    for (size_t c = 0; c < out->npredictors; c++)
        all += 2 * out->predictor[c].gap < normal * normal;
    if (all == out->npredictors && all > 1)
        return warn(out,
                    "all theta with their signs changed explain the predictions about as well: "
                    "%s's mean squared error is "
                    "%.3g or %.3g, and so with all others; the first is only assumed; some true "
                    "values (--truth) would tell",
                    scant_rows_column_name(rows, column[0]), out->predictor[0].risk.value,
                    out->predictor[0].mirrored);
    for (size_t c = 0; c < out->npredictors && status == SCANT_OK; c++) {
        const scant_regression_predictor *p = &out->predictor[c];
        if (!(2 * p->gap < normal * normal) || warned++ >= WARNED_MOST)
            continue;
        status = warn(out,
                      "%s: theta %.3g and %.3g explain the predictions about as well (2 log "
                      "likelihood ratio %.2g): its mean squared error is %.3g or %.3g, and the "
                      "first is only assumed; "
                      "some true values (--truth) would tell",
                      scant_rows_column_name(rows, column[c]), p->theta.value, -p->theta.value,
                      2 * fmax(p->gap, 0), p->risk.value, p->mirrored);
    }
    if (warned > WARNED_MOST && status == SCANT_OK)
        status = warn(out, "so it is with %zu more predictors", warned - WARNED_MOST);
    return status;
}

static scant_status warn_of_all(scant_regression *out, const scant_rows *rows, const size_t *column)
{
    scant_status status = SCANT_OK;
    const scant_dependence *d = &out->dependence;
    if (out->stop != SCANT_STOP_CONVERGED)
        SCANT_I_TRY(warn(out, "cut short: errors are as far as they had come, without intervals"));
    for (size_t c = 0; c < out->npredictors && out->stop == SCANT_STOP_CONVERGED; c++)
        if (out->options.channel && out->predictor[c].theta.value == 0)
            SCANT_I_TRY(warn(out,
                             "%s: no error at all is likeliest; is %g (--prior-sd) the spread of "
                             "the numbers?",
                             scant_rows_column_name(rows, column[c]), out->options.sd));
    SCANT_I_TRY(warn_of_signs(out, rows, column));
    if (d->verdict == SCANT_VERDICT_DOUBTFUL || d->verdict == SCANT_VERDICT_FAILS)
        SCANT_I_TRY(warn(out,
                         "errors of predictors are not independent (%zu of %zu pairs; '%s' and "
                         "'%s' most, z = %.1f, correlated by about %.2f), or --prior-sd is wrong%s",
                         d->rejected, d->pairs, scant_rows_column_name(rows, column[d->first]),
                         scant_rows_column_name(rows, column[d->second]), d->z, d->correlation,
                         d->verdict == SCANT_VERDICT_FAILS
                             ? ": errors are off by more than intervals could say, so none are "
                               "given; try --separately, which does not need it"
                             : ""));
    if (d->possible && d->verdict == SCANT_VERDICT_UNTESTED)
        SCANT_I_TRY(warn(
            out, "whether errors of predictors are independent cannot be tested here; an error "
                 "that they share would pass for none"));
    for (size_t c = 0; c < out->npredictors && d->verdict == SCANT_VERDICT_FAILS; c++) {
        forget(&out->predictor[c].theta);
        forget(&out->predictor[c].risk);
    }
done:
    return status;
}

scant_status scant_audit_regression(scant_regression *out, const scant_rows *rows,
                                    const scant_regression_options *options)
{
    double began = scant_i_seconds();
    *out = (scant_regression){.dependence = {.p = NAN, .z = NAN, .correlation = NAN}};
    scant_status status = scant_i_options_take(&out->options, options, &kind);
    if (status != SCANT_OK)
        return status;

    options = &out->options;
    scant_i_survey survey = {0};
    size_t truth = column_of(rows, options->truth), k = 0, *column = NULL, *place = NULL;
    if (options->truth && truth == SIZE_MAX)
        SCANT_I_TRY(
            scant_i_fail(SCANT_ERR_ARGUMENT, "--truth: there is no column '%s'", options->truth));
    SCANT_I_TRY(SCANT_I_NEW(&column, 2 * rows->ncolumns));
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (c != truth)
            column[k++] = c;
    place = column + rows->ncolumns;
    for (size_t c = 0; c < k; c++)
        place[c] = c;
    SCANT_I_TRY(check(rows, options, k));
    SCANT_I_TRY(scant_i_survey_new(&survey, rows, NULL, SCANT_I_COLUMNS, options->threads));
    SCANT_I_TRY(SCANT_I_NEW(&out->predictor, k));
    out->npredictors = k;
    for (size_t c = 0; c < k; c++) {
        out->predictor[c].answers = (size_t)survey.column[column[c]].rows;
        out->predictor[c].column = column[c];
    }
    if (options->separately)
        for (size_t c = 0; c < k; c++)
            SCANT_I_TRY(audit_some(out, rows, &survey, column + c, place + c, 1, began));
    else
        SCANT_I_TRY(audit_some(out, rows, &survey, column, place, k, began));
    out->noise = options->channel       ? NAN
                 : !options->separately ? out->predictor[0].noise
                                        : options->noise;
    SCANT_I_TRY(warn_of_all(out, rows, column));
    out->options.truth = NULL; /* the caller's */
    out->options.progress = NULL;
    out->options.payload = NULL;
done:
    scant_i_survey_clear(&survey);
    scant_i_free(column);
    if (status != SCANT_OK)
        scant_regression_clear(out);
    return status;
}

void scant_regression_clear(scant_regression *regression)
{
    for (size_t w = 0; w < regression->nwarnings; w++)
        scant_i_free(regression->warning[w]);
    scant_i_free(regression->warning);
    scant_i_free(regression->predictor);
    *regression = (scant_regression){0};
}

scant_status scant_regression_combine(double *mean, double *sd, const scant_regression *regression,
                                      const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    const scant_regression_options *o = &regression->options;
    size_t k = regression->npredictors, *column = NULL, most = 0;
    double *q = NULL, least = o->sd; /* of the errors that there are: none at all is far below it */
    scant_i_numbers p = {.model = o->channel ? &scant_i_number_channel : &scant_i_number_regression,
                         .rows = rows,
                         .mu = o->mean,
                         .s = o->sd,
                         .k = k,
                         .truth = SIZE_MAX};
    for (size_t c = 0; c < k; c++)
        most = most > regression->predictor[c].column ? most : regression->predictor[c].column;
    if (rows->ncolumns <= most || rows->ncolumns > k + 1 || !rows->dense)
        return scant_i_fail(SCANT_ERR_INPUT, "%zu predictors were judged, these are %zu", k,
                            rows->ncolumns);
    SCANT_I_TRY(SCANT_I_NEW(&q, 2 * k));
    SCANT_I_TRY(SCANT_I_NEW(&column, k));
    for (size_t c = 0; c < k; c++)
        if (regression->predictor[c].theta.value > 0)
            least = fmin(least, regression->predictor[c].theta.value);
    for (size_t c = 0; c < k; c++) {
        double theta = regression->predictor[c].theta.value;
        q[c] = p.model->q_of(theta == 0 ? NO_ERROR * least : theta);
        q[k + c] = o->channel ? 1 : regression->predictor[c].noise;
        column[c] = regression->predictor[c].column;
    }
    p.column = column;
    if (rows->ncolumns == k + 1) /* what is left over is the truth */
        p.truth = k * (k + 1) / 2;
    for (size_t c = 0; c < k && rows->ncolumns == k + 1; c++)
        p.truth -= column[c];
    for (size_t i = 0; i < rows->nrows; i++) {
        scant_i_number_view y = scant_i_number_look(&p, q, q + k, rows->dense + i * rows->ncolumns);
        mean[i] = p.mu + y.mean;
        sd[i] = sqrt(y.variance);
    }
done:
    scant_i_free(q);
    scant_i_free(column);
    return status;
}
