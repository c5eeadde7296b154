/* See survey.h. A tile's answer, in numbers:
 *   missing, entries of sparse rows, rows without any | rows of each entry of evidence | weight of each
 *   | FIELDS of each column, or of sparse rows how many list it */
#include "latent/survey.h"

#include <math.h>
#include <string.h>

#include "latent/kernels.h"
#include "math/kernels.h"
#include "math/linear.h"
#include "parts/tally.h"
#include "parts/tiles.h"

enum { MISSING, ENTRIES, EMPTY, HEAD };
enum { ROWS, WEIGHT, MEAN, DEVIATION, LEAST, MOST, FIELDS };
enum {
    BLOCK_CELLS = 1 << 13,
    BLOCK_LEAST = 32 /* rows: merging costs about as much as some rows */
};

typedef struct asked {
    const scant_i_evidence *evidence; /* or NULL */
    size_t nentries, ncolumns, nlisted;
} asked;

static size_t length_of(const asked *a)
{
    return HEAD + 2 * a->nentries + FIELDS * a->ncolumns + a->nlisted;
}

/* --- columns --- */

/* The root of the sum of squares, without squares that overflow or vanish. */
static double root_of(double x, double wx, double y, double wy, double z, double wz)
{
    double top = fmax(fmax(x, y), z);
    if (!(top > 0))
        return top;
    x /= top;
    y /= top;
    z /= top;
    return top * sqrt(wx * x * x + wy * y * y + wz * z * z);
}

/* The columns of two sets of rows become those of both:
 *   mean      = p m_a + q m_b                          p, q the shares of weight
 *   variance  = p s_a^2 + q s_b^2 + p q (m_b - m_a)^2 */
static void merge_columns(double *restrict a, const double *restrict b, size_t d)
{
    for (size_t c = 0; c < d; c++) {
        double *x = a + c;
        const double *y = b + c;
        if (!(y[WEIGHT * d] > 0))
            continue;
        if (!(x[WEIGHT * d] > 0)) {
            for (size_t f = 0; f < FIELDS; f++)
                x[f * d] = y[f * d];
            continue;
        }
        double weight = x[WEIGHT * d] + y[WEIGHT * d], q = y[WEIGHT * d] / weight, p = 1 - q;
        double step = y[MEAN * d] - x[MEAN * d];
        x[DEVIATION * d] = root_of(x[DEVIATION * d], p, y[DEVIATION * d], q, fabs(step), p * q);
        x[MEAN * d] += q * step;
        x[ROWS * d] += y[ROWS * d];
        x[WEIGHT * d] = weight;
        x[LEAST * d] = fmin(x[LEAST * d], y[LEAST * d]);
        x[MOST * d] = fmax(x[MOST * d], y[MOST * d]);
    }
}

/* What sums are measured from, and in: a first value and then the mean, and 1 / range. */
typedef struct measure {
    double *from, *sum, *inverse; /* one a column */
} measure;

static double weight_at(const scant_i_batch *batch, size_t i)
{
    return batch->weight ? batch->weight[i] : 1;
}

static double first_value(const scant_i_batch *batch, size_t first, size_t end, size_t c)
{
    for (size_t i = first; i < end; i++)
        if (weight_at(batch, i) > 0 && !isnan(batch->dense[i * batch->ncolumns + c]))
            return batch->dense[i * batch->ncolumns + c];
    return 0;
}

/* Columns of the rows from `first` on, which the cache holds for a second look. Returns the rows of weight. */
static size_t survey_block(const scant_i_batch *batch, size_t first, size_t end, double *block,
                           const measure *m)
{
    size_t d = batch->ncolumns, n = 0;
    memset(block, 0, FIELDS * d * sizeof *block);
    memset(m->sum, 0, d * sizeof *m->sum);
    for (size_t c = 0; c < d; c++) {
        m->from[c] = first_value(batch, first, end, c);
        block[LEAST * d + c] = INFINITY;
        block[MOST * d + c] = -INFINITY;
    }
    const scant_i_latent_kernels *kernels = scant_i_latent_kernels_now();
    const scant_i_cell_sums sums = {block + ROWS * d, block + WEIGHT * d, m->sum, block + LEAST * d,
                                    block + MOST * d};
    for (size_t i = first; i < end; i++)
        if (weight_at(batch, i) > 0) {
            kernels->survey_cells(&sums, batch->dense + i * d, weight_at(batch, i), m->from, d);
            n++;
        }

    for (size_t c = 0; c < d; c++) {
        double weight = block[WEIGHT * d + c], range = block[MOST * d + c] - block[LEAST * d + c];
        block[MEAN * d + c] = weight > 0 ? m->from[c] + m->sum[c] / weight : 0;
        m->from[c] = block[MEAN * d + c];
        m->inverse[c] = weight > 0 && range > 0 && isfinite(1 / range) ? 1 / range : 0;
        m->sum[c] = 0;
    }
    for (size_t i = first; i < end; i++)
        if (weight_at(batch, i) > 0)
            kernels->survey_squares(m->sum, batch->dense + i * d, weight_at(batch, i), m->from,
                                    m->inverse, d);
    for (size_t c = 0; c < d; c++)
        if (m->inverse[c] > 0)
            block[DEVIATION * d + c] = sqrt(m->sum[c] / block[WEIGHT * d + c]) / m->inverse[c];
    return n;
}

/* Are cells missing? Rows without weight are looked at, too: passes meet them. */
static bool any_missing(const scant_i_batch *batch, size_t first, size_t end, const double *block,
                        size_t weighed)
{
    size_t d = batch->ncolumns;
    for (size_t c = 0; c < d; c++)
        if (block[ROWS * d + c] < (double)weighed)
            return true;
    for (size_t i = first; i < end && weighed < end - first; i++)
        if (!(weight_at(batch, i) > 0) &&
            scant_i_kernels_now()->any_missing(batch->dense + i * d, d))
            return true;
    return false;
}

static scant_status survey_columns(const scant_i_batch *batch, size_t first, size_t end,
                                   double *head, double *columns)
{
    scant_status status = SCANT_OK;
    size_t d = batch->ncolumns, step = scant_i_max(BLOCK_LEAST, BLOCK_CELLS / d);
    double *block = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&block, (FIELDS + 3) * d));
    measure m = {block + FIELDS * d, block + (FIELDS + 1) * d, block + (FIELDS + 2) * d};
    for (size_t i = first; i < end; i += step) {
        size_t next = scant_i_min(end, i + step), weighed = survey_block(batch, i, next, block, &m);
        merge_columns(columns, block, d);
        if (head[MISSING] == 0 && any_missing(batch, i, next, block, weighed))
            head[MISSING] = 1;
    }
done:
    scant_i_free(block);
    return status;
}

/* --- a tile --- */

static void survey_entries(const asked *a, const scant_i_batch *batch, size_t first, size_t end,
                           double *rows, double *weight)
{
    bool unknown = !a->evidence || !batch->code;
    size_t all = a->evidence ? scant_i_evidence_entry_of(a->evidence, -1) : 0;
    if (unknown && !batch->weight) {
        rows[all] = weight[all] = (double)(end - first);
        return;
    }
    for (size_t i = first; i < end; i++) {
        size_t entry = unknown ? all : scant_i_evidence_entry_of(a->evidence, batch->code[i]);
        double w = weight_at(batch, i);
        rows[entry] += w > 0;
        weight[entry] += w;
    }
}

/* Rows of weight by the columns that they list. */
static void survey_lists(const scant_i_batch *batch, size_t first, size_t end, double *empty,
                         double *listed)
{
    for (size_t i = first; i < end; i++) {
        const int32_t *column = batch->sparse.column + scant_i_batch_start(batch, i);
        size_t n = weight_at(batch, i) > 0 ? scant_i_batch_count(batch, i) : 0;
        for (size_t e = 0; e < n; e++)
            listed[column[e]]++;
        *empty += weight_at(batch, i) > 0 && n == 0;
    }
}

static scant_status survey_tile(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                                const void *payload)
{
    const asked *a = payload;
    double *rows = sums + HEAD, *weight = rows + a->nentries, *columns = weight + a->nentries;
    survey_entries(a, batch, first, end, rows, weight);
    if (a->ncolumns)
        return survey_columns(batch, first, end, sums, columns);
    if (batch->dense) {
        size_t d = batch->ncolumns;
        sums[MISSING] =
            scant_i_kernels_now()->any_missing(batch->dense + first * d, (end - first) * d);
        return SCANT_OK;
    }

    size_t from = scant_i_batch_start(batch, first), n = scant_i_batch_start(batch, end) - from;
    const double *value =
        batch->sparse.value; /* none: votes, and entries that are there are there */
    sums[ENTRIES] = (double)n;
    sums[MISSING] = value && scant_i_kernels_now()->any_missing(value + from, n);
    if (a->nlisted)
        survey_lists(batch, first, end, &sums[EMPTY], columns);
    return SCANT_OK;
}

static void merge(double *restrict sum, const double *restrict more, size_t length,
                  const void *payload)
{
    const asked *a = payload;
    size_t plain = length - FIELDS * a->ncolumns;
    for (size_t s = 0; s < plain; s++)
        sum[s] += more[s];
    merge_columns(sum + plain, more + plain, a->ncolumns);
}

/* --- the question --- */

static scant_status read_sums(scant_i_survey *out, const asked *a, const double *sums)
{
    scant_status status = SCANT_OK;
    size_t E = a->nentries, d = a->ncolumns;
    const double *column = sums + HEAD + 2 * E;
    out->missing = sums[MISSING] > 0;
    out->counts.entries = (size_t)sums[ENTRIES];
    out->empty = sums[EMPTY];
    SCANT_I_TRY(SCANT_I_NEW(&out->rows, E));
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, E));
    SCANT_I_TRY(SCANT_I_NEW(&out->column, d));
    SCANT_I_TRY(SCANT_I_NEW(&out->listed, a->nlisted));
    out->nentries = E;
    out->ncolumns = d;
    memcpy(out->rows, sums + HEAD, E * sizeof *out->rows);
    memcpy(out->weight, sums + HEAD + E, E * sizeof *out->weight);
    if (a->evidence)
        out->weight[scant_i_evidence_entry_of(a->evidence, -1)] *= a->evidence->unlabelled_weight;
    for (size_t c = 0; c < d; c++)
        out->column[c] = (scant_i_column_survey){column[ROWS * d + c],  column[WEIGHT * d + c],
                                                 column[MEAN * d + c],  column[DEVIATION * d + c],
                                                 column[LEAST * d + c], column[MOST * d + c]};
    for (size_t c = 0; c < a->nlisted; c++)
        out->listed[c] = column[c];
done:
    return status;
}

scant_status scant_i_survey_new(scant_i_survey *out, const scant_rows *rows,
                                const scant_i_evidence *evidence, scant_i_survey_of what,
                                size_t threads)
{
    scant_status status = SCANT_OK;
    asked a = {.evidence = evidence, .nentries = evidence ? evidence->nentries : 1};
    double *sums = NULL;
    *out = (scant_i_survey){.counts = {rows->nrows, !rows->dense, 0}};
    a.ncolumns = what == SCANT_I_COLUMNS && rows->dense ? rows->ncolumns : 0;
    a.nlisted = what == SCANT_I_LISTS && !rows->dense ? rows->ncolumns : 0;
    scant_i_tiles tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = rows->nrows, .nstatistics = length_of(&a), .stride = 1});
    scant_i_tally tally = {tiles, length_of(&a), survey_tile, merge, &a};

    SCANT_I_TRY(SCANT_I_NEW(&sums, tally.length));
    SCANT_I_TRY(scant_i_tally_ask(sums, &tally, rows, evidence ? evidence->code : NULL,
                                  evidence ? evidence->weight : rows->weight, threads));
    SCANT_I_TRY(read_sums(out, &a, sums));
done:
    if (status != SCANT_OK)
        scant_i_survey_clear(out);
    scant_i_free(sums);
    return status;
}

void scant_i_survey_clear(scant_i_survey *survey)
{
    scant_i_free(survey->column);
    scant_i_free(survey->listed);
    scant_i_free(survey->rows);
    scant_i_free(survey->weight);
    *survey = (scant_i_survey){0};
}

double scant_i_survey_total_rows(const scant_i_survey *survey)
{
    return scant_i_sum(survey->rows, survey->nentries);
}

double scant_i_survey_total_weight(const scant_i_survey *survey)
{
    return scant_i_sum(survey->weight, survey->nentries);
}

double scant_i_survey_reach(const scant_i_column_survey *column)
{
    return column->rows > 0 ? fmax(column->most - column->mean, column->mean - column->least) : 0;
}
