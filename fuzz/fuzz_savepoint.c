/* Checkpoints of factorizations: a fit goes on from whatever the file holds, or says why not, and
 * can go on from what it wrote itself. The fingerprint is put right first, since no mutation
 * would hit it. */
#include <stdio.h>
#include <jansson.h>
#include <scant/scant.h>
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char fingerprint[64];

static int stop_later(const scant_progress_event *event, void *payload)
{
    (void)payload;
    return event->start == 1 && event->iteration == 2;
}

static bool is_amount(double x)
{
    return __builtin_isfinite(x) && x >= 0;
}

static void look_at(const scant_factors *factors)
{
    const scant_factor_summary *summary = scant_factors_summary(factors);
    if (!is_amount(summary->rssr) || !is_amount(summary->loss) || summary->iterations == 0)
        abort();
    for (size_t q = 0; q < summary->rank; q++)
        if (!is_amount(scant_factors_weights(factors)[q]))
            abort();
    for (size_t m = 0; m < summary->order; m++)
        for (size_t t = 0; t < scant_factors_size(factors, m) * summary->rank; t++)
            if (!is_amount(scant_factors_mode(factors, m)[t]))
                abort();
}

static scant_status fit(scant_progress progress, bool resume)
{
    static const size_t size[] = {4, 3, 2};
    double x[4 * 3 * 2];
    scant_tensor *tensor = NULL;
    scant_factors *factors = NULL;
    scant_factor_options options;
    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        x[k] = (double)(k * 7 % 11);
    scant_factor_options_preset(&options);
    options.rank = "2";
    options.starts = 3;
    options.max_iter = 4;
    options.tol = 0;
    options.threads = 1;
    options.checkpoint = path;
    options.resume = resume;
    options.progress = progress;
    if (scant_tensor_new(&tensor, 3, size, x) != SCANT_OK)
        abort();
    scant_status status = scant_factor(&factors, tensor, &options);
    if ((status == SCANT_OK) != (factors != NULL) || (status != SCANT_OK && !*scant_message()) ||
        status == SCANT_ERR_INTERNAL || status == SCANT_ERR_MEMORY)
        abort();
    if (factors)
        look_at(factors);
    scant_factors_free(factors);
    scant_tensor_free(tensor);
    return status;
}

/* One fit that is cut short tells the fingerprint of all of them. */
static void learn_fingerprint(void)
{
    if (fit(stop_later, false) != SCANT_OK)
        abort();
    json_t *root = json_load_file(path, 0, NULL);
    (void)snprintf(fingerprint, sizeof fingerprint, "%s",
                   json_string_value(json_object_get(root, "fingerprint")));
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!*fingerprint)
        learn_fingerprint();
    json_t *root = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL);
    if (!root)
        return 0;
    if (json_is_object(root))
        (void)json_object_set_new(root, "fingerprint", json_string(fingerprint));
    if (json_dump_file(root, path, JSON_REAL_PRECISION(17)) == 0 && fit(NULL, true) == SCANT_OK &&
        fit(NULL, true) != SCANT_OK)
        abort();
    json_decref(root);
    return 0;
}
