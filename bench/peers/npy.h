/* Reads what the benchmarks hand to their C and C++ peers: x.npy (doubles, row-major) and
 * start.txt. */
#ifndef BENCH_NPY_H
#define BENCH_NPY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void bench_need(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "cannot read %s\n", what);
        exit(1);
    }
}

/* rows x columns values, the caller's to free */
static double *bench_read_npy(const char *folder, size_t *rows, size_t *columns)
{
    char path[4096];
    unsigned char magic[10];
    char header[65536];
    snprintf(path, sizeof path, "%s/x.npy", folder);
    FILE *file = fopen(path, "rb");
    bench_need(file && fread(magic, 1, 10, file) == 10, path);
    size_t length = (size_t)magic[8] | (size_t)magic[9] << 8;
    bench_need(length < sizeof header && fread(header, 1, length, file) == length, path);
    header[length < sizeof header ? length : 0] = 0;
    const char *shape = strstr(header, "'shape': (");
    bench_need(shape && sscanf(shape, "'shape': (%zu, %zu", rows, columns) == 2, path);
    double *x = (double *)malloc(*rows * *columns * sizeof *x);
    bench_need(x && fread(x, sizeof *x, *rows * *columns, file) == *rows * *columns, path);
    fclose(file);
    return x;
}

/* count numbers of start.txt, the caller's to free */
static double *bench_read_start(const char *folder, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/start.txt", folder);
    FILE *file = fopen(path, "r");
    double *start = (double *)malloc(count * sizeof *start);
    bench_need(file && start, path);
    for (size_t i = 0; i < count; i++)
        bench_need(fscanf(file, "%lf", &start[i]) == 1, path);
    fclose(file);
    return start;
}

static double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
