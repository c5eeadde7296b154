/* Independent columns by coordinates without bounds (columns.h):
 *
 *   x_t = log parameter_t, or log(p / (1 - p)) of a probability
 *   dQ/dx_t = deta_t/dx_t (S_t - N E[T_t]) + d log prior/dx_t,   deta_t/dx_t = 1 or power_t eta_t
 *
 * Parameters at the edge of their domain (a probability of 0 or 1) stay there, with x = 0 and no slope. */
#include "family/columns.h"

#include <float.h>
#include <math.h>

static bool is_share(const scant_i_column_law *law)
{
    return law->nfeatures == 1 && law->range == SCANT_I_RANGE_SHARES;
}

static bool is_at_edge(const scant_i_column_law *law, double parameter)
{
    return is_share(law) && !(parameter > 0 && parameter < 1);
}

static size_t count(const scant_i_factor *factor)
{
    return factor->ntheta;
}

static void get(const scant_i_factor *factor, double *x)
{
    const scant_i_column_law *law = factor->family->law;
    for (size_t t = 0; t < factor->ntheta; t++) {
        double p = factor->theta[t];
        x[t] = is_at_edge(law, p) ? 0 : is_share(law) ? log(p) - log1p(-p) : log(p);
    }
}

static scant_status set(scant_i_factor *factor, const double *x)
{
    const scant_i_column_law *law = factor->family->law;
    for (size_t t = 0; t < factor->ntheta; t++) {
        if (is_at_edge(law, factor->theta[t]))
            continue;
        double p = exp(x[t]), edge = INFINITY;
        if (is_share(law)) {
            p = x[t] > 0 ? 1 / (1 + exp(-x[t])) : p / (1 + p);
            edge = 1;
        }
        if (!(p > DBL_MIN && p < edge && p <= SCANT_I_MOST))
            return SCANT_ERR_INPUT;
        factor->theta[t] = p;
    }
    return factor->family->pass->within ? factor->family->pass->within(factor) : SCANT_OK;
}

/* Of component j and column c, at theta's places. */
static void add_slope(const scant_i_factor *factor, const double *statistics, size_t j, size_t c,
                      double *slope)
{
    const scant_i_column_law *law = factor->family->law;
    size_t d = factor->ncolumns, stride = factor->stride, nf = law->nfeatures;
    const double *S = statistics + (1 + d) * stride;
    double N = statistics[j] + statistics[(1 + c) * stride + j];
    double parameter[SCANT_I_LAW_MAX], eta[SCANT_I_LAW_MAX], T[SCANT_I_LAW_MAX];
    for (size_t t = 0; t < nf; t++)
        parameter[t] = factor->theta[(t * factor->ncomponents + j) * d + c];
    law->tables(factor, c, parameter, eta);
    law->expect(factor, c, parameter, T);
    for (size_t t = 0; t < nf; t++) {
        double *to = &slope[(t * factor->ncomponents + j) * d + c];
        double bend = law->power[t] != 0 ? law->power[t] * eta[t] : 1;
        *to = bend * (S[(c * nf + t) * stride + j] - N * T[t]);
        if (law->prior_slope)
            *to += law->prior_slope(factor, parameter);
        if (is_at_edge(law, parameter[t]))
            *to = 0;
    }
}

static scant_status slope_of(const scant_i_factor *factor, const double *statistics, double *slope)
{
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < factor->ncolumns; c++)
            add_slope(factor, statistics, j, c, slope);
    return SCANT_OK;
}

const scant_i_family_coordinates scant_i_columns_coordinates = {
    .count = count,
    .get = get,
    .set = set,
    .slope = slope_of,
};
