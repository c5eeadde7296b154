/* Text that is not UTF-8. Files of spreadsheets are Latin-1 or its Windows kin; single letters are turned,
 * so that a line that is UTF-8 stays what it is. */
#include "io/csv.h"

#include <string.h>

/* Windows-1252 from 0x80 to 0x9F; 0: not used there, so Latin-1's control character. */
static const unsigned short windows[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static bool is_ascii(const char *at, const char *end)
{
    uint64_t any = 0, word;
    for (; end - at >= 8; at += 8) {
        memcpy(&word, at, 8);
        any |= word;
    }
    for (; at < end; at++)
        any |= (uint64_t)(unsigned char)*at;
    return (any & 0x8080808080808080u) == 0;
}

/* Bytes of the letter at `at` if it is UTF-8, else 0. */
static size_t letter_length(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    size_t n = *c < 0x80 ? 1 : *c < 0xC2 ? 0 : *c < 0xE0 ? 2 : *c < 0xF0 ? 3 : *c < 0xF5 ? 4 : 0;
    if (n < 2)
        return n;
    if ((size_t)(end - at) < n || (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90) ||
        (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    for (size_t k = 1; k < n; k++)
        if (c[k] < 0x80 || c[k] > 0xBF)
            return 0;
    return n;
}

static size_t count_foreign(const char *at, const char *end)
{
    size_t count = 0;
    while (at < end) {
        size_t n = letter_length(at, end);
        count += n == 0;
        at += n ? n : 1;
    }
    return count;
}

static size_t put_letter(char *out, unsigned char byte)
{
    unsigned code = byte < 0xA0 && windows[byte - 0x80] ? windows[byte - 0x80] : byte;
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
}

/* The part from `checked` to `end` with its foreign bytes as letters, in a buffer that has room. */
static scant_status rewrite(scant_i_csv *csv, size_t end, size_t foreign)
{
    scant_status status = SCANT_OK;
    char *fresh = NULL;
    size_t room = scant_i_max(csv->room, csv->used + 2 * foreign);
    SCANT_I_TRY(scant_i_resize(&fresh, room + 1 + SCANT_I_NUMBER_PAD, 1));
    memcpy(fresh, csv->buffer, csv->checked);
    size_t to = csv->checked;
    for (size_t at = csv->checked; at < end;) {
        size_t n = letter_length(csv->buffer + at, csv->buffer + end);
        if (n == 0) {
            to += put_letter(fresh + to, (unsigned char)csv->buffer[at++]);
            continue;
        }
        memcpy(fresh + to, csv->buffer + at, n);
        to += n;
        at += n;
    }
    memcpy(fresh + to, csv->buffer + end, csv->used - end);
    memset(fresh + room, 0, 1 + SCANT_I_NUMBER_PAD);
    csv->used = to + csv->used - end;
    csv->checked = to;
    csv->room = room;
    scant_i_free(csv->buffer);
    csv->buffer = fresh;
done:
    return status;
}

scant_status scant_i_csv_to_utf8(scant_i_csv *csv)
{
    size_t end = csv->used;
    while (!csv->ended && end > csv->checked && csv->buffer[end - 1] != '\n')
        end--;
    const char *begin = csv->buffer + csv->checked;
    size_t foreign =
        is_ascii(begin, csv->buffer + end) ? 0 : count_foreign(begin, csv->buffer + end);
    if (foreign == 0) {
        csv->checked = end;
        return SCANT_OK;
    }
    scant_status status = rewrite(csv, end, foreign);
    if (status == SCANT_OK && !csv->foreign)
        status = scant_i_csv_note(csv, "not UTF-8: read as Latin-1 (Windows-1252)");
    csv->foreign = true;
    return status;
}
