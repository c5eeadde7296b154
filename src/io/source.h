/* Where bytes come from: a file, standard input or memory; gzip is undone on the way. */
#ifndef SCANT_I_SOURCE_H
#define SCANT_I_SOURCE_H

#include "base/base.h"

typedef struct scant_i_source scant_i_source;

/* "-" is standard input. Gzip is known by its first bytes. */
scant_status scant_i_source_open(scant_i_source **out, const char *path);
/* The bytes are borrowed; `name` is for messages. */
scant_status scant_i_source_memory(scant_i_source **out, const void *bytes, size_t n,
                                   const char *name);
void scant_i_source_free(scant_i_source *source);

/* Up to `capacity` bytes; fewer only at the end, *got = 0 behind it. SCANT_ERR_INTERRUPTED if an
 * interrupt comes before bytes do. */
scant_status scant_i_source_read(scant_i_source *source, void *buffer, size_t capacity,
                                 size_t *got);
/* From now on a read gives what has come, and waits only where nothing has. */
void scant_i_source_go_live(scant_i_source *source);
/* The first bytes, up to 512, without taking them. Borrowed. */
scant_status scant_i_source_peek(scant_i_source *source, const unsigned char **head, size_t *n);
/* From here on the text is UTF-8: where it begins as UTF-16 does, it is decoded. Asked before anything
 * is read. */
scant_status scant_i_source_decode(scant_i_source *source);
bool scant_i_source_is_utf16(const scant_i_source *source);
/* All that is left; the caller frees it. A zero byte stands behind the end. */
scant_status scant_i_source_slurp(scant_i_source *source, unsigned char **out, size_t *n);

const char *scant_i_source_name(const scant_i_source *source); /* for messages */
/* As many bytes as there can still be, for whoever is told to make room for more; SIZE_MAX where nobody knows. */
size_t scant_i_source_most(const scant_i_source *source);
/* Can its bytes be had once more by opening it? */
bool scant_i_source_is_file(const scant_i_source *source);
/* A path by which another library may open the same bytes, or NULL. */
const char *scant_i_source_path(const scant_i_source *source);

/* Lines of text, one at a time, without their ends; lines count from 1. */
typedef struct scant_i_lines {
    scant_i_source *source;
    char *buffer;
    size_t begin, end, room; /* unread bytes */
    bool ended;
    size_t line;      /* the one given last */
    const char *text; /* where it starts */
    size_t length;
} scant_i_lines;

/* *text is NULL behind the last line. The text ends with a zero byte, may be written to and has
 * SCANT_I_NUMBER_PAD readable bytes behind it. A zero byte within a line is an error. */
scant_status scant_i_lines_next(scant_i_lines *lines, char **text, size_t *length);
/* SCANT_ERR_INPUT with file, line, the column (in bytes, from 1) where `text` stands within the
 * line given last, the text and the reason. */
scant_status scant_i_lines_fail(const scant_i_lines *lines, const char *text, const char *why)
    __attribute__((cold));
void scant_i_lines_free(scant_i_lines *lines);

/* A number in a list of words parted by blanks: advances *at, false if there is no number. */
bool scant_i_take_number(double *out, char **at);
bool scant_i_take_integer(uint64_t *out, char **at);
void scant_i_skip_blanks(char **at);

#endif
