/* Shares p by coordinates without bounds: multinomial and categorical.
 *
 *   x_c = log p_c, p_c = e^x_c / sum e^x within a group of n shares
 *   dQ/dx_c = S_c + smooth - p_c (sum S + n smooth)
 *
 * One direction a group changes nothing. Shares of 0 stay there, with x = 0 and no slope. */
#include "family/simplex.h"

#include <float.h>
#include <math.h>

static size_t count(const scant_i_factor *factor)
{
    return factor->ntheta;
}

static void get(const scant_i_factor *factor, double *x)
{
    for (size_t t = 0; t < factor->ntheta; t++)
        x[t] = factor->theta[t] > 0 ? log(factor->theta[t]) : 0;
}

/* A group of n shares p. */
static scant_status set_group(double *p, const double *x, size_t n)
{
    double top = -INFINITY, sum = 0;
    for (size_t c = 0; c < n; c++)
        if (p[c] > 0)
            top = fmax(top, x[c]);
    for (size_t c = 0; c < n; c++)
        sum += p[c] > 0 ? exp(x[c] - top) : 0;
    for (size_t c = 0; c < n; c++) {
        double share = exp(x[c] - top) / sum;
        if (p[c] > 0 && !(share > DBL_MIN))
            return SCANT_ERR_INPUT;
        p[c] = p[c] > 0 ? share : 0;
    }
    return SCANT_OK;
}

static void slope_of_group(const scant_i_factor *factor, const double *p, const double *S, size_t n,
                           double *slope)
{
    double smooth = factor->settings.smooth, sum = 0;
    for (size_t c = 0; c < n; c++)
        sum += p[c] > 0 ? S[c * factor->stride] + smooth : 0;
    for (size_t c = 0; c < n; c++)
        slope[c] = p[c] > 0 ? S[c * factor->stride] + smooth - p[c] * sum : 0;
}

static scant_status multinomial_set(scant_i_factor *factor, const double *x)
{
    scant_status status = SCANT_OK;
    size_t n = factor->ncolumns;
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++)
        status = set_group(factor->theta + j * n, x + j * n, n);
    return status;
}

static scant_status multinomial_slope(const scant_i_factor *factor, const double *statistics,
                                      double *slope)
{
    size_t n = factor->ncolumns;
    for (size_t j = 0; j < factor->ncomponents; j++)
        slope_of_group(factor, factor->theta + j * n, statistics + j, n, slope + j * n);
    return SCANT_OK;
}

const scant_i_family_coordinates scant_i_multinomial_coordinates = {
    .count = count,
    .get = get,
    .set = multinomial_set,
    .slope = multinomial_slope,
};

static scant_status categorical_set(scant_i_factor *factor, const double *x)
{
    scant_status status = SCANT_OK;
    size_t at = 0;
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0; c < factor->ncolumns && status == SCANT_OK; at += factor->nlevels[c++])
            status = set_group(factor->theta + at, x + at, factor->nlevels[c]);
    return status;
}

static scant_status categorical_slope(const scant_i_factor *factor, const double *statistics,
                                      double *slope)
{
    size_t width = factor->ntheta / factor->ncomponents;
    for (size_t j = 0; j < factor->ncomponents; j++)
        for (size_t c = 0, first = 0; c < factor->ncolumns; first += factor->nlevels[c++])
            slope_of_group(factor, factor->theta + j * width + first,
                           statistics + first * factor->stride + j, factor->nlevels[c],
                           slope + j * width + first);
    return SCANT_OK;
}

const scant_i_family_coordinates scant_i_categorical_coordinates = {
    .count = count,
    .get = get,
    .set = categorical_set,
    .slope = categorical_slope,
};
