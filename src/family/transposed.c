/* A counting sort by column: one walk over the rows counts the entries of each column, a second one
 * puts them in their places. Entries that are one go before the others of their column, and need no
 * value; within each kind rows ascend.
 *
 * Why two forms: in the M-step columns add up rows of R, in the E-step rows add up rows of the
 * table, so either keeps its sum in registers. But the table is larger than the cache. Its rows for
 * rare columns, which would come from memory for nearly every entry, are better fetched once and
 * added to the few rows of L that want them; those for common columns are in the cache.
 *
 * Rare columns with as many entries as each other stand together: loops over them then end where
 * the processor expects it. Cost: two walks over the entries and three over the columns. */
#include "family/transposed.h"

#include "family/pass.h"

enum {
    TABLE_GOAL = 1 << 20, /* bytes */
    ROWS_MOST = UINT16_MAX,
    RARE_ONES = 12, /* a rare column has fewer ones and fewer others */
    RARE_OTHERS = 3,
    COMMON = RARE_ONES * RARE_OTHERS, /* the class of common columns; rare ones have one for each
                                         length, of which 0 is that without entries */
};

enum { ONE, OTHER };
/* What is known of each column, in tables apart: every entry looks a column up, and small tables stay
 * in the cache. */
typedef struct tally {
    uint32_t count[2]; /* entries of a column that are one, and others */
} tally;
typedef struct places {
    uint32_t next[2]; /* where a column's next entry goes */
    uint32_t value;   /* where its next value goes */
} places;
typedef struct census {
    tally *count;
    places *place;
    uint8_t *common;
} census;

size_t scant_i_transposed_rows(const scant_i_factor *factor)
{
    size_t rows = TABLE_GOAL / (factor->stride * sizeof(double));
    return scant_i_min(ROWS_MOST, scant_i_max(rows, 1));
}

/* Are enough entries one that rows without their values are worth a copy? */
static bool wants_rows(size_t entries, size_t others)
{
    return others <= entries / 2;
}

static size_t bytes_of(size_t nrows, size_t entries, size_t others, size_t runs)
{
    size_t bytes = sizeof(scant_i_transposed) + others * sizeof(double) +
                   runs * sizeof(scant_i_sparse_run) + entries * sizeof(uint16_t);
    if (wants_rows(entries, others))
        bytes += (others + 1) * sizeof(double) + (entries + 2) * sizeof(int32_t) +
                 2 * (nrows + 1) * sizeof(uint32_t);
    return bytes;
}

size_t scant_i_transposed_bytes(const scant_i_factor *factor, const scant_i_block *block)
{
    size_t entries = 0, others = 0; /* in all columns */
    if (block->batch->dense || block->present || block->nrows > ROWS_MOST)
        return 0;
    for (size_t i = 0; i < block->nrows; i++) {
        size_t row = scant_i_block_place(block, i);
        const double *value = block->batch->sparse.value + scant_i_batch_start(block->batch, row);
        size_t n = scant_i_batch_count(block->batch, row);
        entries += n;
        for (size_t k = 0; k < n; k++)
            others += value[k] != 1;
    }
    if (entries >= UINT32_MAX)
        return 0;
    return bytes_of(block->nrows, entries, others, scant_i_min(entries, factor->ncolumns));
}

static size_t class_of(const tally *t)
{
    bool rare = t->count[ONE] < RARE_ONES && t->count[OTHER] < RARE_OTHERS;
    return rare ? t->count[OTHER] * RARE_ONES + t->count[ONE] : COMMON;
}

/* Runs of the columns that have entries, by class and then by column, and the columns' places. */
static void order_runs(scant_i_transposed *transposed, const census *of, size_t d)
{
    const tally *t = of->count;
    scant_i_sparse_columns *x = &transposed->columns;
    size_t at[COMMON + 2] = {0}; /* of each class, where its next run goes */
    uint32_t entry = 0, value = 0;
    for (size_t c = 0; c < d; c++)
        at[class_of(&t[c]) + 1]++;
    at[1] = 0; /* class 0 has no runs */
    for (size_t k = 1; k <= COMMON; k++)
        at[k + 1] += at[k];
    transposed->nrare = at[COMMON];
    for (size_t c = 0; c < d; c++) {
        size_t class = class_of(&t[c]);
        of->common[c] = class == COMMON;
        if (class > 0)
            x->run[at[class]++] =
                (scant_i_sparse_run){(int32_t)c, t[c].count[ONE], t[c].count[OTHER]};
    }
    for (size_t r = 0; r < x->nruns; r++) {
        const scant_i_sparse_run *run = &x->run[r];
        of->place[run->column] = (places){{entry, entry + run->ones}, value};
        entry += run->ones + run->others;
        value += run->others;
    }
}

static void place_in_columns(scant_i_sparse_columns *x, places *place,
                             const scant_i_sparse_row *row, size_t i)
{
    for (size_t k = 0; k < row->n; k++) {
        places *at = place + row->index[k];
        size_t kind = row->value[k] != 1;
        x->row[at->next[kind]++] = (uint16_t)i;
        if (kind == OTHER)
            x->value[at->value++] = row->value[k];
    }
}

/* Writes each entry to either list and then goes on in the right one, if any: nothing to forecast.
 */
static void place_in_row(scant_i_sparse_rows *x, const uint8_t *is_common,
                         const scant_i_sparse_row *row, size_t i)
{
    uint32_t one = x->one_start[i], other = x->other_start[i];
    for (size_t k = 0; k < row->n; k++) {
        uint32_t common = is_common[row->index[k]], kind = row->value[k] != 1;
        x->one[one] = row->index[k];
        x->other[other] = row->index[k];
        x->value[other] = row->value[k];
        one += common & (kind ^ 1);
        other += common & kind;
    }
    x->one_start[i + 1] = one;
    x->other_start[i + 1] = other;
}

static scant_status make_room(scant_i_transposed *transposed, const tally *t, size_t d,
                              size_t nrows)
{
    scant_status status = SCANT_OK;
    scant_i_sparse_columns *columns = &transposed->columns;
    scant_i_sparse_rows *rows = &transposed->rows;
    size_t count[2] = {0}, common[2] = {0};
    for (size_t c = 0; c < d; c++) {
        bool is_common = class_of(&t[c]) == COMMON;
        for (size_t kind = ONE; kind <= OTHER; kind++) {
            count[kind] += t[c].count[kind];
            common[kind] += is_common ? t[c].count[kind] : 0;
        }
        columns->nruns += class_of(&t[c]) > 0;
    }
    size_t entries = count[ONE] + count[OTHER];
    SCANT_I_TRY(SCANT_I_NEW(&columns->run, columns->nruns));
    SCANT_I_TRY(SCANT_I_NEW(&columns->row, entries));
    SCANT_I_TRY(SCANT_I_NEW(&columns->value, count[OTHER]));
    if (wants_rows(entries, count[OTHER])) {
        SCANT_I_TRY(SCANT_I_NEW(&rows->one_start, nrows + 1));
        SCANT_I_TRY(SCANT_I_NEW(&rows->other_start, nrows + 1));
        SCANT_I_TRY(SCANT_I_NEW(&rows->one, common[ONE] + 1));
        SCANT_I_TRY(SCANT_I_NEW(&rows->other, common[OTHER] + 1));
        SCANT_I_TRY(SCANT_I_NEW(&rows->value, common[OTHER] + 1));
    }
done:
    return status;
}

scant_status scant_i_transposed_new(scant_i_transposed **out, const scant_i_factor *factor,
                                    const scant_i_block *block)
{
    scant_status status = SCANT_OK;
    scant_i_transposed *transposed = NULL;
    census of = {0};
    scant_i_view *view = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&transposed, 1));
    SCANT_I_TRY(SCANT_I_NEW(&of.count, factor->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&of.place, factor->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&of.common, factor->ncolumns));
    SCANT_I_TRY(scant_i_new(&view, 1, scant_i_view_bytes(factor)));
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(view, factor, block, i);
        for (size_t k = 0; k < row.n; k++)
            of.count[row.index[k]].count[row.value[k] != 1]++;
    }
    SCANT_I_TRY(make_room(transposed, of.count, factor->ncolumns, block->nrows));
    order_runs(transposed, &of, factor->ncolumns);
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(view, factor, block, i);
        place_in_columns(&transposed->columns, of.place, &row, i);
        if (transposed->rows.one_start)
            place_in_row(&transposed->rows, of.common, &row, i);
    }
    *out = transposed;
    transposed = NULL;
done:
    scant_i_free(view);
    scant_i_free(of.count);
    scant_i_free(of.place);
    scant_i_free(of.common);
    scant_i_transposed_free(transposed);
    return status;
}

void scant_i_transposed_free(scant_i_transposed *transposed)
{
    if (!transposed)
        return;
    scant_i_free(transposed->columns.run);
    scant_i_free(transposed->columns.row);
    scant_i_free(transposed->columns.value);
    scant_i_free(transposed->rows.one_start);
    scant_i_free(transposed->rows.other_start);
    scant_i_free(transposed->rows.one);
    scant_i_free(transposed->rows.other);
    scant_i_free(transposed->rows.value);
    scant_i_free(transposed);
}
