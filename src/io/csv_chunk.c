#include "io/csv.h"

#include <string.h>

static bool is_separator(char c, char separator)
{
    return separator ? c == separator : c == ',' || c == ';' || c == '\t' || c == '|';
}

/* A quote opens a quoted cell only where the cell begins, blanks aside; csv_cells.c agrees. */
char *scant_i_csv_record(char *begin, char *end, char separator)
{
    enum { START, PLAIN, QUOTED, CLOSING } state = START;
    for (char *at = begin; at < end; at++) {
        char c = *at;
        if (state == QUOTED) {
            at = memchr(at, '"', (size_t)(end - at));
            if (!at)
                return NULL;
            state = CLOSING;
        } else if (c == '\n') {
            return at + 1;
        } else if (is_separator(c, separator)) {
            state = START;
        } else if (c == '"' && state != PLAIN) {
            state = QUOTED; /* it opens, or it is the second of a pair */
        } else if (state != START || (c != ' ' && c != '\t')) {
            state = PLAIN;
        }
    }
    return NULL;
}

size_t scant_i_csv_open_field(const char *begin, const char *end, char separator)
{
    size_t field = 1;
    bool inside = false;
    for (const char *at = begin; at < end; at++) {
        inside ^= *at == '"'; /* a pair inside a cell closes and opens again */
        field += !inside && is_separator(*at, separator);
    }
    return field;
}

scant_status scant_i_csv_fill(scant_i_csv *csv)
{
    scant_status status = SCANT_OK;
    size_t got = 0;
    if (csv->used == csv->room || csv->room < SCANT_I_CSV_CHUNK) {
        if (csv->room >= SCANT_I_CSV_RECORD)
            return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, csv->line, 1,
                                   "a record of more than %d bytes; is a quote left open?",
                                   SCANT_I_CSV_RECORD);
        size_t room =
            !csv->room ? SCANT_I_CSV_FIRST : scant_i_max(SCANT_I_CSV_CHUNK, 2 * csv->room);
        /* one byte more for a last newline that the file may lack */
        SCANT_I_TRY(scant_i_resize(&csv->buffer, room + 1 + SCANT_I_NUMBER_PAD, 1));
        csv->room = room;
        memset(csv->buffer + room, 0, 1 + SCANT_I_NUMBER_PAD);
    }
    SCANT_I_TRY(
        scant_i_source_read(csv->source, csv->buffer + csv->used, csv->room - csv->used, &got));
    csv->ended = got < csv->room - csv->used;
    char *zero = memchr(csv->buffer + csv->used, '\0', got);
    if (zero) {
        size_t line = csv->line, field = 1;
        for (char *at = csv->buffer; at < zero; at++) {
            line += *at == '\n';
            field = *at == '\n' ? 1 : field + is_separator(*at, csv->separator);
        }
        status = scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line, field,
                                 "a zero byte: this is no text, or not UTF-8");
        goto done;
    }
    csv->used += got;
    SCANT_I_TRY(scant_i_csv_to_utf8(csv));
    if (csv->ended && csv->used > 0 && csv->buffer[csv->used - 1] != '\n')
        csv->buffer[csv->used++] = '\n';
done:
    return status;
}

void scant_i_csv_drop(scant_i_csv *csv, size_t taken)
{
    csv->used -= taken;
    csv->checked -= scant_i_min(csv->checked, taken);
    memmove(csv->buffer, csv->buffer + taken, csv->used);
}

static size_t count_newlines(const char *begin, const char *end)
{
    size_t count = 0;
    while (begin < end) {
        const char *stop = (size_t)(end - begin) > 255 ? begin + 255 : end;
        unsigned char few = 0; /* counted in bytes, so that the loop runs as vectors of bytes */
        for (; begin < stop; begin++)
            few = (unsigned char)(few + (*begin == '\n'));
        count += few;
    }
    return count;
}

static void add_piece(scant_i_csv *csv, char *begin, char *end, size_t *line)
{
    scant_i_csv_piece *piece = &csv->pieces[csv->npieces++];
    piece->begin = begin;
    piece->end = end;
    piece->line = *line;
    piece->most = count_newlines(begin, end);
    piece->nrows = 0;
    *line += piece->most;
}

/* Without quotes every newline ends a record. */
static char *cut_lines(scant_i_csv *csv, size_t *line)
{
    char *begin = csv->buffer, *end = csv->buffer + csv->used;
    while (end > begin && end[-1] != '\n')
        end--;
    while (begin < end) {
        char *cut = end;
        if ((size_t)(end - begin) > SCANT_I_CSV_PIECE && csv->npieces + 1 < SCANT_I_CSV_PIECES)
            cut = (char *)memchr(begin + SCANT_I_CSV_PIECE, '\n',
                                 (size_t)(end - begin) - SCANT_I_CSV_PIECE) +
                  1;
        add_piece(csv, begin, cut, line);
        begin = cut;
    }
    return end;
}

static char *cut_records(scant_i_csv *csv, size_t *line)
{
    char *begin = csv->buffer, *end = csv->buffer + csv->used, *at = begin;
    for (;;) {
        char *next = scant_i_csv_record(at, end, csv->separator);
        if (!next)
            break;
        at = next;
        if (at - begin >= SCANT_I_CSV_PIECE && csv->npieces + 1 < SCANT_I_CSV_PIECES) {
            add_piece(csv, begin, at, line);
            begin = at;
        }
    }
    if (at > begin)
        add_piece(csv, begin, at, line);
    return at;
}

scant_status scant_i_csv_cut(scant_i_csv *csv, size_t *taken)
{
    size_t line = csv->line;
    bool quotes = memchr(csv->buffer, '"', csv->used) != NULL;
    csv->npieces = 0;
    char *end = quotes ? cut_records(csv, &line) : cut_lines(csv, &line);
    *taken = (size_t)(end - csv->buffer);
    if (csv->ended && *taken < csv->used)
        return scant_i_fail_at(SCANT_ERR_INPUT, csv->file, line,
                               scant_i_csv_open_field(end, csv->buffer + csv->used, csv->separator),
                               "a quote is opened and not closed");
    csv->line = line;
    return SCANT_OK;
}
