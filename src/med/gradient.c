/* Constrained gradient ascent: the solver of the thesis (section 10.1.1), for any space with a value.
 *
 *   |beta_t| = nu_t^2,   nu <- nu + w dJ/dnu,   dJ/dnu_t = 2 nu_t side_t dJ/dbeta_t
 *
 * A step is kept where J rises, and w grows by a little; else w is halved. Under a flat bias prior S = 0 is kept by the nearest
 * point: with p2 and q2 the sums of nu^2 of either side and h = (p + q) / 2, nu of the sides become nu h / p and nu h / q. 0 is
 * stationary, so nu starts above it. Every step costs one value of the space; thousands are the rule, and the gap that is left
 * is said: tolerances below 1e-4 are for other solvers. */
#include <math.h>
#include <string.h>

#include "med/med.h"

typedef struct ascent {
    const scant_i_med_problem *problem;
    size_t n;
    double *nu, *slope;       /* n */
    scant_i_med_solution now; /* at nu */
    double J, step;
} ascent;

/* J at beta; -INFINITY outside the domain. */
static scant_status dual(double *J, scant_i_med_solution *s, const scant_i_med_problem *problem)
{
    const scant_i_med_bias *bias = &problem->bias;
    double S = 0, phi = 0;
    scant_status status = problem->space->kind->value(&s->omega, s->f, problem->space, s->beta);
    for (size_t t = 0; t < problem->space->n; t++) {
        S += s->beta[t];
        phi += scant_i_med_phi(&problem->potential, t, s->beta[t]);
    }
    *J = phi - s->omega - (bias->flat ? 0 : bias->mean * S + 0.5 * bias->variance * S * S);
    if (isnan(*J) || !isfinite(s->omega))
        *J = -INFINITY;
    return status;
}

/* beta = side nu^2, with S = 0 where it must be; false: a multiplier is past its limit. */
static bool place(double *beta, const ascent *a, const double *nu)
{
    const scant_i_med_potential *p = &a->problem->potential;
    double square[2] = {0};
    for (size_t t = 0; t < a->n; t++)
        square[p->side[t] > 0] += nu[t] * nu[t];
    double root[2] = {sqrt(square[0]), sqrt(square[1])}, mean = 0.5 * (root[0] + root[1]);
    for (size_t t = 0; t < a->n; t++) {
        double factor = a->problem->bias.flat ? mean / root[p->side[t] > 0] : 1;
        beta[t] = p->side[t] * factor * factor * nu[t] * nu[t];
        if (!(beta[t] >= scant_i_med_low(p, t) && beta[t] <= scant_i_med_high(p, t)) ||
            fabs(beta[t]) >= fmax(scant_i_med_high(p, t), -scant_i_med_low(p, t)))
            return false;
    }
    return true;
}

/* dJ / dnu */
static void slopes(ascent *a)
{
    const scant_i_med_potential *p = &a->problem->potential;
    const scant_i_med_bias *bias = &a->problem->bias;
    double S = 0, b = bias->mean;
    for (size_t t = 0; t < a->n; t++)
        S += a->now.beta[t];
    if (bias->flat) { /* the mean slope, weighed as the projection moves: the bias of the time */
        double up = 0, weight = 0;
        for (size_t t = 0; t < a->n; t++) {
            double w = fabs(a->now.beta[t]);
            up += w * (scant_i_med_up(p, t, a->now.beta[t]) - a->now.f[t]);
            weight += w;
        }
        b = weight > 0 ? up / weight : 0;
    } else {
        b += bias->variance * S;
    }
    for (size_t t = 0; t < a->n; t++) {
        double beta = a->now.beta[t];
        double along = p->side[t] > 0 ? scant_i_med_up(p, t, beta) : scant_i_med_down(p, t, beta);
        a->slope[t] = 2 * a->nu[t] * p->side[t] * (along - a->now.f[t] - b);
    }
}

/* One step, kept or not. */
static scant_status climb(ascent *a, scant_i_med_solution *trial, double *nu)
{
    const double GROWS = 1.2;
    scant_status status = SCANT_OK;
    double J = -INFINITY;
    for (size_t t = 0; t < a->n; t++)
        nu[t] = a->nu[t] + a->step * a->slope[t];
    if (place(trial->beta, a, nu))
        SCANT_I_TRY(dual(&J, trial, a->problem));
    if (!(J > a->J)) {
        a->step *= 0.5;
        return SCANT_OK;
    }
    a->step *= GROWS;
    a->J = J;
    scant_i_med_solution kept = a->now;
    a->now = *trial;
    *trial = kept;
    for (size_t t = 0; t < a->n; t++)
        a->nu[t] = sqrt(fabs(a->now.beta[t]));
    slopes(a);
done:
    return status;
}

/* From the solution's multipliers, those at 0 raised a little; all of them less and less while J is not finite. */
static scant_status start(ascent *a, scant_i_med_solution *s)
{
    enum { HALVINGS = 60 };
    const double LITTLE = 0.01;
    scant_status status = SCANT_OK;
    double factor = 1;
    for (size_t t = 0; t < a->n; t++)
        a->slope[t] = sqrt(fmax(fabs(s->beta[t]), LITTLE));
    a->J = -INFINITY;
    for (int k = 0; k < HALVINGS && isinf(a->J); k++, factor *= 0.5) {
        for (size_t t = 0; t < a->n; t++)
            a->nu[t] = factor * a->slope[t];
        if (place(a->now.beta, a, a->nu))
            SCANT_I_TRY(dual(&a->J, &a->now, a->problem));
    }
    for (size_t t = 0; t < a->n; t++)
        a->nu[t] = sqrt(fabs(a->now.beta[t]));
    slopes(a);
done:
    return status;
}

/* The certificate of the present point, which becomes the solution where it is better. */
static void look(scant_i_med_solution *s, ascent *a)
{
    a->now.certificate.bias = s->certificate.bias;
    scant_i_med_certify(&a->now.certificate, a->problem, a->now.beta, a->now.f, a->now.omega);
    if (!(a->now.certificate.gap < s->certificate.gap))
        return;
    memcpy(s->beta, a->now.beta, a->n * sizeof *s->beta);
    memcpy(s->f, a->now.f, a->n * sizeof *s->f);
    s->omega = a->now.omega;
    s->certificate = a->now.certificate;
}

static scant_status solve(scant_i_med_solution *s, const scant_i_med_problem *problem,
                          const scant_i_med_control *control)
{
    enum { MOST = 20000, BETWEEN_LOOKS = 50 };
    const double SMALLEST = 1e-14;
    scant_status status = SCANT_OK;
    size_t n = problem->space->n, most = control->max_iter ? control->max_iter : MOST;
    ascent a = {.problem = problem, .n = n, .step = 1e-3};
    scant_i_med_solution trial = {0};
    double *nu = NULL;
    s->stop = SCANT_STOP_ITERATIONS;
    SCANT_I_TRY(scant_i_med_evaluate(s, problem));
    SCANT_I_TRY(scant_i_med_solution_new(&trial, n));
    SCANT_I_TRY(scant_i_med_solution_new(&a.now, n));
    SCANT_I_TRY(SCANT_I_NEW(&a.nu, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&a.slope, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&nu, n + 1));
    SCANT_I_TRY(start(&a, s));
    for (s->iterations = 0; s->iterations < most && a.step > SMALLEST; s->iterations++) {
        if (s->iterations % BETWEEN_LOOKS == 0) {
            look(s, &a);
            scant_stop halted = scant_i_med_halted(control, &s->certificate);
            if (halted != SCANT_STOP_CONVERGED ||
                scant_i_med_is_done(&s->certificate, control->tol)) {
                s->stop = halted;
                break;
            }
        }
        SCANT_I_TRY(climb(&a, &trial, nu));
    }
    look(s, &a);
    if (scant_i_med_is_done(&s->certificate, control->tol))
        s->stop = SCANT_STOP_CONVERGED;
done:
    scant_i_med_solution_clear(&trial);
    scant_i_med_solution_clear(&a.now);
    scant_i_free(a.nu);
    scant_i_free(a.slope);
    scant_i_free(nu);
    return status;
}

/* Of a regression two multipliers would be needed a row. */
static bool takes(const scant_i_med_problem *problem)
{
    return problem->potential.side != NULL;
}

const scant_i_med_solver scant_i_med_gradient = {
    "gradient", "constrained gradient ascent, for any space", takes, solve};
