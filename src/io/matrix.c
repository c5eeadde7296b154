/* What the formats of plain numbers share: roles of columns after the fact, and growing arrays. */
#include "io/format.h"

#include <math.h>
#include <string.h>
#include "base/number.h"
#include "data/names.h"
#include "io/plan.h"

static scant_status check_finite(const scant_rows *rows)
{
    size_t n = rows->dense ? rows->nrows * rows->ncolumns : rows->sparse.start[rows->nrows];
    const double *x = rows->dense ? rows->dense : rows->sparse.value;
    for (size_t k = 0; k < n; k++) {
        if (!isinf(x[k]))
            continue;
        if (rows->dense)
            return scant_i_fail_cell(rows, k / rows->ncolumns, k % rows->ncolumns,
                                     "%g is not finite", x[k]);
        size_t i = 0;
        while (rows->sparse.start[i + 1] <= k)
            i++;
        return scant_i_fail_cell(rows, i, (size_t)rows->sparse.column[k], "%g is not finite", x[k]);
    }
    return SCANT_OK;
}

scant_status scant_i_check_claim(const char *file, const char *what, size_t size, size_t entries,
                                 size_t free, size_t known)
{
    enum { MOST_PER_ENTRY = 64 };
    if (size <= scant_i_max(free, known) || (size - free) / MOST_PER_ENTRY <= entries)
        return SCANT_OK;
    return scant_i_fail_in(SCANT_ERR_INPUT, file, "%zu %s for %zu entries make no sense", size,
                           what, entries);
}

/* --- columns that leave the matrix --- */

/* Cells of a column as texts, numbered in order of appearance; -1 where missing. */
static scant_status take_texts(int32_t *code, scant_i_names *names, const scant_rows *rows,
                               size_t column)
{
    for (size_t i = 0; i < rows->nrows; i++) {
        char text[SCANT_I_NUMBER_TEXT];
        double value = scant_rows_value(rows, i, column);
        code[i] = -1;
        if (isnan(value))
            continue;
        size_t n = scant_i_number_format(text, value);
        scant_status status = scant_i_names_add(&code[i], names, text, n);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

static scant_status texts_of(const char ***out, const scant_i_names *names)
{
    scant_status status = SCANT_I_NEW(out, names->count + 1);
    for (size_t t = 0; t < names->count && status == SCANT_OK; t++)
        (*out)[t] = scant_i_names_text(names, t);
    return status;
}

static scant_status take_labels(scant_rows *rows, size_t column, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    const scant_schema *schema = options->schema;
    scant_i_names names = {0};
    const char **text = NULL;
    int32_t *code = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&code, rows->nrows));
    SCANT_I_TRY(take_texts(code, &names, rows, column));
    SCANT_I_TRY(texts_of(&text, &names));
    SCANT_I_TRY(scant_i_labels_resolve(rows, code, text, names.count,
                                       schema ? schema->classes : NULL,
                                       schema ? schema->nclasses : 0, options->missing_label,
                                       options->keep_weightless ? NULL : rows->weight));
done:
    scant_i_free(text);
    scant_i_free(code);
    scant_i_names_free(&names);
    return status;
}

static scant_status take_groups(scant_rows *rows, size_t column)
{
    scant_status status = SCANT_OK;
    scant_i_names names = {0};
    SCANT_I_TRY(SCANT_I_NEW(&rows->group, rows->nrows));
    SCANT_I_TRY(take_texts(rows->group, &names, rows, column));
    for (size_t i = 0; i < rows->nrows; i++) {
        if (rows->group[i] < 0) {
            status = scant_i_fail_cell(rows, i, column, "a group or sequence must not be missing");
            goto done;
        }
    }
    rows->ngroups = names.count;
done:
    scant_i_names_free(&names);
    return status;
}

static scant_status take_weights(scant_rows *rows, size_t column)
{
    scant_status status = SCANT_I_NEW(&rows->weight, rows->nrows);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++) {
        rows->weight[i] = scant_rows_value(rows, i, column);
        if (!scant_i_is_weight(rows->weight[i]))
            status =
                scant_i_fail_cell(rows, i, column, "a weight must be a number from 0 to 1e100");
    }
    return status;
}

static scant_status take_times(scant_rows *rows, size_t column)
{
    scant_status status = SCANT_I_NEW(&rows->time, rows->nrows);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++) {
        rows->time[i] = scant_rows_value(rows, i, column);
        if (isnan(rows->time[i]))
            status = scant_i_fail_cell(rows, i, column, "a time must not be missing");
    }
    return status;
}

static scant_status take_ids(scant_rows *rows, size_t column)
{
    scant_status status = SCANT_OK;
    size_t *offset = NULL, used = 0;
    char *text = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&offset, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&text, rows->nrows * SCANT_I_NUMBER_TEXT));
    for (size_t i = 0; i < rows->nrows; i++) {
        offset[i] = used;
        double value = scant_rows_value(rows, i, column);
        used += isnan(value) ? 0 : scant_i_number_format(text + used, value);
        text[used++] = '\0';
    }
    char *kept = text;
    text = NULL;
    SCANT_I_TRY(scant_i_rows_set_ids(rows, kept, offset));
done:
    scant_i_free(text);
    scant_i_free(offset);
    return status;
}

static scant_status take_roles(scant_rows *rows, const scant_i_plan *plan, const char *const *names,
                               const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    size_t label = plan->nfields; /* looked at last: weights say which labels count */
    for (size_t j = 0; j < plan->nfields; j++) {
        char **name = NULL;
        switch (plan->fields[j].role) {
        case SCANT_I_UNUSED:
        case SCANT_I_FEATURE: continue;
        case SCANT_I_LABEL: name = &rows->labels.column; break;
        case SCANT_I_WEIGHT: name = &rows->weight_name; break;
        case SCANT_I_ID: name = &rows->id_name; break;
        case SCANT_I_GROUP: name = &rows->group_name; break;
        case SCANT_I_TIME: name = &rows->time_name; break;
        }
        if (!(*name = scant_i_strdup(names[j])))
            return SCANT_ERR_MEMORY;
        if (plan->fields[j].role == SCANT_I_LABEL) {
            rows->labels.field = j + 1;
            label = j;
        } else if (plan->fields[j].role == SCANT_I_WEIGHT) {
            SCANT_I_TRY(take_weights(rows, j));
        } else if (plan->fields[j].role == SCANT_I_ID) {
            SCANT_I_TRY(take_ids(rows, j));
        } else if (plan->fields[j].role == SCANT_I_TIME) {
            rows->time_field = j + 1;
            SCANT_I_TRY(take_times(rows, j));
        } else {
            rows->group_field = j + 1;
            SCANT_I_TRY(take_groups(rows, j));
        }
    }
    if (label < plan->nfields)
        SCANT_I_TRY(take_labels(rows, label, options));
done:
    return status;
}

/* --- columns that stay --- */

static scant_status make_categories(scant_rows *rows, const scant_i_plan *plan,
                                    const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    int32_t *code = NULL;
    const char **text = NULL;
    scant_i_names names = {0};
    for (size_t k = 0; k < plan->ncolumns; k++) {
        if (plan->source[k] == SIZE_MAX || plan->fields[plan->source[k]].kind != SCANT_I_CATEGORY)
            continue;
        SCANT_I_TRY(scant_i_rows_densify(rows));
        scant_i_names_clear(&names);
        scant_i_free(text);
        scant_i_free(code);
        text = NULL;
        code = NULL;
        SCANT_I_TRY(SCANT_I_NEW(&code, rows->nrows));
        SCANT_I_TRY(take_texts(code, &names, rows, k));
        SCANT_I_TRY(texts_of(&text, &names));
        for (size_t i = 0; i < rows->nrows; i++)
            rows->dense[i * rows->ncolumns + k] = code[i] < 0 ? NAN : (double)code[i];
        rows->columns[k].kind = SCANT_I_CATEGORY;
        SCANT_I_TRY(scant_i_plan_levels(rows, k, text, names.count, options,
                                        options->keep_weightless ? NULL : rows->weight));
    }
done:
    scant_i_free(text);
    scant_i_free(code);
    scant_i_names_free(&names);
    return status;
}

/* Columns that a schema wants and the file lacks become empty ones behind the last. */
static scant_status widen(scant_rows *rows, scant_i_plan *plan, const scant_schema *schema)
{
    size_t absent = 0;
    for (size_t k = 0; k < plan->ncolumns; k++)
        absent += plan->source[k] == SIZE_MAX;
    if (absent == 0)
        return SCANT_OK;
    if (!rows->sparse.start || rows->ncolumns + absent > INT32_MAX)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "%zu columns are absent", absent);
    scant_i_column *columns = NULL;
    size_t width = rows->ncolumns;
    scant_status status = SCANT_I_NEW(&columns, width + absent);
    if (status != SCANT_OK)
        return status;
    for (size_t j = 0; rows->columns && j < width; j++)
        columns[j] = rows->columns[j];
    scant_i_free(rows->columns);
    rows->columns = columns;
    rows->ncolumns = width + absent;
    for (size_t k = 0; k < plan->ncolumns; k++) {
        if (plan->source[k] != SIZE_MAX)
            continue;
        columns[width].name = scant_i_strdup(schema->names[k]);
        if (!columns[width].name)
            return SCANT_ERR_MEMORY;
        plan->source[k] = width++;
    }
    return SCANT_OK;
}

static bool asks_nothing(const scant_read_options *o)
{
    return !o->features && !o->nignore && !o->ncategorical && !o->ntypes && !o->label &&
           !o->weight && !o->id && !o->group && !o->sequence && !o->time && !o->schema &&
           !o->ncontext && !o->probabilities;
}

scant_status scant_i_matrix_finish(scant_rows *rows, const scant_read_options *options,
                                   bool reach_is_open)
{
    scant_status status = SCANT_OK;
    scant_i_plan plan = {0};
    char *made = NULL;
    const char **names = NULL;
    size_t width = rows->ncolumns;
    SCANT_I_TRY(check_finite(rows));
    if (asks_nothing(options))
        return SCANT_OK;
    enum { MADE = 24 }; /* room for x<number> */
    SCANT_I_TRY(SCANT_I_NEW(&names, width));
    SCANT_I_TRY(SCANT_I_NEW(&made, width * MADE));
    for (size_t j = 0; j < width; j++) {
        names[j] = rows->columns ? rows->columns[j].name : NULL;
        if (!names[j]) {
            made[j * MADE] = 'x';
            (void)scant_i_number_format(made + j * MADE + 1, (double)(j + 1));
            names[j] = made + j * MADE;
        }
    }
    SCANT_I_TRY(scant_i_plan_new(&plan, rows->source, names, width, options, reach_is_open));
    SCANT_I_TRY(take_roles(rows, &plan, names, options));
    if (options->schema)
        SCANT_I_TRY(widen(rows, &plan, options->schema));
    SCANT_I_TRY(scant_i_rows_keep_columns(rows, plan.source, plan.ncolumns));
    rows->ncontext = plan.ncontext;
    for (size_t k = 0; k < plan.ncolumns; k++)
        if (plan.source[k] >= width) /* a column that was added is no field of the file */
            plan.source[k] = SIZE_MAX;
    SCANT_I_TRY(make_categories(rows, &plan, options));
done:
    scant_i_plan_free(&plan);
    scant_i_free(names);
    scant_i_free(made);
    return status;
}

void scant_i_matrix_warn(const scant_rows *rows, const char *format, bool keeps_labels,
                         bool keeps_names)
{
    bool categories = false, names = false;
    for (size_t j = 0; rows->columns && j < rows->ncolumns; j++) {
        categories = categories || rows->columns[j].kind == SCANT_I_CATEGORY;
        names = names || rows->columns[j].name;
    }
    if (categories)
        scant_i_log(SCANT_LOG_WARNING, "%s: categories are written as their levels' numbers from 0",
                    format);
    if (names && !keeps_names)
        scant_i_log(SCANT_LOG_INFO, "%s: the columns' names are not kept", format);
    if (rows->labels.code && !keeps_labels)
        scant_i_log(SCANT_LOG_WARNING, "%s: the labels are not kept", format);
    if (rows->weight || rows->id || rows->group)
        scant_i_log(SCANT_LOG_WARNING, "%s: weights, identifiers and groups are not kept", format);
}

/* --- growing arrays --- */

scant_status scant_i_doubles_reserve(scant_i_doubles *doubles, size_t more)
{
    size_t need = 0;
    if (__builtin_add_overflow(doubles->count, more, &need))
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory");
    if (need <= doubles->room)
        return SCANT_OK;
    size_t room = scant_i_max(need, doubles->room + doubles->room / 2);
    scant_status status = scant_i_resize(&doubles->value, room, sizeof *doubles->value);
    if (status == SCANT_OK)
        doubles->room = room;
    return status;
}

scant_status scant_i_doubles_transpose(scant_i_doubles *doubles, size_t nrows, size_t ncolumns)
{
    enum { TILE = 32 }; /* rows and columns of a tile both stay in the first cache */
    double *rows = scant_i_alloc(nrows * ncolumns, sizeof *rows);
    if (!rows)
        return SCANT_ERR_MEMORY;
    for (size_t i0 = 0; i0 < nrows; i0 += TILE)
        for (size_t j0 = 0; j0 < ncolumns; j0 += TILE)
            for (size_t i = i0; i < scant_i_min(nrows, i0 + TILE); i++)
                for (size_t j = j0; j < scant_i_min(ncolumns, j0 + TILE); j++)
                    rows[i * ncolumns + j] = doubles->value[j * nrows + i];
    scant_i_free(doubles->value);
    doubles->value = rows;
    doubles->room = nrows * ncolumns;
    return SCANT_OK;
}
