#include "latent/embedding.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

enum { WHITEN_MAX = 200 }; /* coordinates; beyond that the factor costs more than it brings */

static scant_status count_coordinates(scant_i_embedding *e, const scant_i_mixture *mixture)
{
    for (size_t f = 0; f < mixture->nfactors; f++)
        for (size_t c = 0; c < mixture->factor[f]->ncolumns; c++)
            e->ndim += scant_i_max(1, mixture->factor[f]->nlevels[c]);
    return SCANT_OK;
}

static void fill_coordinates(scant_i_embedding *e, const scant_i_mixture *mixture)
{
    size_t at = 0;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        for (size_t c = 0; c < factor->ncolumns; c++) {
            size_t levels = factor->nlevels[c];
            for (size_t l = 0; l < scant_i_max(1, levels); l++, at++) {
                e->column[at] = factor->columns[c];
                e->level[at] = levels ? (double)l : -1;
                e->centre[at] = levels ? 0 : factor->centre[c];
                e->inverse[at] = levels ? 1 : 1 / factor->scale[c];
            }
        }
    }
}

scant_status scant_i_embedding_new(scant_i_embedding *out, bool sparse, size_t ncolumns,
                                   const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_embedding){.sparse = sparse};
    if (sparse) {
        out->ndim = ncolumns;
        return SCANT_OK;
    }
    SCANT_I_TRY(count_coordinates(out, mixture));
    SCANT_I_TRY(SCANT_I_NEW(&out->column, out->ndim));
    SCANT_I_TRY(SCANT_I_NEW(&out->level, out->ndim));
    SCANT_I_TRY(SCANT_I_NEW(&out->centre, out->ndim));
    SCANT_I_TRY(SCANT_I_NEW(&out->inverse, out->ndim));
    fill_coordinates(out, mixture);
    out->plain = out->ndim == ncolumns;
    for (size_t c = 0; c < out->ndim; c++)
        out->plain &= out->column[c] == c && out->level[c] < 0;
done:
    if (status != SCANT_OK)
        scant_i_embedding_clear(out);
    return status;
}

void scant_i_embedding_clear(scant_i_embedding *embedding)
{
    scant_i_free(embedding->column);
    scant_i_free(embedding->level);
    scant_i_free(embedding->centre);
    scant_i_free(embedding->inverse);
    scant_i_free(embedding->whitener);
    *embedding = (scant_i_embedding){0};
}

/* NaN where missing; whitened points have missing coordinates at the mean */
static void embed(const scant_i_embedding *e, const scant_i_batch *batch, size_t i, double *point)
{
    const double *x = batch->dense + i * batch->ncolumns;
    if (e->plain)
        scant_i_kernels_now()->standardize(point, x, e->centre, e->inverse, e->ndim);
    for (size_t c = 0; c < e->ndim && !e->plain; c++) {
        double cell = x[e->column[c]];
        point[c] = isnan(cell)        ? NAN
                   : e->level[c] >= 0 ? (cell == e->level[c] ? 1 : 0)
                                      : (cell - e->centre[c]) * e->inverse[c];
    }
    if (e->whitener) {
        for (size_t c = 0; c < e->ndim; c++)
            point[c] = isnan(point[c]) ? 0 : point[c];
        scant_i_forward_solve(e->whitener, e->ndim, point);
    }
}

scant_status scant_i_embedding_whiten(scant_i_embedding *e, const scant_i_sample *sample)
{
    scant_status status = SCANT_OK;
    size_t d = e->ndim, n = sample->n;
    double *S = NULL, *mean = NULL, *point = NULL;
    if (e->sparse || d < 2 || d > WHITEN_MAX || n <= d)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&S, d * d));
    SCANT_I_TRY(SCANT_I_NEW(&mean, d));
    SCANT_I_TRY(SCANT_I_NEW(&point, d));
    for (int second = 0; second < 2; second++)
        for (size_t i = 0; i < n; i++) {
            embed(e, &sample->batch, sample->place[i], point);
            for (size_t a = 0; a < d; a++)
                point[a] = isnan(point[a]) ? 0 : point[a] - (second ? mean[a] : 0);
            for (size_t a = 0; a < d && !second; a++)
                mean[a] += point[a] / (double)n;
            for (size_t a = 0; a < d && second; a++)
                for (size_t b = 0; b <= a; b++)
                    S[a * d + b] += point[a] * point[b] / (double)n;
        }
    for (size_t a = 0; a < d; a++) {
        S[a * d + a] += 1e-6; /* collinear columns: stretch them by at most a thousand */
        for (size_t b = 0; b < a; b++)
            S[b * d + a] = S[a * d + b];
    }
    if (scant_i_cholesky(S, d)) {
        e->whitener = S;
        S = NULL;
    }
done:
    scant_i_free(S);
    scant_i_free(mean);
    scant_i_free(point);
    return status;
}

static double sparse_norm(const double *value, size_t n)
{
    double sum = 0;
    for (size_t s = 0; s < n; s++)
        sum += value[s] * value[s];
    return sum > 0 ? 1 / sqrt(sum) : 0;
}

/* |x - c|^2 = |x|^2 - 2 x.c + |c|^2 with |x| = 1 */
static void sparse_distances(const scant_i_embedding *e, const scant_i_batch *batch, size_t i,
                             const double *centres, size_t M, double *square)
{
    size_t first = scant_i_batch_start(batch, i), n = scant_i_batch_count(batch, i);
    const double *value = batch->sparse.value + first;
    const int32_t *column = batch->sparse.column + first;
    double norm = sparse_norm(value, n);
    for (size_t j = 0; j < M; j++) {
        const double *centre = centres + j * (e->ndim + 1);
        double dot = 0;
        for (size_t s = 0; s < n; s++)
            dot += value[s] * norm * centre[column[s]];
        square[j] = fmax(1 - 2 * dot + centre[e->ndim], 0);
    }
}

/* As if the missing coordinates were as far apart as the others are on average. */
static double partial_distance(const double *point, const double *centre, size_t n)
{
    double sum = 0;
    size_t present = 0;
    for (size_t c = 0; c < n; c++)
        if (!isnan(point[c])) {
            sum += (point[c] - centre[c]) * (point[c] - centre[c]);
            present++;
        }
    return present ? sum * (double)n / (double)present : 0;
}

void scant_i_embedding_distances(const scant_i_embedding *e, const scant_i_batch *batch, size_t i,
                                 const double *centres, size_t M, double *square, double *point)
{
    if (e->sparse) {
        sparse_distances(e, batch, i, centres, M, square);
        return;
    }
    embed(e, batch, i, point);
    for (size_t j = 0; j < M; j++) {
        const double *centre = centres + j * (e->ndim + 1);
        square[j] = scant_i_kernels_now()->squared_distance(point, centre, e->ndim);
        if (isnan(square[j]))
            square[j] = partial_distance(point, centre, e->ndim);
    }
}

double scant_i_embedding_project(const scant_i_embedding *e, const scant_i_batch *batch, size_t i,
                                 const double *direction, double *point)
{
    double sum = 0;
    embed(e, batch, i, point);
    for (size_t c = 0; c < e->ndim; c++)
        sum += isnan(point[c]) ? 0 : direction[c] * point[c];
    return sum;
}

void scant_i_embedding_add(const scant_i_embedding *e, const scant_i_batch *batch, size_t i,
                           double w, double *sum, double *count, double *point)
{
    if (!e->sparse) {
        embed(e, batch, i, point);
        for (size_t c = 0; c < e->ndim; c++)
            if (!isnan(point[c])) {
                sum[c] += w * point[c];
                count[c] += w;
            }
        return;
    }
    size_t first = scant_i_batch_start(batch, i), n = scant_i_batch_count(batch, i);
    const double *value = batch->sparse.value + first;
    double norm = sparse_norm(value, n);
    for (size_t s = 0; s < n; s++)
        sum[batch->sparse.column[first + s]] += w * value[s] * norm;
    count[0] += w;
}
