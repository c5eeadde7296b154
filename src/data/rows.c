/* The rows object: making, freeing, looking. Copies of parts are in subset.c. */
#include "data/rows.h"

#include <math.h>
#include <string.h>
#include "data/names.h"

scant_status scant_i_rows_new(scant_rows **out, size_t nrows, size_t ncolumns)
{
    *out = NULL;
    if (ncolumns > INT32_MAX)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu columns are more than the %d there may be",
                            ncolumns, INT32_MAX);
    scant_status status = SCANT_I_NEW(out, 1);
    if (status != SCANT_OK)
        return status;
    (*out)->nrows = nrows;
    (*out)->ncolumns = ncolumns;
    (*out)->first_line = 1;
    return SCANT_OK;
}

static void free_labels(scant_i_labels *labels)
{
    scant_i_free(labels->column);
    scant_i_labels_clear(labels);
}

void scant_i_columns_free(scant_i_column *columns, size_t n)
{
    for (size_t j = 0; columns && j < n; j++) {
        scant_i_free(columns[j].name);
        scant_i_texts_free(columns[j].levels, columns[j].nlevels);
    }
    scant_i_free(columns);
}

void scant_i_reading_free(scant_i_reading *reading)
{
    scant_i_texts_free(reading->types, reading->ntypes);
    scant_i_texts_free(reading->missing_values, reading->nmissing_values);
    scant_i_free(reading->id);
    scant_i_texts_free(reading->terms, reading->nterms);
    *reading = (scant_i_reading){0};
}

static scant_status copy_texts(char ***out, size_t *count, char *const *texts, size_t n)
{
    if (n == 0)
        return SCANT_OK;
    scant_status status = scant_i_texts_copy(out, texts, n);
    *count = *out ? n : 0;
    return status;
}

scant_status scant_i_reading_copy(scant_i_reading *out, const scant_i_reading *reading)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_reading){0};
    SCANT_I_TRY(copy_texts(&out->types, &out->ntypes, reading->types, reading->ntypes));
    SCANT_I_TRY(copy_texts(&out->missing_values, &out->nmissing_values, reading->missing_values,
                           reading->nmissing_values));
    SCANT_I_TRY(copy_texts(&out->terms, &out->nterms, reading->terms, reading->nterms));
    if (reading->id && !(out->id = scant_i_strdup(reading->id)))
        status = SCANT_ERR_MEMORY;
done:
    return status;
}

scant_status scant_i_reading_of(scant_i_reading *out, const scant_rows *rows)
{
    scant_status status = scant_i_reading_copy(out, &rows->reading);
    return status == SCANT_OK && rows->text.start
               ? copy_texts(&out->terms, &out->nterms, rows->terms, rows->ntext_terms)
               : status;
}

void scant_rows_free(scant_rows *rows)
{
    if (!rows)
        return;
    scant_i_columns_free(rows->columns, rows->ncolumns);
    if (!rows->dense_is_borrowed)
        scant_i_free(rows->dense);
    scant_i_free(rows->sparse.start);
    scant_i_free(rows->sparse.column);
    scant_i_free(rows->sparse.value);
    scant_i_free(rows->weight);
    free_labels(&rows->labels);
    scant_i_free(rows->truth);
    scant_i_free(rows->id);
    scant_i_free(rows->id_text);
    scant_i_free(rows->group);
    scant_i_free(rows->time);
    scant_i_free(rows->weight_name);
    scant_i_free(rows->id_name);
    scant_i_free(rows->group_name);
    scant_i_free(rows->time_name);
    scant_i_free(rows->source);
    scant_i_free(rows->line);
    scant_i_texts_free(rows->made_names, rows->ncolumns);
    scant_i_free(rows->text.start);
    scant_i_free(rows->text.column);
    scant_i_free(rows->text.value);
    scant_i_texts_free(rows->terms, rows->ntext_terms);
    scant_i_reading_free(&rows->reading);
    scant_i_free(rows);
}

/* --- from memory --- */

static scant_status name_columns(scant_rows *rows, const char *const *names)
{
    scant_status status = SCANT_OK;
    scant_i_names seen = {0};
    if (!names)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&rows->columns, rows->ncolumns));
    for (size_t j = 0; j < rows->ncolumns; j++) {
        rows->columns[j].field = j + 1;
        int32_t code = 0;
        if (!names[j] || !*names[j]) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "column %zu has no name", j + 1);
            goto done;
        }
        SCANT_I_TRY(scant_i_names_add(&code, &seen, names[j], strlen(names[j])));
        if ((size_t)code < j) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "columns %d and %zu are both named '%s'",
                                  code + 1, j + 1, names[j]);
            goto done;
        }
        rows->columns[j].name = scant_i_strdup(names[j]);
        if (!rows->columns[j].name) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
    }
done:
    scant_i_names_free(&seen);
    return status;
}

static scant_status new_from_memory(scant_rows **out, size_t nrows, size_t ncolumns,
                                    const char *const *names)
{
    *out = NULL;
    if (nrows == 0 || ncolumns == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "%zu rows of %zu columns hold nothing", nrows,
                            ncolumns);
    scant_status status = scant_i_rows_new(out, nrows, ncolumns);
    if (status == SCANT_OK)
        status = name_columns(*out, names);
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

scant_status scant_rows_view(scant_rows **out, size_t nrows, size_t ncolumns, const double *x,
                             const char *const *names)
{
    scant_status status = new_from_memory(out, nrows, ncolumns, names);
    if (status == SCANT_OK) {
        (*out)->dense = (double *)(uintptr_t)x; /* borrowed: never written through */
        (*out)->dense_is_borrowed = true;
    }
    return status;
}

scant_status scant_rows_new(scant_rows **out, size_t nrows, size_t ncolumns, const double *x,
                            const char *const *names)
{
    scant_status status = new_from_memory(out, nrows, ncolumns, names);
    if (status != SCANT_OK)
        return status;
    size_t cells = 0;
    if (__builtin_mul_overflow(nrows, ncolumns, &cells)) {
        status = scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu x %zu cells", nrows, ncolumns);
        goto done;
    }
    (*out)->dense = scant_i_alloc(cells, sizeof(double));
    if (!(*out)->dense) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    memcpy((*out)->dense, x, cells * sizeof(double));
    for (size_t k = 0; k < cells; k++) {
        if (isinf(x[k])) {
            status = scant_i_fail_cell(*out, k / ncolumns, k % ncolumns, "%g is not finite", x[k]);
            goto done;
        }
    }
done:
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

static scant_status check_sparse(const scant_rows *rows, const size_t *start, const int32_t *column,
                                 const double *value)
{
    if (start[0] != 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "start[0] is %zu, not 0", start[0]);
    for (size_t i = 0; i < rows->nrows; i++) {
        if (start[i + 1] < start[i])
            return scant_i_fail(SCANT_ERR_ARGUMENT, "row %zu ends before it starts", i + 1);
        for (size_t k = start[i]; k < start[i + 1]; k++) {
            if (column[k] < 0 || (size_t)column[k] >= rows->ncolumns ||
                (k > start[i] && column[k] <= column[k - 1]))
                return scant_i_fail(SCANT_ERR_ARGUMENT,
                                    "row %zu: column %d is out of range or order", i + 1,
                                    column[k]);
            if (isinf(value[k]))
                return scant_i_fail_cell(rows, i, (size_t)column[k], "%g is not finite", value[k]);
        }
    }
    return SCANT_OK;
}

scant_status scant_rows_new_sparse(scant_rows **out, size_t nrows, size_t ncolumns,
                                   const size_t *start, const int32_t *column, const double *value)
{
    scant_status status = new_from_memory(out, nrows, ncolumns, NULL);
    if (status != SCANT_OK)
        return status;
    SCANT_I_TRY(check_sparse(*out, start, column, value));
    scant_i_csr *sparse = &(*out)->sparse;
    size_t entries = start[nrows];
    status = SCANT_ERR_MEMORY;
    if (!(sparse->start = scant_i_alloc(nrows + 1, sizeof *start)) ||
        !(sparse->column = scant_i_alloc(entries, sizeof *column)) ||
        !(sparse->value = scant_i_alloc(entries, sizeof *value)))
        goto done;
    memcpy(sparse->start, start, (nrows + 1) * sizeof *start);
    if (entries) {
        memcpy(sparse->column, column, entries * sizeof *column);
        memcpy(sparse->value, value, entries * sizeof *value);
    }
    status = SCANT_OK;
done:
    if (status != SCANT_OK) {
        scant_rows_free(*out);
        *out = NULL;
    }
    return status;
}

static scant_status check_levels(const scant_rows *rows, size_t column, size_t nlevels)
{
    for (size_t i = 0; i < rows->nrows; i++) {
        double cell = scant_rows_value(rows, i, column);
        if (!isnan(cell) && !(cell >= 0 && cell < (double)nlevels && cell == floor(cell)))
            return scant_i_fail_cell(rows, i, column, "%g is none of the %zu levels", cell,
                                     nlevels);
    }
    return SCANT_OK;
}

scant_status scant_rows_set_levels(scant_rows *rows, size_t column, const char *const *levels,
                                   size_t nlevels)
{
    scant_status status = SCANT_OK;
    char **copy = NULL;
    if (!rows->dense || column >= rows->ncolumns)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "column %zu is not a dense one", column + 1);
    SCANT_I_TRY(check_levels(rows, column, nlevels));
    if (!rows->columns)
        SCANT_I_TRY(SCANT_I_NEW(&rows->columns, rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&copy, nlevels));
    for (size_t l = 0; l < nlevels; l++)
        if (!(copy[l] = scant_i_strdup(levels[l]))) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
    scant_i_column *of = &rows->columns[column];
    scant_i_texts_free(of->levels, of->nlevels);
    of->kind = SCANT_I_CATEGORY;
    of->levels = copy;
    of->nlevels = nlevels;
    copy = NULL;
done:
    scant_i_texts_free(copy, nlevels);
    return status;
}

scant_status scant_rows_set_labels(scant_rows *rows, const char *const *cells,
                                   const char *const *classes, size_t nclasses, const char *missing)
{
    scant_status status = SCANT_OK;
    scant_i_names names = {0};
    const char **text = NULL;
    int32_t *cell = scant_i_alloc(rows->nrows, sizeof *cell);
    if (!cell)
        return SCANT_ERR_MEMORY;
    for (size_t i = 0; i < rows->nrows; i++) {
        cell[i] = -1;
        if (cells[i] && *cells[i])
            SCANT_I_TRY(scant_i_names_add(&cell[i], &names, cells[i], strlen(cells[i])));
    }
    SCANT_I_TRY(SCANT_I_NEW(&text, names.count + 1));
    for (size_t t = 0; t < names.count; t++)
        text[t] = scant_i_names_text(&names, t);
    SCANT_I_TRY(
        scant_i_labels_resolve(rows, cell, text, names.count, classes, nclasses, missing, NULL));
done:
    scant_i_free(text);
    scant_i_free(cell);
    scant_i_names_free(&names);
    return status;
}

scant_status scant_rows_set_weights(scant_rows *rows, const double *weight)
{
    double *copy = NULL;
    if (weight) {
        for (size_t i = 0; i < rows->nrows; i++)
            if (!scant_i_is_weight(weight[i]))
                return scant_i_fail(SCANT_ERR_INPUT,
                                    "row %zu: a weight must be a number from 0 to 1e100, not %g",
                                    i + 1, weight[i]);
        copy = scant_i_alloc(rows->nrows, sizeof *copy);
        if (!copy)
            return SCANT_ERR_MEMORY;
        memcpy(copy, weight, rows->nrows * sizeof *copy);
    }
    scant_i_free(rows->weight);
    rows->weight = copy;
    return SCANT_OK;
}

scant_status scant_i_rows_set_ids(scant_rows *rows, char *text, const size_t *offset)
{
    scant_i_free(rows->id_text);
    rows->id_text = text;
    if (!rows->id) {
        rows->id = scant_i_alloc(rows->nrows, sizeof *rows->id);
        if (!rows->id)
            return SCANT_ERR_MEMORY;
    }
    for (size_t i = 0; i < rows->nrows; i++)
        rows->id[i] = text + offset[i];
    return SCANT_OK;
}

scant_status scant_rows_set_ids(scant_rows *rows, const char *const *ids)
{
    scant_status status = SCANT_OK;
    size_t *offset = NULL, used = 0;
    char *text = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&offset, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++) {
        offset[i] = used;
        used += strlen(ids[i]) + 1;
    }
    SCANT_I_TRY(SCANT_I_NEW(&text, used));
    for (size_t i = 0; i < rows->nrows; i++)
        memcpy(text + offset[i], ids[i], strlen(ids[i]) + 1);
    status = scant_i_rows_set_ids(rows, text, offset); /* whose the text is now */
done:
    scant_i_free(offset);
    return status;
}

/* --- looking --- */

size_t scant_rows_count(const scant_rows *rows)
{
    return rows->nrows;
}

size_t scant_rows_columns(const scant_rows *rows)
{
    return rows->ncolumns;
}

/* Names are made when first asked for, since sparse rows may have millions of columns and no one
 * who asks. Threads may ask at once: whoever comes first leaves its text, the other frees its own.
 */
static const char *made_name(scant_rows *rows, size_t column)
{
    char **names = __atomic_load_n(&rows->made_names, __ATOMIC_ACQUIRE);
    if (!names) {
        char **fresh = scant_i_calloc(rows->ncolumns, sizeof *fresh);
        if (!fresh)
            return "";
        if (__atomic_compare_exchange_n(&rows->made_names, &names, fresh, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            names = fresh;
        else
            scant_i_free(fresh);
    }
    char *name = __atomic_load_n(&names[column], __ATOMIC_ACQUIRE);
    if (!name) {
        char *fresh = scant_i_format("x%zu", column + 1);
        if (!fresh)
            return "";
        if (__atomic_compare_exchange_n(&names[column], &name, fresh, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            name = fresh;
        else
            scant_i_free(fresh);
    }
    return name;
}

const char *scant_rows_column_name(const scant_rows *rows, size_t column)
{
    if (rows->columns && rows->columns[column].name)
        return rows->columns[column].name;
    return made_name((scant_rows *)(uintptr_t)rows, column);
}

bool scant_rows_column_is_category(const scant_rows *rows, size_t column)
{
    return rows->columns && rows->columns[column].kind == SCANT_I_CATEGORY;
}

size_t scant_rows_missing(const scant_rows *rows, size_t column)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        count += isnan(scant_rows_value(rows, i, column)) != 0;
    return count;
}

bool scant_rows_is_sparse(const scant_rows *rows)
{
    return rows->sparse.start != NULL;
}

size_t scant_rows_classes(const scant_rows *rows)
{
    return rows->labels.nclasses;
}

const char *scant_rows_class_name(const scant_rows *rows, size_t class_index)
{
    return rows->labels.classes[class_index];
}

int32_t scant_rows_label(const scant_rows *rows, size_t row)
{
    if (rows->truth)
        return rows->truth[row];
    int32_t code = rows->labels.code ? rows->labels.code[row] : -1;
    return code >= 0 && (size_t)code < rows->labels.nclasses ? code : -1;
}

size_t scant_rows_labeled(const scant_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; rows->labels.code && i < rows->nrows; i++)
        count += rows->labels.code[i] >= 0;
    return count;
}

double scant_rows_weight(const scant_rows *rows, size_t row)
{
    return rows->weight ? rows->weight[row] : 1.0;
}

const char *scant_rows_id(const scant_rows *rows, size_t row)
{
    return rows->id ? rows->id[row] : NULL;
}

double scant_rows_value(const scant_rows *rows, size_t row, size_t column)
{
    if (rows->dense)
        return rows->dense[row * rows->ncolumns + column];
    size_t low = rows->sparse.start[row], high = rows->sparse.start[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)rows->sparse.column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < rows->sparse.start[row + 1] && (size_t)rows->sparse.column[low] == column;
    return found ? rows->sparse.value[low] : 0.0;
}

void scant_rows_values(const scant_rows *rows, double *x)
{
    for (size_t i = 0; i < rows->nrows; i++)
        for (size_t c = 0; c < rows->ncolumns; c++)
            *x++ = scant_rows_value(rows, i, c);
}

size_t scant_i_rows_line(const scant_rows *rows, size_t row)
{
    return rows->line ? rows->line[row] : rows->first_line + row;
}
