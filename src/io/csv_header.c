#include "io/csv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char candidates[] = {',', ';', '\t', '|'};

/* The candidate that occurs most often outside quotes; the first of them where they tie. */
static char find_separator(const char *begin, const char *end)
{
    size_t count[sizeof candidates] = {0}, best = 0;
    bool start = true, quoted = false;
    for (const char *at = begin; at < end; at++) {
        const char *found = memchr(candidates, *at, sizeof candidates);
        if (*at == '"' && (quoted || start))
            quoted = !quoted;
        else if (found && !quoted)
            count[found - candidates]++;
        start = quoted || found || (start && *at == ' ');
    }
    for (size_t k = 1; k < sizeof candidates; k++)
        if (count[k] > count[best])
            best = k;
    return candidates[best];
}

/* A carriage return that is not quoted, before the end of the line: most likely it was to end one. */
static bool has_lone_return(const scant_i_csv_cell *cell, const char *begin)
{
    bool quoted = cell->text > begin && cell->text[-1] == '"';
    const char *from = quoted ? cell->text + cell->length : cell->text, *to = cell->after;
    if (to > from && *to == '\n' && to[-1] == '\r')
        to--;
    return (!quoted || cell->torn) && memchr(from, '\r', (size_t)(to - from));
}

enum { MOST_TOLD = 10 }; /* columns that got another name */

/* The name, or the first of name_2, name_3, ... that no column has. */
static scant_status add_free_name(scant_i_csv *csv, const char *text, size_t length)
{
    scant_status status = SCANT_OK;
    int32_t code = 0;
    char *longer = NULL;
    /* A name that came before goes on where it got to: what it was called then is taken. */
    int32_t first = scant_i_names_find(&csv->header, text, length);
    size_t k = first < 0 || csv->copies[first] == 0 ? 2 : csv->copies[first];
    for (; scant_i_names_find(&csv->header, longer ? longer : text,
                              longer ? strlen(longer) : length) >= 0;
         k++) {
        scant_i_free(longer);
        longer = scant_i_format("%.*s_%zu", (int)length, text, k);
        if (!longer)
            return SCANT_ERR_MEMORY;
    }
    SCANT_I_TRY(scant_i_names_add(&code, &csv->header, longer ? longer : text,
                                  longer ? strlen(longer) : length));
    if (csv->nfields == csv->copies_room) {
        size_t room = csv->copies_room ? 2 * csv->copies_room : 64;
        SCANT_I_TRY(scant_i_resize(&csv->copies, room, sizeof *csv->copies));
        csv->copies_room = room;
    }
    csv->copies[csv->nfields++] = 0;
    if (first >= 0)
        csv->copies[first] = k;
done:
    scant_i_free(longer);
    return status;
}

static scant_status add_name(scant_i_csv *csv, const scant_i_csv_cell *cell, const char *begin,
                             size_t line)
{
    int32_t code = 0;
    if (has_lone_return(cell, begin))
        return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, csv->nfields + 1,
                               "a carriage return within the header; if lines end in CR alone, "
                               "write them with LF or CRLF (tr '\\r' '\\n')");
    if (cell->torn)
        return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, csv->nfields + 1,
                               "text behind a closing quote");
    scant_status status = SCANT_OK;
    if (cell->length == 0) {
        char *name = scant_i_format("unnamed_%zu", csv->nfields + 1);
        status = name ? add_free_name(csv, name, strlen(name)) : SCANT_ERR_MEMORY;
        scant_i_free(name);
        if (status == SCANT_OK && csv->nrenamed++ < MOST_TOLD)
            status =
                scant_i_csv_note(csv, "column %zu has no name; it is called '%s'", csv->nfields,
                                 scant_i_names_text(&csv->header, csv->nfields - 1));
        return status;
    }
    code = scant_i_names_find(&csv->header, cell->text, cell->length);
    if (code >= 0 && csv->options->probabilities) /* of one class twice: which is meant? */
        return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, csv->nfields + 1,
                               "column %d is named '%s' too", code + 1,
                               scant_i_names_text(&csv->header, (size_t)code));
    status = add_free_name(csv, cell->text, cell->length);
    if (status == SCANT_OK && code >= 0 && csv->nrenamed++ < MOST_TOLD)
        status = scant_i_csv_note(
            csv, "columns %d and %zu are both named '%s'; the second is called '%s'", code + 1,
            csv->nfields, scant_i_names_text(&csv->header, (size_t)code),
            scant_i_names_text(&csv->header, csv->nfields - 1));
    return status;
}

/* A first line of numbers is most likely a row, though a table may have numbers for names. */
static void warn_of_numbers(const scant_i_csv *csv)
{
    bool fraction = false;
    for (size_t j = 0; j < csv->nfields; j++) {
        double value = 0;
        if (!scant_i_number_parse(&value, csv->names[j], strlen(csv->names[j])))
            return;
        fraction = fraction || value != floor(value);
    }
    if (fraction)
        scant_i_log(SCANT_LOG_WARNING,
                    "%s: the first line is all numbers; it is taken as the names of the columns",
                    csv->file);
}

static scant_status plan_texts(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&csv->text_of, csv->nfields));
    for (size_t f = 0; f < csv->nfields; f++) {
        const scant_i_field *field = &csv->plan.fields[f];
        if (field->role == SCANT_I_LABEL || field->role == SCANT_I_GROUP ||
            (field->role == SCANT_I_FEATURE && field->kind == SCANT_I_CATEGORY))
            csv->text_of[f] = csv->ntexts++;
    }
    SCANT_I_TRY(SCANT_I_NEW(&csv->texts, csv->ntexts));
    for (size_t k = 0; k < SCANT_I_CSV_PIECES; k++)
        SCANT_I_TRY(SCANT_I_NEW(&csv->pieces[k].names, csv->ntexts));
done:
    return status;
}

/* Leaves `record` on the header line: behind a byte order mark and blank lines. *end is NULL if the
 * line goes on behind the chunk. */
static scant_status find_header(scant_i_csv *csv, char separator, char **record, char **end)
{
    char *at = csv->buffer, *stop = csv->buffer + csv->used;
    csv->line = 1 + csv->lines_before;
    if (csv->used >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (char *probe = at; probe < stop; probe++) {
        if (*probe == '\n') {
            csv->line++;
            at = probe + 1;
        } else if (*probe != '\r' && *probe != ' ') {
            break;
        }
    }
    *end = NULL;
    if (at == stop && !csv->ended)
        return SCANT_OK; /* blank lines only, so far */
    if (at == stop)
        return scant_i_fail_in(SCANT_ERR_INPUT, csv->file, "the file is empty");
    *record = at;
    *end = scant_i_csv_record(at, stop, separator);
    return SCANT_OK;
}

static scant_status load_header(scant_i_csv *csv, char separator, char **record, char **end)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(find_header(csv, separator, record, end));
    while (!*end && !csv->ended) {
        SCANT_I_TRY(scant_i_csv_fill(csv));
        SCANT_I_TRY(find_header(csv, separator, record, end));
    }
    if (!*end)
        status = scant_i_fail_at(SCANT_ERR_INPUT, csv->file, csv->line,
                                 scant_i_csv_open_field(*record ? *record : csv->buffer,
                                                        csv->buffer + csv->used, separator),
                                 "a quote in the header is not closed");
done:
    return status;
}

/* A first line such as `sep=;`, as spreadsheets write it: the separator, and no record. */
static bool take_separator(char *separator, char **at, const char *end)
{
    char *text = *at;
    bool quoted = *text == '"';
    text += quoted;
    if (end - text < 5 || strncasecmp(text, "sep=", 4) != 0 || text[4] == '\n')
        return false;
    *separator = text[4];
    text += 5;
    text += quoted && *text == '"';
    text += *text == '\r';
    if (*text != '\n')
        return false;
    *at = text + 1;
    return true;
}

/* Drops that line; the header is the one behind it. */
static scant_status pass_separator_line(scant_i_csv *csv, char **at, char **end)
{
    char named = 0, *behind = *at;
    if (!take_separator(&named, &behind, *end))
        return SCANT_OK;
    if (!csv->separator)
        csv->separator = named;
    csv->lines_before = csv->line;
    scant_i_csv_drop(csv, (size_t)(behind - csv->buffer));
    return load_header(csv, csv->separator, at, end);
}

scant_status scant_i_csv_plan(scant_i_csv *csv)
{
    scant_status status =
        scant_i_plan_new(&csv->plan, csv->file, csv->names, csv->nfields, csv->options, false);
    return status == SCANT_OK ? plan_texts(csv) : status;
}

scant_status scant_i_csv_note(scant_i_csv *csv, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!csv->notes) {
        scant_i_log(SCANT_LOG_WARNING, "%s: %s", csv->file, text);
        return SCANT_OK;
    }
    int32_t code = 0;
    return scant_i_names_add(&code, csv->notes, text, strlen(text));
}

scant_status scant_i_csv_header(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    char *at = NULL, *end = NULL;
    SCANT_I_TRY(scant_i_csv_fill(csv));
    SCANT_I_TRY(load_header(csv, csv->options->separator, &at, &end));
    csv->separator = csv->options->separator;
    SCANT_I_TRY(pass_separator_line(csv, &at, &end));
    if (!csv->separator) {
        csv->separator = find_separator(at, end);
        /* once more, as what may be quoted depends on the separator */
        SCANT_I_TRY(load_header(csv, csv->separator, &at, &end));
    }
    size_t line = csv->line;
    for (bool more = true; more;) {
        scant_i_csv_cell cell = scant_i_csv_take(at, csv->separator);
        SCANT_I_TRY(add_name(csv, &cell, at, csv->line));
        csv->line += cell.newlines;
        more = *cell.after != '\n';
        at = cell.after + 1;
    }
    csv->line++;
    SCANT_I_TRY(SCANT_I_NEW(&csv->names, csv->nfields));
    for (size_t j = 0; j < csv->nfields; j++)
        csv->names[j] = scant_i_names_text(&csv->header, j);
    if (csv->nrenamed > MOST_TOLD)
        SCANT_I_TRY(
            scant_i_csv_note(csv, "%zu columns in all have no name of their own", csv->nrenamed));
    warn_of_numbers(csv);
    scant_i_log(SCANT_LOG_INFO, "%s: separator %s, %zu columns named on line %zu", csv->file,
                csv->separator == '\t' ? "tab" : (char[]){'\'', csv->separator, '\'', '\0'},
                csv->nfields, line);
    scant_i_csv_drop(csv, (size_t)(at - csv->buffer));
done:
    return status;
}
