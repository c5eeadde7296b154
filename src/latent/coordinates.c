#include "latent/coordinates.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *scant_i_coordinates_refuse(const scant_i_mixture *mixture)
{
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (!mixture->factor[f]->family->coordinates)
            return mixture->factor[f]->family->name;
    return NULL;
}

static size_t nshares(const scant_i_mixture *m)
{
    return m->nclasses * m->stride;
}

size_t scant_i_coordinates_count(const scant_i_mixture *mixture)
{
    size_t count = nshares(mixture);
    for (size_t f = 0; f < mixture->nfactors; f++)
        count += mixture->factor[f]->family->coordinates->count(mixture->factor[f]);
    return count;
}

/* --- the coupling: groups of cells whose sum stays --- */

static size_t ngroups(const scant_i_mixture *m)
{
    return m->coupling.prior ? m->nclasses : 1;
}

static scant_status set_shares(double *W, const double *x, size_t n)
{
    double top = -INFINITY, total = 0, sum = 0;
    for (size_t t = 0; t < n; t++) {
        total += W[t];
        top = W[t] > 0 ? fmax(top, x[t]) : top;
    }
    for (size_t t = 0; t < n; t++)
        sum += W[t] > 0 ? exp(x[t] - top) : 0;
    for (size_t t = 0; t < n; t++) {
        double share = W[t] > 0 ? total * exp(x[t] - top) / sum : 0;
        if (W[t] > 0 && !(share > DBL_MIN))
            return SCANT_ERR_INPUT;
        W[t] = share;
    }
    return SCANT_OK;
}

static void slope_of_shares(const double *W, const double *N, size_t n, size_t table, double *slope)
{
    double total = 0, of_rows = 0;
    for (size_t t = 0; t < n; t++) {
        slope[t] = W[t] > 0 ? N[t] + N[table + t] + N[2 * table + t] : 0;
        total += W[t];
        of_rows += slope[t];
    }
    for (size_t t = 0; t < n && total > 0; t++)
        slope[t] -= of_rows * W[t] / total;
}

static scant_status slope_of_coupling(const scant_i_problem *problem, double *slope)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = problem->posterior.mixture;
    size_t table = nshares(m), n = table / ngroups(m);
    double *N = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&N, SCANT_I_COUNTS * table));
    SCANT_I_TRY(problem->aim.objective->counts(&problem->aim, scant_i_problem_own(problem), N));
    for (size_t g = 0; g < ngroups(m); g++)
        slope_of_shares(m->coupling.W + g * n, N + g * n, n, table, slope + g * n);
done:
    scant_i_free(N);
    return status;
}

/* --- the whole --- */

void scant_i_coordinates_get(const scant_i_mixture *mixture, double *x)
{
    const double *W = mixture->coupling.W;
    for (size_t t = 0; t < nshares(mixture); t++)
        x[t] = W[t] > 0 ? log(W[t]) : 0;
    x += nshares(mixture);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        factor->family->coordinates->get(factor, x);
        x += factor->family->coordinates->count(factor);
    }
}

scant_status scant_i_coordinates_set(scant_i_mixture *mixture, const double *x)
{
    scant_status status = SCANT_OK;
    size_t n = nshares(mixture) / ngroups(mixture);
    for (size_t g = 0; g < ngroups(mixture); g++)
        SCANT_I_TRY(set_shares(mixture->coupling.W + g * n, x + g * n, n));
    x += nshares(mixture);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_i_factor *factor = mixture->factor[f];
        SCANT_I_TRY(factor->family->coordinates->set(factor, x));
        x += factor->family->coordinates->count(factor);
    }
done:
    return status;
}

scant_status scant_i_coordinates_slope(const scant_i_problem *problem, double *slope)
{
    const scant_i_mixture *m = problem->posterior.mixture;
    scant_status status = slope_of_coupling(problem, slope);
    slope += nshares(m);
    for (size_t f = 0; f < m->nfactors && status == SCANT_OK; f++) {
        const scant_i_factor *factor = m->factor[f];
        const scant_i_family_coordinates *coordinates = factor->family->coordinates;
        status = coordinates->slope(factor, scant_i_problem_factor(problem, f), slope);
        slope += coordinates->count(factor);
    }
    return status;
}
