/* Multinomial: counts that share a total, such as words of a text; dense or sparse.
 *
 *   f(x) = n! / prod_c x_c!  prod_c p_c^x_c,  n = sum_c x_c
 *   parameters  probabilities p, M x d, rows sum to 1
 *   T = the first d - 1 counts,  eta_c = log(p_c / p_last),  K = n log(1 + sum_c e^eta_c),
 *   A = log n! - sum_c log x_c!; counts need not be whole: x! stands for Gamma(x + 1)
 *   statistics  S (d x stride) = sum of R x;  W (stride) = sum of R
 *   M-step      p_c = (S_c + smooth) / (sum_c S_c + smooth d), the maximum of the expected
 *               log-likelihood plus smooth sum_c log p_c; smooth 0 allows p = 0.
 *               Rows without a count say nothing about p: of nothing but those it is 1 / d
 *   cost        2 nonzeros M flop for either half of a pass (dense: nrows d in place of nonzeros),
 *               and a table look-up a count
 *
 * Sparse rows are bound by fetching rows of the tables, not by flop. Over many passes blocks are
 * kept transposed (transposed.h), and A(x), which no parameter changes, is kept, too. */
#include "family/family.h"
#include "family/kernels.h"
#include "family/pass.h"
#include "family/simplex.h"
#include "family/transposed.h"
#include "math/linear.h"
#include "math/sparse.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

static const double COUNT_MOST = 1e100; /* sums of such counts stay finite */
static const double TRIALS_UNLESS_GIVEN = 100;

static scant_status configure(scant_i_factor *factor)
{
    factor->ntheta = factor->ncomponents * factor->ncolumns;
    return SCANT_OK;
}

static size_t parameters(const scant_i_factor *factor, scant_i_parameter *out)
{
    *out = (scant_i_parameter){
        "probabilities", 0, 2, {factor->ncomponents, factor->ncolumns, 0}, false};
    return 1;
}

static size_t degrees(const scant_i_factor *factor)
{
    return factor->ncomponents * (factor->ncolumns - 1);
}

static scant_status refuse(const scant_i_batch *batch, size_t row, size_t column, double x)
{
    return scant_i_batch_fail_cell(batch, row, column, "expected a count from 0 to 1e100, not %g",
                                   x);
}

static scant_status validate(const scant_i_factor *factor, const scant_i_batch *batch)
{
    scant_status status = SCANT_OK;
    scant_i_view *view = NULL;
    for (size_t i = 0; batch->dense && i < batch->nrows; i++) {
        for (size_t c = 0; c < factor->ncolumns; c++) {
            double x = batch->dense[i * batch->ncolumns + factor->columns[c]];
            if (!(x >= 0 && x <= COUNT_MOST))
                return refuse(batch, i, factor->columns[c], x);
        }
    }
    if (batch->dense)
        return SCANT_OK;
    view = scant_i_calloc(1, scant_i_view_bytes(factor));
    if (!view)
        return SCANT_ERR_MEMORY;
    scant_i_block all = {.batch = batch, .nrows = batch->nrows};
    for (size_t i = 0; i < batch->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(view, factor, &all, i);
        for (size_t k = 0; k < row.n; k++)
            if (!(row.value[k] >= 0 && row.value[k] <= COUNT_MOST))
                SCANT_I_TRY(refuse(batch, i, factor->columns[row.index[k]], row.value[k]));
    }
done:
    scant_i_free(view);
    return status;
}

static scant_status check(const scant_i_factor *factor)
{
    return scant_i_simplex_check(factor->theta, factor->ncomponents, factor->ncolumns,
                                 factor->ncolumns);
}

/* The table is log p (d x stride), 0 in the padding, and its sums. */
static scant_status prepare(scant_i_factor *factor)
{
    scant_status status = scant_i_simplex_tables(factor, factor->ncolumns, 0);
    if (status == SCANT_OK && !scant_i_simplex_is_sound(factor, factor->ncolumns))
        status = check(factor);
    return status;
}

/* Scratch of a worker. */
typedef struct scratchpad {
    double *zero; /* stride, stays zero */
    double *own;  /* chunk x stride */
    double *base; /* chunk */
    double *cell; /* d: one dense row */
    double *phi;  /* d x chunk */
    scant_i_view *view;
    size_t chunk;
} scratchpad;

/* Doubles before the view, in bytes. */
static size_t lay_out(const scant_i_factor *factor, scratchpad *pad, void *memory)
{
    size_t stride = factor->stride, d = scant_i_round_up(factor->ncolumns, SCANT_I_LANES);
    size_t chunk = pad->chunk = scant_i_pass_rows(factor->ncolumns);
    size_t doubles = stride + chunk * stride + chunk + d + factor->ncolumns * chunk;
    if (memory) {
        pad->zero = memory;
        pad->own = pad->zero + stride;
        pad->base = pad->own + chunk * stride;
        pad->cell = pad->base + chunk;
        pad->phi = pad->cell + d;
        pad->view = (scant_i_view *)(pad->phi + factor->ncolumns * chunk);
    }
    return doubles * sizeof(double);
}

static size_t scratch(const scant_i_factor *factor, size_t nrows, bool missing)
{
    (void)missing;
    scratchpad pad = {0};
    (void)nrows;
    return lay_out(factor, &pad, NULL) + scant_i_view_bytes(factor);
}

/* A(x) = log n! - sum log x! */
static double coefficient(const double *x, size_t d)
{
    double n = 0, logs = scant_i_log_factorial_sum(x, d, &n);
    return scant_i_log_factorial(n) - logs;
}

/* What is kept of a block of sparse rows. */
typedef struct kept_form {
    scant_i_transposed *transposed;
    double *coefficient; /* nrows: A(x) */
} kept_form;

static size_t block_rows(const scant_i_factor *factor, const scant_i_counts *counts)
{
    return !counts->sparse ? 0 : scant_i_transposed_rows(factor);
}

static size_t keep_bytes(const scant_i_factor *factor, const scant_i_block *block)
{
    size_t bytes = scant_i_transposed_bytes(factor, block);
    return bytes ? bytes + sizeof(kept_form) + block->nrows * sizeof(double) : 0;
}

static void drop(void *kept)
{
    kept_form *form = kept;
    if (!form)
        return;
    scant_i_transposed_free(form->transposed);
    scant_i_free(form->coefficient);
    scant_i_free(form);
}

static scant_status keep(const scant_i_factor *factor, const scant_i_block *block, void **kept)
{
    scant_status status = SCANT_OK;
    kept_form *form = NULL;
    scant_i_view *view = NULL;
    *kept = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&form, 1));
    SCANT_I_TRY(SCANT_I_NEW(&form->coefficient, block->nrows));
    SCANT_I_TRY(scant_i_transposed_new(&form->transposed, factor, block));
    SCANT_I_TRY(scant_i_new(&view, 1, scant_i_view_bytes(factor)));
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(view, factor, block, i);
        form->coefficient[i] = coefficient(row.value, row.n);
    }
    *kept = form;
    form = NULL;
done:
    scant_i_free(view);
    drop(form);
    return status;
}

static void fill(const scant_i_factor *factor, const scant_i_block *block, size_t first, size_t n,
                 scratchpad *pad, double *base)
{
    for (size_t i = 0; i < n; i++) {
        const double *cells = scant_i_block_cells(block, first + i);
        for (size_t c = 0; c < factor->ncolumns; c++) {
            pad->cell[c] = cells[factor->columns[c]];
            pad->phi[c * pad->chunk + i] = pad->cell[c];
        }
        if (base)
            base[i] = coefficient(pad->cell, factor->ncolumns);
    }
}

/* Rare columns' part may stay in L by itself: whatever is impossible is so small that it is found
 * in the sum. */
static void log_density_kept(const scant_i_factor *factor, const scant_i_block *block, double *L,
                             const scratchpad *pad)
{
    size_t stride = factor->stride, n = block->nrows;
    const kept_form *form = block->kept;
    const scant_i_transposed *x = form->transposed;
    scant_i_sparse_spread(L, factor->tables, stride, &x->columns, x->nrare);
    for (size_t i = 0; i < n; i++) {
        scant_i_sparse_gather_row(pad->own, factor->tables, stride, &x->rows, i, n);
        scant_i_family_kernels_now()->add_possible(L + i * stride, pad->own, form->coefficient[i],
                                                   stride);
    }
}

static void log_density_sparse(const scant_i_factor *factor, const scant_i_block *block, double *L,
                               scratchpad *pad)
{
    size_t stride = factor->stride;
    const kept_form *form = block->kept;
    if (form && form->transposed->rows.one_start) {
        log_density_kept(factor, block, L, pad);
        return;
    }
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_sparse_row row = scant_i_view_row(pad->view, factor, block, i);
        double base = form ? form->coefficient[i] : coefficient(row.value, row.n);
        scant_i_sparse_gather(pad->own, factor->tables, stride, row.index, row.value, row.n,
                              row.known);
        scant_i_pass_add(L + i * stride, pad->own, &base, pad->zero, 1, stride);
    }
}

static scant_status log_density(const scant_i_factor *factor, const scant_i_block *block, double *L,
                                void *memory)
{
    size_t stride = factor->stride;
    scratchpad pad = {0};
    (void)lay_out(factor, &pad, memory);
    if (!block->batch->dense) {
        log_density_sparse(factor, block, L, &pad);
        return SCANT_OK;
    }
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad, pad.base);
        memset(pad.own, 0, n * stride * sizeof *pad.own);
        scant_i_product(pad.own, pad.phi, pad.chunk, factor->tables, n, factor->ncolumns, stride);
        scant_i_pass_add(L + first * stride, pad.own, pad.base, pad.zero, n, stride);
    }
    return SCANT_OK;
}

static size_t nstatistics(const scant_i_factor *factor)
{
    return (factor->ncolumns + 1) * factor->stride;
}

static scant_status accumulate(const scant_i_factor *factor, const scant_i_block *block,
                               const double *R, double *statistics, void *memory)
{
    size_t stride = factor->stride;
    scratchpad pad = {0};
    const kept_form *form = block->kept;
    scant_i_pass_totals(statistics + factor->ncolumns * stride, R, block->nrows, stride);
    if (form) {
        scant_i_sparse_collect(statistics, R, stride, &form->transposed->columns);
        return SCANT_OK;
    }
    (void)lay_out(factor, &pad, memory);
    if (!block->batch->dense) {
        for (size_t i = 0; i < block->nrows; i++) {
            scant_i_sparse_row row = scant_i_view_row(pad.view, factor, block, i);
            scant_i_sparse_scatter(statistics, R + i * stride, stride, row.index, row.value, row.n,
                                   row.known);
        }
        return SCANT_OK;
    }
    for (size_t first = 0; first < block->nrows; first += pad.chunk) {
        size_t n = scant_i_min(pad.chunk, block->nrows - first);
        fill(factor, block, first, n, &pad, NULL);
        scant_i_product_transposed(statistics, pad.phi, pad.chunk, R + first * stride, n,
                                   factor->ncolumns, stride);
    }
    return SCANT_OK;
}

/* Of rows with a total of 1. */
static scant_status anchor(const scant_i_factor *factor, const double *w, double *statistics)
{
    scant_i_simplex_anchor(factor, w, statistics);
    for (size_t j = 0; j < factor->ncomponents; j++)
        statistics[factor->ncolumns * factor->stride + j] += w[j];
    return SCANT_OK;
}

static scant_status maximise(scant_i_factor *factor, const double *statistics)
{
    memset(factor->at_floor, 0, factor->ncomponents);
    return scant_i_simplex_shares(factor, 0, factor->ncolumns, statistics,
                                  statistics + factor->ncolumns * factor->stride);
}

static size_t nnatural(const scant_i_factor *factor)
{
    return factor->ncolumns - 1;
}

static scant_status natural(const scant_i_factor *factor, size_t component, double *eta)
{
    return scant_i_simplex_natural(factor->theta + component * factor->ncolumns, factor->ncolumns,
                                   eta);
}

static void sufficient(const scant_i_factor *factor, const double *x, double *T)
{
    if (factor->ncolumns > 1)
        memcpy(T, x, (factor->ncolumns - 1) * sizeof *T);
}

static scant_status cumulant(const scant_i_factor *factor, const double *eta, const double *x,
                             double *K, double *K1, double *K2)
{
    double n = 0;
    for (size_t c = 0; c < factor->ncolumns; c++)
        n += x[c];
    size_t m = factor->ncolumns - 1;
    return scant_i_simplex_cumulant(eta, m, n, K, K1, K2, m);
}

static scant_status from_natural(scant_i_factor *factor, size_t component, const double *eta)
{
    return scant_i_simplex_from_natural(eta, factor->ncolumns,
                                        factor->theta + component * factor->ncolumns);
}

/* Features are the counts x: with n = sum_c x_c the score is x_c - n p_c. */
static size_t nfeatures(const scant_i_factor *factor)
{
    return factor->ncolumns;
}

static void features(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                     size_t ld, double *room)
{
    for (size_t i = 0; i < block->nrows; i++) {
        scant_i_block_gather(block, i, factor->columns, factor->ncolumns, room);
        for (size_t c = 0; c < factor->ncolumns; c++)
            phi[c * ld + i] = room[c];
    }
}

static scant_status score(const scant_i_factor *factor, size_t component, const uint8_t *present,
                          double *A)
{
    size_t d = factor->ncolumns;
    const double *p = factor->theta + component * d;
    (void)present; /* nothing may be missing */
    for (size_t a = 0; a + 1 < d; a++)
        for (size_t c = 0; c < d; c++)
            A[a * d + c] = (a == c ? 1 : 0) - p[a];
    return SCANT_OK;
}

static scant_status information(const scant_i_factor *factor, size_t component,
                                const uint8_t *present, const double *S, double *complete,
                                double *missing)
{
    size_t d = factor->ncolumns, m = d - 1;
    const double *p = factor->theta + component * d;
    double n = 0;
    (void)present;
    for (size_t c = 0; c < d; c++)
        n += S[c];
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++)
            complete[a * m + b] = n * p[a] * ((a == b ? 1 : 0) - p[b]);
    memset(missing, 0, m * m * sizeof *missing);
    return SCANT_OK;
}

/* x[0] holds the number of trials on entry; 0 or NaN: TRIALS_UNLESS_GIVEN. */
static scant_status sample(const scant_i_factor *factor, size_t component, scant_i_random *random,
                           double *x)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns;
    const double *p = factor->theta + component * d;
    double trials = x[0] > 0 ? round(x[0]) : TRIALS_UNLESS_GIVEN, sum = 0, *below = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&below, d));
    for (size_t c = 0; c < d; c++) {
        below[c] = sum += p[c];
        x[c] = 0;
    }
    for (double t = 0; t < trials; t++) {
        double u = scant_i_random_uniform(random) * sum;
        size_t low = 0, high = d - 1; /* the first c with u < below[c] */
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (u < below[middle])
                high = middle;
            else
                low = middle + 1;
        }
        x[low] += 1;
    }
done:
    scant_i_free(below);
    return status;
}

static const scant_i_family_pass pass = {
    .prepare = prepare,
    .release = scant_i_simplex_release,
    .scratch = scratch,
    .block_rows = block_rows,
    .keep_bytes = keep_bytes,
    .keep = keep,
    .drop = drop,
    .log_density = log_density,
    .nstatistics = nstatistics,
    .accumulate = accumulate,
    .anchor = anchor,
    .maximise = maximise,
    .log_prior = scant_i_simplex_log_prior,
};

static const scant_i_family_natural natural_form = {
    .nnatural = nnatural,
    .eta = natural,
    .sufficient = sufficient,
    .cumulant = cumulant,
    .from_natural = from_natural,
    .nfeatures = nfeatures,
    .features = features,
    .score = score,
    .information = information,
};

const scant_i_family scant_i_multinomial = {
    .name = "multinomial",
    .summary = "counts that share a total, such as words of a text",
    .sparse = true,
    .needs_all_cells = true, /* a total without one of its parts is unknown */
    .has_total = true,
    .configure = configure,
    .parameters = parameters,
    .degrees = degrees,
    .validate = validate,
    .check = check,
    .sample = sample,
    .pass = &pass,
    .natural = &natural_form,
    .reach = &scant_i_multinomial_reach,
    .coordinates = &scant_i_multinomial_coordinates,
};
