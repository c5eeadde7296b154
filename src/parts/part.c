#include "parts/part.h"

#include <string.h>

#include "parts/ask.h"

scant_i_part scant_i_part_of_all(const scant_rows *rows, const int32_t *code, const double *weight)
{
    scant_i_part part = {.rows = rows, .tiles_end = rows->nrows, .batch = scant_i_batch_all(rows)};
    part.batch.code = code;
    part.batch.weight = weight;
    return part;
}

scant_status scant_i_part_new(scant_i_part *out, const scant_rows *rows, const int32_t *code,
                              const double *weight, size_t first, size_t end)
{
    scant_status status = SCANT_OK;
    size_t n = end - first, *index = NULL;
    *out = (scant_i_part){.tiles_first = first, .tiles_end = end};
    SCANT_I_TRY(SCANT_I_NEW(&index, n));
    for (size_t i = 0; i < n; i++)
        index[i] = first + i;
    SCANT_I_TRY(scant_rows_subset(&out->owned, rows, index, n));
    if (code) {
        SCANT_I_TRY(SCANT_I_NEW(&out->code, n));
        memcpy(out->code, code + first, n * sizeof *code);
    }
    if (weight) {
        SCANT_I_TRY(SCANT_I_NEW(&out->weight, n));
        memcpy(out->weight, weight + first, n * sizeof *weight);
    }

    out->rows = out->owned;
    out->batch = scant_i_batch_all(out->rows);
    out->batch.first = first;
    out->batch.code = out->code;
    out->batch.weight = out->weight;
done:
    if (status != SCANT_OK)
        scant_i_part_clear(out);
    scant_i_free(index);
    return status;
}

void scant_i_part_clear(scant_i_part *part)
{
    scant_rows_free(part->owned);
    scant_i_free(part->code);
    scant_i_free(part->weight);
    *part = (scant_i_part){0};
}

/* Where the tiles of part p begin. */
static size_t begin_of(const scant_rows *rows, size_t log2, size_t p)
{
    const scant_i_carrier *carrier = rows->carrier;
    size_t n = rows->nrows;
    if (p == 0 || p >= carrier->nparts)
        return p ? n : 0;
    size_t row = scant_i_min(n, (size_t)(carrier->cut[p - 1] * (double)n));
    return scant_i_min(n, scant_i_round_up(row, (size_t)1 << log2));
}

/* The first row from `row` on that a sequence begins at. */
static size_t next_begin(const scant_i_batch *all, scant_i_begins begins, size_t row)
{
    while (begins && row < all->nrows && !begins(all, row))
        row++;
    return row;
}

scant_status scant_i_parts_new(scant_i_part **out, size_t *nparts, const scant_rows *rows,
                               const int32_t *code, const double *weight, size_t log2,
                               scant_i_begins begins)
{
    scant_status status = SCANT_OK;
    scant_i_part all = scant_i_part_of_all(rows, code, weight);
    *nparts = rows->carrier ? rows->carrier->nparts : 1;
    SCANT_I_TRY(SCANT_I_NEW(out, *nparts));
    if (!rows->carrier) {
        (*out)[0] = all;
        return SCANT_OK;
    }
    for (size_t p = 0; p < *nparts; p++) {
        size_t first = begin_of(rows, log2, p), end = begin_of(rows, log2, p + 1);
        SCANT_I_TRY(scant_i_part_new(&(*out)[p], rows, code, weight,
                                     next_begin(&all.batch, begins, first),
                                     next_begin(&all.batch, begins, end)));
        (*out)[p].tiles_first = first;
        (*out)[p].tiles_end = end;
    }
done:
    return status;
}

void scant_i_parts_free(scant_i_part *part, size_t nparts)
{
    for (size_t p = 0; part && p < nparts; p++)
        scant_i_part_clear(&part[p]);
    scant_i_free(part);
}
