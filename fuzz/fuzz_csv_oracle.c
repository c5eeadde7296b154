/* Cells as libcsv sees them. All columns are read as names, so that text is compared and not
 * numbers. Where the two have different rules on purpose the input is passed over: zero bytes, a
 * byte order mark, carriage returns but before a newline, blanks and missing cells' words, quotes
 * within plain cells. */
#include "read.h"

#include <csv.h>
#include <math.h>
#include "data/names.h"

enum { MOST = 4096 };

typedef struct table {
    char *cell[MOST];
    size_t length[MOST];
    size_t count, rows, width, width_now;
    bool ragged;
} table;

static void take_cell(void *text, size_t n, void *payload)
{
    table *t = payload;
    if (t->count == MOST)
        return;
    char *copy = malloc(n + 1);
    if (!copy)
        abort();
    if (n)
        memcpy(copy, text, n);
    copy[n] = '\0';
    t->cell[t->count] = copy;
    t->length[t->count++] = n;
    t->width_now++;
}

static void take_row(int c, void *payload)
{
    table *t = payload;
    (void)c;
    if (t->rows == 0)
        t->width = t->width_now;
    t->ragged = t->ragged || t->width_now != t->width;
    t->width_now = 0;
    t->rows++;
}

/* Only what both understand alike: a first line "sep=," is no header to us. */
static bool is_common(const uint8_t *data, size_t n)
{
    size_t quote = n > 0 && data[0] == '"';
    if (n >= quote + 4 && strncasecmp((const char *)data + quote, "sep=", 4) == 0)
        return false;
    for (size_t k = 0; k < n; k++) {
        uint8_t c = data[k];
        if (c == 0 || c == '\r' || c == ' ' || c == '\t' || c == ';' || c == '|' || c >= 0x80)
            return false;
    }
    return true;
}

/* Else some are made up: empty names, and those that occur again. */
static bool has_names(const table *t)
{
    for (size_t j = 0; j < t->width; j++)
        for (size_t k = 0; k <= j; k++)
            if (t->length[j] == 0 || (k < j && strcmp(t->cell[j], t->cell[k]) == 0))
                return false;
    return true;
}

static void compare(const table *t, const scant_rows *rows)
{
    if (rows->nrows != t->rows - 1 || rows->ncolumns != t->width)
        abort();
    for (size_t k = t->width; k < t->count; k++) {
        size_t row = k / t->width - 1, column = k % t->width;
        double code = rows->dense[row * rows->ncolumns + column];
        bool missing = scant_i_is_missing(t->cell[k], t->length[k]);
        if (missing != (isnan(code) != 0))
            abort();
        if (!missing && strcmp(rows->columns[column].levels[(size_t)code], t->cell[k]) != 0)
            abort();
    }
    for (size_t j = 0; j < t->width && has_names(t); j++)
        if (strcmp(rows->columns[j].name, t->cell[j]) != 0)
            abort();
}

/* A sound header and rows of its width: we must have read it. */
static bool must_be_read(const table *t)
{
    return t->rows >= 2 && !t->ragged && t->count < MOST && has_names(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const all[] = {"*"};
    scant_read_options options = {.size = sizeof options,
                                  .threads = 1,
                                  .categorical = all,
                                  .ncategorical = 1,
                                  .separator = ','};
    if (!is_common(data, n))
        return 0;
    struct csv_parser parser;
    table *t = calloc(1, sizeof *t);
    if (!t || csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        abort();
    bool good = csv_parse(&parser, data, n, take_cell, take_row, t) == n &&
                csv_fini(&parser, take_cell, take_row, t) == 0;
    scant_rows *rows = read_rows(data, n, &scant_i_format_csv, &options);
    if (good && rows && t->count < MOST && !t->ragged)
        compare(t, rows);
    if (good && !rows && must_be_read(t))
        abort();
    if (good && rows && t->ragged) /* what one calls ragged the other must not read */
        abort();
    for (size_t k = 0; k < t->count; k++)
        free(t->cell[k]);
    free(t);
    csv_free(&parser);
    scant_rows_free(rows);
    return 0;
}
