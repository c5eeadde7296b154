/* A fit that tells how far it is, logs what it does, and is stopped by its caller: the best model so
 * far comes out all the same.
 *
 *     cc progress.c $(pkg-config --cflags --libs scant) && ./a.out faithful.csv */
#include <scant/scant.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE = 30 };

static int watch(const scant_progress_event *event, void *payload)
{
    size_t *calls = payload;
    if (++*calls <= 3)
        printf("%s: start %zu of %zu, iteration %zu\n", event->what, event->start + 1,
               event->starts, event->iteration);
    return *calls >= PATIENCE; /* anything but 0: stop, please */
}

static void listen(scant_log_level level, const char *text, void *payload)
{
    (void)level;
    ++*(size_t *)payload;
    if (*(size_t *)payload == 1)
        printf("log: %s\n", text);
}

int main(int argc, char **argv)
{
    size_t calls = 0, messages = 0;
    scant_read_options reading;
    scant_read_options_preset(&reading);
    scant_rows *rows = NULL;
    scant_model *model = NULL;
    scant_fit_options options;
    scant_fit_options_preset(&options);
    options.model.components = "3";
    options.run.starts = 50;
    options.run.tol = 0;
    options.run.progress = watch;
    options.run.payload = &calls;
    scant_log_set(SCANT_LOG_DETAIL, listen, &messages);
    if (argc != 2 || scant_rows_read(&rows, argv[1], &reading) != SCANT_OK ||
        scant_fit(&model, rows, &options) != SCANT_OK) {
        fprintf(stderr, "progress: %s\n", argc == 2 ? scant_message() : "usage: progress DATA.csv");
        scant_rows_free(rows);
        return EXIT_FAILURE;
    }
    printf("stopped: %s, log-likelihood %.3f\n", scant_stop_name(scant_model_summary(model)->stop),
           scant_model_summary(model)->loglik);
    scant_model_free(model);
    scant_rows_free(rows);
    return EXIT_SUCCESS;
}
