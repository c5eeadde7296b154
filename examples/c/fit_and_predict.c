/* Fits a classifier to a CSV file some rows of which have a label, and says what it makes of a few.
 *
 *     cc fit_and_predict.c $(pkg-config --cflags --libs scant)
 *     ./a.out crabs.csv sp FL RW CL CW BD */
#include <scant/scant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 5 };

static void show(const scant_model *model, const scant_rows *rows, const double *p)
{
    size_t K = scant_model_classes(model), n = scant_rows_count(rows);
    for (size_t i = 0; i < n; i += n < SHOWN ? 1 : n / SHOWN) {
        printf("row %zu:", i + 1);
        for (size_t k = 0; k < K; k++)
            printf(" %s %.3f", scant_model_class_name(model, k), p[i * K + k]);
        printf("\n");
    }
}

/* Anything that fails says so with a status; scant_message() has the words. */
static scant_status run(const char *path, const scant_read_options *reading)
{
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    double *p = NULL;
    scant_fit_options fitting;
    scant_fit_options_preset(&fitting);
    scant_status status = scant_rows_read(&rows, path, reading);
    if (status == SCANT_OK)
        status = scant_fit(&model, rows, &fitting);
    if (status == SCANT_OK) {
        printf("%zu rows, %zu labelled, log-likelihood %.3f\n", scant_rows_count(rows),
               scant_rows_labeled(rows), scant_model_summary(model)->loglik);
        p = malloc(scant_rows_count(rows) * scant_model_classes(model) * sizeof *p);
        status = p ? scant_model_predict(model, rows, NULL, p, NULL, NULL, NULL) : SCANT_ERR_MEMORY;
    }
    if (status == SCANT_OK)
        show(model, rows, p);
    free(p);
    scant_model_free(model);
    scant_rows_free(rows);
    return status;
}

int main(int argc, char **argv)
{
    scant_read_options reading;
    scant_read_options_preset(&reading);
    if (argc < 4) {
        fprintf(stderr, "usage: fit_and_predict DATA.csv LABEL COLUMN...\n");
        return EXIT_FAILURE;
    }
    reading.label = argv[2];
    reading.features = (const char *const *)(argv + 3);
    reading.nfeatures = (size_t)argc - 3;
    if (run(argv[1], &reading) == SCANT_OK)
        return EXIT_SUCCESS;
    fprintf(stderr, "fit_and_predict: %s\n", scant_message());
    return EXIT_FAILURE;
}
