/* Gaussian with full covariance and missing cells: all rows of a block miss the same columns.
 *
 * With o the observed and m the missing columns of the block's pattern, for each component j
 *     log f_j(z_o)  from S_oo
 *     E[z_m | z_o] = mu_m + B (z_o - mu_o),  B = S_mo S_oo^-1
 *     Cov[z_m | z_o] = V = S_mm - B S_om
 * and the statistics of a row of weight w are those of the completed row, plus w V on the missing
 * columns. algebra: MISSING.
 *
 * Log densities are products with features (gaussian.c), and so are they without the missing columns,
 * which are integrated out of all components at once (math/sweep.h); B and V come with that. Then
 *     sum w z_m z_o' = (mu_m - B mu_o) sum w z_o' + B sum w z_o z_o',
 * and likewise for z_m z_m', from sums over the block's observed cells; rows that are few are
 * completed one by one. Cost: |m| d^2 flop a pattern and component, the features' product a row and
 * component, |m| |o|^2 a block and component.
 *
 * Components for which products lose digits, and all where that is not quicker, have the Cholesky factor
 * S_oo = L L', B and V, and rows completed one by one: |o|^3 a pattern and component, then d^2 a row.
 *
 * Either is made once and kept while blocks of the same pattern pass. */
#include "family/gaussian.h"
#include "family/kernels.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

static const double TWO_PI = 6.283185307179586;
static const double LOG_2PI = 1.8378770664093453;

enum {
    FEW = 3,    /* rows that are completed one by one */
    SMALL = 32, /* columns: sums and forms of all components stay in the cache */
    SPARSE = 4, /* of more columns at most this share is swept */
    HEAD = 8,   /* doubles */
};

typedef struct pattern_head {
    size_t observed;
    bool known; /* which columns it has: `order` is filled */
    bool swept, factored;
} pattern_head;
_Static_assert(sizeof(pattern_head) <= HEAD * sizeof(double), "the head must fit its place");

typedef struct pattern_tables {
    pattern_head *head;
    size_t *order; /* d: columns of the factor, observed first */
    double *form;  /* features x stride: the product's coefficients, swept by the missing columns */
    double *sums;  /* features x stride: room */
    double *room;  /* stride, and 2 d vectors */
    double *component; /* M of component_size: L (|o| x |o|), B (|m| x |o|), V (|m| x |m|), each in
                        * d x d, and log det */
} pattern_tables;

static size_t component_size(size_t d)
{
    return 3 * d * d + 1;
}

static size_t form_size(const scant_i_factor *factor)
{
    return scant_i_gaussian_features(SCANT_I_FULL, factor->ncolumns) * factor->stride;
}

static pattern_tables tables_at(const scant_i_factor *factor, double *pattern)
{
    pattern_tables p = {.head = (pattern_head *)(void *)pattern};
    size_t d = factor->ncolumns;
    p.order = (size_t *)(void *)(pattern + HEAD);
    p.form = pattern + HEAD + scant_i_round_up(d, SCANT_I_LANES);
    p.sums = p.form + form_size(factor);
    p.room = p.sums + form_size(factor);
    p.component = p.room + factor->stride + 2 * d * SCANT_I_LANES;
    return p;
}

size_t scant_i_gaussian_pattern_size(const scant_i_factor *factor)
{
    size_t d = factor->ncolumns, M = factor->ncomponents;
    size_t room = factor->stride + 2 * d * SCANT_I_LANES;
    return HEAD + scant_i_round_up(d, SCANT_I_LANES) + 2 * form_size(factor) + room +
           M * component_size(d);
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

/* Are these the columns that the block has? */
static bool is_of(const pattern_tables *p, const scant_i_factor *factor, const scant_i_block *block)
{
    bool same = p->head->known;
    for (size_t a = 0; a < factor->ncolumns && same; a++)
        same = scant_i_block_has(block, factor->columns[p->order[a]]) == (a < p->head->observed);
    return same;
}

static pattern_tables use_pattern(const scant_i_factor *factor, const scant_i_block *block,
                                  double *room)
{
    pattern_tables p = tables_at(factor, room);
    size_t d = factor->ncolumns, count = 0;
    if (is_of(&p, factor, block))
        return p;
    for (size_t c = 0; c < d; c++)
        if (scant_i_block_has(block, factor->columns[c]))
            p.order[count++] = c;
    *p.head = (pattern_head){.observed = count, .known = true};
    for (size_t c = 0; c < d; c++)
        if (!scant_i_block_has(block, factor->columns[c]))
            p.order[count++] = c;
    return p;
}

/* --- all components at once --- */

/* Does component j go by its factor, whatever the others do? */
static bool is_exact(const scant_i_factor *factor, size_t j)
{
    const scant_i_gaussian_tables *t = factor->tables;
    return t && t->exact[j];
}

/* Is it worth while? */
static bool sweeps(const scant_i_factor *factor, const pattern_tables *p)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, m = d - p->head->observed;
    bool small = d <= SMALL || SPARSE * m <= d;
    return small && !(t && t->nexact == factor->ncomponents);
}

/* The coefficients, without the missing columns. */
static void make_form(const scant_i_factor *factor, const pattern_tables *p)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, stride = factor->stride;
    double *pivot = p->room, *constant = p->form;
    if (t)
        memcpy(p->form, t->C, form_size(factor) * sizeof *p->form);
    else
        memset(p->form, 0, form_size(factor) * sizeof *p->form);
    for (size_t c = 0; c < d && !t; c++)
        for (size_t j = 0; j < factor->ncomponents; j++)
            p->form[scant_i_sweep_square(d, c, c) * stride + j] = -0.5;

    for (size_t k = p->head->observed; k < d; k++) {
        size_t c = p->order[k];
        double log_unit = t ? log(t->unit[c]) : 0;
        scant_i_kernels_now()->sweep(p->form, stride, d, c, pivot, p->room + stride);
        for (size_t j = 0; j < stride; j++)
            pivot[j] *= TWO_PI;
        scant_i_kernels_now()->log(pivot, pivot, stride);
        for (size_t j = 0; j < stride; j++)
            constant[j] += 0.5 * pivot[j] + log_unit;
    }
    for (size_t j = 0; j < stride; j++) /* nothing observed: exactly 1 */
        if (p->head->observed == 0 || j >= factor->ncomponents || is_exact(factor, j))
            constant[j] = 0;
    p->head->swept = true;
}

static void add_completed(const scant_i_factor *factor, const scant_i_block *block,
                          const pattern_tables *p, const double *phi, size_t ld, const double *R,
                          double *statistics)
{
    size_t d = factor->ncolumns, stride = factor->stride, n = block->nrows;
    size_t features = scant_i_gaussian_features(SCANT_I_FULL, d);
    scant_i_completion completion = {.table = p->form,
                                     .stride = stride,
                                     .d = d,
                                     .order = p->order,
                                     .observed = p->head->observed,
                                     .S = statistics,
                                     .room = p->room + stride};
    if (p->head->observed == d) {
        scant_i_product_transposed(statistics, phi, ld, R, n, features, stride);
    } else if (n <= FEW) {
        scant_i_kernels_now()->complete_rows(&completion, phi + ld, ld, R, n);
    } else {
        memset(p->sums, 0, form_size(factor) * sizeof *p->sums);
        scant_i_product_transposed(p->sums, phi, ld, R, n, features, stride);
        scant_i_kernels_now()->complete_sums(&completion, p->sums);
    }
}

/* --- a component by its factor --- */

/* The regressions of the components that are not swept. */
static scant_status make_factors(const scant_i_factor *factor, const pattern_tables *p, bool all)
{
    size_t size = component_size(factor->ncolumns);
    scant_status status = SCANT_OK;
    for (size_t j = 0; j < factor->ncomponents && status == SCANT_OK; j++)
        if (all || is_exact(factor, j))
            status =
                make_regression(factor, j, p->order, p->head->observed, p->component + j * size);
    p->head->factored = status == SCANT_OK;
    return status;
}

static double mean_at(const scant_i_factor *factor, size_t j, size_t c)
{
    const scant_i_gaussian_tables *t = factor->tables;
    return t ? t->mean[j * factor->ncolumns + c] : 0;
}

static void density_by_factor(const scant_i_factor *factor, size_t j, size_t n,
                              const pattern_tables *p, const double *z, size_t ld, double *L,
                              double *room)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns, o = p->head->observed;
    const double *tables = p->component + j * component_size(d);
    double *y = room, *square = room + d * ld;
    double constant = -0.5 * ((double)o * LOG_2PI + tables[3 * d * d]);
    for (size_t a = 0; a < o; a++) {
        size_t c = p->order[a];
        double m = t->mean[j * d + c];
        scant_i_family_kernels_now()->shift(y + a * ld, z + c * ld, ld, n, 1, &m);
        constant -= log(t->unit[c]);
    }
    scant_i_family_kernels_now()->whiten(y, ld, n, o, tables, square);
    for (size_t i = 0; i < n; i++)
        L[i * factor->stride + j] += constant - 0.5 * square[i];
}

scant_status scant_i_gaussian_missing_density(const scant_i_factor *factor,
                                              const scant_i_block *block, const double *phi,
                                              size_t ld, double *L, double *room, double *pattern)
{
    scant_status status = SCANT_OK;
    size_t features = scant_i_gaussian_features(SCANT_I_FULL, factor->ncolumns);
    const scant_i_gaussian_tables *t = factor->tables;
    pattern_tables p = use_pattern(factor, block, pattern);
    bool swept = sweeps(factor, &p);
    if (swept) {
        if (!p.head->swept)
            make_form(factor, &p);
        scant_i_product(L, phi, ld, p.form, block->nrows, features, factor->stride);
    }
    if (swept && !t->nexact)
        return SCANT_OK;
    if (!p.head->factored)
        SCANT_I_TRY(make_factors(factor, &p, !swept));
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (!swept || is_exact(factor, j))
            density_by_factor(factor, j, block->nrows, &p, phi + ld, ld, L, room);
done:
    return status;
}

/* y = completed row minus `centre`: z_o - centre_o, and mu_m + B (z_o - mu_o) - centre_m */
static void complete(const scant_i_factor *factor, size_t j, const pattern_tables *p,
                     const double *z, size_t ld, size_t n, const double *centre, double *y)
{
    size_t d = factor->ncolumns, o = p->head->observed;
    const double *B = p->component + j * component_size(d) + d * d;
    for (size_t a = 0; a < d; a++) {
        size_t c = p->order[a];
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
            size_t from = p->order[k];
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
    size_t d = factor->ncolumns, o = p->head->observed, m = d - o, stride = factor->stride;
    const double *V = p->component + j * component_size(d) + 2 * d * d;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            size_t low = p->order[o + a], high = p->order[o + b];
            if (low > high)
                continue;
            size_t feature = scant_i_sweep_square(d, low, high);
            statistics[feature * stride + j] += weight * V[a * m + b];
        }
}

static void accumulate_by_factor(const scant_i_factor *factor, size_t j, size_t n,
                                 const pattern_tables *p, const double *z, size_t ld,
                                 const double *R, double *statistics, double *room)
{
    const scant_i_gaussian_tables *t = factor->tables;
    size_t d = factor->ncolumns;
    double *y = room, *w = room + d * ld, weight = 0;
    for (size_t i = 0; i < n; i++) {
        w[i] = R[i * factor->stride + j];
        weight += w[i];
    }
    memset(p->room, 0, d * sizeof *p->room);
    complete(factor, j, p, z, ld, n, is_exact(factor, j) ? t->mean + j * d : p->room, y);
    statistics[j] += weight;
    scant_i_gaussian_add_moments(factor, j, y, ld, n, w, statistics, w + ld);
    add_spread(factor, j, p, weight, statistics);
}

scant_status scant_i_gaussian_missing_accumulate(const scant_i_factor *factor,
                                                 const scant_i_block *block, const double *phi,
                                                 size_t ld, const double *R, double *statistics,
                                                 double *room, double *pattern)
{
    scant_status status = SCANT_OK;
    const scant_i_gaussian_tables *t = factor->tables;
    pattern_tables p = use_pattern(factor, block, pattern);
    bool swept = sweeps(factor, &p);
    if (swept) {
        double *copy = room + (factor->ncolumns + 2) * ld;
        if (!p.head->swept)
            make_form(factor, &p);
        add_completed(factor, block, &p, phi, ld,
                      scant_i_gaussian_without_exact(factor, block, R, copy), statistics);
    }
    if (swept && !(t && t->nexact))
        return SCANT_OK;
    if (!p.head->factored)
        SCANT_I_TRY(make_factors(factor, &p, !swept));
    for (size_t j = 0; j < factor->ncomponents; j++)
        if (!swept || is_exact(factor, j))
            accumulate_by_factor(factor, j, block->nrows, &p, phi + ld, ld, R, statistics, room);
done:
    return status;
}
