/* Times an EM iteration and the standard errors of the same fit, through the public library.
 * Arguments: FOLDER COVARIANCE COMPONENTS ITERATIONS THREADS. */
#include <scant/scant.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(void)
{
    fprintf(stderr, "%s\n", scant_message());
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    char data[4096], start[4096];
    snprintf(data, sizeof data, "%s/x.npy", argv[1]);
    snprintf(start, sizeof start, "%s/start.json", argv[1]);
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_read_options read = {.size = sizeof read};
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    fit.model.covariance = argv[2];
    fit.model.components = argv[3];
    fit.run.max_iter = (size_t)atoi(argv[4]);
    fit.run.threads = (size_t)atoi(argv[5]);
    fit.run.init = start;
    fit.run.tol = 0;
    if (scant_rows_read(&rows, data, &read) != SCANT_OK ||
        scant_fit(&model, rows, &fit) != SCANT_OK)
        return fail();
    const scant_summary *summary = scant_model_summary(model);
    double begin = now();
    if (scant_model_inform(model, rows, fit.run.threads) != SCANT_OK)
        return fail();
    double seconds = now() - begin;
    printf("{\"seconds\": %.6f, \"iteration\": %.6f, \"parameters\": %zu, \"check\": %.9f}\n",
           seconds, summary->seconds / (double)summary->iterations,
           scant_model_information(model)->parameters, scant_model_information(model)->missing);
    scant_model_free(model);
    scant_rows_free(rows);
    return 0;
}
