/* A block's part of the moments (moments.h), a slice of rows at a time: slices stay in the first-level cache while all
 * products go over them. What is multiplied with pairs of components may be in single precision. */
#include "inform/moments.h"

#include <string.h>

#include "math/linear.h"
#include "math/vector.h"

/* Products of features at a time, as many as a tile is high (product.c): they stay in the first-level cache between the
 * making and the use. */
enum { SQUARES = 12 };

typedef struct slice {
    double *one;    /* ld times 1 */
    double *phi;    /* m x ld */
    double *square; /* SQUARES x ld: phi_a phi_b */
    double *both;   /* ld x lanes, and a vector: w r_j r_l */
    struct {
        float *one, *phi, *square, *both;
    } single;     /* the same, where they are wanted in single precision; else NULL */
    double *mu;   /* q x ld */
    double *wmu;  /* ld x hlanes */
    double *tilt; /* ld x q x stride: w r_j (U[q][j] - mu_q), 0 in rows that have a table */
    double *U;    /* q x stride, of an entry that is not tabled */
    double *room;
} slice;

static scant_status single_new(slice *s, const scant_i_moments *t)
{
    size_t ld = t->slice, both = ld * t->lanes + SCANT_I_LANES;
    float *all = scant_i_alloc((1 + t->m + SQUARES) * ld + both, sizeof *all);
    if (!all)
        return SCANT_ERR_MEMORY;
    s->single.one = all;
    s->single.phi = all + ld;
    s->single.square = s->single.phi + t->m * ld;
    s->single.both = s->single.square + SQUARES * ld;
    for (size_t i = 0; i < ld; i++)
        s->single.one[i] = 1;
    /* lanes that no vector of pairs reaches: numbers near 0 would make products slow */
    if (scant_i_round_up(t->M * (t->M - 1) / 2, SCANT_I_LANES) < t->lanes)
        memset(s->single.both, 0, both * sizeof *s->single.both);
    return SCANT_OK;
}

static scant_status slice_new(slice *s, const scant_i_moments *t)
{
    size_t ld = t->slice, n = 0, wanted = t->single ? 0 : 1;
    bool tilted = t->ntabled < t->posterior.evidence->nentries;
    size_t sizes[] = {ld,
                      t->m * ld,
                      SQUARES * ld * wanted,
                      (ld * t->lanes + SCANT_I_LANES) * wanted,
                      t->q * ld,
                      ld * t->hlanes,
                      tilted ? t->q * ld * t->stride : 0,
                      t->q * t->stride,
                      t->room};
    double **places[] = {&s->one, &s->phi,  &s->square, &s->both, &s->mu,
                         &s->wmu, &s->tilt, &s->U,      &s->room};
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
    return t->single ? single_new(s, t) : SCANT_OK;
}

static void slice_free(slice *s)
{
    scant_i_free(s->one);
    scant_i_free(s->single.one);
}

typedef float single8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float single16 __attribute__((vector_size(64), may_alias));

/* n numbers of each feature in single precision */
SCANT_I_CLONES
static void shorten(float *to, const double *phi, size_t ld, size_t n, size_t nfeatures)
{
    for (size_t a = 0; a < nfeatures; a++)
        for (size_t i = 0; i < n; i++)
            to[a * ld + i] = (float)phi[a * ld + i];
}

/* square = phi_a phi_b, for `count` pairs of features; to the end of the last vector */
SCANT_I_CLONES
static void multiply(double *square, const double *phi, size_t ld, size_t n, const uint32_t *of,
                     size_t count)
{
    for (size_t p = 0; p < count; p++, square += ld) {
        const double *a = phi + of[2 * p] * ld, *b = phi + of[2 * p + 1] * ld;
        for (size_t i = 0; i < n; i += SCANT_I_LANES)
            *(scant_i_vector8 *)(square + i) =
                *(const scant_i_vector8 *)(a + i) * *(const scant_i_vector8 *)(b + i);
    }
}

SCANT_I_CLONES
static void multiply_single(float *square, const float *phi, size_t ld, size_t n,
                            const uint32_t *of, size_t count)
{
    for (size_t p = 0; p < count; p++, square += ld) {
        const float *a = phi + of[2 * p] * ld, *b = phi + of[2 * p + 1] * ld;
        for (size_t i = 0; i < n; i += SCANT_I_SINGLE_LANES)
            *(single16 *)(square + i) = *(const single16 *)(a + i) * *(const single16 *)(b + i);
    }
}

/* G += the products of features, SQUARES at a time, with the pairs of components */
static void add_squares(const scant_i_moments *t, size_t n, const slice *s, double *G)
{
    size_t ld = t->slice;
    for (size_t p = 0, count; p < t->products.n; p += count) {
        const uint32_t *of = t->products.of + 2 * p;
        double *to = G + p * t->lanes;
        count = scant_i_min(SQUARES, t->products.n - p);
        if (t->single) {
            multiply_single(s->single.square, s->single.phi, ld, n, of, count);
            scant_i_product_transposed_single(to, s->single.square, ld, s->single.both, n, count,
                                              t->lanes);
        } else {
            multiply(s->square, s->phi, ld, n, of, count);
            scant_i_product_transposed(to, s->square, ld, s->both, n, count, t->lanes);
        }
    }
}

SCANT_I_INLINE scant_i_vector8 masked(const double *x, scant_i_mask8 mask)
{
    const scant_i_unaligned8 *at = (const scant_i_unaligned8 *)x;
    return (scant_i_vector8)((scant_i_mask8)*at & mask);
}

/* Vectors may hang over: what is too much is overwritten by the next ones and by the next row. Single precision has no
 * room for the smallest, and processors are slow where it has little. */
SCANT_I_INLINE void put_pairs(const slice *s, size_t at, scant_i_vector8 product, const bool single)
{
    static const double LEAST = 1e-30;
    if (single)
        *(single8 *)(s->single.both + at) = __builtin_convertvector(
            (scant_i_vector8)((scant_i_mask8)product & (product >= LEAST)), single8);
    else
        *(scant_i_unaligned8 *)(s->both + at) = product;
}

/* both = w r_j r_l of a row of wr, M pairs at a time in whole vectors (scant_i_moments_lane). Nobody reads the lanes
 * after the last pair. */
SCANT_I_INLINE void pair_row(const int64_t *firsts, const double *wr, double inverse,
                             const size_t M, const size_t stride, const slice *s, size_t at,
                             const bool single)
{
    for (size_t j = 0; j < M / 2; j++) {
        double first = wr[j] * inverse, second = wr[M - 2 - j] * inverse;
        size_t own = M - 1 - j, all = 2 * j + 2 == M ? own : M;
        for (size_t k = 0; k < all; k += SCANT_I_LANES) {
            scant_i_mask8 mask = *(const scant_i_mask8 *)(firsts + j * stride + k);
            scant_i_vector8 product = second * masked(wr + k, ~mask);
            if (k < own)
                product += first * masked(wr + k + j + 1, mask);
            put_pairs(s, at + j * M + k, product, single);
        }
    }
}

SCANT_I_INLINE void pair_rows(const scant_i_moments *t, const scant_i_block *block,
                              const double *wr, const slice *s, const bool even, const bool single)
{
    enum { ONE = SCANT_I_LANES }; /* components of one vector: all loops vanish */
    for (size_t i = 0; i < block->nrows; i++, wr += t->stride) {
        double w =
            even ? 1 : scant_i_evidence_weight(t->posterior.evidence, scant_i_block_row(block, i));
        double inverse = w > 0 ? 1 / w : 0;
        if (t->M == ONE)
            pair_row(t->firsts, wr, inverse, ONE, ONE, s, i * t->lanes, single);
        else
            pair_row(t->firsts, wr, inverse, t->M, t->stride, s, i * t->lanes, single);
    }
}

SCANT_I_CLONES
static void pair_up(const scant_i_moments *t, const scant_i_block *block, const double *wr,
                    const slice *s)
{
    const scant_i_evidence *evidence = t->posterior.evidence;
    bool even = !evidence->weight && evidence->unlabelled_weight == 1;
    if (t->single && even)
        pair_rows(t, block, wr, s, true, true);
    else if (t->single)
        pair_rows(t, block, wr, s, false, true);
    else if (even)
        pair_rows(t, block, wr, s, true, false);
    else
        pair_rows(t, block, wr, s, false, false);
}

static size_t entry_of(const scant_i_moments *t, const scant_i_block *block, size_t i)
{
    return scant_i_evidence_entry(t->posterior.evidence, scant_i_block_row(block, i));
}

/* mu, w mu and tilt of row i */
SCANT_I_CLONES
static void tilt_row(const scant_i_moments *t, const double *U, const double *wr, size_t i,
                     const slice *s)
{
    size_t ld = t->slice, stride = t->stride;
    double w = 0;
    for (size_t j = 0; j < stride; j++)
        w += wr[j];
    double inverse = w > 0 ? 1 / w : 0;
    for (size_t q = 0; q < t->q; q++) {
        double *tilt = s->tilt + (i * t->q + q) * stride, sum = 0;
        for (size_t j = 0; j < stride; j++)
            sum += wr[j] * U[q * stride + j];
        s->mu[q * ld + i] = sum * inverse;
        s->wmu[i * t->hlanes + q] = sum;
        for (size_t j = 0; j < stride; j++)
            tilt[j] = wr[j] * (U[q * stride + j] - sum * inverse);
    }
    for (size_t q = t->q; q < t->hlanes; q++)
        s->wmu[i * t->hlanes + q] = 0;
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
            tilt_row(t, scant_i_moments_U(t, e, s->U), L + i * t->stride, i, s);
        }
    }
    return count;
}

/* The first row after i whose entry is another. */
static size_t end_of_run(const scant_i_moments *t, const scant_i_block *block, size_t i)
{
    size_t e = entry_of(t, block, i);
    if (!t->posterior.evidence->code)
        return block->nrows;
    while (i < block->nrows && entry_of(t, block, i) == e)
        i++;
    return i;
}

/* Y and c of one entry += those of n rows, from row i of the slice on */
static void add_run(const scant_i_moments *t, const slice *s, size_t i, size_t n, double *Y,
                    double *c)
{
    size_t ld = t->slice, lanes = t->lanes;
    if (t->single) {
        const float *both = s->single.both + i * lanes;
        scant_i_product_transposed_single(c, s->single.one, ld, both, n, 1, lanes);
        scant_i_product_transposed_single(Y, s->single.phi + i, ld, both, n, t->m, lanes);
    } else {
        const double *both = s->both + i * lanes;
        scant_i_product_transposed(c, s->one, ld, both, n, 1, lanes);
        scant_i_product_transposed(Y, s->phi + i, ld, both, n, t->m, lanes);
    }
}

static void add_tables(const scant_i_moments *t, const scant_i_block *block, const slice *s,
                       double *Y, double *c)
{
    for (size_t i = 0, end; i < block->nrows; i = end) {
        size_t e = entry_of(t, block, i);
        end = end_of_run(t, block, i);
        if (e < t->ntabled)
            add_run(t, s, i, end - i, Y + e * t->m * t->lanes, c + e * t->lanes);
    }
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

static void add_slice(const scant_i_moments *t, const scant_i_block *block, const double *L,
                      const slice *s, double *sums, double *shared)
{
    size_t n = block->nrows, ld = t->slice, wide = t->q * t->stride;
    double *S = sums + t->products.n * t->lanes, *X = S + t->m * t->stride;
    scant_i_moments_features(t, block, s->phi, ld, s->room);
    scant_i_product_transposed(S, s->phi, ld, L, n, t->m, t->stride);
    if (t->lanes && has_pairs(t, L, n)) {
        if (t->single)
            shorten(s->single.phi, s->phi, ld, n, t->m);
        pair_up(t, block, L, s);
        add_squares(t, n, s, sums);
        if (!t->plain)
            add_tables(t, block, s, X + t->m * wide, shared + t->q * t->hlanes);
    }
    if (t->ntabled < t->posterior.evidence->nentries && tilt_rows(t, block, L, s)) {
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
    size_t most =
        scant_i_round_up((block->nrows + count - 1) / scant_i_max(1, count), SCANT_I_LANES);
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
