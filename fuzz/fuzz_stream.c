/* Saved streams: what is read goes on learning, and is written and read again, or the file is
 * refused with a reason. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>
#include <scant/scant.h>
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { WINDOW_MAX = 1000, CELLS_MAX = 1 << 12 };

static void check(scant_status status)
{
    if (status == SCANT_ERR_INTERNAL || (status != SCANT_OK && !*scant_message()))
        abort();
}

static void learn(scant_stream *stream, double value)
{
    const scant_model *model = scant_stream_model(stream);
    size_t d = scant_model_columns(model);
    const char **names = calloc(d, sizeof *names);
    double *x = calloc(d, sizeof *x), loglik = 0;
    scant_predict_options how = {.size = sizeof how, .threads = 1};
    scant_rows *row = NULL;
    for (size_t c = 0; c < d; c++) {
        names[c] = scant_model_column_name(model, c);
        x[c] = c % 3 == 2 ? NAN : value;
    }
    if (scant_rows_new(&row, 1, d, x, names) == SCANT_OK) {
        check(scant_stream_predict(stream, row, &how, NULL, NULL, NULL, &loglik, NULL));
        check(scant_stream_learn(stream, row));
        if (isnan(loglik))
            abort();
    }
    scant_rows_free(row);
    free(names);
    free(x);
}

static void go_on(scant_stream *stream)
{
    scant_stream *again = NULL;
    learn(stream, 0);
    learn(stream, 1);
    if (scant_stream_write(stream, path) != SCANT_OK ||
        scant_stream_read(&again, path, 1) != SCANT_OK)
        abort();
    scant_stream_free(again);
}

/* Settings that only take time are put right, so that time goes into the rest. */
static bool tame(json_t *root)
{
    json_t *saved = json_object_get(root, "stream");
    if (!json_is_object(saved) ||
        json_integer_value(json_object_get(saved, "window")) > WINDOW_MAX ||
        json_array_size(json_object_get(root, "columns")) *
                json_array_size(json_object_get(root, "coupling")) >
            CELLS_MAX)
        return false;
    (void)json_object_set_new(saved, "iterations", json_integer(2));
    return json_dump_file(root, path, JSON_REAL_PRECISION(17)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    json_t *root = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL);
    scant_stream *stream = NULL;
    if (!root)
        return 0;
    if (tame(root)) {
        scant_status status = scant_stream_read(&stream, path, 1);
        check(status);
        if ((status == SCANT_OK) != (stream != NULL))
            abort();
    }
    json_decref(root);
    if (stream)
        go_on(stream);
    scant_stream_free(stream);
    return 0;
}
