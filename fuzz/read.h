/* What the targets share: bytes to rows, by one reader, and looking at what came out. */
#ifndef SCANT_F_READ_H
#define SCANT_F_READ_H

#include <stdlib.h>
#include <string.h>
#include "data/rows.h"
#include "io/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static inline scant_rows *read_rows(const uint8_t *data, size_t n,
                                    const scant_i_file_format *format,
                                    const scant_read_options *options)
{
    scant_i_source *source = NULL;
    scant_rows *rows = NULL;
    if (scant_i_source_memory(&source, data, n, "fuzz") == SCANT_OK) {
        scant_status status = scant_i_rows_read_source(&rows, source, format, options);
        if ((status == SCANT_OK) != (rows != NULL) || (status != SCANT_OK && !*scant_message()) ||
            status == SCANT_ERR_INTERNAL)
            abort();
    }
    scant_i_source_free(source);
    return rows;
}

/* Every cell may be looked at, and is finite or NaN; levels and labels are in range. */
static inline void look_at(const scant_rows *rows)
{
    size_t cells = rows->dense ? rows->nrows * rows->ncolumns : rows->sparse.start[rows->nrows];
    const double *x = rows->dense ? rows->dense : rows->sparse.value;
    if (rows->nrows == 0 || rows->ncolumns == 0)
        abort();
    for (size_t k = 0; k < cells; k++)
        if (__builtin_isinf(x[k]))
            abort();
    for (size_t i = 0; i < rows->nrows; i++) {
        if (rows->labels.code &&
            (rows->labels.code[i] < -1 ||
             rows->labels.code[i] >= (int32_t)(rows->labels.nclasses + rows->labels.nsoft)))
            abort();
        for (size_t j = 0; rows->columns && rows->dense && j < rows->ncolumns; j++) {
            double value = rows->dense[i * rows->ncolumns + j];
            if (rows->columns[j].kind == SCANT_I_CATEGORY && value == value &&
                !(value >= 0 && value < (double)rows->columns[j].nlevels))
                abort();
        }
        for (size_t k = rows->dense ? 0 : rows->sparse.start[i];
             !rows->dense && k < rows->sparse.start[i + 1]; k++)
            if (rows->sparse.column[k] < 0 || (size_t)rows->sparse.column[k] >= rows->ncolumns)
                abort();
        (void)scant_i_rows_line(rows, i);
        if (rows->id && strlen(rows->id[i]) > (size_t)1 << 40)
            abort();
    }
}

#endif
