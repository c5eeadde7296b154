/* Mean squared errors of predictors of a number, without its values (learning-without-labels
 * eq. 21-33).
 *
 * y ~ N(mu, s^2). Given y, predictions x_c of a row are independent; with the precision P and the
 * mean mu + m / P of y given the row (eq. 33),
 *   regression  q_c = 1 / theta_c,  P = 1/s^2 + n/t^2,     z_c = q_c x_c - mu, m = sum_c z_c / t^2
 *               l = sum_c log q_c - sum_c z_c^2 / 2 t^2 + m^2 / 2 P + terms without q
 *   channel     q_c = 1 / theta_c^2, P = 1/s^2 + sum_c q_c, z_c = x_c - mu,    m = sum_c q_c z_c
 *               l = sum_c (log q_c - q_c z_c^2) / 2 + m^2 / 2 P - log(P) / 2 + terms without q
 * for the n predictions present; missing ones are integrated out by not being there. All is about mu:
 * of a mean far from 0 the squares would leave nothing but rounding. Newton's method in log q, damped;
 * l is concave in q for regression. The noise t of a regression, where it is not known, is one more
 * coordinate whose derivatives are differences of the others. For one predictor the maximum is eq. 28,
 * whose signs are right; eq. 31 lacks a square and has a factor too many: the risk of a channel is
 * theta^2.
 *
 * Where no error at all is likeliest, theta_c = 0, a channel's log q_c has no maximum and no curvature: it is held
 * at next to nothing, and the interval goes from 0 to where the profile of l falls by z^2 / 2.
 *
 * Cost of a step: O(sum of squared predictions of a row + k^3). */
#include "audit/audit.h"

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "math/linear.h"
#include "math/tails.h"
#include "parts/tally.h"

typedef struct problem {
    const scant_rows *rows;
    bool channel, free_noise;
    double mu, s;
    size_t k, n;   /* predictors; coordinates: log q, and log t where it is free */
    bool *held;    /* n: coordinates that stay as they are; NULL: none */
    double scale;  /* of a channel's readings */
    double weight; /* of all rows */
} problem;

/* A point and what the likelihood is like there. */
typedef struct point {
    double *x;        /* n */
    double value;     /* log-likelihood */
    double *gradient; /* n */
    double *hessian;  /* n x n */
} point;

static scant_status point_new(point *at, size_t n)
{
    scant_status status = SCANT_OK;
    *at = (point){0};
    SCANT_I_TRY(SCANT_I_NEW(&at->x, n));
    SCANT_I_TRY(SCANT_I_NEW(&at->gradient, n));
    SCANT_I_TRY(SCANT_I_NEW(&at->hessian, n * n));
done:
    return status;
}

static void point_clear(point *at)
{
    scant_i_free(at->x);
    scant_i_free(at->gradient);
    scant_i_free(at->hessian);
}

static double noise_at(const problem *p, const double *x, double known)
{
    return p->free_noise ? exp(x[p->k]) : known;
}

/* A prediction of y - mu. */
static double about_mean(const problem *p, double q, double x)
{
    return (p->channel ? x : q * x) - p->mu;
}

/* What a row says of y: precision, and mean of y - mu times precision. */
static void row_moments(const problem *p, const double *q, double t, const double *cell, double *P,
                        double *m)
{
    *P = 1 / (p->s * p->s);
    *m = 0;
    for (size_t c = 0; c < p->k; c++) {
        if (isnan(cell[c]))
            continue;
        double weight = p->channel ? q[c] : 1 / (t * t);
        *P += weight;
        *m += weight * about_mean(p, q[c], cell[c]);
    }
}

/* Log-likelihood of a row times its weight, its gradient and curvature in q (not in log q) added up. */
static double add_row(const problem *p, const double *q, double t, const double *cell, double w,
                      double *g, double *H)
{
    double P, m, v = t * t, log_two_pi = log(2 * M_PI);
    if (!(w > 0))
        return 0;
    row_moments(p, q, t, cell, &P, &m);
    double mean = m / P, value = m * m / (2 * P) - log(P) / 2 - log(p->s);
    for (size_t c = 0; c < p->k; c++) {
        double x = cell[c], z = about_mean(p, q[c], x);
        if (isnan(x))
            continue;
        value += p->channel ? (log(q[c]) - q[c] * z * z - log_two_pi) / 2
                            : log(q[c] / t) - z * z / (2 * v) - log_two_pi / 2;
        g[c] += w * (p->channel ? (1 / q[c] - (z - mean) * (z - mean) - 1 / P) / 2
                                : 1 / q[c] + (mean - z) * x / v);
        H[c * p->k + c] -= w * (p->channel ? 1 / (2 * q[c] * q[c]) : 1 / (q[c] * q[c]) + x * x / v);
        for (size_t d = 0; d < p->k; d++)
            if (!isnan(cell[d]))
                H[c * p->k + d] +=
                    w * (p->channel ? (z - mean) * (about_mean(p, q[d], cell[d]) - mean) / P +
                                          1 / (2 * P * P)
                                    : x * cell[d] / (v * v * P));
    }
    return w * value;
}

/* What rows are asked: their value | gradient | curvature at a point. */
typedef struct point_asked {
    const problem *p;
    const double *q;
    double t;
} point_asked;

static scant_status add_rows(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                             const void *payload)
{
    const point_asked *a = payload;
    double *g = sums + 1, *H = g + a->p->k;
    for (size_t i = first; i < end; i++)
        sums[0] += add_row(a->p, a->q, a->t, batch->dense + i * batch->ncolumns,
                           batch->weight ? batch->weight[i] : 1, g, H);
    return SCANT_OK;
}

/* Doubles of room for `look` and `evaluate`. */
static size_t room_of(const problem *p)
{
    return 1 + 4 * p->k + p->k * p->k;
}

/* Value, gradient and curvature in log q at a given noise; `room` has 1 + 2 k + k^2. */
static scant_status look(double *value, const problem *p, const double *x, double t,
                         double *gradient, double *hessian, size_t stride, double *room)
{
    scant_status status = SCANT_OK;
    size_t k = p->k;
    double *q = room, *sums = q + k, *g = sums + 1, *H = g + k;
    for (size_t c = 0; c < k; c++)
        q[c] = exp(x[c]);
    point_asked asked = {p, q, t};
    scant_i_tally tally = {.length = 1 + k + k * k, .add = add_rows, .payload = &asked};
    tally.tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = p->rows->nrows, .nstatistics = tally.length, .stride = 1});
    SCANT_I_TRY(scant_i_tally_ask(sums, &tally, p->rows, NULL, p->rows->weight, 1));
    *value = sums[0];
    for (size_t c = 0; c < k; c++) {
        gradient[c] = q[c] * g[c];
        for (size_t d = 0; d < k && hessian; d++)
            hessian[c * stride + d] = q[c] * q[d] * H[c * k + d] + (c == d ? gradient[c] : 0);
    }
done:
    return status;
}

/* The noise's row of derivatives, by central differences in log t. */
static scant_status add_noise(const problem *p, point *at, double *room)
{
    static const double h = 1e-4;
    scant_status status = SCANT_OK;
    size_t k = p->k, n = p->n;
    double t = exp(at->x[k]), *up = room, *down = up + k, *rest = down + k, above, below;
    SCANT_I_TRY(look(&above, p, at->x, t * exp(h), up, NULL, 0, rest));
    SCANT_I_TRY(look(&below, p, at->x, t * exp(-h), down, NULL, 0, rest));
    at->gradient[k] = (above - below) / (2 * h);
    at->hessian[k * n + k] = (above - 2 * at->value + below) / (h * h);
    for (size_t c = 0; c < k; c++)
        at->hessian[k * n + c] = at->hessian[c * n + k] = (up[c] - down[c]) / (2 * h);
done:
    return status;
}

/* Leaves nothing to gain in a coordinate, and the others to themselves. */
static void hold(point *at, size_t c, size_t n)
{
    at->gradient[c] = 0;
    for (size_t d = 0; d < n; d++)
        at->hessian[c * n + d] = at->hessian[d * n + c] = 0;
    at->hessian[c * n + c] = -1;
}

static scant_status evaluate(const problem *p, point *at, double known_noise, double *room)
{
    scant_status status = SCANT_OK;
    double t = p->channel ? 1 : noise_at(p, at->x, known_noise);
    SCANT_I_TRY(look(&at->value, p, at->x, t, at->gradient, at->hessian, p->n, room));
    if (p->free_noise)
        SCANT_I_TRY(add_noise(p, at, room));
    for (size_t c = 0; p->held && c < p->n; c++)
        if (p->held[c])
            hold(at, c, p->n);
done:
    return status;
}

/* (damping I - H) step = g; false: not positive definite. */
static bool solve(const point *at, double damping, size_t n, double *step, double *matrix)
{
    for (size_t e = 0; e < n * n; e++)
        matrix[e] = -at->hessian[e];
    for (size_t c = 0; c < n; c++) {
        matrix[c * n + c] += damping;
        step[c] = at->gradient[c];
    }
    if (!scant_i_cholesky(matrix, n))
        return false;
    scant_i_cholesky_solve(matrix, n, step);
    return true;
}

enum { STEPS_MOST = 500 };
static const double STEP_SMALL = 1e-12, STEP_LARGEST = 3, STEP_SETTLED = 1e-6;

/* Levenberg's rule: steps that do not raise the likelihood are drawn towards the gradient. *settled: steps had become
 * small. */
static scant_status maximise(const problem *p, point *at, double known_noise, bool *settled)
{
    scant_status status = SCANT_OK;
    size_t n = p->n;
    double *step = NULL, *matrix = NULL, *room = NULL, damping = 0, longest = 1;
    point next = {0};
    SCANT_I_TRY(SCANT_I_NEW(&step, n));
    SCANT_I_TRY(SCANT_I_NEW(&matrix, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&room, room_of(p)));
    SCANT_I_TRY(point_new(&next, n));
    SCANT_I_TRY(evaluate(p, at, known_noise, room));
    *settled = false;
    for (size_t s = 0; s < STEPS_MOST && longest > STEP_SMALL; s++) {
        bool risen = solve(at, damping, n, step, matrix);
        longest = 0;
        for (size_t c = 0; c < n; c++) {
            next.x[c] = at->x[c] + step[c];
            longest = fmax(longest, fabs(step[c]));
        }
        risen = risen && longest < STEP_LARGEST;
        if (risen) {
            SCANT_I_TRY(evaluate(p, &next, known_noise, room));
            risen = next.value >= at->value - 1e-13 * fabs(at->value);
        }
        damping = risen ? damping / 10 : fmax(10 * damping, 1e-3 * p->weight);
        if (risen) {
            point old = *at;
            *at = next;
            next = old;
            *settled = longest < STEP_SETTLED;
        } else {
            longest = 1;
        }
    }
done:
    scant_i_free(step);
    scant_i_free(matrix);
    scant_i_free(room);
    point_clear(&next);
    return status;
}

/* --- channels without error --- */

/* A theta that is none, and one that is lost in rounding, compared with the readings; a fall of l that is none. */
static const double NO_ERROR = 1e-4, ROUNDING = 1e-6, NO_FALL = 1e-4;

/* How far readings are from mu, or s if that is less: the prior may be far wider than they are. */
static double scale_of(const scant_i_survey *survey, double mu, double s)
{
    double squares = 0, n = 0;
    for (size_t c = 0; c < survey->ncolumns; c++) {
        const scant_i_column_survey *of = &survey->column[c];
        double off = of->mean - mu;
        squares += of->weight * (of->deviation * of->deviation + off * off);
        n += of->weight;
    }
    return squares > 0 ? fmin(s, sqrt(squares / n)) : s;
}

/* l where x_c is held at a value; `there` has the other coordinates to start from, and those it comes to. */
static scant_status profile_at(const problem *p, point *there, size_t c, double value)
{
    bool settled;
    there->x[c] = value;
    return maximise(p, there, NAN, &settled);
}

/* Holds predictors of which no error at all is likeliest; true: there are some. */
static scant_status hold_edges(problem *p, point *at, bool *any)
{
    enum { FURTHER = 4 }; /* in log q: an error of a seventh */
    scant_status status = SCANT_OK;
    point there = {0};
    double *room = NULL;
    *any = false;
    SCANT_I_TRY(point_new(&there, p->n));
    SCANT_I_TRY(SCANT_I_NEW(&room, room_of(p)));
    for (size_t c = 0; c < p->k; c++) {
        memcpy(there.x, at->x, p->n * sizeof *there.x);
        there.x[c] += FURTHER;
        SCANT_I_TRY(evaluate(p, &there, NAN, room));
        p->held[c] = there.value >= at->value - NO_FALL;
        if (p->held[c])
            at->x[c] = fmax(at->x[c], -2 * log(NO_ERROR * p->scale));
        *any = *any || p->held[c];
    }
done:
    scant_i_free(room);
    point_clear(&there);
    return status;
}

/* The largest theta of a predictor without error that l does not object to. */
static scant_status error_limit(double *theta, const problem *p, const point *at, size_t c,
                                double normal)
{
    enum { HALVINGS = 30 };
    scant_status status = SCANT_OK;
    double most = normal * normal / 2, low, high = at->x[c]; /* log q falls as theta grows */
    point there = {0};
    SCANT_I_TRY(point_new(&there, p->n));
    memcpy(there.x, at->x, p->n * sizeof *there.x);
    do {
        low = high--;
        SCANT_I_TRY(profile_at(p, &there, c, high));
    } while (at->value - there.value < most);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        SCANT_I_TRY(profile_at(p, &there, c, middle));
        *(at->value - there.value < most ? &low : &high) = middle;
    }
    *theta = exp(-high / 2);
done:
    point_clear(&there);
    return status;
}

/* --- the start: moments of each predictor by itself --- */

static scant_status begin(point *at, const problem *p, double noise, const scant_i_survey *survey,
                          scant_regression *out)
{
    double v = p->s * p->s + noise * noise, mu = p->mu;
    for (size_t c = 0; c < p->k; c++) {
        const scant_i_column_survey *of = &survey->column[c];
        double mean = of->mean, square = of->deviation * of->deviation + mean * mean;
        out->predictor[c].answers = (size_t)of->rows;
        if (!(of->rows > 0))
            return scant_i_fail(SCANT_ERR_UNIDENTIFIED, "predictor '%s' predicts nothing",
                                scant_rows_column_name(p->rows, c));
        double half = mu * mean / (2 * v),
               theta = sqrt(half * half + square / v) - half;           /* eq. 28 */
        double excess = square - 2 * mu * mean + mu * mu - p->s * p->s; /* E (x - mu)^2 - s^2 */
        at->x[c] = p->channel ? -log(fmax(excess, 1e-3 * p->s * p->s)) : -log(theta);
    }
    if (p->free_noise)
        at->x[p->k] = log(noise);
    return SCANT_OK;
}

/* --- results --- */

/* A positive number whose logarithm has the given standard error. */
static scant_estimate positive(double value, double log_error, double normal)
{
    return (scant_estimate){value, value * log_error, value * exp(-normal * log_error),
                            value * exp(normal * log_error)};
}

/* Risk and its slopes in log q and log t. */
static double risk_of(const problem *p, double theta, double t, double slope[2])
{
    double second = p->mu * p->mu + p->s * p->s, bias = 1 - theta;
    if (p->channel) {
        slope[0] = -theta * theta;
        slope[1] = 0;
        return theta * theta;
    }
    slope[0] = -theta * (2 * theta * t * t - 2 * bias * second);
    slope[1] = 2 * theta * theta * t * t;
    return theta * theta * t * t + bias * bias * second;
}

static void report(scant_regression *out, const problem *p, const double *x, const double *C)
{
    size_t n = p->n, k = p->k;
    double normal = scant_i_normal_quantile(0.5 + out->options.ci / 2);
    for (size_t c = 0; c < k; c++) {
        double theta = exp(p->channel ? -x[c] / 2 : -x[c]), slope[2];
        double scale = p->channel ? 0.5 : 1, risk = risk_of(p, theta, out->noise, slope);
        double variance = slope[0] * slope[0] * C[c * n + c];
        if (p->free_noise)
            variance += 2 * slope[0] * slope[1] * C[c * n + k] + slope[1] * slope[1] * C[k * n + k];
        out->predictor[c].theta = positive(theta, scale * sqrt(C[c * n + c]), normal);
        out->predictor[c].risk = positive(risk, sqrt(fmax(variance, 0)) / risk, normal);
    }
}

/* No error is the estimate, and the interval's lower end. */
static scant_status report_edges(scant_regression *out, const problem *p, const point *at)
{
    scant_status status = SCANT_OK;
    double normal = scant_i_normal_quantile(0.5 + out->options.ci / 2), high;
    for (size_t c = 0; p->held && c < p->k; c++) {
        if (!p->held[c])
            continue;
        SCANT_I_TRY(error_limit(&high, p, at, c, normal));
        out->predictor[c].theta = (scant_estimate){0, NAN, 0, high};
        out->predictor[c].risk = (scant_estimate){0, NAN, 0, high * high};
    }
done:
    return status;
}

static scant_status judge(scant_regression *out, const problem *p, const point *at)
{
    scant_status status = SCANT_OK;
    size_t n = p->n;
    double *factor = NULL, *C = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&factor, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&C, n * n));
    for (size_t e = 0; e < n * n; e++)
        factor[e] = -at->hessian[e];
    if (!scant_i_cholesky(factor, n))
        SCANT_I_TRY(scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                                 "these predictions cannot tell the errors: the information about "
                                 "them is singular"));
    scant_i_cholesky_inverse(C, factor, n);
    out->loglik = at->value;
    out->noise = p->channel ? NAN : noise_at(p, at->x, out->options.noise);
    report(out, p, at->x, C);
    SCANT_I_TRY(report_edges(out, p, at));
done:
    scant_i_free(factor);
    scant_i_free(C);
    return status;
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

static scant_status check(const scant_rows *rows, const scant_regression_options *o)
{
    if (!rows->dense || rows->nrows == 0 || rows->ncolumns == 0)
        return scant_i_fail(SCANT_ERR_INPUT, "predictions are a dense table of numbers");
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (scant_rows_column_is_category(rows, c))
            return scant_i_fail(SCANT_ERR_INPUT, "column '%s' is not of numbers",
                                scant_rows_column_name(rows, c));
    if (!o->channel && !isnan(o->noise) && !(o->noise > 0 && isfinite(o->noise)))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--noise-sd: %g is not a number above 0", o->noise);
    if (!o->channel && isnan(o->noise) && rows->ncolumns == 1 && o->mean == 0)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "one predictor of numbers of mean 0: its spread is all that is seen, "
                            "and scale and noise both make it; give --noise-sd, or a second one");
    return SCANT_OK;
}

/* Channels that never differ: the likelihood rises for ever as the errors of both fall. */
static bool never_differ(const problem *p, const point *at)
{
    size_t tiny = 0;
    for (size_t c = 0; c < p->k; c++)
        tiny += at->x[c] > -2 * log(ROUNDING * p->scale);
    return p->channel && tiny > 1;
}

/* The maximum, channels without error apart. */
static scant_status find_maximum(problem *p, point *at, double known_noise)
{
    scant_status status = SCANT_OK;
    bool settled, edges = false;
    SCANT_I_TRY(maximise(p, at, known_noise, &settled));
    bool equal = never_differ(p, at);
    if (p->channel && !equal)
        SCANT_I_TRY(hold_edges(p, at, &edges));
    if (edges)
        SCANT_I_TRY(maximise(p, at, known_noise, &settled));
    if (equal || !settled)
        status = scant_i_fail(
            SCANT_ERR_UNIDENTIFIED, "these predictions cannot tell the errors: %s",
            equal ? "some predictors do not differ" : "no maximum of their likelihood was found");
done:
    return status;
}

scant_status scant_audit_regression(scant_regression *out, const scant_rows *rows,
                                    const scant_regression_options *options)
{
    size_t k = rows->ncolumns;
    *out = (scant_regression){.npredictors = k};
    scant_status status = scant_i_options_take(&out->options, options, &kind);
    if (status != SCANT_OK)
        return status;

    options = &out->options;
    bool free_noise = !options->channel && isnan(options->noise);
    size_t n = k + free_noise;
    problem p = {rows, options->channel, free_noise, options->mean, options->sd, k, n, NULL, 0, 0};
    point at = {0};
    scant_i_survey survey = {0};
    SCANT_I_TRY(check(rows, options));
    SCANT_I_TRY(scant_i_survey_new(&survey, rows, NULL, SCANT_I_COLUMNS, 1));
    p.scale = scale_of(&survey, p.mu, p.s);
    p.weight = scant_i_survey_total_weight(&survey);
    SCANT_I_TRY(SCANT_I_NEW(&out->predictor, k));
    SCANT_I_TRY(SCANT_I_NEW(&p.held, n));
    SCANT_I_TRY(point_new(&at, n));
    SCANT_I_TRY(begin(&at, &p, free_noise ? options->sd : options->noise, &survey, out));
    SCANT_I_TRY(find_maximum(&p, &at, options->noise));
    SCANT_I_TRY(judge(out, &p, &at));
done:
    scant_i_survey_clear(&survey);
    point_clear(&at);
    scant_i_free(p.held);
    if (status != SCANT_OK)
        scant_regression_clear(out);
    return status;
}

void scant_regression_clear(scant_regression *regression)
{
    scant_i_free(regression->predictor);
    *regression = (scant_regression){0};
}

scant_status scant_regression_combine(double *mean, double *sd, const scant_regression *regression,
                                      const scant_rows *rows)
{
    const scant_regression_options *o = &regression->options;
    size_t k = regression->npredictors;
    problem p = {rows, o->channel, false, o->mean, o->sd, k, k, NULL, 0, 0};
    double *q = NULL;
    if (rows->ncolumns != k || !rows->dense)
        return scant_i_fail(SCANT_ERR_INPUT, "%zu predictors were judged, these are %zu", k,
                            rows->ncolumns);
    double least = o->sd; /* of the errors that there are: none at all is far below it */
    for (size_t c = 0; c < k; c++)
        if (regression->predictor[c].theta.value > 0)
            least = fmin(least, regression->predictor[c].theta.value);
    scant_status status = SCANT_I_NEW(&q, k);
    for (size_t c = 0; status == SCANT_OK && c < k; c++) {
        double theta = regression->predictor[c].theta.value;
        if (o->channel && theta == 0)
            theta = NO_ERROR * least;
        q[c] = o->channel ? 1 / (theta * theta) : 1 / theta;
    }
    for (size_t i = 0; status == SCANT_OK && i < rows->nrows; i++) {
        double P, m;
        row_moments(&p, q, o->channel ? 1 : regression->noise, rows->dense + i * k, &P, &m);
        mean[i] = p.mu + m / P;
        sd[i] = 1 / sqrt(P);
    }
    scant_i_free(q);
    return status;
}
