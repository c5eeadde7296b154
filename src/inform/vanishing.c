#include "inform/vanishing.h"

#include "latent/problem.h"
#include "math/linear.h"

double scant_i_vanishing_factor(const scant_i_mixture *mixture, const double *N, size_t k, size_t j)
{
    size_t M = mixture->ncomponents, stride = mixture->stride, table = mixture->nclasses * stride;
    double of_class = 0, own = 0, P = scant_i_sum(mixture->coupling.W + k * stride, M);
    for (size_t part = 0; part < SCANT_I_COUNTS; part++) {
        of_class += scant_i_sum(N + part * table + k * stride, M);
        own += N[part * table + k * stride + j];
    }
    return of_class > 0 ? own / of_class / (mixture->coupling.W[k * stride + j] / P) : 0;
}

/* Less than half a row of all of them, and no 0. */
static bool is_faint(double share, double weight)
{
    return share > 0 && share * weight < 0.5;
}

static bool any_faint(const scant_i_mixture *mixture, double weight)
{
    for (size_t t = 0; t < mixture->nclasses * mixture->stride; t++)
        if (is_faint(mixture->coupling.W[t], weight))
            return true;
    return false;
}

static void send_on(scant_i_mixture *mixture, size_t k, const double *N, double weight, double *to)
{
    static const double LEFT = 0.95, AWAY = 1e-10;
    double *W = mixture->coupling.W + k * mixture->stride, all = 0;
    size_t M = mixture->ncomponents;
    for (size_t j = 0; j < M; j++) {
        bool goes = is_faint(W[j], weight) && scant_i_vanishing_factor(mixture, N, k, j) < LEFT;
        all += to[j] = W[j] * (goes ? AWAY : 1);
    }
    double P = scant_i_sum(W, M);
    for (size_t j = 0; j < M && all > 0; j++)
        W[j] = to[j] * (P / all);
}

scant_status scant_i_vanishing_send_on(scant_i_mixture *mixture, const scant_rows *rows,
                                       const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_problem problem = {0};
    double *N = NULL, *room = NULL;
    scant_i_survey survey;
    SCANT_I_TRY(scant_i_survey_new(&survey, rows, evidence, SCANT_I_NO_CELLS, threads));
    double weight = scant_i_survey_total_weight(&survey);
    scant_i_survey_clear(&survey);
    if (!any_faint(mixture, weight))
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&N, SCANT_I_COUNTS * mixture->nclasses * mixture->stride));
    SCANT_I_TRY(SCANT_I_NEW(&room, mixture->ncomponents));
    SCANT_I_TRY(scant_i_problem_new(&problem, rows, evidence, mixture, 0, threads));
    SCANT_I_TRY(scant_i_problem_expect(&problem, mixture, false));
    scant_i_posterior_counts(&problem.posterior, scant_i_problem_own(&problem), N);
    for (size_t k = 0; k < mixture->nclasses; k++)
        send_on(mixture, k, N, weight, room);
done:
    scant_i_problem_clear(&problem);
    scant_i_free(N);
    scant_i_free(room);
    return status;
}
