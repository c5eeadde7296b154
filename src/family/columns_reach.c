/* How far rows are from a component, of families with independent columns, for bounds of a log-sum (family.h):
 *
 *   Z' K''^-1 Z = sum_c (T - K')^2 / K'',  slack = max_c (T - K') / K' or (K' - T) / (1 - K')
 *
 * where K' may be anything above 0, or anything between 0 and 1. Zeros that sparse rows leave out are summed once a
 * block; their slack is that of all columns, which is at least the row's own. Cost: 2 nrows d M; sparse: nonzeros in
 * place of nrows d. */
#include "family/columns.h"
#include "family/pass.h"

#include <math.h>
#include <string.h>

/* K' and 1 / K'' (d x stride each); of zeros distance and slack (stride each); then the view. */
static size_t doubles(const scant_i_factor *factor)
{
    return 2 * (factor->ncolumns + 1) * factor->stride;
}

static size_t room(const scant_i_factor *factor, size_t nrows)
{
    (void)nrows;
    return doubles(factor) + scant_i_view_bytes(factor) / sizeof(double) + 1;
}

static double slack_of(const scant_i_factor *factor, double T, double K1)
{
    bool shares = factor->family->law->range == SCANT_I_RANGE_SHARES;
    return T > K1 ? (T - K1) / K1 : shares ? (K1 - T) / (1 - K1) : 0;
}

/* A column of no variance counts for nothing: what differs from it has no share of the component. */
static double distance_of(double T, double K1, double inverse)
{
    return inverse < INFINITY ? (T - K1) * (T - K1) * inverse : 0;
}

static void make_tables(const scant_i_factor *factor, double *mean, double *inverse)
{
    const scant_i_column_law *law = factor->family->law;
    size_t d = factor->ncolumns, stride = factor->stride;
    for (size_t c = 0; c < d; c++)
        for (size_t j = 0; j < factor->ncomponents; j++) {
            double K, K2, eta;
            law->natural(factor->theta + j * d + c, &eta);
            (void)law->cumulant(&eta, &K, &mean[c * stride + j], &K2);
            inverse[c * stride + j] = 1 / K2;
        }
}

/* Adds column c, whose cell is x. */
static void add_cell(const scant_i_factor *factor, const double *mean, const double *inverse,
                     size_t c, double x, double *distance, double *slack)
{
    double T;
    factor->family->law->sufficient(x, &T);
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double K1 = mean[c * factor->stride + j];
        distance[j] += distance_of(T, K1, inverse[c * factor->stride + j]);
        if (inverse[c * factor->stride + j] < INFINITY)
            slack[j] = fmax(slack[j], slack_of(factor, T, K1));
    }
}

/* The same of an entry in place of a zero that is summed already. */
static void exchange_cell(const scant_i_factor *factor, const double *mean, const double *inverse,
                          size_t c, double x, double *distance, double *slack)
{
    for (size_t j = 0; j < factor->ncomponents; j++) {
        size_t at = c * factor->stride + j;
        distance[j] -= distance_of(0, mean[at], inverse[at]);
    }
    add_cell(factor, mean, inverse, c, x, distance, slack);
}

static scant_status distances(const scant_i_factor *factor, const scant_i_block *block,
                              double *distance, double *slack, double *total, double *memory)
{
    size_t d = factor->ncolumns, stride = factor->stride;
    double *mean = memory, *inverse = mean + d * stride, *zero = inverse + d * stride;
    double *zero_slack = zero + stride;
    scant_i_view *view = (scant_i_view *)(memory + doubles(factor));
    bool dense = block->batch->dense != NULL;
    make_tables(factor, mean, inverse);
    memset(zero, 0, 2 * stride * sizeof *zero);
    for (size_t c = 0; c < d && !dense; c++)
        add_cell(factor, mean, inverse, c, 0, zero, zero_slack);
    if (!dense)
        memset(view, 0, scant_i_view_bytes(factor));
    for (size_t i = 0; i < block->nrows; i++) {
        double *own = distance + i * stride, *most = slack + i * stride;
        memcpy(own, zero, stride * sizeof *own);
        memcpy(most, zero_slack, stride * sizeof *most);
        total[i] = 1;
        for (size_t c = 0; c < d && dense; c++)
            if (scant_i_block_has(block, factor->columns[c]))
                add_cell(factor, mean, inverse, c,
                         scant_i_block_cells(block, i)[factor->columns[c]], own, most);
        if (dense)
            continue;
        scant_i_sparse_row row = scant_i_view_row(view, factor, block, i);
        for (size_t k = 0; k < row.n; k++)
            exchange_cell(factor, mean, inverse, (size_t)row.index[k], row.value[k], own, most);
        for (size_t j = 0; j < factor->ncomponents; j++)
            own[j] = fmax(own[j], 0);
    }
    return SCANT_OK;
}

const scant_i_family_reach scant_i_columns_reach = {
    .room = room,
    .distances = distances,
};
