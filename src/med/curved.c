/* Newton's method on the primal of any space that says its second derivatives H(W) = d2 Omega, in a point W (n) and b:
 *
 *   P(W, b) = W'f - Omega(W) + (b - m)^2 / (2 s2) + sum_t phi*_t(f_t + b),   f = dOmega(W)
 *   beta_t = argmax phi_t(beta) - beta (f_t + b),   D_t = -d beta_t / df_t >= 0
 *   step    dW + D (H dW + 1 db) = beta - W,   sum_t (W + dW)_t = (b + db - m) / s2   (flat: 0)
 *
 * On the rows with slack, A = {D > 0}, (D_A^-1 + H_AA) dW_A = D_A^-1 r_A - H_AI r_I - 1 db with r = beta - W; on the others,
 * I, dW = r. The matrix is positive definite whatever the rank of H. The slope of P along the step is -dW'(H + H D H) dW
 * without b, so P falls; steps are halved until it falls enough, and while Omega is infinite. W may have any sign: at the
 * optimum W = beta. Memory: 2 n^2 numbers. Cost: O(n a^2 + a^3) an iteration with a rows in A, and H; about ten. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/med.h"

enum { MOST_ROWS = 6000 }; /* that H is formed for */

typedef struct curved {
    const scant_i_med_problem *problem;
    size_t n;
    double *W, b;            /* the point */
    double *f, *beta, *D;    /* n: at the point */
    double *dW, db;          /* the step */
    double *W_new, *product; /* n; H dW */
    double *H, *matrix;      /* n x n each; the matrix of A is packed */
    double *u, *v;           /* n: solutions for r and for 1 */
    size_t *active;
} curved;

static bool b_moves(const scant_i_med_problem *problem)
{
    return problem->bias.flat || problem->bias.variance > 0;
}

static double b_slope(const curved *s, double b)
{
    const scant_i_med_bias *bias = &s->problem->bias;
    return bias->flat || !(bias->variance > 0) ? 0 : (b - bias->mean) / bias->variance;
}

/* P at (W, b), or INFINITY; f and beta follow. */
static scant_status primal(double *P, curved *s, const double *W, double b)
{
    scant_i_med_space *space = s->problem->space;
    double omega;
    scant_status status = space->kind->value(&omega, s->f, space, W);
    *P = INFINITY;
    if (status != SCANT_OK || !isfinite(omega))
        return status;
    double sum = scant_i_dot_fixed(W, s->f, s->n) - omega;
    sum += 0.5 * (b - s->problem->bias.mean) * b_slope(s, b);
    for (size_t t = 0; t < s->n; t++)
        sum += scant_i_med_conjugate(&s->beta[t], &s->problem->potential, t, s->f[t] + b);
    *P = isnan(sum) ? INFINITY : sum;
    return SCANT_OK;
}

/* The system of A, by Cholesky; false: lost to rounding. */
static bool solve_active(curved *s, size_t a)
{
    for (size_t k = 0; k < a; k++) {
        size_t t = s->active[k];
        const double *row = s->H + t * s->n;
        for (size_t l = 0; l < a; l++)
            s->matrix[k * a + l] = row[s->active[l]];
        s->matrix[k * a + k] += 1 / s->D[t];
        s->u[k] = (s->beta[t] - s->W[t]) / s->D[t];
        s->v[k] = 1;
        for (size_t i = 0; i < s->n; i++)
            if (!(s->D[i] > 0))
                s->u[k] -= row[i] * (s->beta[i] - s->W[i]);
    }
    if (!scant_i_cholesky(s->matrix, a))
        return false;
    scant_i_cholesky_solve(s->matrix, a, s->u);
    scant_i_cholesky_solve(s->matrix, a, s->v);
    return true;
}

static bool step(curved *s)
{
    size_t a = 0;
    double sum = 0, give = 0;
    for (size_t t = 0; t < s->n; t++) {
        s->D[t] =
            s->beta[t] == 0 ? 0 : -1 / scant_i_med_curvature(&s->problem->potential, t, s->beta[t]);
        if (s->D[t] > 0)
            s->active[a++] = t;
        s->dW[t] = s->beta[t] - s->W[t];
        sum += s->D[t] > 0 ? s->W[t] : s->beta[t];
    }
    if (!solve_active(s, a))
        return false;

    for (size_t k = 0; k < a; k++) {
        sum += s->u[k];
        give += s->v[k];
    }
    s->db = 0;
    if (s->problem->bias.flat)
        s->db = give > 0 ? sum / give : 0;
    else if (b_moves(s->problem))
        s->db = (sum - b_slope(s, s->b)) / (give + 1 / s->problem->bias.variance);
    for (size_t k = 0; k < a; k++)
        s->dW[s->active[k]] = s->u[k] - s->db * s->v[k];
    return true;
}

/* Moves to where P falls enough; false: nowhere. */
static scant_status search(bool *moved, curved *s, double *P)
{
    enum { HALVINGS = 60 };
    const double ENOUGH = 1e-4;
    scant_status status = SCANT_OK;
    double slope = s->db * b_slope(s, s->b), size = 1;
    *moved = false;
    for (size_t t = 0; t < s->n; t++) {
        s->product[t] = scant_i_dot_fixed(s->H + t * s->n, s->dW, s->n);
        slope += (s->W[t] - s->beta[t]) * s->product[t] - s->beta[t] * s->db;
    }
    for (int k = 0; k < HALVINGS && slope < 0; k++, size *= 0.5) {
        double b = s->b + size * s->db, now;
        for (size_t t = 0; t < s->n; t++)
            s->W_new[t] = s->W[t] + size * s->dW[t];
        SCANT_I_TRY(primal(&now, s, s->W_new, b));
        if (now <= *P + ENOUGH * size * slope + 4 * DBL_EPSILON * fabs(*P)) {
            memcpy(s->W, s->W_new, s->n * sizeof *s->W);
            s->b = b;
            *P = now;
            *moved = true;
            return SCANT_OK;
        }
    }
done:
    return status;
}

/* Certifies multipliers; the solution keeps the best. */
static scant_status certify(scant_i_med_solution *best, scant_i_med_solution *trial,
                            const curved *s)
{
    scant_status status = SCANT_OK;
    scant_i_med_space *space = s->problem->space;
    scant_i_med_balance(trial->beta, s->problem);
    trial->certificate.bias = s->b;
    SCANT_I_TRY(space->kind->value(&trial->omega, trial->f, space, trial->beta));
    if (!isfinite(trial->omega))
        return SCANT_OK;
    scant_i_med_certify(&trial->certificate, s->problem, trial->beta, trial->f, trial->omega);
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

/* Those that the losses have at the point, then the point itself where it has their signs: near the optimum rounding of f
 * weighs D times more in the former. */
static scant_status certify_both(scant_i_med_solution *best, scant_i_med_solution *trial,
                                 const curved *s, double tol)
{
    scant_status status = SCANT_OK;
    const scant_i_med_potential *p = &s->problem->potential;
    memcpy(trial->beta, s->beta, s->n * sizeof *trial->beta);
    SCANT_I_TRY(certify(best, trial, s));
    if (scant_i_med_is_done(&best->certificate, tol))
        return SCANT_OK;
    for (size_t t = 0; t < s->n; t++) {
        double W = s->W[t];
        bool takes_it =
            W * s->beta[t] > 0 && W > scant_i_med_low(p, t) && W < scant_i_med_high(p, t);
        trial->beta[t] = takes_it ? W : s->beta[t];
    }
    SCANT_I_TRY(certify(best, trial, s));
done:
    return status;
}

static scant_status new_curved(curved *s, const scant_i_med_problem *problem,
                               const scant_i_med_solution *solution)
{
    scant_status status = SCANT_OK;
    size_t n = problem->space->n;
    *s = (curved){.problem = problem, .n = n};
    double **arrays[] = {&s->W,     &s->f,       &s->beta, &s->D, &s->dW,
                         &s->W_new, &s->product, &s->u,    &s->v};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        SCANT_I_TRY(SCANT_I_NEW(arrays[k], n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->H, n * n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->matrix, n * n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->active, n + 1));
    memcpy(s->W, solution->beta, n * sizeof *s->W);
    s->b = solution->certificate.bias;
done:
    return status;
}

static void curved_clear(curved *s)
{
    double *arrays[] = {s->W,       s->f, s->beta, s->D, s->dW,    s->W_new,
                        s->product, s->u, s->v,    s->H, s->matrix};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        scant_i_free(arrays[k]);
    scant_i_free(s->active);
}

static scant_status solve(scant_i_med_solution *best, const scant_i_med_problem *problem,
                          const scant_i_med_control *control)
{
    enum { MOST = 200 };
    scant_status status = SCANT_OK;
    scant_i_med_solution trial = {0};
    size_t most = control->max_iter ? control->max_iter : MOST;
    double P;
    bool moved = true;
    curved s = {0};
    best->stop = SCANT_STOP_ITERATIONS;
    SCANT_I_TRY(scant_i_med_evaluate(best, problem));
    SCANT_I_TRY(scant_i_med_solution_new(&trial, problem->space->n));
    SCANT_I_TRY(new_curved(&s, problem, best));
    SCANT_I_TRY(primal(&P, &s, s.W, s.b));

    for (best->iterations = 0; best->iterations < most; best->iterations++) {
        if (scant_i_med_is_done(&best->certificate, control->tol)) {
            best->stop = SCANT_STOP_CONVERGED;
            break;
        }
        SCANT_I_TRY(problem->space->curvature(s.H, problem->space, s.W));
        if (!step(&s))
            break;
        SCANT_I_TRY(search(&moved, &s, &P));
        SCANT_I_TRY(certify_both(best, &trial, &s, control->tol));
        scant_stop halted = scant_i_med_halted(control, &best->certificate);
        if (halted != SCANT_STOP_CONVERGED)
            best->stop = halted;
        if (halted != SCANT_STOP_CONVERGED || !moved)
            break;
    }
    if (scant_i_med_is_done(&best->certificate, control->tol))
        best->stop = SCANT_STOP_CONVERGED;
done:
    curved_clear(&s);
    scant_i_med_solution_clear(&trial);
    return status;
}

static bool takes(const scant_i_med_problem *problem)
{
    return problem->space->curvature && !problem->potential.margin->fixed &&
           problem->space->n <= MOST_ROWS;
}

const scant_i_med_solver scant_i_med_curved = {
    "curved", "Newton's method on the primal of a space with second derivatives", takes, solve};
