/* Model files: what is read can be used - drawn from, asked about rows, written and read again. */
#include <math.h>
#include <stdlib.h>
#include "data/rows.h"
#include "model/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { ROWS = 4, CELLS_MAX = 1 << 16 };

/* Rows the families may refuse, but not choke on: given, or drawn where x is NULL. */
static void ask(const scant_model *model, const scant_rows *rows)
{
    size_t K = scant_model_classes(model), M = scant_model_components(model), n = rows->nrows;
    double *classes = calloc(n * K + 1, sizeof *classes), *loglik = calloc(n, sizeof *loglik);
    double *components = calloc(n * M, sizeof *components), *support = calloc(n, sizeof *support);
    scant_predict_options how = {.size = sizeof how, .threads = 1};
    scant_status status =
        scant_model_predict(model, rows, &how, classes, components, support, loglik);
    if (status == SCANT_ERR_INTERNAL || (status != SCANT_OK && !*scant_message()))
        abort();
    for (size_t i = 0; status == SCANT_OK && i < n; i++) {
        double all = 0;
        for (size_t k = 0; k < K; k++)
            all += classes[i * K + k];
        if ((K && !(fabs(all - 1) < 1e-5)) || isnan(loglik[i]) || !(support[i] >= 0))
            abort();
    }
    free(classes);
    free(components);
    free(support);
    free(loglik);
}

static void ask_about(const scant_model *model, double value)
{
    size_t d = scant_model_columns(model);
    const char **names = calloc(d, sizeof *names);
    double *x = calloc(ROWS * d, sizeof *x);
    scant_rows *rows = NULL;
    for (size_t c = 0; c < d; c++)
        names[c] = scant_model_column_name(model, c);
    for (size_t k = 0; k < ROWS * d; k++)
        x[k] = k % 5 == 3 ? NAN : value;
    if (scant_rows_new(&rows, ROWS, d, x, names) == SCANT_OK)
        ask(model, rows);
    scant_rows_free(rows);
    free(names);
    free(x);
}

static void use(const scant_model *model)
{
    scant_rows *rows = NULL;
    if (scant_model_sample(&rows, model, ROWS, 1, false) == SCANT_OK)
        ask(model, rows);
    scant_rows_free(rows);
    ask_about(model, 0);
    ask_about(model, 1);
    ask_about(model, -2.5e10);
    json_t *root = NULL;
    scant_model *again = NULL;
    scant_i_place place = {.file = "again"};
    if (scant_i_model_to_json(&root, model) != SCANT_OK ||
        scant_i_model_from_json(&again, &place, root) != SCANT_OK)
        abort();
    scant_model_free(again);
    json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    json_t *root = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL);
    scant_i_place place = {.file = "fuzz"};
    scant_model *model = NULL;
    if (!root)
        return 0;
    scant_status status = scant_i_model_from_json(&model, &place, root);
    if ((status == SCANT_OK) != (model != NULL) || (status != SCANT_OK && !*scant_message()) ||
        status == SCANT_ERR_INTERNAL)
        abort();
    json_decref(root);
    if (model && scant_model_columns(model) * scant_model_components(model) < CELLS_MAX)
        use(model);
    scant_model_free(model);
    return 0;
}
