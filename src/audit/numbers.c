/* Value, gradient and information of an audit of numbers in one pass, and the climb to its maximum by Newton's steps
 * in log|q|, and in log t where the noise is not known: of a row with n predictions that are off_c = z_c - m from y's mean,
 *   d l / dlog t = sum_c (off_c^2 + 1/P) / t^2 - n
 *   d2 l / dlog t^2 = -2 sum_c (off_c^2 + 1/P) / t^2 + (4 (sum_c off_c)^2 / P + 2 n^2 / P^2) / t^4
 * Cost of a look: O(sum of squared predictions of a row). */
#include "audit/numbers.h"

#include <math.h>
#include <string.h>

#include "audit/newton.h"
#include "parts/tally.h"

scant_status scant_i_number_point_new(scant_i_number_point *at, size_t n)
{
    scant_status status = SCANT_OK;
    *at = (scant_i_number_point){0};
    SCANT_I_TRY(SCANT_I_NEW(&at->x, n));
    SCANT_I_TRY(SCANT_I_NEW(&at->gradient, n));
    SCANT_I_TRY(SCANT_I_NEW(&at->information, n * n));
done:
    return status;
}

void scant_i_number_point_clear(scant_i_number_point *at)
{
    scant_i_free(at->x);
    scant_i_free(at->gradient);
    scant_i_free(at->information);
    *at = (scant_i_number_point){0};
}

double scant_i_number_noise(const scant_i_numbers *p, const double *x)
{
    return !p->model->has_noise ? 1 : p->free_noise ? exp(x[p->k]) : p->noise;
}

double scant_i_number_q(const scant_i_numbers *p, const double *x, size_t predictor)
{
    return p->sign[predictor] * exp(x[predictor]);
}

scant_i_number_view scant_i_number_look(const scant_i_numbers *p, const double *q, const double *t,
                                        const double *cell)
{
    double P = 1 / (p->s * p->s), m = 0;
    if (p->truth != SIZE_MAX && !isnan(cell[p->truth]))
        return (scant_i_number_view){cell[p->truth] - p->mu, 0};
    for (size_t c = 0; c < p->k; c++) {
        double x = cell[p->column[c]];
        if (isnan(x))
            continue;
        double w = p->model->precision(q[c], t[c]);
        P += w;
        m += w * p->model->about_mean(p, q[c], x);
    }
    return (scant_i_number_view){m / P, 1 / P};
}

/* What rows are asked: their value | gradient in q (k) and log t | curvature ((k + 1) x (k + 1)) at a point. */
typedef struct point_asked {
    const scant_i_numbers *p;
    const double *q, *t; /* k each */
} point_asked;

/* Of a row's log-likelihood, what does not sum over predictions. */
static double value_of(const scant_i_numbers *p, scant_i_number_view y)
{
    if (y.variance > 0)
        return y.mean * y.mean / (2 * y.variance) + log(y.variance) / 2 - log(p->s);
    double off = y.mean / p->s;
    return -off * off / 2 - log(p->s) - log(2 * M_PI) / 2;
}

static void add_noise(const point_asked *a, const double *cell, double weight,
                      scant_i_number_view y, double *g, double *H)
{
    const scant_i_numbers *p = a->p;
    size_t k = p->k;
    double off = 0, squares = 0, n = 0, v = a->t[0] * a->t[0];
    for (size_t c = 0; c < k; c++) {
        double x = cell[p->column[c]];
        if (isnan(x))
            continue;
        double own = p->model->about_mean(p, a->q[c], x) - y.mean;
        off += own;
        squares += own * own + y.variance;
        n++;
    }
    g[k] += weight * (squares / v - n);
    H[k * (k + 1) + k] +=
        weight * ((4 * off * off * y.variance + 2 * n * n * y.variance * y.variance) / (v * v) -
                  2 * squares / v);
    for (size_t c = 0; c < k; c++) {
        double x = cell[p->column[c]];
        if (!isnan(x))
            H[c * (k + 1) + k] +=
                weight *
                p->model->noise_curvature(x, p->model->about_mean(p, a->q[c], x), off, a->t[0], y);
    }
}

static double add_row(const point_asked *a, const double *cell, double weight, double *g, double *H)
{
    const scant_i_numbers *p = a->p;
    const scant_i_number_model *model = p->model;
    scant_i_number_view y = scant_i_number_look(p, a->q, a->t, cell);
    size_t stride = p->k + 1;
    double value = value_of(p, y), about = y.variance > 0 ? 0 : y.mean;
    for (size_t c = 0; c < p->k; c++) {
        double x = cell[p->column[c]], q = a->q[c], t = a->t[c];
        if (isnan(x))
            continue;
        double z = model->about_mean(p, q, x), off = z - about;
        value += model->log_scale(q, t) - model->precision(q, t) * off * off / 2;
        g[c] += weight * model->slope(q, t, x, z, y);
        H[c * stride + c] -= weight * model->own_curvature(q, t, x);
        for (size_t d = 0; d < p->k && y.variance > 0; d++) {
            double other = cell[p->column[d]];
            if (!isnan(other))
                H[c * stride + d] +=
                    weight * model->shared_curvature(x, z, other,
                                                     model->about_mean(p, a->q[d], other), t, y);
        }
    }
    if (p->free_noise)
        add_noise(a, cell, weight, y, g, H);
    return weight * value;
}

static scant_status add_rows(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                             const void *payload)
{
    const point_asked *a = payload;
    double *g = sums + 1, *H = g + a->p->k + 1;
    for (size_t i = first; i < end; i++) {
        double weight = batch->weight ? batch->weight[i] : 1;
        if (weight > 0)
            sums[0] += add_row(a, batch->dense + i * batch->ncolumns, weight, g, H);
    }
    return SCANT_OK;
}

/* Why to stop, if one has to. */
static scant_status look_at_the_clock(scant_i_numbers *p, double value)
{
    scant_progress_event event = {.what = "audit",
                                  .starts = 1,
                                  .done = p->looks,
                                  .iteration = p->looks,
                                  .objective = value / p->weight};
    p->looks++;
    bool late = scant_i_time_is_up(p->time_limit, p->began);
    bool asked = (p->progress && p->progress(&event, p->payload)) || scant_i_interrupted();
    if (!late && !asked)
        return SCANT_OK;
    p->stop = late ? SCANT_STOP_TIME : SCANT_STOP_INTERRUPTED;
    return scant_i_fail(SCANT_ERR_INTERRUPTED, "%s",
                        late ? "the time limit was reached" : "interrupted");
}

/* Value, gradient and information in log|q| and log t. */
static scant_status look(scant_i_numbers *p, scant_i_number_point *at)
{
    scant_status status = SCANT_OK;
    size_t k = p->k, n = p->n, length = 1 + (k + 1) + (k + 1) * (k + 1);
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * (k + 1) + length));
    double *q = room, *t = q + k + 1, *sums = t + k + 1, *g = sums + 1, *H = g + k + 1;
    for (size_t c = 0; c < k; c++) {
        q[c] = scant_i_number_q(p, at->x, c);
        t[c] = scant_i_number_noise(p, at->x);
    }
    q[k] = 1; /* of log t: its derivatives are in the logarithm already */
    point_asked asked = {p, q, t};
    scant_i_tally tally = {.length = length, .add = add_rows, .payload = &asked};
    tally.tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = p->rows->nrows, .nstatistics = length, .stride = 1});
    SCANT_I_TRY(scant_i_tally_ask(sums, &tally, p->rows, NULL, p->rows->weight, p->threads));
    at->value = sums[0];
    for (size_t c = 0; c < n; c++) {
        at->gradient[c] = q[c] * g[c];
        for (size_t d = c; d < n; d++)
            at->information[c * n + d] = at->information[d * n + c] =
                -q[c] * q[d] * H[c * (k + 1) + d] - (c == d && c < k ? at->gradient[c] : 0);
    }
done:
    scant_i_free(room);
    return status;
}

/* Leaves nothing to gain in a coordinate, and the others to themselves. */
static void hold(scant_i_number_point *at, size_t c, size_t n)
{
    at->gradient[c] = 0;
    for (size_t d = 0; d < n; d++)
        at->information[c * n + d] = at->information[d * n + c] = 0;
    at->information[c * n + c] = 1;
}

scant_status scant_i_number_evaluate(scant_i_numbers *p, scant_i_number_point *at)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(look_at_the_clock(p, at->value));
    SCANT_I_TRY(look(p, at));
    for (size_t c = 0; c < p->n; c++)
        if (p->held[c])
            hold(at, c, p->n);
done:
    return status;
}

/* --- the climb --- */

typedef struct climb {
    scant_i_numbers *p;
    scant_i_number_point *at, next;
} climb;

static scant_status look_at_numbers(double *value, double *gradient, double *information,
                                    void *payload)
{
    climb *k = payload;
    size_t n = k->p->n;
    scant_status status = scant_i_number_evaluate(k->p, &k->next);
    if (status != SCANT_OK)
        return status;
    *value = k->next.value;
    memcpy(gradient, k->next.gradient, n * sizeof *gradient);
    memcpy(information, k->next.information, n * n * sizeof *information);
    return SCANT_OK;
}

static void move_numbers(const double *step, void *payload)
{
    climb *k = payload;
    for (size_t c = 0; c < k->p->n; c++)
        k->next.x[c] = k->at->x[c] + step[c];
}

static void keep_numbers(double value, void *payload)
{
    climb *k = payload;
    size_t n = k->p->n;
    k->at->value = value;
    memcpy(k->at->x, k->next.x, n * sizeof *k->at->x);
    memcpy(k->at->gradient, k->next.gradient, n * sizeof *k->at->gradient);
    memcpy(k->at->information, k->next.information, n * n * sizeof *k->at->information);
}

enum { STEPS_MOST = 500 };
static const double STEP_SMALL = 1e-12, STEP_LARGEST = 3, STEP_SETTLED = 1e-6, ROUNDING = 1e-13,
                    DAMPING = 1e-3; /* of the weight */

scant_status scant_i_number_maximise(scant_i_numbers *p, scant_i_number_point *at, bool *settled)
{
    scant_status status = SCANT_OK;
    climb k = {.p = p, .at = at};
    scant_i_newton steps = {p->n,
                            STEPS_MOST,
                            STEP_SMALL,
                            STEP_LARGEST,
                            ROUNDING,
                            DAMPING * p->weight,
                            look_at_numbers,
                            move_numbers,
                            keep_numbers,
                            &k};
    SCANT_I_TRY(scant_i_number_point_new(&k.next, p->n));
    memcpy(k.next.x, at->x, p->n * sizeof *at->x);
    SCANT_I_TRY(scant_i_newton_climb(&steps, STEP_SETTLED, settled));
done:
    scant_i_number_point_clear(&k.next);
    return status;
}
