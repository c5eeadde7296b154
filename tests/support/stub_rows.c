/* Stands in for src/data/rows.c until that is merged; then drop this file. */
#include "data/rows.h"

#include <stdarg.h>
#include <stdio.h>

scant_status scant_i_fail_cell(const scant_rows *rows, size_t row, size_t column,
                               const char *format, ...)
{
    char text[200];
    va_list arguments;
    (void)rows;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scant_i_fail(SCANT_ERR_INPUT, "row %zu, column x%zu: %s", row + 1, column + 1, text);
}
