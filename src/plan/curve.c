#include "plan/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/machine.h"
#include "model/refit.h"
#include "plan/limit.h"
#include "plan/forecast.h"

/* --- the power law --- */

/* a and b >= 0 of the least squares for a given power; the squares that are left. */
static double fit_line(double *a, double *b, const double *x, const double *y, size_t n, double c)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        double u = pow(x[i], -c);
        sx += u;
        sy += y[i];
        sxx += u * u;
        sxy += u * y[i];
    }
    double determinant = (double)n * sxx - sx * sx;
    *b = determinant > 0 ? ((double)n * sxy - sx * sy) / determinant : 0;
    *b = fmax(0, *b);
    *a = (sy - *b * sx) / (double)n;
    if (*a < 0) {
        *a = 0;
        *b = fmax(0, sxy / sxx);
    }
    for (size_t i = 0; i < n; i++) {
        double r = y[i] - *a - *b * pow(x[i], -c);
        left += r * r;
    }
    return left;
}

void scant_i_power_law(double *law, const double *x, const double *y, size_t n)
{
    /* 1 is a right model with its error falling like a variance, 1/2 a slow one; a few noisy points
     * tell no more than that */
    static const double LEAST = 0.25, MOST = 1.5, STEP = 0.05;
    double best = INFINITY;
    for (double c = LEAST; c < MOST + STEP / 2; c += STEP) {
        double a, b, left = fit_line(&a, &b, x, y, n, c);
        if (left < best) {
            best = left;
            law[0] = a;
            law[1] = b;
            law[2] = c;
        }
    }
}

double scant_i_curve_at(const scant_i_curve *curve, double labels)
{
    return curve->asymptote + curve->factor * pow(labels, -curve->power);
}

/* --- parts of the pilot --- */

typedef struct place {
    double key;
    size_t row;
} place;

static int by_key(const void *a, const void *b)
{
    double x = ((const place *)a)->key, y = ((const place *)b)->key;
    return (x > y) - (x < y);
}

typedef struct parts {
    const scant_model *model;
    const scant_rows *rows;
    const scant_i_curve_options *options;
    place *order; /* labelled rows, every beginning of which has all classes in their shares */
    size_t nlabelled, nheld;
    size_t *index; /* room */
    double *classes;
} parts;

/* The j-th of a class's m rows, shuffled, comes at (j + u) / m. */
static scant_status arrange(parts *p, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(p->options->seed, seed);
    size_t K = p->model->nclasses, count = 0;
    for (size_t k = 0; k < K; k++) {
        size_t m = 0;
        for (size_t i = 0; i < p->rows->nrows; i++)
            if (scant_rows_label(p->rows, i) == (int32_t)k)
                p->index[m++] = i;
        if (m < SCANT_I_CURVE_LEAST)
            return SCANT_ERR_UNIDENTIFIED;
        scant_i_random_shuffle(&random, p->index, m);
        double shift = scant_i_random_uniform(&random);
        for (size_t j = 0; j < m; j++)
            p->order[count++] = (place){((double)j + shift) / (double)m, p->index[j]};
    }
    qsort(p->order, count, sizeof *p->order, by_key);
    p->nlabelled = count;
    p->nheld = (count + 3) / 4;
    return SCANT_OK;
}

/* The first `labels` of the order, and all rows without a label. */
static scant_status take(scant_rows **out, const parts *p, size_t labels)
{
    size_t n = 0;
    for (size_t j = 0; j < labels; j++)
        p->index[n++] = p->order[j].row;
    for (size_t i = 0; i < p->rows->nrows; i++)
        if (scant_rows_label(p->rows, i) < 0)
            p->index[n++] = i;
    return scant_rows_subset(out, p->rows, p->index, n);
}

/* What was learned from a part: a mixture in the model's layout, or a model of its kind. */
typedef struct learned {
    scant_i_mixture *mixture;
    scant_model *model;
} learned;

static scant_status learn(learned *out, const parts *p, const scant_rows *rows, uint64_t seed)
{
    const scant_i_machine_run run = {0, p->options->threads};
    const scant_i_refit_options fit = {.seed = p->options->seed + seed,
                                       .threads = p->options->threads};
    return p->model->kind ? scant_i_machine_again(&out->model, p->model, rows, &run, "planning")
                          : scant_i_refit(&out->mixture, p->model, rows, &fit);
}

static scant_status classes_of(double *classes, const parts *p, const learned *by,
                               const scant_rows *rows)
{
    const scant_predict_options how = {.size = sizeof how, .threads = p->options->threads};
    return by->model
               ? scant_model_predict(by->model, rows, &how, classes, NULL, NULL, NULL)
               : scant_i_classes_under(classes, p->model, by->mixture, rows, p->options->threads);
}

static scant_status measure(double *error, const parts *p, const learned *by)
{
    scant_status status = SCANT_OK;
    scant_rows *held = NULL;
    size_t K = p->model->nclasses;
    double wrong = 0, total = 0;
    for (size_t j = 0; j < p->nheld; j++)
        p->index[j] = p->order[p->nlabelled - 1 - j].row;
    SCANT_I_TRY(scant_rows_subset(&held, p->rows, p->index, p->nheld));
    SCANT_I_TRY(classes_of(p->classes, p, by, held));
    for (size_t j = 0; j < p->nheld; j++) {
        double w = scant_rows_weight(held, j);
        total += w;
        if ((int32_t)scant_i_likeliest(p->classes + j * K, K) != scant_rows_label(held, j))
            wrong += w;
    }
    *error = wrong / total;
done:
    scant_rows_free(held);
    return status;
}

/* What the mixture, fitted to `rows`, expects with `labels` labels. */
static scant_status forecast(double *error, const parts *p, scant_i_mixture *mixture,
                             const scant_rows *rows, size_t has, double labels, uint64_t seed)
{
    scant_i_forecast forecast = {0};
    scant_i_limit limit;
    scant_model named = *p->model;
    named.mixture = mixture;
    const scant_i_limit_options how = {p->options->replicates, SCANT_I_LIMIT_DRAWN, seed,
                                       p->options->threads, p->options->steps};
    double unlabelled = (double)(rows->nrows - has);
    scant_status status =
        scant_i_forecast_new(&forecast, &named, rows, (double)has, unlabelled,
                             SCANT_I_FORECAST_DRAWN, p->options->threads, p->options->steps);
    if (status == SCANT_OK)
        status = scant_i_limit_find(&limit, &named, rows, &forecast, &how);
    if (status == SCANT_OK)
        *error = scant_i_limit_raised(&limit, SCANT_I_MIDDLE,
                                      scant_i_forecast_excess(&forecast, labels, unlabelled));
    scant_i_forecast_clear(&forecast);
    return status;
}

/* A part is too small for what was asked of it, which is an answer. */
static bool says_nothing(scant_status status)
{
    return status == SCANT_ERR_UNIDENTIFIED || status == SCANT_ERR_INPUT;
}

static scant_status try_size(scant_i_curve *curve, const parts *p, size_t s, uint64_t seed)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = NULL;
    learned by = {0};
    double error, share = 1 / (double)p->options->repeats;
    size_t labels = (size_t)curve->labels[s];
    SCANT_I_TRY(take(&rows, p, labels));
    SCANT_I_TRY(learn(&by, p, rows, seed));
    SCANT_I_TRY(measure(&error, p, &by));
    curve->error[s] += share * error;
    SCANT_I_TRY(scant_i_steps_count(p->options->steps));
    if (by.mixture && s + 1 == SCANT_I_CURVE_KNOWN) {
        status = forecast(&error, p, by.mixture, rows, labels,
                          curve->labels[SCANT_I_CURVE_SIZES - 1], seed);
        if (status == SCANT_OK) {
            curve->told++;
            curve->by_model += error;
        } else if (says_nothing(status)) {
            status = SCANT_OK;
        }
    }
done:
    scant_rows_free(rows);
    scant_i_mixture_free(by.mixture);
    scant_model_free(by.model);
    return status;
}

/* Sizes grow by the same factor up to all labels that are not held out. A machine refuses to learn from one class: the
 * least part has two labels of each. */
static void choose_sizes(scant_i_curve *curve, const parts *p)
{
    static const double SPAN = 6; /* the largest is so many times the smallest */
    double most = (double)(p->nlabelled - p->nheld);
    double span = p->model->kind ? fmin(SPAN, most / (2 * (double)p->model->nclasses)) : SPAN;
    for (size_t s = 0; s < SCANT_I_CURVE_SIZES; s++)
        curve->labels[s] = round(most * pow(span, (double)s / (SCANT_I_CURVE_SIZES - 1) - 1));
}

static void settle(scant_i_curve *c, const parts *p)
{
    double law[3] = {0}, known[3] = {0};
    const size_t last = SCANT_I_CURVE_SIZES - 1;
    scant_i_power_law(law, c->labels, c->error, SCANT_I_CURVE_SIZES);
    scant_i_power_law(known, c->labels, c->error, SCANT_I_CURVE_KNOWN);
    c->asymptote = law[0];
    c->factor = law[1];
    c->power = law[2];
    c->measured = c->error[last];
    c->by_model = c->told ? c->by_model / (double)c->told : NAN;
    c->forecast = known[0] + known[1] * pow(c->labels[last], -known[2]);
    /* repetitions hold out the same labelled rows again and again: no more than each once counts */
    double tried = fmin((double)p->nlabelled, (double)(p->nheld * p->options->repeats));
    c->deviation = sqrt(fmax(c->measured * (1 - c->measured), 1 / tried) / tried);
}

scant_status scant_i_curve_new(scant_i_curve *out, bool *made, const scant_model *model,
                               const scant_rows *rows, const scant_i_curve_options *options)
{
    scant_status status = SCANT_OK;
    parts p = {.model = model, .rows = rows, .options = options};
    *out = (scant_i_curve){0};
    *made = false;
    SCANT_I_TRY(SCANT_I_NEW(&p.order, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&p.index, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&p.classes, rows->nrows * model->nclasses));
    for (uint64_t r = 0; r < options->repeats; r++) {
        status = arrange(&p, r);
        choose_sizes(out, &p);
        for (size_t s = 0; s < SCANT_I_CURVE_SIZES && status == SCANT_OK; s++)
            status = try_size(out, &p, s, r);
        if (status != SCANT_OK)
            break;
    }
    if (status == SCANT_OK && options->repeats) {
        settle(out, &p);
        *made = true;
    }
    if (says_nothing(status))
        status = SCANT_OK;
done:
    scant_i_free(p.order);
    scant_i_free(p.index);
    scant_i_free(p.classes);
    return status;
}
