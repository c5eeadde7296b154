#include "latent/mixture.h"

#include <float.h>
#include <math.h>
#include <string.h>

scant_status scant_i_mixture_new(scant_i_mixture **out, size_t ncomponents, size_t nclasses,
                                 size_t nfactors)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *mixture = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&mixture, 1));
    mixture->ncomponents = ncomponents;
    mixture->stride = scant_i_round_up(ncomponents, SCANT_I_LANES);
    mixture->nclasses = nclasses;
    mixture->nfactors = nfactors;
    SCANT_I_TRY(SCANT_I_NEW(&mixture->W, nclasses * mixture->stride));
    SCANT_I_TRY(SCANT_I_NEW(&mixture->factor, nfactors));
    *out = mixture;
    mixture = NULL;
done:
    scant_i_mixture_free(mixture);
    return status;
}

void scant_i_mixture_free(scant_i_mixture *mixture)
{
    if (!mixture)
        return;
    for (size_t f = 0; mixture->factor && f < mixture->nfactors; f++)
        scant_i_factor_free(mixture->factor[f]);
    scant_i_free(mixture->factor);
    scant_i_free(mixture->prior);
    scant_i_free(mixture->W);
    scant_i_free(mixture);
}

scant_status scant_i_mixture_copy(scant_i_mixture **out, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *copy = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_mixture_new(&copy, mixture->ncomponents, mixture->nclasses, mixture->nfactors));
    memcpy(copy->W, mixture->W, mixture->nclasses * mixture->stride * sizeof *copy->W);
    if (mixture->prior) {
        SCANT_I_TRY(SCANT_I_NEW(&copy->prior, mixture->nclasses));
        memcpy(copy->prior, mixture->prior, mixture->nclasses * sizeof *copy->prior);
    }
    for (size_t f = 0; f < mixture->nfactors; f++)
        SCANT_I_TRY(scant_i_factor_copy(&copy->factor[f], mixture->factor[f]));
    *out = copy;
    copy = NULL;
done:
    scant_i_mixture_free(copy);
    return status;
}

void scant_i_mixture_assign(scant_i_mixture *to, const scant_i_mixture *from)
{
    memcpy(to->W, from->W, from->nclasses * from->stride * sizeof *to->W);
    for (size_t f = 0; f < from->nfactors; f++) {
        scant_i_factor *a = to->factor[f];
        const scant_i_factor *b = from->factor[f];
        memcpy(a->theta, b->theta, b->ntheta * sizeof *a->theta);
        memcpy(a->centre, b->centre, b->ncolumns * sizeof *a->centre);
        memcpy(a->scale, b->scale, b->ncolumns * sizeof *a->scale);
        memcpy(a->at_floor, b->at_floor, b->ncomponents);
    }
}

size_t scant_i_mixture_size(const scant_i_mixture *mixture)
{
    size_t size = mixture->nclasses * mixture->stride;
    for (size_t f = 0; f < mixture->nfactors; f++)
        size += mixture->factor[f]->ntheta;
    return size;
}

void scant_i_mixture_flatten(const scant_i_mixture *mixture, double *vector)
{
    size_t at = mixture->nclasses * mixture->stride;
    memcpy(vector, mixture->W, at * sizeof *vector);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        memcpy(vector + at, mixture->factor[f]->theta, mixture->factor[f]->ntheta * sizeof *vector);
        at += mixture->factor[f]->ntheta;
    }
}

void scant_i_mixture_restore(scant_i_mixture *mixture, const double *vector)
{
    size_t at = mixture->nclasses * mixture->stride;
    memcpy(mixture->W, vector, at * sizeof *vector);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        memcpy(mixture->factor[f]->theta, vector + at, mixture->factor[f]->ntheta * sizeof *vector);
        at += mixture->factor[f]->ntheta;
    }
}

size_t scant_i_mixture_degrees(const scant_i_mixture *mixture)
{
    size_t degrees = 0, used = 0, classes_used = 0;
    for (size_t k = 0; k < mixture->nclasses; k++) {
        size_t before = used;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            used += mixture->W[k * mixture->stride + j] > 0;
        classes_used += used > before;
    }
    /* W sums to one; fixed class proportions take one constraint a class instead */
    if (used)
        degrees += used - (mixture->prior ? classes_used : 1);
    for (size_t f = 0; f < mixture->nfactors; f++)
        degrees += mixture->factor[f]->family->degrees(mixture->factor[f]);
    return degrees;
}

double scant_i_mixture_log_prior(const scant_i_mixture *mixture)
{
    double sum = 0;
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (mixture->factor[f]->family->log_prior)
            sum += mixture->factor[f]->family->log_prior(mixture->factor[f]);
    return sum;
}

scant_status scant_i_mixture_prepare(scant_i_mixture *mixture)
{
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_status status = mixture->factor[f]->family->prepare(mixture->factor[f]);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

/* --- standard units -------------------------------------------------------------------------------- */

typedef struct spread {
    double weight, mean, largest, square;
} spread;

static double weight_of(const scant_rows *rows, size_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

/* Weighted mean, then the standard deviation in units of the largest deviation, so that squares neither
 * overflow nor vanish. */
static void column_spreads(const scant_rows *rows, spread *s)
{
    size_t d = rows->ncolumns;
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = weight_of(rows, i);
        const double *x = rows->dense + i * d;
        for (size_t c = 0; c < d && w > 0; c++)
            if (!isnan(x[c])) {
                s[c].weight += w;
                s[c].mean += (x[c] - s[c].mean) * (w / s[c].weight);
            }
    }
    for (size_t i = 0; i < rows->nrows; i++) {
        const double *x = rows->dense + i * d;
        for (size_t c = 0; c < d && weight_of(rows, i) > 0; c++)
            if (!isnan(x[c]))
                s[c].largest = fmax(s[c].largest, fabs(x[c] - s[c].mean));
    }
    for (size_t i = 0; i < rows->nrows; i++) {
        double w = weight_of(rows, i);
        const double *x = rows->dense + i * d;
        for (size_t c = 0; c < d && w > 0; c++)
            if (!isnan(x[c]) && s[c].largest > 0) {
                double u = (x[c] - s[c].mean) / s[c].largest;
                s[c].square += w / s[c].weight * u * u;
            }
    }
}

/* A constant column has no unit of its own: it takes the mean of the others', or 1. */
static double spare_unit(const scant_i_factor *factor, const spread *s)
{
    double sum = 0;
    size_t count = 0;
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (!factor->nlevels[c] && s[factor->columns[c]].largest > 0) {
            sum += s[factor->columns[c]].largest * sqrt(s[factor->columns[c]].square);
            count++;
        }
    return count && sum > 0 ? sum / (double)count : 1;
}

/* Rounding in the mean alone makes a constant column spread by this share of its size. */
static bool is_constant(const spread *s)
{
    return !(s->largest > 8 * DBL_EPSILON * fabs(s->mean));
}

scant_status scant_i_mixture_standardise(scant_i_mixture *mixture, const scant_rows *rows)
{
    if (!rows->dense)
        return SCANT_OK; /* counts keep their own units */
    spread *s = NULL;
    scant_status status = SCANT_I_NEW(&s, rows->ncolumns);
    if (status != SCANT_OK)
        return status;
    column_spreads(rows, s);
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (is_constant(&s[c]))
            s[c].largest = 0;
    for (size_t f = 0; f < mixture->nfactors && status == SCANT_OK; f++) {
        scant_i_factor *factor = mixture->factor[f];
        double spare = spare_unit(factor, s);
        for (size_t c = 0; c < factor->ncolumns && status == SCANT_OK; c++) {
            const spread *of = &s[factor->columns[c]];
            double sd = of->largest > 0 ? of->largest * sqrt(of->square) : spare;
            double least = sd * sd * fmin(factor->settings.min_variance, 1);
            factor->centre[c] = of->mean;
            factor->scale[c] = sd;
            if (!factor->nlevels[c] &&
                (!isfinite(of->mean) || !isfinite(sd * sd) || !(least > DBL_MIN)))
                status = scant_i_fail(
                    SCANT_ERR_INPUT,
                    "column %s: values around %g that spread by %g have no variance a double can hold; "
                    "rescale the column",
                    scant_rows_column_name(rows, factor->columns[c]), of->mean, sd);
        }
    }
    scant_i_free(s);
    return status;
}
