/* Matrix Market: coordinate (read as sparse rows) and array (dense), real, integer or pattern,
 * general or symmetric. */
#include "io/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"

typedef struct entry {
    size_t row;
    int32_t column;
    double value;
} entry;

typedef struct reader {
    const char *file;
    scant_i_lines lines;
    bool coordinate, pattern, integer, symmetric, skew;
    size_t nrows, ncolumns, said; /* entries by the header */
    entry *entries;
    size_t nentries, room;
    scant_i_doubles items;
} reader;

static const char banner[] = "%%MatrixMarket";

static bool sniff(const unsigned char *head, size_t n)
{
    return n >= sizeof banner - 1 && memcmp(head, banner, sizeof banner - 1) == 0;
}

static scant_status fail_line(const reader *r, const char *text, const char *why)
{
    return scant_i_lines_fail(&r->lines, text, why);
}

/* The next line that is neither empty nor a comment. */
static scant_status next_line(reader *r, char **text)
{
    for (;;) {
        size_t length = 0;
        scant_status status = scant_i_lines_next(&r->lines, text, &length);
        if (status != SCANT_OK || !*text)
            return status;
        scant_i_skip_blanks(text);
        if (**text && **text != '%')
            return SCANT_OK;
    }
}

static bool take_word(char **at, char *word, size_t room)
{
    scant_i_skip_blanks(at);
    size_t n = strcspn(*at, " \t");
    if (n == 0 || n >= room)
        return false;
    memcpy(word, *at, n);
    word[n] = '\0';
    *at += n;
    return true;
}

static scant_status read_banner(reader *r)
{
    char *text = NULL, word[4][16];
    size_t length = 0;
    scant_status status = scant_i_lines_next(&r->lines, &text, &length);
    if (status != SCANT_OK)
        return status;
    if (!text || strncmp(text, banner, sizeof banner - 1) != 0)
        return scant_i_fail_at(SCANT_ERR_INPUT, r->file, 1, 0,
                               "a Matrix Market file begins with %s", banner);
    char *at = text + sizeof banner - 1;
    for (size_t k = 0; k < 4; k++)
        if (!take_word(&at, word[k], sizeof word[k]))
            return fail_line(r, text, "not matrix, form, field and symmetry");
    r->coordinate = strcasecmp(word[1], "coordinate") == 0;
    r->pattern = strcasecmp(word[2], "pattern") == 0;
    r->integer = strcasecmp(word[2], "integer") == 0;
    r->skew = strcasecmp(word[3], "skew-symmetric") == 0;
    r->symmetric = r->skew || strcasecmp(word[3], "symmetric") == 0;
    if (strcasecmp(word[0], "matrix") != 0 ||
        (!r->coordinate && strcasecmp(word[1], "array") != 0) ||
        (!r->pattern && !r->integer && strcasecmp(word[2], "real") != 0 &&
         strcasecmp(word[2], "double") != 0) ||
        (!r->symmetric && strcasecmp(word[3], "general") != 0) || (r->pattern && !r->coordinate))
        return fail_line(r, text, "this kind of matrix is not read");
    return SCANT_OK;
}

static scant_status read_size(reader *r)
{
    char *text = NULL;
    scant_status status = next_line(r, &text);
    if (status != SCANT_OK)
        return status;
    if (!text)
        return scant_i_fail_in(SCANT_ERR_INPUT, r->file, "there is no line of sizes");
    char *at = text;
    uint64_t rows = 0, columns = 0, entries = 0;
    bool good = scant_i_take_integer(&rows, &at) && scant_i_take_integer(&columns, &at) &&
                (!r->coordinate || scant_i_take_integer(&entries, &at));
    scant_i_skip_blanks(&at);
    if (!good || *at)
        return fail_line(r, text, "not the sizes of a matrix");
    if (rows == 0 || columns == 0)
        return fail_line(r, text, "the matrix is empty");
    if (rows > SIZE_MAX / 2 || columns > INT32_MAX - 1)
        return fail_line(r, text, "the matrix is too large");
    if (r->symmetric && rows != columns)
        return fail_line(r, text, "a symmetric matrix must be square");
    r->nrows = (size_t)rows;
    r->ncolumns = (size_t)columns;
    r->said = (size_t)entries;
    return SCANT_OK;
}

static scant_status add_entry(reader *r, size_t row, size_t column, double value)
{
    if (r->nentries == r->room) {
        size_t room = r->room ? r->room * 3 / 2 : 1024;
        scant_status status = scant_i_resize(&r->entries, room, sizeof *r->entries);
        if (status != SCANT_OK)
            return status;
        r->room = room;
    }
    r->entries[r->nentries++] = (entry){row, (int32_t)column, value};
    return SCANT_OK;
}

/* Is it a number that the field of the header allows? NaN, a missing cell, is one in any field. */
static bool in_field(const reader *r, double value)
{
    return !r->integer || isnan(value) || value == floor(value);
}

static const char no_integer[] = "the header says integer, but a number has a fraction";

static scant_status take_entry(reader *r, char *text)
{
    scant_status status = SCANT_OK;
    char *at = text;
    uint64_t row = 0, column = 0;
    double value = 1;
    bool good = scant_i_take_integer(&row, &at) && scant_i_take_integer(&column, &at);
    if (good && !r->pattern)
        good = scant_i_take_number(&value, &at);
    scant_i_skip_blanks(&at);
    if (!good || *at)
        return fail_line(r, text,
                         r->pattern ? "not row and column" : "not row, column and a finite number");
    if (!in_field(r, value))
        return fail_line(r, text, no_integer);
    if (row < 1 || row > r->nrows || column < 1 || column > r->ncolumns)
        return fail_line(r, text, "outside the matrix");
    if (r->skew && row == column)
        return fail_line(r, text, "a skew-symmetric matrix has no diagonal");
    SCANT_I_TRY(add_entry(r, (size_t)row - 1, (size_t)column - 1, value));
    if (r->symmetric && row != column)
        SCANT_I_TRY(add_entry(r, (size_t)column - 1, (size_t)row - 1, r->skew ? -value : value));
done:
    return status;
}

static int by_place(const void *a, const void *b)
{
    const entry *left = a, *right = b;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return (left->column > right->column) - (left->column < right->column);
}

/* `known`: the columns that a schema has. */
static scant_status read_coordinates(scant_rows *rows, reader *r, size_t known)
{
    scant_status status = SCANT_OK;
    char *text = NULL;
    size_t count = 0;
    SCANT_I_TRY(next_line(r, &text));
    for (; text; count++) {
        if (count == r->said)
            return fail_line(r, text, "more entries than the header says");
        SCANT_I_TRY(take_entry(r, text));
        SCANT_I_TRY(next_line(r, &text));
    }
    if (count < r->said)
        return scant_i_fail_in(SCANT_ERR_INPUT, r->file, "%zu entries, but the header says %zu",
                               count, r->said);
    SCANT_I_TRY(scant_i_check_claim(r->file, "rows", r->nrows, r->nentries, SCANT_I_FREE_ROWS, 0));
    SCANT_I_TRY(scant_i_check_claim(r->file, "columns", r->ncolumns, r->nentries,
                                    SCANT_I_FREE_COLUMNS, known));
    for (size_t k = 1; k < r->nentries; k++) {
        if (by_place(&r->entries[k - 1], &r->entries[k]) >= 0) {
            qsort(r->entries, r->nentries, sizeof *r->entries, by_place);
            break;
        }
    }
    SCANT_I_TRY(SCANT_I_NEW(&rows->sparse.start, r->nrows + 1));
    SCANT_I_TRY(SCANT_I_NEW(&rows->sparse.column, r->nentries));
    SCANT_I_TRY(SCANT_I_NEW(&rows->sparse.value, r->nentries));
    for (size_t k = 0; k < r->nentries; k++) {
        const entry *e = &r->entries[k];
        if (k > 0 && by_place(e - 1, e) == 0)
            return scant_i_fail_in(SCANT_ERR_INPUT, r->file, "entry (%zu, %d) is given twice",
                                   e->row + 1, e->column + 1);
        rows->sparse.start[e->row + 1]++;
        rows->sparse.column[k] = e->column;
        rows->sparse.value[k] = e->value;
    }
    for (size_t i = 0; i < r->nrows; i++)
        rows->sparse.start[i + 1] += rows->sparse.start[i];
done:
    return status;
}

/* Column by column; of a symmetric matrix only what is on and below the diagonal. */
static scant_status read_array(scant_rows *rows, reader *r)
{
    scant_status status = SCANT_OK;
    char *text = NULL;
    size_t cells = 0, want = 0;
    if (__builtin_mul_overflow(r->nrows, r->ncolumns, &cells))
        return scant_i_fail_in(SCANT_ERR_INPUT, r->file, "%zu x %zu numbers make no sense",
                               r->nrows, r->ncolumns);
    want = !r->symmetric ? cells : r->skew ? (cells - r->nrows) / 2 : (cells + r->nrows) / 2;
    SCANT_I_TRY(next_line(r, &text));
    while (text) {
        double value = 0;
        char *at = text;
        for (scant_i_skip_blanks(&at); *at; scant_i_skip_blanks(&at)) {
            if (!scant_i_take_number(&value, &at))
                return fail_line(r, text, "not a finite number");
            if (!in_field(r, value))
                return fail_line(r, text, no_integer);
            if (r->items.count == want)
                return fail_line(r, text, "more numbers than the header says");
            SCANT_I_TRY(scant_i_doubles_reserve(&r->items, 1));
            r->items.value[r->items.count++] = value;
        }
        SCANT_I_TRY(next_line(r, &text));
    }
    if (r->items.count < want)
        return scant_i_fail_in(SCANT_ERR_INPUT, r->file, "%zu numbers, but the header says %zu",
                               r->items.count, want);
    rows->dense = scant_i_calloc(cells, sizeof *rows->dense);
    if (!rows->dense)
        return SCANT_ERR_MEMORY;
    for (size_t j = 0, k = 0; j < r->ncolumns; j++) {
        for (size_t i = r->symmetric ? j + r->skew : 0; i < r->nrows; i++, k++) {
            double value = r->items.value[k];
            if (r->symmetric)
                rows->dense[j * r->ncolumns + i] = r->skew ? -value : value;
            rows->dense[i * r->ncolumns + j] = value;
        }
    }
done:
    return status;
}

static scant_status read(scant_rows **out, scant_i_source *source,
                         const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    reader r = {.file = scant_i_source_name(source), .lines = {.source = source}};
    scant_rows *rows = NULL;
    *out = NULL;
    SCANT_I_TRY(read_banner(&r));
    SCANT_I_TRY(read_size(&r));
    SCANT_I_TRY(scant_i_rows_new(&rows, r.nrows, r.ncolumns));
    if (!(rows->source = scant_i_strdup(r.file))) {
        status = SCANT_ERR_MEMORY;
        goto done;
    }
    size_t known = options->schema ? options->schema->ncolumns : 0;
    SCANT_I_TRY(r.coordinate ? read_coordinates(rows, &r, known) : read_array(rows, &r));
    SCANT_I_TRY(scant_i_matrix_finish(rows, options, false));
    *out = rows;
    rows = NULL;
done:
    scant_rows_free(rows);
    scant_i_free(r.entries);
    scant_i_free(r.items.value);
    scant_i_lines_free(&r.lines);
    return status;
}

/* --- writing --- */

static scant_status write(const scant_rows *rows, scant_i_sink *sink, const char *path)
{
    scant_status status = SCANT_OK;
    char text[SCANT_I_NUMBER_TEXT];
    scant_i_matrix_warn(rows, path, false, false);
    if (rows->dense) {
        SCANT_I_TRY(scant_i_sink_format(sink, "%s matrix array real general\n%zu %zu\n", banner,
                                        rows->nrows, rows->ncolumns));
        for (size_t j = 0; j < rows->ncolumns; j++) {
            for (size_t i = 0; i < rows->nrows; i++) {
                (void)scant_i_number_format(text, rows->dense[i * rows->ncolumns + j]);
                SCANT_I_TRY(scant_i_sink_format(sink, "%s\n", text));
            }
        }
        goto done;
    }
    SCANT_I_TRY(scant_i_sink_format(sink, "%s matrix coordinate real general\n%zu %zu %zu\n",
                                    banner, rows->nrows, rows->ncolumns,
                                    rows->sparse.start[rows->nrows]));
    for (size_t i = 0; i < rows->nrows; i++) {
        for (size_t k = rows->sparse.start[i]; k < rows->sparse.start[i + 1]; k++) {
            (void)scant_i_number_format(text, rows->sparse.value[k]);
            SCANT_I_TRY(
                scant_i_sink_format(sink, "%zu %d %s\n", i + 1, rows->sparse.column[k] + 1, text));
        }
    }
done:
    return status;
}

static const char *const endings[] = {".mtx", ".mm", NULL};
const scant_i_file_format scant_i_format_matrix_market = {
    .name = "Matrix Market", .endings = endings, .sniff = sniff, .read = read, .write = write};
