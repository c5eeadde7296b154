/* The certificate of a fit: dual, primal and the gap between them, from the multipliers alone (med.h has the formulas).
 *
 * Under a flat prior b minimises sum_t phi*_t(f_t + b), whose slope is -D(b), D(b) = sum_t beta_t(f_t + b), which falls:
 * bisection with Newton-like secants finds its zero; where it is 0 on an interval, b is the middle.
 * Fixed margins have no slack, and no primal before all are met. There the parameters are scaled until the least margin is
 * its level: with a least ratio rho = min_t y_t (f_t + b) / level_t and Omega quadratic, P = Omega / rho^2 (plus the bias').
 * O(n) for each b that is tried, some 60 of them. */
#include <float.h>
#include <math.h>

#include "med/med.h"

/* D(b), and the sum of conjugates. */
static double multipliers(double *value, const scant_i_med_potential *p, const double *f, double b)
{
    double sum = 0, beta;
    *value = 0;
    for (size_t t = 0; t < p->n; t++) {
        *value += scant_i_med_conjugate(&beta, p, t, f[t] + b);
        sum += beta;
    }
    return sum;
}

/* An end of the interval where D = 0, between `inside` and `outside`. */
static double end_of_zero(const scant_i_med_potential *p, const double *f, double inside,
                          double outside)
{
    enum { HALVINGS = 60 };
    double value;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (inside + outside);
        if (multipliers(&value, p, f, middle) == 0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* The middle of the interval around `zero` where D = 0; its end where the other is nowhere (rows of one class). */
static double middle_of_zero(const scant_i_med_potential *p, const double *f, double zero)
{
    enum { DOUBLINGS = 60 };
    double value, reach, below = zero, above = zero;
    bool bounded_below = false, bounded_above = false;
    reach = DBL_EPSILON * (1 + fabs(zero));
    for (int k = 0; k < 2 * DOUBLINGS && !bounded_below; k++, reach *= 2)
        bounded_below = multipliers(&value, p, f, below = zero - reach) != 0;
    reach = DBL_EPSILON * (1 + fabs(zero));
    for (int k = 0; k < 2 * DOUBLINGS && !bounded_above; k++, reach *= 2)
        bounded_above = multipliers(&value, p, f, above = zero + reach) != 0;
    double low = bounded_below ? end_of_zero(p, f, zero, below) : zero;
    double high = bounded_above ? end_of_zero(p, f, zero, above) : zero;
    if (!bounded_below && !bounded_above)
        return zero;
    return !bounded_below ? high : !bounded_above ? low : 0.5 * (low + high);
}

static double flat_bias(const scant_i_med_potential *p, const double *f, double guess)
{
    enum { DOUBLINGS = 1100, STEPS = 200 };
    double value, step = 1e-6 * (1 + fabs(guess)), low = guess, high = guess;
    double at_low = multipliers(&value, p, f, low), at_high = at_low;
    for (int k = 0; k < DOUBLINGS && at_low < 0; k++, step *= 4) {
        high = low;
        at_high = at_low;
        at_low = multipliers(&value, p, f, low -= step);
    }
    for (int k = 0; k < DOUBLINGS && at_high > 0; k++, step *= 4) {
        low = high;
        at_low = at_high;
        at_high = multipliers(&value, p, f, high += step);
    }
    if (at_low == 0 || at_high == 0)
        return middle_of_zero(p, f, at_low == 0 ? low : high);
    for (int k = 0; k < STEPS && high - low > DBL_EPSILON * fmax(fabs(low), fabs(high)); k++) {
        /* a secant now and then, else the middle: D is steep in places */
        double b = k % 3 ? low + (high - low) * at_low / (at_low - at_high) : 0.5 * (low + high);
        if (!(b > low && b < high))
            b = 0.5 * (low + high);
        double D = multipliers(&value, p, f, b);
        if (D == 0)
            return middle_of_zero(p, f, b);
        if (D > 0) {
            low = b;
            at_low = D;
        } else {
            high = b;
            at_high = D;
        }
        if (!(b > low) && !(b < high))
            break;
    }
    return 0.5 * (low + high);
}

/* The b under which the least margin is largest, where no bias prior says one. */
static double middle_bias(const scant_i_med_potential *p, const double *f)
{
    double above = INFINITY,
           below = -INFINITY; /* f of the least positive, of the largest negative row */
    for (size_t t = 0; t < p->n; t++)
        if (p->side[t] > 0)
            above = fmin(above, f[t]);
        else
            below = fmax(below, f[t]);
    return -0.5 * (above + below);
}

static void certify_fixed(scant_i_med_certificate *out, const scant_i_med_problem *problem,
                          const double *f, double energy)
{
    const scant_i_med_potential *p = &problem->potential;
    double least = INFINITY;
    if (problem->bias.flat)
        out->bias = middle_bias(p, f);
    for (size_t t = 0; t < p->n; t++)
        least = fmin(least, (f[t] + out->bias) / p->level[t]);
    out->primal = least > 0 && problem->space->quadratic && problem->bias.mean == 0
                      ? energy / (least * least)
                      : INFINITY;
    out->gap = out->primal - out->dual;
}

void scant_i_med_certify(scant_i_med_certificate *out, const scant_i_med_problem *problem,
                         const double *beta, const double *f, double omega)
{
    const scant_i_med_potential *p = &problem->potential;
    const scant_i_med_bias *bias = &problem->bias;
    double S = 0, phi = 0, gap = 0, beta_there;
    for (size_t t = 0; t < p->n; t++) {
        S += beta[t];
        phi += scant_i_med_phi(p, t, beta[t]);
    }
    out->dual = phi - omega;
    if (!bias->flat) {
        out->dual -= bias->mean * S + 0.5 * bias->variance * S * S;
        out->bias = bias->mean + bias->variance * S;
    }
    if (p->margin->fixed) {
        double energy = omega + (bias->flat ? 0 : 0.5 * bias->variance * S * S);
        certify_fixed(out, problem, f, energy);
        return;
    }
    if (bias->flat)
        out->bias = flat_bias(p, f, out->bias);
    for (size_t t = 0; t < p->n; t++) {
        double at = f[t] + out->bias;
        gap += scant_i_med_conjugate(&beta_there, p, t, at) - scant_i_med_phi(p, t, beta[t]) +
               beta[t] * at;
    }
    out->gap = gap - (bias->flat ? out->bias * S : 0);
    out->primal = out->dual + out->gap;
}

bool scant_i_med_is_done(const scant_i_med_certificate *c, double tol)
{
    return c->gap <= tol * fmax(1, fabs(c->dual));
}
