/* Are predictors independent, given the class? Learning-without-labels §2.2.6.
 *
 * For each pair (c, d) a score test of one more parameter, an interaction of their being right:
 *   z_cj = [x_c = j] - p_cjj,   t_i = sum_j r_ij z_cj z_dj      the score of row i at no interaction
 *   U = sum_i w_i t_i,          V = sum_i w_i t_i^2 - b' C b,   b = sum_i w_i t_i s_i
 * with s_i the row's score for the model's own coordinates and C their covariance: what estimating
 * them takes from the score's variance; b is summed over some ten thousand rows where there are more. U / sqrt(V) is standard normal where the pair is
 * independent. The size of the effect is the correlation of z_c and z_d,
 *   rho = U / sum_i w_i sum_j r_ij sqrt(v_cj v_dj),   v_cj = p_cjj (1 - p_cjj).
 * Where b would not fit into memory V goes without it: too large, so the test errs on the careful
 * side. A row of m answers costs m^2 l, and m^3 l^2 with b. */
#include "audit/audit.h"

#include <math.h>

/* Predictors that are paired, those with most answers first; sums over all pairs must fit. */
enum { PAIRED_MOST = 600, CORRECTED_MOST = 4 << 20, SCORED_ROWS = 10000 };
/* Less of the variance than this being left, the model fits the pair whatever it does. */
static const double VARIANCE_LEAST = 0.05;
/* Least variance of sum z_c z_d; below, few rows make all of the score, which is far from normal. */
static const double INFORMATION_LEAST = 4;
/* What counts as evidence over all pairs, and as evidence of much. */
static const double LEVEL = 0.01, BADLY = 1e-6, LARGE = 0.1;
static const size_t NOT_PAIRED = SIZE_MAX;

typedef struct pairing {
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
    size_t *paired; /* k: place among those paired */
    size_t npaired, npairs;
    size_t n;     /* coordinates of b; 0: none are kept */
    size_t own;   /* of them, those of one predictor */
    size_t every; /* b is summed over every so many rows */
    size_t head;  /* the posterior's own statistics; then the pairs' sums, and room for a score */
} pairing;

/* Sums of a pair, before b. */
enum { U, SQUARES, SPREAD, VARIANCE, SUMS };

static size_t pair_of(size_t c, size_t d)
{
    return c * (c - 1) / 2 + d; /* c > d */
}

/* Where a pair's sums begin, among the pass's own. */
static size_t sums_at(const pairing *g, size_t pair)
{
    return g->head + pair * (SUMS + g->n);
}

/* The row's score for the coordinates of a predictor that answered. */
static void own_score(double *s, const pairing *g, size_t column, const double *r)
{
    const scant_i_mixture *m = g->mixture;
    size_t l = m->nclasses, c = column / l, x = column % l;
    s += c * g->own;
    if (scant_i_audit_is_symmetric(m)) {
        s[0] = r[x] - scant_i_audit_table(m, c, 0)[0];
        return;
    }
    for (size_t j = 0; j < l; j++, s += l - 1) {
        const double *p = scant_i_audit_table(m, c, j);
        for (size_t a = 0; a + 1 < l; a++)
            s[a] = r[j] * ((a == x ? 1 : 0) - p[a]);
    }
}

static void row_score(double *s, const pairing *g, const int32_t *column, size_t n, const double *r)
{
    const scant_i_mixture *m = g->mixture;
    size_t prior = g->own * m->factor[0]->ncolumns;
    for (size_t e = 0; e < n; e++)
        own_score(s, g, (size_t)column[e], r);
    for (size_t j = 0; prior + j < g->n; j++)
        s[prior + j] = r[j] - scant_i_audit_share(m, j);
}

static void add_times(double *b, const double *s, double t, size_t n)
{
    for (size_t x = 0; x < n; x++)
        b[x] += t * s[x];
}

/* b += t s; s is what it should be only where the row has answers. */
static void add_score(double *b, const pairing *g, const int32_t *column, size_t n, const double *s,
                      double t)
{
    size_t l = g->mixture->nclasses, prior = g->own * g->mixture->factor[0]->ncolumns;
    for (size_t e = 0; e < n; e++) {
        size_t first = (size_t)column[e] / l * g->own;
        add_times(b + first, s + first, t, g->own);
    }
    add_times(b + prior, s + prior, t, g->n - prior);
}

/* One pair's part of a row, whose r adds up to 1; returns w t. */
static double add_pair(double *sums, const pairing *g, size_t e, size_t f, const double *r,
                       double w)
{
    const scant_i_mixture *m = g->mixture;
    size_t l = m->nclasses;
    double t = 0, spread = 0, variance = 0;
    for (size_t j = 0; j < l; j++) {
        double p = scant_i_audit_table(m, e / l, j)[j], q = scant_i_audit_table(m, f / l, j)[j];
        t += r[j] * ((e % l == j ? 1 : 0) - p) * ((f % l == j ? 1 : 0) - q);
        spread += r[j] * sqrt(p * (1 - p) * q * (1 - q));
        variance += r[j] * p * (1 - p) * q * (1 - q);
    }
    sums[U] += w * t;
    sums[SQUARES] += w * t * t;
    sums[SPREAD] += w * spread;
    sums[VARIANCE] += w * variance;
    return w * t;
}

static void add_row(const pairing *g, const int32_t *column, size_t n, const double *r, double w,
                    bool with_score, double *own)
{
    size_t l = g->mixture->nclasses;
    double *score = own + sums_at(g, g->npairs);
    if (with_score)
        row_score(score, g, column, n, r);
    for (size_t e = 1; e < n; e++) {
        size_t c = g->paired[(size_t)column[e] / l];
        for (size_t f = 0; c != NOT_PAIRED && f < e; f++) {
            size_t d = g->paired[(size_t)column[f] / l];
            if (d == NOT_PAIRED)
                continue;
            double *sums = own + sums_at(g, pair_of(c, d));
            double t = add_pair(sums, g, (size_t)column[e], (size_t)column[f], r, w);
            if (with_score)
                add_score(sums + SUMS, g, column, n, score, t * (double)g->every);
        }
    }
}

static scant_status gather(const scant_i_block *block, double *L, double *own, double *room,
                           void *payload)
{
    const pairing *g = payload;
    size_t l = g->mixture->nclasses;
    scant_status status = scant_i_posterior_block(g->posterior, block, L, own, NULL, room);
    for (size_t i = 0; status == SCANT_OK && i < block->nrows; i++) {
        size_t n, row = scant_i_block_row(block, i);
        const int32_t *column =
            scant_i_batch_votes(block->batch, scant_i_block_place(block, i), &n);
        double *r = L + i * g->mixture->stride;
        double w = scant_i_block_weight(g->posterior->evidence, block, i);
        for (size_t j = 0; j < l && w > 0; j++)
            r[j] /= w;
        if (w > 0)
            add_row(g, column, n, r, w, g->n && row % g->every == 0, own);
    }
    return status;
}

/* Takes the predictors with the most answers, in their order. */
static scant_status choose(pairing *g, const scant_i_audit_task *task)
{
    const scant_votes *votes = task->votes;
    size_t k = votes->npredictors, l = votes->nclasses, *answers = NULL, least = 1;
    scant_i_survey survey = {0};
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&g->paired, k));
    SCANT_I_TRY(SCANT_I_NEW(&answers, k));
    SCANT_I_TRY(
        scant_i_survey_new(&survey, votes->rows, NULL, SCANT_I_LISTS, task->options->threads));
    for (size_t t = 0; t < k * l; t++)
        answers[t / l] += (size_t)survey.listed[t];
    do { /* the fewest answers that leave few enough predictors */
        g->npaired = 0;
        for (size_t c = 0; c < k; c++)
            g->paired[c] = answers[c] >= least ? g->npaired++ : NOT_PAIRED;
        least = least + least / 8 + 1;
    } while (g->npaired > PAIRED_MOST);
    g->npairs = g->npaired * (g->npaired - (g->npaired > 0)) / 2;
done:
    scant_i_survey_clear(&survey);
    scant_i_free(answers);
    return status;
}

/* b' C b */
static double explained(const double *b, const double *C, size_t n)
{
    double sum = 0;
    for (size_t x = 0; x < n; x++) {
        double dot = 0;
        for (size_t y = 0; b[x] != 0 && y < n; y++)
            dot += C[x * n + y] * b[y];
        sum += b[x] * dot;
    }
    return sum;
}

typedef struct finding {
    double z, rho;
    bool tested;
} finding;

static finding judge_pair(const double *sums, const pairing *g, const double *covariance)
{
    finding f = {0};
    double variance = sums[SQUARES];
    if (!(sums[VARIANCE] >= INFORMATION_LEAST))
        return f;
    if (g->n)
        variance -= explained(sums + SUMS, covariance, g->n);
    f.tested = variance > VARIANCE_LEAST * sums[SQUARES];
    f.z = f.tested ? sums[U] / sqrt(variance) : 0;
    f.rho = sums[U] / sums[SPREAD];
    return f;
}

static double two_sided(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

/* Position of a pair back to predictors. */
static void name_pair(scant_dependence *out, const pairing *g, size_t c, size_t d)
{
    for (size_t t = 0; t < g->mixture->factor[0]->ncolumns; t++) {
        out->first = g->paired[t] == d ? t : out->first;
        out->second = g->paired[t] == c ? t : out->second;
    }
}

static scant_status judge(scant_dependence *out, const pairing *g, const double *own,
                          const double *covariance)
{
    finding *found = NULL;
    scant_status status = SCANT_I_NEW(&found, g->npairs + 1);
    if (status != SCANT_OK)
        return status;
    for (size_t c = 1; c < g->npaired; c++)
        for (size_t d = 0; d < c; d++) {
            finding *f = &found[pair_of(c, d)];
            *f = judge_pair(own + sums_at(g, pair_of(c, d)), g, covariance);
            out->pairs += f->tested;
            if (f->tested && (out->pairs == 1 || fabs(f->z) > fabs(out->z))) {
                out->z = f->z;
                out->correlation = f->rho;
                name_pair(out, g, c, d);
            }
        }
    for (size_t t = 0; t < g->npairs; t++)
        if (found[t].tested && two_sided(found[t].z) * (double)out->pairs < LEVEL) {
            out->rejected++;
            out->largest = fmax(out->largest, fabs(found[t].rho));
        }
    out->p = out->pairs ? fmin(1, two_sided(out->z) * (double)out->pairs) : NAN;
    bool badly = out->p < BADLY && out->largest >= LARGE;
    out->verdict = !out->pairs      ? SCANT_VERDICT_UNTESTED
                   : !out->rejected ? SCANT_VERDICT_HOLDS
                   : badly          ? SCANT_VERDICT_FAILS
                                    : SCANT_VERDICT_DOUBTFUL;
    scant_i_free(found);
    return SCANT_OK;
}

scant_status scant_i_audit_depend(scant_dependence *out, scant_i_mixture *mixture,
                                  const scant_i_audit_task *task,
                                  const scant_i_audit_information *information,
                                  const double *covariance)
{
    scant_status status = SCANT_OK;
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    pairing g = {.mixture = mixture, .posterior = &problem.posterior};
    scant_i_pass_plan plan = {gather, &g, true, false};
    size_t k = task->votes->npredictors;
    *out = (scant_dependence){
        .p = NAN, .z = NAN, .correlation = NAN, .possible = k * (k - (k > 0)) / 2};
    SCANT_I_TRY(choose(&g, task));
    if (covariance && information->whole && g.npairs * information->n <= CORRECTED_MOST)
        g.n = information->n;
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, task->votes));
    g.head = scant_i_posterior_length(mixture, &evidence);
    g.own = scant_i_audit_first(mixture, 1);
    g.every = 1 + task->votes->rows->nrows / SCORED_ROWS;
    SCANT_I_TRY(scant_i_problem_new(&problem, task->votes->rows, &evidence, mixture,
                                    sums_at(&g, g.npairs) + g.n - g.head, task->options->threads));
    problem.cancel = task->cancel;
    SCANT_I_TRY(scant_i_problem_run(&problem, mixture, &plan));
    SCANT_I_TRY(judge(out, &g, scant_i_problem_own(&problem), covariance));
done:
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
    scant_i_free(g.paired);
    return status;
}
