/* Pairs of multipliers, for a flat bias prior: S = 0 is kept by raising one and lowering another.
 *
 *   beta is optimal  <=>  max_t u_t <= min_t d_t,   u_t = phi'(beta_t+) - f_t,   d_t = phi'(beta_t-) - f_t
 *
 * i has the largest u; j has the largest gain (u_i - d_j)^2 / (K_ii + K_jj - 2 K_ij - phi''_i - phi''_j); the step is the
 * best one on that line (line.c). Rows at 0 that nothing would move by the bounds of the time are left out (shrinking), and
 * come back, with f made anew, before the certificate that ends the fit. Cost: O(active rows) a step, and a column of K
 * where it is not in the cache. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/gram.h"
#include "med/line.h"

typedef struct pairs {
    const scant_i_med_problem *problem;
    scant_i_med_gram *gram;
    double *beta, *f;
    double *up, *down, *curvature; /* of the potentials: phi' and -phi'' */
    size_t *active, nactive;
    double most, least; /* largest u, smallest d of the active rows */
    size_t i;           /* that has the largest u */
} pairs;

static void refresh(pairs *s, size_t t)
{
    const scant_i_med_potential *p = &s->problem->potential;
    s->up[t] = scant_i_med_up(p, t, s->beta[t]);
    s->down[t] = scant_i_med_down(p, t, s->beta[t]);
    s->curvature[t] = -scant_i_med_curvature(p, t, s->beta[t]);
}

/* f += delta (column i - column j) on the active rows, and the extremes that follow. */
static void update(pairs *s, const double *ki, const double *kj, double delta)
{
    double most = -INFINITY, least = INFINITY;
    for (size_t k = 0; k < s->nactive; k++) {
        size_t t = s->active[k];
        double f = s->f[t] += ki ? delta * (ki[t] - kj[t]) : 0;
        double u = s->up[t] - f, d = s->down[t] - f;
        if (u > most) {
            most = u;
            s->i = t;
        }
        least = d < least ? d : least;
    }
    s->most = most;
    s->least = least;
}

/* The partner by second-order gain, or n where nothing is to be gained. */
static size_t partner(const pairs *s, const double *ki)
{
    size_t best = s->gram->n;
    double most = 0, own = s->gram->diagonal[s->i], own_curvature = s->curvature[s->i];
    for (size_t k = 0; k < s->nactive; k++) {
        size_t t = s->active[k];
        double gain = s->most - (s->down[t] - s->f[t]);
        if (!(gain > 0) || t == s->i)
            continue;
        double eta = own + s->gram->diagonal[t] - 2 * ki[t] + own_curvature + s->curvature[t];
        gain *= gain / fmax(eta, DBL_EPSILON * own + DBL_MIN);
        if (gain > most) {
            most = gain;
            best = t;
        }
    }
    return best;
}

static bool step(pairs *s)
{
    const double *ki, *kj;
    size_t i = s->i;
    if (s->gram->column(&ki, s->gram, i) != SCANT_OK)
        return false;
    size_t j = partner(s, ki);
    if (j == s->gram->n || s->gram->column(&kj, s->gram, j) != SCANT_OK)
        return false;
    scant_i_med_line line = {.potential = &s->problem->potential,
                             .up = (ptrdiff_t)i,
                             .down = (ptrdiff_t)j,
                             .beta_up = s->beta[i],
                             .beta_down = s->beta[j],
                             .at_0 = s->f[i] - s->f[j],
                             .eta =
                                 fmax(0, s->gram->diagonal[i] + s->gram->diagonal[j] - 2 * ki[j])};
    double delta = scant_i_med_line_best(&line);
    if (!(delta > 0) || isinf(delta))
        return false;
    s->beta[i] += delta;
    s->beta[j] -= delta;
    refresh(s, i);
    refresh(s, j);
    update(s, ki, kj, delta);
    return true;
}

/* Rows at 0 whose slopes are well outside of the interval that the others still have to agree in. */
static void shrink(pairs *s)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->nactive; k++) {
        size_t t = s->active[k];
        bool idle =
            s->beta[t] == 0 && s->up[t] - s->f[t] < s->least && s->down[t] - s->f[t] > s->most;
        if (!idle)
            s->active[kept++] = t;
    }
    s->nactive = kept;
}

static scant_status restore(pairs *s, scant_i_med_solution *solution)
{
    scant_status status = SCANT_OK;
    s->nactive = s->gram->n;
    for (size_t t = 0; t < s->gram->n; t++)
        s->active[t] = t;
    SCANT_I_TRY(scant_i_med_evaluate(solution, s->problem));
    update(s, NULL, NULL, 0);
done:
    return status;
}

static scant_status new_pairs(pairs *s, const scant_i_med_problem *problem,
                              scant_i_med_solution *solution)
{
    scant_status status = SCANT_OK;
    size_t n = problem->space->n;
    *s = (pairs){
        .problem = problem, .gram = problem->space->gram, .beta = solution->beta, .f = solution->f};
    SCANT_I_TRY(SCANT_I_NEW(&s->up, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->down, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->curvature, n));
    SCANT_I_TRY(SCANT_I_NEW(&s->active, n));
    for (size_t t = 0; t < n; t++)
        refresh(s, t);
    SCANT_I_TRY(restore(s, solution));
done:
    return status;
}

/* Steps until u and d agree within `aim`; false: no step is left, or something ended it. */
static bool run(pairs *s, scant_i_med_solution *solution, const scant_i_med_control *control,
                double aim, size_t *steps, size_t limit)
{
    size_t n = s->gram->n, rest = scant_i_min(n, 1000);
    while (s->most - s->least > aim) {
        if (!step(s))
            return false;
        if (++*steps % rest == 0) {
            shrink(s);
            solution->iterations = *steps / n;
            solution->stop = scant_i_med_halted(control, &solution->certificate);
            if (solution->stop != SCANT_STOP_CONVERGED || *steps / n >= limit)
                return false;
        }
    }
    return true;
}

static scant_status solve(scant_i_med_solution *solution, const scant_i_med_problem *problem,
                          const scant_i_med_control *control)
{
    const double FIRST = 0.1, CLOSER = 0.2; /* of the violation: looks are dear, so few of them */
    scant_status status = SCANT_OK;
    size_t steps = 0, limit = scant_i_med_passes(problem, control);
    pairs s;
    solution->stop = SCANT_STOP_CONVERGED;
    SCANT_I_TRY(new_pairs(&s, problem, solution));
    for (double aim = FIRST * fmax(0, s.most - s.least);; aim *= CLOSER) {
        size_t before = steps;
        bool going = scant_i_med_is_done(&solution->certificate, control->tol) ||
                     run(&s, solution, control, aim, &steps, limit);
        scant_stop stop = solution->stop;
        SCANT_I_TRY(restore(&s, solution));
        solution->stop = stop;
        if (scant_i_med_is_done(&solution->certificate, control->tol)) {
            solution->stop = SCANT_STOP_CONVERGED;
            break;
        }
        bool stuck = !going && steps == before;
        if (stop != SCANT_STOP_CONVERGED)
            break;
        if (stuck || steps / s.gram->n >= limit) {
            solution->stop = SCANT_STOP_ITERATIONS;
            break;
        }
    }
    solution->iterations = steps / scant_i_max(1, s.gram->n) + 1;
done:
    scant_i_free(s.up);
    scant_i_free(s.down);
    scant_i_free(s.curvature);
    scant_i_free(s.active);
    return status;
}

static bool takes(const scant_i_med_problem *problem)
{
    return problem->bias.flat && problem->space->gram && problem->space->gram->column;
}

const scant_i_med_solver scant_i_med_pairs = {
    "pairs", "pairs of multipliers, chosen by second-order gain", takes, solve};
