#include "io/csv.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    const scant_rows *rows;
    scant_i_sink *sink;
    char separator;
    bool alone; /* one column: an empty cell would be a blank line */
} writer;

static bool needs_quotes(const char *text, char separator)
{
    size_t length = strlen(text);
    if (length == 0)
        return false;
    return strchr(text, separator) || strpbrk(text, "\"\r\n,;|\t") || text[0] == ' ' ||
           text[length - 1] == ' ';
}

static scant_status put_text(const writer *w, const char *text)
{
    scant_status status = SCANT_OK;
    if (!needs_quotes(text, w->separator))
        return scant_i_sink_text(w->sink, text);
    SCANT_I_TRY(scant_i_sink_text(w->sink, "\""));
    for (const char *at = text; *at;) {
        size_t plain = strcspn(at, "\"");
        SCANT_I_TRY(scant_i_sink_write(w->sink, at, plain));
        at += plain;
        if (*at == '"') {
            SCANT_I_TRY(scant_i_sink_text(w->sink, "\"\""));
            at++;
        }
    }
    SCANT_I_TRY(scant_i_sink_text(w->sink, "\""));
done:
    return status;
}

static scant_status put_number(const writer *w, double value)
{
    char text[SCANT_I_NUMBER_TEXT];
    if (isnan(value))
        return w->alone ? scant_i_sink_text(w->sink, "NA") : SCANT_OK;
    return scant_i_sink_write(w->sink, text, scant_i_number_format(text, value));
}

/* A name for a column in addition to the features that none of them has. */
static scant_status put_free_name(const writer *w, const char *given, const char *usual)
{
    scant_status status = SCANT_OK;
    char made[SCANT_I_MADE_NAME];
    char *name = scant_i_strdup(given ? given : usual);
    for (bool taken = true; taken && name;) {
        taken = false;
        for (size_t j = 0; j < w->rows->ncolumns && !taken; j++)
            taken = strcmp(scant_i_column_name(w->rows, j, made), name) == 0;
        if (taken) {
            char *longer = scant_i_format("%s_", name);
            scant_i_free(name);
            name = longer;
        }
    }
    if (!name)
        return SCANT_ERR_MEMORY;
    status = put_text(w, name);
    scant_i_free(name);
    return status;
}

static scant_status put_header(const writer *w)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = w->rows;
    if (rows->id) {
        SCANT_I_TRY(put_free_name(w, rows->id_name, "id"));
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
    }
    for (size_t j = 0; j < rows->ncolumns; j++) {
        if (j > 0)
            SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        char made[SCANT_I_MADE_NAME];
        SCANT_I_TRY(put_text(w, scant_i_column_name(rows, j, made)));
    }
    if (rows->labels.code) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_free_name(w, rows->labels.column, "label"));
    }
    if (rows->weight) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_free_name(w, rows->weight_name, "weight"));
    }
    if (rows->group) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_free_name(w, rows->group_name, rows->sequential ? "sequence" : "group"));
    }
    if (rows->time) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_free_name(w, rows->time_name, "time"));
    }
    SCANT_I_TRY(scant_i_sink_text(w->sink, "\n"));
done:
    return status;
}

/* A soft label as one text, since the whole may need quotes. */
static scant_status put_soft(const writer *w, size_t e)
{
    const scant_i_labels *labels = &w->rows->labels;
    const double *vector = labels->soft + e * labels->nclasses;
    char *text = NULL;
    size_t used = 0, room = 1;
    scant_status status = SCANT_OK;
    for (size_t k = 0; k < labels->nclasses; k++)
        room += strlen(labels->classes[k]) + SCANT_I_NUMBER_TEXT + 2;
    SCANT_I_TRY(SCANT_I_NEW(&text, room));
    for (size_t k = 0; k < labels->nclasses; k++) {
        if (!(vector[k] > 0))
            continue;
        if (used)
            text[used++] = labels->is_probability[e] ? ';' : '|';
        size_t length = strlen(labels->classes[k]);
        memcpy(text + used, labels->classes[k], length);
        used += length;
        if (labels->is_probability[e]) {
            text[used++] = ':';
            used += scant_i_number_format(text + used, vector[k]);
        }
    }
    text[used] = '\0';
    SCANT_I_TRY(put_text(w, text));
done:
    scant_i_free(text);
    return status;
}

static scant_status put_label(const writer *w, size_t row)
{
    const scant_i_labels *labels = &w->rows->labels;
    int32_t code = labels->code[row];
    if (code < 0)
        return SCANT_OK;
    if ((size_t)code < labels->nclasses)
        return put_text(w, labels->classes[code]);
    return put_soft(w, (size_t)code - labels->nclasses);
}

static scant_status put_features(const writer *w, size_t row)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = w->rows;
    size_t entry = rows->dense ? 0 : rows->sparse.start[row];
    for (size_t j = 0; j < rows->ncolumns; j++) {
        double value = 0;
        if (rows->dense)
            value = rows->dense[row * rows->ncolumns + j];
        else if (entry < rows->sparse.start[row + 1] && (size_t)rows->sparse.column[entry] == j)
            value = rows->sparse.value[entry++];
        if (j > 0)
            SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        if (!isnan(value) && scant_rows_column_is_category(rows, j))
            SCANT_I_TRY(put_text(w, rows->columns[j].levels[(size_t)value]));
        else
            SCANT_I_TRY(put_number(w, value));
    }
done:
    return status;
}

static scant_status put_row(const writer *w, size_t row)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = w->rows;
    if (rows->id) {
        SCANT_I_TRY(put_text(w, rows->id[row]));
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
    }
    SCANT_I_TRY(put_features(w, row));
    if (rows->labels.code) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_label(w, row));
    }
    if (rows->weight) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_number(w, rows->weight[row]));
    }
    if (rows->group) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(scant_i_sink_format(w->sink, "%d", rows->group[row] + 1));
    }
    if (rows->time) {
        SCANT_I_TRY(scant_i_sink_write(w->sink, &w->separator, 1));
        SCANT_I_TRY(put_number(w, rows->time[row]));
    }
    SCANT_I_TRY(scant_i_sink_text(w->sink, "\n"));
done:
    return status;
}

scant_status scant_i_csv_write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    scant_status status = SCANT_OK;
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    bool tabs = length >= 4 && strncmp(path + length - 4, ".tsv", 4) == 0;
    writer w = {.rows = rows, .sink = sink, .separator = tabs ? '\t' : ','};
    w.alone =
        rows->ncolumns == 1 && !rows->id && !rows->labels.code && !rows->weight && !rows->group;
    SCANT_I_TRY(put_header(&w));
    for (size_t i = 0; i < rows->nrows; i++)
        SCANT_I_TRY(put_row(&w, i));
done:
    return status;
}
