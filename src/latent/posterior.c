/* See posterior.h. Cost of a block: rows x components exponentials. */
#include "latent/posterior.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "math/special.h"

/* Tables of log a stay in the cache up to about this many entries. */
enum { TABLED_MAX = 512, HEAD_SIZE = SCANT_I_LANES };
/* Log weights are not let below this: past -708 the vector exp turns slow, and -inf times 0 is no
 * number. What is that far below the largest counts as 0. */
static const double LEAST = -700;

scant_status scant_i_posterior_new(scant_i_posterior *out, const scant_i_mixture *mixture,
                                   const scant_i_evidence *evidence)
{
    scant_status status = SCANT_OK;
    size_t standard = evidence->nclasses + 1, table = mixture->nclasses * mixture->stride;
    *out = (scant_i_posterior){.mixture = mixture, .evidence = evidence, .beta = 1};
    out->ntabled = scant_i_min(evidence->nentries, scant_i_max(standard, TABLED_MAX));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_a, out->ntabled * mixture->stride));
    SCANT_I_TRY(SCANT_I_NEW(&out->joint, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_P, mixture->nclasses));
done:
    if (status != SCANT_OK)
        scant_i_posterior_clear(out);
    return status;
}

void scant_i_posterior_clear(scant_i_posterior *posterior)
{
    scant_i_free(posterior->log_a);
    scant_i_free(posterior->joint);
    scant_i_free(posterior->pi);
    scant_i_free(posterior->log_pi);
    scant_i_free(posterior->log_P);
    *posterior = (scant_i_posterior){0};
}

/* c[k][j] of an entry: the coupling, or the components' shares within a class */
static const double *couple(const scant_i_posterior *posterior, size_t entry)
{
    return posterior->evidence->kind[entry] == SCANT_I_LIKELIHOOD ? posterior->joint
                                                                  : posterior->pi;
}

static void make_log_a(const scant_i_posterior *posterior, size_t entry, double *log_a)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *c = couple(posterior, entry), *v = posterior->evidence->v + entry * K;
    memset(log_a, 0, stride * sizeof *log_a);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < mixture->ncomponents; j++)
            log_a[j] += c[k * stride + j] * v[k];
    for (size_t j = 0; j < stride; j++)
        log_a[j] = log(log_a[j]); /* padding and excluded components: -inf */
}

void scant_i_posterior_prepare(scant_i_posterior *posterior)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride;
    for (size_t k = 0; k < mixture->nclasses; k++) {
        const double *W = mixture->W + k * stride;
        double P = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            P += W[j];
        posterior->log_P[k] = log(P);
        for (size_t j = 0; j < stride; j++) {
            double R = mixture->R ? mixture->R[k * stride + j] : 1;
            posterior->joint[k * stride + j] = W[j] * R;
            posterior->pi[k * stride + j] = P > 0 ? W[j] / P : 0;
            posterior->log_pi[k * stride + j] = log(posterior->pi[k * stride + j]);
        }
    }
    for (size_t e = 0; e < posterior->ntabled; e++)
        make_log_a(posterior, e, posterior->log_a + e * stride);
}

size_t scant_i_posterior_nstatistics(const scant_i_posterior *posterior)
{
    size_t rest = SCANT_I_COUNTS * posterior->mixture->nclasses;
    return HEAD_SIZE + (posterior->ntabled + rest) * posterior->mixture->stride;
}

scant_i_posterior_head scant_i_posterior_read(const double *statistics)
{
    return (scant_i_posterior_head){statistics[0], statistics[1], statistics[2]};
}

/* --- the passes over a block's table --- */

/* L = beta (L + log a) - top, the row's largest, and not below LEAST; returns top */
SCANT_I_CLONES
static double shift_row(double *L, const double *log_a, size_t stride, double beta)
{
    double top = -INFINITY;
#pragma omp simd reduction(max : top)
    for (size_t j = 0; j < stride; j++) {
        L[j] = beta * (L[j] + log_a[j]);
        top = L[j] > top ? L[j] : top;
    }
    top = top > -DBL_MAX ? top : -INFINITY; /* where some compilers start a maximum from */
    double base = isfinite(top) ? top : 0;
    for (size_t j = 0; j < stride; j++) {
        double below = L[j] - base;
        L[j] = below > LEAST ? below : LEAST;
    }
    return top;
}

/* sum of r, and of r x; x is the logarithm of r */
SCANT_I_CLONES
static double sum_row(const double *r, const double *x, size_t stride, double *product)
{
    double sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
    for (size_t j = 0; j < stride; j++) {
        sum += r[j];
        dot += r[j] * x[j];
    }
    *product = dot;
    return sum;
}

/* log weights x become responsibilities times the row's weight, and add to A */
SCANT_I_CLONES
static void scale_row(double *x, const double *r, double *A, size_t stride, double factor)
{
    for (size_t j = 0; j < stride; j++) {
        x[j] = x[j] > LEAST ? r[j] * factor : 0;
        A[j] += x[j];
    }
}

/* Which of the three parts of N the rows of an entry count in. */
static size_t part_of(const scant_i_evidence *evidence, size_t entry)
{
    if (evidence->kind[entry] == SCANT_I_PRIOR)
        return SCANT_I_BROUGHT;
    return scant_i_evidence_informs(evidence, entry) ? SCANT_I_TELLING : SCANT_I_SILENT;
}

/* N += r c v / a, for responsibilities r of one row, or of all rows of an entry together */
static void add_counts(const scant_i_posterior *posterior, size_t entry, const double *r, double *N)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *c = couple(posterior, entry), *v = posterior->evidence->v + entry * K;
    N += part_of(posterior->evidence, entry) * K * stride;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double a = 0;
        for (size_t k = 0; k < K; k++)
            a += c[k * stride + j] * v[k];
        for (size_t k = 0; k < K && a > 0; k++)
            N[k * stride + j] += r[j] * c[k * stride + j] * v[k] / a;
    }
}

/* A row of the posterior kind: L becomes w r, N takes its counts; returns its log-likelihood, -inf
 * without mass. `own` has stride doubles. */
static double copies_of_row(const scant_i_posterior *posterior, size_t entry, double w, double *L,
                            double *N, double *own)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, M = mixture->ncomponents, K = mixture->nclasses;
    const double *v = posterior->evidence->v + entry * K;
    double l = 0;
    memset(own, 0, stride * sizeof *own);
    for (size_t k = 0; k < K; k++) {
        const double *log_pi = posterior->log_pi + k * stride;
        double top = -INFINITY, sum = 0;
        if (!(v[k] > 0))
            continue;
        for (size_t j = 0; j < M; j++)
            top = fmax(top, posterior->beta * (log_pi[j] + L[j]));
        if (!isfinite(top))
            return -INFINITY;
        for (size_t j = 0; j < M; j++)
            sum += exp(posterior->beta * (log_pi[j] + L[j]) - top);
        l += v[k] * (posterior->log_P[k] + (top + log(sum)) / posterior->beta);
        for (size_t j = 0; j < M; j++) {
            double r = v[k] * exp(posterior->beta * (log_pi[j] + L[j]) - top) / sum;
            own[j] += r;
            N[SCANT_I_TELLING * K * stride + k * stride + j] += w * r;
        }
    }
    for (size_t j = 0; j < stride; j++)
        L[j] = w * own[j];
    return l;
}

static scant_status no_mass(const scant_i_posterior *posterior, const scant_i_block *block,
                            size_t i)
{
    size_t row = scant_i_block_row(block, i);
    if (!scant_i_evidence_unknown(posterior->evidence, row))
        return scant_i_fail_label(block->rows, row,
                                  "no component can make this row under its label");
    return scant_i_fail_cell(block->rows, row, 0, "no component can make this row");
}

/* Shifted log weights of all rows; the largest of each goes to `top`, -inf where there is no mass.
 */
static void shift_rows(const scant_i_posterior *posterior, const scant_i_block *block, double *L,
                       double *top, double *own)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride;
    for (size_t i = 0; i < block->nrows; i++) {
        size_t e = scant_i_evidence_entry(posterior->evidence, scant_i_block_row(block, i));
        const double *log_a = posterior->log_a + e * stride;
        if (posterior->evidence->kind[e] == SCANT_I_POSTERIOR)
            continue; /* goes another way */
        if (e >= posterior->ntabled) {
            make_log_a(posterior, e, own);
            log_a = own;
        }
        top[i] = shift_row(L + i * stride, log_a, stride, posterior->beta);
    }
}

/* Sums over a block. */
typedef struct tally {
    scant_i_posterior_head head;
    double *A, *N;        /* the chunk's statistics */
    double *r;            /* nrows x stride: exp of the shifted log weights */
    double *top;          /* nrows */
    double *own, *unused; /* stride each */
} tally;

/* Row i: L from shifted log weights to w r, its counts, its log-likelihood. */
static double finish_row(const scant_i_posterior *posterior, tally *t, size_t i, size_t e, double w,
                         double *L)
{
    size_t stride = posterior->mixture->stride;
    if (posterior->evidence->kind[e] == SCANT_I_POSTERIOR)
        return copies_of_row(posterior, e, w, L, t->N, t->own);
    double product, total = sum_row(t->r + i * stride, L, stride, &product), log_total = log(total);
    bool mass = isfinite(t->top[i]), tabled = e < posterior->ntabled;
    if (!mass)
        return -INFINITY; /* the weights may be no numbers, where a density overflowed */
    scale_row(L, t->r + i * stride, tabled ? t->A + e * stride : t->unused, stride, w / total);
    if (!tabled)
        add_counts(posterior, e, L, t->N);
    t->head.entropy += w * (log_total - product / total);
    return (t->top[i] + log_total) / posterior->beta;
}

scant_status scant_i_posterior_block(const scant_i_posterior *posterior, const scant_i_block *block,
                                     double *L, double *statistics, double *loglik, double *room)
{
    const scant_i_evidence *evidence = posterior->evidence;
    size_t stride = posterior->mixture->stride, n = block->nrows;
    tally t = {.A = statistics + HEAD_SIZE, .r = room};
    t.N = t.A + posterior->ntabled * stride;
    t.own = room + n * stride;
    t.unused = t.own + stride;
    t.top = t.unused + stride;
    shift_rows(posterior, block, L, t.top, t.own);
    scant_i_vector_exp(t.r, L, n * stride);
    for (size_t i = 0; i < n; i++) {
        size_t row = scant_i_block_row(block, i), e = scant_i_evidence_entry(evidence, row);
        double w = scant_i_evidence_weight(evidence, row);
        double l = finish_row(posterior, &t, i, e, w, L + i * stride);
        bool mass = l > -INFINITY;
        if (!mass && w > 0 && !loglik)
            return no_mass(posterior, block, i);
        if (!mass)
            memset(L + i * stride, 0, stride * sizeof *L);
        if (loglik)
            loglik[i] = l;
        t.head.objective += mass ? w * l : 0;
        t.head.weight += w;
    }
    statistics[0] += t.head.objective;
    statistics[1] += t.head.weight;
    statistics[2] += t.head.entropy;
    return SCANT_OK;
}

void scant_i_posterior_counts(const scant_i_posterior *posterior, const double *statistics,
                              double *N)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, size = SCANT_I_COUNTS * mixture->nclasses * stride;
    const double *A = statistics + HEAD_SIZE;
    memcpy(N, A + posterior->ntabled * stride, size * sizeof *N);
    for (size_t e = 0; e < posterior->ntabled; e++)
        add_counts(posterior, e, A + e * stride, N);
}

void scant_i_posterior_labelled(const scant_i_posterior *posterior, const double *statistics,
                                double *N)
{
    /* entry k < K is "exactly class k" */
    memcpy(N, statistics + HEAD_SIZE,
           posterior->mixture->nclasses * posterior->mixture->stride * sizeof *N);
}

/* sum over the parts `first` .. `last` of N */
static double sum_of(const double *N, size_t table, size_t at, size_t first, size_t last)
{
    double sum = 0;
    for (size_t part = first; part <= last; part++)
        sum += N[part * table + at];
    return sum;
}

static void maximise_class_major(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, M = mixture->ncomponents, table = mixture->nclasses * stride;
    double speaking = 0;
    for (size_t t = 0; t < table; t++)
        speaking += sum_of(N, table, t, SCANT_I_TELLING, SCANT_I_SILENT);
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double of_class = 0, of_speaking = 0;
        for (size_t j = 0; j < M; j++) {
            of_class += sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_BROUGHT);
            of_speaking += sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_SILENT);
        }
        double P = mixture->prior ? mixture->prior[k]
                   : speaking > 0 ? of_speaking / speaking
                                  : mixture->favoured[k];
        for (size_t j = 0; j < M; j++) {
            double n = sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_BROUGHT);
            if (of_class > 0)
                mixture->W[k * stride + j] = P * (n / of_class);
            else if (!mixture->prior) /* a class no row fell to; with a prior it keeps its
                                         components */
                mixture->W[k * stride + j] = 0;
        }
    }
}

static void maximise_component_major(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, K = mixture->nclasses, table = K * stride;
    double total = 0;
    for (size_t t = 0; t < table; t++)
        total += sum_of(N, table, t, SCANT_I_TELLING, SCANT_I_SILENT);
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double of_component = 0, telling = 0, before = 0;
        for (size_t k = 0; k < K; k++) {
            of_component += sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_SILENT);
            telling += N[SCANT_I_TELLING * table + k * stride + j];
            before += mixture->W[k * stride + j];
        }
        for (size_t k = 0; k < K; k++) {
            double B = telling > 0  ? N[SCANT_I_TELLING * table + k * stride + j] / telling
                       : before > 0 ? mixture->W[k * stride + j] / before
                                    : 0;
            mixture->W[k * stride + j] = of_component / total * B;
        }
    }
}

static void maximise_factor(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, table = mixture->nclasses * stride;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double of_component = 0;
        for (size_t k = 0; k < mixture->nclasses; k++)
            of_component += sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_BROUGHT);
        for (size_t k = 0; k < mixture->nclasses && of_component > 0; k++)
            mixture->R[k * stride + j] =
                sum_of(N, table, k * stride + j, SCANT_I_TELLING, SCANT_I_BROUGHT) / of_component;
    }
}

void scant_i_coupling_maximise(scant_i_mixture *mixture, const double *N)
{
    if (mixture->R && mixture->R_free)
        maximise_factor(mixture, N);
    if (mixture->component_major)
        maximise_component_major(mixture, N);
    else
        maximise_class_major(mixture, N);
}
