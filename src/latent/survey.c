/* See survey.h. A tile's answer, in numbers:
 *   missing, entries of sparse rows | rows of each entry of evidence | weight of each | FIELDS of each column */
#include "latent/survey.h"

#include <math.h>
#include <string.h>

#include "latent/kernels.h"
#include "latent/tiles.h"
#include "math/kernels.h"
#include "math/linear.h"
#include "parts/ask.h"
#include "parts/part.h"

enum { MISSING, ENTRIES, HEAD };
enum { ROWS, WEIGHT, MEAN, DEVIATION, LEAST, MOST, FIELDS };
enum {
    BLOCK_CELLS = 1 << 13,
    BLOCK_LEAST = 32 /* rows: merging costs about as much as some rows */
};
enum { ROWS_A_WORKER = 2000 }; /* fewer are not worth waking a thread for */

typedef struct asked {
    const scant_i_evidence *evidence; /* or NULL */
    size_t nentries, ncolumns;
    scant_i_tiles tiles;
    size_t threads;
    const scant_i_part *part; /* of all parts, in order */
} asked;

static size_t length_of(const asked *a)
{
    return HEAD + 2 * a->nentries + FIELDS * a->ncolumns;
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

/* --- tiles --- */

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

static scant_status survey_tile(const asked *a, const scant_i_batch *batch, size_t first,
                                size_t end, double *sums)
{
    double *rows = sums + HEAD, *weight = rows + a->nentries;
    survey_entries(a, batch, first, end, rows, weight);
    if (a->ncolumns)
        return survey_columns(batch, first, end, sums, weight + a->nentries);
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

typedef struct work {
    const asked *asked;
    const scant_i_batch *batch;
    scant_i_tree *tree;
} work;

static scant_status run_tile(size_t t, size_t worker, void *payload)
{
    (void)worker;
    const work *w = payload;
    size_t log2 = w->asked->tiles.log2, n = w->batch->nrows, first = t << log2;
    double *sums = scant_i_tree_take(w->tree);
    if (!sums)
        return SCANT_ERR_MEMORY;
    scant_status status =
        survey_tile(w->asked, w->batch, first, scant_i_min(n, (t + 1) << log2), sums);
    scant_i_tree_give(w->tree, 0, (w->batch->first >> log2) + t, sums);
    return status;
}

/* --- the question --- */

static scant_status new_tree(scant_i_tree **out, const asked *a)
{
    scant_status status = scant_i_tree_new(out, scant_i_tiles_count(&a->tiles), length_of(a));
    if (status == SCANT_OK)
        scant_i_tree_merge_by(*out, merge, a);
    return status;
}

static scant_status survey_part(const asked *a, const scant_i_part *part, scant_i_tree *tree)
{
    size_t n = part->batch.nrows, size = (size_t)1 << a->tiles.log2;
    size_t workers = scant_i_min(scant_i_threads(a->threads), 1 + n / ROWS_A_WORKER);
    return scant_i_parallel(workers, (n + size - 1) >> a->tiles.log2, run_tile,
                            &(work){a, &part->batch, tree});
}

static scant_status answer(const scant_i_query *question, size_t part, scant_i_take take,
                           void *taker)
{
    const asked *a = question->body;
    scant_i_tree *tree = NULL;
    scant_status status = new_tree(&tree, a);
    if (status == SCANT_OK)
        status = survey_part(a, &a->part[part], tree);
    status = scant_i_answer_sums(question, part, status, tree, take, taker);
    scant_i_tree_free(tree);
    return status;
}

static scant_status read_sums(scant_i_survey *out, const asked *a, const double *sums)
{
    scant_status status = SCANT_OK;
    size_t E = a->nentries, d = a->ncolumns;
    const double *column = sums + HEAD + 2 * E;
    out->missing = sums[MISSING] > 0;
    out->counts.entries = (size_t)sums[ENTRIES];
    SCANT_I_TRY(SCANT_I_NEW(&out->rows, E));
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, E));
    SCANT_I_TRY(SCANT_I_NEW(&out->column, d));
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
done:
    return status;
}

scant_status scant_i_survey_new(scant_i_survey *out, const scant_rows *rows,
                                const scant_i_evidence *evidence, bool columns, size_t threads)
{
    scant_status status = SCANT_OK;
    asked a = {.evidence = evidence, .threads = threads};
    scant_i_tree *tree = NULL;
    scant_i_part *part = NULL;
    double *none = NULL;
    size_t nparts = 0;
    *out = (scant_i_survey){.counts = {rows->nrows, !rows->dense, 0}};
    a.nentries = evidence ? evidence->nentries : 1;
    a.ncolumns = columns && rows->dense ? rows->ncolumns : 0;
    a.tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = rows->nrows, .nstatistics = length_of(&a), .stride = 1});
    if (rows->nrows == 0) {
        SCANT_I_TRY(SCANT_I_NEW(&none, length_of(&a)));
        SCANT_I_TRY(read_sums(out, &a, none));
        goto done;
    }

    SCANT_I_TRY(new_tree(&tree, &a));
    SCANT_I_TRY(scant_i_parts_new(&part, &nparts, rows, evidence ? evidence->code : NULL,
                                  evidence ? evidence->weight : rows->weight, a.tiles.log2, NULL));
    a.part = part;
    SCANT_I_TRY(rows->carrier ? scant_i_ask_sums(rows->carrier, tree, answer, &a)
                              : survey_part(&a, &part[0], tree));
    SCANT_I_TRY(read_sums(out, &a, scant_i_tree_root(tree)));
done:
    if (status != SCANT_OK)
        scant_i_survey_clear(out);
    scant_i_parts_free(part, nparts);
    scant_i_tree_free(tree);
    scant_i_free(none);
    return status;
}

void scant_i_survey_clear(scant_i_survey *survey)
{
    scant_i_free(survey->column);
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
