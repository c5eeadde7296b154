#include "io/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/atomic.h"
#include "io/source.h"

static scant_status out_of_memory(void)
{
    return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a JSON document");
}

/* All bytes of a file, or of standard input. */
static scant_status load(unsigned char **out, size_t *length, const char *path)
{
    scant_i_source *source = NULL;
    scant_status status = scant_i_source_open(&source, path);
    if (status == SCANT_OK)
        status = scant_i_source_slurp(source, out, length);
    scant_i_source_free(source);
    return status;
}

scant_status scant_i_document_read(json_t **out, const char *path)
{
    json_error_t error;
    unsigned char *text = NULL;
    size_t length = 0;
    *out = NULL;
    scant_status status = load(&text, &length, path);
    if (status != SCANT_OK)
        return status;
    *out = json_loadb((const char *)text, length, JSON_REJECT_DUPLICATES, &error);
    if (!*out) {
        /* Jansson tells some requests for memory that failed as faults of the text, or not at all.
         * A text that can be read after all had no fault. */
        json_t *again = json_loadb((const char *)text, length, JSON_REJECT_DUPLICATES, NULL);
        bool memory = again || json_error_code(&error) == json_error_out_of_memory;
        json_decref(again);
        status =
            memory
                ? out_of_memory()
                : scant_i_fail_at(SCANT_ERR_INPUT, path, (size_t)error.line, (size_t)error.column,
                                  "not JSON, as models and checkpoints are: %s", error.text);
    }
    scant_i_free(text);
    return status;
}

typedef struct dump {
    scant_i_sink *sink;
    scant_status status;
} dump;

static int put_piece(const char *text, size_t length, void *payload)
{
    dump *d = payload;
    d->status = scant_i_sink_write(d->sink, text, length);
    return d->status == SCANT_OK ? 0 : -1;
}

scant_status scant_i_document_write(const json_t *root, const char *path)
{
    scant_status status = SCANT_OK;
    dump d = {NULL, SCANT_OK};
    SCANT_I_TRY(scant_i_sink_open(&d.sink, path));
    /* piece by piece: json_dumps loses text where its buffer cannot grow */
    if (json_dump_callback(root, put_piece, &d, JSON_REAL_PRECISION(17) | JSON_INDENT(1)) != 0) {
        status = d.status != SCANT_OK ? d.status : out_of_memory();
        goto done;
    }
    SCANT_I_TRY(scant_i_sink_text(d.sink, "\n"));
    SCANT_I_TRY(scant_i_sink_commit(d.sink));
done:
    scant_i_sink_free(d.sink);
    return status;
}

scant_i_place scant_i_place_in(const scant_i_place *place, const char *key)
{
    scant_i_place inner = {.file = place->file};
    (void)snprintf(inner.path, sizeof inner.path, "%.120s%s%.80s", place->path,
                   *place->path ? "." : "", key);
    return inner;
}

scant_i_place scant_i_place_at(const scant_i_place *place, size_t index)
{
    scant_i_place inner = {.file = place->file};
    (void)snprintf(inner.path, sizeof inner.path, "%.200s[%zu]", place->path, index);
    return inner;
}

scant_status scant_i_place_fail(const scant_i_place *place, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    scant_i_words(text, sizeof text, format, arguments);
    va_end(arguments);
    return scant_i_fail_in(SCANT_ERR_INPUT, place->file, "%s%s%s", place->path,
                           *place->path ? ": " : "", text);
}

static scant_status member(const json_t **out, const scant_i_place *place, const json_t *in,
                           const char *key, const char *kind, bool (*fits)(const json_t *))
{
    *out = json_object_get(in, key);
    scant_i_place inner = scant_i_place_in(place, key);
    if (!*out)
        return scant_i_place_fail(&inner, "is absent");
    return fits(*out) ? SCANT_OK : scant_i_place_fail(&inner, "is not %s", kind);
}

static bool fits_object(const json_t *value)
{
    return json_is_object(value);
}
static bool fits_array(const json_t *value)
{
    return json_is_array(value);
}
static bool fits_text(const json_t *value)
{
    return json_is_string(value);
}
static bool fits_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}
static bool fits_real(const json_t *value)
{
    return json_is_number(value) && isfinite(json_number_value(value));
}

scant_status scant_i_get_object(const json_t **out, const scant_i_place *place, const json_t *in,
                                const char *key)
{
    return member(out, place, in, key, "an object", fits_object);
}

scant_status scant_i_get_array(const json_t **out, const scant_i_place *place, const json_t *in,
                               const char *key)
{
    return member(out, place, in, key, "an array", fits_array);
}

scant_status scant_i_get_text(const char **out, const scant_i_place *place, const json_t *in,
                              const char *key)
{
    const json_t *value;
    scant_status status = member(&value, place, in, key, "a text", fits_text);
    *out = status == SCANT_OK ? json_string_value(value) : NULL;
    return status;
}

scant_status scant_i_get_count(size_t *out, const scant_i_place *place, const json_t *in,
                               const char *key)
{
    const json_t *value;
    scant_status status = member(&value, place, in, key, "a whole number from 0 on", fits_count);
    *out = status == SCANT_OK ? (size_t)json_integer_value(value) : 0;
    return status;
}

scant_status scant_i_get_real(double *out, const scant_i_place *place, const json_t *in,
                              const char *key)
{
    const json_t *value;
    scant_status status = member(&value, place, in, key, "a finite number", fits_real);
    *out = status == SCANT_OK ? json_number_value(value) : 0;
    return status;
}

scant_status scant_i_get_numbers(double *out, const scant_i_place *place, const json_t *array,
                                 const size_t *dim, size_t ndim)
{
    if (!json_is_array(array) || json_array_size(array) != dim[0])
        return scant_i_place_fail(place, "is not an array of %zu", dim[0]);
    size_t inner = 1;
    for (size_t k = 1; k < ndim; k++)
        inner *= dim[k];
    for (size_t i = 0; i < dim[0]; i++) {
        const json_t *item = json_array_get(array, i);
        scant_i_place at = scant_i_place_at(place, i);
        if (ndim > 1) {
            scant_status status =
                scant_i_get_numbers(out ? out + i * inner : NULL, &at, item, dim + 1, ndim - 1);
            if (status != SCANT_OK)
                return status;
        } else if (!fits_real(item)) {
            return scant_i_place_fail(&at, "is not a finite number");
        } else if (out) {
            out[i] = json_number_value(item);
        }
    }
    return SCANT_OK;
}

json_t *scant_i_put_numbers(const double *values, const size_t *dim, size_t ndim)
{
    json_t *array = json_array();
    size_t inner = 1;
    for (size_t k = 1; k < ndim; k++)
        inner *= dim[k];
    for (size_t i = 0; array && i < dim[0]; i++) {
        json_t *item = ndim > 1 ? scant_i_put_numbers(values + i * inner, dim + 1, ndim - 1)
                                : json_real(values[i]);
        if (json_array_append_new(array, item) != 0) { /* also where item is NULL */
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

scant_status scant_i_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
}

scant_status scant_i_put_table(json_t *to, const char *key, const double *value, size_t rows,
                               size_t columns)
{
    size_t dim[2] = {rows, columns};
    return scant_i_put(to, key, scant_i_put_numbers(value, dim, 2));
}

scant_status scant_i_get_table(double **out, const scant_i_place *place, const json_t *from,
                               const char *key, size_t rows, size_t columns)
{
    scant_i_place at = scant_i_place_in(place, key);
    size_t dim[2] = {rows, columns};
    *out = NULL;
    scant_status status = scant_i_get_numbers(NULL, &at, json_object_get(from, key), dim, 2);
    if (status == SCANT_OK)
        status = SCANT_I_NEW(out, rows * columns);
    if (status == SCANT_OK)
        status = scant_i_get_numbers(*out, &at, json_object_get(from, key), dim, 2);
    return status;
}

scant_status scant_i_get_index(size_t *out, const scant_i_place *place, const json_t *item,
                               size_t end)
{
    json_int_t index = json_integer_value(item);
    if (!json_is_integer(item) || index < 0 || (size_t)index >= end)
        return scant_i_place_fail(place, "is not a whole number below %zu", end);
    *out = (size_t)index;
    return SCANT_OK;
}
