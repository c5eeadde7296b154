/* Information about confusion tables.
 *
 * Given the class y of a row, the score of a coordinate is linear in the answers' indicators e:
 *   confusion  [y = j] (e_ca - p_cja)        for the predictors that answered
 *   symmetric  [x_c = y] - theta_c
 *   prior      [y = j] - P_j
 * so the missing information sum_i w_i Cov(score | row) = A Q A' with
 *   Q[(e, j), (e', j')] = sum over rows that have both answers e and e' of w (r_j [j = j'] - r_j r_j')
 * where the prior's part is an answer that every row has. One pass sums Q: a row of m answers costs
 * m^2 l^2 / 2, whatever the number of predictors. Complete information is that of multinomials, with
 * N_cj expected answers of class j: N_cj (diag p - p p'). Observed = complete - missing. */
#include "audit/audit.h"

#include <math.h>
#include <string.h>

#include "family/votes.h"
#include "math/linear.h"

bool scant_i_audit_is_symmetric(const scant_i_mixture *m)
{
    return m->factor[0]->family == &scant_i_symmetric;
}

/* Coordinates of one predictor. */
static size_t own_count(const scant_i_mixture *m)
{
    return scant_i_audit_is_symmetric(m) ? 1 : m->nclasses * (m->nclasses - 1);
}

size_t scant_i_audit_first(const scant_i_mixture *m, size_t predictor)
{
    return predictor * own_count(m);
}

static size_t prior_count(const scant_i_mixture *m)
{
    return m->coupling.prior ? 0 : m->nclasses - 1;
}

size_t scant_i_audit_count(const scant_i_mixture *m)
{
    return scant_i_audit_first(m, m->factor[0]->ncolumns) + prior_count(m);
}

void scant_i_audit_information_clear(scant_i_audit_information *information)
{
    scant_i_free(information->observed);
    scant_i_free(information->pseudo);
    scant_i_free(information->gradient);
    scant_i_free(information->answers);
    scant_i_free(information->right);
    scant_i_free(information->S);
    scant_i_free(information->N);
    *information = (scant_i_audit_information){0};
}

/* --- the pass --- */

typedef struct gathering {
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
    bool whole;
    size_t entries; /* answers of all predictors, and the one that every row has */
    size_t head;    /* the posterior's own statistics, before Q */
} gathering;

static size_t size_of_q(const gathering *g)
{
    size_t l = g->mixture->nclasses, pairs = g->whole ? g->entries * g->entries : g->entries;
    return pairs * l * l;
}

/* Where Q of the answers e >= f is. */
static size_t place(const gathering *g, size_t e, size_t f)
{
    size_t l = g->mixture->nclasses;
    return (g->whole ? e * g->entries + f : e) * l * l;
}

/* q += diag(r) - r r' / w; r carries its weight w */
static void add_covariance(double *q, const double *r, double w, size_t l)
{
    for (size_t j = 0; j < l; j++) {
        double share = r[j] / w;
        for (size_t h = 0; h < l; h++)
            q[j * l + h] -= share * r[h];
        q[j * l + j] += r[j];
    }
}

static scant_status gather(const scant_i_block *block, double *L, double *own, double *room,
                           void *payload)
{
    const gathering *g = payload;
    size_t l = g->mixture->nclasses, last = g->entries - 1;
    scant_status status = scant_i_posterior_block(g->posterior, block, L, own, NULL, room);
    double *Q = own + g->head;
    for (size_t i = 0; status == SCANT_OK && i < block->nrows; i++) {
        size_t n;
        const int32_t *column =
            scant_i_batch_votes(block->batch, scant_i_block_place(block, i), &n);
        const double *r = L + i * g->mixture->stride;
        double w = scant_i_block_weight(g->posterior->evidence, block, i);
        for (size_t e = 0; e <= n && w > 0; e++) {
            size_t at = e < n ? (size_t)column[e] : last;
            for (size_t f = g->whole ? 0 : e; f <= e; f++)
                add_covariance(Q + place(g, at, f < n ? (size_t)column[f] : last), r, w, l);
        }
    }
    return status;
}

/* --- from Q to coordinates --- */

/* Row of A for a coordinate: how its score depends on class j, given that predictor c answered a.
 * Entry `a` of the prior is its only one. */
static double slope(const scant_i_mixture *m, size_t c, size_t coordinate, size_t a, size_t j)
{
    size_t l = m->nclasses;
    if (c == m->factor[0]->ncolumns)
        return (j == coordinate ? 1 : 0) - scant_i_audit_share(m, coordinate);
    if (scant_i_audit_is_symmetric(m))
        return (a == j ? 1 : 0) - scant_i_audit_table(m, c, 0)[0];
    size_t own = coordinate / (l - 1), answer = coordinate % (l - 1);
    return j == own ? (a == answer ? 1 : 0) - scant_i_audit_table(m, c, j)[answer] : 0;
}

/* The classes for which a coordinate's slope may not be 0, from *first on: a row of a confusion has its own class only. */
static size_t classes_of(const scant_i_mixture *m, size_t c, size_t coordinate, size_t *first)
{
    size_t l = m->nclasses;
    bool all = c == m->factor[0]->ncolumns || scant_i_audit_is_symmetric(m);
    *first = all ? 0 : coordinate / (l - 1);
    return all ? l : 1;
}

/* A predictor's number of coordinates; c = k: the prior's. */
static size_t count_of(const scant_i_mixture *m, size_t c)
{
    return c < m->factor[0]->ncolumns ? own_count(m) : prior_count(m);
}

/* Row x of c's coordinates and column y of d's; in blocks, c and d are the same. */
static double *cell(const scant_i_audit_information *info, const scant_i_mixture *m, double *matrix,
                    size_t c, size_t x, size_t d, size_t y)
{
    size_t own = own_count(m);
    if (!info->whole)
        return matrix + (c * own + x) * own + y;
    return matrix + (scant_i_audit_first(m, c) + x) * info->n + scant_i_audit_first(m, d) + y;
}

/* Entry (x, y) of A Q A' for the predictors c >= d. */
static double missing_of(const gathering *g, const double *Q, size_t c, size_t x, size_t d,
                         size_t y)
{
    const scant_i_mixture *m = g->mixture;
    size_t l = m->nclasses, k = m->factor[0]->ncolumns, left, right;
    size_t nleft = classes_of(m, c, x, &left), nright = classes_of(m, d, y, &right);
    double sum = 0;
    for (size_t a = 0; a < (c < k ? l : 1); a++)
        for (size_t b = 0; b < (d < k ? l : 1); b++) {
            if (c == d && a != b) /* nobody gives two answers */
                continue;
            const double *q = Q + place(g, c * l + a, d * l + b);
            for (size_t j = left; j < left + nleft; j++) {
                double s = slope(m, c, x, a, j);
                for (size_t h = right; s != 0 && h < right + nright; h++)
                    sum += s * q[j * l + h] * slope(m, d, y, b, h);
            }
        }
    return sum;
}

static void subtract_pair(scant_i_audit_information *info, const gathering *g, const double *Q,
                          size_t c, size_t d)
{
    const scant_i_mixture *m = g->mixture;
    for (size_t x = 0; x < count_of(m, c); x++)
        for (size_t y = 0; y < count_of(m, d); y++) {
            double missing = missing_of(g, Q, c, x, d, y);
            *cell(info, m, info->observed, c, x, d, y) -= missing;
            if (c != d)
                *cell(info, m, info->observed, d, y, c, x) -= missing;
        }
}

/* n (diag p - p p') about the coordinates from x on, and what a pseudo-vote a cell adds. */
static void add_multinomial(scant_i_audit_information *info, const scant_i_mixture *m, size_t c,
                            size_t x, const double *p, size_t np, double n, double pseudo)
{
    for (size_t a = 0; a + 1 < np; a++)
        for (size_t b = 0; b + 1 < np; b++) {
            double v = (a == b ? p[a] : 0) - p[a] * p[b];
            *cell(info, m, info->observed, c, x + a, c, x + b) += n * v;
            *cell(info, m, info->pseudo, c, x + a, c, x + b) += pseudo * v;
        }
}

/* S (k l x stride): expected answers; complete information, and the gradient. */
static void add_confusion(scant_i_audit_information *info, const scant_i_mixture *m,
                          const double *S, size_t c)
{
    size_t l = m->nclasses;
    double smooth = m->factor[0]->settings.smooth;
    for (size_t j = 0; j < l; j++) {
        const double *p = scant_i_audit_table(m, c, j);
        double n = 0, *gradient = info->gradient + scant_i_audit_first(m, c) + j * (l - 1);
        for (size_t a = 0; a < l; a++)
            n += S[(c * l + a) * m->stride + j];
        add_multinomial(info, m, c, j * (l - 1), p, l, n, (double)l);
        for (size_t a = 0; a + 1 < l; a++)
            gradient[a] = S[(c * l + a) * m->stride + j] + smooth - (n + smooth * (double)l) * p[a];
    }
}

static void add_symmetric(scant_i_audit_information *info, const scant_i_mixture *m,
                          const double *S, size_t c)
{
    size_t l = m->nclasses;
    double n = 0, right = 0, cells = (double)(l * l), smooth = m->factor[0]->settings.smooth;
    double theta = scant_i_audit_table(m, c, 0)[0], p[2] = {theta, 1 - theta};
    for (size_t a = 0; a < l; a++) {
        right += S[(c * l + a) * m->stride + a];
        for (size_t j = 0; j < l; j++)
            n += S[(c * l + a) * m->stride + j];
    }
    add_multinomial(info, m, c, 0, p, 2, n, cells);
    info->gradient[c] = right + smooth * (double)l - (n + smooth * cells) * theta;
}

/* Expected answers without the padding: k l x l. */
static void copy_counts(double *to, const scant_i_mixture *m, const double *S)
{
    size_t l = m->nclasses, n = m->factor[0]->ncolumns * l;
    for (size_t e = 0; e < n; e++)
        memcpy(to + e * l, S + e * m->stride, l * sizeof *to);
}

/* Answers a predictor gave, and how many of them are expected to be right. */
static void count_right(scant_i_audit_information *info, const scant_i_mixture *m, const double *S,
                        size_t c)
{
    size_t l = m->nclasses;
    for (size_t a = 0; a < l; a++) {
        const double *s = S + (c * l + a) * m->stride;
        info->right[c] += s[a];
        for (size_t j = 0; j < l; j++)
            info->answers[c] += s[j];
    }
}

/* The prior's, from the items that are expected of each class; block information leaves it out. */
static scant_status add_prior(scant_i_audit_information *info, const scant_i_mixture *m,
                              const double *N)
{
    size_t l = m->nclasses, k = m->factor[0]->ncolumns;
    double *P = NULL, n = 0;
    scant_status status = SCANT_I_NEW(&P, l);
    for (size_t j = 0; status == SCANT_OK && j < l; j++) {
        P[j] = scant_i_audit_share(m, j);
        n += N[j];
    }
    if (status == SCANT_OK) {
        add_multinomial(info, m, k, 0, P, l, n, 0);
        for (size_t j = 0; j + 1 < l; j++)
            info->gradient[scant_i_audit_first(m, k) + j] = N[j] - n * P[j];
    }
    scant_i_free(P);
    return status;
}

/* Items expected of each class. */
static scant_status class_counts(double *N, const gathering *g, const double *own)
{
    size_t l = g->mixture->nclasses, table = l * g->mixture->stride;
    double *counts = NULL;
    scant_status status = SCANT_I_NEW(&counts, SCANT_I_COUNTS * table);
    if (status != SCANT_OK)
        return status;
    scant_i_posterior_counts(g->posterior, own, counts);
    for (size_t j = 0; j < l; j++)
        for (size_t part = 0; part < SCANT_I_COUNTS; part++)
            N[j] += counts[part * table + j * g->mixture->stride + j];
    scant_i_free(counts);
    return SCANT_OK;
}

static scant_status assemble(scant_i_audit_information *out, const gathering *g,
                             const scant_i_problem *problem)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = g->mixture;
    const double *own = scant_i_problem_own(problem), *S = scant_i_problem_factor(problem, 0);
    size_t k = m->factor[0]->ncolumns;
    size_t size = out->whole ? out->n * out->n : k * own_count(m) * own_count(m);
    SCANT_I_TRY(SCANT_I_NEW(&out->N, m->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&out->S, k * m->nclasses * m->nclasses));
    copy_counts(out->S, m, S);
    SCANT_I_TRY(SCANT_I_NEW(&out->observed, size));
    SCANT_I_TRY(SCANT_I_NEW(&out->pseudo, size));
    SCANT_I_TRY(SCANT_I_NEW(&out->gradient, out->n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->answers, k));
    SCANT_I_TRY(SCANT_I_NEW(&out->right, k));
    SCANT_I_TRY(class_counts(out->N, g, own));
    for (size_t c = 0; c < k; c++) {
        (scant_i_audit_is_symmetric(m) ? add_symmetric : add_confusion)(out, m, S, c);
        count_right(out, m, S, c);
    }
    if (prior_count(m) && out->whole)
        SCANT_I_TRY(add_prior(out, m, out->N));
    for (size_t c = 0; c < k + (out->whole && prior_count(m)); c++)
        for (size_t d = out->whole ? 0 : c; d <= c; d++)
            subtract_pair(out, g, own + g->head, c, d);
    scant_i_posterior_head head = scant_i_posterior_read(own);
    out->loglik = head.objective;
    out->weight = head.weight;
done:
    return status;
}

scant_status scant_i_audit_inform(scant_i_audit_information *out, scant_i_mixture *mixture,
                                  const scant_i_audit_task *task)
{
    scant_status status = SCANT_OK;
    size_t n = scant_i_audit_count(mixture);
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    gathering g = {.mixture = mixture,
                   .posterior = &problem.posterior,
                   .whole = n <= SCANT_I_AUDIT_WHOLE,
                   .entries = task->votes->rows->ncolumns + 1};
    scant_i_pass_plan plan = {gather, &g, true, true};
    *out = (scant_i_audit_information){.n = n, .whole = g.whole};
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, task->votes));
    g.head = scant_i_posterior_length(mixture, &evidence);
    SCANT_I_TRY(scant_i_problem_new(&problem, task->votes->rows, &evidence, mixture, size_of_q(&g),
                                    task->options->threads));
    problem.cancel = task->cancel;
    SCANT_I_TRY(scant_i_problem_run(&problem, mixture, &plan));
    SCANT_I_TRY(assemble(out, &g, &problem));
done:
    if (status != SCANT_OK)
        scant_i_audit_information_clear(out);
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
    return status;
}

/* --- covariance --- */

/* Coordinates of which not even complete data would tell a thing: a predictor without answers. They
 * are cut out, so that the others keep their inverse. */
static const double NOTHING = 1e-9;

static bool invert(double *a, double *room, size_t n)
{
    for (size_t x = 0; x < n; x++)
        if (fabs(a[x * n + x]) < NOTHING) {
            for (size_t y = 0; y < n; y++)
                a[x * n + y] = a[y * n + x] = 0;
            a[x * n + x] = NOTHING;
        }
    if (!scant_i_cholesky(a, n))
        return false;
    scant_i_cholesky_inverse(room, a, n);
    memcpy(a, room, n * n * sizeof *a);
    return true;
}

scant_status scant_i_audit_covariance(double *covariance, bool *singular,
                                      const scant_i_audit_information *information,
                                      const scant_i_mixture *mixture, double votes)
{
    size_t blocks = information->whole ? 1 : mixture->factor[0]->ncolumns;
    size_t n = information->whole ? information->n : own_count(mixture), size = blocks * n * n;
    double *room = NULL;
    scant_status status = SCANT_I_NEW(&room, n * n);
    for (size_t t = 0; status == SCANT_OK && t < size; t++)
        covariance[t] = information->observed[t] + votes * information->pseudo[t];
    *singular = false;
    for (size_t b = 0; status == SCANT_OK && b < blocks; b++)
        *singular |= !invert(covariance + b * n * n, room, n);
    scant_i_free(room);
    return status;
}

double scant_i_audit_variance(const scant_i_audit_information *information,
                              const scant_i_mixture *mixture, const double *covariance,
                              size_t predictor, const double *g)
{
    size_t k = mixture->factor[0]->ncolumns, own = count_of(mixture, predictor), n = own;
    size_t first = scant_i_audit_first(mixture, predictor), last = scant_i_audit_first(mixture, k);
    double sum = 0;
    if (information->whole && predictor < k)
        n += prior_count(mixture);
    for (size_t x = 0; x < n; x++)
        for (size_t y = 0; y < n; y++) {
            size_t row = x < own ? first + x : last + x - own;
            size_t col = y < own ? first + y : last + y - own;
            double v = information->whole ? covariance[row * information->n + col]
                                          : covariance[(predictor * own + x) * own + y];
            sum += g[x] * v * g[y];
        }
    return sum;
}
