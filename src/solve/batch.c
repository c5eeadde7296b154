#include "solve/batch.h"

#include <string.h>

#include "solve/kernels.h"

scant_status scant_i_batch_new(scant_i_batch **out, const scant_i_nnls *problem)
{
    scant_status status = SCANT_OK;
    size_t rank = problem->rank;
    scant_i_batch *b = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&b, 1));
    b->rank = rank;
    b->lanes = problem->lanes;
    b->gram = problem->gram_stride ? NULL : problem->gram;
    SCANT_I_TRY(SCANT_I_NEW(&b->any, rank));
    SCANT_I_TRY(SCANT_I_NEW(&b->list, rank * SCANT_I_BATCH));
    SCANT_I_TRY(SCANT_I_NEW(&b->L, rank * (rank + 1) / 2));
    scant_i_vector8 **vectors[] = {&b->x, &b->b, &b->y, &b->in, &b->inverse, &b->column};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        SCANT_I_TRY(SCANT_I_NEW(vectors[v], rank));
    if (problem->gram_stride)
        SCANT_I_TRY(SCANT_I_NEW(&b->own, rank * rank));
    *out = b;
    b = NULL;
done:
    scant_i_batch_free(b);
    return status;
}

void scant_i_batch_free(scant_i_batch *b)
{
    if (!b)
        return;
    void *blocks[] = {b->own,    b->x, b->b,   b->y,    b->in, b->inverse,
                      b->column, b->L, b->any, b->list, b};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        scant_i_free(blocks[k]);
}

void scant_i_batch_gather(scant_i_vector8 *to, const double *from, size_t stride, const size_t *row,
                          size_t n, size_t rank)
{
    double *flat = (double *)to;
    if (n < SCANT_I_BATCH)
        memset(to, 0, rank * sizeof *to);
    for (size_t l = 0; l < n; l++) {
        const double *source = from + row[l] * stride;
        for (size_t j = 0; j < rank; j++)
            flat[j * SCANT_I_BATCH + l] = source[j];
    }
}

static void scatter_lane(double *to, const scant_i_vector8 *from, size_t l, size_t rank)
{
    const double *flat = (const double *)from;
    for (size_t j = 0; j < rank; j++)
        to[j] = flat[j * SCANT_I_BATCH + l];
}

void scant_i_batch_scatter(double *to, size_t stride, const size_t *row, size_t n,
                           const scant_i_vector8 *from, size_t rank)
{
    for (size_t l = 0; l < n; l++)
        scatter_lane(to + row[l] * stride, from, l, rank);
}

void scant_i_batch_keep(double *to, size_t stride, const size_t *row, size_t n,
                        const scant_i_batch *b, const scant_i_vector8 *unit)
{
    scant_i_solve_kernels_now()->scale_positive(b->column, b->x, unit, b->rank);
    for (size_t l = 0; l < n; l++)
        if (row[l] != SIZE_MAX)
            scatter_lane(to + row[l] * stride, b->column, l, b->rank);
}

void scant_i_batch_own(scant_i_batch *b, const scant_i_nnls *problem, const size_t *row, size_t n)
{
    for (size_t j = 0; j < b->rank; j++)
        scant_i_batch_gather(b->own + j * b->rank, problem->gram + j * problem->lanes,
                             problem->gram_stride, row, n, b->rank);
}

void scant_i_batch_list_all(scant_i_batch *b)
{
    b->apart = false;
    b->nlist = b->nany = b->rank;
    for (size_t j = 0; j < b->rank; j++)
        b->any[j] = j;
}

void scant_i_batch_list(scant_i_batch *b, const uint64_t *const *set, size_t n)
{
    scant_i_solve_kernels_now()->batch_list(b, set, n);
}

void scant_i_batch_factor(scant_i_batch *b)
{
    scant_i_solve_kernels_now()->batch_factor(b);
}

void scant_i_batch_solve(scant_i_batch *b)
{
    scant_i_solve_kernels_now()->batch_solve(b);
}

void scant_i_batch_gradient(scant_i_batch *b)
{
    scant_i_solve_kernels_now()->batch_gradient(b);
}

void scant_i_batch_broken(scant_i_vector8 *broken, scant_i_vector8 *tolerance,
                          const scant_i_batch *b)
{
    scant_i_solve_kernels_now()->batch_broken(broken, tolerance, b);
}
