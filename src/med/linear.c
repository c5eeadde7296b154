/* Linear discriminants f(x) = sum_i s_i theta_i x_i, theta ~ N(0, v I), with switches s_i that are on with prior
 * probability rho (1: no switches).
 *
 *   W = X'beta,   Omega = sum_i g(W_i),   g(W) = log(1 - rho + rho exp(h)),   h = v W^2 / 2
 *   C = g'(W) = v W p,   p = rho / (rho + (1 - rho) exp(-h)),   g'' = v p + (v W)^2 p (1 - p)
 *
 * C_i is the posterior mean of s_i theta_i, p_i the posterior probability of the switch, f = X C. g is convex, being the
 * logarithm of a moment generating function. Cost: O(cells). */
#include <math.h>

#include "math/linear.h"
#include "med/med.h"

double scant_i_med_g(const scant_i_med_features *x, double W)
{
    const double LARGE = 30; /* exp(-30) is still seen beside rho of 1e-3 */
    double h = 0.5 * x->variance * W * W;
    if (x->rho >= 1)
        return h;
    return h < LARGE ? log1p(x->rho * expm1(h)) : h + log(x->rho + (1 - x->rho) * exp(-h));
}

double scant_i_med_coefficient(const scant_i_med_features *x, double W, double *curvature,
                               double *probability)
{
    double v = x->variance, h = 0.5 * v * W * W, rho = x->rho;
    double p = rho >= 1 ? 1 : rho / (rho + (1 - rho) * exp(-h));
    if (curvature)
        *curvature = v * p + v * W * v * W * p * (1 - p);
    if (probability)
        *probability = p;
    return v * W * p;
}

void scant_i_med_sums(double *W, const scant_i_med_features *x, const double *beta)
{
    for (size_t i = 0; i < x->d; i++)
        W[i] = 0;
    for (size_t t = 0; t < x->n; t++) {
        if (beta[t] == 0)
            continue;
        if (x->x) {
            scant_i_add_multiple(W, beta[t], x->x + t * x->d, x->d);
            continue;
        }
        for (size_t e = x->sparse.start[t]; e < x->sparse.start[t + 1]; e++)
            W[x->sparse.column[e]] += beta[t] * x->sparse.value[e];
    }
}

void scant_i_med_products(double *f, const scant_i_med_features *x, const double *C)
{
    for (size_t t = 0; t < x->n; t++) {
        double sum = 0;
        if (x->x)
            sum = scant_i_dot_fixed(C, x->x + t * x->d, x->d);
        else
            for (size_t e = x->sparse.start[t]; e < x->sparse.start[t + 1]; e++)
                sum += C[x->sparse.column[e]] * x->sparse.value[e];
        f[t] = sum;
    }
}

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    const scant_i_med_features *x = space->features;
    double *W = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&W, x->d + 1));
    scant_i_med_sums(W, x, beta);
    *omega = 0;
    for (size_t i = 0; i < x->d; i++) {
        *omega += scant_i_med_g(x, W[i]);
        W[i] = scant_i_med_coefficient(x, W[i], NULL, NULL);
    }
    scant_i_med_products(f, x, W);
done:
    scant_i_free(W);
    return status;
}

static void nothing(scant_i_med_space *space)
{
    (void)space;
}

static const scant_i_med_space_kind linear = {"linear", value, nothing};

scant_status scant_i_med_linear(scant_i_med_space *out, const scant_i_med_features *features,
                                size_t threads)
{
    *out = (scant_i_med_space){.kind = &linear,
                               .n = features->n,
                               .threads = threads,
                               .quadratic = features->rho >= 1,
                               .features = features};
    return SCANT_OK;
}

void scant_i_med_space_clear(scant_i_med_space *space)
{
    if (space->kind)
        space->kind->free(space);
    *space = (scant_i_med_space){0};
}
