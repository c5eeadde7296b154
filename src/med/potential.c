/* Margin priors: the potential of one multiplier, its slopes and its conjugate (the loss).
 *
 * With lambda = |beta| the potential is phi(beta) = level beta + h(lambda), h = -log Z at a level of 0:
 *
 *   exponential  P0(g) = c exp(-c (1 - g)), g <= 1     h = log(1 - lambda / c)
 *   laplace      P0(g) ~ exp(-c |1 - g|)               h = log(1 - lambda^2 / c^2)
 *   gaussian     P0(g) ~ exp(-c^2 (1 - g)^2 / 2)       h = -lambda^2 / (2 c^2)
 *   fixed        g = 1                                 h = 0
 *   tube         P0(g) ~ 1 on [0, eps], exp(c (eps - g)) above; a multiplier for either side of the target, one of which
 *                is 0:    h = -log Z(lambda) - log Z(0),   Z = exp(lambda eps) A,   A = eps u(lambda eps) + 1 / (c - lambda),
 *                u(x) = (1 - exp(-x)) / x,   Z(0) = eps + 1 / c
 *
 * phi*(f) = max_lambda s lambda + h(lambda), with the slack s = level - m at the margin m (or |target - f|), is taken where
 * h' = -s. w copies of a row share a multiplier: phi_w(beta) = w phi(beta / w). O(1) each. */
#include <math.h>
#include <string.h>

#include "med/med.h"

static double to_c(const scant_i_med_scale *s)
{
    return s->c;
}

static double no_limit(const scant_i_med_scale *s)
{
    (void)s;
    return INFINITY;
}

/* --- exponential --- */

static double exponential_value(double l, const scant_i_med_scale *s)
{
    return log1p(-l / s->c);
}

static double exponential_slope(double l, const scant_i_med_scale *s)
{
    return -1 / (s->c - l);
}

static double exponential_curvature(double l, const scant_i_med_scale *s)
{
    return -1 / ((s->c - l) * (s->c - l));
}

static double exponential_inverse(double slack, const scant_i_med_scale *s)
{
    return s->c - 1 / slack;
}

/* --- laplace --- */

static double laplace_value(double l, const scant_i_med_scale *s)
{
    return log1p(-l / s->c) + log1p(l / s->c);
}

static double laplace_slope(double l, const scant_i_med_scale *s)
{
    return -2 * l / ((s->c - l) * (s->c + l));
}

static double laplace_curvature(double l, const scant_i_med_scale *s)
{
    double a = 1 / (s->c - l), b = 1 / (s->c + l);
    return -(a * a + b * b);
}

/* (sqrt(1 + c^2 s^2) - 1) / s without cancellation */
static double laplace_inverse(double slack, const scant_i_med_scale *s)
{
    double cs = s->c * slack;
    return s->c * cs / (1 + hypot(1, cs));
}

/* --- gaussian --- */

static double gaussian_value(double l, const scant_i_med_scale *s)
{
    return -0.5 * (l / s->c) * (l / s->c);
}

static double gaussian_slope(double l, const scant_i_med_scale *s)
{
    return -l / (s->c * s->c);
}

static double gaussian_curvature(double l, const scant_i_med_scale *s)
{
    (void)l;
    return -1 / (s->c * s->c);
}

static double gaussian_inverse(double slack, const scant_i_med_scale *s)
{
    return slack * s->c * s->c;
}

/* --- fixed --- */

static double zero(double l, const scant_i_med_scale *s)
{
    (void)l;
    (void)s;
    return 0;
}

static double without_end(double slack, const scant_i_med_scale *s)
{
    (void)slack;
    (void)s;
    return INFINITY;
}

/* --- tube --- */

/* u, u', u'' of u(x) = (1 - exp(-x)) / x = sum_k (-x)^k / (k + 1)! */
static void tube_u(double u[3], double x)
{
    enum { TERMS = 18 }; /* of the series, below 1: the last is 1 / 19! */
    if (x < 1) {
        double factor = 1;           /* (-1)^k / (k + 1)! */
        double power[3] = {1, 0, 0}; /* x^k, k x^(k-1), k (k-1) x^(k-2) */
        u[0] = u[1] = u[2] = 0;
        for (int k = 0; k < TERMS; k++) {
            for (int i = 0; i < 3; i++)
                u[i] += factor * power[i];
            power[2] = power[2] * x + 2 * power[1];
            power[1] = power[1] * x + power[0];
            power[0] *= x;
            factor /= -(k + 2);
        }
        return;
    }
    double e = exp(-x);
    u[0] = (1 - e) / x;
    u[1] = (e * (x + 1) - 1) / (x * x);
    u[2] = (2 - e * (x * x + 2 * x + 2)) / (x * x * x);
}

/* A, A', A'' */
static void tube_A(double A[3], double l, const scant_i_med_scale *s)
{
    double u[3], e = s->epsilon, r = 1 / (s->c - l);
    tube_u(u, l * e);
    A[0] = e * u[0] + r;
    A[1] = e * e * u[1] + r * r;
    A[2] = e * e * e * u[2] + 2 * r * r * r;
}

static double tube_value(double l, const scant_i_med_scale *s)
{
    double A[3];
    tube_A(A, l, s);
    return -s->epsilon * l - log(A[0]) - log(s->epsilon + 1 / s->c);
}

static double tube_slope(double l, const scant_i_med_scale *s)
{
    double A[3];
    tube_A(A, l, s);
    return -s->epsilon - A[1] / A[0];
}

static double tube_curvature(double l, const scant_i_med_scale *s)
{
    double A[3];
    tube_A(A, l, s);
    return (A[1] / A[0]) * (A[1] / A[0]) - A[2] / A[0];
}

/* Newton's steps on slope = -slack, held between the ends of what is known; near c the slope is eps + 1 / (c - lambda). */
static double tube_inverse(double slack, const scant_i_med_scale *s)
{
    enum { MOST = 100 };
    double low = 0, high = s->c;
    double l = slack > s->epsilon ? fmax(0, s->c - 1 / (slack - s->epsilon)) : 0.5 * s->c;
    for (int k = 0; k < MOST; k++) {
        double excess = slack + tube_slope(l, s);
        if (excess > 0)
            low = l;
        else
            high = l;
        double next = l - excess / tube_curvature(l, s);
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - l) <= 1e-16 * s->c || next == low || next == high)
            return next;
        l = next;
    }
    return l;
}

/* --- the table --- */

const scant_i_med_margin scant_i_med_exponential = {"exponential",
                                                    "margins below 1 at a rate of c",
                                                    false,
                                                    false,
                                                    to_c,
                                                    exponential_value,
                                                    exponential_slope,
                                                    exponential_curvature,
                                                    exponential_inverse};
const scant_i_med_margin scant_i_med_laplace = {
    "laplace",      "margins on either side of 1 at a rate of c",
    false,          false,
    to_c,           laplace_value,
    laplace_slope,  laplace_curvature,
    laplace_inverse};
const scant_i_med_margin scant_i_med_gaussian = {
    "gaussian",      "margins around 1 with standard deviation 1 / c",
    false,           false,
    no_limit,        gaussian_value,
    gaussian_slope,  gaussian_curvature,
    gaussian_inverse};
const scant_i_med_margin scant_i_med_fixed = {
    "fixed",    "all margins 1: only rows that can be separated",
    false,      true,
    no_limit,   zero,
    zero,       zero,
    without_end};
const scant_i_med_margin scant_i_med_tube = {
    "tube",      "residuals up to epsilon, above it at a rate of c",
    true,        false,
    to_c,        tube_value,
    tube_slope,  tube_curvature,
    tube_inverse};

const scant_i_med_margin *scant_i_med_margin_find(const char *name)
{
    static const scant_i_med_margin *const all[] = {&scant_i_med_exponential, &scant_i_med_laplace,
                                                    &scant_i_med_gaussian, &scant_i_med_fixed,
                                                    &scant_i_med_tube};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

/* --- a row's potential --- */

static double weight_of(const scant_i_med_potential *p, size_t t)
{
    return p->weight ? p->weight[t] : 1;
}

double scant_i_med_low(const scant_i_med_potential *p, size_t t)
{
    return p->side && p->side[t] > 0 ? 0 : -weight_of(p, t) * p->margin->limit(&p->scale);
}

double scant_i_med_high(const scant_i_med_potential *p, size_t t)
{
    return p->side && p->side[t] < 0 ? 0 : weight_of(p, t) * p->margin->limit(&p->scale);
}

double scant_i_med_phi(const scant_i_med_potential *p, size_t t, double beta)
{
    double w = weight_of(p, t);
    return p->level[t] * beta + w * p->margin->value(fabs(beta) / w, &p->scale);
}

double scant_i_med_up(const scant_i_med_potential *p, size_t t, double beta)
{
    double slope = p->margin->slope(fabs(beta) / weight_of(p, t), &p->scale);
    if (beta < 0)
        return p->level[t] - slope;
    return p->side && p->side[t] < 0 ? -INFINITY : p->level[t] + slope;
}

double scant_i_med_down(const scant_i_med_potential *p, size_t t, double beta)
{
    double slope = p->margin->slope(fabs(beta) / weight_of(p, t), &p->scale);
    if (beta > 0)
        return p->level[t] + slope;
    return p->side && p->side[t] > 0 ? INFINITY : p->level[t] - slope;
}

double scant_i_med_curvature(const scant_i_med_potential *p, size_t t, double beta)
{
    double w = weight_of(p, t);
    return p->margin->curvature(fabs(beta) / w, &p->scale) / w;
}

double scant_i_med_conjugate(double *beta, const scant_i_med_potential *p, size_t t, double f)
{
    double w = weight_of(p, t), r = p->level[t] - f;
    int side = p->side ? p->side[t] : r < 0 ? -1 : 1;
    double slack = side * r;
    *beta = 0;
    if (!(slack > -p->margin->slope(0, &p->scale)))
        return w * p->margin->value(0, &p->scale);
    double lambda = p->margin->inverse(slack, &p->scale);
    *beta = side * w * lambda;
    return isinf(lambda) ? INFINITY : w * (slack * lambda + p->margin->value(lambda, &p->scale));
}
