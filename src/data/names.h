/* Names: a table that gives each distinct text a number in order of appearance, the order classes
 * and levels are sorted in, and what counts as a missing cell. */
#ifndef SCANT_I_NAMES_H
#define SCANT_I_NAMES_H

#include "base/base.h"

typedef struct scant_i_names {
    size_t count, capacity;
    size_t *offset; /* where each text starts; each ends with a zero byte */
    char *text;
    size_t used, room;
    int32_t *slot; /* open addressing: code + 1, 0 where free */
    size_t nslots; /* a power of two */
    int32_t last;  /* the code found last: columns often repeat */
} scant_i_names;

/* The code of text[0..length-1], added if new. A zeroed table is empty. */
scant_status scant_i_names_add(int32_t *code, scant_i_names *names, const char *text,
                               size_t length);
/* Its code, or -1. */
int32_t scant_i_names_find(const scant_i_names *names, const char *text, size_t length);
const char *scant_i_names_text(const scant_i_names *names, size_t code); /* borrowed */
void scant_i_names_clear(scant_i_names *names); /* empties it and keeps the memory */
void scant_i_names_free(scant_i_names *names);

/* order[0..n-1]: the texts' numbers sorted, by value if all are numbers, else by bytes. */
scant_status scant_i_names_order(size_t *order, const char *const *text, size_t n);

/* Empty, NA, ? or nan, in upper or lower case. */
bool scant_i_is_missing(const char *text, size_t length);

/* Is it text that a file of names can hold? */
bool scant_i_is_utf8(const char *text);

/* The name among `names` that is nearest to `wanted`, NULL if none is near. */
const char *scant_i_names_nearest(const char *wanted, const char *const *names, size_t n);
/* `*` any characters, `?` one. */
bool scant_i_matches(const char *pattern, const char *name);
uint64_t scant_i_hash(const void *bytes, size_t n);

/* A copy of a list of texts; where it fails, of as many as there was memory for, the others NULL. */
scant_status scant_i_texts_copy(char ***out, char *const *texts, size_t n);
void scant_i_texts_free(char **texts, size_t n);

#endif
