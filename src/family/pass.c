#include "family/pass.h"

#include "family/kernels.h"

enum { CACHE_DOUBLES = 32768, ROWS_MOST = 256 };

size_t scant_i_pass_rows(size_t nfeatures)
{
    size_t rows = CACHE_DOUBLES / scant_i_max(nfeatures, 1) / SCANT_I_LANES * SCANT_I_LANES;
    return scant_i_max(SCANT_I_LANES, scant_i_min(rows, ROWS_MOST));
}

void scant_i_pass_add(double *L, const double *own, const double *base, const double *constant,
                      size_t nrows, size_t stride)
{
    scant_i_family_kernels_now()->pass_add(L, own, base, constant, nrows, stride);
}

void scant_i_pass_totals(double *sum, const double *R, size_t nrows, size_t stride)
{
    scant_i_family_kernels_now()->pass_totals(sum, R, nrows, stride);
}

static size_t map_length(const scant_i_factor *factor)
{
    size_t length = 0;
    for (size_t c = 0; c < factor->ncolumns; c++)
        length = scant_i_max(length, factor->columns[c] + 1);
    return length;
}

size_t scant_i_view_bytes(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns;
    return scant_i_round_up(
        sizeof(scant_i_view) + d * sizeof(double) + (d + map_length(factor)) * sizeof(int32_t), 64);
}

static void make_view(scant_i_view *view, const scant_i_factor *factor, size_t ncolumns)
{
    size_t d = factor->ncolumns;
    view->value = (double *)(view + 1);
    view->index = (int32_t *)(view->value + d);
    view->map = view->index + d;
    view->nmap = map_length(factor);
    view->identity = ncolumns == d;
    for (size_t k = 0; k < view->nmap; k++)
        view->map[k] = -1;
    for (size_t c = 0; c < d; c++) {
        view->map[factor->columns[c]] = (int32_t)c;
        view->identity = view->identity && factor->columns[c] == c;
    }
    view->ready = true;
}

scant_i_sparse_row scant_i_view_row(scant_i_view *view, const scant_i_factor *factor,
                                    const scant_i_block *block, size_t i)
{
    const scant_i_batch_sparse *csr = &block->batch->sparse;
    size_t row = scant_i_block_place(block, i);
    size_t first = scant_i_batch_start(block->batch, row),
           n = scant_i_batch_count(block->batch, row);
    if (!view->ready)
        make_view(view, factor, block->batch->ncolumns);
    if (view->identity) {
        size_t last = scant_i_batch_entries(block->batch);
        return (scant_i_sparse_row){csr->column + first, csr->value + first, n,
                                    block->row ? n : last - first};
    }
    size_t kept = 0;
    for (size_t k = first; k < first + n; k++) {
        size_t column = (size_t)csr->column[k];
        if (column < view->nmap && view->map[column] >= 0) {
            view->index[kept] = view->map[column];
            view->value[kept++] = csr->value[k];
        }
    }
    return (scant_i_sparse_row){view->index, view->value, kept, kept};
}
