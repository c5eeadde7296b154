/* Copies and rearrangements of rows: some of the rows, some of the columns, sparse to dense. */
#include "data/rows.h"

#include <math.h>
#include <string.h>

#include "data/names.h"

static scant_status copy_text(char **out, const char *text)
{
    *out = text ? scant_i_strdup(text) : NULL;
    return text && !*out ? SCANT_ERR_MEMORY : SCANT_OK;
}

static scant_status copy_column(scant_i_column *to, const scant_i_column *from)
{
    to->kind = from->kind;
    to->binary = from->binary;
    to->field = from->field;
    scant_status status = copy_text(&to->name, from->name);
    if (status == SCANT_OK && from->levels) {
        to->nlevels = from->nlevels;
        status = scant_i_texts_copy(&to->levels, from->levels, from->nlevels);
    }
    return status;
}

static scant_status copy_columns(scant_rows *to, const scant_rows *from)
{
    scant_status status = SCANT_OK;
    if (!from->columns)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&to->columns, from->ncolumns));
    for (size_t j = 0; j < from->ncolumns; j++)
        SCANT_I_TRY(copy_column(&to->columns[j], &from->columns[j]));
done:
    return status;
}

static scant_status copy_labels(scant_rows *to, const scant_rows *from, const size_t *index)
{
    scant_status status = SCANT_OK;
    const scant_i_labels *old = &from->labels;
    scant_i_labels *labels = &to->labels;
    SCANT_I_TRY(copy_text(&labels->column, old->column));
    labels->field = old->field;
    if (!old->code)
        return SCANT_OK;
    labels->nclasses = old->nclasses;
    SCANT_I_TRY(scant_i_texts_copy(&labels->classes, old->classes, old->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&labels->code, to->nrows));
    for (size_t i = 0; i < to->nrows; i++)
        labels->code[i] = old->code[index[i]];
    labels->nsoft = old->nsoft;
    if (old->nsoft) {
        SCANT_I_TRY(SCANT_I_NEW(&labels->soft, old->nsoft * old->nclasses));
        SCANT_I_TRY(SCANT_I_NEW(&labels->is_probability, old->nsoft));
        memcpy(labels->soft, old->soft, old->nsoft * old->nclasses * sizeof *old->soft);
        memcpy(labels->is_probability, old->is_probability, old->nsoft);
    }
done:
    return status;
}

static scant_status copy_truth(scant_rows *to, const scant_rows *from, const size_t *index)
{
    if (!from->truth)
        return SCANT_OK;
    scant_status status = SCANT_I_NEW(&to->truth, to->nrows);
    for (size_t i = 0; status == SCANT_OK && i < to->nrows; i++)
        to->truth[i] = from->truth[index[i]];
    return status;
}

static scant_status copy_sparse(scant_i_csr *sparse, const scant_i_csr *old, size_t n,
                                const size_t *index)
{
    size_t entries = 0;
    for (size_t i = 0; i < n; i++)
        entries += old->start[index[i] + 1] - old->start[index[i]];
    if (!(sparse->start = scant_i_calloc(n + 1, sizeof *sparse->start)) ||
        !(sparse->column = scant_i_alloc(entries, sizeof *sparse->column)) ||
        (old->value && !(sparse->value = scant_i_alloc(entries, sizeof *sparse->value))))
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        size_t begin = old->start[index[i]], more = old->start[index[i] + 1] - begin;
        size_t at = sparse->start[i];
        if (more) {
            memcpy(sparse->column + at, old->column + begin, more * sizeof *sparse->column);
            if (old->value)
                memcpy(sparse->value + at, old->value + begin, more * sizeof *sparse->value);
        }
        sparse->start[i + 1] = at + more;
    }
    return SCANT_OK;
}

static scant_status copy_words(scant_rows *to, const scant_rows *from, const size_t *index)
{
    if (!from->text.start)
        return SCANT_OK;
    scant_status status = scant_i_texts_copy(&to->terms, from->terms, from->ntext_terms);
    if (to->terms)
        to->ntext_terms = from->ntext_terms;
    return status == SCANT_OK ? copy_sparse(&to->text, &from->text, to->nrows, index) : status;
}

static scant_status copy_cells(scant_rows *to, const scant_rows *from, const size_t *index)
{
    if (from->dense) {
        size_t width = from->ncolumns;
        to->dense = scant_i_alloc(to->nrows * width, sizeof(double)); /* at most once per row */
        if (!to->dense)
            return SCANT_ERR_MEMORY;
        for (size_t i = 0; i < to->nrows; i++)
            memcpy(to->dense + i * width, from->dense + index[i] * width, width * sizeof(double));
        return SCANT_OK;
    }
    return copy_sparse(&to->sparse, &from->sparse, to->nrows, index);
}

static scant_status copy_ids(scant_rows *to, const scant_rows *from, const size_t *index)
{
    scant_status status = SCANT_OK;
    size_t *offset = NULL, used = 0;
    SCANT_I_TRY(SCANT_I_NEW(&offset, to->nrows + 1));
    for (size_t i = 0; i < to->nrows; i++) {
        offset[i] = used;
        used += strlen(from->id[index[i]]) + 1;
    }
    char *text = scant_i_alloc(used + 1, 1);
    if (!text) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    for (size_t i = 0; i < to->nrows; i++)
        strcpy(text + offset[i], from->id[index[i]]);
    SCANT_I_TRY(scant_i_rows_set_ids(to, text, offset));
done:
    scant_i_free(offset);
    return status;
}

/* Groups keep their numbers' order of appearance, so they are numbered anew. */
static scant_status copy_groups(scant_rows *to, const scant_rows *from, const size_t *index)
{
    int32_t *fresh = NULL;
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&to->group, to->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&fresh, from->ngroups));
    for (size_t i = 0; i < to->nrows; i++) {
        int32_t *number = &fresh[from->group[index[i]]];
        if (*number == 0)
            *number = (int32_t)++to->ngroups;
        to->group[i] = *number - 1;
    }
done:
    scant_i_free(fresh);
    return status;
}

static scant_status copy_beside(scant_rows *to, const scant_rows *from, const size_t *index)
{
    scant_status status = SCANT_OK;
    if (from->weight) {
        SCANT_I_TRY(SCANT_I_NEW(&to->weight, to->nrows));
        for (size_t i = 0; i < to->nrows; i++)
            to->weight[i] = from->weight[index[i]];
    }
    if (from->id)
        SCANT_I_TRY(copy_ids(to, from, index));
    if (from->group)
        SCANT_I_TRY(copy_groups(to, from, index));
    if (from->time) {
        SCANT_I_TRY(SCANT_I_NEW(&to->time, to->nrows));
        for (size_t i = 0; i < to->nrows; i++)
            to->time[i] = from->time[index[i]];
    }
    to->sequential = from->sequential;
    to->group_field = from->group_field;
    to->time_field = from->time_field;
    SCANT_I_TRY(copy_text(&to->weight_name, from->weight_name));
    SCANT_I_TRY(copy_text(&to->id_name, from->id_name));
    SCANT_I_TRY(copy_text(&to->group_name, from->group_name));
    SCANT_I_TRY(copy_text(&to->time_name, from->time_name));
    SCANT_I_TRY(copy_text(&to->source, from->source));
    SCANT_I_TRY(SCANT_I_NEW(&to->line, to->nrows));
    for (size_t i = 0; i < to->nrows; i++)
        to->line[i] = scant_i_rows_line(from, index[i]);
done:
    return status;
}

scant_status scant_rows_subset(scant_rows **out, const scant_rows *rows, const size_t *index,
                               size_t n)
{
    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (index[i] >= rows->nrows)
            return scant_i_fail(SCANT_ERR_ARGUMENT, "there is no row %zu among %zu", index[i],
                                rows->nrows);
    scant_rows *fresh = NULL;
    scant_status status = scant_i_rows_new(&fresh, n, rows->ncolumns);
    if (status == SCANT_OK)
        status = copy_columns(fresh, rows);
    if (status == SCANT_OK)
        status = copy_cells(fresh, rows, index);
    if (status == SCANT_OK)
        status = copy_words(fresh, rows, index);
    if (status == SCANT_OK)
        status = scant_i_reading_copy(&fresh->reading, &rows->reading);
    if (status == SCANT_OK)
        status = copy_labels(fresh, rows, index);
    if (status == SCANT_OK)
        status = copy_truth(fresh, rows, index);
    if (status == SCANT_OK)
        status = copy_beside(fresh, rows, index);
    if (status != SCANT_OK) {
        scant_rows_free(fresh);
        return status;
    }
    *out = fresh;
    return SCANT_OK;
}

scant_status scant_i_rows_densify(scant_rows *rows)
{
    scant_i_csr *sparse = &rows->sparse;
    if (!sparse->start)
        return SCANT_OK;
    size_t cells = 0;
    if (__builtin_mul_overflow(rows->nrows, rows->ncolumns, &cells))
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu x %zu cells", rows->nrows,
                            rows->ncolumns);
    double *dense = scant_i_calloc(cells, sizeof *dense);
    if (!dense)
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t k = sparse->start[i]; k < sparse->start[i + 1]; k++)
            dense[i * rows->ncolumns + (size_t)sparse->column[k]] = sparse->value[k];
    rows->dense = dense;
    scant_i_free(sparse->start);
    scant_i_free(sparse->column);
    scant_i_free(sparse->value);
    memset(sparse, 0, sizeof *sparse);
    return SCANT_OK;
}

/* Entries of a row whose columns change places must be put in order again; rows are short. */
static void sort_row(scant_i_csr *sparse, size_t begin, size_t end)
{
    for (size_t k = begin + 1; k < end; k++) {
        int32_t column = sparse->column[k];
        double value = sparse->value[k];
        size_t at = k;
        for (; at > begin && sparse->column[at - 1] > column; at--) {
            sparse->column[at] = sparse->column[at - 1];
            sparse->value[at] = sparse->value[at - 1];
        }
        sparse->column[at] = column;
        sparse->value[at] = value;
    }
}

static scant_status keep_sparse(scant_rows *rows, const size_t *keep, size_t n)
{
    scant_i_csr *sparse = &rows->sparse;
    int32_t *place = scant_i_calloc(rows->ncolumns, sizeof *place); /* new column + 1, 0: dropped */
    if (!place)
        return SCANT_ERR_MEMORY;
    for (size_t j = 0; j < n; j++)
        place[keep[j]] = (int32_t)j + 1;
    size_t used = 0, begin = 0;
    for (size_t i = 0; i < rows->nrows; i++) {
        size_t end = sparse->start[i + 1], first = used;
        for (size_t k = begin; k < end; k++) {
            if (!place[sparse->column[k]])
                continue;
            sparse->value[used] = sparse->value[k];
            sparse->column[used++] = place[sparse->column[k]] - 1;
        }
        sort_row(sparse, first, used);
        begin = end;
        sparse->start[i + 1] = used;
    }
    scant_i_free(place);
    return SCANT_OK;
}

static scant_status keep_dense(scant_rows *rows, const size_t *keep, size_t n)
{
    double *row = scant_i_alloc(n, sizeof *row);
    if (!row)
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < rows->nrows; i++) { /* rows only get shorter: in place, front to back */
        for (size_t j = 0; j < n; j++)
            row[j] = rows->dense[i * rows->ncolumns + keep[j]];
        memcpy(rows->dense + i * n, row, n * sizeof *row);
    }
    scant_i_free(row);
    return scant_i_resize(&rows->dense, rows->nrows * n, sizeof *rows->dense);
}

scant_status scant_i_rows_keep_columns(scant_rows *rows, const size_t *keep, size_t n)
{
    scant_status status = SCANT_OK;
    scant_i_column *columns = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&columns, n));
    for (size_t j = 0; j < n; j++) { /* names that were made keep their numbers */
        columns[j].field = keep[j] + 1;
        if (rows->columns)
            SCANT_I_TRY(copy_column(&columns[j], &rows->columns[keep[j]]));
        if (!columns[j].name && !(columns[j].name = scant_i_format("x%zu", keep[j] + 1))) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
    }
    SCANT_I_TRY(rows->dense ? keep_dense(rows, keep, n) : keep_sparse(rows, keep, n));
    for (size_t j = 0; rows->made_names && j < rows->ncolumns; j++)
        scant_i_free(rows->made_names[j]);
    scant_i_free(rows->made_names);
    rows->made_names = NULL;
    scant_i_columns_free(rows->columns, rows->ncolumns);
    rows->columns = columns;
    rows->ncolumns = n;
    return SCANT_OK;
done:
    scant_i_columns_free(columns, n);
    return status;
}

scant_status scant_i_rows_split(scant_rows **out, scant_rows *rows, size_t first)
{
    scant_status status = SCANT_OK;
    scant_rows *table = NULL;
    size_t n = rows->ncolumns - first, *keep = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_rows_new(&table, rows->nrows, n));
    SCANT_I_TRY(SCANT_I_NEW(&table->columns, n));
    SCANT_I_TRY(SCANT_I_NEW(&table->dense, rows->nrows * n));
    for (size_t j = 0; j < n; j++)
        SCANT_I_TRY(copy_column(&table->columns[j], &rows->columns[first + j]));
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t j = 0; j < n; j++)
            table->dense[i * n + j] = scant_rows_value(rows, i, first + j);
    SCANT_I_TRY(copy_text(&table->source, rows->source));
    table->first_line = rows->first_line;
    if (rows->line) {
        SCANT_I_TRY(SCANT_I_NEW(&table->line, rows->nrows));
        memcpy(table->line, rows->line, rows->nrows * sizeof *rows->line);
    }
    SCANT_I_TRY(SCANT_I_NEW(&keep, first + 1));
    for (size_t j = 0; j < first; j++)
        keep[j] = j;
    SCANT_I_TRY(scant_i_rows_keep_columns(rows, keep, first));
    *out = table;
    table = NULL;
done:
    scant_rows_free(table);
    scant_i_free(keep);
    return status;
}
