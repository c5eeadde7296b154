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
    if (mixture->noise) /* whose M-step asks for each entry's sums */
        out->ntabled = evidence->nentries;
    SCANT_I_TRY(SCANT_I_NEW(&out->log_a, out->ntabled * mixture->stride));
    SCANT_I_TRY(SCANT_I_NEW(&out->joint, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_P, mixture->nclasses));
    if (mixture->noise)
        SCANT_I_TRY(SCANT_I_NEW(&out->seen, evidence->nentries * mixture->nclasses));
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
    scant_i_free(posterior->seen);
    *posterior = (scant_i_posterior){0};
}

/* c[k][j] of an entry: the coupling, or the components' shares within a class */
static const double *couple(const scant_i_posterior *posterior, size_t entry)
{
    return posterior->evidence->kind[entry] == SCANT_I_LIKELIHOOD ? posterior->joint
                                                                  : posterior->pi;
}

const double *scant_i_posterior_telling(const scant_i_posterior *posterior, size_t entry)
{
    const double *v = posterior->seen ? posterior->seen : posterior->evidence->v;
    return v + entry * posterior->evidence->nclasses;
}

static void see_through_noise(scant_i_posterior *posterior)
{
    const scant_i_evidence *evidence = posterior->evidence;
    size_t K = evidence->nclasses;
    for (size_t e = 0; e < evidence->nentries; e++) {
        const double *u = evidence->v + e * K;
        double *v = posterior->seen + e * K;
        for (size_t k = 0; k < K; k++) {
            const double *noise = posterior->mixture->noise + k * K;
            v[k] = evidence->kind[e] == SCANT_I_LIKELIHOOD ? 0 : u[k];
            for (size_t y = 0; y < K && evidence->kind[e] == SCANT_I_LIKELIHOOD; y++)
                v[k] += noise[y] * u[y];
        }
    }
}

static void make_log_a(const scant_i_posterior *posterior, size_t entry, double *log_a)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *c = couple(posterior, entry), *v = scant_i_posterior_telling(posterior, entry);
    memset(log_a, 0, stride * sizeof *log_a);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < mixture->ncomponents; j++)
            log_a[j] += c[k * stride + j] * v[k];
    int32_t only = posterior->evidence->only ? posterior->evidence->only[entry] : -1;
    for (size_t j = 0; j < stride; j++) /* padding and excluded components: -inf */
        log_a[j] = only >= 0 && j != (size_t)only ? -INFINITY : log(log_a[j]);
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
    if (posterior->seen)
        see_through_noise(posterior);
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

/* --- the walks over a block's table ---
 *
 * Rows that follow each other and have the same evidence are taken together. Numbers of vectors
 * that are known when compiling make much shorter code, so the common ones are spelt out. */

enum { LANES = SCANT_I_LANES };
typedef scant_i_vector8 vector;
typedef long long mask __attribute__((vector_size(sizeof(vector))));

SCANT_I_INLINE vector select(mask which, vector yes, vector no)
{
    return (vector)(((mask)yes & which) | ((mask)no & ~which));
}

SCANT_I_INLINE vector larger(vector a, vector b) /* b where a is no number */
{
    return select(a > b, a, b);
}

SCANT_I_INLINE double largest(vector x)
{
    x = larger(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
    x = larger(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
    x = larger(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
    return x[0];
}

SCANT_I_INLINE double sum(vector x)
{
    x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    x += __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
    return x[0];
}

/* L = beta (L + log a) - top, the row's largest, and not below LEAST */
SCANT_I_INLINE void shift_wide(double *L, const double *log_a, size_t n, size_t nvectors,
                               double beta, double *tops)
{
    const vector *a = (const vector *)log_a, least = LEAST + (vector){0};
    for (size_t i = 0; i < n; i++) {
        vector *x = (vector *)L + i * nvectors, most = -INFINITY + (vector){0};
        for (size_t v = 0; v < nvectors; v++) {
            x[v] = beta * (x[v] + a[v]);
            most = larger(x[v], most);
        }
        double top = largest(most), base = isfinite(top) ? top : 0;
        for (size_t v = 0; v < nvectors; v++)
            x[v] = larger(x[v] - base, least);
        tops[i] = top;
    }
}

SCANT_I_CLONES
static void shift_rows(double *L, const double *log_a, size_t n, size_t stride, double beta,
                       double *tops)
{
    if (stride == LANES)
        shift_wide(L, log_a, n, 1, beta, tops);
    else if (stride == 2 * LANES)
        shift_wide(L, log_a, n, 2, beta, tops);
    else
        shift_wide(L, log_a, n, stride / LANES, beta, tops);
}

/* Of each row the sum of r, and of r x; x is the logarithm of r. */
SCANT_I_INLINE void sum_wide(const double *r, const double *x, size_t n, size_t nvectors,
                             double *sums, double *products)
{
    for (size_t i = 0; i < n; i++) {
        const vector *s = (const vector *)r + i * nvectors, *y = (const vector *)x + i * nvectors;
        vector total = {0}, product = {0};
        for (size_t v = 0; v < nvectors; v++) {
            total += s[v];
            product += s[v] * y[v];
        }
        sums[i] = sum(total);
        products[i] = sum(product);
    }
}

SCANT_I_CLONES
static void sum_rows(const double *r, const double *x, size_t n, size_t stride, double *sums,
                     double *products)
{
    if (stride == LANES)
        sum_wide(r, x, n, 1, sums, products);
    else if (stride == 2 * LANES)
        sum_wide(r, x, n, 2, sums, products);
    else
        sum_wide(r, x, n, stride / LANES, sums, products);
}

/* Log weights x become responsibilities times the row's weight, and add to A, which stays in
 * registers. */
SCANT_I_INLINE void scale_strip(double *x, const double *r, double *A, size_t n, size_t stride,
                                size_t nvectors, const double *factors)
{
    enum { WIDE = 2 };
    const vector zero = {0}, least = LEAST + zero;
    vector sums[WIDE];
    for (size_t v = 0; v < nvectors; v++)
        sums[v] = ((vector *)A)[v];
    for (size_t i = 0; i < n; i++) {
        vector *y = (vector *)(x + i * stride);
        const vector *s = (const vector *)(r + i * stride);
        for (size_t v = 0; v < nvectors; v++) {
            vector scaled = select(y[v] > least, factors[i] * s[v], zero);
            y[v] = scaled;
            sums[v] += scaled;
        }
    }
    for (size_t v = 0; v < nvectors; v++)
        ((vector *)A)[v] = sums[v];
}

SCANT_I_CLONES
static void scale_rows(double *x, const double *r, double *A, size_t n, size_t stride,
                       const double *factors)
{
    size_t first = 0;
    for (; first + 2 * LANES <= stride; first += 2 * LANES)
        scale_strip(x + first, r + first, A + first, n, stride, 2, factors);
    if (first < stride)
        scale_strip(x + first, r + first, A + first, n, stride, 1, factors);
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
    const double *c = couple(posterior, entry), *v = scant_i_posterior_telling(posterior, entry);
    N += part_of(posterior->evidence, entry) * K * stride;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double a = 0;
        for (size_t k = 0; k < K; k++)
            a += c[k * stride + j] * v[k];
        for (size_t k = 0; k < K && a > 0; k++)
            N[k * stride + j] +=
                r[j] * (c[k * stride + j] * v[k] / a); /* in this order: no underflow */
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

/* A block on its way. */
typedef struct walk {
    const scant_i_posterior *posterior;
    const scant_i_block *block;
    scant_i_posterior_head head;
    double *L;            /* nrows x stride: log F, then shifted log weights, then w r */
    double *r;            /* nrows x stride: exp of the shifted log weights */
    double *A, *N;        /* the chunk's statistics */
    double *own, *unused; /* stride each */
    double *top;          /* nrows: largest log weight, -inf where there is no mass */
    double *sum;          /* nrows: of r; then w / sum */
    double *log_sum, *product;
    double *loglik; /* nrows, or NULL: not asked for */
} walk;

static size_t entry_of(const walk *t, size_t i)
{
    return scant_i_evidence_entry(t->posterior->evidence, scant_i_block_row(t->block, i));
}

/* The first row after i that has another entry of evidence. */
static size_t end_of_run(const walk *t, size_t i)
{
    size_t e = entry_of(t, i);
    if (!t->posterior->evidence->code)
        return t->block->nrows;
    do
        i++;
    while (i < t->block->nrows && entry_of(t, i) == e);
    return i;
}

/* Rows of the posterior kind go another way, and stay as they are until they are finished. */
static void shift(walk *t)
{
    const scant_i_posterior *posterior = t->posterior;
    size_t stride = posterior->mixture->stride;
    for (size_t i = 0, end; i < t->block->nrows; i = end) {
        size_t e = entry_of(t, i);
        end = end_of_run(t, i);
        const double *log_a = posterior->log_a + e * stride;
        if (posterior->evidence->kind[e] == SCANT_I_POSTERIOR)
            continue;
        if (e >= posterior->ntabled) {
            make_log_a(posterior, e, t->own);
            log_a = t->own;
        }
        shift_rows(t->L + i * stride, log_a, end - i, stride, posterior->beta, t->top + i);
    }
}

/* Row i's part in the sums; its log-likelihood is l. */
static scant_status count_row(walk *t, size_t i, double w, double l)
{
    bool mass = l > -INFINITY;
    if (!mass && w > 0 && !t->loglik)
        return no_mass(t->posterior, t->block, i);
    if (t->loglik)
        t->loglik[i] = l;
    t->head.objective += mass ? w * l : 0;
    t->head.weight += w;
    return SCANT_OK;
}

/* Rows from `first` to `end`, which have entry e. */
static scant_status finish(walk *t, size_t first, size_t end, size_t e)
{
    const scant_i_posterior *posterior = t->posterior;
    size_t stride = posterior->mixture->stride;
    bool tabled = e < posterior->ntabled,
         copies = posterior->evidence->kind[e] == SCANT_I_POSTERIOR;
    for (size_t i = first; i < end; i++) {
        double w = scant_i_evidence_weight(posterior->evidence, scant_i_block_row(t->block, i));
        double *L = t->L + i * stride, l = -INFINITY;
        if (copies) {
            l = copies_of_row(posterior, e, w, L, t->N, t->own);
        } else if (isfinite(t->top[i])) {
            l = (t->top[i] + t->log_sum[i]) / posterior->beta;
            t->head.entropy += w * (t->log_sum[i] - t->product[i] / t->sum[i]);
            t->sum[i] = w / t->sum[i];
        }
        scant_status status = count_row(t, i, w, l);
        if (status != SCANT_OK)
            return status;
        for (size_t j = 0; l == -INFINITY && j < stride; j++)
            L[j] = copies ? 0 : LEAST; /* weights may be no numbers, where a density overflowed */
    }
    if (copies)
        return SCANT_OK;
    scale_rows(t->L + first * stride, t->r + first * stride, tabled ? t->A + e * stride : t->unused,
               end - first, stride, t->sum + first);
    for (size_t i = first; i < end && !tabled; i++)
        add_counts(posterior, e, t->L + i * stride, t->N);
    return SCANT_OK;
}

scant_status scant_i_posterior_block(const scant_i_posterior *posterior, const scant_i_block *block,
                                     double *L, double *statistics, double *loglik, double *room)
{
    size_t stride = posterior->mixture->stride, n = block->nrows;
    walk t = {.posterior = posterior, .block = block, .L = L, .r = room, .loglik = loglik};
    t.A = statistics + HEAD_SIZE;
    t.N = t.A + posterior->ntabled * stride;
    t.own = t.r + n * stride;
    t.unused = t.own + stride;
    t.top = t.unused + stride;
    t.sum = t.top + n;
    t.log_sum = t.sum + n;
    t.product = t.log_sum + n;
    shift(&t);
    scant_i_vector_exp(t.r, L, n * stride);
    sum_rows(t.r, L, n, stride, t.sum, t.product);
    scant_i_vector_log(t.log_sum, t.sum, n);
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of_run(&t, i);
        scant_status status = finish(&t, i, end, entry_of(&t, i));
        if (status != SCANT_OK)
            return status;
    }
    statistics[0] += t.head.objective;
    statistics[1] += t.head.weight;
    statistics[2] += t.head.entropy;
    return SCANT_OK;
}

scant_status scant_i_posterior_visit(const scant_i_block *block, double *L, double *own,
                                     double *room, void *posterior)
{
    return scant_i_posterior_block(posterior, block, L, own, NULL, room);
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

const double *scant_i_posterior_fallen(const scant_i_posterior *posterior, const double *statistics,
                                       size_t entry)
{
    return statistics + HEAD_SIZE + entry * posterior->mixture->stride;
}

void scant_i_posterior_labelled(const scant_i_posterior *posterior, const double *statistics,
                                double *N)
{
    /* entry k < K is "exactly class k" */
    memcpy(N, statistics + HEAD_SIZE,
           posterior->mixture->nclasses * posterior->mixture->stride * sizeof *N);
}

/* Weight of the rows of entry e that fell to class k. */
static double of_class(const scant_i_posterior *posterior, const double *A, size_t e, size_t k)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *v = scant_i_posterior_telling(posterior, e), *c = couple(posterior, e);
    double sum = 0;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double a = 0;
        for (size_t l = 0; l < K; l++)
            a += c[l * stride + j] * v[l];
        sum += a > 0 ? A[e * stride + j] * c[k * stride + j] * v[k] / a : 0;
    }
    return sum;
}

void scant_i_noise_maximise(scant_i_mixture *mixture, const scant_i_posterior *posterior,
                            const double *statistics, double *seen)
{
    const scant_i_evidence *evidence = posterior->evidence;
    size_t K = mixture->nclasses;
    for (size_t k = 0; k < K; k++) {
        double *noise = mixture->noise + k * K, total = 0;
        memset(seen, 0, K * sizeof *seen);
        for (size_t e = 0; e < evidence->nentries; e++) {
            const double *u = evidence->v + e * K;
            double v = scant_i_posterior_telling(posterior, e)[k];
            if (evidence->kind[e] != SCANT_I_LIKELIHOOD || !(v > 0) ||
                !scant_i_evidence_informs(evidence, e))
                continue;
            double weight = of_class(posterior, statistics + HEAD_SIZE, e, k);
            for (size_t y = 0; y < K; y++)
                seen[y] += weight * noise[y] * u[y] / v;
            total += weight;
        }
        for (size_t y = 0; y < K && total > 0; y++)
            noise[y] = seen[y] / total;
    }
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
