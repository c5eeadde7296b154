/* Independent columns: over those present,
 *
 *   log f_j(x) = sum_c [ A(x_c) + sum_t eta_jct T_t(x_c) - K_jc ]
 *
 * A block becomes features phi (d nfeatures x rows), and either half of a pass is one product with
 * a table of M lanes: own = phi' eta, S += phi R. Sparse rows do the same with their entries only,
 * T(0) and A(0) being 0.
 *
 * tables      eta (d nfeatures x stride), constant = -K (d x stride) and its sum over columns
 * statistics  W (stride): weight of rows with nothing missing; N (d x stride): weight of other rows
 *             where the column is present; S (d nfeatures x stride)
 * anchor      w_j E_j[T]: W += w, S += w E[T]
 * M-step      the law's own, for each component and column with W + N > 0; others keep their
 *             parameters */
#include "family/columns.h"

#include "family/pass.h"
#include "math/linear.h"
#include "math/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct tables {
    double *eta;      /* d nfeatures x stride */
    double *constant; /* d x stride */
    double *total;    /* stride: sum of constant over columns */
    double *certain;  /* d x stride: 1 where only T = 1 is possible; NULL: nowhere */
    double *ncertain; /* stride: sum of certain over columns */
} tables;

static size_t feature_count(const scant_i_factor *factor)
{
    return factor->ncolumns * factor->family->law->nfeatures;
}

/* Parameters of component j, column c, out of theta and back. */
static void get(const scant_i_factor *factor, size_t j, size_t c, double *parameter)
{
    size_t d = factor->ncolumns;
    for (size_t a = 0; a < factor->family->law->nfeatures; a++)
        parameter[a] = factor->theta[(a * factor->ncomponents + j) * d + c];
}

static void set(scant_i_factor *factor, size_t j, size_t c, const double *parameter)
{
    size_t d = factor->ncolumns;
    for (size_t a = 0; a < factor->family->law->nfeatures; a++)
        factor->theta[(a * factor->ncomponents + j) * d + c] = parameter[a];
}

scant_status scant_i_columns_configure(scant_i_factor *factor)
{
    factor->ntheta = factor->ncomponents * feature_count(factor);
    return SCANT_OK;
}

size_t scant_i_columns_parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    const scant_i_column_law *law = factor->family->law;
    size_t M = factor->ncomponents, d = factor->ncolumns;
    for (size_t a = 0; a < law->nfeatures; a++)
        out[a] = (scant_i_parameter){law->parameters[a], a * M * d, 2, {M, d, 0}, false};
    return law->nfeatures;
}

size_t scant_i_columns_degrees(const scant_i_factor *factor)
{
    return factor->ntheta;
}

scant_status scant_i_columns_validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    const scant_i_column_law *law = factor->family->law;
    if (!batch->dense && !factor->family->sparse)
        return scant_i_fail(SCANT_ERR_INPUT, "family %s does not take sparse rows",
                            factor->family->name);
    if (batch->dense) {
        for (size_t i = 0; i < batch->nrows; i++) {
            for (size_t c = 0; c < factor->ncolumns; c++) {
                double x = batch->dense[i * batch->ncolumns + factor->columns[c]];
                const char *expected = isnan(x) ? NULL : law->expected(x);
                if (expected)
                    return scant_i_batch_fail_cell(batch, i, factor->columns[c], "%s, not %g",
                                                   expected, x);
            }
        }
        return SCANT_OK;
    }
    scant_status status = SCANT_OK;
    scant_i_view *view = scant_i_calloc(1, scant_i_view_bytes(factor));
    if (!view)
        return SCANT_ERR_MEMORY;
    scant_i_block all = {.batch = batch, .nrows = batch->nrows};
    for (size_t i = 0; i < batch->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(view, factor, &all, i);
        for (size_t k = 0; k < row.n; k++) {
            const char *expected = law->expected(row.value[k]);
            if (expected) {
                status = scant_i_batch_fail_cell(batch, i, factor->columns[row.index[k]],
                                                 "%s, not %g", expected, row.value[k]);
                goto done;
            }
        }
    }
done:
    scant_i_free(view);
    return status;
}

scant_status scant_i_columns_check(const scant_i_factor *factor)
{
    const scant_i_column_law *law = factor->family->law;
    double parameter[SCANT_I_LAW_MAX];
    for (size_t j = 0; j < factor->ncomponents; j++) {
        for (size_t c = 0; c < factor->ncolumns; c++) {
            get(factor, j, c, parameter);
            const char *wrong = law->unfit(parameter);
            if (wrong)
                return scant_i_fail(SCANT_ERR_INPUT, "%s of component %zu, column %zu: %s",
                                    factor->family->name, j + 1, factor->columns[c] + 1, wrong);
        }
    }
    return SCANT_OK;
}

static scant_status within(const scant_i_factor *factor)
{
    const scant_i_column_law *law = factor->family->law;
    double parameter[SCANT_I_LAW_MAX];
    for (size_t j = 0; j < factor->ncomponents && law->within; j++)
        for (size_t c = 0; c < factor->ncolumns; c++) {
            get(factor, j, c, parameter);
            if (!law->within(factor, c, parameter))
                return SCANT_ERR_INPUT;
        }
    return SCANT_OK;
}

static scant_status make_tables(tables **out, const scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    tables *made = NULL;
    size_t d = factor->ncolumns, stride = factor->stride;
    SCANT_I_TRY(SCANT_I_NEW(&made, 1));
    *out = made;
    SCANT_I_TRY(SCANT_I_NEW(&made->eta, feature_count(factor) * stride));
    SCANT_I_TRY(SCANT_I_NEW(&made->constant, d * stride));
    SCANT_I_TRY(SCANT_I_NEW(&made->total, stride));
    SCANT_I_TRY(SCANT_I_NEW(&made->ncertain, stride));
done:
    return status;
}

/* Notes that component j wants T = 1 of column c. */
static scant_status note_certain(tables *t, const scant_i_factor *factor, size_t c, size_t j)
{
    scant_status status = SCANT_OK;
    if (!t->certain)
        SCANT_I_TRY(SCANT_I_NEW(&t->certain, factor->ncolumns * factor->stride));
    t->certain[c * factor->stride + j] = 1;
    t->ncertain[j] += 1;
done:
    return status;
}

static void release(scant_i_factor *factor)
{
    tables *t = factor->tables;
    if (t) {
        scant_i_free(t->eta);
        scant_i_free(t->constant);
        scant_i_free(t->total);
        scant_i_free(t->certain);
        scant_i_free(t->ncertain);
        scant_i_free(t);
    }
    factor->tables = NULL;
}

static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    const scant_i_column_law *law = factor->family->law;
    size_t stride = factor->stride, nf = law->nfeatures;
    SCANT_I_TRY(scant_i_columns_check(factor));
    if (factor->tables)
        release(factor);
    tables *t = NULL;
    status = make_tables(&t, factor);
    factor->tables = t;
    if (status != SCANT_OK)
        goto done;
    for (size_t c = 0; c < factor->ncolumns; c++) {
        for (size_t j = 0; j < factor->ncomponents; j++) {
            double parameter[SCANT_I_LAW_MAX], eta[SCANT_I_LAW_MAX];
            get(factor, j, c, parameter);
            double constant = -law->tables(factor, c, parameter, eta);
            for (size_t f = 0; f < nf; f++) {
                if (isinf(eta[f]) && eta[f] > 0) {
                    SCANT_I_TRY(note_certain(t, factor, c, j));
                    eta[f] = 0;
                }
                t->eta[(c * nf + f) * stride + j] = isinf(eta[f]) ? SCANT_I_LOG_ZERO : eta[f];
            }
            t->constant[c * stride + j] = constant;
            t->total[j] += constant;
        }
    }
done:
    return status;
}

/* Scratch of a worker. */
typedef struct scratchpad {
    double *own;      /* chunk x stride */
    double *hits;     /* chunk x stride */
    double *constant; /* stride: of the columns present */
    double *ncertain; /* stride */
    double *weight;   /* stride */
    double *phi;      /* features x chunk */
    double *base;     /* chunk; then d: features of a sparse row */
    double *entries;  /* d */
    scant_i_view *view;
    size_t chunk; /* rows at a time */
} scratchpad;

/* Doubles before the view, in bytes. */
static size_t lay_out(const scant_i_factor *factor, scratchpad *pad, void *memory)
{
    size_t stride = factor->stride, d = scant_i_round_up(factor->ncolumns, SCANT_I_LANES);
    double *p = memory;
    pad->chunk = scant_i_pass_rows(feature_count(factor));
    size_t sizes[] = {pad->chunk * stride,
                      pad->chunk * stride,
                      stride,
                      stride,
                      stride,
                      feature_count(factor) * pad->chunk,
                      scant_i_max(pad->chunk, d),
                      d};
    double **places[] = {&pad->own,    &pad->hits, &pad->constant, &pad->ncertain,
                         &pad->weight, &pad->phi,  &pad->base,     &pad->entries};
    size_t used = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (memory)
            *places[k] = p + used;
        used += sizes[k];
    }
    if (memory)
        pad->view = (scant_i_view *)(p + used);
    return used * sizeof(double);
}

static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)missing;
    (void)nrows;
    scratchpad pad = {0};
    return lay_out(factor, &pad, NULL) + scant_i_view_bytes(factor);
}

/* phi and base (or NULL) of rows first .. first+n-1 of a dense block; absent columns are zero. */
static void fill(const scant_i_factor *factor, const scant_i_block *block, size_t first, size_t n,
                 scratchpad *pad, double *base)
{
    const scant_i_column_law *law = factor->family->law;
    if (base)
        memset(base, 0, n * sizeof *base);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double *T[SCANT_I_LAW_MAX];
        for (size_t f = 0; f < law->nfeatures; f++)
            T[f] = pad->phi + (c * law->nfeatures + f) * pad->chunk;
        size_t column = factor->columns[c];
        if (!scant_i_block_has(block, column)) {
            for (size_t f = 0; f < law->nfeatures; f++)
                memset(T[f], 0, n * sizeof *T[f]);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            T[0][i] = scant_i_block_cells(block, first + i)[column];
        law->features(factor, c, T, base, n);
    }
}

/* Sum over the columns present of table (d x stride), whose sum over all columns is `whole`. */
static const double *sum_present(const scant_i_factor *factor, const scant_i_block *block,
                                 const double *table, const double *whole, double *out)
{
    if (!block->present)
        return whole;
    memset(out, 0, factor->stride * sizeof *out);
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (block->present[factor->columns[c]])
            for (size_t j = 0; j < factor->stride; j++)
                out[j] += table[c * factor->stride + j];
    return out;
}

/* own = -inf where hits fall short of what is certain. */
static void exclude(double *own, const double *hits, const double *ncertain, size_t nrows,
                    size_t stride)
{
    for (size_t i = 0; i < nrows; i++)
        for (size_t j = 0; j < stride; j++)
            if (hits[i * stride + j] < ncertain[j])
                own[i * stride + j] = -INFINITY;
}

static void log_density_sparse(const scant_i_factor *factor, const scant_i_block *block, double *L,
                               scratchpad *pad, const double *constant, const double *ncertain)
{
    const tables *t = factor->tables;
    size_t stride = factor->stride;
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(pad->view, factor, block, i);
        double shift = 0, *T[SCANT_I_LAW_MAX] = {pad->entries, NULL};
        memcpy(pad->entries, row.value, row.n * sizeof *row.value);
        memset(pad->base, 0, row.n * sizeof *pad->base);
        factor->family->law->features(factor, 0, T, pad->base, row.n);
        for (size_t k = 0; k < row.n; k++)
            shift += pad->base[k];
        scant_i_sparse_gather(pad->own, t->eta, stride, row.index, pad->entries, row.n, row.known);
        if (t->certain) {
            scant_i_sparse_gather(pad->hits, t->certain, stride, row.index, pad->entries, row.n,
                                  row.n);
            exclude(pad->own, pad->hits, ncertain, 1, stride);
        }
        scant_i_pass_add(L + i * stride, pad->own, &shift, constant, 1, stride);
    }
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *scratch)
{
    const tables *t = factor->tables;
    size_t stride = factor->stride;
    scratchpad pad = {0};
    (void)lay_out(factor, &pad, scratch);
    const double *constant = sum_present(factor, block, t->constant, t->total, pad.constant);
    const double *ncertain = NULL;
    if (t->certain)
        ncertain = sum_present(factor, block, t->certain, t->ncertain, pad.ncertain);
    if (!block->batch->dense) {
        log_density_sparse(factor, block, L, &pad, constant, ncertain);
        return SCANT_OK;
    }
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad, pad.base);
        memset(pad.own, 0, n * stride * sizeof *pad.own);
        scant_i_product(pad.own, pad.phi, pad.chunk, t->eta, n, feature_count(factor), stride);
        if (t->certain) { /* one feature a column, by the law's contract */
            memset(pad.hits, 0, n * stride * sizeof *pad.hits);
            scant_i_product(pad.hits, pad.phi, pad.chunk, t->certain, n, factor->ncolumns, stride);
            exclude(pad.own, pad.hits, ncertain, n, stride);
        }
        scant_i_pass_add(L + first * stride, pad.own, pad.base, constant, n, stride);
    }
    return SCANT_OK;
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return (1 + factor->ncolumns + feature_count(factor)) * factor->stride;
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *scratch)
{
    size_t stride = factor->stride;
    double *W = statistics, *N = W + stride, *S = N + factor->ncolumns * stride;
    scratchpad pad = {0};
    (void)lay_out(factor, &pad, scratch);
    double *weight = block->present ? pad.weight : W;
    memset(pad.weight, 0, stride * sizeof *pad.weight);
    scant_i_pass_totals(weight, R, block->nrows, stride);
    for (size_t c = 0; block->present && c < factor->ncolumns; c++)
        if (scant_i_block_has(block, factor->columns[c]))
            for (size_t j = 0; j < stride; j++)
                N[c * stride + j] += weight[j];
    if (!block->batch->dense) {
        for (size_t i = 0; i < block->nrows; i++) {
            scant_i_sparse_row row = scant_i_view_row(pad.view, factor, block, i);
            double *T[SCANT_I_LAW_MAX] = {pad.entries, NULL};
            memcpy(pad.entries, row.value, row.n * sizeof *row.value);
            factor->family->law->features(factor, 0, T, NULL, row.n);
            scant_i_sparse_scatter(S, R + i * stride, stride, row.index, pad.entries, row.n,
                                   row.known);
        }
        return SCANT_OK;
    }
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad, NULL);
        scant_i_product_transposed(S, pad.phi, pad.chunk, R + first * stride, n,
                                   feature_count(factor), stride);
    }
    return SCANT_OK;
}

static scant_status anchor(const scant_i_factor *factor, const double *w, double *statistics)
{
    const scant_i_column_law *law = factor->family->law;
    size_t d = factor->ncolumns, stride = factor->stride, nf = law->nfeatures;
    double *W = statistics, *S = W + (1 + d) * stride;
    double parameter[SCANT_I_LAW_MAX], T[SCANT_I_LAW_MAX];
    for (size_t j = 0; j < factor->ncomponents; j++) {
        W[j] += w[j];
        for (size_t c = 0; c < d; c++) {
            get(factor, j, c, parameter);
            law->expect(factor, c, parameter, T);
            for (size_t f = 0; f < nf; f++)
                S[(c * nf + f) * stride + j] += w[j] * T[f];
        }
    }
    return SCANT_OK;
}

static scant_status impossible(const scant_i_factor *factor, size_t j, size_t c)
{
    return scant_i_fail(SCANT_ERR_INPUT,
                        "%s of component %zu, column %zu: no rows have such statistics",
                        factor->family->name, j + 1, factor->columns[c] + 1);
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    const scant_i_column_law *law = factor->family->law;
    size_t d = factor->ncolumns, stride = factor->stride, nf = law->nfeatures;
    const double *W = statistics, *N = W + stride, *S = N + d * stride;
    memset(factor->at_floor, 0, factor->ncomponents);
    for (size_t c = 0; c < d; c++) {
        for (size_t j = 0; j < factor->ncomponents; j++) {
            double parameter[SCANT_I_LAW_MAX], sum[SCANT_I_LAW_MAX];
            double weight = W[j] + N[c * stride + j];
            if (fabs(weight) <= DBL_MIN)
                continue;
            for (size_t f = 0; f < nf; f++)
                sum[f] = S[(c * nf + f) * stride + j];
            if (!(weight > 0) || !law->possible(factor, c, weight, sum))
                return impossible(factor, j, c);
            if (law->fit(factor, c, weight, sum, parameter))
                factor->at_floor[j] = 1;
            set(factor, j, c, parameter);
        }
    }
    return SCANT_OK;
}

static double log_prior(const scant_i_factor *factor)
{
    const scant_i_column_law *law = factor->family->law;
    double sum = 0, parameter[SCANT_I_LAW_MAX];
    if (!law->log_prior)
        return 0;
    for (size_t j = 0; j < factor->ncomponents; j++) {
        for (size_t c = 0; c < factor->ncolumns; c++) {
            get(factor, j, c, parameter);
            sum += law->log_prior(factor, parameter);
        }
    }
    return sum;
}

static size_t nnatural(const scant_i_factor *factor)
{
    return feature_count(factor);
}

static scant_status natural(const scant_i_factor *factor, size_t component, double *eta)
{
    const scant_i_column_law *law = factor->family->law;
    double parameter[SCANT_I_LAW_MAX];
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double *at = eta + c * law->nfeatures;
        get(factor, component, c, parameter);
        law->natural(parameter, at);
        if (!isfinite(at[0]))
            return scant_i_fail(
                SCANT_ERR_INPUT, "%s of component %zu, column %zu: %g has no natural parameter",
                factor->family->name, component + 1, factor->columns[c] + 1, parameter[0]);
    }
    return SCANT_OK;
}

static void sufficient(const scant_i_factor *factor, const double *x, double *T)
{
    const scant_i_column_law *law = factor->family->law;
    for (size_t c = 0; c < factor->ncolumns; c++)
        law->sufficient(x[c], T + c * law->nfeatures);
}

static scant_status cumulant(const scant_i_factor *factor, const double *eta, const double *x,
                             double *K, double *K1, double *K2)
{
    const scant_i_column_law *law = factor->family->law;
    size_t nf = law->nfeatures, n = feature_count(factor);
    (void)x;
    *K = 0;
    if (K2)
        memset(K2, 0, n * n * sizeof *K2);
    for (size_t c = 0; c < factor->ncolumns; c++) {
        double k, k1[SCANT_I_LAW_MAX], k2[SCANT_I_LAW_MAX * SCANT_I_LAW_MAX];
        if (!law->cumulant(eta + c * nf, &k, k1, k2))
            return scant_i_fail(SCANT_ERR_INPUT,
                                "%s: natural parameter %g of column %zu is "
                                "outside the domain",
                                factor->family->name, eta[c * nf], factor->columns[c] + 1);
        *K += k;
        for (size_t a = 0; a < nf; a++) {
            if (K1)
                K1[c * nf + a] = k1[a];
            for (size_t b = 0; K2 && b < nf; b++)
                K2[(c * nf + a) * n + c * nf + b] = k2[a * nf + b];
        }
    }
    return SCANT_OK;
}

static scant_status from_natural(scant_i_factor *factor, size_t component, const double *eta)
{
    const scant_i_column_law *law = factor->family->law;
    double parameter[SCANT_I_LAW_MAX], K;
    scant_status status = cumulant(factor, eta, NULL, &K, NULL, NULL);
    for (size_t c = 0; c < factor->ncolumns && status == SCANT_OK; c++) {
        law->from_natural(eta + c * law->nfeatures, parameter);
        set(factor, component, c, parameter);
    }
    return status;
}

static size_t column_of(const scant_i_factor *factor, size_t entry)
{
    return entry / factor->family->law->nfeatures;
}

scant_status scant_i_columns_sample(const scant_i_factor *factor, size_t component,
                                    scant_i_random *random, double *x)
{
    double parameter[SCANT_I_LAW_MAX];
    for (size_t c = 0; c < factor->ncolumns; c++) {
        get(factor, component, c, parameter);
        x[c] = factor->family->law->sample(parameter, random);
    }
    return SCANT_OK;
}

const scant_i_family_pass scant_i_columns_pass = {
    .prepare = prepare,
    .release = release,
    .scratch = scratch,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .anchor = anchor,
    .maximise = maximise,
    .within = within,
    .log_prior = log_prior,
};

const scant_i_family_natural scant_i_columns_natural = {
    .nnatural = nnatural,
    .eta = natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .from_natural = from_natural,
    .column_of = column_of,
    SCANT_I_PLAIN_SCORES,
};
