#include "plan/forecast.h"

#include <math.h>
#include <string.h>

#include "model/sample.h"
#include "math/linear.h"
#include "plan/policy.h"

scant_status scant_i_classes_under(double *classes, const scant_model *model,
                                   scant_i_mixture *mixture, const scant_rows *rows, size_t threads)
{
    scant_model named = *model;
    named.mixture = mixture;
    scant_predict_options options = {.size = sizeof options, .threads = threads};
    return scant_model_predict(&named, rows, &options, classes, NULL, NULL, NULL);
}

size_t scant_i_likeliest(const double *p, size_t nclasses)
{
    size_t best = 0;
    for (size_t k = 1; k < nclasses; k++)
        best = p[k] > p[best] ? k : best;
    return best;
}

/* The likeliest classes in order, into rank[0..count-1]; count <= K. */
static void rank_classes(size_t *rank, size_t count, const double *p, size_t K)
{
    for (size_t k = 0; k < K; k++) {
        size_t at = scant_i_min(k, count);
        while (at > 0 && p[k] > p[rank[at - 1]])
            at--;
        for (size_t r = scant_i_min(k, count - 1); r > at; r--)
            rank[r] = rank[r - 1];
        if (at < count)
            rank[at] = k;
    }
}

/* --- what there is to tell --- */

/* Shares of components that come to less than half a row are zeros on their way, where labels that are expected, not seen, may
 * bend the likelihood either way. The class's other components take them over. */
static void drop_faint(scant_i_mixture *mixture, double weight)
{
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double *W = mixture->coupling.W + k * mixture->stride, all = 0, kept = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++) {
            all += W[j];
            kept += W[j] * weight < 0.5 ? 0 : W[j];
        }
        for (size_t j = 0; j < mixture->ncomponents && kept > 0; j++)
            W[j] = W[j] * weight < 0.5 ? 0 : W[j] * (all / kept);
    }
}

/* --- the basis --- */

/* Basis and worth from the information of the rows, labelled and not. rho is clipped to what it
 * must be: the rows are a sample, and the model's maximum is not that of unlabelled rows alone. */
static scant_status diagonalise(scant_i_forecast *o, double *labelled, const double *unlabelled,
                                double weight)
{
    scant_status status = SCANT_OK;
    size_t n = o->n;
    for (size_t t = 0; t < n * n; t++) {
        labelled[t] /= weight;
        o->basis[t] = unlabelled[t] / weight;
    }
    if (!scant_i_cholesky(labelled, n))
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "labels of all rows would still leave some of the model's %zu "
                            "parameters open: there is nothing to plan with",
                            n);
    scant_i_whiten(o->basis, labelled, n);
    SCANT_I_TRY(scant_i_eigen(o->basis, n, o->worth));
    scant_i_unwhiten(o->basis, labelled, n);
    for (size_t a = 0; a < n; a++) {
        double *b = o->basis + a * n;
        o->worth[a] = fmin(1, fmax(0, o->worth[a]));
        for (size_t t = 0; t < n; t++)
            o->length[a] += b[t] * b[t];
    }
done:
    return status;
}

/* --- rows near the boundary --- */

/* p_next / p_best = exp(-g) of the first rival */
static double nearness(const double *p, size_t K)
{
    size_t rank[2];
    rank_classes(rank, 2, p, K);
    return p[rank[1]] / p[rank[0]];
}

/* Costs and odds of a row that counts for `share` of the mean. */
static void meet_rivals(scant_i_forecast *o, const double *p, size_t K, double share)
{
    size_t rank[1 + SCANT_I_RIVALS], at = o->nrows++ * o->nrivals;
    rank_classes(rank, 1 + o->nrivals, p, K);
    for (size_t r = 0; r < o->nrivals; r++) {
        double best = p[rank[0]], rival = p[rank[1 + r]];
        o->cost[at + r] = share * (best - rival);
        o->odds[at + r] = rival > 0 ? log(best / rival) : INFINITY;
    }
}

/* Keeps rows by chance, as the header says; `classes` are of all n rows, index tells those kept.
 * Systematic: a row is kept when the sum of chances passes a whole number. */
static void keep_near(scant_i_forecast *o, const double *classes, size_t n, size_t K, size_t *index)
{
    double sum = 0, passed = 0.5;
    for (size_t i = 0; i < n; i++)
        sum += nearness(classes + i * K, K);
    double thin = fmin(1, (double)(n / SCANT_I_FORECAST_KEEP) / sum);
    for (size_t i = 0; i < n; i++) {
        double chance = thin * nearness(classes + i * K, K), before = floor(passed);
        passed += chance;
        if (floor(passed) > before) {
            index[o->nrows] = i;
            meet_rivals(o, classes + i * K, K, 1 / chance / (double)n);
        }
    }
}

static scant_status draw_near(scant_rows **out, scant_i_forecast *o, const scant_model *model,
                              const scant_rows *rows, size_t n, size_t threads)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses, *index = NULL;
    scant_rows *drawn = NULL;
    double *classes = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&classes, n * K));
    SCANT_I_TRY(SCANT_I_NEW(&index, n));
    o->nrivals = scant_i_min(K - 1, SCANT_I_RIVALS);
    SCANT_I_TRY(SCANT_I_NEW(&o->cost, (n / SCANT_I_FORECAST_KEEP + 1) * o->nrivals));
    SCANT_I_TRY(SCANT_I_NEW(&o->odds, (n / SCANT_I_FORECAST_KEEP + 1) * o->nrivals));
    SCANT_I_TRY(scant_i_sample_like(&drawn, model, rows, n, 1));
    SCANT_I_TRY(scant_i_classes_under(classes, model, model->mixture, drawn, threads));
    keep_near(o, classes, n, K, index);
    status = scant_rows_subset(out, drawn, index, o->nrows);
done:
    scant_rows_free(drawn);
    scant_i_free(classes);
    scant_i_free(index);
    return status;
}

/* --- slopes --- */

/* Central differences along direction a, up and down `step` from the model. */
static void add_gains(scant_i_forecast *o, size_t n, size_t K, size_t a, double *const *moved,
                      double step)
{
    double variance = 1 / (o->labels + o->unlabelled * o->worth[a]);
    for (size_t t = 0; t < n * K; t++) {
        double d = (moved[0][t] - moved[1][t]) / (2 * step);
        if (o->classes[t] > 0)
            o->gain[t / K] += variance * d * d / o->classes[t] / 2;
    }
}

/* Who is best, and who the rivals are, the model itself says. */
static void take_slopes(scant_i_forecast *o, const double *classes, size_t K, size_t a,
                        double *const *moved, double step)
{
    for (size_t i = 0; i < o->nrows; i++) {
        size_t rank[1 + SCANT_I_RIVALS];
        const double *up = moved[0] + i * K, *down = moved[1] + i * K;
        rank_classes(rank, 1 + o->nrivals, classes + i * K, K);
        for (size_t r = 0; r < o->nrivals; r++) {
            double high = up[rank[0]] * down[rank[1 + r]], low = up[rank[1 + r]] * down[rank[0]];
            o->slope[(i * o->nrivals + r) * o->n + a] =
                low > 0 && high > 0 ? log(high / low) / (2 * step) : 0;
        }
    }
}

/* A thousandth of the estimate's own standard error: differences then lose nothing that matters. */
static const double STEP = 1e-3;

/* P(k | x) of rows a step up and down direction a. */
static scant_status move(double *const *moved, const scant_i_forecast *o, size_t a, double step,
                         const double *point, const scant_i_chart *chart, scant_i_mixture *mixture,
                         const scant_model *model, const scant_rows *rows, size_t threads)
{
    scant_status status = SCANT_OK;
    double *there = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&there, o->n));
    for (size_t down = 0; down < 2; down++) {
        for (size_t t = 0; t < o->n; t++)
            there[t] = point[t] + (down ? -step : step) * o->basis[a * o->n + t];
        SCANT_I_TRY(scant_i_chart_set(chart, mixture, there));
        SCANT_I_TRY(scant_i_classes_under(moved[down], model, mixture, rows, threads));
    }
done:
    scant_i_free(there);
    return status;
}

/* Gains of `rows`, slopes of the rows that are `near`. */
static scant_status differentiate(scant_i_forecast *o, const scant_model *model,
                                  const scant_i_chart *chart, const scant_rows *rows,
                                  const scant_rows *near, size_t threads,
                                  const scant_i_steps *steps)
{
    scant_status status = SCANT_OK;
    size_t K = model->nclasses, most = scant_i_max(rows->nrows, near->nrows) * K;
    scant_i_mixture *mixture = NULL;
    double *point = NULL, *classes = NULL, *moved[2] = {NULL, NULL};
    SCANT_I_TRY(scant_i_mixture_copy(&mixture, o->mixture));
    SCANT_I_TRY(SCANT_I_NEW(&point, o->n));
    SCANT_I_TRY(SCANT_I_NEW(&classes, most));
    SCANT_I_TRY(SCANT_I_NEW(&moved[0], most));
    SCANT_I_TRY(SCANT_I_NEW(&moved[1], most));
    SCANT_I_TRY(scant_i_classes_under(classes, model, mixture, near, threads));
    SCANT_I_TRY(scant_i_chart_get(chart, mixture, point));
    for (size_t a = 0; a < o->n; a++) {
        double step = STEP / sqrt(o->labels + o->unlabelled * o->worth[a]);
        SCANT_I_TRY(move(moved, o, a, step, point, chart, mixture, model, rows, threads));
        add_gains(o, rows->nrows, K, a, moved, step);
        SCANT_I_TRY(move(moved, o, a, step, point, chart, mixture, model, near, threads));
        take_slopes(o, classes, K, a, moved, step);
        SCANT_I_TRY(scant_i_steps_look(steps));
    }
done:
    scant_i_mixture_free(mixture);
    scant_i_free(point);
    scant_i_free(classes);
    scant_i_free(moved[0]);
    scant_i_free(moved[1]);
    return status;
}

/* --- making --- */

static scant_status make_room(scant_i_forecast *o, size_t n, size_t nrows)
{
    scant_status status = SCANT_OK;
    o->n = n;
    SCANT_I_TRY(SCANT_I_NEW(&o->basis, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&o->worth, n));
    SCANT_I_TRY(SCANT_I_NEW(&o->length, n));
    SCANT_I_TRY(SCANT_I_NEW(&o->room, n));
    SCANT_I_TRY(SCANT_I_NEW(&o->slope, o->nrows * o->nrivals * n));
    SCANT_I_TRY(SCANT_I_NEW(&o->gain, nrows));
done:
    return status;
}

scant_status scant_i_forecast_new(scant_i_forecast *out, const scant_model *model,
                                  const scant_rows *rows, double labels, double unlabelled,
                                  size_t drawn, size_t threads, const scant_i_steps *steps)
{
    scant_status status = SCANT_OK;
    scant_i_information with = {0}, without = {0};
    scant_rows *near = NULL;
    size_t K = model->nclasses;
    double weight = 0;
    *out = (scant_i_forecast){.labels = labels, .unlabelled = unlabelled};
    for (size_t i = 0; i < rows->nrows; i++)
        weight += scant_rows_weight(rows, i);
    SCANT_I_TRY(scant_i_mixture_copy(&out->mixture, model->mixture));
    drop_faint(out->mixture, weight);
    SCANT_I_TRY(SCANT_I_NEW(&out->classes, rows->nrows * K));
    SCANT_I_TRY(scant_i_classes_under(out->classes, model, out->mixture, rows, threads));
    SCANT_I_TRY(scant_i_policy_inform(&with, &scant_i_policy_row, out->mixture, rows, out->classes,
                                      threads));
    SCANT_I_TRY(scant_i_policy_inform(&without, &scant_i_policy_none, out->mixture, rows,
                                      out->classes, threads));
    SCANT_I_TRY(draw_near(&near, out, model, rows, drawn, threads));
    SCANT_I_TRY(make_room(out, with.chart.n, rows->nrows));
    SCANT_I_TRY(diagonalise(out, with.observed, without.observed, weight));
    status = differentiate(out, model, &with.chart, rows, near, threads, steps);
done:
    scant_rows_free(near);
    scant_i_information_clear(&with);
    scant_i_information_clear(&without);
    if (status != SCANT_OK)
        scant_i_forecast_clear(out);
    return status;
}

void scant_i_forecast_clear(scant_i_forecast *forecast)
{
    scant_i_mixture_free(forecast->mixture);
    scant_i_free(forecast->basis);
    scant_i_free(forecast->worth);
    scant_i_free(forecast->length);
    scant_i_free(forecast->room);
    scant_i_free(forecast->cost);
    scant_i_free(forecast->odds);
    scant_i_free(forecast->slope);
    scant_i_free(forecast->classes);
    scant_i_free(forecast->gain);
    *forecast = (scant_i_forecast){0};
}

/* --- asking --- */

/* What row i gives away where its log-odds have these variances. */
static double regret(const scant_i_forecast *o, size_t i, const double *variance)
{
    double given = 0, all = 1;
    for (size_t r = 0; r < o->nrivals; r++) {
        size_t at = i * o->nrivals + r;
        double t = variance[r] > 0 ? o->odds[at] / sqrt(2 * variance[r]) : INFINITY;
        double u = erfc(t) / erfc(-t);
        given += o->cost[at] * u;
        all += u;
    }
    return given / all;
}

double scant_i_forecast_excess(const scant_i_forecast *forecast, double labels, double unlabelled)
{
    double excess = 0, *spread = forecast->room;
    for (size_t a = 0; a < forecast->n; a++)
        spread[a] = 1 / (labels + unlabelled * forecast->worth[a]);
    for (size_t i = 0; i < forecast->nrows; i++) {
        double variance[SCANT_I_RIVALS] = {0};
        for (size_t r = 0; r < forecast->nrivals; r++) {
            const double *slope = forecast->slope + (i * forecast->nrivals + r) * forecast->n;
            for (size_t a = 0; a < forecast->n; a++)
                variance[r] += slope[a] * slope[a] * spread[a];
        }
        excess += regret(forecast, i, variance);
    }
    return excess;
}

double scant_i_forecast_trace(const scant_i_forecast *forecast, double labels, double unlabelled)
{
    double trace = 0;
    for (size_t a = 0; a < forecast->n; a++)
        trace += forecast->length[a] / (labels + unlabelled * forecast->worth[a]);
    return trace;
}

/* to = B I B' for a symmetric I in the chart; `room` n x n */
static void put_in_basis(double *to, const scant_i_forecast *o, const double *information,
                         double *restrict room)
{
    size_t n = o->n;
    memset(room, 0, n * n * sizeof *room);
    for (size_t a = 0; a < n; a++)
        for (size_t u = 0; u < n; u++)
            scant_i_add_multiple(room + a * n, o->basis[a * n + u], information + u * n, n);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++)
            to[a * n + b] = to[b * n + a] = scant_i_dot(room + a * n, o->basis + b * n, n);
}

/* What labels of the rows add to the information, in the basis. */
static scant_status find_added(double *sigma, const scant_i_forecast *o, const scant_rows *rows,
                               const double *classes, double *room, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_information with = {0}, without = {0};
    SCANT_I_TRY(
        scant_i_policy_inform(&with, &scant_i_policy_row, o->mixture, rows, classes, threads));
    SCANT_I_TRY(
        scant_i_policy_inform(&without, &scant_i_policy_none, o->mixture, rows, classes, threads));
    for (size_t t = 0; t < o->n * o->n; t++)
        with.observed[t] -= without.observed[t];
    put_in_basis(sigma, o, with.observed, room);
done:
    scant_i_information_clear(&with);
    scant_i_information_clear(&without);
    return status;
}

/* Rows whose variances are found at a time: they stay in the cache. */
enum { TOGETHER = 16 };

/* The excess where sigma (its lower factor) is the information; `room` n x TOGETHER R */
static double excess_under(const scant_i_forecast *o, const double *sigma, double *room)
{
    size_t n = o->n, R = o->nrivals;
    double excess = 0;
    for (size_t first = 0, count; first < o->nrows; first += count) {
        count = scant_i_min(TOGETHER, o->nrows - first);
        size_t m = count * R;
        double variance[TOGETHER * SCANT_I_RIVALS] = {0};
        for (size_t t = 0; t < n * m; t++)
            room[t] = o->slope[(first * R + t % m) * n + t / m];
        scant_i_forward_solve_all(sigma, n, room, m);
        for (size_t t = 0; t < n * m; t++)
            variance[t % m] += room[t] * room[t];
        for (size_t i = 0; i < count; i++)
            excess += regret(o, first + i, variance + i * R);
    }
    return excess;
}

scant_status scant_i_forecast_excess_with(double *excess, const scant_i_forecast *forecast,
                                          const scant_model *model, const scant_rows *rows,
                                          const size_t *index, size_t count, size_t threads)
{
    scant_status status = SCANT_OK;
    size_t n = forecast->n, K = model->nclasses;
    scant_rows *chosen = NULL;
    double *sigma = NULL, *room = NULL, *classes = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&sigma, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&room, n * scant_i_max(n, TOGETHER * forecast->nrivals)));
    SCANT_I_TRY(SCANT_I_NEW(&classes, count * K));
    SCANT_I_TRY(scant_rows_subset(&chosen, rows, index, count));
    for (size_t i = 0; i < count; i++)
        memcpy(classes + i * K, forecast->classes + index[i] * K, K * sizeof *classes);
    SCANT_I_TRY(find_added(sigma, forecast, chosen, classes, room, threads));
    for (size_t a = 0; a < n; a++)
        sigma[a * n + a] += forecast->labels + forecast->unlabelled * forecast->worth[a];
    if (!scant_i_cholesky(sigma, n)) {
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED, "the information is singular");
        goto done;
    }
    *excess = excess_under(forecast, sigma, room);
done:
    scant_rows_free(chosen);
    scant_i_free(sigma);
    scant_i_free(room);
    scant_i_free(classes);
    return status;
}
