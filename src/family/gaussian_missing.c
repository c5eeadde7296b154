/* Gaussian with full covariance and missing cells: all rows of a block miss the same columns.
 *
 * With o the observed and m the missing columns of the block's pattern, for each component j
 *     log f_j(z_o)  from S_oo = L L'
 *     E[z_m | z_o] = mu_m + B (z_o - mu_o),  B = S_mo S_oo^-1
 *     Cov[z_m | z_o] = V = S_mm - B S_om
 * and the statistics of a row of weight w are those of the completed row, plus w V on the missing
 * columns. The regressions of a pattern are made once and kept while blocks of the same pattern
 * pass.
 *
 * Cost: |o|^3 a pattern and component, then d^2 flop a row and component. algebra: MISSING. */
#include "family/gaussian.h"

#include <math.h>

#include "math/linear.h"

static const double LOG_2PI = 1.8378770664093453;

/* pattern: [0] is it filled, [1] count of observed columns, then the d columns, observed first,
 * which is what it is known by, then for each component L (|o| x |o|), B (|m| x |o|), V (|m| x |m|), each in d x
 * d, and log det */
typedef struct pattern_tables {
    double *filled;
    size_t observed;
    double *order;     /* d: columns of the factor, as numbers */
    double *component; /* M of component_size */
} pattern_tables;

static size_t component_size(size_t d)
{
    return 3 * d * d + 1;
}

size_t scant_i_gaussian_pattern_size(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns;
    return 2 + d + factor->ncomponents * component_size(d);
}

/* Starts come without tables: every component is then taken as standard normal. */
static double covariance_at(const scant_i_factor *factor, size_t j, size_t a, size_t b)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    return t ? t->covariance[j * d * d + a * d + b] : a == b ? 1 : 0;
}

static scant_status make_regression(const scant_i_factor *factor, size_t j, const size_t *order,
                                    size_t o, double *tables)
{
    size_t d = factor->ncolumns, m = d - o;
    double *L = tables, *B = L + d * d, *V = B + d * d;
    for (size_t a = 0; a < o; a++)
        for (size_t b = 0; b < o; b++)
            L[a * o + b] = covariance_at(factor, j, order[a], order[b]);
    if (!scant_i_cholesky(L, o))
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the covariance of component %zu is not positive definite", j + 1);
    for (size_t a = 0; a < m; a++) {
        for (size_t b = 0; b < o; b++)
            B[a * o + b] = covariance_at(factor, j, order[o + a], order[b]);
        scant_i_cholesky_solve(L, o, B + a * o);
    }
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double v = covariance_at(factor, j, order[o + a], order[o + b]);
            for (size_t k = 0; k < o; k++)
                v -= B[a * o + k] * covariance_at(factor, j, order[k], order[o + b]);
            V[a * m + b] = v;
        }
    tables[3 * d * d] = scant_i_cholesky_logdet(L, o);
    return SCANT_OK;
}

/* Are these the tables of the columns that the block has? */
static bool is_of(const pattern_tables *p, const scant_i_factor *factor, const scant_i_block *block)
{
    bool same = *p->filled > 0;
    for (size_t a = 0; a < factor->ncolumns && same; a++)
        same = scant_i_block_has(block, factor->columns[(size_t)p->order[a]]) == (a < p->observed);
    return same;
}

static scant_status use_pattern(const scant_i_factor *factor, const scant_i_block *block,
                                double *room, pattern_tables *out)
{
    size_t d = factor->ncolumns, o = 0, m = 0;
    *out = (pattern_tables){room, (size_t)room[1], room + 2, room + 2 + d};
    if (is_of(out, factor, block))
        return SCANT_OK;
    size_t *order = scant_i_alloc(d, sizeof *order);
    if (!order)
        return SCANT_ERR_MEMORY;
    for (size_t c = 0; c < d; c++)
        if (scant_i_block_has(block, factor->columns[c]))
            order[o++] = c;
    for (size_t c = 0; c < d; c++)
        if (!scant_i_block_has(block, factor->columns[c]))
            order[o + m++] = c;
    scant_status status = SCANT_OK;
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++)
        status = make_regression(factor, j, order, o, out->component + j * component_size(d));
    for (size_t c = 0; c < d; c++)
        out->order[c] = (double)order[c];
    scant_i_free(order);
    out->observed = o;
    room[1] = (double)o;
    *out->filled = status == SCANT_OK;
    return status;
}

static double mean_at(const scant_i_factor *factor, size_t j, size_t c)
{
    const scant_i_gaussian_tables *t = factor->tables;
    return t ? t->mean[j * factor->ncolumns + c] : 0;
}

scant_status scant_i_gaussian_missing_density(const scant_i_factor *factor,
                                              const scant_i_block *block, const double *z,
                                              size_t ld, double *L, double *room, double *pattern)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, n = block->nrows;
    pattern_tables p;
    scant_status status = use_pattern(factor, block, pattern, &p);
    if (status != SCANT_OK)
        return status;
    double log_units = 0;
    for (size_t a = 0; a < p.observed; a++)
        log_units += log(t->unit[(size_t)p.order[a]]);
    double *y = room, *square = room + d * ld;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        const double *tables = p.component + j * component_size(d);
        for (size_t a = 0; a < p.observed; a++) {
            size_t c = (size_t)p.order[a];
            double m = t->mean[j * d + c];
            scant_i_gaussian_shift(y + a * ld, z + c * ld, ld, n, 1, &m);
        }
        scant_i_gaussian_whiten(y, ld, n, p.observed, tables, square);
        double constant = -0.5 * ((double)p.observed * LOG_2PI + tables[3 * d * d]) - log_units;
        for (size_t i = 0; i < n; i++)
            L[i * factor->stride + j] += constant - 0.5 * square[i];
    }
    return SCANT_OK;
}

/* y = completed row minus `centre`: z_o - centre_o, and mu_m + B (z_o - mu_o) - centre_m */
static void complete(const scant_i_factor *factor, size_t j, const pattern_tables *p,
                     const double *z, size_t ld, size_t n, const double *centre, double *y)
{
    size_t d = factor->ncolumns, o = p->observed;
    const double *B = p->component + j * component_size(d) + d * d;
    for (size_t a = 0; a < d; a++) {
        size_t c = (size_t)p->order[a];
        double *to = y + c * ld;
        if (a < o) {
            for (size_t i = 0; i < n; i++)
                to[i] = z[c * ld + i] - centre[c];
            continue;
        }
        double base = mean_at(factor, j, c) - centre[c];
        for (size_t i = 0; i < n; i++)
            to[i] = base;
        for (size_t k = 0; k < o; k++) {
            size_t from = (size_t)p->order[k];
            double b = B[(a - o) * o + k], m = mean_at(factor, j, from);
            for (size_t i = 0; i < n; i++)
                to[i] += b * (z[from * ld + i] - m);
        }
    }
}

/* w V onto the squares of the missing columns, in the features' order */
static void add_spread(const scant_i_factor *factor, size_t j, const pattern_tables *p,
                       double weight, double *statistics)
{
    size_t d = factor->ncolumns, o = p->observed, m = d - o, stride = factor->stride;
    const double *V = p->component + j * component_size(d) + 2 * d * d;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            size_t low = (size_t)p->order[o + a], high = (size_t)p->order[o + b];
            if (low > high)
                continue;
            /* feature of z_low z_high: rows 0 .. low-1 of the upper triangle come before */
            size_t feature = 1 + d + low * d - low * (low - 1) / 2 + high - low;
            statistics[feature * stride + j] += weight * V[a * m + b];
        }
}

scant_status scant_i_gaussian_missing_accumulate(const scant_i_factor *factor,
                                                 const scant_i_block *block, const double *z,
                                                 size_t ld, const double *R, double *statistics,
                                                 double *room, double *pattern)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, n = block->nrows;
    pattern_tables p;
    scant_status status = use_pattern(factor, block, pattern, &p);
    if (status != SCANT_OK)
        return status;
    double *zero = NULL;
    double *y = room, *w = room + d * ld;
    status = SCANT_I_NEW(&zero, d);
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++) {
        double weight = 0;
        for (size_t i = 0; i < n; i++) {
            w[i] = R[i * factor->stride + j];
            weight += w[i];
        }
        bool own = t && t->exact[j];
        complete(factor, j, &p, z, ld, n, own ? t->mean + j * d : zero, y);
        statistics[j] += weight;
        scant_i_gaussian_add_moments(factor, j, y, ld, n, w, statistics, w + ld);
        add_spread(factor, j, &p, weight, statistics);
    }
    scant_i_free(zero);
    return status;
}
