/* Times scant's reader alone, through the public library. Arguments: FOLDER THREADS. */
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

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    char path[4096];
    snprintf(path, sizeof path, "%s/x.csv", argv[1]);
    scant_read_options options = {.size = sizeof options, .threads = (size_t)atoi(argv[2])};
    scant_rows *rows = NULL;
    double begin = now();
    if (scant_rows_read(&rows, path, &options) != SCANT_OK) {
        fprintf(stderr, "%s\n", scant_message());
        return 1;
    }
    double seconds = now() - begin;
    double sum = 0;
    for (size_t i = 0; i < scant_rows_count(rows); i++)
        for (size_t j = 0; j < scant_rows_columns(rows); j++)
            sum += scant_rows_value(rows, i, j);
    printf("{\"seconds\": %.6f, \"check\": %.9f}\n", seconds, sum);
    scant_rows_free(rows);
    return 0;
}
