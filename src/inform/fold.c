/* From the sums of a pass over scores to matrices: see moments.h. */
#include "inform/moments.h"

#include <string.h>

static size_t pair_of(const scant_i_moments *t, size_t j, size_t l)
{
    return scant_i_moments_pair(t, scant_i_min(j, l), scant_i_max(j, l));
}

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
    size_t most = t->chart->most;
    SCANT_I_TRY(SCANT_I_NEW(&s->A, t->M * t->natural * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->at, t->M * t->natural));
    SCANT_I_TRY(SCANT_I_NEW(&s->G, t->m * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->own, t->m * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->AG, t->m));
    SCANT_I_TRY(SCANT_I_NEW(&s->I[0], most * most));
    SCANT_I_TRY(SCANT_I_NEW(&s->I[1], most * most));
    SCANT_I_TRY(SCANT_I_NEW(&s->S, t->m));
    SCANT_I_TRY(scant_i_moments_maps(t, present, s->A, s->at));
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
        for (size_t b = 0; b < N && row[a] != SCANT_I_NOWHERE; b++) {
            if (column[b] == SCANT_I_NOWHERE)
                continue;
            double sum = dot(s->AG, s->A + (l * N + b) * t->m, t->m);
            out[row[a] * n + column[b]] += sum;
            if (j != l)
                out[column[b] * n + row[a]] += sum;
        }
    }
}

/* G of the pair of components p, unpacked */
static void unpack(const scant_i_moments *t, const double *G, size_t p, double *to)
{
    for (size_t e = 0; e < t->m * t->m; e++)
        to[e] = G[t->products.place[e] * t->lanes + p];
}

static void fold_pairs(const scant_i_moments *t, const scores *s, const double *G, double *missing)
{
    for (size_t j = 0; j < t->M; j++) {
        memset(s->own, 0, t->m * t->m * sizeof *s->own);
        for (size_t l = 0; l < t->M; l++) {
            if (l == j || !t->chart->used[j] || !t->chart->used[l])
                continue;
            unpack(t, G, pair_of(t, j, l), s->G);
            for (size_t e = 0; e < t->m * t->m; e++)
                s->own[e] += s->G[e];
            if (l > j)
                add_scores(t, s, j, l, s->G, -1, missing);
        }
        if (t->chart->used[j])
            add_scores(t, s, j, j, s->own, 1, missing);
    }
}

/* Y[e] of feature a, or NULL where the entry has none. */
static const double *table_of(const scant_i_moments *t, const double *sums, size_t e, size_t a)
{
    const double *Y = sums + t->products.n * t->lanes + (1 + t->q) * t->m * t->stride;
    if (!t->plain)
        return Y + (e * t->m + a) * t->lanes;
    return e == scant_i_evidence_entry(t->posterior.evidence, 0)
               ? sums + scant_i_products_at(&t->products, 0, a) * t->lanes
               : NULL;
}

/* S = X[qj] of all rows that the sums are of: U of an entry is the same in all its rows, so that
 *   sum w r_j (U[q][j] - mu_q) phi = sum_l (U[q][j] - U[q][l]) Y[jl] */
static void tilt_of(const scant_i_moments *t, const double *sums, size_t q, size_t j, double *S)
{
    const double *X = sums + t->products.n * t->lanes + t->m * t->stride;
    for (size_t a = 0; a < t->m; a++) {
        S[a] = X[(a * t->q + q) * t->stride + j];
        for (size_t e = 0; e < t->ntabled; e++) {
            const double *U = t->U + (e * t->q + q) * t->stride, *Y = table_of(t, sums, e, a);
            for (size_t l = 0; Y && l < t->M; l++)
                if (l != j && U[j] != U[l])
                    S[a] += (U[j] - U[l]) * Y[pair_of(t, j, l)];
        }
    }
}

/* The block between coupling and components: A_j X[qj] */
static void fold_coupling(const scant_i_moments *t, const scores *s, const double *sums,
                          double *missing)
{
    size_t n = t->chart->n;
    for (size_t q = 0; q < t->q; q++)
        for (size_t j = 0; j < t->M; j++) {
            if (!t->chart->used[j])
                continue;
            tilt_of(t, sums, q, j, s->S);
            for (size_t a = 0; a < t->natural; a++) {
                size_t at = s->at[j * t->natural + a];
                if (at == SCANT_I_NOWHERE)
                    continue;
                double sum = dot(s->A + (j * t->natural + a) * t->m, s->S, t->m);
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
        size_t natural = t->chart->natural[f], m = factor->family->natural->nfeatures(factor);
        for (size_t j = 0; j < t->M; j++) {
            const size_t *at = scant_i_chart_eta(t->chart, f, j);
            if (!t->chart->used[j])
                continue;
            for (size_t e = 0; e < m; e++)
                s->S[e] = S[(first + e) * t->stride + j];
            scant_status status =
                factor->family->natural->information(factor, j, present, s->S, s->I[0], s->I[1]);
            if (status != SCANT_OK)
                return status;
            for (size_t a = 0; a < natural; a++)
                for (size_t b = 0; b < natural; b++) {
                    if (at[a] == SCANT_I_NOWHERE || at[b] == SCANT_I_NOWHERE)
                        continue;
                    complete[at[a] * n + at[b]] += s->I[0][a * natural + b];
                    missing[at[a] * n + at[b]] += s->I[1][a * natural + b];
                }
        }
        first += m;
    }
    return SCANT_OK;
}

/* c where G begins with it */
static void add_plain(const scant_i_moments *t, const double *G, double *shared)
{
    size_t e = scant_i_evidence_entry(t->posterior.evidence, 0);
    double *c = shared + t->q * t->hlanes + e * t->lanes;
    for (size_t p = 0; p < t->lanes; p++)
        c[p] += G[scant_i_products_at(&t->products, 0, 0) * t->lanes + p];
}

scant_status scant_i_moments_fold(const scant_i_moments *t, const double *sums,
                                  const uint8_t *present, double *shared, double *complete,
                                  double *missing)
{
    scant_status status = SCANT_OK;
    scores s = {0};
    if (t->plain)
        add_plain(t, sums, shared);
    SCANT_I_TRY(scores_new(&s, t, present));
    fold_pairs(t, &s, sums, missing);
    fold_coupling(t, &s, sums, missing);
    status = fold_factors(t, &s, sums + t->products.n * t->lanes, present, complete, missing);
done:
    scores_clear(&s);
    return status;
}

/* H of an entry with a table: sum w mu mu' = sum_j A_j U[j] U[j]' - Cov, A_j the weight of its rows
 * that fell to component j. */
static void add_entry(const scant_i_moments *t, size_t e, const double *expected, const double *c,
                      double *H)
{
    const double *U = t->U + e * t->q * t->stride;
    for (size_t a = 0; a < t->q; a++)
        for (size_t b = 0; b < t->q; b++) {
            const double *x = U + a * t->stride, *y = U + b * t->stride;
            double sum = 0;
            for (size_t j = 0; j < t->M; j++) {
                sum += expected[j] * x[j] * y[j];
                for (size_t l = j + 1; l < t->M; l++)
                    sum -= c[pair_of(t, j, l)] * (x[j] - x[l]) * (y[j] - y[l]);
            }
            H[a * t->hlanes + b] += sum;
        }
}

void scant_i_moments_coupling(const scant_i_moments *t, const double *shared,
                              const double *statistics, double *H)
{
    memcpy(H, shared, t->q * t->hlanes * sizeof *H);
    for (size_t e = 0; e < t->ntabled; e++)
        add_entry(t, e, scant_i_posterior_expected(&t->posterior, statistics, e),
                  shared + t->q * t->hlanes + e * t->lanes, H);
}
