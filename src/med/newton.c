/* Newton's method on the primal of linear discriminants, in W and b:
 *
 *   P(W, b) = sum_i [W_i C_i - g(W_i)] + (b - m)^2 / (2 s2) + sum_t phi*_t(f_t + b),   C_i = g'(W_i), f = X C
 *   dP/dC = W - X'beta,  dP/db = (b - m) / s2 - sum beta,   beta_t = argmax phi_t(beta) - beta (f_t + b)
 *   Hessian in (C, b): diag(1 / g'') + X'DX bordered by X'D1, D_t = d beta_t / df_t
 *
 * In z = (W's change) sqrt(g'') the matrix is I + G X'DX G, G = diag(sqrt(g'')): it is well conditioned where switches make g''
 * small. P is smooth but for jumps of D, so steps are halved until P falls enough. The multipliers of the point are made
 * feasible (S = 0 under a flat prior) and certified in every iteration. Cost: O(n d^2 + d^3) an iteration by Cholesky, or
 * O(cells) a step of conjugate gradients where d is large; about ten iterations. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/med.h"

typedef struct newton {
    const scant_i_med_problem *problem;
    const scant_i_med_features *x;
    size_t n, d;
    double *W, b;         /* the point */
    double *C, *scale;    /* d: g', sqrt(g'') */
    double *f, *beta, *D; /* n */
    double *gradient, *z; /* d + 1: in (z, b) */
    double *W_new, *room; /* d; max(n, d) + 1 */
    double *matrix;       /* (d + 1)^2, or NULL: conjugate gradients */
    double *r, *p, *q;    /* d + 1: of those */
} newton;

static bool b_moves(const scant_i_med_problem *problem)
{
    return problem->bias.flat || problem->bias.variance > 0;
}

/* P at (W, b); C, f, beta follow. */
static double primal(newton *s, const double *W, double b)
{
    const scant_i_med_bias *bias = &s->problem->bias;
    double P = 0;
    for (size_t i = 0; i < s->d; i++) {
        double bend;
        s->C[i] = scant_i_med_coefficient(s->x, W[i], &bend, NULL);
        s->scale[i] = sqrt(bend);
        P += W[i] * s->C[i] - scant_i_med_g(s->x, W[i]);
    }
    if (!bias->flat && bias->variance > 0)
        P += 0.5 * (b - bias->mean) * (b - bias->mean) / bias->variance;
    scant_i_med_products(s->f, s->x, s->C);
    for (size_t t = 0; t < s->n; t++)
        P += scant_i_med_conjugate(&s->beta[t], &s->problem->potential, t, s->f[t] + b);
    return P;
}

/* Gradient in (z, b) and D at the point. */
static void slopes(newton *s)
{
    const scant_i_med_bias *bias = &s->problem->bias;
    double S = 0;
    scant_i_med_sums(s->room, s->x, s->beta);
    for (size_t i = 0; i < s->d; i++)
        s->gradient[i] = s->scale[i] * (s->W[i] - s->room[i]);
    for (size_t t = 0; t < s->n; t++) {
        S += s->beta[t];
        s->D[t] =
            s->beta[t] == 0 ? 0 : -1 / scant_i_med_curvature(&s->problem->potential, t, s->beta[t]);
    }
    s->gradient[s->d] = 0;
    if (b_moves(s->problem))
        s->gradient[s->d] = (bias->flat ? 0 : (s->b - bias->mean) / bias->variance) - S;
}

static double b_diagonal(const newton *s)
{
    const scant_i_med_bias *bias = &s->problem->bias;
    double sum = scant_i_sum(s->D, s->n);
    if (!b_moves(s->problem))
        return 1;
    /* no row has slack: b is free, and its step must be finite */
    return bias->flat ? fmax(sum, DBL_MIN + 1e-12) : sum + 1 / bias->variance;
}

/* --- direct --- */

static void add_row(newton *s, size_t t)
{
    size_t m = s->d + 1;
    double *u = s->room;
    const scant_i_med_features *x = s->x;
    if (x->x) {
        for (size_t i = 0; i < s->d; i++)
            u[i] = x->x[t * s->d + i] * s->scale[i];
        u[s->d] = b_moves(s->problem) ? 1 : 0;
        for (size_t i = 0; i < m; i++)
            scant_i_add_multiple(s->matrix + i * m, s->D[t] * u[i], u, i + 1);
        return;
    }
    for (size_t e = x->sparse.start[t]; e < x->sparse.start[t + 1]; e++) {
        size_t i = (size_t)x->sparse.column[e];
        double value = s->D[t] * x->sparse.value[e] * s->scale[i];
        for (size_t g = x->sparse.start[t]; g <= e; g++) {
            size_t j = (size_t)x->sparse.column[g];
            s->matrix[i * m + j] += value * x->sparse.value[g] * s->scale[j];
        }
        s->matrix[s->d * m + i] += b_moves(s->problem) ? value : 0;
    }
}

static bool direct(newton *s)
{
    size_t m = s->d + 1;
    memset(s->matrix, 0, m * m * sizeof *s->matrix);
    for (size_t t = 0; t < s->n; t++)
        if (s->D[t] > 0)
            add_row(s, t);
    for (size_t i = 0; i < s->d; i++)
        s->matrix[i * m + i] += 1;
    s->matrix[s->d * m + s->d] = b_diagonal(s);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++)
            s->matrix[j * m + i] = s->matrix[i * m + j];
    for (size_t i = 0; i < m; i++)
        s->z[i] = -s->gradient[i];
    if (!scant_i_cholesky(s->matrix, m))
        return false;
    scant_i_cholesky_solve(s->matrix, m, s->z);
    return true;
}

/* --- conjugate gradients --- */

/* out = (I + G X'DX G bordered) p */
static void apply(double *out, newton *s, const double *p)
{
    double b = b_moves(s->problem) ? p[s->d] : 0, to_b = 0;
    for (size_t i = 0; i < s->d; i++)
        s->W_new[i] = s->scale[i] * p[i];
    scant_i_med_products(s->room, s->x, s->W_new);
    for (size_t t = 0; t < s->n; t++) {
        s->room[t] = s->D[t] * (s->room[t] + b);
        to_b += s->room[t];
    }
    scant_i_med_sums(out, s->x, s->room);
    for (size_t i = 0; i < s->d; i++)
        out[i] = p[i] + s->scale[i] * out[i];
    out[s->d] = p[s->d];
    if (b_moves(s->problem))
        out[s->d] = to_b + (b_diagonal(s) - scant_i_sum(s->D, s->n)) * b;
}

static bool conjugate(newton *s)
{
    enum { MOST = 500 };
    size_t m = s->d + 1;
    double rr = 0, first;
    memset(s->z, 0, m * sizeof *s->z);
    for (size_t i = 0; i < m; i++) {
        s->r[i] = s->p[i] = -s->gradient[i];
        rr += s->r[i] * s->r[i];
    }
    first = rr;
    double aim = fmin(1e-2, sqrt(sqrt(first))); /* forcing: superlinear near the optimum */
    for (int k = 0; k < MOST && rr > aim * aim * first; k++) {
        apply(s->q, s, s->p);
        double pq = scant_i_dot_fixed(s->p, s->q, m);
        if (!(pq > 0))
            return k > 0;
        double step = rr / pq, before = rr;
        scant_i_add_multiple(s->z, step, s->p, m);
        scant_i_add_multiple(s->r, -step, s->q, m);
        rr = scant_i_dot_fixed(s->r, s->r, m);
        for (size_t i = 0; i < m; i++)
            s->p[i] = s->r[i] + rr / before * s->p[i];
    }
    return true;
}

/* --- an iteration --- */

/* The step by halving; false: P does not fall. */
static bool search(newton *s, double *P)
{
    enum { HALVINGS = 60 };
    const double ENOUGH = 1e-4;
    double slope = scant_i_dot_fixed(s->gradient, s->z, s->d + 1), size = 1;
    double *scale = s->q; /* primal() changes the scale */
    if (!(slope < 0))
        return false;
    memcpy(scale, s->scale, s->d * sizeof *scale);
    for (int k = 0; k < HALVINGS; k++, size *= 0.5) {
        for (size_t i = 0; i < s->d; i++)
            s->W_new[i] = s->W[i] + (scale[i] > 0 ? size * s->z[i] / scale[i] : 0);
        double b = b_moves(s->problem) ? s->b + size * s->z[s->d] : s->b;
        double now = primal(s, s->W_new, b);
        if (now <= *P + ENOUGH * size * slope + 4 * DBL_EPSILON * fabs(*P)) {
            memcpy(s->W, s->W_new, s->d * sizeof *s->W);
            s->b = b;
            *P = now;
            return true;
        }
    }
    return false;
}

/* Certifies the multipliers of the point; the solution keeps the best. */
static scant_status certify(scant_i_med_solution *best, scant_i_med_solution *trial, newton *s)
{
    scant_status status = SCANT_OK;
    memcpy(trial->beta, s->beta, s->n * sizeof *trial->beta);
    scant_i_med_balance(trial->beta, s->problem);
    trial->certificate.bias = s->b;
    SCANT_I_TRY(scant_i_med_evaluate(trial, s->problem));
    double S = fabs(scant_i_sum(trial->beta, s->n));
    bool sound = !s->problem->bias.flat || S <= 1e-12 * (1 + fabs(trial->certificate.dual));
    if (sound && trial->certificate.gap < best->certificate.gap) {
        memcpy(best->beta, trial->beta, s->n * sizeof *best->beta);
        memcpy(best->f, trial->f, s->n * sizeof *best->f);
        best->omega = trial->omega;
        best->certificate = trial->certificate;
    }
done:
    return status;
}

static scant_status new_newton(newton *s, const scant_i_med_problem *problem,
                               const scant_i_med_solution *solution)
{
    scant_status status = SCANT_OK;
    size_t n = problem->space->n, d = problem->space->features->d, m = d + 1;
    *s = (newton){.problem = problem, .x = problem->space->features, .n = n, .d = d};
    SCANT_I_TRY(SCANT_I_NEW(&s->W, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->C, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->scale, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->f, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->beta, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->D, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->gradient, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->z, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->W_new, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->room, scant_i_max(n, m)));
    SCANT_I_TRY(SCANT_I_NEW(&s->r, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->p, m));
    SCANT_I_TRY(SCANT_I_NEW(&s->q, m));
    if (d <= SCANT_I_MED_DIRECT)
        SCANT_I_TRY(SCANT_I_NEW(&s->matrix, m * m));
    scant_i_med_sums(s->W, s->x, solution->beta);
    s->b = solution->certificate.bias;
done:
    return status;
}

static void newton_clear(newton *s)
{
    scant_i_free(s->W);
    scant_i_free(s->C);
    scant_i_free(s->scale);
    scant_i_free(s->f);
    scant_i_free(s->beta);
    scant_i_free(s->D);
    scant_i_free(s->gradient);
    scant_i_free(s->z);
    scant_i_free(s->W_new);
    scant_i_free(s->room);
    scant_i_free(s->r);
    scant_i_free(s->p);
    scant_i_free(s->q);
    scant_i_free(s->matrix);
}

static scant_status solve(scant_i_med_solution *best, const scant_i_med_problem *problem,
                          const scant_i_med_control *control)
{
    enum { MOST = 200 };
    const double FURTHER =
        1e-4; /* of the tolerance: near the optimum a step squares the error, and b gains most */
    scant_status status = SCANT_OK;
    newton s = {0};
    scant_i_med_solution trial = {0};
    size_t most = control->max_iter ? control->max_iter : MOST;
    best->stop = SCANT_STOP_ITERATIONS;
    SCANT_I_TRY(scant_i_med_evaluate(best, problem));
    SCANT_I_TRY(scant_i_med_solution_new(&trial, problem->space->n));
    SCANT_I_TRY(new_newton(&s, problem, best));
    double P = primal(&s, s.W, s.b);
    for (best->iterations = 0; best->iterations < most; best->iterations++) {
        if (scant_i_med_is_done(&best->certificate, FURTHER * control->tol))
            break;
        slopes(&s);
        if (!(s.matrix ? direct(&s) : conjugate(&s)) || !search(&s, &P))
            break;
        SCANT_I_TRY(certify(best, &trial, &s));
        scant_stop halted = scant_i_med_halted(control, &best->certificate);
        if (halted != SCANT_STOP_CONVERGED) {
            best->stop = halted;
            break;
        }
    }
    if (scant_i_med_is_done(&best->certificate, control->tol))
        best->stop = SCANT_STOP_CONVERGED;
done:
    newton_clear(&s);
    scant_i_med_solution_clear(&trial);
    return status;
}

static bool takes(const scant_i_med_problem *problem)
{
    return problem->space->features && !problem->potential.margin->fixed;
}

const scant_i_med_solver scant_i_med_newton = {
    "newton", "Newton's method on the primal of a linear discriminant", takes, solve};
