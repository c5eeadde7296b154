/* Results on stdout: aligned tables for people, JSON for programs, CSV cells. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- tables --- */

struct cli_table {
    size_t ncolumns, nleft, ncells, room;
    char **cell;
    bool broken; /* out of memory: printed as far as it goes */
};

cli_table *cli_table_new(size_t ncolumns, size_t nleft)
{
    cli_table *table = calloc(1, sizeof *table);
    if (table) {
        table->ncolumns = ncolumns;
        table->nleft = nleft;
    }
    return table;
}

static void take_cell(cli_table *table, char *text)
{
    if (table->ncells == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        char **cell = realloc(table->cell, room * sizeof *cell);
        if (!cell)
            table->broken = true;
        else {
            table->cell = cell;
            table->room = room;
        }
    }
    if (!text || table->broken) {
        table->broken = true;
        free(text);
        return;
    }
    table->cell[table->ncells++] = scant_plain(text); /* names may be anything */
}

void cli_table_add(cli_table *table, const char *format, ...)
{
    if (!table)
        return;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    take_cell(table, text);
}

void cli_table_number(cli_table *table, double value)
{
    if (isnan(value))
        cli_table_add(table, "-");
    else
        cli_table_add(table, "%.6g", value);
}

/* Characters that a terminal shows: bytes that begin one in UTF-8. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (const char *c = text; *c; c++)
        width += ((unsigned char)*c & 0xc0) != 0x80;
    return width;
}

void cli_table_print(cli_table *table, FILE *file)
{
    if (!table)
        return;
    size_t *width = calloc(table->ncolumns, sizeof *width);
    for (size_t i = 0; width && i < table->ncells; i++) {
        size_t w = width_of(table->cell[i]);
        if (w > width[i % table->ncolumns])
            width[i % table->ncolumns] = w;
    }
    for (size_t i = 0; i < table->ncells; i++) {
        size_t column = i % table->ncolumns, w = width_of(table->cell[i]);
        bool last = column + 1 == table->ncolumns, left = column < table->nleft;
        int pad = width && !(last && w == 0) ? (int)(width[column] - w) : 0;
        fprintf(file, "%s%*s%s%*s", column ? "  " : "", left ? 0 : pad, "", table->cell[i],
                left && !last ? pad : 0, "");
        if (last)
            fputc('\n', file);
    }
    free(width);
    cli_table_free(table);
}

size_t cli_table_cells(const cli_table *table, size_t *ncolumns, size_t *nleft)
{
    if (!table)
        return 0;
    *ncolumns = table->ncolumns;
    *nleft = table->nleft;
    return table->ncells;
}

const char *cli_table_cell(const cli_table *table, size_t index)
{
    return table->cell[index];
}

void cli_table_free(cli_table *table)
{
    for (size_t i = 0; table && i < table->ncells; i++)
        free(table->cell[i]);
    if (table)
        free(table->cell);
    free(table);
}

void cli_line(FILE *file, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (vasprintf(&text, format, arguments) >= 0)
        fprintf(file, "%-18s %s\n", name, scant_plain(text));
    free(text);
    va_end(arguments);
}

/* --- JSON --- */

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

json_t *cli_json_nested(const double *value, const size_t *dim, size_t ndim)
{
    if (ndim == 0)
        return cli_json_real(*value);
    size_t block = 1;
    for (size_t d = 1; d < ndim; d++)
        block *= dim[d];
    json_t *list = json_array();
    for (size_t i = 0; i < dim[0]; i++)
        (void)json_array_append_new(list, cli_json_nested(value + i * block, dim + 1, ndim - 1));
    return list;
}

void cli_json_set(json_t *object, const char *name, json_t *value)
{
    json_t *text = cli_json_text(name);
    if (text)
        (void)json_object_set_new(object, json_string_value(text), value);
    else
        json_decref(value);
    json_decref(text);
}

json_t *cli_json_seed(uint64_t seed)
{
    char text[32];
    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return json_string(text);
}

const char *cli_rows_class(const void *rows, size_t index)
{
    return scant_rows_class_name(rows, index);
}

const char *cli_model_class(const void *model, size_t index)
{
    return scant_model_class_name(model, index);
}

json_t *cli_json_names(size_t count, const char *(*name)(const void *, size_t), const void *object)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        (void)json_array_append_new(list, cli_json_text(name(object, i)));
    return list;
}

const char *const cli_measure_name[CLI_MEASURES] = {
    "accuracy", "balanced_accuracy", "log_loss",          "brier",          "ece",
    "mse",      "mean_loglik",       "segment_precision", "segment_recall", "segment_f1"};

double cli_measure(const scant_evaluation *e, size_t m)
{
    const double measures[CLI_MEASURES] = {
        e->accuracy, e->balanced_accuracy, e->log_loss,          e->brier,          e->ece,
        e->mse,      e->mean_loglik,       e->segment_precision, e->segment_recall, e->segment_f1};
    return measures[m];
}

json_t *cli_json_warnings(const scant_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scant_model_warnings(model); i++)
        (void)json_array_append_new(list, cli_json_text(scant_model_warning(model, i)));
    return list;
}

void cli_print_training(const scant_summary *s)
{
    cli_line(stdout, "parameters", "%zu", s->parameters);
    cli_line(stdout, "loglik", "%.10g", s->loglik);
    cli_line(stdout, "objective", "%.10g", s->objective);
    if (!isnan(s->bic)) { /* a linear classifier maximises no likelihood */
        cli_line(stdout, "bic", "%.10g", s->bic);
        cli_line(stdout, "icl", "%.10g", s->icl);
        cli_line(stdout, "aic", "%.10g", s->aic);
    }
    cli_line(stdout, "iterations", "%zu (start %zu of %zu)", s->iterations, s->best_start + 1,
             s->starts);
    cli_line(stdout, "stop", "%s", scant_stop_name(s->stop));
}

/* Class names are the model's, or where there is no model those of the rows. */
json_t *cli_json_evaluation(const scant_evaluation *e, const scant_model *model,
                            const scant_rows *rows)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "rows", json_integer((json_int_t)e->rows));
    for (size_t m = 0; m < CLI_MEASURES; m++)
        if (!isnan(cli_measure(e, m)))
            cli_json_set(object, cli_measure_name[m], cli_json_real(cli_measure(e, m)));
    if (e->classes && e->confusion) {
        json_t *matrix = json_array();
        for (size_t i = 0; i < e->classes; i++) {
            json_t *line = json_array();
            for (size_t j = 0; j < e->classes; j++)
                (void)json_array_append_new(line, cli_json_real(e->confusion[i * e->classes + j]));
            (void)json_array_append_new(matrix, line);
        }
        json_t *names = model ? cli_json_names(e->classes, cli_model_class, model)
                              : cli_json_names(e->classes, cli_rows_class, rows);
        (void)json_object_set_new(object, "classes", names);
        (void)json_object_set_new(object, "confusion", matrix);
    }
    return object;
}

int cli_json_print(const cli_call *call, json_t *object)
{
    int failed = object ? json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : -1;
    json_decref(object);
    putchar('\n');
    if (failed && !ferror(stdout)) /* a failed write is told when stdout is closed */
        return cli_error(call, CLI_INTERNAL, "the result could not be written as JSON");
    return EXIT_OK;
}

/* --- CSV --- */

/* As in the tables that the library writes: whatever separator a reader takes, and blanks kept. */
static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);
    return strpbrk(text, "\"\r\n,;|\t") ||
           (length > 0 && (text[0] == ' ' || text[length - 1] == ' '));
}

void cli_csv_text(FILE *stream, const char *text)
{
    if (!needs_quotes(text)) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', stream);
        fputc(*c, stream);
    }
    fputc('"', stream);
}

const char *cli_shortest(double value, char text[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void cli_csv_number(FILE *stream, double value)
{
    char text[32];
    if (!isnan(value))
        fputs(cli_shortest(value, text), stream);
}
