/* The share of wrong answers among those that a predictor gave. It is a count, of items whose classes are not known:
 *
 *   W_c = sum_i [x_ic is not the class],   E W_c = M = sum_i (1 - r_i,x),   r_ij = P(class j | row i)
 *   var W_c = sum_i r_i,x (1 - r_i,x) + g' C g,   g = -sum_i d r_i,x / d phi
 *   d r_ix / d phi = r_ix sum_j ([j = x] - r_ij) d log p_j(row i) / d phi
 * r is by tables without the row's own answers, p_dja = (S_daj - r_ij + smooth) / (n_dj - r_ij + l smooth) with the fitted r on the
 * right: tables that were fitted to a row agree with it too well, the more classes there are and the fewer answers.
 * The first part is what the classes leave open at the fitted tables, the second what the tables do, C being their
 * covariance; the error rate under the classes' proportions is another number, which the share differs from by chance. The
 * interval is one of counts, by the arcsine, which keeps 0 and n within reach (Anscombe's 3/8), to the nearest whole counts:
 *   q = (M + 3/8) / (n + 3/4),   asin sqrt q  +-  z sqrt(var W) / (2 (n + 3/4) sqrt(q (1 - q)))
 * Where sums of all g would not fit, or the information is of each predictor by itself, C is of blocks, or left out.
 * A row of m answers costs m^2 l^2. */
#include "audit/wrong.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "latent/problem.h"

enum { SUMS_MOST = 1 << 20 };
static const double SMOOTH_LEAST = 0.1; /* pseudo-votes: without a row its cell may be empty */
enum { MEAN, OPEN, ANSWERS, SUMS };     /* of a predictor, before g */

typedef struct gathering {
    const scant_i_mixture *mixture;
    const scant_i_posterior *posterior;
    size_t head, n,
        length;      /* the posterior's own; coordinates of g, 0: none; numbers of a predictor */
    bool prior;      /* g has its coordinates */
    const double *S; /* k l x l: expected answers */
    double smooth;
} gathering;

/* g of -r_x in the coordinates of all tables that the row's answers are of; r sums to 1. */
static void add_gradient(double *g, const gathering *a, const int32_t *column, size_t m,
                         const double *r, size_t x, double w)
{
    const scant_i_mixture *mix = a->mixture;
    size_t l = mix->nclasses;
    for (size_t f = 0; f < m; f++) {
        size_t d = (size_t)column[f] / l, answer = (size_t)column[f] % l;
        double *own = g + scant_i_audit_first(mix, d);
        if (scant_i_audit_is_symmetric(mix)) {
            own[0] -= w * r[x] * ((answer == x ? 1 : 0) - r[answer]);
            continue;
        }
        for (size_t j = 0; j < l; j++, own += l - 1) {
            const double *p = scant_i_audit_table(mix, d, j);
            double pull = w * r[x] * ((j == x ? 1 : 0) - r[j]);
            for (size_t b = 0; b + 1 < l; b++)
                own[b] -= pull * ((b == answer ? 1 : 0) - p[b]);
        }
    }
    double *own = g + scant_i_audit_first(mix, mix->factor[0]->ncolumns);
    for (size_t b = 0; b + 1 < l && a->prior; b++)
        own[b] -= w * r[x] * ((b == x ? 1 : 0) - r[b]);
}

/* P(class | the row) by tables that have not seen it; `fitted` are those by the tables as they are. */
static void look_without(double *r, const double *fitted, const gathering *a, const int32_t *column,
                         size_t m, double w)
{
    const scant_i_mixture *mix = a->mixture;
    size_t l = mix->nclasses;
    bool symmetric = scant_i_audit_is_symmetric(mix);
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < l; j++)
        r[j] = log(scant_i_audit_share(mix, j));
    for (size_t e = 0; e < m; e++) {
        size_t d = (size_t)column[e] / l, x = (size_t)column[e] % l;
        const double *S = a->S + d * l * l; /* answer, class */
        double right = a->smooth * (double)l - w * fitted[x], all = right - w * (1 - fitted[x]);
        for (size_t b = 0; b < l && symmetric; b++) {
            right += S[b * l + b];
            for (size_t j = 0; j < l; j++)
                all += S[b * l + j];
        }
        all += a->smooth * (double)(l * (l - 1));
        for (size_t j = 0; j < l; j++) {
            double own = S[x * l + j] - w * fitted[j] + a->smooth,
                   n = a->smooth * (double)l - w * fitted[j];
            for (size_t b = 0; b < l; b++)
                n += S[b * l + j];
            if (symmetric) {
                own = j == x ? right : (all - right) / (double)(l - 1);
                n = all;
            }
            r[j] += log(fmax(own, DBL_MIN) / fmax(n, DBL_MIN));
        }
    }
    for (size_t j = 0; j < l; j++)
        most = fmax(most, r[j]);
    for (size_t j = 0; j < l; j++)
        sum += r[j] = exp(r[j] - most);
    for (size_t j = 0; j < l; j++)
        r[j] /= sum;
}

static bool is_certain(const double *r, size_t l)
{
    for (size_t j = 0; j < l; j++)
        if (r[j] >= 1)
            return true;
    return false;
}

static scant_status gather(const scant_i_block *block, double *L, double *own, double *room,
                           void *payload)
{
    const gathering *a = payload;
    size_t l = a->mixture->nclasses;
    scant_status status = scant_i_posterior_block(a->posterior, block, L, own, NULL, room);
    for (size_t i = 0; status == SCANT_OK && i < block->nrows; i++) {
        size_t m;
        const int32_t *column =
            scant_i_batch_votes(block->batch, scant_i_block_place(block, i), &m);
        double *r = L + i * a->mixture->stride;
        double w = scant_i_block_weight(a->posterior->evidence, block, i);
        for (size_t j = 0; j < l && w > 0; j++)
            r[j] /= w;
        if (w > 0 && !is_certain(r, l)) { /* a class that is known is not by the tables */
            double *without = own + a->head + a->mixture->factor[0]->ncolumns * a->length;
            look_without(without, r, a, column, m, w);
            memcpy(r, without, l * sizeof *r);
        }
        for (size_t e = 0; e < m && w > 0; e++) {
            size_t c = (size_t)column[e] / l, x = (size_t)column[e] % l;
            double *sums = own + a->head + c * a->length, wrong = 0;
            for (size_t j = 0; j < l; j++) /* 1 - r_x would be rounding where it is little */
                wrong += j == x ? 0 : r[j];
            sums[MEAN] += w * wrong;
            sums[OPEN] += w * wrong * r[x];
            sums[ANSWERS] += w;
            if (a->n)
                add_gradient(sums + SUMS, a, column, m, r, x, w);
        }
    }
    return status;
}

/* g' C g */
static double spread(const double *g, const gathering *a,
                     const scant_i_audit_information *information, const double *C)
{
    const scant_i_mixture *m = a->mixture;
    size_t own = scant_i_audit_first(m, 1), k = m->factor[0]->ncolumns;
    size_t blocks = information->whole ? 1 : k, n = information->whole ? information->n : own;
    double sum = 0;
    for (size_t d = 0; d < blocks; d++)
        for (size_t x = 0; x < n; x++)
            for (size_t y = 0; y < n && g[d * own + x] != 0; y++)
                sum += g[d * own + x] * C[(d * n + x) * n + y] * g[d * own + y];
    return fmax(sum, 0);
}

static double count_at(double angle, double n)
{
    double s = sin(fmax(0, fmin(M_PI / 2, angle)));
    return (n + 0.75) * s * s - 0.375;
}

static scant_estimate interval(double mean, double variance, double n, double normal)
{
    double q = (mean + 0.375) / (n + 0.75), angle = asin(sqrt(fmin(1, q)));
    double half = normal * sqrt(variance) / (2 * (n + 0.75) * sqrt(q * (1 - q)));
    double low = ceil(count_at(angle - half, n) - 0.5),
           high = floor(count_at(angle + half, n) + 0.5);
    low = fmin(low, rint(mean));
    high = fmax(high, rint(mean));
    return (scant_estimate){mean / n, sqrt(variance) / n, fmax(0, low) / n, fmin(n, high) / n};
}

scant_status scant_i_audit_wrong(scant_estimate *out, scant_i_mixture *mixture,
                                 const scant_i_audit_task *task,
                                 const scant_i_audit_information *information,
                                 const double *covariance, double normal)
{
    scant_status status = SCANT_OK;
    scant_i_problem problem = {0};
    scant_i_evidence evidence = {0};
    size_t k = mixture->factor[0]->ncolumns;
    gathering a = {.mixture = mixture, .posterior = &problem.posterior};
    scant_i_pass_plan plan = {gather, &a, true, false};
    a.n = covariance && k * (SUMS + information->n) <= SUMS_MOST ? information->n : 0;
    a.prior = a.n && information->whole && !mixture->coupling.prior;
    a.length = SUMS + a.n;
    a.S = information->S;
    a.smooth = fmax(mixture->factor[0]->settings.smooth, SMOOTH_LEAST);
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, task->votes));
    a.head = scant_i_posterior_length(mixture, &evidence);
    SCANT_I_TRY(scant_i_problem_new(&problem, task->votes->rows, &evidence, mixture,
                                    k * a.length + mixture->nclasses, task->options->threads));
    problem.cancel = task->cancel;
    SCANT_I_TRY(scant_i_problem_run(&problem, mixture, &plan));
    for (size_t c = 0; c < k; c++) {
        const double *sums = scant_i_problem_own(&problem) + a.head + c * a.length;
        double n = sums[ANSWERS], variance = sums[OPEN];
        if (a.n)
            variance += spread(sums + SUMS, &a, information, covariance);
        out[c] = n > 0 ? interval(sums[MEAN], variance, n, normal)
                       : (scant_estimate){NAN, NAN, NAN, NAN};
    }
done:
    scant_i_problem_clear(&problem);
    scant_i_evidence_clear(&evidence);
    return status;
}
