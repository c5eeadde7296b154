#include "parts/part.h"

#include <string.h>

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
