/* A block's part of the moments (moments.h), a slice of rows at a time: rows are the lanes of its tables, some of which stay
 * in the first-level cache while sums over them are made, the rest in the second. What is multiplied with pairs of components
 * may be in single precision. */
#include "inform/moments.h"

#include <math.h>
#include <string.h>

#include "inform/kernels.h"
#include "math/linear.h"

enum { PAIRS = 32 /* of components, at a time */ };

typedef struct slice {
    double *one;     /* ld times 1 */
    double *phi;     /* m x ld */
    double *weighed; /* stride x ld: w r_j */
    double *share;   /* stride x ld: r_j; the same table where all rows weigh 1 */
    double *square;  /* room for products of features */
    double *both;    /* PAIRS x ld: w r_j r_l */
    struct {
        float *phi, *weighed, *share, *square, *both;
    } single;       /* the same, where sums are wanted in single precision; else NULL */
    double *across; /* run x lanes: w r_j r_l of one row after the other */
    double *mu;     /* q x ld */
    double *wmu;    /* ld x hlanes */
    double *tilt;   /* ld x q x stride: w r_j (U[q][j] - mu_q), 0 in rows that have a table */
    double *U;      /* q x stride, of an entry that is not tabled */
    double *room;
} slice;

static bool weighs_evenly(const scant_i_moments *t)
{
    const scant_i_evidence *evidence = t->posterior.evidence;
    return !evidence->weight && evidence->unlabelled_weight == 1;
}

static scant_status single_new(slice *s, const scant_i_moments *t)
{
    size_t ld = t->slice, apart = s->share != s->weighed;
    size_t height = t->m + (1 + apart) * t->stride + SCANT_I_TRIPLES_ROOM + PAIRS;
    float *all = scant_i_alloc(height * ld, sizeof *all);
    if (!all)
        return SCANT_ERR_MEMORY;
    s->single.phi = all;
    s->single.weighed = all + t->m * ld;
    s->single.share = s->single.weighed + apart * t->stride * ld;
    s->single.square = s->single.share + t->stride * ld;
    s->single.both = s->single.square + SCANT_I_TRIPLES_ROOM * ld;
    return SCANT_OK;
}

static scant_status slice_new(slice *s, const scant_i_moments *t)
{
    size_t ld = t->slice, n = 0, wanted = t->single ? 0 : 1, even = weighs_evenly(t);
    size_t sizes[] = {ld,
                      t->m * ld,
                      t->stride * ld,
                      even ? 0 : t->stride * ld,
                      SCANT_I_TRIPLES_ROOM * ld * wanted,
                      PAIRS * ld * wanted,
                      t->plain ? 0 : t->run * t->lanes,
                      t->q * ld,
                      ld * t->hlanes,
                      t->tilted ? t->q * ld * t->stride : 0,
                      t->q * t->stride,
                      t->room};
    double **places[] = {&s->one,    &s->phi, &s->weighed, &s->share, &s->square, &s->both,
                         &s->across, &s->mu,  &s->wmu,     &s->tilt,  &s->U,      &s->room};
    enum { PLACES = sizeof sizes / sizeof *sizes };
    for (size_t k = 0; k < PLACES; k++)
        n += sizes[k] = scant_i_round_up(sizes[k], SCANT_I_LANES);
    double *all = scant_i_alloc(n, sizeof *all);
    if (!all)
        return SCANT_ERR_MEMORY;
    for (size_t k = 0; k < PLACES; k++) {
        *places[k] = all;
        all += sizes[k];
    }
    for (size_t i = 0; i < ld; i++)
        s->one[i] = 1;
    if (even)
        s->share = s->weighed;
    return t->single ? single_new(s, t) : SCANT_OK;
}

static void slice_free(slice *s)
{
    scant_i_free(s->one);
    scant_i_free(s->single.phi);
}

/* --- G: products of features with pairs of components --- */

/* Numbers of a slice's row, to the end of the last vector. */
static size_t padded(size_t n)
{
    return scant_i_round_up(n, SCANT_I_SINGLE_LANES);
}

/* Rows after the last one count for nothing. */
static void pad(double *table, size_t height, size_t ld, size_t n)
{
    for (size_t a = 0; a < height; a++)
        memset(table + a * ld + n, 0, (padded(n) - n) * sizeof *table);
}

/* w r_j and r_j, a component after the other */
static void turn_shares(const scant_i_moments *t, const scant_i_block *block, const double *L,
                        const slice *s)
{
    static const double zero[SCANT_I_LANES] = {0}, one[SCANT_I_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
    size_t ld = t->slice, n = block->nrows;
    for (size_t j = 0; j < t->M; j += SCANT_I_LANES)
        scant_i_transpose_eight(s->weighed + j * ld, ld, L + j, t->stride, n, zero, one);
    pad(s->weighed, t->M, ld, n);
    if (s->share == s->weighed)
        return;
    for (size_t i = 0; i < n; i++) {
        double w = scant_i_block_weight(t->posterior.evidence, block, i);
        for (size_t j = 0; j < t->M; j++)
            s->share[j * ld + i] = w > 0 ? s->weighed[j * ld + i] / w : 0;
    }
    pad(s->share, t->M, ld, n);
}

/* Single precision has little room for products of small shares, and processors are slow where it has none left. Nobody
 * misses what a share below FAINT could add. */
static void shorten_all(const scant_i_moments *t, const slice *s, size_t n)
{
    static const double FAINT = 1e-15;
    size_t ld = t->slice;
    scant_i_inform_kernels_now()->shorten(s->single.phi, s->phi, ld, n, t->m, -INFINITY);
    scant_i_inform_kernels_now()->shorten(s->single.weighed, s->weighed, ld, n, t->M, FAINT);
    if (s->share != s->weighed)
        scant_i_inform_kernels_now()->shorten(s->single.share, s->share, ld, n, t->M, FAINT);
}

/* G += the products of features with the pairs of components */
static void add_pairs(const scant_i_moments *t, const scant_i_block *block, const double *L,
                      const slice *s, double *G)
{
    size_t ld = t->slice, n = padded(block->nrows);
    const uint32_t *of = t->products.of;
    pad(s->phi, t->m, ld, block->nrows);
    turn_shares(t, block, L, s);
    if (t->single)
        shorten_all(t, s, n);
    for (size_t first = 0, count; first < t->npairs; first += count) {
        const uint32_t *pair = t->pair + 2 * first;
        count = scant_i_min(PAIRS, t->npairs - first);
        if (t->single) {
            scant_i_inform_kernels_now()->pair_up_single(s->single.both, s->single.share,
                                                         s->single.weighed, ld, n, pair, count);
            scant_i_triples_single(G + first, t->lanes, s->single.phi, of, t->products.n,
                                   s->single.both, count, ld, n, s->single.square);
        } else {
            scant_i_inform_kernels_now()->pair_up(s->both, s->share, s->weighed, ld, n, pair,
                                                  count);
            scant_i_triples(G + first, t->lanes, s->phi, of, t->products.n, s->both, count, ld, n,
                            s->square);
        }
    }
}

/* --- X, Y and what belongs to single entries --- */

static size_t entry_of(const scant_i_moments *t, const scant_i_block *block, size_t i)
{
    return scant_i_block_entry(t->posterior.evidence, block, i);
}

/* Rows whose entry has no table; returns how many. */
static size_t tilt_rows(const scant_i_moments *t, const scant_i_block *block, const double *L,
                        const slice *s)
{
    size_t count = 0, ld = t->slice, wide = t->q * t->stride;
    for (size_t i = 0; i < block->nrows; i++) {
        size_t e = entry_of(t, block, i);
        if (e >= t->ntabled && count++ == 0) {
            memset(s->tilt, 0, ld * wide * sizeof *s->tilt);
            memset(s->mu, 0, t->q * ld * sizeof *s->mu);
            memset(s->wmu, 0, ld * t->hlanes * sizeof *s->wmu);
        }
        if (e >= t->ntabled) {
            const double *U = scant_i_moments_U(t, e, s->U);
            scant_i_inform_kernels_now()->tilt_row(s->tilt + i * wide, s->mu + i, ld,
                                                   s->wmu + i * t->hlanes, U, L + i * t->stride,
                                                   t->q, t->stride);
            for (size_t q = t->q; q < t->hlanes; q++)
                s->wmu[i * t->hlanes + q] = 0;
        }
    }
    return count;
}

/* Rows whose component is certain have none: labelled ones, where each class has one component. */
static bool has_pairs(const scant_i_moments *t, const double *L, size_t nrows)
{
    for (size_t i = 0; i < nrows; i++) {
        size_t count = 0;
        for (size_t j = 0; j < t->M; j++)
            count += L[i * t->stride + j] > 0;
        if (count > 1)
            return true;
    }
    return false;
}

/* The first row after i whose entry is another, or that is too far. */
static size_t end_of_run(const scant_i_moments *t, const scant_i_block *block, size_t i)
{
    size_t e = entry_of(t, block, i), last = scant_i_min(block->nrows, i + t->run);
    while (i < last && entry_of(t, block, i) == e)
        i++;
    return i;
}

/* across = w r_j r_l of n rows, from row i on */
static void lay_across(const scant_i_moments *t, const scant_i_block *block, const double *L,
                       size_t i, size_t n, double *across)
{
    for (size_t end = i + n; i < end; i++, across += t->lanes) {
        const double *wr = L + i * t->stride;
        double w = scant_i_block_weight(t->posterior.evidence, block, i);
        size_t p = 0;
        for (size_t j = 0; j < t->M; j++) {
            double r = w > 0 ? wr[j] / w : 0;
            for (size_t l = j + 1; l < t->M; l++)
                across[p++] = r * wr[l];
        }
        for (; p < t->lanes; p++)
            across[p] = 0;
    }
}

/* Y and c of the entries += those of the slice's rows */
static void add_tables(const scant_i_moments *t, const scant_i_block *block, const double *L,
                       const slice *s, double *Y, double *c)
{
    size_t ld = t->slice, lanes = t->lanes;
    for (size_t i = 0, end; i < block->nrows; i = end) {
        size_t e = entry_of(t, block, i), n;
        end = end_of_run(t, block, i);
        n = end - i;
        if (e >= t->ntabled || !has_pairs(t, L + i * t->stride, n))
            continue;
        lay_across(t, block, L, i, n, s->across);
        scant_i_product_transposed(c + e * lanes, s->one, ld, s->across, n, 1, lanes);
        scant_i_product_transposed(Y + e * t->m * lanes, s->phi + i, ld, s->across, n, t->m, lanes);
    }
}

static void add_slice(const scant_i_moments *t, const scant_i_block *block, const double *L,
                      const slice *s, double *sums, double *shared)
{
    size_t n = block->nrows, ld = t->slice, wide = t->q * t->stride;
    double *S = sums + t->products.n * t->lanes, *X = S + t->m * t->stride;
    scant_i_moments_features(t, block, s->phi, ld, s->room);
    scant_i_product_transposed(S, s->phi, ld, L, n, t->m, t->stride);
    if (has_pairs(t, L, n)) {
        add_pairs(t, block, L, s, sums);
        if (!t->plain)
            add_tables(t, block, L, s, X + t->m * wide, shared + t->q * t->hlanes);
    }
    if (t->tilted && tilt_rows(t, block, L, s)) {
        scant_i_product_transposed(X, s->phi, ld, s->tilt, n, t->m, wide);
        scant_i_product_transposed(shared, s->mu, ld, s->wmu, n, t->q, t->hlanes);
    }
}

scant_status scant_i_moments_add(const scant_i_moments *t, const scant_i_block *block,
                                 const double *L, double *sums, double *shared)
{
    slice s = {0};
    scant_status status = slice_new(&s, t);
    size_t count = (block->nrows + t->slice - 1) / t->slice; /* equal slices, whole vectors long */
    size_t most = padded((block->nrows + count - 1) / scant_i_max(1, count));
    for (size_t first = 0; first < block->nrows && status == SCANT_OK; first += most) {
        scant_i_block part = *block;
        part.nrows = scant_i_min(most, block->nrows - first);
        part.first += first;
        part.row = block->row ? block->row + first : NULL;
        add_slice(t, &part, L + first * t->stride, &s, sums, shared);
    }
    slice_free(&s);
    return status;
}
