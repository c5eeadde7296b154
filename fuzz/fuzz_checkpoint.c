/* Checkpoints: a fit goes on from whatever the file holds, or says why not. The fingerprint is put
 * right first, since no mutation would hit it. */
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>
#include <scant/scant.h>

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char fingerprint[64];
static scant_rows *rows;

static int stop_later(const scant_progress_event *event, void *payload)
{
    (void)payload;
    return event->start == 1 && event->iteration == 2;
}

static scant_status fit(bool resume)
{
    scant_fit_options options;
    scant_model *model = NULL;
    scant_fit_options_preset(&options);
    options.model.components = "2/class";
    options.run.max_iter = 4;
    options.run.starts = 3;
    options.run.threads = 1;
    options.run.tol = 0;
    options.run.checkpoint = path;
    options.run.resume = resume;
    options.run.progress = resume ? NULL : stop_later;
    scant_status status = scant_fit(&model, rows, &options);
    if ((status == SCANT_OK) != (model != NULL) || (status != SCANT_OK && !*scant_message()) ||
        status == SCANT_ERR_INTERNAL)
        abort();
    scant_model_free(model);
    return status;
}

/* One fit that is cut short tells the fingerprint of all of them. */
static void set_up(void)
{
    enum { N = 24 };
    double x[N];
    const char *label[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(i * 7 % 11) + (i % 2 ? 20 : 0);
        label[i] = i % 3 == 2 ? "" : i % 2 ? "b" : "a";
    }
    if (scant_rows_new(&rows, N, 1, x, NULL) != SCANT_OK ||
        scant_rows_set_labels(rows, label, NULL, 0, NULL) != SCANT_OK || fit(false) != SCANT_OK)
        abort();
    json_t *root = json_load_file(path, 0, NULL);
    (void)snprintf(fingerprint, sizeof fingerprint, "%s",
                   json_string_value(json_object_get(root, "fingerprint")));
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!rows)
        set_up();
    json_t *root = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        return 0;
    if (json_is_object(root))
        (void)json_object_set_new(root, "fingerprint", json_string(fingerprint));
    if (json_dump_file(root, path, JSON_REAL_PRECISION(17)) == 0)
        (void)fit(true);
    json_decref(root);
    return 0;
}
