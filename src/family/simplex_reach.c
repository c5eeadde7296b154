/* How far rows are from shares p: multinomial and categorical, for bounds of a log-sum (family.h).
 *
 *   multinomial   Z' K''^-1 Z = sum_c x_c^2 / (n p_c) - n,  slack = max_c x_c / (n p_c) - 1,  K of a total of n
 *   categorical   the same of one trial a column: sum_c (1 / p - 1) and max_c (1 / p - 1) at the row's categories
 *
 * Where p is 0 nothing is added: a row that p cannot make has no share of the component. Cost: a division for each component and entry. */
#include "family/pass.h"
#include "family/simplex.h"

#include <math.h>
#include <string.h>

static size_t multinomial_room(const scant_i_factor *factor, size_t nrows)
{
    size_t view = scant_i_view_bytes(factor) / sizeof(double) + 1;
    (void)nrows;
    return scant_i_max(view, factor->ncolumns);
}

/* Adds n entries of a row, at `index` or in order (NULL), whose sum is `trials`. */
static void add_entries(const scant_i_factor *factor, const int32_t *index, const double *x,
                        size_t n, double trials, double *distance, double *slack)
{
    size_t width = factor->ncolumns;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        const double *p = factor->theta + j * width;
        double sum = 0, most = 0;
        for (size_t k = 0; k < n; k++) {
            double expected = trials * p[index ? (size_t)index[k] : k];
            double share = expected > 0 ? x[k] / expected : 0;
            sum += x[k] * share;
            most = fmax(most, share);
        }
        distance[j] = trials > 0 ? fmax(0, sum - trials) : 0;
        slack[j] = trials > 0 ? fmax(0, most - 1) : 0;
    }
}

static scant_status multinomial_distances(const scant_i_factor *factor, const scant_i_block *block,
                                          double *distance, double *slack, double *total,
                                          double *memory)
{
    size_t stride = factor->stride;
    scant_i_view *view = (scant_i_view *)memory;
    if (!block->batch->dense)
        memset(view, 0, scant_i_view_bytes(factor));
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = {NULL, memory, factor->ncolumns, 0};
        if (block->batch->dense)
            scant_i_block_gather(block, i, factor->columns, factor->ncolumns, memory);
        else
            row = scant_i_view_row(view, factor, block, i);
        total[i] = 0;
        for (size_t k = 0; k < row.n; k++)
            total[i] += row.value[k];
        add_entries(factor, row.index, row.value, row.n, total[i], distance + i * stride,
                    slack + i * stride);
    }
    return SCANT_OK;
}

const scant_i_family_reach scant_i_multinomial_reach = {
    .room = multinomial_room,
    .distances = multinomial_distances,
};

static size_t no_room(const scant_i_factor *factor, size_t nrows)
{
    (void)factor, (void)nrows;
    return 0;
}

static scant_status categorical_distances(const scant_i_factor *factor, const scant_i_block *block,
                                          double *distance, double *slack, double *total,
                                          double *memory)
{
    size_t width = factor->ntheta / factor->ncomponents;
    (void)memory;
    for (size_t i = 0; i < block->nrows; i++) {
        const double *cells = scant_i_block_cells(block, i);
        double *own = distance + i * factor->stride, *most = slack + i * factor->stride;
        memset(own, 0, factor->stride * sizeof *own);
        memset(most, 0, factor->stride * sizeof *most);
        total[i] = 1;
        for (size_t c = 0, first = 0; c < factor->ncolumns; first += factor->nlevels[c++]) {
            if (!scant_i_block_has(block, factor->columns[c]))
                continue;
            const double *p = factor->theta + first + (size_t)cells[factor->columns[c]];
            for (size_t j = 0; j < factor->ncomponents; j++) {
                double odds = p[j * width] > 0 ? 1 / p[j * width] - 1 : 0;
                own[j] += odds;
                most[j] = fmax(most[j], odds);
            }
        }
    }
    return SCANT_OK;
}

const scant_i_family_reach scant_i_categorical_reach = {
    .room = no_room,
    .distances = categorical_distances,
};
