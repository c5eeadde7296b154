/* Names and factors of `scant factor`, in and out. */
#define _GNU_SOURCE /* asprintf, getline */
#include "factor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- names --- */

void cli_names_clear(cli_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->item[i]);
    free((void *)names->item);
    *names = (cli_names){0};
}

bool cli_names_add(cli_names *names, const char *text)
{
    char **item = (char **)realloc((void *)names->item, (names->count + 1) * sizeof *item);
    if (!item)
        return false;
    names->item = item;
    item[names->count] = strdup(text);
    return item[names->count++] != NULL;
}

static int read_lines(cli_names *out, const cli_call *call, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    bool whole = true;
    while (whole && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        whole = cli_names_add(out, line);
    }
    free(line);
    return whole ? GO_ON : cli_out_of_memory(call);
}

/* The column is read as identifiers; that the others be categories lets them be anything. */
static int read_column(cli_names *out, const cli_call *call, const char *path, const char *column)
{
    static const char *const all[] = {"*"};
    const scant_read_options options = {
        .size = sizeof options, .id = column, .categorical = all, .ncategorical = 1};
    scant_rows *rows = NULL;
    scant_status status = scant_rows_read(&rows, path, &options);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    bool whole = true;
    for (size_t i = 0; i < scant_rows_count(rows) && whole; i++)
        whole = cli_names_add(out, scant_rows_id(rows, i));
    scant_rows_free(rows);
    return whole ? GO_ON : cli_out_of_memory(call);
}

static int read_table(cli_names *out, const cli_call *call, const char *what)
{
    const char *colon = strrchr(what, ':');
    char *path = colon ? strndup(what, (size_t)(colon - what)) : NULL;
    if (!colon)
        return cli_error(call, CLI_INPUT, "--names: %s: %s", what, strerror(errno));
    int code = path ? read_column(out, call, path, colon + 1) : cli_out_of_memory(call);
    free(path);
    return code;
}

int cli_names_read(cli_names *out, const cli_call *call, const char *what, size_t wanted)
{
    if (strcmp(what, "-") == 0)
        return GO_ON;
    FILE *file = fopen(what, "r");
    int code = file ? read_lines(out, call, file) : read_table(out, call, what);
    if (file)
        (void)fclose(file);
    if (code == GO_ON && out->count != wanted)
        code = cli_error(call, CLI_INPUT, "--names: %s has %zu names for a mode of size %zu", what,
                         out->count, wanted);
    return code;
}

/* --- factors --- */

char *cli_factor_path(const char *folder, size_t mode)
{
    char *path = NULL;
    int made = mode ? asprintf(&path, "%s/mode-%zu.csv", folder, mode)
                    : asprintf(&path, "%s/weights.csv", folder);
    return made < 0 ? NULL : path;
}

int cli_factor_read(double **out, const cli_call *call, const char *path, size_t nrows,
                    size_t ncolumns)
{
    const scant_read_options options = {.size = sizeof options, .id = "name", .id_optional = true};
    scant_rows *rows = NULL;
    scant_status status = scant_rows_read(&rows, path, &options);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    int code = GO_ON;
    if (scant_rows_count(rows) != nrows || scant_rows_columns(rows) != ncolumns) {
        code = cli_error(call, CLI_INPUT, "%s is %zu x %zu; %zu x %zu is wanted", path,
                         scant_rows_count(rows), scant_rows_columns(rows), nrows, ncolumns);
    } else if (!(*out = calloc(nrows * ncolumns + 1, sizeof **out))) {
        code = cli_out_of_memory(call);
    }
    for (size_t t = 0; code == GO_ON && t < nrows * ncolumns; t++)
        (*out)[t] = scant_rows_value(rows, t / ncolumns, t % ncolumns);
    scant_rows_free(rows);
    return code;
}

int cli_factor_write(const cli_call *call, const char *folder, size_t mode, const double *value,
                     size_t nrows, size_t ncolumns, const cli_names *names)
{
    bool named = names && names->count;
    cli_file file;
    char *path = cli_factor_path(folder, mode);
    if (!path)
        return cli_out_of_memory(call);
    int code = cli_file_open(&file, call, path);
    free(path);
    if (code != GO_ON)
        return code;
    if (named)
        fputs("name,", file.stream);
    for (size_t q = 0; q < ncolumns; q++)
        fprintf(file.stream, mode ? "%scomponent_%zu" : "%sweight", q ? "," : "", q + 1);
    fputc('\n', file.stream);
    for (size_t i = 0; i < nrows; i++) {
        if (named) {
            cli_csv_text(file.stream, names->item[i]);
            fputc(',', file.stream);
        }
        for (size_t q = 0; q < ncolumns; q++) {
            if (q)
                fputc(',', file.stream);
            cli_csv_number(file.stream, value[i * ncolumns + q]);
        }
        fputc('\n', file.stream);
    }
    return cli_file_close(&file, call, EXIT_OK);
}

int cli_factor_remove(const cli_call *call, const char *folder, size_t mode)
{
    for (;; mode++) {
        char *path = cli_factor_path(folder, mode);
        if (!path)
            return cli_out_of_memory(call);
        int code = unlink(path) == 0 ? GO_ON : EXIT_OK;
        if (code == EXIT_OK && errno != ENOENT)
            code =
                cli_error(call, CLI_OUTPUT, "%s could not be removed: %s", path, strerror(errno));
        free(path);
        if (code != GO_ON)
            return code;
    }
}
