/* Rows in bags. All rows i of a bag B have one component j and one class k:
 *
 *   g_jk = W[k][j] prod_i v_i[k] F_ij      l = log sum_jk g_jk      r_jk = g_jk / exp(l)
 *
 * The bag's weight is its first row's; its log-likelihood stands with its first row, 0 with others. Cost
 * of a bag: components times classes exponentials. */
#include <math.h>
#include <string.h>

#include "toys.h"

static bool begins(const scant_i_batch *batch, size_t row)
{
    return (batch->first + row) % TOY_BAG == 0;
}

static bool begins_long(const scant_i_batch *batch, size_t row)
{
    return (batch->first + row) % TOY_LONG_BAG == 0;
}

/* A number of its own: bags. */
static size_t nstatistics(const scant_i_mixture *mixture)
{
    (void)mixture;
    return 1;
}

static size_t room_of(size_t nrows, size_t stride)
{
    (void)nrows;
    return stride;
}

static const double *vector_of(const scant_i_posterior *p, const scant_i_block *block, size_t i)
{
    size_t entry = scant_i_block_entry(p->evidence, block, i);
    return scant_i_posterior_informative(p, entry);
}

/* What all rows of the bag say of class k. */
static double evidence_of(const scant_i_posterior *p, const scant_i_block *block, size_t first,
                          size_t end, size_t k)
{
    double v = 1;
    for (size_t i = first; i < end; i++)
        v *= vector_of(p, block, i)[k];
    return v;
}

/* (a F)^beta */
static double tempered(const scant_i_posterior *p, double log_F, double a)
{
    return a > 0 ? exp(p->beta * (log_F + log(a))) : 0;
}

/* Rows first to end - 1 are a bag; returns its log-likelihood. `log_F` has a stride. */
static double expect_bag(const scant_i_posterior *p, const scant_i_block *block, size_t first,
                         size_t end, double *L, double *statistics, double *log_F)
{
    const scant_i_mixture *m = p->mixture;
    size_t stride = m->stride, M = m->ncomponents, K = m->nclasses;
    double *N = scant_i_posterior_rest(p, statistics), top = -INFINITY, sum = 0, entropy = 0;
    double w = scant_i_block_weight(p->evidence, block, first);
    memset(log_F, 0, stride * sizeof *log_F);
    for (size_t i = first; i < end; i++)
        for (size_t j = 0; j < M; j++)
            log_F[j] += L[i * stride + j];
    memset(L + first * stride, 0, (end - first) * stride * sizeof *L);
    for (size_t j = 0; j < M; j++)
        top = fmax(top, log_F[j]);
    if (top == -INFINITY)
        return top;

    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < M; j++)
            sum += tempered(p, log_F[j] - top,
                            p->joint[k * stride + j] * evidence_of(p, block, first, end, k));
    for (size_t j = 0; j < M; j++) {
        double r_j = 0;
        for (size_t k = 0; k < K; k++) {
            double r = tempered(p, log_F[j] - top,
                                p->joint[k * stride + j] * evidence_of(p, block, first, end, k)) /
                       sum;
            N[SCANT_I_INFORMATIVE * K * stride + k * stride + j] += w * r;
            r_j += r;
        }
        entropy -= r_j > 0 ? r_j * log(r_j) : 0;
        for (size_t i = first; i < end; i++)
            L[i * stride + j] = w * r_j;
    }
    double l = top + log(sum) / p->beta;
    statistics[0] += w * l;
    statistics[1] += w;
    statistics[2] += w * entropy;
    scant_i_posterior_own(p, statistics)[0] += 1;
    return l;
}

static size_t end_of_bag(const scant_i_posterior *p, const scant_i_block *block, size_t i)
{
    do
        i++;
    while (i < block->nrows && !p->mixture->structure->begins(block->batch, block->first + i));
    return i;
}

static scant_status expect(const scant_i_posterior *p, const scant_i_block *block, double *L,
                           double *statistics, double *loglik, double *room)
{
    for (size_t i = 0, end; i < block->nrows; i = end) {
        end = end_of_bag(p, block, i);
        double l = expect_bag(p, block, i, end, L, statistics, room);
        if (!isfinite(l) && !loglik)
            return scant_i_batch_fail_cell(block->batch, block->first + i, 0,
                                           "no component can make this bag");
        for (size_t r = i; r < end && loglik; r++)
            loglik[r] = r == i || !isfinite(l) ? l : 0;
    }
    return SCANT_OK;
}

static void classes(const scant_i_posterior *p, const scant_i_block *block,
                    const scant_i_naming *naming, const double *r, const double *loglik,
                    double *out)
{
    size_t stride = p->mixture->stride, K = naming->nclasses;
    (void)loglik;
    for (size_t i = 0, end; i < block->nrows; i = end) {
        end = end_of_bag(p, block, i);
        double *of_bag = out + scant_i_block_row(block, i) * K;
        memset(of_bag, 0, K * sizeof *of_bag);
        for (size_t j = 0; j < p->mixture->ncomponents; j++) {
            double a = 0;
            for (size_t k = 0; k < K; k++)
                a += naming->share[k * stride + j] * evidence_of(p, block, i, end, k);
            for (size_t k = 0; k < K && a > 0; k++)
                of_bag[k] += r[i * stride + j] * naming->share[k * stride + j] *
                             evidence_of(p, block, i, end, k) / a;
        }
        for (size_t row = i + 1; row < end; row++)
            memcpy(of_bag + (row - i) * K, of_bag, K * sizeof *of_bag);
    }
}

const scant_i_structure toy_bags = {
    .name = "bags",
    .begins = begins,
    .nstatistics = nstatistics,
    .room = room_of,
    .expect = expect,
    .counts = scant_i_posterior_counts,
    .classes = classes,
};

const scant_i_structure toy_long_bags = {
    .name = "long bags",
    .begins = begins_long,
    .nstatistics = nstatistics,
    .room = room_of,
    .expect = expect,
    .counts = scant_i_posterior_counts,
    .classes = classes,
};
