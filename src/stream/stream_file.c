/* A stream as a file: the model file (docs/model-file.md) with a member "stream", which holds what
 * it takes to go on with the same bits. */
#include <math.h>

#include "model/model_file.h"
#include "stream/stream.h"

/* Schema 2 brought today's names of options. */
enum { STREAM_SCHEMA = 2 };

static scant_status out_of_memory(void)
{
    return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a stream's file");
}

/* --- writing --- */

/* Adds `item` (NULL: memory ran out) to `array`; false lets both go. */
static bool append(json_t **array, json_t *item)
{
    if (json_array_append_new(*array, item) == 0)
        return true;
    json_decref(*array);
    *array = NULL;
    return false;
}

static json_t *cells_to_json(const double *cells, size_t d)
{
    json_t *array = json_array();
    for (size_t c = 0; c < d; c++)
        if (!append(&array, isnan(cells[c]) ? json_null() : json_real(cells[c])))
            break;
    return array;
}

/* null: nothing | a class by its number | {"one_of": [...]} | {"probabilities": [...]} */
static json_t *evidence_to_json(const scant_stream *s, size_t place)
{
    size_t K = s->model->nclasses;
    int32_t known = s->known[place];
    if (known >= 0)
        return json_integer(known);
    if (known == SCANT_I_KNOWN_NOTHING)
        return json_null();
    return json_pack("{s:o}", known == SCANT_I_KNOWN_SET ? "one_of" : "probabilities",
                     scant_i_put_numbers(s->v + place * K, &K, 1));
}

/* Of a stack, into the last row. */
static bool keep_loss(json_t **window, const scant_stream *s, size_t at)
{
    json_t *row = json_array_get(*window, json_array_size(*window) - 1);
    if (!s->model->kind || isnan(s->loss[at]) ||
        json_object_set_new(row, "loss", json_real(s->loss[at])) == 0)
        return true;
    json_decref(*window);
    *window = NULL;
    return false;
}

static json_t *window_to_json(const scant_stream *s)
{
    json_t *window = json_array();
    size_t d = s->rows->ncolumns, first = s->pseudo_rows.nrows;
    for (size_t i = first; i < first + s->nrows; i++)
        if (!append(&window,
                    json_pack("{s:o, s:f, s:o}", "cells", cells_to_json(s->rows->dense + i * d, d),
                              "weight", s->rows->weight[i], "class", evidence_to_json(s, i))) ||
            !keep_loss(&window, s, i))
            break;
    return window;
}

static json_t *stream_to_json(const scant_stream *s, json_t *start)
{
    const scant_stream_options *o = &s->options;
    return json_pack("{s:i, s:I, s:f, s:I, s:f, s:f, s:s, s:I, s:I, s:I, s:o, s:o}", "schema",
                     STREAM_SCHEMA, "window", (json_int_t)o->window, "prior_rows", o->prior_rows,
                     "iterations", (json_int_t)o->iterations, "budget_ms", o->budget_ms, "tol",
                     o->tol, "context_mode", o->context_mode, "learned", (json_int_t)s->learned,
                     "refit", (json_int_t)o->refit, "pending", (json_int_t)s->pending, "start",
                     start, "rows", window_to_json(s));
}

scant_status scant_stream_write(const scant_stream *stream, const char *path)
{
    scant_status status = SCANT_OK;
    json_t *root = NULL, *start = NULL;
    SCANT_I_TRY(scant_i_model_to_json(&root, stream->model));
    SCANT_I_TRY(scant_i_model_to_json(&start, stream->start));
    if (json_object_set_new(root, "stream", stream_to_json(stream, start)) != 0) {
        status = out_of_memory();
        goto done;
    }
    SCANT_I_TRY(scant_i_document_write(root, path));
done:
    json_decref(root);
    return status;
}

/* --- reading --- */

static scant_status read_options(scant_stream_options *out, const scant_i_place *place,
                                 const json_t *from)
{
    scant_status status = SCANT_OK;
    const char *mode;
    size_t schema;
    scant_stream_options_preset(out);
    SCANT_I_TRY(scant_i_get_count(&schema, place, from, "schema"));
    if (schema == 0 || schema > STREAM_SCHEMA)
        return scant_i_place_fail(place, "schema %zu is newer than this scant understands (%d)",
                                  schema, STREAM_SCHEMA);
    SCANT_I_TRY(scant_i_get_count(&out->window, place, from, "window"));
    SCANT_I_TRY(
        scant_i_get_real(&out->prior_rows, place, from, schema < 2 ? "memory" : "prior_rows"));
    SCANT_I_TRY(scant_i_get_count(&out->iterations, place, from, "iterations"));
    SCANT_I_TRY(scant_i_get_real(&out->budget_ms, place, from, "budget_ms"));
    SCANT_I_TRY(scant_i_get_real(&out->tol, place, from, "tol"));
    if (json_object_get(from, "refit")) /* files of a mixture lacked it once */
        SCANT_I_TRY(scant_i_get_count(&out->refit, place, from, "refit"));
    SCANT_I_TRY(scant_i_get_text(&mode, place, from, "context_mode"));
    mode = schema < 2 ? scant_i_value_now("context-mode", mode) : mode;
    out->context_mode = mode;
    const scant_stream_options read = *out;
    if (scant_i_stream_options_take(out, &read) != SCANT_OK)
        status = scant_i_place_fail(place, "settings that no stream can have");
done:
    return status;
}

static scant_status read_cells(double *cells, const scant_i_place *place, const json_t *array,
                               size_t d)
{
    if (!json_is_array(array) || json_array_size(array) != d)
        return scant_i_place_fail(place, "is not an array of %zu cells", d);
    for (size_t c = 0; c < d; c++) {
        const json_t *cell = json_array_get(array, c);
        if (!json_is_null(cell) && !json_is_number(cell))
            return scant_i_place_fail(place, "cell %zu is neither a number nor null", c + 1);
        cells[c] = json_is_null(cell) ? NAN : json_number_value(cell);
    }
    return SCANT_OK;
}

static scant_status check_vector(const scant_i_place *place, const double *v, size_t K)
{
    double sum = 0;
    for (size_t k = 0; k < K; k++) {
        if (!(v[k] >= 0))
            return scant_i_place_fail(place, "%g is negative", v[k]);
        sum += v[k];
    }
    return sum > 0 ? SCANT_OK : scant_i_place_fail(place, "leaves no class");
}

static scant_status read_evidence(scant_stream *s, size_t at, const scant_i_place *place,
                                  const json_t *from)
{
    size_t K = s->model->nclasses;
    const json_t *set = json_object_get(from, "one_of");
    const json_t *vector = set ? set : json_object_get(from, "probabilities");
    s->known[at] = SCANT_I_KNOWN_NOTHING;
    if (vector && K) {
        s->known[at] = set ? SCANT_I_KNOWN_SET : SCANT_I_KNOWN_PROBABILITIES;
        scant_status status = scant_i_get_numbers(s->v + at * K, place, vector, &K, 1);
        return status == SCANT_OK ? check_vector(place, s->v + at * K, K) : status;
    }
    if (json_is_integer(from) && json_integer_value(from) >= 0 &&
        (size_t)json_integer_value(from) < K) {
        s->known[at] = (int32_t)json_integer_value(from);
        return SCANT_OK;
    }
    return json_is_null(from) ? SCANT_OK : scant_i_place_fail(place, "is no evidence of a class");
}

static scant_status read_row(scant_stream *s, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    size_t d = s->rows->ncolumns, at = scant_i_stream_slide(s);
    scant_i_place cells = scant_i_place_in(place, "cells"),
                  class = scant_i_place_in(place, "class");
    SCANT_I_TRY(read_cells(s->rows->dense + at * d, &cells, json_object_get(from, "cells"), d));
    SCANT_I_TRY(scant_i_get_real(&s->rows->weight[at], place, from, "weight"));
    if (!scant_i_is_weight(s->rows->weight[at]))
        return scant_i_place_fail(place, "%g is not a weight", s->rows->weight[at]);
    SCANT_I_TRY(read_evidence(s, at, &class, json_object_get(from, "class")));
    s->loss[at] = NAN;
    if (json_object_get(from, "loss"))
        SCANT_I_TRY(scant_i_get_real(&s->loss[at], place, from, "loss"));
done:
    return status;
}

/* The families must be able to make the rows, as if they had come in now. */
static scant_status check_rows(const scant_stream *s, const scant_i_place *place)
{
    scant_rows window = *s->rows;
    if (s->model->kind)
        return SCANT_OK;
    window.dense += s->pseudo_rows.nrows * window.ncolumns;
    window.nrows = s->nrows;
    scant_status status = scant_i_mixture_validate(s->model->mixture, &window);
    return status == SCANT_OK
               ? status
               : scant_i_fail_in(status, place->file, "%s: %s", place->path, scant_message());
}

static scant_status read_window(scant_stream *s, const scant_i_place *place, const json_t *from)
{
    scant_status status = SCANT_OK;
    const json_t *rows;
    SCANT_I_TRY(scant_i_get_count(&s->learned, place, from, "learned"));
    if (json_object_get(from, "pending"))
        SCANT_I_TRY(scant_i_get_count(&s->pending, place, from, "pending"));
    SCANT_I_TRY(scant_i_get_array(&rows, place, from, "rows"));
    scant_i_place list = scant_i_place_in(place, "rows");
    if (json_array_size(rows) > s->options.window)
        return scant_i_place_fail(&list, "has %zu rows in a window of %zu", json_array_size(rows),
                                  s->options.window);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        scant_i_place at = scant_i_place_at(&list, i);
        SCANT_I_TRY(read_row(s, &at, json_array_get(rows, i)));
    }
    SCANT_I_TRY(check_rows(s, &list));
done:
    return status;
}

/* The window goes by the numbers of columns, components and classes. */
static bool same_shape(const scant_model *a, const scant_model *b)
{
    return a->ncolumns == b->ncolumns && a->nclasses == b->nclasses &&
           a->own_class == b->own_class && a->mixture->ncomponents == b->mixture->ncomponents &&
           a->mixture->nfactors == b->mixture->nfactors;
}

/* A window has its room from the beginning: a few bytes must not ask for gigabytes. */
static scant_status check_window(const scant_stream_options *options, const scant_i_place *place,
                                 const json_t *from, const scant_model *model)
{
    enum {
        FREE = 1 << 23,
        MOST_PER_ROW = 64
    }; /* numbers; rows of the window for one in the file */
    size_t rows = json_array_size(json_object_get(from, "rows"));
    if (options->window <= FREE / (model->ncolumns + model->nclasses) ||
        options->window / MOST_PER_ROW <= rows)
        return SCANT_OK;
    return scant_i_place_fail(place, "a window of %zu rows makes no sense for the %zu in it",
                              options->window, rows);
}

scant_status scant_stream_read(scant_stream **out, const char *path, size_t threads)
{
    scant_status status = SCANT_OK;
    json_t *root = NULL;
    const json_t *from;
    scant_model *model = NULL, *start = NULL;
    scant_stream *stream = NULL;
    scant_stream_options options;
    scant_i_place place = {.file = path}, inner = scant_i_place_in(&place, "stream");
    scant_i_place begun = scant_i_place_in(&inner, "start");
    *out = NULL;
    SCANT_I_TRY(scant_i_document_read(&root, path));
    SCANT_I_TRY(scant_i_model_from_json(&model, &place, root));
    from = json_object_get(root, "stream");
    if (!json_is_object(from)) {
        status = scant_i_fail_in(SCANT_ERR_INPUT, path, "a model, but no stream was saved in it");
        goto done;
    }
    SCANT_I_TRY(read_options(&options, &inner, from));
    options.threads = threads;
    SCANT_I_TRY(scant_i_model_from_json(&start, &begun, json_object_get(from, "start")));
    if (!same_shape(start, model)) {
        status = scant_i_place_fail(&begun, "is not of the same shape as the model");
        goto done;
    }
    SCANT_I_TRY(check_window(&options, &inner, from, model));
    SCANT_I_TRY(scant_i_stream_new(&stream, start, model, &options));
    SCANT_I_TRY(read_window(stream, &inner, from));
    if (stream->model->kind)
        SCANT_I_TRY(scant_i_stream_again(stream)); /* which an interrupt kept it from */
    *out = stream;
    stream = NULL;
done:
    scant_stream_free(stream);
    scant_model_free(model);
    scant_model_free(start);
    json_decref(root);
    return status;
}
