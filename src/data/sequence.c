/* Sequences: groups of consecutive rows in order, each of one weight (scant/sequence.h). */
#include "data/sequence.h"

#include <stdio.h>

/* "file:line:field: column: text", as of a cell in the column of sequences or of times. */
static scant_status fail_at_row(const scant_rows *rows, size_t row, size_t field, const char *name,
                                const char *text)
{
    if (!rows->source)
        return scant_i_fail(SCANT_ERR_INPUT, "row %zu, column %s: %s", row + 1, name, text);
    return scant_i_fail_at(SCANT_ERR_INPUT, rows->source, scant_i_rows_line(rows, row), field,
                           "%s: %s", name, text);
}

static const char *name_of(const scant_rows *rows)
{
    return rows->group_name ? rows->group_name : "sequence";
}

/* A group that goes on after another one has begun is cut in two. */
static scant_status check_whole(const scant_rows *rows)
{
    int32_t last = -1; /* the newest group: they are numbered as they appear */
    for (size_t i = 0; i < rows->nrows; i++) {
        if (rows->group[i] < last)
            return fail_at_row(rows, i, rows->group_field, name_of(rows),
                               "this sequence goes on after another one has begun; sort the rows "
                               "so that those of a sequence follow each other");
        last = rows->group[i];
    }
    return SCANT_OK;
}

static scant_status check_times(const scant_rows *rows)
{
    char text[128];
    for (size_t i = 1; i < rows->nrows && rows->time; i++) {
        if (rows->group[i] != rows->group[i - 1] || rows->time[i] > rows->time[i - 1])
            continue;
        (void)snprintf(text, sizeof text, "%.15g is not after %.15g, the time of the step before",
                       rows->time[i], rows->time[i - 1]);
        return fail_at_row(rows, i, rows->time_field, rows->time_name, text);
    }
    return SCANT_OK;
}

static scant_status check_weights(const scant_rows *rows)
{
    char text[128];
    for (size_t i = 1; i < rows->nrows && rows->weight; i++) {
        if (rows->group[i] != rows->group[i - 1] || rows->weight[i] == rows->weight[i - 1])
            continue;
        (void)snprintf(text, sizeof text,
                       "weight %.15g after %.15g: all steps of a sequence have one weight",
                       rows->weight[i], rows->weight[i - 1]);
        return fail_at_row(rows, i, rows->group_field, name_of(rows), text);
    }
    return SCANT_OK;
}

scant_status scant_i_rows_check_sequences(const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(check_whole(rows));
    SCANT_I_TRY(check_times(rows));
    SCANT_I_TRY(check_weights(rows));
done:
    return status;
}

scant_status scant_i_rows_take_sequences(scant_rows *rows, bool sequential)
{
    rows->sequential = sequential && rows->group;
    return rows->sequential ? scant_i_rows_check_sequences(rows) : SCANT_OK;
}

bool scant_i_begins_sequence(const scant_rows *rows, size_t row)
{
    return row == 0 || (rows->group && rows->group[row] != rows->group[row - 1]);
}

scant_status scant_i_find_evident(uint8_t **out, const scant_rows *rows)
{
    scant_status status = SCANT_I_NEW(out, rows->nrows);
    if (status != SCANT_OK || !rows->labels.code)
        return status;
    for (size_t i = 0, end; i < rows->nrows; i = end) {
        uint8_t some = rows->labels.code[i] >= 0;
        for (end = i + 1;
             rows->sequential && end < rows->nrows && !scant_i_begins_sequence(rows, end); end++)
            some |= rows->labels.code[end] >= 0;
        for (size_t t = i; t < end; t++)
            (*out)[t] = some;
    }
    return SCANT_OK;
}

scant_status scant_rows_set_sequences(scant_rows *rows, const size_t *lengths, size_t count)
{
    size_t total = 0;
    int32_t *group = NULL;
    for (size_t s = 0; s < count; s++) {
        if (lengths[s] == 0)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "sequence %zu has no steps", s + 1);
        if (__builtin_add_overflow(total, lengths[s], &total))
            break;
    }
    if (total != rows->nrows || count > INT32_MAX)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "the lengths of %zu sequences add up to %zu, not "
                            "to the %zu rows",
                            count, total, rows->nrows);
    scant_status status = SCANT_I_NEW(&group, rows->nrows);
    if (status != SCANT_OK)
        return status;
    for (size_t s = 0, i = 0; s < count; s++)
        for (size_t t = 0; t < lengths[s]; t++)
            group[i++] = (int32_t)s;
    scant_i_free(rows->group);
    rows->group = group;
    rows->ngroups = count;
    rows->sequential = true;
    return check_weights(rows);
}

size_t scant_rows_sequences(const scant_rows *rows)
{
    return rows->sequential ? rows->ngroups : 0;
}

size_t scant_rows_sequence(const scant_rows *rows, size_t row)
{
    return rows->sequential ? (size_t)rows->group[row] : 0;
}
