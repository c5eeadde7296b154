#include "latent/mixture.h"

#include "latent/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "parts/ask.h"
#include "parts/part.h"

scant_status scant_i_mixture_new(scant_i_mixture **out, size_t ncomponents, size_t nclasses,
                                 size_t nfactors)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *mixture = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&mixture, 1));
    mixture->structure = &scant_i_structure_rows;
    mixture->ncomponents = ncomponents;
    mixture->stride = scant_i_round_up(ncomponents, SCANT_I_LANES);
    mixture->nclasses = nclasses;
    mixture->nfactors = nfactors;
    SCANT_I_TRY(scant_i_coupling_new(&mixture->coupling, nclasses, mixture->stride));
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
    scant_i_free(mixture->ties);
    scant_i_coupling_clear(&mixture->coupling);
    scant_i_free(mixture);
}

scant_status scant_i_mixture_copy(scant_i_mixture **out, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *copy = NULL;
    *out = NULL;
    SCANT_I_TRY(
        scant_i_mixture_new(&copy, mixture->ncomponents, mixture->nclasses, mixture->nfactors));
    copy->structure = mixture->structure;
    scant_i_coupling_clear(&copy->coupling);
    SCANT_I_TRY(scant_i_coupling_copy(&copy->coupling, &mixture->coupling, mixture->nclasses,
                                      mixture->stride));
    if (mixture->ties) {
        SCANT_I_TRY(SCANT_I_NEW(&copy->ties, mixture->nties));
        memcpy(copy->ties, mixture->ties, mixture->nties * sizeof *copy->ties);
        copy->nties = mixture->nties;
    }
    for (size_t f = 0; f < mixture->nfactors; f++)
        SCANT_I_TRY(scant_i_factor_copy(&copy->factor[f], mixture->factor[f]));
    *out = copy;
    copy = NULL;
done:
    scant_i_mixture_free(copy);
    return status;
}

void scant_i_mixture_couple(scant_i_mixture *mixture, size_t j, size_t k, double share)
{
    static const double LEAST =
        1e-300; /* negligible compared with any other weight, and far from underflow */
    double *W = &mixture->coupling.W[k * mixture->stride + j];
    *W = *W > 0 ? fmax(share, LEAST) : share;
}

void scant_i_mixture_assign(scant_i_mixture *to, const scant_i_mixture *from)
{
    scant_i_coupling_assign(&to->coupling, &from->coupling, from->nclasses, from->stride);
    if (from->ties)
        memcpy(to->ties, from->ties, from->nties * sizeof *to->ties);
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
    size_t size = mixture->nclasses * mixture->stride + mixture->nties;
    for (size_t f = 0; f < mixture->nfactors; f++)
        size += mixture->factor[f]->ntheta;
    return size;
}

void scant_i_mixture_flatten(const scant_i_mixture *mixture, double *vector)
{
    size_t at = mixture->nclasses * mixture->stride;
    memcpy(vector, mixture->coupling.W, at * sizeof *vector);
    if (mixture->ties)
        memcpy(vector + at, mixture->ties, mixture->nties * sizeof *vector);
    at += mixture->nties;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        memcpy(vector + at, mixture->factor[f]->theta, mixture->factor[f]->ntheta * sizeof *vector);
        at += mixture->factor[f]->ntheta;
    }
}

void scant_i_mixture_restore(scant_i_mixture *mixture, const double *vector)
{
    size_t at = mixture->nclasses * mixture->stride;
    memcpy(mixture->coupling.W, vector, at * sizeof *vector);
    if (mixture->ties)
        memcpy(mixture->ties, vector + at, mixture->nties * sizeof *vector);
    at += mixture->nties;
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
            used += mixture->coupling.W[k * mixture->stride + j] > 0;
        classes_used += used > before;
    }
    /* W sums to one; class proportions that are not estimated take one constraint a class instead
     */
    if (mixture->structure->degrees)
        degrees += mixture->structure->degrees(mixture);
    else if (used)
        degrees +=
            used - (mixture->coupling.prior || mixture->coupling.fallback ? classes_used : 1);
    if (mixture->coupling.noise && mixture->coupling.noise_free)
        degrees += mixture->nclasses * (mixture->nclasses - 1);
    for (size_t f = 0; f < mixture->nfactors; f++)
        degrees += mixture->factor[f]->family->degrees(mixture->factor[f]);
    return degrees;
}

double scant_i_mixture_log_prior(const scant_i_mixture *mixture)
{
    double sum = 0;
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (mixture->factor[f]->family->pass->log_prior)
            sum += mixture->factor[f]->family->pass->log_prior(mixture->factor[f]);
    return sum;
}

typedef struct inspection {
    const scant_i_factor *factor;
    const scant_i_part *part; /* of all parts, in order */
} inspection;

static scant_status inspect(const scant_i_query *question, size_t part, scant_i_take take,
                            void *taker)
{
    const inspection *i = question->body;
    scant_status status = i->factor->family->validate(i->factor, &i->part[part].batch);
    return scant_i_answer_bytes(question, part, status, NULL, 0, take, taker);
}

scant_status scant_i_mixture_validate(const scant_i_mixture *mixture, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_part *part = NULL;
    size_t nparts = 0;
    SCANT_I_TRY(scant_i_parts_new(&part, &nparts, rows, NULL, rows->weight, 0, NULL));
    for (size_t f = 0; f < mixture->nfactors; f++) {
        inspection i = {mixture->factor[f], part};
        SCANT_I_TRY(rows->carrier ? scant_i_ask(rows->carrier, inspect, &i, NULL, NULL)
                                  : i.factor->family->validate(i.factor, &part[0].batch));
    }
done:
    scant_i_parts_free(part, nparts);
    return status;
}

scant_status scant_i_mixture_prepare(scant_i_mixture *mixture)
{
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_status status = mixture->factor[f]->family->pass->prepare(mixture->factor[f]);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

scant_status scant_i_mixture_find_fallback(scant_i_mixture *mixture,
                                           const scant_i_evidence *evidence,
                                           const scant_i_survey *survey)
{
    scant_i_free(mixture->coupling.fallback);
    mixture->coupling.fallback = NULL;
    for (size_t e = 0; e < evidence->nentries; e++)
        if (evidence->kind[e] != SCANT_I_PRIOR && survey->weight[e] > 0)
            return SCANT_OK;
    scant_status status = SCANT_I_NEW(&mixture->coupling.fallback, mixture->nclasses);
    if (status == SCANT_OK)
        scant_i_evidence_fallback(evidence, survey->weight, mixture->coupling.fallback);
    return status;
}

scant_i_health scant_i_mixture_health(const scant_i_mixture *mixture, size_t component, double rows)
{
    if (!(rows > 1e-6))
        return SCANT_I_EMPTY;
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (mixture->factor[f]->at_floor[component])
            return SCANT_I_AT_FLOOR;
    for (size_t f = 0; f < mixture->nfactors; f++)
        if (!mixture->factor[f]->family->sparse && rows < (double)mixture->factor[f]->ncolumns + 1)
            return SCANT_I_TOO_FEW;
    return SCANT_I_HEALTHY;
}

/* --- standard units --- */

/* Rounding in the mean alone makes a constant column spread by this share of its size. */
static bool is_constant(const scant_i_column_survey *s)
{
    return !(scant_i_survey_reach(s) > 8 * DBL_EPSILON * fabs(s->mean));
}

/* A constant column has no unit of its own: it takes the mean of the others', or 1. */
static double spare_unit(const scant_i_factor *factor, const scant_i_column_survey *s)
{
    double sum = 0;
    size_t count = 0;
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (!factor->nlevels[c] && !is_constant(&s[factor->columns[c]])) {
            sum += s[factor->columns[c]].deviation;
            count++;
        }
    return count && sum > 0 ? sum / (double)count : 1;
}

scant_status scant_i_mixture_set_units(scant_i_mixture *mixture, const scant_rows *rows,
                                       const scant_i_survey *survey)
{
    if (!survey->ncolumns)
        return SCANT_OK; /* counts keep their own units */
    const scant_i_column_survey *s = survey->column;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_i_factor *factor = mixture->factor[f];
        double spare = spare_unit(factor, s);
        for (size_t c = 0; c < factor->ncolumns; c++) {
            const scant_i_column_survey *of = &s[factor->columns[c]];
            double sd = is_constant(of) ? spare : of->deviation;
            double least = sd * sd * fmin(factor->settings.min_variance, 1);
            factor->centre[c] = of->mean;
            factor->scale[c] = sd;
            char made[SCANT_I_MADE_NAME];
            if (!factor->nlevels[c] &&
                (!isfinite(of->mean) || !isfinite(sd * sd) || !(least > DBL_MIN)))
                return scant_i_fail(
                    SCANT_ERR_INPUT,
                    "column %s: values around %g that spread by %g have no variance "
                    "a double can hold; rescale the column",
                    scant_i_column_name(rows, factor->columns[c], made), of->mean, sd);
        }
    }
    return SCANT_OK;
}

scant_status scant_i_mixture_standardise(scant_i_mixture *mixture, const scant_rows *rows,
                                         size_t threads)
{
    scant_i_survey survey;
    scant_status status = scant_i_survey_new(&survey, rows, NULL, SCANT_I_COLUMNS, threads);
    if (status == SCANT_OK)
        status = scant_i_mixture_set_units(mixture, rows, &survey);
    scant_i_survey_clear(&survey);
    return status;
}
