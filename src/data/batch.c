/* Batches, and messages about rows. */
#include "data/batch.h"

#include <stdarg.h>
#include <stdio.h>

#include "data/rows.h"

static scant_i_batch_header header_of(const scant_rows *rows)
{
    return (scant_i_batch_header){rows->source, rows->columns, rows->labels.column,
                                  rows->labels.field};
}

scant_i_batch scant_i_batch_of(const scant_rows *rows, size_t first, size_t n)
{
    scant_i_batch batch = {
        .header = header_of(rows),
        .nrows = n,
        .ncolumns = rows->ncolumns,
        .first = first,
        .dense = rows->dense ? rows->dense + first * rows->ncolumns : NULL,
        .weight = rows->weight ? rows->weight + first : NULL,
        .code = rows->labels.code ? rows->labels.code + first : NULL,
        .sequence = rows->sequential ? rows->group + first : NULL,
        .first_line = rows->first_line + first,
        .line = rows->line ? rows->line + first : NULL,
    };
    if (rows->dense)
        return batch;
    const scant_i_csr *csr = &rows->sparse;
    size_t offset = csr->start[first];
    batch.sparse = (scant_i_batch_sparse){csr->start + first, offset, csr->column + offset,
                                          csr->value ? csr->value + offset : NULL};
    return batch;
}

scant_i_batch scant_i_batch_all(const scant_rows *rows)
{
    return scant_i_batch_of(rows, 0, rows->nrows);
}

/* --- messages --- */

const char *scant_i_batch_column_name(const scant_i_batch_header *header, size_t column,
                                      char made[SCANT_I_MADE_NAME])
{
    if (header->columns && header->columns[column].name)
        return header->columns[column].name;
    char *digit = made + SCANT_I_MADE_NAME - 1; /* by hand: wide data ask for thousands of names */
    *digit = '\0';
    for (size_t number = column + 1; number > 0; number /= 10)
        *--digit = (char)('0' + number % 10);
    *--digit = 'x';
    return digit;
}

const char *scant_i_column_name(const scant_rows *rows, size_t column, char made[SCANT_I_MADE_NAME])
{
    const scant_i_batch_header header = header_of(rows);
    return scant_i_batch_column_name(&header, column, made);
}

static size_t field_of(const scant_i_batch_header *header, size_t column)
{
    return header->columns ? header->columns[column].field : column + 1;
}

static scant_status fail_at(const scant_i_batch *batch, size_t row, size_t field, const char *name,
                            const char *format, va_list arguments)
{
    char text[512];
    size_t line = batch->line ? batch->line[row] : batch->first_line + row;
    scant_i_words(text, sizeof text, format, arguments);
    if (!batch->header.source)
        return scant_i_fail(SCANT_ERR_INPUT, "row %zu, column %s: %s", batch->first + row + 1, name,
                            text);
    if (field == 0) /* it stands in another file, or in none */
        return scant_i_fail_at(SCANT_ERR_INPUT, batch->header.source, line, 0, "%s: %s", name,
                               text);
    return scant_i_fail_at(SCANT_ERR_INPUT, batch->header.source, line, field, "%s: %s", name,
                           text);
}

static scant_status fail_cell(const scant_i_batch *batch, size_t row, size_t column,
                              const char *format, va_list arguments)
{
    char made[SCANT_I_MADE_NAME];
    const char *name = scant_i_batch_column_name(&batch->header, column, made);
    return fail_at(batch, row, field_of(&batch->header, column), name, format, arguments);
}

scant_status scant_i_batch_fail_cell(const scant_i_batch *batch, size_t row, size_t column,
                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    scant_status status = fail_cell(batch, row, column, format, arguments);
    va_end(arguments);
    return status;
}

static scant_status fail_label(const scant_i_batch *batch, size_t row, const char *format,
                               va_list arguments)
{
    const char *name = batch->header.label ? batch->header.label : "label";
    return fail_at(batch, row, batch->header.label_field, name, format, arguments);
}

scant_status scant_i_batch_fail_label(const scant_i_batch *batch, size_t row, const char *format,
                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    scant_status status = fail_label(batch, row, format, arguments);
    va_end(arguments);
    return status;
}

/* Where messages about the rows come from: their cells are not looked at, and may not be there yet. */
static scant_i_batch place_of(const scant_rows *rows)
{
    return (scant_i_batch){
        .header = header_of(rows), .first_line = rows->first_line, .line = rows->line};
}

scant_status scant_i_fail_cell(const scant_rows *rows, size_t row, size_t column,
                               const char *format, ...)
{
    scant_i_batch batch = place_of(rows);
    va_list arguments;
    va_start(arguments, format);
    scant_status status = fail_cell(&batch, row, column, format, arguments);
    va_end(arguments);
    return status;
}

scant_status scant_i_fail_header(const scant_rows *rows, size_t column, const char *format, ...)
{
    const scant_i_batch_header header = header_of(rows);
    char text[512], made[SCANT_I_MADE_NAME];
    const char *name = scant_i_batch_column_name(&header, column, made);
    va_list arguments;
    va_start(arguments, format);
    scant_i_words(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!rows->source)
        return scant_i_fail(SCANT_ERR_INPUT, "column %s: %s", name, text);
    return scant_i_fail_at(SCANT_ERR_INPUT, rows->source, 1, field_of(&header, column), "%s: %s",
                           name, text);
}

scant_status scant_i_fail_label(const scant_rows *rows, size_t row, const char *format, ...)
{
    scant_i_batch batch = place_of(rows);
    va_list arguments;
    va_start(arguments, format);
    scant_status status = fail_label(&batch, row, format, arguments);
    va_end(arguments);
    return status;
}
