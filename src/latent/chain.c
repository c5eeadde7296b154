/* A chain of hidden states, see chain.h. Rabiner (1989), evidence as in (partial labels) masks.
 *
 *   forward   f_tj = P(s_t = j | steps up to t),  c_t = p(step t | those before)
 *   backward  b_tj,  r_tj = f_tj b_tj,  xi_ij = sum_t f_{t-1,i} A_ij u_tj  (kernels/chain.c)
 *   l = sum_t log c_t,  row t's part of it: log c_t
 *   M-step    start_j = sum r_1j,  A_ij = xi_ij, made shares; W[k][j] = expected rows of j, by class
 *
 * Weights relative to a step's largest and shares are held above a least number, so nothing underflows; where a
 * responsibility rests on one of those numbers the sequence is done again with logarithms.
 *
 * Steps of which nothing is known weigh u each, as unlabeled rows do, in a sequence of n steps of which k are known:
 *   l_s = c log p(x, e) + (1 - c) sum over known t of log sum_j F_tj b_tj,   c = u + (1 - u) k / n
 * so that a known step has weight 1 in all, a sequence of known steps counts in full, and EM raises the sum of w_s l_s. w_s is
 * the weight of its first row. Best paths: Viterbi (1967). Cost: 6 M^2 flop
 * and M exponentials a step. */
#include "latent/chain.h"

#include <math.h>
#include <string.h>

#include "latent/kernels.h"
#include "math/linear.h"

/* Responsibilities this small do not matter. */
static const double NEGLIGIBLE = 1e-14;

static bool begins(const scant_i_batch *batch, size_t row)
{
    return row == 0 || (batch->sequence && batch->sequence[row] != batch->sequence[row - 1]);
}

static size_t ties_of(size_t ncomponents, size_t stride)
{
    return (1 + ncomponents) * stride;
}

/* Counts of its own: starts, and transitions, laid out as the ties. */
static size_t nstatistics(const scant_i_mixture *mixture)
{
    return ties_of(mixture->ncomponents, mixture->stride);
}

/* Where things are in the room; tables have stride lines. */
typedef struct chain {
    const scant_i_posterior *posterior;
    size_t stride, M;
    double beta;
    double *start, *A;         /* to the power beta */
    double *back;              /* A's transpose */
    double *log_start, *log_A; /* of start and A */
    double *log_b;             /* stride: of an entry of evidence */
    double *xi;                /* table: of the current sequence */
    double *L;                 /* a line a step, as are the next: logs of densities and evidence */
    double *weight, *forward;
    double *top, *scale; /* a number a step */
} chain;

static size_t room_of(size_t nrows, size_t stride)
{
    size_t tables = 4 * stride * stride + 3 * stride;
    return scant_i_max(scant_i_posterior_room(nrows, stride),
                       tables + 3 * nrows * stride + 2 * scant_i_round_up(nrows, SCANT_I_LANES));
}

static chain chain_in(const scant_i_posterior *p, size_t nrows, double *room)
{
    size_t stride = p->mixture->stride, table = stride * stride;
    chain c = {.posterior = p, .stride = stride, .M = p->mixture->ncomponents, .beta = p->beta};
    c.start = room;
    c.log_start = c.start + stride;
    c.log_b = c.log_start + stride;
    c.A = c.log_b + stride;
    c.back = c.A + table;
    c.log_A = c.back + table;
    c.xi = c.log_A + table;
    c.L = c.xi + table;
    c.weight = c.L + nrows * stride;
    c.forward = c.weight + nrows * stride;
    c.top = c.forward + nrows * stride;
    c.scale = c.top + scant_i_round_up(nrows, SCANT_I_LANES);
    return c;
}

static double power(const chain *c, double x)
{
    return c->beta == 1 || !(x > 0) ? x : pow(x, c->beta);
}

static void prepare(const chain *c)
{
    const double *start = scant_i_chain_start(c->posterior->mixture);
    const double *A = scant_i_chain_transitions(c->posterior->mixture);
    memset(c->back, 0, c->stride * c->stride * sizeof *c->back);
    for (size_t j = 0; j < c->stride; j++) {
        c->start[j] = power(c, start[j]);
        c->log_start[j] = log(c->start[j]);
    }
    for (size_t i = 0; i < c->M; i++)
        for (size_t j = 0; j < c->stride; j++) {
            double a = power(c, A[i * c->stride + j]);
            c->A[i * c->stride + j] = a;
            c->log_A[i * c->stride + j] = log(a);
            if (j < c->M)
                c->back[j * c->stride + i] = a;
        }
}

/* --- evidence --- */

static size_t entry_of(const chain *c, const scant_i_block *block, size_t t)
{
    return scant_i_block_entry(c->posterior->evidence, block, t);
}

/* Logs of densities and evidence; states that cannot be have -inf. */
static void add_evidence(const chain *c, const scant_i_block *block, size_t first, size_t n,
                         const double *L)
{
    const scant_i_posterior *p = c->posterior;
    size_t entry = SIZE_MAX;
    const double *all = p->log_a + p->evidence->nclasses * c->stride; /* where nothing is known */
    for (size_t t = 0; t < n; t++) {
        if (entry_of(c, block, first + t) != entry) {
            entry = entry_of(c, block, first + t);
            const double *log_a = scant_i_posterior_log_a(p, entry, c->log_b);
            for (size_t j = 0; j < c->stride; j++)
                c->log_b[j] = all[j] > -INFINITY ? log_a[j] - all[j] : -INFINITY;
        }
        for (size_t j = 0; j < c->stride; j++)
            c->L[t * c->stride + j] = L[t * c->stride + j] + c->log_b[j];
    }
}

/* Of the sequence of steps first to end - 1: c w_s and (1 - c) w_s. */
typedef struct weights {
    double chain, steps;
} weights;

static weights weights_of(const chain *c, const scant_i_block *block, size_t first, size_t end)
{
    const scant_i_batch *batch = block->batch;
    double w = batch->weight ? batch->weight[scant_i_block_place(block, first)] : 1, known = 0;
    for (size_t t = first; t < end; t++)
        known += !scant_i_block_unknown(block, t);
    double u = c->posterior->evidence->unlabelled_weight;
    double share = u + (1 - u) * known / (double)(end - first);
    return (weights){w * share, known > 0 && share < 1 ? w * (1 - share) : 0};
}

/* --- one sequence: n steps --- */

static scant_i_chain_steps steps_of(const chain *c, size_t n, double *r)
{
    return (scant_i_chain_steps){.n = n,
                                 .stride = c->stride,
                                 .M = c->M,
                                 .beta = c->beta,
                                 .start = c->start,
                                 .A = c->A,
                                 .back = c->back,
                                 .L = c->L,
                                 .r = r,
                                 .weight = c->weight,
                                 .forward = c->forward,
                                 .top = c->top,
                                 .scale = c->scale};
}

static double log_sum_exp(const double *x, size_t n)
{
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++)
        top = fmax(top, x[j]);
    for (size_t j = 0; j < n && top > -INFINITY; j++)
        sum += exp(x[j] - top);
    return top > -INFINITY ? top + log(sum) : top;
}

/* The same with logarithms throughout: `forward` and `weight` have log f and log b, `scale` log c. */
static void forward_in_logs(const chain *c, size_t n, double *x)
{
    for (size_t t = 0; t < n; t++) {
        double *f = c->forward + t * c->stride;
        const double *before = f - c->stride, *now = c->L + t * c->stride;
        for (size_t j = 0; j < c->M; j++) {
            for (size_t i = 0; i < c->M && t > 0; i++)
                x[i] = before[i] + c->log_A[i * c->stride + j];
            f[j] = (t > 0 ? log_sum_exp(x, c->M) : c->log_start[j]) + c->beta * now[j];
        }
        c->scale[t] = log_sum_exp(f, c->M);
        for (size_t j = 0; j < c->M; j++)
            f[j] -= c->scale[t];
    }
}

static void backward_in_logs(const chain *c, size_t n, double *x)
{
    for (size_t t = n; t-- > 0;) {
        double *b = c->weight + t * c->stride;
        const double *after = b + c->stride, *next = c->L + (t + 1) * c->stride;
        for (size_t i = 0; i < c->M; i++) {
            for (size_t j = 0; j < c->M && t + 1 < n; j++)
                x[j] = c->log_A[i * c->stride + j] + c->beta * next[j] + after[j];
            b[i] = t + 1 < n ? log_sum_exp(x, c->M) - c->scale[t + 1] : 0;
        }
    }
}

/* Returns sum r L. */
static double expect_in_logs(const chain *c, size_t n, double *r, double w)
{
    size_t stride = c->stride;
    double joint = 0;
    memset(c->xi, 0, stride * stride * sizeof *c->xi);
    forward_in_logs(c, n, c->log_b);
    backward_in_logs(c, n, c->log_b);
    for (size_t t = 1; t < n; t++)
        for (size_t i = 0; i < c->M; i++)
            for (size_t j = 0; j < c->M; j++)
                c->xi[i * stride + j] +=
                    exp(c->forward[(t - 1) * stride + i] + c->log_A[i * stride + j] +
                        c->beta * c->L[t * stride + j] + c->weight[t * stride + j] - c->scale[t]);
    for (size_t k = 0; k < n * stride; k++) {
        double share = k % stride < c->M ? exp(c->forward[k] + c->weight[k]) : 0;
        joint += share > 0 ? share * c->L[k] : 0;
        r[k] = w * share;
    }
    return joint;
}

/* Transitions of the fast way: xi_ij = A_ij sum_t f_{t-1,i} u_tj; and logs of the scales. */
static void finish_steps(const chain *c, size_t n)
{
    memset(c->xi, 0, c->stride * c->stride * sizeof *c->xi);
    scant_i_product(c->xi, c->forward, c->stride, c->weight + c->stride, c->M, n - 1, c->stride);
    for (size_t k = 0; k < c->M * c->stride; k++)
        c->xi[k] *= c->A[k];
    for (size_t t = 0; t < n; t++)
        c->scale[t] = c->top[t] + log(c->scale[t]);
}

/* What no path can make has responsibilities 0. */
static void expect_nothing(const chain *c, size_t n, double *r)
{
    memset(c->xi, 0, c->stride * c->stride * sizeof *c->xi);
    memset(r, 0, n * c->stride * sizeof *r);
    for (size_t t = 0; t < n; t++)
        c->scale[t] = -INFINITY;
}

/* r becomes w times the responsibilities, c->xi the transitions of weight 1, c->scale logs of steps given those before, and
 * *joint the mean of sum L; returns how many steps a path comes to: not all, and there is nothing. */
static size_t expect_steps(const chain *c, size_t n, double w, double *r, double *joint)
{
    const scant_i_latent_kernels *kernels = scant_i_latent_kernels_now();
    scant_i_chain_steps s = steps_of(c, n, r);
    scant_i_chain_found found;
    *joint = 0;
    kernels->chain_weigh(&s);
    size_t done = kernels->chain_forward(&s);
    if (done < n) {
        expect_nothing(c, n, r);
        return done;
    }
    kernels->chain_backward(&found, &s, w);
    if (found.doubt < NEGLIGIBLE && fabs(found.total - 1) < 1e-6) {
        *joint = found.log_joint;
        finish_steps(c, n);
    } else {
        *joint = expect_in_logs(c, n, r, w);
    }
    return n;
}

/* --- decoding: r is 1 at the state that is read --- */

/* The likeliest path; `forward` has its scores, `weight` where they come from. */
static size_t best_path(const chain *c, size_t n, double *r)
{
    size_t stride = c->stride, state = 0;
    for (size_t t = 0; t < n; t++) {
        double *score = c->forward + t * stride, *from = c->weight + t * stride;
        const double *before = score - stride;
        double top = -INFINITY;
        for (size_t j = 0; j < c->M; j++) {
            score[j] = t > 0 ? -INFINITY : c->log_start[j];
            for (size_t i = 0; i < c->M && t > 0; i++) {
                double through = before[i] + c->log_A[i * stride + j];
                if (through > score[j]) {
                    score[j] = through;
                    from[j] = (double)i;
                }
            }
            score[j] += c->L[t * stride + j];
            top = fmax(top, score[j]);
        }
        if (!(top > -INFINITY)) {
            expect_nothing(c, n, r);
            return t;
        }
    }
    for (size_t j = 1; j < c->M; j++)
        if (c->forward[(n - 1) * stride + j] > c->forward[(n - 1) * stride + state])
            state = j;
    memset(r, 0, n * stride * sizeof *r);
    for (size_t t = n; t-- > 0;) {
        double score = c->forward[t * stride + state];
        r[t * stride + state] = 1;
        size_t before = t > 0 ? (size_t)c->weight[t * stride + state] : 0;
        c->scale[t] = score - (t > 0 ? c->forward[(t - 1) * stride + before] : 0);
        state = before;
    }
    return n;
}

static size_t filter(const chain *c, size_t n, double *r)
{
    forward_in_logs(c, n, c->log_b);
    for (size_t t = 0; t < n; t++)
        if (!(c->scale[t] > -INFINITY)) {
            expect_nothing(c, n, r);
            return t;
        }
    for (size_t k = 0; k < n * c->stride; k++)
        r[k] = k % c->stride < c->M ? exp(c->forward[k]) : 0;
    return n;
}

static size_t decode_steps(const chain *c, size_t n, double *r)
{
    double joint;
    switch (c->posterior->decoding) {
    case SCANT_I_FILTERED: return filter(c, n, r);
    case SCANT_I_BEST_PATH: return best_path(c, n, r);
    case SCANT_I_SMOOTHED: break;
    }
    return expect_steps(c, n, 1, r, &joint);
}

/* --- all sequences of a block --- */

static scant_status no_path(const scant_i_block *block, size_t t)
{
    size_t place = scant_i_block_place(block, t);
    if (!scant_i_block_unknown(block, t))
        return scant_i_batch_fail_label(block->batch, place,
                                        "no path of states makes its sequence up to this label");
    return scant_i_batch_fail_cell(block->batch, place, 0,
                                   "no path of states makes its sequence up to this row");
}

/* Adds what is known of single steps, with weight w, to responsibilities and head. */
static void count_known(const chain *c, const scant_i_block *block, size_t first, size_t n,
                        double w, double *r, double *statistics)
{
    for (size_t t = 0; t < n; t++) {
        const double *L = c->L + t * c->stride;
        double *share = c->log_b, sum, joint = 0;
        if (scant_i_block_unknown(block, first + t))
            continue;
        for (size_t j = 0; j < c->M; j++)
            share[j] = c->beta * L[j];
        sum = log_sum_exp(share, c->M);
        for (size_t j = 0; j < c->M; j++) {
            double of = exp(share[j] - sum);
            r[t * c->stride + j] += w * of;
            joint += of > 0 ? of * share[j] : 0;
        }
        statistics[0] += w * sum / c->beta;
        statistics[1] += w;
        statistics[2] += w * (sum - joint);
    }
}

/* Adds a sequence to the statistics. */
static void count(const chain *c, const scant_i_block *block, size_t first, size_t n, weights w,
                  double *r, double joint, double *statistics)
{
    size_t stride = c->stride;
    double *own = scant_i_posterior_own(c->posterior, statistics), log_sum = 0;
    joint *= c->beta;
    for (size_t t = 0; t < n; t++)
        log_sum += c->scale[t];
    for (size_t j = 0; j < c->M; j++)
        joint += r[j] > 0 ? r[j] / w.chain * c->log_start[j] : 0;
    for (size_t j = 0; j < stride; j++)
        own[j] += r[j];
    for (size_t k = 0; k < c->M * stride; k++) {
        joint += c->xi[k] > 0 ? c->xi[k] * c->log_A[k] : 0;
        own[stride + k] += w.chain * c->xi[k];
    }
    statistics[0] += w.chain * log_sum / c->beta;
    statistics[1] += w.chain * (double)n;
    statistics[2] += w.chain * (log_sum - joint);
    if (w.steps > 0)
        count_known(c, block, first, n, w.steps, r, statistics);
    for (size_t t = 0; t < n; t++)
        scant_i_posterior_add(c->posterior, statistics, entry_of(c, block, first + t),
                              r + t * stride);
}

static size_t end_of_sequence(const scant_i_block *block, size_t t)
{
    do
        t++;
    while (t < block->nrows && !begins(block->batch, scant_i_block_place(block, t)));
    return t;
}

static scant_status expect(const scant_i_posterior *p, const scant_i_block *block, double *L,
                           double *statistics, double *loglik, double *room)
{
    chain c = chain_in(p, block->nrows, room);
    prepare(&c);
    for (size_t first = 0, end; first < block->nrows; first = end) {
        end = end_of_sequence(block, first);
        size_t n = end - first, done;
        double *r = L + first * c.stride, joint = 0;
        weights w = weights_of(&c, block, first, end);
        add_evidence(&c, block, first, n, r);
        done = loglik ? decode_steps(&c, n, r) : expect_steps(&c, n, w.chain, r, &joint);
        if (done < n && !loglik && w.chain > 0)
            return no_path(block, first + done);
        if (done == n && !loglik && w.chain > 0)
            count(&c, block, first, n, w, r, joint, statistics);
        for (size_t t = 0; t < n && loglik; t++)
            loglik[first + t] = c.scale[t] / c.beta;
    }
    return SCANT_OK;
}

static void classes(const scant_i_posterior *posterior, const scant_i_block *block,
                    const scant_i_naming *naming, const double *r, const double *loglik,
                    double *out)
{
    scant_i_structure_rows.classes(posterior, block, naming, r, loglik, out);
}

/* --- parameters --- */

/* x (n) becomes shares of the counts, what is 0 stays; without counts all stays. */
static void take_shares(double *x, const double *count, size_t n)
{
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += x[j] > 0 ? count[j] : 0;
    for (size_t j = 0; j < n && total > 0; j++)
        x[j] = x[j] > 0 ? fmax(count[j] / total, SCANT_I_CHAIN_TRANSITION) : 0;
}

static void maximise(scant_i_mixture *mixture, const double *own)
{
    size_t M = mixture->ncomponents, stride = mixture->stride;
    for (size_t line = 0; line <= M; line++)
        take_shares(mixture->ties + line * stride, own + line * stride, M);
}

/* Shares that add up to one a line, and those of classes in each state. */
static size_t degrees(const scant_i_mixture *mixture)
{
    size_t M = mixture->ncomponents, stride = mixture->stride, sum = 0;
    for (size_t line = 0; line <= M; line++) {
        size_t used = 0;
        for (size_t j = 0; j < M; j++)
            used += mixture->ties[line * stride + j] > 0;
        sum += used ? used - 1 : 0;
    }
    for (size_t j = 0; j < M; j++) {
        size_t used = 0;
        for (size_t k = 0; k < mixture->nclasses; k++)
            used += mixture->coupling.W[k * stride + j] > 0;
        sum += used ? used - 1 : 0;
    }
    return sum;
}

scant_status scant_i_chain_lay(scant_i_mixture *mixture, const double *start,
                               const double *transitions)
{
    size_t M = mixture->ncomponents, stride = mixture->stride;
    mixture->structure = &scant_i_structure_chain;
    mixture->nties = ties_of(M, stride);
    scant_i_free(mixture->ties);
    scant_status status = SCANT_I_NEW(&mixture->ties, mixture->nties);
    for (size_t line = 0; line <= M && status == SCANT_OK; line++) {
        const double *open = line == 0 ? start : transitions ? transitions + (line - 1) * M : NULL;
        double *to = mixture->ties + line * stride, used = 0;
        for (size_t j = 0; j < M; j++)
            used += !open || open[j] > 0;
        for (size_t j = 0; j < M; j++)
            to[j] = !open || open[j] > 0 ? 1 / used : 0;
    }
    mixture->coupling.component_major = true;
    return status;
}

const scant_i_structure scant_i_structure_chain = {
    .name = "chain",
    .begins = begins,
    .nstatistics = nstatistics,
    .room = room_of,
    .expect = expect,
    .share = scant_i_posterior_block, /* each row alone */
    .counts = scant_i_posterior_counts,
    .classes = classes,
    .maximise = maximise,
    .degrees = degrees,
};
