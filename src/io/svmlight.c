/* svmlight: `label [qid:n] index:value ... [# comment]`, indices ascending from 1. */
#include "io/format.h"

#include <math.h>
#include <string.h>
#include "base/number.h"
#include "data/names.h"

typedef struct reader {
    scant_rows *rows;
    scant_i_names names; /* label texts */
    int32_t *label;
    size_t rows_room, entries, entries_room;
} reader;

static scant_status reserve(reader *r)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = r->rows;
    if (rows->nrows + 1 >= r->rows_room) {
        size_t room = r->rows_room ? 2 * r->rows_room : 1024;
        SCANT_I_TRY(scant_i_resize(&rows->sparse.start, room + 1, sizeof *rows->sparse.start));
        SCANT_I_TRY(scant_i_resize(&rows->line, room, sizeof *rows->line));
        SCANT_I_TRY(scant_i_resize(&r->label, room, sizeof *r->label));
        r->rows_room = room;
        rows->sparse.start[0] = 0;
    }
    if (r->entries == r->entries_room) {
        size_t room = r->entries_room ? r->entries_room * 3 / 2 : 4096;
        SCANT_I_TRY(scant_i_resize(&rows->sparse.column, room, sizeof *rows->sparse.column));
        SCANT_I_TRY(scant_i_resize(&rows->sparse.value, room, sizeof *rows->sparse.value));
        r->entries_room = room;
    }
done:
    return status;
}

/* The label's text is the shortest for its number, so that +1, 1 and 1.0 are one class. */
static scant_status take_label(reader *r, const scant_i_lines *lines, char **at)
{
    char text[SCANT_I_NUMBER_TEXT];
    double value = 0;
    scant_i_skip_blanks(at);
    char *word = *at;
    if (!scant_i_take_number(&value, at))
        return scant_i_lines_fail(lines, word, "a line begins with a number as its label");
    r->label[r->rows->nrows] = -1;
    if (isnan(value))
        return SCANT_OK;
    size_t n = scant_i_number_format(text, value);
    return scant_i_names_add(&r->label[r->rows->nrows], &r->names, text, n);
}

static scant_status take_entry(reader *r, const scant_i_lines *lines, char **at, int32_t *last)
{
    scant_i_csr *sparse = &r->rows->sparse;
    char *word = *at;
    uint64_t index = 0;
    double value = 0;
    if (!scant_i_take_integer(&index, at) || **at != ':')
        return scant_i_lines_fail(lines, word, "not index:value");
    ++*at;
    if (**at == ' ' || **at == '\t' || !scant_i_take_number(&value, at))
        return scant_i_lines_fail(lines, word, "the value is not a finite number");
    if (index == 0)
        return scant_i_lines_fail(lines, word, "indices start at 1");
    if (index > INT32_MAX - 1)
        return scant_i_lines_fail(lines, word, "the index is too large");
    if ((int32_t)index <= *last)
        return scant_i_lines_fail(lines, word, "indices must ascend");
    *last = (int32_t)index;
    r->rows->ncolumns = scant_i_max(r->rows->ncolumns, (size_t)index);
    scant_status status = reserve(r);
    if (status != SCANT_OK)
        return status;
    sparse->column[r->entries] = (int32_t)index - 1;
    sparse->value[r->entries++] = value;
    return SCANT_OK;
}

static scant_status take_line(reader *r, const scant_i_lines *lines, char *at)
{
    scant_status status = SCANT_OK;
    int32_t last = 0;
    char *comment = strchr(at, '#');
    if (comment)
        *comment = '\0';
    scant_i_skip_blanks(&at);
    if (!*at)
        return SCANT_OK;
    SCANT_I_TRY(reserve(r));
    SCANT_I_TRY(take_label(r, lines, &at));
    for (scant_i_skip_blanks(&at); *at; scant_i_skip_blanks(&at)) {
        if (strncmp(at, "qid:", 4) == 0)
            at += strcspn(at, " \t");
        else
            SCANT_I_TRY(take_entry(r, lines, &at, &last));
    }
    r->rows->line[r->rows->nrows++] = lines->line;
    r->rows->sparse.start[r->rows->nrows] = r->entries;
done:
    return status;
}

/* -1 and 1 are both classes here, as the format's own programs have it. */
static scant_status resolve_labels(reader *r, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    const scant_schema *schema = options->schema;
    const char **text = NULL;
    scant_rows *rows = r->rows;
    for (size_t k = 0; k < options->nignore; k++)
        if (scant_i_matches(options->ignore[k], "label"))
            return SCANT_OK;
    if (schema && !options->label)
        return SCANT_OK; /* rows to predict: whatever stands there need not be a class */
    if (!(rows->labels.column = scant_i_strdup("label")))
        return SCANT_ERR_MEMORY;
    rows->labels.field = 1;
    SCANT_I_TRY(SCANT_I_NEW(&text, r->names.count + 1));
    for (size_t t = 0; t < r->names.count; t++)
        text[t] = scant_i_names_text(&r->names, t);
    SCANT_I_TRY(scant_i_labels_resolve(
        rows, r->label, text, r->names.count, schema ? schema->classes : NULL,
        schema ? schema->nclasses : 0, options->missing_label ? options->missing_label : "none",
        options->keep_weightless ? NULL : rows->weight));
done:
    scant_i_free(text);
    return status;
}

static scant_status finish(reader *r, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_rows *rows = r->rows;
    scant_read_options others = *options;
    const char **ignore = NULL;
    if (rows->nrows == 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "there is no row");
    if (rows->ncolumns == 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "no row has a value");
    SCANT_I_TRY(scant_i_check_claim(rows->source, "columns", rows->ncolumns, r->entries,
                                    SCANT_I_FREE_COLUMNS,
                                    options->schema ? options->schema->ncolumns : 0));
    if (options->label && strcmp(options->label, "label") != 0 && !options->label_optional)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source,
                               "there is no label column '%s'; svmlight's is named 'label'",
                               options->label);
    /* the label is no column of the matrix: the rest must not look for it there */
    SCANT_I_TRY(SCANT_I_NEW(&ignore, options->nignore + 1));
    others.label = NULL;
    others.nignore = 0;
    others.ignore = ignore;
    for (size_t k = 0; k < options->nignore; k++)
        if (strcmp(options->ignore[k], "label") != 0)
            ignore[others.nignore++] = options->ignore[k];
    SCANT_I_TRY(scant_i_matrix_finish(rows, &others, true));
    SCANT_I_TRY(resolve_labels(r, options)); /* last: weights say which labels count */
done:
    scant_i_free(ignore);
    return status;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    reader r = {0};
    scant_i_lines lines = {.source = source};
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    SCANT_I_TRY(scant_i_rows_new(&r.rows, 0, 0));
    if (!(r.rows->source = scant_i_strdup(scant_i_source_name(source)))) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    for (;;) {
        SCANT_I_TRY(scant_i_lines_next(&lines, &text, &length));
        if (!text)
            break;
        SCANT_I_TRY(take_line(&r, &lines, text));
    }
    SCANT_I_TRY(finish(&r, options));
    *out = r.rows;
    r.rows = NULL;
done:
    scant_rows_free(r.rows);
    scant_i_free(r.label);
    scant_i_names_free(&r.names);
    scant_i_lines_free(&lines);
    return status;
}

/* --- writing --- */

static scant_status put_entry(scant_i_sink *sink, size_t column, double value)
{
    char text[SCANT_I_NUMBER_TEXT];
    if (value == 0)
        return SCANT_OK;
    (void)scant_i_number_format(text, value);
    return scant_i_sink_format(sink, " %zu:%s", column + 1, text);
}

/* Has the last column a value other than 0? Without one readers would not know of it. */
static bool reaches_last(const scant_rows *rows)
{
    size_t d = rows->ncolumns, entries = rows->dense ? 0 : rows->sparse.start[rows->nrows];
    for (size_t i = 0; rows->dense && d > 0 && i < rows->nrows; i++)
        if (rows->dense[i * d + d - 1] != 0)
            return true;
    for (size_t k = 0; k < entries; k++)
        if ((size_t)rows->sparse.column[k] == d - 1 && rows->sparse.value[k] != 0)
            return true;
    return d == 0;
}

static scant_status put_row(const scant_rows *rows, size_t i, scant_i_sink *sink, bool numbers,
                            bool mark_last)
{
    scant_status status = SCANT_OK;
    int32_t label = scant_rows_label(rows, i);
    if (label < 0)
        SCANT_I_TRY(scant_i_sink_text(sink, "nan"));
    else if (numbers)
        SCANT_I_TRY(scant_i_sink_text(sink, rows->labels.classes[label]));
    else
        SCANT_I_TRY(scant_i_sink_format(sink, "%d", label + 1));
    if (rows->dense) {
        for (size_t j = 0; j < rows->ncolumns; j++)
            SCANT_I_TRY(put_entry(sink, j, rows->dense[i * rows->ncolumns + j]));
    } else {
        for (size_t k = rows->sparse.start[i]; k < rows->sparse.start[i + 1]; k++)
            SCANT_I_TRY(put_entry(sink, (size_t)rows->sparse.column[k], rows->sparse.value[k]));
    }
    if (mark_last)
        SCANT_I_TRY(scant_i_sink_format(sink, " %zu:0", rows->ncolumns));
    SCANT_I_TRY(scant_i_sink_text(sink, "\n"));
done:
    return status;
}

static scant_status write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    bool numbers = true;
    for (size_t k = 0; k < rows->labels.nclasses; k++) {
        double value;
        const char *name = rows->labels.classes[k];
        numbers = numbers && scant_i_number_parse(&value, name, strlen(name));
    }
    scant_i_matrix_warn(rows, path, true, false);
    if (!numbers)
        scant_i_log(SCANT_LOG_WARNING, "%s: classes are written as their numbers from 1", path);
    if (rows->labels.nsoft)
        scant_i_log(SCANT_LOG_WARNING, "%s: labels that are not exact are written as unknown",
                    path);
    scant_status status = SCANT_OK;
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++)
        status = put_row(rows, i, sink, numbers, i == 0 && !reaches_last(rows));
    return status;
}

static const char *const endings[] = {".svm", ".svmlight", ".libsvm", NULL};
const scant_i_file_format scant_i_format_svmlight = {
    .name = "svmlight", .endings = endings, .read = read, .write = write};
