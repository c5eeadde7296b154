/* Reads a file so many times and prints the seconds of each, and what was read. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <scant/data.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        (void)fprintf(stderr, "usage: read_csv FILE THREADS TIMES\n");
        return 2;
    }
    scant_read_options options = {.threads = (size_t)strtoul(argv[2], NULL, 10)};
    long times = strtol(argv[3], NULL, 10);
    for (long k = 0; k < times; k++) {
        scant_rows *rows = NULL;
        double start = now();
        if (scant_rows_read(&rows, argv[1], &options) != SCANT_OK) {
            (void)fprintf(stderr, "%s\n", scant_message());
            return 1;
        }
        (void)printf("%.4f\n", now() - start);
        if (k + 1 == times) {
            struct rusage use;
            (void)getrusage(RUSAGE_SELF, &use);
            (void)fprintf(stderr, "%zu x %zu, peak %ld MB\n", scant_rows_count(rows),
                          scant_rows_columns(rows), use.ru_maxrss / 1024);
        }
        scant_rows_free(rows);
    }
    return 0;
}
