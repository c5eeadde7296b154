/* Learning-without-labels algorithms 1 and 2 as they are printed, for comparison: both know the
 * risk at a point and nothing of its slope. Changing one weight by h moves the scores by h times
 * that column, so a risk costs O(rows) and a fit of the two normals, but a step takes 2 d (or d
 * times the grid) of them.
 *
 *   1  theta <- theta - step * dR,  dR_i = (R(theta + h e_i) - R(theta - h e_i)) / 2h      eq. 74
 *   2  theta_i <- the best of `grid` points within `reach` of it, i = 1 .. d, again and again
 *
 * The printed range of the grid, theta_i -+ 4 tau with tau the number of points, makes steps of
 * eight and more and cannot be meant; `reach` (4) and `grid` are two settings here. Convergence,
 * which the paper leaves open, is a fall of the objective by less than `tol`. */
#include <math.h>

#include "blind/blind.h"

/* The derivative is right to h^2 and loses eps / h to rounding: h near the cube root of eps. */
static const double H = 1e-5;

/* The scores, moved by h along column c in standard units. */
static void shift_scores(scant_i_blind_run *run, size_t c, double h)
{
    const scant_i_blind *b = run->blind;
    for (size_t i = 0; i < b->rows->nrows; i++) {
        double z = c == b->d ? 1 : (scant_rows_value(b->rows, i, c) - b->centre[c]) * b->factor[c];
        run->f[i] += h * z;
    }
}

/* The objective where weight c is moved by h; INFINITY where the fit is lost. */
static double risk_beside(scant_i_blind_run *run, size_t c, double h)
{
    const scant_i_blind *b = run->blind;
    scant_i_margin kept = run->margin;
    scant_i_slopes at;
    double risk, here = run->theta[c];
    shift_scores(run, c, h);
    bool good = scant_i_blind_risk(run, &risk, &at);
    shift_scores(run, c, -h);
    run->margin = kept;
    run->theta[c] = here + h;
    risk = good ? risk + scant_i_blind_penalty(b, run->theta) : INFINITY;
    run->theta[c] = here;
    return risk;
}

static size_t coordinates(const scant_i_blind *b)
{
    return b->d + !b->options->no_offset;
}

/* Repeats `iterate`, which lowers the objective, until it does not. */
static scant_status repeat(scant_i_blind_run *run, void (*iterate)(scant_i_blind_run *))
{
    const scant_blind_options *o = run->blind->options;
    scant_i_minimum *min = &run->minimum;
    scant_i_slopes at;
    for (min->value = INFINITY; min->iterations < o->max_iter; min->iterations++) {
        double risk;
        scant_i_blind_scores(run, run->theta); /* afresh: moving them to and fro adds up */
        if (!scant_i_blind_risk(run, &risk, &at))
            return SCANT_OK;
        double before = min->value;
        min->value = risk + scant_i_blind_penalty(run->blind, run->theta);
        run->good = true;
        min->converged = fabs(before - min->value) <= o->tol * fmax(1, min->value);
        if (min->converged || scant_i_blind_enough(min->iterations, min->value, run))
            break;
        iterate(run);
    }
    return SCANT_OK;
}

static void descend(scant_i_blind_run *run)
{
    size_t n = coordinates(run->blind);
    for (size_t c = 0; c < n; c++)
        run->gradient[c] = (risk_beside(run, c, H) - risk_beside(run, c, -H)) / (2 * H);
    for (size_t c = 0; c < n; c++)
        if (isfinite(run->gradient[c]))
            run->theta[c] -= run->blind->options->step * run->gradient[c];
}

static void search(scant_i_blind_run *run)
{
    const scant_blind_options *o = run->blind->options;
    for (size_t c = 0; c < coordinates(run->blind); c++) {
        double best = risk_beside(run, c, 0), move = 0;
        for (size_t p = 0; p < o->grid; p++) {
            double h = o->reach * (2 * (double)p / (double)(o->grid - 1) - 1);
            double risk = risk_beside(run, c, h);
            if (risk < best) {
                best = risk;
                move = h;
            }
        }
        double risk;
        scant_i_slopes at;
        run->theta[c] += move;
        shift_scores(run, c, move);
        (void)scant_i_blind_risk(run, &risk, &at); /* it was good as a point of the grid */
    }
}

scant_status scant_i_blind_descend(scant_i_blind_run *run)
{
    return repeat(run, descend);
}

scant_status scant_i_blind_search(scant_i_blind_run *run)
{
    return repeat(run, search);
}
