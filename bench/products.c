/* The products of a dense tensor with its factors that an iteration takes, all modes in turn, without the rest of it.
 * Arguments: THREADS ITERATIONS RANK SIZE SIZE ... Links objects of the library's build: the products are not public. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensor/layout.h"

enum { MOST_ORDER = 8 };

static void fill(double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] = (double)(k * 7919 % 1000) / 1000; /* any numbers: they take the same time */
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of the products of one iteration. */
static double iterate(double *M, scant_i_layout *layout, const scant_i_kruskal *k, size_t threads)
{
    double begin = omp_get_wtime();
    for (size_t m = 0; m < k->order; m++) {
        if (scant_i_layout_multiply(M, layout, k, m, threads) != SCANT_OK)
            exit(1);
        scant_i_layout_touch(layout, m); /* as if the factor had changed */
    }
    return omp_get_wtime() - begin;
}

int main(int argc, char **argv)
{
    if (argc < 6 || argc > 4 + MOST_ORDER)
        return 2;
    size_t threads = strtoul(argv[1], NULL, 10), iterations = strtoul(argv[2], NULL, 10);
    size_t rank = strtoul(argv[3], NULL, 10), order = (size_t)argc - 4, size[MOST_ORDER],
           longest = 0;
    scant_i_tensor t = {.order = order, .size = size, .nentries = 1};
    for (size_t m = 0; m < order; m++) {
        size[m] = strtoul(argv[4 + m], NULL, 10);
        t.nentries *= size[m];
        longest = scant_i_max(longest, size[m]);
    }
    scant_i_kruskal *k = NULL;
    scant_i_layout *layout = NULL;
    double *M = NULL, *seconds = NULL;
    t.value = scant_i_alloc(t.nentries, sizeof *t.value);
    if (!t.value || scant_i_kruskal_new(&k, order, size, rank) != SCANT_OK)
        return 1;
    fill(t.value, t.nentries);
    for (size_t m = 0; m < order; m++)
        fill(k->mode[m], size[m] * k->lanes);
    if (scant_i_layout_dense(&layout, &t, k->lanes) != SCANT_OK ||
        SCANT_I_NEW(&M, longest * k->lanes) != SCANT_OK ||
        SCANT_I_NEW(&seconds, iterations) != SCANT_OK)
        return 1;
    (void)iterate(M, layout, k, threads); /* warm up */
    for (size_t i = 0; i < iterations; i++)
        seconds[i] = iterate(M, layout, k, threads);
    qsort(seconds, iterations, sizeof *seconds, by_size);
    printf(
        "{\"seconds\": %.6g, \"least\": %.6g, \"most\": %.6g, \"flop\": %.6g, \"bytes\": %.6g}\n",
        seconds[iterations / 2], seconds[0], seconds[iterations - 1],
        4.0 * (double)t.nentries * (double)rank, 2.0 * (double)t.nentries * sizeof(double));
    return 0;
}
