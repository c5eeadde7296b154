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
    size_t standard = evidence->nclasses + 1;
    *out = (scant_i_posterior){.mixture = mixture, .evidence = evidence, .beta = 1};
    out->ntabled = scant_i_min(evidence->nentries, scant_i_max(standard, TABLED_MAX));
    return SCANT_I_NEW(&out->log_a, out->ntabled * mixture->stride);
}

void scant_i_posterior_clear(scant_i_posterior *posterior)
{
    scant_i_free(posterior->log_a);
    posterior->log_a = NULL;
}

static void make_log_a(const scant_i_mixture *mixture, const double *v, double *log_a)
{
    size_t stride = mixture->stride;
    memset(log_a, 0, stride * sizeof *log_a);
    for (size_t k = 0; k < mixture->nclasses; k++)
        for (size_t j = 0; j < mixture->ncomponents; j++)
            log_a[j] += mixture->W[k * stride + j] * v[k];
    for (size_t j = 0; j < stride; j++)
        log_a[j] = log(log_a[j]); /* padding and excluded components: -inf */
}

void scant_i_posterior_prepare(scant_i_posterior *posterior)
{
    for (size_t e = 0; e < posterior->ntabled; e++)
        make_log_a(posterior->mixture, posterior->evidence->v + e * posterior->evidence->nclasses,
                   posterior->log_a + e * posterior->mixture->stride);
}

size_t scant_i_posterior_nstatistics(const scant_i_posterior *posterior)
{
    return HEAD_SIZE +
           (posterior->ntabled + posterior->mixture->nclasses) * posterior->mixture->stride;
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

/* N += r W v / a for a row whose entry has no sum of its own */
static void add_counts(const scant_i_mixture *mixture, const double *v, const double *r, double *N)
{
    size_t stride = mixture->stride;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double a = 0;
        for (size_t k = 0; k < mixture->nclasses; k++)
            a += mixture->W[k * stride + j] * v[k];
        for (size_t k = 0; k < mixture->nclasses && a > 0; k++)
            N[k * stride + j] += r[j] * mixture->W[k * stride + j] * v[k] / a;
    }
}

static scant_status no_mass(const scant_i_posterior *posterior, const scant_i_block *block,
                            size_t i)
{
    size_t row = scant_i_block_row(block, i);
    if (scant_i_evidence_entry(posterior->evidence, row) != posterior->evidence->nclasses)
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
        if (e >= posterior->ntabled) {
            make_log_a(mixture, posterior->evidence->v + e * mixture->nclasses, own);
            log_a = own;
        }
        top[i] = shift_row(L + i * stride, log_a, stride, posterior->beta);
    }
}

scant_status scant_i_posterior_block(const scant_i_posterior *posterior, const scant_i_block *block,
                                     double *L, double *statistics, double *loglik, double *room)
{
    const scant_i_mixture *mixture = posterior->mixture;
    const scant_i_evidence *evidence = posterior->evidence;
    size_t stride = mixture->stride, n = block->nrows, K = mixture->nclasses;
    double *A = statistics + HEAD_SIZE, *N = A + posterior->ntabled * stride;
    double *r = room, *own = r + n * stride, *unused = own + stride, *top = unused + stride;
    shift_rows(posterior, block, L, top, own);
    scant_i_vector_exp(r, L, n * stride);
    scant_i_posterior_head head = {0};
    for (size_t i = 0; i < n; i++) {
        size_t row = scant_i_block_row(block, i), e = scant_i_evidence_entry(evidence, row);
        double w = scant_i_evidence_weight(evidence, row), product;
        double total = sum_row(r + i * stride, L + i * stride, stride, &product);
        double log_total = log(total), l = (top[i] + log_total) / posterior->beta;
        bool mass = isfinite(top[i]), tabled = e < posterior->ntabled;
        if (!mass && w > 0 && !loglik)
            return no_mass(posterior, block, i);
        if (mass)
            scale_row(L + i * stride, r + i * stride, tabled ? A + e * stride : unused, stride,
                      w / total);
        else /* not 0 times r, which is no number where a density overflowed */
            memset(L + i * stride, 0, stride * sizeof *L);
        if (!tabled)
            add_counts(mixture, evidence->v + e * K, L + i * stride, N);
        if (loglik)
            loglik[i] = mass ? l : -INFINITY;
        if (mass) {
            head.objective += w * l;
            head.entropy += w * (log_total - product / total);
        }
        head.weight += w;
    }
    statistics[0] += head.objective;
    statistics[1] += head.weight;
    statistics[2] += head.entropy;
    return SCANT_OK;
}

void scant_i_posterior_counts(const scant_i_posterior *posterior, const double *statistics,
                              double *N)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *A = statistics + HEAD_SIZE, *rest = A + posterior->ntabled * stride;
    memcpy(N, rest, K * stride * sizeof *N);
    for (size_t e = 0; e < posterior->ntabled; e++)
        add_counts(mixture, posterior->evidence->v + e * K, A + e * stride, N);
}

void scant_i_posterior_labelled(const scant_i_posterior *posterior, const double *statistics,
                                double *N)
{
    /* entry k < K is "exactly class k" */
    memcpy(N, statistics + HEAD_SIZE,
           posterior->mixture->nclasses * posterior->mixture->stride * sizeof *N);
}

void scant_i_coupling_maximise(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, M = mixture->ncomponents;
    double total = 0;
    for (size_t k = 0; k < mixture->nclasses; k++)
        for (size_t j = 0; j < M; j++)
            total += N[k * stride + j];
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double of_class = 0;
        for (size_t j = 0; j < M; j++)
            of_class += N[k * stride + j];
        double P = mixture->prior ? mixture->prior[k] : of_class / total;
        for (size_t j = 0; j < M; j++)
            if (of_class > 0) /* a class no row fell to keeps its components */
                mixture->W[k * stride + j] = P * (N[k * stride + j] / of_class);
            else if (!mixture->prior)
                mixture->W[k * stride + j] = 0;
    }
}
