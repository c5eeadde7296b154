/* Rows as they come, over the CSV reader's parts: a line is a record. */
#include <string.h>

#include "io/csv.h"
#include "io/format.h"
#include "io/options.h"

struct scant_reader {
    scant_i_source *source, *header; /* `header` holds the first line for the CSV reader */
    char *first;                     /* that line, behind as many blank ones as came before it */
    scant_i_lines lines;
    scant_i_csv *csv;
    scant_read_options options;
};

/* The next line with its newline back in place; *end NULL behind the last. */
static scant_status take_line(scant_reader *reader, char **begin, char **end)
{
    size_t length = 0;
    scant_status status = scant_i_lines_next(&reader->lines, begin, &length);
    *end = *begin ? *begin + length + 1 : NULL;
    if (status == SCANT_OK && *begin)
        (*begin)[length] = '\n';
    return status;
}

static bool is_blank(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\r' || *begin == '\n'))
        begin++;
    return begin == end;
}

static scant_status read_header(scant_reader *reader, const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    char *begin = NULL, *end = NULL;
    const char *file = scant_i_source_name(reader->source);
    do
        SCANT_I_TRY(take_line(reader, &begin, &end));
    while (begin && is_blank(begin, end));
    if (!begin) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, file, "the file is empty");
        goto done;
    }
    size_t before = reader->lines.line - 1, length = before + (size_t)(end - begin);
    SCANT_I_TRY(SCANT_I_NEW(&reader->first, length));
    memset(reader->first, '\n', before);
    memcpy(reader->first + before, begin, length - before);
    SCANT_I_TRY(scant_i_source_memory(&reader->header, reader->first, length, file));
    SCANT_I_TRY(scant_i_csv_new(&reader->csv, reader->header, options));
done:
    return status;
}

scant_status scant_reader_open(scant_reader **out, const char *path,
                               const scant_read_options *options)
{
    scant_status status = SCANT_OK;
    scant_reader *reader = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&reader, 1));
    SCANT_I_TRY(scant_i_read_options_take(&reader->options, options));
    options = &reader->options;
    if (options->context_file)
        SCANT_I_TRY(scant_i_fail_in(SCANT_ERR_ARGUMENT, options->context_file,
                                    "rows that come one at a time bring their context in columns"));
    if (options->dataset)
        SCANT_I_TRY(scant_i_fail_in(SCANT_ERR_ARGUMENT, path,
                                    "--dataset %s: rows that come one at a time are CSV",
                                    options->dataset));
    SCANT_I_TRY(scant_i_source_open(&reader->source, path));
    scant_i_source_go_live(reader->source);
    reader->lines.source = reader->source;
    SCANT_I_TRY(read_header(reader, options));
    *out = reader;
    reader = NULL;
done:
    scant_reader_free(reader);
    return status;
}

scant_status scant_reader_next(scant_rows **out, scant_reader *reader)
{
    char *begin = NULL, *end = NULL;
    *out = NULL;
    while (!*out) {
        scant_status status =
            scant_i_interrupted() /* though many a line may have come already */
                ? scant_i_fail_in(SCANT_ERR_INTERRUPTED, scant_i_source_name(reader->source),
                                  "interrupted while reading")
                : take_line(reader, &begin, &end);
        if (status != SCANT_OK || !begin)
            return status;
        status = scant_i_csv_one(out, reader->csv, begin, end, reader->lines.line);
        if (status == SCANT_OK && *out)
            status = scant_i_rows_take_context(*out, &reader->options);
        if (status != SCANT_OK) {
            scant_rows_free(*out);
            *out = NULL;
            return status;
        }
    }
    return SCANT_OK;
}

size_t scant_reader_line(const scant_reader *reader)
{
    return reader->lines.line;
}

void scant_reader_free(scant_reader *reader)
{
    if (!reader)
        return;
    scant_i_csv_free(reader->csv);
    scant_i_lines_free(&reader->lines);
    scant_i_source_free(reader->header);
    scant_i_source_free(reader->source);
    scant_i_free(reader->first);
    scant_i_free(reader);
}
