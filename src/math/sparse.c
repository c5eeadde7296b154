/* Sparse row times table. Columns of the table stay in registers over a
 * whole row, as many as the processor has room for (kernels/sparse.c). The work is bound by fetching the table's
 * rows, which arrive in no order, so the rows of entries AHEAD places on are asked for early. */
#include "math/sparse.h"

#include "math/kernels.h"

enum { LANES = 8 };

static void gather(double *L, const double *C, size_t lanes, const scant_i_sparse_entries *ones,
                   const scant_i_sparse_entries *others)
{
    scant_i_kernels_now()->sparse_gather(L, C, lanes, ones, others);
}

void scant_i_sparse_gather(double *L, const double *C, size_t lanes, const int32_t *index,
                           const double *value, size_t n, size_t known)
{
    scant_i_sparse_entries all = {index, value, n, known}, none = {index, value, 0, 0};
    gather(L, C, lanes, value ? &none : &all, value ? &all : &none);
}

void scant_i_sparse_gather_row(double *L, const double *C, size_t lanes,
                               const scant_i_sparse_rows *x, size_t i, size_t nrows)
{
    const uint32_t *a = x->one_start, *b = x->other_start;
    scant_i_sparse_entries ones = {x->one + a[i], NULL, a[i + 1] - a[i], a[nrows] - a[i]};
    scant_i_sparse_entries others = {x->other + b[i], x->value + b[i], b[i + 1] - b[i],
                                     b[nrows] - b[i]};
    gather(L, C, lanes, &ones, &others);
}

static bool is_zero(const double *R)
{
    for (size_t j = 0; j < LANES; j++)
        if (R[j] != 0)
            return false;
    return true;
}

/* Rows whose class is known have zeros for the components of all others, so zeros at either end are
 * passed over. */
void scant_i_sparse_scatter(double *S, const double *R, size_t lanes, const int32_t *index,
                            const double *value, size_t n, size_t known)
{
    const scant_i_sparse_entries all = {index, value, n, known};
    size_t first = 0, last = lanes;
    while (first < last && is_zero(R + first))
        first += LANES;
    while (first < last && is_zero(R + last - LANES))
        last -= LANES;
    scant_i_kernels_now()->sparse_scatter(S, R, lanes, first, last, &all);
}

void scant_i_sparse_collect(double *S, const double *R, size_t lanes,
                            const scant_i_sparse_columns *x)
{
    scant_i_kernels_now()->sparse_collect(S, R, lanes, x);
}

void scant_i_sparse_spread(double *L, const double *C, size_t lanes,
                           const scant_i_sparse_columns *x, size_t nruns)
{
    scant_i_kernels_now()->sparse_spread(L, C, lanes, x, nruns);
}
