/* Are the errors of predictors of a number independent? A score test of each pair (c, d), as dependence.c has it for votes:
 * of one more parameter, the correlation rho of their errors,
 *   S_i = sqrt(w_c w_d) ((z_c - m) (z_d - m) + 1/P)              at rho = 0
 *   U = sum_i S_i,   V = sum_i S_i^2 - b' A^-1 b,   b = sum_i S_i G_i,   A = sum_i G_i G_i'
 * with G_i the row's score for the coordinates of the audit. U / sqrt(V) is standard normal where they are independent, and
 * rho is about U / V. A is made of scores, not of curvature, so that V is 0 but for rounding where the audit's own parameters
 * explain any covariance; nothing is tested there.
 * Cost: O(k^3) a row, of at most 64 predictors. */
#include <math.h>
#include <string.h>

#include "audit/numbers.h"
#include "math/linear.h"
#include "parts/tally.h"

enum { PAIRED_MOST = 64 };
enum { U, SQUARES, COMMON, SUMS }; /* of a pair, before b */
/* Less of the variance than this being left, the model fits the pair whatever it does. */
static const double VARIANCE_LEAST = 1e-5, COMMON_LEAST = 20;
/* What counts as evidence over all pairs, and as evidence of much. */
static const double LEVEL = 0.01, BADLY = 1e-4, LARGE = 0.1;

typedef struct pairing {
    const scant_i_numbers *p;
    const double *q, *t; /* k each */
    size_t paired;       /* the first so many predictors */
} pairing;

static size_t pair_of(size_t c, size_t d)
{
    return c * (c - 1) / 2 + d; /* c > d */
}

/* The row's score for log|q| and log t. */
static void row_score(double *G, const pairing *a, const double *cell, scant_i_number_view y)
{
    const scant_i_numbers *p = a->p;
    double noise = 0;
    for (size_t c = 0; c < p->k; c++) {
        double x = cell[p->column[c]], q = a->q[c];
        G[c] = 0;
        if (isnan(x))
            continue;
        double z = p->model->about_mean(p, q, x), off = z - y.mean;
        G[c] = p->held[c] ? 0 : q * p->model->slope(q, a->t[c], x, z, y);
        noise += p->model->precision(q, a->t[c]) * (off * off + y.variance) - 1;
    }
    if (p->free_noise)
        G[p->k] = noise;
}

static void add_row(double *sums, const pairing *a, const double *cell, double weight, double *G)
{
    const scant_i_numbers *p = a->p;
    scant_i_number_view y = scant_i_number_look(p, a->q, a->t, cell);
    row_score(G, a, cell, y);
    double *A = G + p->n;
    for (size_t e = 0; e < p->n; e++)
        for (size_t f = 0; f < p->n; f++)
            A[e * p->n + f] += weight * G[e] * G[f];
    for (size_t c = 1; c < a->paired; c++)
        for (size_t d = 0; d < c; d++) {
            double x = cell[p->column[c]], other = cell[p->column[d]];
            if (isnan(x) || isnan(other))
                continue;
            double w =
                p->model->precision(a->q[c], a->t[c]) * p->model->precision(a->q[d], a->t[d]);
            double S = sqrt(w) * ((p->model->about_mean(p, a->q[c], x) - y.mean) *
                                      (p->model->about_mean(p, a->q[d], other) - y.mean) +
                                  y.variance);
            double *own = sums + pair_of(c, d) * (SUMS + p->n);
            own[U] += weight * S;
            own[SQUARES] += weight * S * S;
            own[COMMON] += weight;
            for (size_t e = 0; e < p->n; e++)
                own[SUMS + e] += weight * S * G[e];
        }
}

/* Behind the pairs there is room for a row's score, and then A. */
static scant_status add_rows(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                             const void *payload)
{
    const pairing *a = payload;
    double *G = sums + a->paired * (a->paired - 1) / 2 * (SUMS + a->p->n);
    for (size_t i = first; i < end; i++) {
        double weight = batch->weight ? batch->weight[i] : 1;
        if (weight > 0)
            add_row(sums, a, batch->dense + i * batch->ncolumns, weight, G);
    }
    for (size_t e = 0; e < a->p->n; e++)
        G[e] = 0;
    return SCANT_OK;
}

static double explained(const double *b, const double *C, size_t n)
{
    double sum = 0;
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++)
            sum += b[x] * C[x * n + y] * b[y];
    return sum;
}

static double two_sided(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

static void judge(scant_dependence *out, const pairing *a, const double *sums, const double *C)
{
    size_t n = a->p->n;
    for (int round = 0; round < 2;
         round++) /* how many are tested, then which of them are rejected */
        for (size_t c = 1; c < a->paired; c++)
            for (size_t d = 0; d < c; d++) {
                const double *own = sums + pair_of(c, d) * (SUMS + n);
                double variance = own[SQUARES] - explained(own + SUMS, C, n);
                if (!(own[COMMON] >= COMMON_LEAST && variance > VARIANCE_LEAST * own[SQUARES]))
                    continue;
                double z = own[U] / sqrt(variance), rho = fmax(-1, fmin(1, own[U] / variance));
                if (round == 0) {
                    if (!out->pairs++ || fabs(z) > fabs(out->z)) {
                        out->z = z;
                        out->correlation = rho;
                        out->first = d;
                        out->second = c;
                    }
                } else if (two_sided(z) * (double)out->pairs < LEVEL) {
                    out->rejected++;
                    out->largest = fmax(out->largest, fabs(rho));
                }
            }
    out->p = out->pairs ? fmin(1, two_sided(out->z) * (double)out->pairs) : NAN;
    out->verdict = !out->pairs                               ? SCANT_VERDICT_UNTESTED
                   : !out->rejected                          ? SCANT_VERDICT_HOLDS
                   : out->p < BADLY && out->largest >= LARGE ? SCANT_VERDICT_FAILS
                                                             : SCANT_VERDICT_DOUBTFUL;
}

scant_status scant_i_number_depend(scant_dependence *out, scant_i_numbers *p,
                                   const scant_i_number_point *at)
{
    scant_status status = SCANT_OK;
    size_t n = p->n, k = p->k;
    double *q = NULL, *sums = NULL, *C = NULL, *factor = NULL;
    *out = (scant_dependence){
        .p = NAN, .z = NAN, .correlation = NAN, .possible = k * (k - (k > 0)) / 2};
    pairing a = {.p = p, .paired = k < PAIRED_MOST ? k : PAIRED_MOST};
    if (k < 2)
        return SCANT_OK;
    scant_i_tally tally = {.length = a.paired * (a.paired - 1) / 2 * (SUMS + n) + n + n * n,
                           .add = add_rows,
                           .payload = &a};
    SCANT_I_TRY(SCANT_I_NEW(&q, 2 * k));
    SCANT_I_TRY(SCANT_I_NEW(&sums, tally.length));
    SCANT_I_TRY(SCANT_I_NEW(&C, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&factor, n * n));
    for (size_t c = 0; c < k; c++) {
        q[c] = scant_i_number_q(p, at->x, c);
        q[k + c] = scant_i_number_noise(p, at->x);
    }
    a.q = q;
    a.t = q + k;
    tally.tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = p->rows->nrows, .nstatistics = tally.length, .stride = 1});
    SCANT_I_TRY(scant_i_tally_ask(sums, &tally, p->rows, NULL, p->rows->weight, p->threads));
    memcpy(factor, sums + tally.length - n * n, n * n * sizeof *factor);
    for (size_t c = 0; c < k; c++)
        factor[c * n + c] += p->held[c];
    if (scant_i_cholesky(factor, n)) {
        scant_i_cholesky_inverse(C, factor, n);
        judge(out, &a, sums, C);
    }
done:
    scant_i_free(q);
    scant_i_free(sums);
    scant_i_free(C);
    scant_i_free(factor);
    return status;
}
