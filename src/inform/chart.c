#include "inform/chart.h"

#include <math.h>
#include <string.h>

/* The last of n that is open: what the others are ratios to; SIZE_MAX: none is. */
static size_t last_of(const bool *open, size_t n)
{
    while (n > 0 && !open[n - 1])
        n--;
    return n - 1;
}

/* Coordinates for all but the last of n shares that are open. */
static void number(size_t *at, const bool *open, size_t n, size_t *next)
{
    size_t last = last_of(open, n);
    for (size_t i = 0; i < n; i++)
        at[i] = open[i] && i != last ? (*next)++ : SCANT_I_NOWHERE;
}

/* P and pi that are no zeros, and components that some class has. */
static void find_open(scant_i_chart *chart, const scant_i_mixture *mixture, bool proportions,
                      const bool *brought)
{
    for (size_t k = 0; k < chart->K; k++) {
        const double *W = mixture->coupling.W + k * mixture->stride;
        double P = 0;
        for (size_t j = 0; j < chart->M; j++)
            P += W[j];
        chart->spoken[k] = proportions && scant_i_chart_is_open(P);
        double unit = brought && brought[k] && P > 0 ? P : 1;
        for (size_t j = 0; j < chart->M; j++) {
            chart->open[k * chart->M + j] = scant_i_chart_is_open(W[j] / unit);
            chart->used[j] |= chart->open[k * chart->M + j];
        }
    }
}

static void number_factor(scant_i_chart *chart, const scant_i_mixture *mixture, size_t f,
                          const bool *used)
{
    const scant_i_factor *factor = mixture->factor[f];
    const scant_i_family_natural *form = factor->family->natural;
    size_t n = chart->natural[f], fixed = form->nfixed ? form->nfixed(factor) : 0;
    size_t shared = form->nshared && !fixed ? form->nshared(factor) : 0;
    for (size_t j = 0; j < chart->M; j++) {
        size_t *at = chart->at + chart->start[f] + j * n;
        for (size_t a = 0; a < n; a++)
            at[a] = SCANT_I_NOWHERE;
        for (size_t a = 0; used[j] && a < n - shared - fixed; a++)
            at[a] = chart->n++;
    }
    for (size_t j = 0; j < chart->M; j++)
        for (size_t a = 0; used[j] && a < shared; a++)
            chart->at[chart->start[f] + j * n + n - shared + a] = chart->n + a;
    chart->n += shared;
}

scant_status scant_i_chart_validate(const scant_i_mixture *mixture)
{
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (!mixture->factor[f]->family->natural)
            return scant_i_fail(SCANT_ERR_ARGUMENT,
                                "family %s has no derivatives, which information is made of",
                                mixture->factor[f]->family->name);
    return SCANT_OK;
}

scant_status scant_i_chart_new(scant_i_chart *out, const scant_i_mixture *mixture, bool proportions,
                               const bool *brought)
{
    scant_status status = SCANT_OK;
    size_t M = mixture->ncomponents, K = mixture->nclasses, total = 0;
    *out = (scant_i_chart){.M = M, .K = K, .nfactors = mixture->nfactors};
    SCANT_I_TRY(scant_i_chart_validate(mixture));
    SCANT_I_TRY(SCANT_I_NEW(&out->P, K));
    SCANT_I_TRY(SCANT_I_NEW(&out->pi, K * M));
    SCANT_I_TRY(SCANT_I_NEW(&out->spoken, K));
    SCANT_I_TRY(SCANT_I_NEW(&out->open, K * M));
    SCANT_I_TRY(SCANT_I_NEW(&out->used, M));
    SCANT_I_TRY(SCANT_I_NEW(&out->start, mixture->nfactors));
    SCANT_I_TRY(SCANT_I_NEW(&out->natural, mixture->nfactors));
    find_open(out, mixture, proportions, brought);
    number(out->P, out->spoken, K, &out->n);
    for (size_t k = 0; k < K; k++)
        number(out->pi + k * M, out->open + k * M, M, &out->n);
    out->ncoupling = out->n;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        out->natural[f] = mixture->factor[f]->family->natural->nnatural(mixture->factor[f]);
        out->start[f] = total;
        total += M * out->natural[f];
        out->most = scant_i_max(out->most, out->natural[f]);
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->at, total));
    for (size_t f = 0; f < mixture->nfactors; f++)
        number_factor(out, mixture, f, out->used);
done:
    if (status != SCANT_OK)
        scant_i_chart_clear(out);
    return status;
}

void scant_i_chart_clear(scant_i_chart *chart)
{
    scant_i_free(chart->P);
    scant_i_free(chart->pi);
    scant_i_free(chart->spoken);
    scant_i_free(chart->open);
    scant_i_free(chart->used);
    scant_i_free(chart->at);
    scant_i_free(chart->start);
    scant_i_free(chart->natural);
    *chart = (scant_i_chart){0};
}

void scant_i_chart_standardise(scant_i_mixture *mixture, bool to)
{
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (mixture->factor[f]->family->natural->standardise)
            mixture->factor[f]->family->natural->standardise(mixture->factor[f], to);
}

static double proportion(const scant_i_mixture *mixture, size_t k)
{
    double P = 0;
    for (size_t j = 0; j < mixture->ncomponents; j++)
        P += mixture->coupling.W[k * mixture->stride + j];
    return P;
}

static void ratios(double *point, const size_t *at, const bool *open, const double *share, size_t n)
{
    size_t last = last_of(open, n);
    for (size_t i = 0; i < n; i++)
        if (at[i] != SCANT_I_NOWHERE)
            point[at[i]] = log(share[i] / share[last]);
}

scant_status scant_i_chart_get(const scant_i_chart *chart, const scant_i_mixture *mixture,
                               double *point)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *standard = NULL;
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, scant_i_max(chart->most, chart->K)));
    SCANT_I_TRY(scant_i_mixture_copy(&standard, mixture));
    scant_i_chart_standardise(standard, true);
    for (size_t k = 0; k < chart->K; k++)
        room[k] = proportion(mixture, k);
    ratios(point, chart->P, chart->spoken, room, chart->K);
    for (size_t k = 0; k < chart->K; k++)
        ratios(point, chart->pi + k * chart->M, chart->open + k * chart->M,
               mixture->coupling.W + k * mixture->stride, chart->M);
    for (size_t f = 0; f < chart->nfactors; f++) {
        const scant_i_factor *factor = standard->factor[f];
        for (size_t j = 0; j < chart->M; j++) {
            const size_t *at = scant_i_chart_eta(chart, f, j);
            if (!chart->used[j])
                continue;
            status = factor->family->natural->eta(factor, j, room);
            if (status == SCANT_ERR_INPUT) /* a fit ends there, but no derivative exists */
                status = scant_i_fail_within(SCANT_ERR_UNIDENTIFIED, "at the edge of its domain");
            SCANT_I_TRY(status);
            for (size_t a = 0; a < chart->natural[f]; a++)
                if (at[a] != SCANT_I_NOWHERE)
                    point[at[a]] = room[a];
        }
    }
done:
    scant_i_mixture_free(standard);
    scant_i_free(room);
    return status;
}

/* Shares from log ratios, to add up to `total`; what has no coordinate keeps its ratio. */
static void shares(double *share, const size_t *at, const bool *open, const double *point, size_t n,
                   double total)
{
    size_t last = last_of(open, n);
    double sum = 0, unit = last < n ? share[last] : 1;
    for (size_t i = 0; i < n; i++) {
        share[i] = at[i] != SCANT_I_NOWHERE ? exp(point[at[i]]) : share[i] / unit;
        sum += share[i];
    }
    for (size_t i = 0; i < n && sum > 0; i++)
        share[i] *= total / sum;
}

scant_status scant_i_chart_set(const scant_i_chart *chart, scant_i_mixture *mixture,
                               const double *point)
{
    scant_status status = SCANT_OK;
    double *room = NULL;
    bool proportions = false;
    SCANT_I_TRY(SCANT_I_NEW(&room, scant_i_max(chart->most, chart->K)));
    for (size_t k = 0; k < chart->K; k++) {
        room[k] = proportion(mixture, k);
        proportions |= chart->P[k] != SCANT_I_NOWHERE;
    }
    if (proportions)
        shares(room, chart->P, chart->spoken, point, chart->K, 1);
    for (size_t k = 0; k < chart->K; k++)
        shares(mixture->coupling.W + k * mixture->stride, chart->pi + k * chart->M,
               chart->open + k * chart->M, point, chart->M, room[k]);
    scant_i_chart_standardise(mixture, true);
    for (size_t f = 0; f < chart->nfactors && status == SCANT_OK; f++) {
        scant_i_factor *factor = mixture->factor[f];
        for (size_t j = 0; j < chart->M && status == SCANT_OK; j++) {
            const size_t *at = scant_i_chart_eta(chart, f, j);
            if (!chart->used[j])
                continue;
            if (factor->family->natural->nfixed && factor->family->natural->nfixed(factor))
                status = factor->family->natural->eta(factor, j, room);
            for (size_t a = 0; a < chart->natural[f]; a++)
                room[a] = at[a] != SCANT_I_NOWHERE ? point[at[a]] : room[a];
            if (status == SCANT_OK)
                status = factor->family->natural->from_natural(factor, j, room);
        }
    }
    scant_i_chart_standardise(mixture, false);
done:
    scant_i_free(room);
    return status;
}

void scant_i_chart_slope(const scant_i_chart *chart, const scant_i_mixture *mixture, size_t k,
                         size_t j, bool proportions, double *u)
{
    double P = proportion(mixture, k);
    memset(u, 0, chart->ncoupling * sizeof *u);
    for (size_t l = 0; l < chart->K && proportions; l++)
        if (chart->P[l] != SCANT_I_NOWHERE)
            u[chart->P[l]] = (l == k ? 1 : 0) - proportion(mixture, l);
    for (size_t i = 0; i < chart->M; i++)
        if (chart->pi[k * chart->M + i] != SCANT_I_NOWHERE)
            u[chart->pi[k * chart->M + i]] =
                (i == j ? 1 : 0) - mixture->coupling.W[k * mixture->stride + i] / P;
}
