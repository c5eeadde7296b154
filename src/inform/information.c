#include "inform/information.h"

#include <math.h>
#include <string.h>

#include "inform/vanishing.h"
#include "inform/moments.h"
#include "latent/problem.h"
#include "math/linear.h"

enum { MANY_ROWS = 1 << 16 }; /* a pass over fewer takes no time to speak of */

/* --- rows of the posterior kind as labelled copies --- */

typedef struct copies {
    scant_rows *rows;
    scant_i_evidence evidence; /* borrows v and kind */
    int32_t *code;
    double *weight;
    size_t *index;
} copies;

static void copies_clear(copies *c)
{
    scant_rows_free(c->rows);
    scant_i_free(c->code);
    scant_i_free(c->weight);
    scant_i_free(c->index);
}

static bool is_copied(const scant_i_evidence *evidence, size_t row)
{
    return evidence->kind[scant_i_evidence_entry(evidence, row)] == SCANT_I_POSTERIOR;
}

/* Of row i, in place n on; returns how many. */
static size_t copy_row(copies *c, const scant_i_evidence *evidence, size_t i, size_t n)
{
    double w = evidence->weight ? evidence->weight[i] : 1;
    const double *v = evidence->v + scant_i_evidence_entry(evidence, i) * evidence->nclasses;
    bool copied = is_copied(evidence, i);
    size_t count = 0;
    for (size_t k = 0; k < (copied ? evidence->nclasses : 1); k++) {
        if (copied && !(v[k] > 0))
            continue;
        c->index[n + count] = i;
        c->code[n + count] = copied ? (int32_t)k : evidence->code ? evidence->code[i] : -1;
        c->weight[n + count++] = copied ? w * v[k] : w;
    }
    return count;
}

/* Points rows and evidence to copies, where there are rows of that kind. */
static scant_status copies_new(copies *c, const scant_rows **rows,
                               const scant_i_evidence **evidence)
{
    scant_status status = SCANT_OK;
    size_t copied = 0, n = 0, nrows = (*rows)->nrows;
    size_t telling = scant_i_evidence_informative_rows(*evidence, nrows);
    for (size_t i = 0; i < telling; i++)
        copied += is_copied(*evidence, i) ? (telling < nrows ? nrows : 1) : 0;
    if (copied == 0)
        return SCANT_OK;
    size_t most = nrows - copied + copied * (*evidence)->nclasses;
    SCANT_I_TRY(SCANT_I_NEW(&c->code, most));
    SCANT_I_TRY(SCANT_I_NEW(&c->weight, most));
    SCANT_I_TRY(SCANT_I_NEW(&c->index, most));
    for (size_t i = 0; i < nrows; i++)
        n += copy_row(c, *evidence, i, n);
    SCANT_I_TRY(scant_rows_subset(&c->rows, *rows, c->index, n));
    c->rows->carrier = (*rows)->carrier;
    c->evidence = **evidence;
    c->evidence.code = c->code;
    c->evidence.weight = c->weight;
    *rows = c->rows;
    *evidence = &c->evidence;
done:
    return status;
}

/* --- the pass --- */

typedef struct inquiry {
    scant_i_moments moments;
    scant_i_problem problem;
    size_t n;                     /* coordinates */
    size_t H, sums, direct, size; /* where they start among the statistics; how many in all */
    bool missing;                 /* cells are */
} inquiry;

static bool is_whole(const scant_i_block *block)
{
    for (size_t c = 0; block->present && c < block->batch->ncolumns; c++)
        if (!block->present[c])
            return false;
    return true;
}

static scant_status visit(const scant_i_block *block, double *L, double *own, double *room,
                          void *payload)
{
    const inquiry *q = payload;
    const scant_i_moments *t = &q->moments;
    double *sums = NULL, *complete = own + q->direct, *missing = complete + q->n * q->n;
    scant_status status = scant_i_posterior_block(&t->posterior, block, L, own, NULL, room);
    if (status != SCANT_OK || is_whole(block))
        return status != SCANT_OK ? status
                                  : scant_i_moments_add(t, block, L, own + q->sums, own + q->H);
    SCANT_I_TRY(SCANT_I_NEW(&sums, t->size));
    SCANT_I_TRY(scant_i_moments_add(t, block, L, sums, own + q->H));
    SCANT_I_TRY(scant_i_moments_fold(t, sums, block->present, own + q->H, complete, missing));
done:
    scant_i_free(sums);
    return status;
}

static void lay_out(inquiry *q)
{
    const scant_i_moments *t = &q->moments;
    q->H = scant_i_round_up(scant_i_posterior_nstatistics(&t->posterior), SCANT_I_LANES);
    q->sums = q->H + scant_i_round_up(t->shared, SCANT_I_LANES);
    q->direct = q->sums + scant_i_round_up(t->size, SCANT_I_LANES);
    q->size = q->direct + (q->missing ? 2 * q->n * q->n : 0);
}

/* What to sum up and where. */
static scant_status begin(inquiry *q, const scant_i_chart *chart, const scant_i_mixture *mixture,
                          const scant_rows *rows, const scant_i_evidence *evidence, bool single,
                          size_t threads)
{
    scant_status status = SCANT_OK;
    q->n = chart->n;
    SCANT_I_TRY(scant_i_moments_new(&q->moments, chart, mixture, evidence, single));
    SCANT_I_TRY(scant_i_moments_lay_out(&q->moments));
    lay_out(q);
    size_t head = scant_i_posterior_nstatistics(&q->moments.posterior);
    SCANT_I_TRY(scant_i_problem_new(&q->problem, rows, evidence, q->moments.mixture, q->size - head,
                                    threads));
done:
    return status;
}

static void inquiry_clear(inquiry *q)
{
    scant_i_problem_clear(&q->problem);
    scant_i_moments_clear(&q->moments);
    *q = (inquiry){0};
}

static scant_status run(inquiry *q, const scant_i_chart *chart, const scant_i_mixture *mixture,
                        const scant_rows *rows, const scant_i_evidence *evidence, bool single,
                        size_t threads)
{
    scant_status status = SCANT_OK;
    /* bounds of rounding are for whole rows only */
    SCANT_I_TRY(begin(q, chart, mixture, rows, evidence, single && !q->missing, threads));
    scant_i_pass_plan plan = {visit, q, true, false};
    SCANT_I_TRY(scant_i_problem_run(&q->problem, q->moments.mixture, &plan));
done:
    return status;
}

/* --- the coupling's own block --- */

/* out (rows n apart) += weight u u' */
static void add_outer(double *out, size_t n, const double *u, size_t q, double weight)
{
    for (size_t a = 0; a < q && weight != 0; a++)
        for (size_t b = 0; b < q; b++)
            out[a * n + b] += weight * u[a] * u[b];
}

/* EM2 completes class and component of every row: with u = d log P_k + d log pi_jk,
 *   complete = w sum_k P_k (d log P_k)(d log P_k)' + sum_jk N_k pi_jk (d log pi_jk)(d log pi_jk)'
 *   missing  = sum_jk N_jk u u' - H
 * w and N_jk of rows that bring their own proportions enter without P. */
static void couple(scant_i_information *out, const inquiry *q, const double *N,
                   const double *shared, double *room)
{
    const scant_i_moments *t = &q->moments;
    const scant_i_mixture *m = t->mixture;
    size_t n = q->n, table = t->K * t->stride;
    double *H = room + 2 * t->q, speaking = scant_i_sum(N, 2 * table);
    scant_i_moments_coupling(t, shared, scant_i_problem_own(&q->problem), H);
    for (size_t k = 0; k < t->K; k++) {
        double of_class = 0, P = scant_i_sum(m->coupling.W + k * t->stride, t->M);
        for (size_t part = 0; part < SCANT_I_COUNTS; part++)
            of_class += scant_i_sum(N + part * table + k * t->stride, t->M);
        for (size_t j = 0; j < t->M; j++) {
            size_t at = k * t->stride + j;
            const double *u = scant_i_moments_slope(t, false, k, j);
            const double *of_pi = scant_i_moments_slope(t, true, k, j);
            if (!(m->coupling.W[at] > 0))
                continue;
            for (size_t a = 0; a < t->q; a++)
                room[a] = u[a] - of_pi[a]; /* d log P_k */
            add_outer(out->complete, n, room, t->q, speaking * m->coupling.W[at]);
            add_outer(out->complete, n, of_pi, t->q, of_class * m->coupling.W[at] / P);
            add_outer(out->missing, n, u, t->q,
                      N[SCANT_I_INFORMATIVE * table + at] + N[SCANT_I_UNINFORMATIVE * table + at]);
            add_outer(out->missing, n, of_pi, t->q, N[SCANT_I_OWN_PRIOR * table + at]);
        }
    }
    for (size_t a = 0; a < t->q; a++)
        for (size_t b = 0; b < t->q; b++)
            out->missing[a * n + b] -= H[a * t->hlanes + b];
}

/* EM1 completes the component of every row, and the class of those whose evidence tells classes
 * apart (E_j in weight): with W = A_j B_jk, d log A_j = sum_k B_jk u_jk =: a_j,
 *   w sum_j A_j a_j a_j' + sum_jk E_j B_jk (u_jk - a_j)(u_jk - a_j)' */
static void couple_component_major(scant_i_information *out, const inquiry *q, const double *N,
                                   double *room)
{
    const scant_i_moments *t = &q->moments;
    const double *W = t->mixture->coupling.W;
    size_t table = t->K * t->stride;
    double total = scant_i_sum(N, SCANT_I_COUNTS * table), *a = room, *b = room + t->q;
    for (size_t j = 0; j < t->M; j++) {
        double A = 0, E = 0;
        memset(a, 0, t->q * sizeof *a);
        for (size_t k = 0; k < t->K; k++) {
            A += W[k * t->stride + j];
            E += N[SCANT_I_INFORMATIVE * table + k * t->stride + j];
        }
        for (size_t k = 0; k < t->K && A > 0; k++)
            for (size_t c = 0; c < t->q; c++)
                a[c] += W[k * t->stride + j] / A * scant_i_moments_slope(t, false, k, j)[c];
        add_outer(out->component_major, t->q, a, t->q, total * A);
        for (size_t k = 0; k < t->K && A > 0; k++) {
            for (size_t c = 0; c < t->q; c++)
                b[c] = scant_i_moments_slope(t, false, k, j)[c] - a[c];
            add_outer(out->component_major, t->q, b, t->q, E * W[k * t->stride + j] / A);
        }
    }
}

/* Entries of W that are no parameters but not 0 yet: what a step leaves of them. Counts of those
 * below GONE have lost their digits. */
static const double GONE = 1e-150;
static void watch_vanishing(scant_i_information *out, const inquiry *q, const double *N)
{
    const scant_i_moments *t = &q->moments;
    size_t table = t->K * t->stride;
    for (size_t k = 0; k < t->K; k++)
        for (size_t j = 0; j < t->M; j++) {
            size_t at = k * t->stride + j;
            double W = t->mixture->coupling.W[at], A = 0, telling = 0;
            if (!(W > GONE) || t->chart->open[k * t->M + j])
                continue;
            for (size_t c = 0; c < t->K; c++) {
                A += t->mixture->coupling.W[c * t->stride + j];
                telling += N[SCANT_I_INFORMATIVE * table + c * t->stride + j];
            }
            out->vanishing[0] =
                fmax(out->vanishing[0], scant_i_vanishing_factor(t->mixture, N, k, j));
            if (telling > 0)
                out->vanishing[1] = fmax(out->vanishing[1],
                                         N[SCANT_I_INFORMATIVE * table + at] / telling / (W / A));
        }
}

/* --- all of it --- */

static scant_status collect(scant_i_information *out, const inquiry *q)
{
    scant_status status = SCANT_OK;
    size_t n = q->n, table = q->moments.K * q->moments.stride;
    const double *own = scant_i_problem_own(&q->problem);
    double *N = NULL, *shared = NULL, *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&N, SCANT_I_COUNTS * table));
    SCANT_I_TRY(SCANT_I_NEW(&shared, q->moments.shared));
    SCANT_I_TRY(SCANT_I_NEW(&room, q->moments.q * (2 + q->moments.hlanes)));
    SCANT_I_TRY(SCANT_I_NEW(&out->complete, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&out->missing, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&out->observed, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&out->component_major, q->moments.q * q->moments.q));
    if (q->missing) {
        memcpy(out->complete, own + q->direct, n * n * sizeof *own);
        memcpy(out->missing, own + q->direct + n * n, n * n * sizeof *own);
    }
    memcpy(shared, own + q->H, q->moments.shared * sizeof *shared);
    SCANT_I_TRY(scant_i_moments_fold(&q->moments, own + q->sums, NULL, shared, out->complete,
                                     out->missing));
    scant_i_posterior_counts(&q->moments.posterior, own, N);
    couple(out, q, N, shared, room);
    couple_component_major(out, q, N, room);
    watch_vanishing(out, q, N);
    for (size_t t = 0; t < n * n; t++)
        out->observed[t] = out->complete[t] - out->missing[t];
    if (q->moments.single)
        SCANT_I_TRY(scant_i_rounding_new(&out->rounding, &q->moments, own + q->sums));
done:
    scant_i_free(N);
    scant_i_free(shared);
    scant_i_free(room);
    return status;
}

scant_status scant_i_chart_of(scant_i_chart *out, const scant_i_mixture *mixture,
                              const scant_i_evidence *evidence, const scant_i_survey *survey)
{
    size_t K = mixture->nclasses;
    bool *brought = NULL, spoken = false;
    scant_status status = SCANT_I_NEW(&brought, K);
    for (size_t e = 0; e < evidence->nentries && status == SCANT_OK; e++) {
        if (!(survey->weight[e] > 0))
            continue;
        spoken |= evidence->kind[e] != SCANT_I_PRIOR;
        for (size_t k = 0; k < K && evidence->kind[e] == SCANT_I_PRIOR; k++)
            brought[k] |= evidence->v[e * K + k] > 0;
    }
    if (status == SCANT_OK)
        status = scant_i_chart_new(out, mixture, !mixture->coupling.prior && spoken, brought);
    scant_i_free(brought);
    return status;
}

/* Are weights such that pairs of single precision have room for them? */
static bool are_moderate(const scant_i_evidence *evidence, size_t nrows)
{
    static const double LEAST = 1e-6, MOST = 1e6;
    if (!evidence->weight && evidence->unlabelled_weight == 1)
        return true;
    for (size_t i = 0; i < nrows; i++) {
        double w = scant_i_evidence_weight(evidence, i);
        if (w != 0 && !(w >= LEAST && w <= MOST))
            return false;
    }
    return true;
}

static scant_status find(scant_i_information *out, const scant_i_mixture *mixture,
                         const scant_rows *rows, const scant_i_evidence *evidence, bool single,
                         size_t threads)
{
    scant_status status = SCANT_OK;
    copies c = {0};
    inquiry q = {0};
    scant_i_survey survey = {0};
    double *point = NULL;
    *out = (scant_i_information){0};
    if (mixture->coupling.R)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "sharing by lambda maximises a pseudo-likelihood, which has no "
                            "information in the sense of standard errors");
    SCANT_I_TRY(scant_i_survey_new(&survey, rows, evidence, SCANT_I_NO_CELLS, threads));
    SCANT_I_TRY(scant_i_chart_of(&out->chart, mixture, evidence, &survey));
    if (out->chart.n > SCANT_I_COORDINATES_MAX) {
        status = scant_i_fail(SCANT_ERR_ARGUMENT,
                              "the information of %zu parameters is more than is worked out (%d)",
                              out->chart.n, SCANT_I_COORDINATES_MAX);
        goto done;
    }
    SCANT_I_TRY(SCANT_I_NEW(&point, out->chart.n));
    SCANT_I_TRY(scant_i_chart_get(&out->chart, mixture, point));
    SCANT_I_TRY(copies_new(&c, &rows, &evidence));
    q.missing = survey.missing;
    single = single && rows->nrows >= MANY_ROWS && are_moderate(evidence, rows->nrows);
    SCANT_I_TRY(run(&q, &out->chart, mixture, rows, evidence, single, threads));
    status = collect(out, &q);
done:
    inquiry_clear(&q);
    copies_clear(&c);
    scant_i_survey_clear(&survey);
    scant_i_free(point);
    if (status != SCANT_OK)
        scant_i_information_clear(out);
    return status;
}

scant_status scant_i_information_new(scant_i_information *out, const scant_i_mixture *mixture,
                                     const scant_rows *rows, const scant_i_evidence *evidence,
                                     size_t threads)
{
    return find(out, mixture, rows, evidence, false, threads);
}

scant_status scant_i_information_quick(scant_i_information *out, const scant_i_mixture *mixture,
                                       const scant_rows *rows, const scant_i_evidence *evidence,
                                       size_t threads)
{
    return find(out, mixture, rows, evidence, true, threads);
}

void scant_i_information_clear(scant_i_information *information)
{
    scant_i_chart_clear(&information->chart);
    scant_i_rounding_clear(&information->rounding);
    scant_i_free(information->complete);
    scant_i_free(information->missing);
    scant_i_free(information->observed);
    scant_i_free(information->component_major);
    *information = (scant_i_information){0};
}
