/* Solvers behind one interface: the table, the default, and what all of them do alike. */
#include <string.h>

#include "math/linear.h"
#include "med/gram.h"

const scant_i_med_solver *const scant_i_med_solvers[] = {&scant_i_med_newton,   &scant_i_med_curved,
                                                         &scant_i_med_pairs,    &scant_i_med_axis,
                                                         &scant_i_med_gradient, NULL};

scant_status scant_i_med_solution_new(scant_i_med_solution *s, size_t n)
{
    scant_status status = SCANT_OK;
    *s = (scant_i_med_solution){.stop = SCANT_STOP_ITERATIONS};
    SCANT_I_TRY(SCANT_I_NEW(&s->beta, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->f, n + 1));
done:
    return status;
}

void scant_i_med_solution_clear(scant_i_med_solution *s)
{
    scant_i_free(s->beta);
    scant_i_free(s->f);
    *s = (scant_i_med_solution){0};
}

scant_status scant_i_med_evaluate(scant_i_med_solution *s, const scant_i_med_problem *problem)
{
    scant_i_med_space *space = problem->space;
    scant_status status = space->kind->value(&s->omega, s->f, space, s->beta);
    if (status == SCANT_OK)
        scant_i_med_certify(&s->certificate, problem, s->beta, s->f, s->omega);
    return status;
}

size_t scant_i_med_passes(const scant_i_med_problem *problem, const scant_i_med_control *control)
{
    enum { MOST_FIXED = 1000 };
    if (control->max_iter)
        return control->max_iter;
    return problem->potential.margin->fixed ? MOST_FIXED : SIZE_MAX;
}

void scant_i_med_balance(double *beta, const scant_i_med_problem *problem)
{
    enum { ROUNDS = 3 };
    const scant_i_med_potential *p = &problem->potential;
    for (int round = 0; round < ROUNDS && problem->bias.flat; round++) {
        double excess = 0, D = 0;
        for (size_t t = 0; t < p->n; t++) {
            excess += beta[t];
            D += beta[t] == 0 ? 0 : -1 / scant_i_med_curvature(p, t, beta[t]);
        }
        for (size_t t = 0; t < p->n && D > 0; t++) {
            if (beta[t] == 0)
                continue;
            double now = beta[t] + excess / D / scant_i_med_curvature(p, t, beta[t]);
            if (now * beta[t] > 0 && now > scant_i_med_low(p, t) && now < scant_i_med_high(p, t))
                beta[t] = now;
        }
    }
}

scant_stop scant_i_med_halted(const scant_i_med_control *control,
                              const scant_i_med_certificate *certificate)
{
    if (scant_i_interrupted() || (control->stop && control->stop(certificate, control->payload)))
        return SCANT_STOP_INTERRUPTED;
    return scant_i_time_is_up(control->time_limit, control->began) ? SCANT_STOP_TIME
                                                                   : SCANT_STOP_CONVERGED;
}

/* A linear space as a kernel, for solvers that want one. */
static scant_status with_gram(scant_i_med_solution *s, const scant_i_med_problem *problem,
                              const scant_i_med_control *control, const scant_i_med_solver *solver)
{
    enum { BYTES = 1 << 28 };
    scant_status status = SCANT_OK;
    const scant_i_med_kernel linear = {.type = SCANT_I_MED_LINEAR};
    scant_i_med_problem copy = *problem;
    scant_i_med_space space = {0};
    SCANT_I_TRY(scant_i_med_gram_space(&space, problem->space->features, &linear, BYTES));
    copy.space = &space;
    SCANT_I_TRY(solver->solve(s, &copy, control));
done:
    scant_i_med_space_clear(&space);
    return status;
}

static scant_status run(scant_i_med_solution *s, const scant_i_med_problem *problem,
                        const scant_i_med_control *control, const scant_i_med_solver *solver)
{
    s->solver = solver->name;
    if (solver->takes(problem))
        return solver->solve(s, problem, control);
    if (solver == &scant_i_med_pairs && problem->bias.flat && problem->space->features &&
        problem->space->quadratic)
        return with_gram(s, problem, control, solver);
    return scant_i_fail(SCANT_ERR_ARGUMENT, "the solver %s does not take this problem: %s",
                        solver->name,
                        problem->potential.margin->tube && solver == &scant_i_med_gradient
                            ? "it is of classes, not of a target"
                        : problem->bias.flat ? "the bias prior is flat"
                                             : "the bias prior is not flat");
}

/* Single axes first where a step of Newton's would be many of conjugate gradients; then it starts from where they end. */
static scant_status run_wide(scant_i_med_solution *s, const scant_i_med_problem *problem,
                             const scant_i_med_control *control)
{
    enum { PASSES = 40 }; /* near the optimum they become slow */
    scant_i_med_control first = *control;
    if (control->max_iter == 0 || control->max_iter > PASSES)
        first.max_iter = PASSES;
    return run(s, problem, &first, &scant_i_med_axis);
}

/* Newton where the discriminant is linear, then, if it stalls, or where it is not: pairs or axes. */
static scant_status run_default(scant_i_med_solution *s, const scant_i_med_problem *problem,
                                const scant_i_med_control *control)
{
    scant_status status = SCANT_OK;
    const scant_i_med_features *x = problem->space->features;
    if (scant_i_med_newton.takes(problem)) {
        if (x->d > SCANT_I_MED_DIRECT && !problem->potential.margin->tube) {
            SCANT_I_TRY(run_wide(s, problem, control));
            if (s->stop != SCANT_STOP_ITERATIONS)
                return SCANT_OK;
        }
        SCANT_I_TRY(run(s, problem, control, &scant_i_med_newton));
        bool pairs = problem->bias.flat && problem->space->quadratic;
        if (s->stop != SCANT_STOP_ITERATIONS || (problem->bias.flat && !pairs))
            return SCANT_OK;
    }
    if (problem->space->curvature) {
        const scant_i_med_solver *general =
            scant_i_med_curved.takes(problem) ? &scant_i_med_curved : &scant_i_med_gradient;
        return run(s, problem, control, general);
    }
    return run(s, problem, control, problem->bias.flat ? &scant_i_med_pairs : &scant_i_med_axis);
done:
    return status;
}

scant_status scant_i_med_solve(scant_i_med_solution *s, const scant_i_med_problem *problem,
                               const scant_i_med_control *control, const char *solver)
{
    if (!solver)
        return run_default(s, problem, control);
    for (size_t i = 0; scant_i_med_solvers[i]; i++)
        if (strcmp(scant_i_med_solvers[i]->name, solver) == 0)
            return run(s, problem, control, scant_i_med_solvers[i]);
    return scant_i_fail(SCANT_ERR_ARGUMENT, "there is no solver '%s'", solver);
}
