/* One multiplier at a time. A bias prior that is not flat ties none to another.
 *
 * With the exponential prior and a quadratic Omega the best step has a closed form. Where s is the slope of the rest at
 * beta_t = 0 along the row's side, A = K_tt + sigma^2 and a = level - s, lambda solves (a - A lambda)(c - lambda) = 1:
 *
 *   lambda = 2 (a c - 1) / (a + A c + sqrt((a - A c)^2 + 4 A)),   0 where a c <= 1
 *
 * the smaller root, in the form without cancellation; other priors and switches take a line search (line.c).
 *
 * Kernels: f is kept for all rows, and the row of the largest gain is next (greedy), O(n) a step. Features: W is kept, and
 * rows come in a shuffled order, O(row) a step; rows at 0 that the last sweep's violations would not move are skipped.
 *
 * Flat bias prior, features only: the constraint S = 0 is met by the method of multipliers. Sweeps are of the bias prior
 * N(m, s2) with s2 of the size of v |x_t|^2, whose mean moves to the posterior's, m <- m + s2 S, after each few of them: then
 * b = m + s2 S and S = 0 at the end. Multipliers are balanced before they are certified. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"
#include "med/gram.h"
#include "med/line.h"
#include "med/order.h"

typedef struct axis {
    const scant_i_med_problem *problem;
    double *beta, *f; /* f with the bias: features do not keep it */
    double S;         /* sum of beta */
    double *W, *C;    /* features: X'beta, coefficients */
    double *square;   /* features: |x_t|^2 */
    size_t *order, active;
    scant_i_random random;
    size_t row;                  /* of the line search */
    const scant_i_med_order *by; /* NULL: shuffled sweeps */
    void *state;                 /* the order's */
    scant_i_med_ascent ascent;
    double *slopes; /* n, where the order wants them */
} axis;

static double bias_of(const axis *a)
{
    return a->problem->bias.mean + a->problem->bias.variance * a->S;
}

/* The best multiplier of row t in closed form, with f_t at the present one. */
static double analytic(const axis *a, size_t t, double f, double A)
{
    const scant_i_med_potential *p = &a->problem->potential;
    double w = p->weight ? p->weight[t] : 1, c = p->scale.c, side = p->side[t];
    double slack = side * (p->level[t] - (f - A * a->beta[t]));
    double Aw = A * w;
    if (!(slack * c > 1))
        return 0;
    double lambda =
        2 * (slack * c - 1) / (slack + Aw * c + sqrt((slack - Aw * c) * (slack - Aw * c) + 4 * Aw));
    return side * w * lambda;
}

/* Slope of Omega and the bias part along row `row` of features with switches. */
static double switches(double *curvature, double delta, void *payload)
{
    axis *a = payload;
    const scant_i_med_features *x = a->problem->space->features;
    double variance = a->problem->bias.variance, sum = bias_of(a) + variance * delta, bend;
    *curvature = variance;
    size_t first = x->x ? 0 : x->sparse.start[a->row],
           last = x->x ? x->d : x->sparse.start[a->row + 1];
    for (size_t e = first; e < last; e++) {
        size_t i = x->x ? e : (size_t)x->sparse.column[e];
        double cell = x->x ? x->x[a->row * x->d + i] : x->sparse.value[e];
        if (cell == 0)
            continue;
        sum += cell * scant_i_med_coefficient(x, a->W[i] + delta * cell, &bend, NULL);
        *curvature += cell * cell * bend;
    }
    return sum;
}

/* `switches` along the negative axis: slope of what falls. */
static double switches_down(double *curvature, double delta, void *payload)
{
    return -switches(curvature, -delta, payload);
}

static double searched(axis *a, size_t t, double f, double A)
{
    const scant_i_med_potential *p = &a->problem->potential;
    const scant_i_med_features *x = a->problem->space->features;
    bool bent = x && x->rho < 1;
    scant_i_med_line line = {
        .potential = p, .eta = A, .payload = a, .beta_up = a->beta[t], .beta_down = a->beta[t]};
    a->row = t;
    if (scant_i_med_up(p, t, a->beta[t]) > f) {
        line.up = (ptrdiff_t)t;
        line.down = SCANT_I_MED_NONE;
        line.at_0 = f;
        line.rest = bent ? switches : NULL;
        return a->beta[t] + scant_i_med_line_best(&line);
    }
    if (scant_i_med_down(p, t, a->beta[t]) < f) {
        line.up = SCANT_I_MED_NONE;
        line.down = (ptrdiff_t)t;
        line.at_0 = -f;
        line.rest = bent ? switches_down : NULL;
        return a->beta[t] - scant_i_med_line_best(&line);
    }
    return a->beta[t];
}

static double best_beta(axis *a, size_t t, double f, double A)
{
    const scant_i_med_problem *problem = a->problem;
    bool closed =
        problem->potential.margin == &scant_i_med_exponential && problem->space->quadratic;
    double beta = closed ? analytic(a, t, f, A) : searched(a, t, f, A);
    return isfinite(beta) ? beta : a->beta[t];
}

/* --- kernels: greedy --- */

/* How much row t is out of order: 0 where its multiplier is the best. */
static double violation(const scant_i_med_potential *p, size_t t, double beta, double f)
{
    double up = scant_i_med_up(p, t, beta) - f, down = scant_i_med_down(p, t, beta) - f;
    return up > 0 ? up : down < 0 ? down : 0;
}

static scant_status greedy(axis *a, size_t steps, double *most)
{
    scant_status status = SCANT_OK;
    const scant_i_med_problem *problem = a->problem;
    scant_i_med_gram *gram = problem->space->gram;
    *most = 0;
    for (size_t k = 0; k < steps; k++) {
        double gain = 0, b = bias_of(a);
        size_t t = gram->n;
        for (size_t s = 0; s < gram->n; s++) {
            double out = violation(&problem->potential, s, a->beta[s], a->f[s] + b);
            double eta = gram->diagonal[s] + problem->bias.variance -
                         scant_i_med_curvature(&problem->potential, s, a->beta[s]);
            if (out * out > gain * eta) {
                gain = out * out / eta;
                t = s;
            }
        }
        if (t == gram->n)
            break;
        double beta = best_beta(a, t, a->f[t] + b, gram->diagonal[t] + problem->bias.variance);
        double delta = beta - a->beta[t];
        if (delta == 0)
            break;
        *most = fmax(*most, gain);
        a->beta[t] = beta;
        a->S += delta;
        SCANT_I_TRY(gram->add(a->f, gram, t, delta));
    }
done:
    return status;
}

/* --- features: shuffled sweeps --- */

static double row_product(const scant_i_med_features *x, size_t t, const double *C)
{
    double sum = 0;
    if (x->x)
        return scant_i_dot_fixed(C, x->x + t * x->d, x->d);
    for (size_t e = x->sparse.start[t]; e < x->sparse.start[t + 1]; e++)
        sum += C[x->sparse.column[e]] * x->sparse.value[e];
    return sum;
}

static void move_row(axis *a, size_t t, double delta)
{
    const scant_i_med_features *x = a->problem->space->features;
    bool bent = x->rho < 1;
    double factor = x->variance * delta;
    if (x->x && !bent) {
        scant_i_add_multiple(a->C, factor, x->x + t * x->d, x->d);
        return;
    }
    size_t first = x->x ? 0 : x->sparse.start[t], last = x->x ? x->d : x->sparse.start[t + 1];
    for (size_t e = first; e < last; e++) {
        size_t i = x->x ? e : (size_t)x->sparse.column[e];
        double cell = x->x ? x->x[t * x->d + i] : x->sparse.value[e];
        if (!bent)
            a->C[i] += factor * cell;
        else {
            a->W[i] += delta * cell;
            a->C[i] = scant_i_med_coefficient(x, a->W[i], NULL, NULL);
        }
    }
}

/* One sweep over the active rows; the largest violation. Rows that are at 0 by more than `idle` are left out from now on. */
static double sweep(axis *a, double idle)
{
    const scant_i_med_problem *problem = a->problem;
    const scant_i_med_features *x = problem->space->features;
    double most = 0;
    scant_i_random_shuffle(&a->random, a->order, a->active);
    for (size_t k = 0; k < a->active; k++) {
        size_t t = a->order[k];
        double f = row_product(x, t, a->C) + bias_of(a);
        double out = violation(&problem->potential, t, a->beta[t], f);
        if (out == 0) {
            bool far = a->beta[t] == 0 && scant_i_med_up(&problem->potential, t, 0) - f < -idle &&
                       scant_i_med_down(&problem->potential, t, 0) - f > idle;
            if (far) {
                a->order[k--] = a->order[--a->active];
                a->order[a->active] = t;
            }
            continue;
        }
        most = fmax(most, fabs(out));
        double A = x->variance * a->square[t] + problem->bias.variance;
        double delta = best_beta(a, t, f, A) - a->beta[t];
        a->beta[t] += delta;
        a->S += delta;
        move_row(a, t, delta);
    }
    return most;
}

/* --- features: one step after the other, in an order --- */

/* What J gains by delta along row t, f with the bias. */
static double gain_of(const axis *a, size_t t, double f, double A, double delta)
{
    const scant_i_med_potential *p = &a->problem->potential;
    const scant_i_med_features *x = a->problem->space->features;
    double phi = scant_i_med_phi(p, t, a->beta[t] + delta) - scant_i_med_phi(p, t, a->beta[t]);
    if (x->rho >= 1)
        return phi - delta * (f + 0.5 * A * delta);
    double variance = a->problem->bias.variance;
    double omega = delta * (bias_of(a) + 0.5 * variance * delta);
    size_t first = x->x ? 0 : x->sparse.start[t], last = x->x ? x->d : x->sparse.start[t + 1];
    for (size_t e = first; e < last; e++) {
        size_t i = x->x ? e : (size_t)x->sparse.column[e];
        double cell = x->x ? x->x[t * x->d + i] : x->sparse.value[e];
        omega += scant_i_med_g(x, a->W[i] + delta * cell) - scant_i_med_g(x, a->W[i]);
    }
    return phi - omega;
}

/* The best step along row t; what J gains. */
static double step_along(axis *a, size_t t)
{
    const scant_i_med_features *x = a->problem->space->features;
    double f = row_product(x, t, a->C) + bias_of(a);
    double A = x->variance * a->square[t] + a->problem->bias.variance;
    double delta = best_beta(a, t, f, A) - a->beta[t], gain = gain_of(a, t, f, A, delta);
    a->beta[t] += delta;
    a->S += delta;
    move_row(a, t, delta);
    return gain;
}

/* One step of the order's choice. */
static double ordered(axis *a)
{
    const scant_i_med_problem *problem = a->problem;
    for (size_t t = 0; a->slopes && t < a->ascent.n; t++) {
        double f = row_product(problem->space->features, t, a->C) + bias_of(a);
        a->slopes[t] = violation(&problem->potential, t, a->beta[t], f);
    }
    a->ascent.last = a->by->next(a->state, &a->ascent);
    a->ascent.step++;
    return a->ascent.gain = step_along(a, a->ascent.last);
}

/* --- the solver --- */

static scant_status start_order(axis *a, const scant_i_med_order *order)
{
    scant_status status = SCANT_OK;
    size_t n = a->problem->space->n;
    a->by = order;
    SCANT_I_TRY(order->start(&a->state, n));
    if (order->slopes)
        SCANT_I_TRY(SCANT_I_NEW(&a->slopes, n));
    a->ascent = (scant_i_med_ascent){.n = n, .last = n, .slopes = a->slopes, .random = &a->random};
done:
    return status;
}

static scant_status start(axis *a, const scant_i_med_control *control)
{
    scant_status status = SCANT_OK;
    const scant_i_med_features *x = a->problem->space->features;
    size_t n = a->problem->space->n;
    a->random = scant_i_random_new(control->seed, 0);
    if (a->problem->space->gram)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&a->W, x->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&a->C, x->d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&a->square, n));
    SCANT_I_TRY(SCANT_I_NEW(&a->order, n));
    for (size_t t = 0; t < n; t++) {
        a->order[t] = t;
        size_t first = x->x ? t * x->d : x->sparse.start[t],
               last = x->x ? first + x->d : x->sparse.start[t + 1];
        for (size_t e = first; e < last; e++) {
            double cell = x->x ? x->x[e] : x->sparse.value[e];
            a->square[t] += cell * cell;
        }
    }
    if (control->order)
        SCANT_I_TRY(start_order(a, control->order));
done:
    return status;
}

static void axis_clear(axis *a)
{
    scant_i_free(a->W);
    scant_i_free(a->C);
    scant_i_free(a->square);
    scant_i_free(a->order);
    scant_i_free(a->state);
    scant_i_free(a->slopes);
}

/* What is kept along the way, made anew from beta. */
static void renew(axis *a)
{
    const scant_i_med_features *x = a->problem->space->features;
    size_t n = a->problem->space->n;
    a->S = scant_i_sum(a->beta, n);
    if (!a->problem->space->gram) {
        scant_i_med_sums(a->W, x, a->beta);
        for (size_t i = 0; i < x->d; i++)
            a->C[i] = scant_i_med_coefficient(x, a->W[i], NULL, NULL);
        a->active = n;
    }
}

static scant_status some(axis *a, const scant_i_med_control *control, double aim, double *most)
{
    enum { SWEEPS = 10 };
    if (a->problem->space->gram)
        return greedy(a, scant_i_max(a->problem->space->n, 100), most);
    *most = aim; /* an order does not look at all rows */
    for (size_t k = 0; a->by && k < SWEEPS * a->ascent.n; k++)
        (void)ordered(a);
    if (a->by)
        return SCANT_OK;
    double before = INFINITY;
    for (int k = 0; k < SWEEPS; k++) {
        *most = before = sweep(a, before);
        if (*most <= aim ||
            (control->time_limit > 0 && scant_i_time_is_up(control->time_limit, control->began)))
            break;
    }
    return SCANT_OK;
}

/* A bias prior in place of a flat one. */
static scant_i_med_bias prior_of(const axis *a, const scant_i_med_solution *s)
{
    const scant_i_med_space *space = a->problem->space;
    double mean = scant_i_sum(a->square, space->n) / (double)space->n;
    return (scant_i_med_bias){false, s->certificate.bias,
                              space->features->variance * fmax(mean, DBL_MIN)};
}

/* Certifies the multipliers, balanced where the bias prior is flat; the solution keeps the best of them then. */
static scant_status certify(axis *a, scant_i_med_solution *best, scant_i_med_solution *trial,
                            const scant_i_med_problem *problem)
{
    scant_status status = SCANT_OK;
    renew(a);
    if (!problem->bias.flat)
        return scant_i_med_evaluate(best, problem);
    size_t n = problem->space->n;
    memcpy(trial->beta, a->beta, n * sizeof *a->beta);
    scant_i_med_balance(trial->beta, problem);
    trial->certificate.bias = bias_of(a);
    SCANT_I_TRY(scant_i_med_evaluate(trial, problem));
    double S = fabs(scant_i_sum(trial->beta, n));
    if (S <= 1e-12 * (1 + fabs(trial->certificate.dual)) &&
        trial->certificate.gap < best->certificate.gap) {
        memcpy(best->beta, trial->beta, n * sizeof *best->beta);
        memcpy(best->f, trial->f, n * sizeof *best->f);
        best->omega = trial->omega;
        best->certificate = trial->certificate;
    }
done:
    return status;
}

static scant_status solve(scant_i_med_solution *s, const scant_i_med_problem *problem,
                          const scant_i_med_control *control)
{
    const double CLOSER = 0.3;
    scant_status status = SCANT_OK;
    scant_i_med_problem own = *problem;
    scant_i_med_solution trial = {0};
    axis a = {.problem = &own, .beta = s->beta, .f = s->f};
    double most = INFINITY, aim = 0.1, *beta = NULL;
    s->stop = SCANT_STOP_ITERATIONS;
    SCANT_I_TRY(start(&a, control));
    SCANT_I_TRY(scant_i_med_evaluate(s, problem));
    if (problem->bias.flat) {
        own.bias = prior_of(&a, s);
        SCANT_I_TRY(scant_i_med_solution_new(&trial, problem->space->n));
        SCANT_I_TRY(SCANT_I_NEW(&beta, problem->space->n));
        memcpy(beta, s->beta, problem->space->n * sizeof *beta);
        a.beta = beta;
    }
    renew(&a);
    size_t limit = scant_i_med_passes(problem, control);
    for (s->iterations = 0; s->iterations < limit;) {
        if (scant_i_med_is_done(&s->certificate, control->tol)) {
            s->stop = SCANT_STOP_CONVERGED;
            break;
        }
        SCANT_I_TRY(some(&a, control, aim, &most));
        s->iterations++;
        SCANT_I_TRY(certify(&a, s, &trial, problem));
        if (problem->bias.flat)
            own.bias.mean += own.bias.variance * a.S;
        aim = fmin(aim, most) * CLOSER;
        scant_stop halted = scant_i_med_halted(control, &s->certificate);
        bool settled = most == 0 && s->iterations > 1 && !problem->bias.flat;
        if (halted != SCANT_STOP_CONVERGED || settled) {
            s->stop = scant_i_med_is_done(&s->certificate, control->tol) ? SCANT_STOP_CONVERGED
                      : halted != SCANT_STOP_CONVERGED                   ? halted
                                                                         : SCANT_STOP_ITERATIONS;
            break;
        }
    }
done:
    axis_clear(&a);
    scant_i_free(beta);
    scant_i_med_solution_clear(&trial);
    return status;
}

scant_status scant_i_med_axis_trace(double *J, size_t *steps, const scant_i_med_problem *problem,
                                    const scant_i_med_order *order, double enough, uint64_t seed)
{
    scant_status status = SCANT_OK;
    scant_i_med_solution solution = {0};
    const scant_i_med_control control = {.seed = seed, .order = order};
    axis a = {.problem = problem};
    SCANT_I_TRY(scant_i_med_solution_new(&solution, problem->space->n));
    a.beta = solution.beta;
    a.f = solution.f;
    SCANT_I_TRY(start(&a, &control));
    SCANT_I_TRY(scant_i_med_evaluate(&solution, problem));
    renew(&a);
    double at = solution.certificate.dual;
    for (size_t k = 0; k < *steps; k++) {
        J[k] = at += ordered(&a);
        if (at >= enough)
            *steps = k + 1;
    }
done:
    axis_clear(&a);
    scant_i_med_solution_clear(&solution);
    return status;
}

static bool takes(const scant_i_med_problem *problem)
{
    return problem->space->features || (!problem->bias.flat && problem->space->gram);
}

const scant_i_med_solver scant_i_med_axis = {
    "axis", "one multiplier at a time, in closed form where there is one", takes, solve};
