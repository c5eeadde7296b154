/* See posterior.h. Cost of a block: rows x components exponentials. */
#include "latent/posterior.h"

#include <math.h>
#include <string.h>

#include "latent/kernels.h"
#include "latent/structure.h"
#include "math/shares.h"
#include "math/special.h"

/* Tables of log a stay in the cache up to about this many entries. */
enum { TABLED_MAX = 512, HEAD_SIZE = SCANT_I_LANES };

static size_t count_tabled(const scant_i_mixture *mixture, const scant_i_evidence *evidence)
{
    size_t standard = evidence->nclasses + 1;
    if (mixture->coupling.noise) /* whose M-step asks for each entry's sums */
        return evidence->nentries;
    return scant_i_min(evidence->nentries, scant_i_max(standard, TABLED_MAX));
}

size_t scant_i_posterior_length(const scant_i_mixture *mixture, const scant_i_evidence *evidence)
{
    const scant_i_structure *structure = mixture->structure;
    size_t rest = SCANT_I_COUNTS * mixture->nclasses;
    size_t own = structure->nstatistics ? structure->nstatistics(mixture) : 0;
    return HEAD_SIZE + (count_tabled(mixture, evidence) + rest) * mixture->stride + own;
}

scant_status scant_i_posterior_new(scant_i_posterior *out, const scant_i_mixture *mixture,
                                   const scant_i_evidence *evidence)
{
    scant_status status = SCANT_OK;
    size_t table = mixture->nclasses * mixture->stride;
    *out = (scant_i_posterior){.mixture = mixture, .evidence = evidence, .beta = 1};
    out->ntabled = count_tabled(mixture, evidence);
    SCANT_I_TRY(SCANT_I_NEW(&out->log_a, out->ntabled * mixture->stride));
    SCANT_I_TRY(SCANT_I_NEW(&out->joint, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_pi, table));
    SCANT_I_TRY(SCANT_I_NEW(&out->log_P, mixture->nclasses));
    if (mixture->coupling.noise)
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

const double *scant_i_posterior_informative(const scant_i_posterior *posterior, size_t entry)
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
            const double *noise = posterior->mixture->coupling.noise + k * K;
            v[k] = scant_i_evidence_is_label(evidence, e) ? 0 : u[k];
            for (size_t y = 0; y < K && scant_i_evidence_is_label(evidence, e); y++)
                v[k] += noise[y] * u[y];
        }
    }
}

static void make_log_a(const scant_i_posterior *posterior, size_t entry, double *log_a)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *c = couple(posterior, entry),
                 *v = scant_i_posterior_informative(posterior, entry);
    memset(log_a, 0, stride * sizeof *log_a);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < mixture->ncomponents && v[k] != 0; j++)
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
        const double *W = mixture->coupling.W + k * stride;
        double P = 0;
        for (size_t j = 0; j < mixture->ncomponents; j++)
            P += W[j];
        posterior->log_P[k] = log(P);
        for (size_t j = 0; j < stride; j++) {
            double R = mixture->coupling.R ? mixture->coupling.R[k * stride + j] : 1;
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
    return scant_i_posterior_length(posterior->mixture, posterior->evidence);
}

scant_i_posterior_head scant_i_posterior_read(const double *statistics)
{
    return (scant_i_posterior_head){statistics[0], statistics[1], statistics[2]};
}

/* --- a block --- */

/* Which of the three parts of N the rows of an entry count in. */
static size_t part_of(const scant_i_evidence *evidence, size_t entry)
{
    if (evidence->kind[entry] == SCANT_I_PRIOR)
        return SCANT_I_OWN_PRIOR;
    return scant_i_evidence_informs(evidence, entry) ? SCANT_I_INFORMATIVE : SCANT_I_UNINFORMATIVE;
}

/* N += r c v / a, for responsibilities r of one row, or of all rows of an entry together */
static void add_counts(const scant_i_posterior *posterior, size_t entry, const double *r, double *N)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, K = mixture->nclasses;
    const double *c = couple(posterior, entry),
                 *v = scant_i_posterior_informative(posterior, entry);
    N += part_of(posterior->evidence, entry) * K * stride;
    size_t first = 0, end = K; /* most entries name a class */
    while (first < K && v[first] == 0)
        first++;
    while (end > first && v[end - 1] == 0)
        end--;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double a = 0;
        for (size_t k = first; k < end; k++)
            a += c[k * stride + j] * v[k];
        for (size_t k = first; k < end && a > 0; k++)
            N[k * stride + j] +=
                r[j] * (c[k * stride + j] * v[k] / a); /* in this order: no underflow */
    }
}

/* A row of the posterior kind: L becomes w r, N takes its counts; returns its log-likelihood, -inf
 * without mass, and in *entropy that of its components. `own` has stride doubles. */
static double copies_of_row(const scant_i_posterior *posterior, size_t entry, double w, double *L,
                            double *N, double *own, double *entropy)
{
    const scant_i_mixture *mixture = posterior->mixture;
    size_t stride = mixture->stride, M = mixture->ncomponents, K = mixture->nclasses;
    const double *v = posterior->evidence->v + entry * K;
    double l = 0;
    *entropy = 0;
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
        double log_sum = top + log(sum);
        l += v[k] * (posterior->log_P[k] + log_sum / posterior->beta);
        for (size_t j = 0; j < M; j++) {
            double log_r = posterior->beta * (log_pi[j] + L[j]) - log_sum, r = v[k] * exp(log_r);
            own[j] += r;
            *entropy -= r > 0 ? r * log_r : 0;
            N[SCANT_I_INFORMATIVE * K * stride + k * stride + j] += w * r;
        }
    }
    for (size_t j = 0; j < stride; j++)
        L[j] = w * own[j];
    return l;
}

static scant_status no_mass(const scant_i_block *block, size_t i)
{
    size_t place = scant_i_block_place(block, i);
    if (!scant_i_block_unknown(block, i))
        return scant_i_batch_fail_label(block->batch, place,
                                        "no component can make this row under its label");
    return scant_i_batch_fail_cell(block->batch, place, 0, "no component can make this row");
}

/* A block on its way. */
typedef struct walk {
    const scant_i_posterior *posterior;
    const scant_i_block *block;
    double *L;            /* nrows x stride: log F, then w r */
    double *A, *N;        /* the chunk's statistics */
    double *own, *unused; /* stride each */
    double *w;            /* nrows */
    double *top;          /* nrows: largest log weight, -inf where there is no mass */
    double *sum;          /* nrows: of the weights over the largest */
    double *log_sum, *product;
} walk;

static size_t entry_of(const walk *t, size_t i)
{
    return scant_i_block_entry(t->posterior->evidence, t->block, i);
}

/* The first row after i that has another entry of evidence. */
static size_t end_of_run(const walk *t, size_t i)
{
    size_t e = entry_of(t, i);
    if (!t->block->batch->code)
        return t->block->nrows;
    do
        i++;
    while (i < t->block->nrows && entry_of(t, i) == e);
    return i;
}

/* Rows from `first` to `end`, which have entry e, of the posterior kind. */
static void copies_of_rows(const walk *t, size_t first, size_t end, size_t e)
{
    const scant_i_posterior *posterior = t->posterior;
    for (size_t i = first; i < end; i++) {
        double *L = t->L + i * posterior->mixture->stride;
        double entropy, l = copies_of_row(posterior, e, t->w[i], L, t->N, t->own, &entropy);
        if (l == -INFINITY)
            memset(L, 0, posterior->mixture->stride * sizeof *L);
        t->top[i] = posterior->beta * l;
        t->sum[i] = 1;
        t->product[i] = -entropy;
    }
}

/* The same of any other kind. */
static void shares_of_rows(const walk *t, size_t first, size_t end, size_t e)
{
    const scant_i_posterior *posterior = t->posterior;
    size_t stride = posterior->mixture->stride;
    bool tabled = e < posterior->ntabled;
    const double *log_a = tabled ? posterior->log_a + e * stride : t->own;
    if (!tabled)
        make_log_a(posterior, e, t->own);
    scant_i_share(&(scant_i_shares){.n = end - first,
                                    .stride = stride,
                                    .L = t->L + first * stride,
                                    .log_a = log_a,
                                    .A = tabled ? t->A + e * stride : t->unused,
                                    .beta = posterior->beta,
                                    .w = t->w + first,
                                    .top = t->top + first,
                                    .sum = t->sum + first,
                                    .product = t->product + first});
    for (size_t i = first; i < end && !tabled; i++)
        add_counts(posterior, e, t->L + i * stride, t->N);
}

/* The rows' parts in the head; top becomes the log-likelihood. Are there rows without mass that count? */
static bool count_rows(const walk *t, scant_i_posterior_head *head)
{
    scant_i_row_totals total;
    scant_i_latent_kernels_now()->count_rows(&total, t->top, t->w, t->sum, t->log_sum, t->product,
                                             t->block->nrows, t->posterior->beta);
    head->objective += total.objective;
    head->weight += total.weight;
    head->entropy += total.entropy;
    return total.lost > 0;
}

static void weigh_rows(const walk *t)
{
    for (size_t i = 0; i < t->block->nrows; i++)
        t->w[i] = scant_i_block_weight(t->posterior->evidence, t->block, i);
}

scant_status scant_i_posterior_block(const scant_i_posterior *posterior, const scant_i_block *block,
                                     double *L, double *statistics, double *loglik, double *room)
{
    size_t stride = posterior->mixture->stride, n = block->nrows;
    walk t = {.posterior = posterior, .block = block, .L = L, .own = room};
    t.A = statistics + HEAD_SIZE;
    t.N = scant_i_posterior_rest(posterior, statistics);
    t.unused = t.own + stride;
    t.w = t.unused + stride;
    t.top = t.w + n;
    t.sum = t.top + n;
    t.log_sum = t.sum + n;
    t.product = t.log_sum + n;
    weigh_rows(&t);
    for (size_t i = 0, end; i < n; i = end) {
        size_t e = entry_of(&t, i);
        end = end_of_run(&t, i);
        if (posterior->evidence->kind[e] == SCANT_I_POSTERIOR)
            copies_of_rows(&t, i, end, e);
        else
            shares_of_rows(&t, i, end, e);
    }
    scant_i_vector_log(t.log_sum, t.sum, n);
    scant_i_posterior_head head = scant_i_posterior_read(statistics);
    if (count_rows(&t, &head) && !loglik)
        for (size_t i = 0; i < n; i++)
            if (t.w[i] > 0 && t.top[i] == -INFINITY)
                return no_mass(block, i);
    if (loglik)
        memcpy(loglik, t.top, n * sizeof *loglik);
    statistics[0] = head.objective;
    statistics[1] = head.weight;
    statistics[2] = head.entropy;
    return SCANT_OK;
}

const double *scant_i_posterior_log_a(const scant_i_posterior *posterior, size_t entry,
                                      double *room)
{
    if (entry < posterior->ntabled)
        return posterior->log_a + entry * posterior->mixture->stride;
    make_log_a(posterior, entry, room);
    return room;
}

void scant_i_posterior_add(const scant_i_posterior *posterior, double *statistics, size_t entry,
                           const double *r)
{
    size_t stride = posterior->mixture->stride;
    double *A = statistics + HEAD_SIZE + entry * stride;
    if (entry >= posterior->ntabled)
        add_counts(posterior, entry, r, scant_i_posterior_rest(posterior, statistics));
    for (size_t j = 0; j < stride && entry < posterior->ntabled; j++)
        A[j] += r[j];
}

double *scant_i_posterior_rest(const scant_i_posterior *posterior, double *statistics)
{
    return statistics + HEAD_SIZE + posterior->ntabled * posterior->mixture->stride;
}

double *scant_i_posterior_own(const scant_i_posterior *posterior, double *statistics)
{
    const scant_i_mixture *mixture = posterior->mixture;
    return scant_i_posterior_rest(posterior, statistics) +
           SCANT_I_COUNTS * mixture->nclasses * mixture->stride;
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

const double *scant_i_posterior_expected(const scant_i_posterior *posterior,
                                         const double *statistics, size_t entry)
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
    const double *v = scant_i_posterior_informative(posterior, e), *c = couple(posterior, e);
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
        double *noise = mixture->coupling.noise + k * K, total = 0;
        memset(seen, 0, K * sizeof *seen);
        for (size_t e = 0; e < evidence->nentries; e++) {
            const double *u = evidence->v + e * K;
            double v = scant_i_posterior_informative(posterior, e)[k];
            if (!scant_i_evidence_is_label(evidence, e) || !(v > 0) ||
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

/* the same of all components of class k */
static double sum_of_class(const scant_i_mixture *mixture, const double *N, size_t k, size_t first,
                           size_t last)
{
    size_t stride = mixture->stride;
    double sum = 0;
    for (size_t j = 0; j < mixture->ncomponents; j++)
        sum += sum_of(N, mixture->nclasses * stride, k * stride + j, first, last);
    return sum;
}

/* Rows that bring their own proportions tell the components of classes that have no share, and W = P pi must hold them:
 * negligible compared with any other weight, and far from the least that W stays at. */
static const double LEAST_SHARE = 1e-200;

static void maximise_class_major(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, M = mixture->ncomponents, table = mixture->nclasses * stride;
    double speaking = 0;
    for (size_t t = 0; t < table; t++)
        speaking += sum_of(N, table, t, SCANT_I_INFORMATIVE, SCANT_I_UNINFORMATIVE);
    for (size_t k = 0; k < mixture->nclasses; k++) {
        double of_class = sum_of_class(mixture, N, k, SCANT_I_INFORMATIVE, SCANT_I_OWN_PRIOR);
        double of_speaking =
            sum_of_class(mixture, N, k, SCANT_I_INFORMATIVE, SCANT_I_UNINFORMATIVE);
        double P = mixture->coupling.prior ? mixture->coupling.prior[k]
                   : speaking > 0          ? of_speaking / speaking
                                           : mixture->coupling.fallback[k];
        for (size_t j = 0; j < M; j++) {
            double n = sum_of(N, table, k * stride + j, SCANT_I_INFORMATIVE, SCANT_I_OWN_PRIOR);
            if (of_class > 0) /* with a prior a class that no row fell to keeps its components */
                scant_i_mixture_couple(mixture, j, k, fmax(P, LEAST_SHARE) * (n / of_class));
        }
    }
}

static void maximise_component_major(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, K = mixture->nclasses, table = K * stride;
    double total = 0;
    for (size_t t = 0; t < table; t++)
        total += sum_of(N, table, t, SCANT_I_INFORMATIVE, SCANT_I_UNINFORMATIVE);
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double of_component = 0, telling = 0, before = 0;
        for (size_t k = 0; k < K; k++) {
            of_component +=
                sum_of(N, table, k * stride + j, SCANT_I_INFORMATIVE, SCANT_I_UNINFORMATIVE);
            telling += N[SCANT_I_INFORMATIVE * table + k * stride + j];
            before += mixture->coupling.W[k * stride + j];
        }
        for (size_t k = 0; k < K; k++) {
            double B = telling > 0  ? N[SCANT_I_INFORMATIVE * table + k * stride + j] / telling
                       : before > 0 ? mixture->coupling.W[k * stride + j] / before
                                    : 0;
            scant_i_mixture_couple(mixture, j, k, of_component / total * B);
        }
    }
}

/* A class that no row fell to has no share of what is estimated. */
static void close_classes(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride;
    for (size_t k = 0; k < mixture->nclasses; k++)
        if (!(sum_of_class(mixture, N, k, SCANT_I_INFORMATIVE, SCANT_I_OWN_PRIOR) > 0))
            memset(mixture->coupling.W + k * stride, 0, stride * sizeof *mixture->coupling.W);
}

static void maximise_factor(scant_i_mixture *mixture, const double *N)
{
    size_t stride = mixture->stride, table = mixture->nclasses * stride;
    for (size_t j = 0; j < mixture->ncomponents; j++) {
        double of_component = 0;
        for (size_t k = 0; k < mixture->nclasses; k++)
            of_component +=
                sum_of(N, table, k * stride + j, SCANT_I_INFORMATIVE, SCANT_I_OWN_PRIOR);
        for (size_t k = 0; k < mixture->nclasses && of_component > 0; k++)
            mixture->coupling.R[k * stride + j] =
                sum_of(N, table, k * stride + j, SCANT_I_INFORMATIVE, SCANT_I_OWN_PRIOR) /
                of_component;
    }
}

void scant_i_coupling_maximise(scant_i_mixture *mixture, const double *N)
{
    if (mixture->coupling.R && mixture->coupling.R_free)
        maximise_factor(mixture, N);
    if (mixture->coupling.component_major)
        maximise_component_major(mixture, N);
    else
        maximise_class_major(mixture, N);
    if (!mixture->coupling.prior)
        close_classes(mixture, N);
}
