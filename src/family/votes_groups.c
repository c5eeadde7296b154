#include "family/votes_groups.h"

#include <math.h>
#include <string.h>

#include "family/kernels.h"
#include "family/pass.h"

/* A group's table should be in the first-level cache along with the others'; more predictors than
 * GROUPED_MOST seldom answer together. A block's fold should cost little against its rows. */
enum { TABLE_ROWS_MOST = 256, GROUPED_MOST = 40, BLOCK_ROWS = 4096 };

scant_i_groups scant_i_groups_of(const scant_i_factor *factor)
{
    size_t k = factor->ncolumns, base = factor->nlevels[0] + 1;
    scant_i_groups g = {0, 0, 1};
    while (g.rows * base <= TABLE_ROWS_MOST && g.size < k) {
        g.rows *= base;
        g.size++;
    }
    g.count = g.size >= 2 && k <= GROUPED_MOST ? (k + g.size - 1) / g.size : 0;
    return g;
}

/* Predictors of a group, from the first on. */
static size_t members(const scant_i_factor *factor, const scant_i_groups *g, size_t group)
{
    return scant_i_min(g->size, factor->ncolumns - group * g->size);
}

void scant_i_groups_fill(double *table, const scant_i_factor *factor, const double *single)
{
    scant_i_groups g = scant_i_groups_of(factor);
    size_t l = factor->nlevels[0], base = l + 1, stride = factor->stride;
    for (size_t group = 0; group < g.count; group++)
        for (size_t row = 0; row < g.rows; row++) {
            double *to = table + (group * g.rows + row) * stride;
            memset(to, 0, stride * sizeof *to);
            for (size_t c = 0, rest = row; c < members(factor, &g, group); c++, rest /= base) {
                const double *from = single + ((group * g.size + c) * l + rest % base) * stride;
                for (size_t j = 0; rest % base < l && j < stride; j++)
                    to[j] = fmax(to[j] + from[j], SCANT_I_LOG_ZERO);
            }
        }
}

void scant_i_groups_fold(double *single, const scant_i_factor *factor, double *table)
{
    scant_i_groups g = scant_i_groups_of(factor);
    size_t l = factor->nlevels[0], base = l + 1, stride = factor->stride;
    for (size_t group = 0; group < g.count; group++)
        for (size_t row = 0; row < g.rows; row++) {
            double *from = table + (group * g.rows + row) * stride;
            for (size_t c = 0, rest = row; c < members(factor, &g, group); c++, rest /= base) {
                double *to = single + ((group * g.size + c) * l + rest % base) * stride;
                for (size_t j = 0; rest % base < l && j < stride; j++)
                    to[j] += from[j];
            }
            memset(from, 0, stride * sizeof *from);
        }
}

void scant_i_groups_gather(double *L, const scant_i_factor *factor, const double *table,
                           const int32_t *entry, size_t nrows)
{
    size_t count = scant_i_groups_of(factor).count;
    scant_i_family_kernels_now()->groups_gather(L, count, factor->stride, table, entry, nrows);
}

void scant_i_groups_scatter(double *table, const scant_i_factor *factor, const double *R,
                            const int32_t *entry, size_t nrows)
{
    size_t count = scant_i_groups_of(factor).count;
    scant_i_family_kernels_now()->groups_scatter(table, count, factor->stride, R, entry, nrows);
}

/* Do rows have so many answers that groups are fewer by half? */
static bool pays(const scant_i_factor *factor, size_t votes, size_t nrows)
{
    scant_i_groups g = scant_i_groups_of(factor);
    return g.count > 0 && votes >= 2 * g.count * nrows;
}

size_t scant_i_groups_block_rows(const scant_i_factor *factor, const scant_i_counts *counts)
{
    return pays(factor, counts->entries, counts->nrows) ? BLOCK_ROWS : 0;
}

static size_t votes_of(const scant_i_block *block)
{
    size_t votes = 0;
    for (size_t i = 0; i < block->nrows; i++) {
        votes += scant_i_batch_count(block->batch, scant_i_block_place(block, i));
    }
    return votes;
}

size_t scant_i_groups_keep_bytes(const scant_i_factor *factor, const scant_i_block *block)
{
    if (!pays(factor, votes_of(block), block->nrows))
        return 0;
    return block->nrows * scant_i_groups_of(factor).count * sizeof(int32_t);
}

scant_status scant_i_groups_keep(const scant_i_factor *factor, const scant_i_block *block,
                                 void **kept)
{
    scant_i_groups g = scant_i_groups_of(factor);
    size_t l = factor->nlevels[0], base = l + 1;
    int32_t *entry = NULL;
    *kept = NULL;
    scant_status status = SCANT_I_NEW(&entry, block->nrows * g.count + 1);
    if (status != SCANT_OK)
        return status;
    for (size_t i = 0; i < block->nrows; i++) {
        const scant_i_batch_sparse *sparse = &block->batch->sparse;
        size_t row = scant_i_block_place(block, i), v = scant_i_batch_start(block->batch, row);
        size_t end = v + scant_i_batch_count(block->batch, row);
        for (size_t c = 0, power = 1; c < factor->ncolumns; c++) {
            power = c % g.size == 0 ? 1 : power * base;
            bool answered = v < end && (size_t)sparse->column[v] / l == c;
            size_t answer = answered ? (size_t)sparse->column[v++] % l : l;
            entry[i * g.count + c / g.size] += (int32_t)(answer * power);
        }
        for (size_t group = 0; group < g.count; group++)
            entry[i * g.count + group] += (int32_t)(group * g.rows);
    }
    *kept = entry;
    return SCANT_OK;
}
