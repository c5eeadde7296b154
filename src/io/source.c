#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/number.h"
#include "io/zmemory.h"

enum {
    PEEK = 512,
    RAW_TEXT = 4096,   /* bytes of UTF-16 at a time */
    RAW = 128 << 10,   /* compressed bytes at a time */
    LINES = 256 << 10, /* bytes at a time for the readers of lines */
    LONGEST = 1 << 28, /* bytes in one line */
    WAIT_MS = 100      /* between two looks at the interrupt while nothing comes */
};

struct scant_i_source {
    char *name, *path;
    int file; /* -1: memory */
    const unsigned char *memory;
    size_t memory_left;
    size_t most; /* bytes that were there at the beginning; SIZE_MAX: nobody knows */
    bool gzip;
    uint64_t taken, inflated; /* bytes in and out of the inflation */
    bool gzip_ended;          /* a member's end was the last thing seen */
    bool raw_ended;
    z_stream z;
    unsigned char *raw; /* RAW bytes, where gzip */
    unsigned char head[PEEK];
    size_t nhead, head_used;
    bool peeked;
    bool live; /* give what has come rather than wait for more */
    enum { BYTES, UTF16_LITTLE, UTF16_BIG } text;
    unsigned char unit[RAW_TEXT]; /* bytes of UTF-16 that are not decoded yet */
    size_t nunit, unit_used;
    unsigned char letter[4]; /* what is left of the last letter as UTF-8 */
    size_t nletter, letter_used;
};

/* Returns when there is something to read, or the end; a pipe may have nothing for hours. */
static scant_status wait_for_bytes(const scant_i_source *source)
{
    struct pollfd of = {.fd = source->file, .events = POLLIN};
    while (!scant_i_interrupted())
        if (poll(&of, 1, WAIT_MS) != 0 && of.revents != 0)
            return SCANT_OK;
    return scant_i_fail_in(SCANT_ERR_INTERRUPTED, source->name, "interrupted while reading");
}

static scant_status read_raw(scant_i_source *source, void *buffer, size_t capacity, size_t *got)
{
    *got = 0;
    if (source->file < 0) {
        *got = scant_i_min(capacity, source->memory_left);
        if (*got)
            memcpy(buffer, source->memory, *got);
        source->memory += *got;
        source->memory_left -= *got;
        return SCANT_OK;
    }
    while (*got < capacity && !(source->live && *got > 0)) {
        scant_status status = wait_for_bytes(source);
        if (status != SCANT_OK)
            return status;
        ssize_t n = read(source->file, (char *)buffer + *got, capacity - *got);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return scant_i_fail_in(SCANT_ERR_IO, source->name, "cannot read: %s", strerror(errno));
        *got += (size_t)n;
    }
    return SCANT_OK;
}

static const uint64_t FREE_INFLATION = 16 << 20, MOST_INFLATION = 200;

/* A few bytes may inflate to a thousand times as many, which nobody asked for. Whoever unpacks the file has: then it is as
 * long as it says. */
static scant_status check_inflation(const scant_i_source *source)
{
    if (source->inflated <= FREE_INFLATION || source->inflated / MOST_INFLATION <= source->taken)
        return SCANT_OK;
    return scant_i_fail_in(SCANT_ERR_INPUT, source->name,
                           "the compressed data inflate to more than %d times their size (%d MB so "
                           "far, of %d kB); if that is meant, unpack the file first, with gunzip, "
                           "and read what comes out",
                           (int)MOST_INFLATION, (int)(source->inflated >> 20),
                           (int)(source->taken >> 10));
}

/* One call of inflate; members that follow one another are one text. */
static scant_status inflate_some(scant_i_source *source)
{
    z_stream *z = &source->z;
    if (z->avail_in == 0) {
        size_t got = 0;
        scant_status status = read_raw(source, source->raw, RAW, &got);
        if (status != SCANT_OK)
            return status;
        z->next_in = source->raw;
        z->avail_in = (uInt)got;
        source->raw_ended = got == 0;
        if (source->raw_ended && !source->gzip_ended)
            return scant_i_fail_in(SCANT_ERR_INPUT, source->name,
                                   "the compressed data end too soon");
        if (source->raw_ended)
            return SCANT_OK;
    }
    if (source->gzip_ended) {
        while (z->avail_in && *z->next_in == 0) { /* padding, as gzip passes over it */
            z->next_in++;
            z->avail_in--;
        }
        if (z->avail_in == 0)
            return SCANT_OK;
        if (inflateReset(z) != Z_OK)
            return scant_i_fail_in(SCANT_ERR_INTERNAL, source->name, "zlib failed");
        source->gzip_ended = false;
    }
    uInt before = z->avail_in, room = z->avail_out;
    int result = inflate(z, Z_NO_FLUSH);
    source->taken += before - z->avail_in;
    source->inflated += room - z->avail_out;
    if (result == Z_STREAM_END) {
        source->gzip_ended = true;
        return SCANT_OK;
    }
    if (result == Z_MEM_ERROR)
        return scant_i_fail_in(SCANT_ERR_MEMORY, source->name, "out of memory");
    if (result != Z_OK && result != Z_BUF_ERROR)
        return scant_i_fail_in(SCANT_ERR_INPUT, source->name, "the compressed data are damaged: %s",
                               z->msg ? z->msg : "no gzip");
    return check_inflation(source);
}

static scant_status read_plain(scant_i_source *source, void *buffer, size_t capacity, size_t *got)
{
    if (!source->gzip)
        return read_raw(source, buffer, capacity, got);
    *got = 0;
    source->raw_ended = false;
    while (*got < capacity && !source->raw_ended && !(source->live && *got > 0)) {
        size_t want = scant_i_min(capacity - *got, 1u << 30);
        source->z.next_out = (unsigned char *)buffer + *got;
        source->z.avail_out = (uInt)want;
        scant_status status = inflate_some(source);
        if (status != SCANT_OK)
            return status;
        *got += want - source->z.avail_out;
    }
    return SCANT_OK;
}

static scant_status begin_gzip(scant_i_source *source)
{
    unsigned char first[2];
    size_t n = 0;
    scant_status status = read_raw(source, first, sizeof first, &n);
    if (status != SCANT_OK)
        return status;
    if (n < 2 || first[0] != 0x1f || first[1] != 0x8b) {
        memcpy(source->head, first, n);
        source->nhead = n;
        return SCANT_OK;
    }
    source->raw = scant_i_alloc(RAW, 1);
    if (!source->raw)
        return SCANT_ERR_MEMORY;
    memcpy(source->raw, first, 2);
    source->z = (z_stream){.zalloc = scant_i_zalloc, .zfree = scant_i_zfree};
    source->z.next_in = source->raw;
    source->z.avail_in = 2;
    if (inflateInit2(&source->z, 15 + 16) != Z_OK) /* the largest window, gzip's header */
        return scant_i_fail_in(SCANT_ERR_MEMORY, source->name, "out of memory");
    source->gzip = true;
    return SCANT_OK;
}

static scant_status finish_opening(scant_i_source **out, scant_i_source *source, const char *name)
{
    source->name = scant_i_strdup(name);
    scant_status status = source->name ? begin_gzip(source) : SCANT_ERR_MEMORY;
    if (status != SCANT_OK) {
        scant_i_source_free(source);
        return status;
    }
    *out = source;
    return SCANT_OK;
}

scant_status scant_i_source_memory(scant_i_source **out, const void *bytes, size_t n,
                                   const char *name)
{
    *out = NULL;
    scant_i_source *source = NULL;
    scant_status status = SCANT_I_NEW(&source, 1);
    if (status != SCANT_OK)
        return status;
    source->file = -1;
    source->memory = bytes;
    source->memory_left = source->most = n;
    return finish_opening(out, source, name);
}

scant_status scant_i_source_open(scant_i_source **out, const char *path)
{
    *out = NULL;
    scant_i_source *source = NULL;
    bool standard = strcmp(path, "-") == 0;
    scant_status status = SCANT_I_NEW(&source, 1);
    if (status != SCANT_OK)
        return status;
    source->file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (source->file < 0) {
        status = scant_i_fail_in(SCANT_ERR_IO, path, "cannot open: %s", strerror(errno));
        scant_i_free(source);
        return status;
    }
    bool known = fstat(source->file, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) {
        status = scant_i_fail_in(SCANT_ERR_IO, path, "cannot read: it is a directory");
        scant_i_source_free(source);
        return status;
    }
    bool again = !standard && known && S_ISREG(about.st_mode); /* a pipe gives its bytes once */
    source->most = again ? (size_t)about.st_size : SIZE_MAX;
    if (again && !(source->path = scant_i_strdup(path))) {
        scant_i_source_free(source);
        return SCANT_ERR_MEMORY;
    }
    return finish_opening(out, source, standard ? "standard input" : path);
}

void scant_i_source_free(scant_i_source *source)
{
    if (!source)
        return;
    if (source->gzip)
        (void)inflateEnd(&source->z);
    if (source->file > STDIN_FILENO)
        (void)close(source->file);
    scant_i_free(source->raw);
    scant_i_free(source->name);
    scant_i_free(source->path);
    scant_i_free(source);
}

scant_status scant_i_source_peek(scant_i_source *source, const unsigned char **head, size_t *n)
{
    if (!source->peeked) {
        size_t got = 0;
        scant_status status =
            read_plain(source, source->head + source->nhead, PEEK - source->nhead, &got);
        if (status != SCANT_OK)
            return status;
        source->nhead += got;
        source->peeked = true;
    }
    *head = source->head;
    *n = source->nhead;
    return SCANT_OK;
}

static scant_status read_bytes(scant_i_source *source, void *buffer, size_t capacity, size_t *got)
{
    size_t first = scant_i_min(capacity, source->nhead - source->head_used);
    if (first)
        memcpy(buffer, source->head + source->head_used, first);
    source->head_used += first;
    size_t more = 0;
    scant_status status = SCANT_OK;
    if (first < capacity && !(source->live && first > 0))
        status = read_plain(source, (char *)buffer + first, capacity - first, &more);
    *got = first + more;
    return status;
}

/* --- UTF-16 --- */

/* Two bytes as a number; false behind the last whole pair. */
static scant_status next_unit(bool *there, unsigned *unit, scant_i_source *source)
{
    *there = false;
    while (source->nunit - source->unit_used < 2) {
        size_t left = source->nunit - source->unit_used, got = 0;
        memmove(source->unit, source->unit + source->unit_used, left);
        source->unit_used = 0;
        scant_status status = read_bytes(source, source->unit + left, RAW_TEXT - left, &got);
        source->nunit = left + got;
        if (status != SCANT_OK || got == 0)
            return status;
    }
    const unsigned char *at = source->unit + source->unit_used;
    *unit =
        source->text == UTF16_LITTLE ? at[0] | (unsigned)at[1] << 8 : at[1] | (unsigned)at[0] << 8;
    *there = true;
    return SCANT_OK;
}

static size_t encode(unsigned char *out, unsigned code)
{
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t k = more; k > 0; k--, code >>= 6)
        out[k] = (unsigned char)(0x80 | (code & 0x3F));
    out[0] = (unsigned char)(first[more] | code);
    return more + 1;
}

/* The next letter into source->letter; a half of a pair of surrogates is U+FFFD. */
static scant_status next_letter(scant_i_source *source)
{
    bool there;
    unsigned code = 0, low = 0;
    source->nletter = source->letter_used = 0;
    scant_status status = next_unit(&there, &code, source);
    if (status != SCANT_OK || !there)
        return status;
    source->unit_used += 2;
    if (code >= 0xD800 && code < 0xE000) {
        status = next_unit(&there, &low, source);
        if (status != SCANT_OK)
            return status;
        if (code < 0xDC00 && there && low >= 0xDC00 && low < 0xE000) {
            source->unit_used += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
            code = 0xFFFD;
        }
    }
    source->nletter = encode(source->letter, code);
    return SCANT_OK;
}

static scant_status read_utf16(scant_i_source *source, unsigned char *buffer, size_t capacity,
                               size_t *got)
{
    *got = 0;
    while (*got < capacity) {
        if (source->letter_used == source->nletter) {
            scant_status status = next_letter(source);
            if (status != SCANT_OK || source->nletter == 0)
                return status;
        }
        buffer[(*got)++] = source->letter[source->letter_used++];
        if (source->live && source->letter_used == source->nletter && buffer[*got - 1] == '\n')
            break;
    }
    return SCANT_OK;
}

/* A byte order mark, or text of which nearly every second byte is zero. */
scant_status scant_i_source_decode(scant_i_source *source)
{
    const unsigned char *head;
    size_t n, zero[2] = {0, 0};
    scant_status status = scant_i_source_peek(source, &head, &n);
    if (status != SCANT_OK || n < 2 || source->text != BYTES || source->head_used > 0)
        return status;
    for (size_t k = 0; k < n; k++)
        zero[k % 2] += head[k] == 0;
    bool mark = (head[0] == 0xFF && head[1] == 0xFE) || (head[0] == 0xFE && head[1] == 0xFF);
    enum { SURE = 16 }; /* bytes that say enough */
    bool little = mark ? head[0] == 0xFF : n >= SURE && zero[0] == 0 && 20 * zero[1] >= 9 * n;
    bool big = mark ? head[0] == 0xFE : n >= SURE && zero[1] == 0 && 20 * zero[0] >= 9 * n;
    if (little || big)
        source->text = little ? UTF16_LITTLE : UTF16_BIG;
    if (mark)
        source->head_used = 2;
    return SCANT_OK;
}

bool scant_i_source_is_utf16(const scant_i_source *source)
{
    return source->text != BYTES;
}

scant_status scant_i_source_read(scant_i_source *source, void *buffer, size_t capacity, size_t *got)
{
    return source->text == BYTES ? read_bytes(source, buffer, capacity, got)
                                 : read_utf16(source, buffer, capacity, got);
}

scant_status scant_i_source_slurp(scant_i_source *source, unsigned char **out, size_t *n)
{
    scant_status status = SCANT_OK;
    unsigned char *bytes = NULL;
    size_t used = 0, room = 0, got = 0;
    *out = NULL;
    do {
        if (room - used < 2) {
            room = room ? 2 * room : 64 << 10;
            SCANT_I_TRY(scant_i_resize(&bytes, room, 1));
        }
        SCANT_I_TRY(scant_i_source_read(source, bytes + used, room - used - 1, &got));
        used += got;
    } while (got > 0);
    bytes[used] = '\0';
    *out = bytes;
    *n = used;
done:
    if (status != SCANT_OK)
        scant_i_free(bytes);
    return status;
}

void scant_i_source_go_live(scant_i_source *source)
{
    source->live = true;
}

size_t scant_i_source_most(const scant_i_source *source)
{
    size_t most = source->most;
    bool endless = source->gzip && (__builtin_mul_overflow(most, MOST_INFLATION, &most) ||
                                    __builtin_add_overflow(most, FREE_INFLATION, &most));
    return endless ? SIZE_MAX : most;
}

const char *scant_i_source_name(const scant_i_source *source)
{
    return source->name;
}

bool scant_i_source_is_file(const scant_i_source *source)
{
    return source->path != NULL;
}

const char *scant_i_source_path(const scant_i_source *source)
{
    return source->gzip ? NULL : source->path;
}

/* --- lines --- */

static scant_status more_bytes(scant_i_lines *lines)
{
    scant_status status = SCANT_OK;
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->room) {
        if (lines->room > LONGEST) {
            lines->end = 0; /* whoever goes on all the same does so behind it */
            return scant_i_fail_at(SCANT_ERR_INPUT, lines->source->name, lines->line + 1,
                                   LONGEST + 1, "the line is longer than %d bytes", LONGEST);
        }
        size_t room = lines->room ? 2 * lines->room : LINES;
        SCANT_I_TRY(scant_i_resize(&lines->buffer, room + 1 + SCANT_I_NUMBER_PAD, 1));
        lines->room = room;
        memset(lines->buffer + room, 0, 1 + SCANT_I_NUMBER_PAD);
    }
    size_t got = 0;
    SCANT_I_TRY(scant_i_source_read(lines->source, lines->buffer + lines->end,
                                    lines->room - lines->end, &got));
    lines->ended = lines->source->live ? got == 0 : lines->end + got < lines->room;
    lines->end += got;
done:
    return status;
}

scant_status scant_i_lines_next(scant_i_lines *lines, char **text, size_t *length)
{
    size_t searched = 0;
    char *stop = NULL;
    *text = NULL;
    *length = 0;
    for (;;) {
        size_t left = lines->end - lines->begin;
        if (left > searched)
            stop = memchr(lines->buffer + lines->begin + searched, '\n', left - searched);
        if (stop || lines->ended)
            break;
        searched = left;
        scant_status status = more_bytes(lines);
        if (status != SCANT_OK)
            return status;
    }
    if (!stop && lines->begin == lines->end)
        return SCANT_OK;
    char *line = lines->buffer + lines->begin;
    size_t n = (size_t)((stop ? stop : lines->buffer + lines->end) - line);
    lines->begin += n + (stop != NULL);
    lines->line++;
    const char *zero = memchr(line, '\0', n);
    if (zero)
        return scant_i_fail_at(SCANT_ERR_INPUT, lines->source->name, lines->line,
                               (size_t)(zero - line) + 1, "a zero byte: this is no text");
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    *text = line;
    *length = n;
    lines->text = line;
    lines->length = n;
    return SCANT_OK;
}

scant_status scant_i_lines_fail(const scant_i_lines *lines, const char *text, const char *why)
{
    bool within = lines->text && text >= lines->text && text <= lines->text + lines->length;
    return scant_i_fail_at(SCANT_ERR_INPUT, lines->source->name, lines->line,
                           within ? (size_t)(text - lines->text) + 1 : 1, "'%.40s': %s", text, why);
}

void scant_i_lines_free(scant_i_lines *lines)
{
    scant_i_free(lines->buffer);
    *lines = (scant_i_lines){0};
}

void scant_i_skip_blanks(char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

bool scant_i_take_number(double *out, char **at)
{
    scant_i_skip_blanks(at);
    if (strncasecmp(*at, "nan", 3) == 0 && strchr(" \t", (*at)[3])) {
        *at += 3;
        *out = __builtin_nan("");
        return true;
    }
    const char *end = scant_i_number_scan(out, *at);
    if (!end || (*end && *end != ' ' && *end != '\t') || __builtin_isinf(*out))
        return false;
    *at += end - *at;
    return true;
}

bool scant_i_take_integer(uint64_t *out, char **at)
{
    scant_i_skip_blanks(at);
    uint64_t value = 0;
    char *first = *at;
    for (; (unsigned char)(**at - '0') < 10; ++*at)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(**at - '0'), &value))
            return false;
    *out = value;
    return *at > first;
}
