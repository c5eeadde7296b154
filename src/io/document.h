/* JSON documents: models and checkpoints. Reals carry 17 significant digits, so they come back as
 * they were. */
#ifndef SCANT_I_DOCUMENT_H
#define SCANT_I_DOCUMENT_H

#include <jansson.h>
#include "base/base.h"

/* "-" is standard input or output. Gzip is undone, and made for names that end in .gz. A syntax
 * error names file, line and column. Writing is atomic. */
scant_status scant_i_document_read(json_t **out, const char *path);
scant_status scant_i_document_write(const json_t *root, const char *path);

/* Reading values, with the document's name and the path inside it in every complaint. */
typedef struct scant_i_place {
    const char *file;
    char path[256];
} scant_i_place;

scant_i_place scant_i_place_in(const scant_i_place *place, const char *key); /* path.key */
scant_i_place scant_i_place_at(const scant_i_place *place, size_t index);    /* path[index] */
scant_status scant_i_place_fail(const scant_i_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Members of an object; absent or of another type is an error. */
scant_status scant_i_get_object(const json_t **out, const scant_i_place *place, const json_t *in,
                                const char *key);
scant_status scant_i_get_array(const json_t **out, const scant_i_place *place, const json_t *in,
                               const char *key);
scant_status scant_i_get_text(const char **out, const scant_i_place *place, const json_t *in,
                              const char *key);
scant_status scant_i_get_count(size_t *out, const scant_i_place *place, const json_t *in,
                               const char *key);
scant_status scant_i_get_real(double *out, const scant_i_place *place, const json_t *in,
                              const char *key);
/* An array nested as deep as `ndim` with the sizes `dim`, of finite numbers, into a flat row-major
 * vector; NULL: nowhere, to see whether the file has as many as it says before there is room for them. */
scant_status scant_i_get_numbers(double *out, const scant_i_place *place, const json_t *array,
                                 const size_t *dim, size_t ndim);

/* rows x columns finite numbers under `key`, newly allocated. */
scant_status scant_i_get_table(double **out, const scant_i_place *place, const json_t *from,
                               const char *key, size_t rows, size_t columns);
/* A whole number below `end`. */
scant_status scant_i_get_index(size_t *out, const scant_i_place *place, const json_t *item,
                               size_t end);

/* The other way; NULL where memory ran out. */
json_t *scant_i_put_numbers(const double *values, const size_t *dim, size_t ndim);
/* `put` takes the value over; NULL is memory that ran out. */
scant_status scant_i_put(json_t *object, const char *key, json_t *value);
scant_status scant_i_put_table(json_t *to, const char *key, const double *value, size_t rows,
                               size_t columns);

#endif
