#include "inform/scores.h"

#include <math.h>
#include <string.h>

#include "inform/moments.h"
#include "latent/problem.h"
#include "math/linear.h"

typedef struct inquiry {
    scant_i_moments moments;
    size_t n, wide;      /* coordinates; rounded up */
    size_t natural_wide; /* entries of eta of a component, rounded up */
    double *scores;      /* nrows x n; or NULL: */
    size_t products;     /* where n x wide products start among the statistics */
} inquiry;

/* A block on its way. */
typedef struct work {
    double *density; /* nrows x stride: log densities */
    double *loglik;  /* nrows */
    double *phi;     /* m x ld */
    double *A;       /* M x natural x m */
    size_t *at;      /* M x natural */
    double *C;       /* m x natural_wide: A of one component, turned */
    double *own;     /* nrows x natural_wide: its scores */
    double *s;       /* nrows x wide: w s_i */
    double *turned;  /* n x ld: w s_i / w */
    double *U, *room;
    size_t ld;
} work;

static scant_status work_new(work *k, const inquiry *q, size_t nrows)
{
    scant_status status = SCANT_OK;
    const scant_i_moments *t = &q->moments;
    k->ld = scant_i_round_up(nrows, SCANT_I_LANES);
    SCANT_I_TRY(SCANT_I_NEW(&k->density, nrows * t->stride));
    SCANT_I_TRY(SCANT_I_NEW(&k->loglik, nrows));
    SCANT_I_TRY(SCANT_I_NEW(&k->phi, t->m * k->ld));
    SCANT_I_TRY(SCANT_I_NEW(&k->A, t->M * t->natural * t->m));
    SCANT_I_TRY(SCANT_I_NEW(&k->at, t->M * t->natural));
    SCANT_I_TRY(SCANT_I_NEW(&k->C, t->m * q->natural_wide));
    SCANT_I_TRY(SCANT_I_NEW(&k->own, nrows * q->natural_wide));
    SCANT_I_TRY(SCANT_I_NEW(&k->s, nrows * q->wide));
    SCANT_I_TRY(SCANT_I_NEW(&k->turned, q->scores ? 0 : q->n * k->ld));
    SCANT_I_TRY(SCANT_I_NEW(&k->U, t->q * t->stride));
    SCANT_I_TRY(SCANT_I_NEW(&k->room, scant_i_max(t->room, t->stride)));
done:
    return status;
}

static void work_clear(work *k)
{
    void *all[] = {k->density, k->loglik, k->phi,    k->A, k->at,  k->C,
                   k->own,     k->s,      k->turned, k->U, k->room};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        scant_i_free(all[i]);
}

/* The coupling's part of a row whose evidence leaves it to posteriors r: sum_j w r_j U_e[j]. */
static void add_coupling(const inquiry *q, const double *U, const double *wr, double *s)
{
    const scant_i_moments *t = &q->moments;
    for (size_t c = 0; c < t->q; c++)
        for (size_t j = 0; j < t->M; j++)
            s[c] += wr[j] * U[c * t->stride + j];
}

/* The same of a row of the posterior kind: sum_k w v_k sum_j r_j|k u_jk, r_j|k from densities F. */
static void add_copies(const inquiry *q, size_t e, double w, const double *F, double *r, double *s)
{
    const scant_i_moments *t = &q->moments;
    const double *v = q->moments.posterior.evidence->v + e * t->K;
    for (size_t k = 0; k < t->K; k++) {
        const double *log_pi = t->posterior.log_pi + k * t->stride;
        double top = -INFINITY, sum = 0;
        for (size_t j = 0; j < t->M; j++)
            top = fmax(top, log_pi[j] + F[j]);
        for (size_t j = 0; j < t->M; j++)
            sum += r[j] = isfinite(top) ? exp(log_pi[j] + F[j] - top) : 0;
        for (size_t j = 0; j < t->M && v[k] > 0 && sum > 0; j++)
            for (size_t c = 0; c < t->q && r[j] > 0; c++)
                s[c] += w * v[k] * r[j] / sum * scant_i_moments_slope(t, false, k, j)[c];
    }
}

static void couple(const inquiry *q, const scant_i_block *block, const double *L, const work *k)
{
    const scant_i_moments *t = &q->moments;
    const scant_i_evidence *evidence = q->moments.posterior.evidence;
    for (size_t i = 0; i < block->nrows && t->q; i++) {
        size_t e = scant_i_block_entry(evidence, block, i);
        double *s = k->s + i * q->wide;
        if (evidence->kind[e] == SCANT_I_POSTERIOR)
            add_copies(q, e, scant_i_block_weight(evidence, block, i), k->density + i * t->stride,
                       k->room, s);
        else
            add_coupling(q, scant_i_moments_U(t, e, k->U), L + i * t->stride, s);
    }
}

/* The part of component j: w r_ij A_j phi_i. */
static void add_component(const inquiry *q, size_t j, size_t nrows, const double *L, const work *k)
{
    const scant_i_moments *t = &q->moments;
    const size_t *at = k->at + j * t->natural;
    for (size_t a = 0; a < t->natural; a++)
        for (size_t e = 0; e < t->m; e++)
            k->C[e * q->natural_wide + a] = k->A[(j * t->natural + a) * t->m + e];
    memset(k->own, 0, nrows * q->natural_wide * sizeof *k->own);
    scant_i_product(k->own, k->phi, k->ld, k->C, nrows, t->m, q->natural_wide);
    for (size_t i = 0; i < nrows; i++)
        for (size_t a = 0; a < t->natural; a++)
            if (at[a] != SCANT_I_NOWHERE)
                k->s[i * q->wide + at[a]] += L[i * t->stride + j] * k->own[i * q->natural_wide + a];
}

/* Scores as they are, or their products. */
static void put(const inquiry *q, const scant_i_block *block, const work *k, double *own)
{
    const scant_i_evidence *evidence = q->moments.posterior.evidence;
    for (size_t i = 0; i < block->nrows; i++) {
        size_t row = scant_i_block_row(block, i);
        double w = q->scores              ? scant_i_block_weight(evidence, block, i)
                   : block->batch->weight ? block->batch->weight[scant_i_block_place(block, i)]
                                          : 1;
        for (size_t a = 0; a < q->n; a++) {
            double s = w > 0 ? k->s[i * q->wide + a] / w : 0;
            if (q->scores)
                q->scores[row * q->n + a] = s;
            else
                k->turned[a * k->ld + i] = s;
        }
    }
    if (!q->scores)
        scant_i_product_transposed(own + q->products, k->turned, k->ld, k->s, block->nrows, q->n,
                                   q->wide);
}

static scant_status visit(const scant_i_block *block, double *L, double *own, double *room,
                          void *payload)
{
    const inquiry *q = payload;
    const scant_i_moments *t = &q->moments;
    scant_status status = SCANT_OK;
    work k = {0};
    SCANT_I_TRY(work_new(&k, q, block->nrows));
    memcpy(k.density, L, block->nrows * t->stride * sizeof *L);
    SCANT_I_TRY(scant_i_posterior_block(&t->posterior, block, L, own, k.loglik, room));
    SCANT_I_TRY(scant_i_moments_maps(t, block->present, k.A, k.at));
    scant_i_moments_features(t, block, k.phi, k.ld, k.room);
    couple(q, block, L, &k);
    for (size_t j = 0; j < t->M; j++)
        if (t->chart->used[j])
            add_component(q, j, block->nrows, L, &k);
    put(q, block, &k, own);
done:
    work_clear(&k);
    return status;
}

static scant_status run(inquiry *q, scant_i_problem *problem, const scant_i_chart *chart,
                        const scant_i_mixture *mixture, const scant_rows *rows,
                        const scant_i_evidence *evidence, size_t threads)
{
    scant_status status = SCANT_OK;
    q->n = chart->n;
    q->wide = scant_i_round_up(chart->n, SCANT_I_LANES);
    SCANT_I_TRY(scant_i_moments_new(&q->moments, chart, mixture, evidence, false));
    q->natural_wide = scant_i_round_up(q->moments.natural, SCANT_I_LANES);
    q->products =
        scant_i_round_up(scant_i_posterior_nstatistics(&q->moments.posterior), SCANT_I_LANES);
    size_t head = scant_i_posterior_nstatistics(&q->moments.posterior);
    SCANT_I_TRY(scant_i_problem_new(problem, rows, evidence, q->moments.mixture,
                                    q->products - head + (q->scores ? 0 : q->n * q->wide),
                                    threads));
    scant_i_pass_plan plan = {visit, q, true, false};
    SCANT_I_TRY(scant_i_problem_run(problem, q->moments.mixture, &plan));
done:
    return status;
}

scant_status scant_i_scores(double *scores, const scant_i_chart *chart,
                            const scant_i_mixture *mixture, const scant_rows *rows,
                            const scant_i_evidence *evidence, size_t threads)
{
    inquiry q = {.scores = scores};
    scant_i_problem problem = {0};
    scant_i_evidence alike = *evidence; /* each row is one row */
    alike.weight = NULL;
    alike.unlabelled_weight = 1;
    scant_status status = run(&q, &problem, chart, mixture, rows, &alike, threads);
    scant_i_problem_clear(&problem);
    scant_i_moments_clear(&q.moments);
    return status;
}

scant_status scant_i_score_products(double *products, const scant_i_chart *chart,
                                    const scant_i_mixture *mixture, const scant_rows *rows,
                                    const scant_i_evidence *evidence, size_t threads)
{
    inquiry q = {0};
    scant_i_problem problem = {0};
    scant_status status = run(&q, &problem, chart, mixture, rows, evidence, threads);
    for (size_t a = 0; a < q.n && status == SCANT_OK; a++)
        memcpy(products + a * q.n, scant_i_problem_own(&problem) + q.products + a * q.wide,
               q.n * sizeof *products);
    scant_i_problem_clear(&problem);
    scant_i_moments_clear(&q.moments);
    return status;
}
