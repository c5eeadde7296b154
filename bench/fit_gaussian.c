/* Times one call of scant_fit on rows in memory: what the Python package is held against. Arguments:
 * FOLDER COMPONENTS ITERATIONS THREADS. */
#include <scant/scant.h>

#include "peers/npy.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    size_t n, d;
    double *x = bench_read_npy(argv[1], &n, &d);
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = argv[2];
    options.run.max_iter = (size_t)atoi(argv[3]);
    options.run.threads = (size_t)atoi(argv[4]);
    options.run.init = "random";
    options.run.starts = 1;
    options.run.tol = 0;
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    double begin = bench_seconds();
    if (scant_rows_view(&rows, n, d, x, NULL) != SCANT_OK ||
        scant_fit(&model, rows, &options) != SCANT_OK) {
        fprintf(stderr, "%s\n", scant_message());
        return 1;
    }
    double seconds = bench_seconds() - begin;
    const scant_summary *summary = scant_model_summary(model);
    printf("{\"seconds\": %.6f, \"iterations\": %zu, \"check\": %.9f}\n", seconds,
           summary->iterations, summary->loglik / summary->weight);
    scant_model_free(model);
    scant_rows_free(rows);
    free(x);
    return 0;
}
