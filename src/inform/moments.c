#include "inform/moments.h"

#include <string.h>

#include "math/linear.h"
#include "math/vector.h"

enum {
    SLICE_MOST = 240,
    SLICE_DOUBLES = 16384, /* products of features of a slice: they should stay in the cache */
    U_MOST = 1 << 19       /* doubles of U's table */
};

/* --- what all rows share --- */

/* U[q][j] = sum_k P(k | j, e) u_jk[q] of entry e */
static void make_U(const scant_i_moments *t, size_t e, double *U)
{
    const scant_i_posterior *p = t->posterior;
    bool prior = p->evidence->kind[e] == SCANT_I_PRIOR;
    const double *c = prior ? p->pi : p->joint, *v = scant_i_posterior_telling(p, e);
    memset(U, 0, t->q * t->stride * sizeof *U);
    for (size_t j = 0; j < t->M; j++) {
        double a = 0;
        for (size_t k = 0; k < t->K; k++)
            a += c[k * t->stride + j] * v[k];
        for (size_t k = 0; k < t->K; k++) {
            double share = a > 0 ? c[k * t->stride + j] * v[k] / a : 0;
            const double *u = scant_i_moments_slope(t, prior, k, j);
            for (size_t q = 0; q < t->q && share > 0; q++)
                U[q * t->stride + j] += share * u[q];
        }
    }
}

static void measure(scant_i_moments *t)
{
    size_t widest;
    for (size_t f = 0; f < t->standard->nfactors; f++) {
        const scant_i_factor *factor = t->standard->factor[f];
        size_t natural = factor->family->nnatural(factor);
        t->m += factor->family->nfeatures(factor);
        t->natural += natural;
        t->room = scant_i_max(t->room, factor->ncolumns + natural);
    }
    t->pairs = t->m * (t->m + 1) / 2;
    t->lanes = scant_i_round_up(t->M * (t->M - 1) / 2, SCANT_I_LANES);
    t->hlanes = scant_i_round_up(t->q, SCANT_I_LANES);
    t->size = t->pairs * t->lanes + (1 + t->q) * t->m * t->stride;
    widest = scant_i_max(t->lanes ? t->pairs : 0, scant_i_max(t->lanes, t->q * t->stride));
    t->slice = scant_i_min(SLICE_MOST, SLICE_DOUBLES / scant_i_max(1, widest));
    t->slice = scant_i_max(SCANT_I_LANES, t->slice / SCANT_I_LANES * SCANT_I_LANES);
}

scant_status scant_i_moments_new(scant_i_moments *out, const scant_i_chart *chart,
                                 const scant_i_mixture *standard,
                                 const scant_i_posterior *posterior)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_moments){.chart = chart,
                             .standard = standard,
                             .posterior = posterior,
                             .M = standard->ncomponents,
                             .stride = standard->stride,
                             .K = standard->nclasses,
                             .q = chart->ncoupling};
    measure(out);
    size_t table = out->q * out->stride;
    out->ntabled = scant_i_min(posterior->ntabled, U_MOST / scant_i_max(1, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->slope, 2 * out->K * out->M * out->q));
    SCANT_I_TRY(SCANT_I_NEW(&out->U, out->ntabled * table));
    for (size_t k = 0; k < out->K; k++)
        for (size_t j = 0; j < out->M; j++)
            for (size_t prior = 0; prior < 2; prior++)
                if (standard->W[k * standard->stride + j] > 0)
                    scant_i_chart_slope(chart, standard, k, j, !prior,
                                        out->slope + ((prior * out->K + k) * out->M + j) * out->q);
    for (size_t e = 0; e < out->ntabled; e++)
        make_U(out, e, out->U + e * table);
done:
    if (status != SCANT_OK)
        scant_i_moments_clear(out);
    return status;
}

void scant_i_moments_clear(scant_i_moments *moments)
{
    scant_i_free(moments->slope);
    scant_i_free(moments->U);
    *moments = (scant_i_moments){0};
}

/* --- a slice of a block --- */

typedef struct slice {
    double *phi;    /* m x ld */
    double *square; /* pairs x ld: phi_a phi_b, a <= b */
    double *both;   /* ld x lanes: w r_j r_l */
    double *mu;     /* q x ld */
    double *wmu;    /* ld x hlanes */
    double *tilt;   /* ld x q x stride: w r_j (U[q][j] - mu_q) */
    double *U;      /* q x stride, of an entry that is not tabled */
    double *room;
} slice;

static scant_status slice_new(slice *s, const scant_i_moments *t)
{
    size_t ld = t->slice, n = 0;
    size_t sizes[] = {t->m * ld,      t->lanes ? t->pairs * ld : 0, ld * t->lanes,    t->q * ld,
                      ld * t->hlanes, t->q * ld * t->stride,        t->q * t->stride, t->room};
    double **places[] = {&s->phi, &s->square, &s->both, &s->mu, &s->wmu, &s->tilt, &s->U, &s->room};
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
    return SCANT_OK;
}

static void slice_free(slice *s)
{
    scant_i_free(s->phi);
}

SCANT_I_CLONES
static void make_squares(const scant_i_moments *t, const double *phi, size_t n, double *square)
{
    size_t ld = t->slice;
    for (size_t a = 0; a < t->m; a++)
        for (size_t b = a; b < t->m; b++, square += ld)
            for (size_t i = 0; i < n; i++)
                square[i] = phi[a * ld + i] * phi[b * ld + i];
}

SCANT_I_CLONES
static void make_both(const scant_i_moments *t, const double *L, size_t n, double *both)
{
    for (size_t i = 0; i < n; i++) {
        const double *wr = L + i * t->stride;
        double *to = both + i * t->lanes, w = 0;
        for (size_t j = 0; j < t->M; j++)
            w += wr[j];
        double inverse = w > 0 ? 1 / w : 0;
        size_t p = 0;
        for (size_t j = 0; j < t->M; j++)
            for (size_t l = j + 1; l < t->M; l++)
                to[p++] = wr[j] * inverse * wr[l];
        while (p < t->lanes)
            to[p++] = 0;
    }
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

static void tilt_rows(const scant_i_moments *t, const scant_i_block *block, const double *L,
                      const slice *s)
{
    size_t table = t->q * t->stride;
    for (size_t i = 0; i < block->nrows && t->q; i++) {
        size_t e = scant_i_evidence_entry(t->posterior->evidence, scant_i_block_row(block, i));
        if (e >= t->ntabled)
            make_U(t, e, s->U);
        tilt_row(t, e < t->ntabled ? t->U + e * table : s->U, L + i * t->stride, i, s);
    }
}

static void add_slice(const scant_i_moments *t, const scant_i_block *block, const double *L,
                      const slice *s, double *sums, double *H)
{
    size_t n = block->nrows, ld = t->slice;
    double *S = sums + t->pairs * t->lanes, *X = S + t->m * t->stride, *phi = s->phi;
    for (size_t f = 0; f < t->standard->nfactors; f++) {
        const scant_i_factor *factor = t->standard->factor[f];
        factor->family->features(factor, block, phi, ld, s->room);
        phi += factor->family->nfeatures(factor) * ld;
    }
    if (t->lanes) {
        make_squares(t, s->phi, n, s->square);
        make_both(t, L, n, s->both);
        scant_i_product_transposed(sums, s->square, ld, s->both, n, t->pairs, t->lanes);
    }
    scant_i_product_transposed(S, s->phi, ld, L, n, t->m, t->stride);
    tilt_rows(t, block, L, s);
    scant_i_product_transposed(X, s->phi, ld, s->tilt, n, t->m, t->q * t->stride);
    scant_i_product_transposed(H, s->mu, ld, s->wmu, n, t->q, t->hlanes);
}

scant_status scant_i_moments_add(const scant_i_moments *t, const scant_i_block *block,
                                 const double *L, double *sums, double *H)
{
    slice s = {0};
    scant_status status = slice_new(&s, t);
    for (size_t first = 0; first < block->nrows && status == SCANT_OK; first += t->slice) {
        scant_i_block part = *block;
        part.nrows = scant_i_min(t->slice, block->nrows - first);
        part.first += first;
        part.row = block->row ? block->row + first : NULL;
        add_slice(t, &part, L + first * t->stride, &s, sums, H);
    }
    slice_free(&s);
    return status;
}

/* --- from sums to matrices --- */

/* Scores of the components, for one pattern. */
typedef struct scores {
    double *A;    /* M x natural x m */
    size_t *at;   /* M x natural: coordinates */
    double *G;    /* m x m */
    double *own;  /* m x m: G of a component with all others */
    double *AG;   /* m */
    double *I[2]; /* most x most: complete and missing of a factor */
    double *S;    /* m */
} scores;

static void scores_clear(scores *s)
{
    scant_i_free(s->A);
    scant_i_free(s->at);
    scant_i_free(s->G);
    scant_i_free(s->own);
    scant_i_free(s->AG);
    scant_i_free(s->I[0]);
    scant_i_free(s->I[1]);
    scant_i_free(s->S);
}

static scant_status scores_new(scores *s, const scant_i_moments *t, const uint8_t *present)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = t->standard;
    size_t most = t->chart->most;
    SCANT_I_TRY(SCANT_I_NEW(&s->A, t->M * t->natural * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->at, t->M * t->natural));
    SCANT_I_TRY(SCANT_I_NEW(&s->G, t->m * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->own, t->m * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->AG, t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->I[0], most * scant_i_max(most, t->m)));
    SCANT_I_TRY(SCANT_I_NEW(&s->I[1], most * most));
    SCANT_I_TRY(SCANT_I_NEW(&s->S, t->m));
    for (size_t j = 0; j < t->M; j++) {
        size_t row = 0, column = 0;
        for (size_t f = 0; f < mixture->nfactors && t->chart->used[j]; f++) {
            const scant_i_factor *factor = mixture->factor[f];
            size_t n = t->chart->natural[f], m = factor->family->nfeatures(factor);
            double *A = s->A + (j * t->natural + row) * t->m + column;
            SCANT_I_TRY(factor->family->score(factor, j, present, s->I[0]));
            for (size_t a = 0; a < n; a++)
                memcpy(A + a * t->m, s->I[0] + a * m, m * sizeof *A);
            memcpy(s->at + j * t->natural + row, scant_i_chart_eta(t->chart, f, j),
                   n * sizeof *s->at);
            row += n;
            column += m;
        }
    }
done:
    return status;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* out (n x n, at the coordinates of components j and l) += sign A_j G A_l', and its transpose where
 * j and l differ */
static void add_scores(const scant_i_moments *t, const scores *s, size_t j, size_t l,
                       const double *G, double sign, double *out)
{
    size_t N = t->natural, n = t->chart->n;
    const size_t *row = s->at + j * N, *column = s->at + l * N;
    for (size_t a = 0; a < N; a++) {
        const double *A = s->A + (j * N + a) * t->m;
        memset(s->AG, 0, t->m * sizeof *s->AG);
        for (size_t e = 0; e < t->m; e++)
            for (size_t f = 0; A[e] != 0 && f < t->m; f++) /* most are 0 */
                s->AG[f] += sign * A[e] * G[e * t->m + f];
        for (size_t b = 0; b < N; b++) {
            double sum = dot(s->AG, s->A + (l * N + b) * t->m, t->m);
            out[row[a] * n + column[b]] += sum;
            if (j != l)
                out[column[b] * n + row[a]] += sum;
        }
    }
}

/* G of the pair of components in lane p, unpacked; own += it */
static void unpack(const scant_i_moments *t, const double *G, size_t p, double *to)
{
    for (size_t a = 0; a < t->m; a++)
        for (size_t b = a; b < t->m; b++, G += t->lanes)
            to[a * t->m + b] = to[b * t->m + a] = G[p];
}

static void fold_pairs(const scant_i_moments *t, const scores *s, const double *G, double *missing)
{
    for (size_t j = 0; j < t->M; j++) {
        memset(s->own, 0, t->m * t->m * sizeof *s->own);
        for (size_t l = 0; l < t->M; l++) {
            size_t low = scant_i_min(j, l), high = scant_i_max(j, l);
            if (l == j || !t->chart->used[j] || !t->chart->used[l])
                continue;
            unpack(t, G, low * t->M - low * (low + 1) / 2 + high - low - 1, s->G);
            for (size_t e = 0; e < t->m * t->m; e++)
                s->own[e] += s->G[e];
            if (l > j)
                add_scores(t, s, j, l, s->G, -1, missing);
        }
        if (t->chart->used[j])
            add_scores(t, s, j, j, s->own, 1, missing);
    }
}

/* The block between coupling and components: A_j X[qj] */
static void fold_coupling(const scant_i_moments *t, const scores *s, const double *X,
                          double *missing)
{
    size_t n = t->chart->n;
    for (size_t q = 0; q < t->q; q++)
        for (size_t j = 0; j < t->M; j++) {
            for (size_t e = 0; e < t->m; e++)
                s->S[e] = X[(e * t->q + q) * t->stride + j];
            for (size_t a = 0; a < t->natural && t->chart->used[j]; a++) {
                double sum = dot(s->A + (j * t->natural + a) * t->m, s->S, t->m);
                size_t at = s->at[j * t->natural + a];
                missing[q * n + at] += sum;
                missing[at * n + q] += sum;
            }
        }
}

static scant_status fold_factors(const scant_i_moments *t, const scores *s, const double *S,
                                 const uint8_t *present, double *complete, double *missing)
{
    size_t n = t->chart->n;
    for (size_t f = 0, first = 0; f < t->standard->nfactors; f++) {
        const scant_i_factor *factor = t->standard->factor[f];
        size_t natural = t->chart->natural[f], m = factor->family->nfeatures(factor);
        for (size_t j = 0; j < t->M; j++) {
            const size_t *at = scant_i_chart_eta(t->chart, f, j);
            if (!t->chart->used[j])
                continue;
            for (size_t e = 0; e < m; e++)
                s->S[e] = S[(first + e) * t->stride + j];
            scant_status status =
                factor->family->information(factor, j, present, s->S, s->I[0], s->I[1]);
            if (status != SCANT_OK)
                return status;
            for (size_t a = 0; a < natural; a++)
                for (size_t b = 0; b < natural; b++) {
                    complete[at[a] * n + at[b]] += s->I[0][a * natural + b];
                    missing[at[a] * n + at[b]] += s->I[1][a * natural + b];
                }
        }
        first += m;
    }
    return SCANT_OK;
}

scant_status scant_i_moments_fold(const scant_i_moments *t, const double *sums,
                                  const uint8_t *present, double *complete, double *missing)
{
    scant_status status = SCANT_OK;
    scores s = {0};
    const double *S = sums + t->pairs * t->lanes, *X = S + t->m * t->stride;
    SCANT_I_TRY(scores_new(&s, t, present));
    fold_pairs(t, &s, sums, missing);
    fold_coupling(t, &s, X, missing);
    status = fold_factors(t, &s, S, present, complete, missing);
done:
    scores_clear(&s);
    return status;
}
