/* Levels of categories: those that occur, or those of a schema. */
#include "io/plan.h"

#include <math.h>
#include <string.h>
#include "data/names.h"

static scant_status refuse_level(const scant_rows *rows, size_t column, size_t code,
                                 const char *text)
{
    size_t i = 0;
    while (i + 1 < rows->nrows && rows->dense[i * rows->ncolumns + column] != (double)code)
        i++;
    const scant_i_column *c = &rows->columns[column];
    const char *near = scant_i_names_nearest(text, (const char *const *)c->levels, c->nlevels);
    return scant_i_fail_cell(rows, i, column, "'%.60s' is not one of the %zu levels%s%s%s", text,
                             c->nlevels, near ? "; did you mean '" : "", near ? near : "",
                             near ? "'?" : "");
}

static void warn_of_levels(const scant_rows *rows, size_t column, const size_t *level_of,
                           const char *const *text)
{
    size_t count = 0, first = SIZE_MAX;
    for (size_t i = 0; i < rows->nrows; i++) {
        double cell = rows->dense[i * rows->ncolumns + column];
        if (isnan(cell) || level_of[(size_t)cell] != SIZE_MAX)
            continue;
        count++;
        first = first == SIZE_MAX ? (size_t)cell : first;
    }
    scant_i_log(SCANT_LOG_WARNING,
                "%zu of %zu rows have a level of '%s' that the model has never seen ('%.40s'%s); "
                "they are treated "
                "as missing. --strict refuses them",
                count, rows->nrows, rows->columns[column].name, text[first],
                count > 1 ? ", ..." : "");
}

static scant_status copy_levels(scant_i_column *column, const char *const *text,
                                const size_t *order, size_t n)
{
    scant_status status = SCANT_I_NEW(&column->levels, n + 1);
    for (size_t k = 0; k < n && status == SCANT_OK; k++) {
        column->levels[k] = scant_i_strdup(text[order ? order[k] : k]);
        status = column->levels[k] ? SCANT_OK : SCANT_ERR_MEMORY;
        column->nlevels = k + 1;
    }
    return status;
}

/* 0 for texts that rows of some weight have, SIZE_MAX for the others. */
static void mark_weighing(size_t *level_of, const scant_rows *rows, size_t column, size_t ntext,
                          const double *weight)
{
    for (size_t t = 0; t < ntext; t++)
        level_of[t] = weight ? SIZE_MAX : 0;
    for (size_t i = 0; i < rows->nrows && weight; i++) {
        double cell = rows->dense[i * rows->ncolumns + column];
        if (!isnan(cell) && weight[i] > 0)
            level_of[(size_t)cell] = 0;
    }
}

/* Sorts the texts that are marked, and makes them the levels. */
static scant_status find_levels(scant_i_column *column, const char *const *text, size_t ntext,
                                size_t *level_of)
{
    scant_status status = SCANT_OK;
    const char **found = NULL;
    size_t *order = NULL, *from = NULL, n = 0;
    SCANT_I_TRY(SCANT_I_NEW(&found, ntext + 1));
    SCANT_I_TRY(SCANT_I_NEW(&from, ntext + 1));
    SCANT_I_TRY(SCANT_I_NEW(&order, ntext + 1));
    for (size_t t = 0; t < ntext; t++)
        if (level_of[t] == 0) {
            from[n] = t;
            found[n++] = text[t];
        }
    SCANT_I_TRY(scant_i_names_order(order, found, n));
    SCANT_I_TRY(copy_levels(column, found, order, n));
    for (size_t k = 0; k < n; k++)
        level_of[from[order[k]]] = k;
done:
    scant_i_free(found);
    scant_i_free(from);
    scant_i_free(order);
    return status;
}

scant_status scant_i_plan_levels(scant_rows *rows, size_t column, const char *const *text,
                                 size_t ntext, const scant_read_options *options,
                                 const double *weight)
{
    scant_status status = SCANT_OK;
    const scant_schema *schema = options->schema;
    scant_i_column *c = &rows->columns[column];
    size_t *level_of = NULL, unseen = 0;
    scant_i_names known = {0};
    SCANT_I_TRY(SCANT_I_NEW(&level_of, ntext + 1));
    mark_weighing(level_of, rows, column, ntext, weight);
    if (schema) {
        int32_t code = 0;
        SCANT_I_TRY(copy_levels(c, schema->levels[column], NULL, schema->nlevels[column]));
        for (size_t k = 0; k < c->nlevels; k++)
            SCANT_I_TRY(scant_i_names_add(&code, &known, c->levels[k], strlen(c->levels[k])));
        for (size_t t = 0; t < ntext; t++) {
            code = scant_i_names_find(&known, text[t], strlen(text[t]));
            if (code < 0 && level_of[t] == 0 && unseen++ == 0 && options->strict) {
                status = refuse_level(rows, column, t, text[t]);
                goto done;
            }
            level_of[t] = code < 0 ? SIZE_MAX : (size_t)code;
        }
        if (unseen)
            warn_of_levels(rows, column, level_of, text);
    } else {
        SCANT_I_TRY(find_levels(c, text, ntext, level_of));
    }
    for (size_t i = 0; i < rows->nrows; i++) {
        double *cell = &rows->dense[i * rows->ncolumns + column];
        if (!isnan(*cell))
            *cell = level_of[(size_t)*cell] == SIZE_MAX ? NAN : (double)level_of[(size_t)*cell];
    }
done:
    scant_i_free(level_of);
    scant_i_names_free(&known);
    return status;
}
