#include "latent/mixture.h"

#include "latent/structure.h"
#include "math/vector.h"

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
    static const double LEAST = 1e-300; /* nothing beside any other share, and far from underflow */
    double *W = &mixture->coupling.W[k * mixture->stride + j];
    *W = *W > 0 ? fmax(share, LEAST) : share;
}

void scant_i_mixture_assign(scant_i_mixture *to, const scant_i_mixture *from)
{
    scant_i_coupling_assign(&to->coupling, &from->coupling, from->nclasses, from->stride);
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
    memcpy(vector, mixture->coupling.W, at * sizeof *vector);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        memcpy(vector + at, mixture->factor[f]->theta, mixture->factor[f]->ntheta * sizeof *vector);
        at += mixture->factor[f]->ntheta;
    }
}

void scant_i_mixture_restore(scant_i_mixture *mixture, const double *vector)
{
    size_t at = mixture->nclasses * mixture->stride;
    memcpy(mixture->coupling.W, vector, at * sizeof *vector);
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
    if (used)
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

scant_status scant_i_mixture_validate(const scant_i_mixture *mixture, const scant_rows *rows)
{
    const scant_i_batch all = scant_i_batch_all(rows);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_status status = mixture->factor[f]->family->validate(mixture->factor[f], &all);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
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
                                           const scant_i_evidence *evidence, size_t nrows)
{
    scant_i_free(mixture->coupling.fallback);
    mixture->coupling.fallback = NULL;
    for (size_t i = 0; i < nrows; i++)
        if (evidence->kind[scant_i_evidence_entry(evidence, i)] != SCANT_I_PRIOR &&
            scant_i_evidence_weight(evidence, i) > 0)
            return SCANT_OK;
    scant_status status = SCANT_I_NEW(&mixture->coupling.fallback, mixture->nclasses);
    if (status == SCANT_OK)
        scant_i_evidence_fallback(evidence, nrows, mixture->coupling.fallback);
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

typedef struct spread {
    double weight, mean, largest, deviation;
} spread;

static double weight_of(const scant_rows *rows, size_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

/* Sums over a stretch of rows, in the stretch's own place, so that threads do not change the
 * result. */
enum { STRETCHES = 64 };
typedef struct survey {
    const scant_rows *rows;
    const double *shift;   /* one a column: what to measure from */
    const double *inverse; /* one a column: 1 / unit of the squares */
    size_t threads;
    double *sums; /* STRETCHES x 4 x columns: weight, sum, largest deviation, squares */
} survey;

/* A row's part in the sums of d columns. */
SCANT_I_INLINE void survey_row(const survey *s, const double *x, double w, size_t d,
                               double *restrict sums)
{
    double *weight = sums, *sum = weight + d, *largest = sum + d, *square = largest + d;
    const double *shift = s->shift, *inverse = s->inverse;
#pragma omp simd
    for (size_t c = 0; c < d; c++) {
        bool present = x[c] == x[c];
        double far = present ? x[c] - shift[c] : 0, u = far * inverse[c];
        weight[c] += present ? w : 0;
        sum[c] += w * far;
        largest[c] = fabs(far) > largest[c] ? fabs(far) : largest[c];
        square[c] += w * u * u;
    }
}

SCANT_I_CLONES
static void survey_rows(const survey *s, size_t first, size_t end, double *sums)
{
    size_t d = s->rows->ncolumns;
    for (size_t i = first; i < end; i++) {
        double w = weight_of(s->rows, i);
        if (w > 0)
            survey_row(s, s->rows->dense + i * d, w, d, sums);
    }
}

static scant_status survey_stretch(size_t stretch, size_t worker, void *payload)
{
    (void)worker;
    const survey *s = payload;
    size_t n = s->rows->nrows;
    survey_rows(s, n * stretch / STRETCHES, n * (stretch + 1) / STRETCHES,
                s->sums + stretch * 4 * s->rows->ncolumns);
    return SCANT_OK;
}

static scant_status take_survey(survey *s)
{
    size_t d = s->rows->ncolumns;
    memset(s->sums, 0, STRETCHES * 4 * d * sizeof *s->sums);
    scant_status status = scant_i_parallel(s->threads, STRETCHES, survey_stretch, s);
    for (size_t k = 1; k < STRETCHES; k++)
        for (size_t c = 0; c < 4 * d; c++) {
            double more = s->sums[k * 4 * d + c];
            bool is_largest = c / d == 2;
            s->sums[c] = is_largest ? fmax(s->sums[c], more) : s->sums[c] + more;
        }
    return status;
}

/* Weighted means, measured from some first value so that sums stay small, then standard deviations
 * in units of the largest deviation, so that squares neither overflow nor vanish. */
static scant_status column_spreads(const scant_rows *rows, size_t threads, spread *of)
{
    scant_status status = SCANT_OK;
    size_t d = rows->ncolumns;
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * d + STRETCHES * 4 * d));
    double *shift = room, *inverse = shift + d;
    survey s = {rows, shift, inverse, threads, inverse + d};
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < rows->nrows; i++)
            if (!isnan(rows->dense[i * d + c]) && weight_of(rows, i) > 0) {
                shift[c] = rows->dense[i * d + c];
                break;
            }
    SCANT_I_TRY(take_survey(&s));
    for (size_t c = 0; c < d; c++) {
        double weight = s.sums[c];
        of[c].weight = weight;
        of[c].mean = weight > 0 ? shift[c] + s.sums[d + c] / weight : 0;
        shift[c] = of[c].mean;
        double reach = 2 * s.sums[2 * d + c]; /* no row is further than that from the mean */
        inverse[c] = reach > 0 && isfinite(1 / reach) ? 1 / reach : 0;
    }
    SCANT_I_TRY(take_survey(&s));
    for (size_t c = 0; c < d; c++) {
        of[c].largest = s.sums[2 * d + c];
        if (inverse[c] > 0 && of[c].weight > 0)
            of[c].deviation = sqrt(s.sums[3 * d + c] / of[c].weight) / inverse[c];
    }
done:
    scant_i_free(room);
    return status;
}

/* A constant column has no unit of its own: it takes the mean of the others', or 1. */
static double spare_unit(const scant_i_factor *factor, const spread *s)
{
    double sum = 0;
    size_t count = 0;
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (!factor->nlevels[c] && s[factor->columns[c]].largest > 0) {
            sum += s[factor->columns[c]].deviation;
            count++;
        }
    return count && sum > 0 ? sum / (double)count : 1;
}

/* Rounding in the mean alone makes a constant column spread by this share of its size. */
static bool is_constant(const spread *s)
{
    return !(s->largest > 8 * DBL_EPSILON * fabs(s->mean));
}

scant_status scant_i_mixture_standardise(scant_i_mixture *mixture, const scant_rows *rows,
                                         size_t threads)
{
    if (!rows->dense)
        return SCANT_OK; /* counts keep their own units */
    spread *s = NULL;
    scant_status status = SCANT_I_NEW(&s, rows->ncolumns);
    if (status != SCANT_OK)
        return status;
    status = column_spreads(rows, threads, s);
    for (size_t c = 0; c < rows->ncolumns; c++)
        if (is_constant(&s[c]))
            s[c].largest = 0;
    for (size_t f = 0; f < mixture->nfactors && status == SCANT_OK; f++) {
        scant_i_factor *factor = mixture->factor[f];
        double spare = spare_unit(factor, s);
        for (size_t c = 0; c < factor->ncolumns && status == SCANT_OK; c++) {
            const spread *of = &s[factor->columns[c]];
            double sd = of->largest > 0 ? of->deviation : spare;
            double least = sd * sd * fmin(factor->settings.min_variance, 1);
            factor->centre[c] = of->mean;
            factor->scale[c] = sd;
            char made[SCANT_I_MADE_NAME];
            if (!factor->nlevels[c] &&
                (!isfinite(of->mean) || !isfinite(sd * sd) || !(least > DBL_MIN)))
                status =
                    scant_i_fail(SCANT_ERR_INPUT,
                                 "column %s: values around %g that spread by %g have no variance a "
                                 "double can hold; "
                                 "rescale the column",
                                 scant_i_column_name(rows, factor->columns[c], made), of->mean, sd);
        }
    }
    scant_i_free(s);
    return status;
}
