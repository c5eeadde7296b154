/* Jensen and reverse-Jensen bounds of one log-sum, and of several (thesis, 6.2, 5.6 and 6.7). See bound.h.
 * Cost: one evaluation of the sum and of zz for each element. */
#include "latent/bound.h"

#include <math.h>
#include <string.h>

/* w lies above w' by this share, so that rows lie within the range and not on its edge. */
static const double INSIDE = 1e-9;

static size_t nblocks(const scant_i_bound_sum *s)
{
    return s->models + (s->mixing ? 1 : 0);
}

static const scant_i_bound_law *law_of(const scant_i_bound_sum *s, size_t block)
{
    return block < s->models ? s->law : &scant_i_bound_choice;
}

static size_t size_of(const scant_i_bound_sum *s, size_t block)
{
    return block < s->models ? s->size : s->models - 1;
}

size_t scant_i_bound_length(const scant_i_bound_sum *sum)
{
    return sum->models * sum->size + (sum->mixing ? sum->models - 1 : 0);
}

/* K of every block, and unless NULL K' (a point). */
static bool cumulants(const scant_i_bound_sum *s, const double *point, double *K, double *mean)
{
    bool sound = true;
    double unused[SCANT_I_BOUND_SIZE];
    for (size_t b = 0; b < nblocks(s); b++)
        sound = law_of(s, b)->cumulant(size_of(s, b), point + b * s->size, &K[b],
                                       mean ? mean + b * s->size : unused) &&
                sound;
    return sound;
}

/* The log of element n of model m. */
static double log_term(const scant_i_bound_sum *s, const double *point, const double *K, size_t m,
                       size_t n)
{
    const double *X = s->X + (m * s->elements + n) * s->size, *Th = point + m * s->size;
    double sum = s->log_a[m * s->elements + n] - K[m];
    for (size_t d = 0; d < s->size; d++)
        sum += X[d] * Th[d];
    if (s->mixing)
        sum += (m + 1 < s->models ? point[s->models * s->size + m] : 0) - K[s->models];
    return sum;
}

typedef struct log_total {
    double top, sum;
} log_total;

static void add(log_total *t, double term)
{
    if (term == -INFINITY)
        return;
    if (term > t->top) {
        t->sum = t->sum * exp(t->top - term) + 1;
        t->top = term;
    } else {
        t->sum += exp(term - t->top);
    }
}

static double log_sum(const scant_i_bound_sum *s, const double *point, const double *K)
{
    log_total total = {-INFINITY, 0};
    for (size_t m = 0; m < s->models; m++)
        for (size_t n = 0; n < s->elements; n++)
            add(&total, log_term(s, point, K, m, n));
    return total.top + log(total.sum);
}

double scant_i_bound_log_p(const scant_i_bound_sum *sum, const double *point)
{
    double K[SCANT_I_BOUND_MODELS + 1];
    return cumulants(sum, point, K, NULL) ? log_sum(sum, point, K) : -INFINITY;
}

scant_status scant_i_bound_new(scant_i_bound *out, const scant_i_bound_sum *sum)
{
    scant_status status = SCANT_OK;
    size_t length = scant_i_bound_length(sum);
    *out = (scant_i_bound){.sum = sum};
    if (sum->size > SCANT_I_BOUND_SIZE || sum->models > SCANT_I_BOUND_MODELS)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a bound of more than %d models or %d parameters",
                            SCANT_I_BOUND_MODELS, SCANT_I_BOUND_SIZE);
    SCANT_I_TRY(SCANT_I_NEW(&out->contact, length));
    SCANT_I_TRY(SCANT_I_NEW(&out->slope, length));
    SCANT_I_TRY(SCANT_I_NEW(&out->mean, length));
    SCANT_I_TRY(SCANT_I_NEW(&out->w, sum->models + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->c, sum->models));
    SCANT_I_TRY(SCANT_I_NEW(&out->cumulant, sum->models + 1));
done:
    if (status != SCANT_OK)
        scant_i_bound_clear(out);
    return status;
}

void scant_i_bound_clear(scant_i_bound *bound)
{
    scant_i_free(bound->contact);
    scant_i_free(bound->slope);
    scant_i_free(bound->mean);
    scant_i_free(bound->w);
    scant_i_free(bound->c);
    scant_i_free(bound->cumulant);
    *bound = (scant_i_bound){0};
}

/* Moves to the contact: K, K', log p~ and the slope, sum_n h_mn Z_mn of a block. */
static void touch(scant_i_bound *b, const double *contact)
{
    const scant_i_bound_sum *s = b->sum;
    size_t length = scant_i_bound_length(s), last = s->models * s->size;
    memcpy(b->contact, contact, length * sizeof *contact);
    (void)cumulants(s, contact, b->cumulant, b->mean);
    b->log_p = log_sum(s, contact, b->cumulant);
    memset(b->slope, 0, length * sizeof *b->slope);
    for (size_t m = 0; m < s->models; m++) {
        double of_model = 0;
        for (size_t n = 0; n < s->elements; n++) {
            const double *X = s->X + (m * s->elements + n) * s->size;
            double h = exp(log_term(s, contact, b->cumulant, m, n) - b->log_p);
            of_model += h;
            for (size_t d = 0; d < s->size; d++)
                b->slope[m * s->size + d] += h * (X[d] - b->mean[m * s->size + d]);
        }
        if (s->mixing && m + 1 < s->models)
            b->slope[last + m] = of_model - b->mean[last + m];
    }
}

/* w of a block, from what its elements add up to. */
typedef struct block_sums {
    log_total S; /* sum h zz, by logarithms */
    double T, h;
} block_sums;

static void add_element(block_sums *t, double log_h, double zz)
{
    add(&t->S, log_h + log(zz));
    t->T = fmax(t->T, zz);
    t->h += exp(log_h);
}

static double weight_of(const scant_i_bound *b, scant_i_bound_rule rule, size_t block,
                        const block_sums *t, bool single)
{
    const scant_i_bound_sum *s = b->sum;
    size_t n = size_of(s, block);
    double outward[SCANT_I_BOUND_SIZE], touched = s->mixing ? 2 : 1;
    if (!(t->T > 0))
        return 0;
    for (size_t d = 0; d < n; d++)
        outward[d] = -b->slope[block * s->size + d];
    double least = law_of(s, block)->least(n, b->contact + block * s->size, outward, t->h);
    double log_gamma = fmin(0, t->S.top + log(t->S.sum) - log(2 * t->T));
    double r = rule == SCANT_I_BOUND_LAZY
                   ? t->h
                   : touched * scant_i_bound_coefficient(rule, log_gamma, single) * t->T;
    return r + least * (1 + INSIDE);
}

/* A block of parameters of model m's family. */
static block_sums sums_of_model(const scant_i_bound *b, size_t m)
{
    const scant_i_bound_sum *s = b->sum;
    block_sums t = {.S = {-INFINITY, 0}};
    for (size_t n = 0; n < s->elements; n++)
        add_element(&t, log_term(s, b->contact, b->cumulant, m, n) - b->log_p,
                    s->law->distance(s->size, b->contact + m * s->size,
                                     s->X + (m * s->elements + n) * s->size));
    return t;
}

/* The mixing proportions: zz = 1 / alpha - 1. */
static block_sums sums_of_mixing(const scant_i_bound *b)
{
    const scant_i_bound_sum *s = b->sum;
    block_sums t = {.S = {-INFINITY, 0}};
    for (size_t m = 0; m < s->models; m++) {
        double eta = m + 1 < s->models ? b->contact[s->models * s->size + m] : 0;
        add_element(&t, log_term(s, b->contact, b->cumulant, m, 0) - b->log_p,
                    expm1(b->cumulant[s->models] - eta));
    }
    return t;
}

static bool is_of_matrix(const scant_i_bound_sum *s, scant_i_bound_rule rule)
{
    return rule == SCANT_I_BOUND_MATRIX && s->law->matrix && s->elements == 1;
}

void scant_i_bound_above(scant_i_bound *bound, scant_i_bound_rule rule, const double *contact)
{
    const scant_i_bound_sum *s = bound->sum;
    bool single = s->elements == 1;
    touch(bound, contact);
    for (size_t m = 0; m < s->models; m++) {
        block_sums t = sums_of_model(bound, m);
        bound->c[m] = bound->w[m] = 0;
        if (is_of_matrix(s, rule) && t.T > 0)
            bound->c[m] = weight_of(bound, rule, m, &t, single) / t.T;
        else
            bound->w[m] = weight_of(bound, rule, m, &t, single);
    }
    bound->w[s->models] = 0;
    if (s->mixing) {
        block_sums t = sums_of_mixing(bound);
        bound->w[s->models] = weight_of(bound, rule, s->models, &t, false);
    }
}

void scant_i_bound_below(scant_i_bound *bound, const double *contact)
{
    const scant_i_bound_sum *s = bound->sum;
    touch(bound, contact);
    for (size_t m = 0; m < s->models; m++) {
        bound->c[m] = 0;
        bound->w[m] = -sums_of_model(bound, m).h;
    }
    bound->w[s->models] = s->mixing ? -1 : 0;
}

double scant_i_bound_value(const scant_i_bound *bound, const double *point)
{
    const scant_i_bound_sum *s = bound->sum;
    double K[SCANT_I_BOUND_MODELS + 1], value = bound->log_p;
    if (!cumulants(s, point, K, NULL))
        return bound->w[0] < 0 ? -INFINITY : INFINITY;
    for (size_t b = 0; b < nblocks(s); b++) {
        double F = K[b] - bound->cumulant[b], along = 0;
        for (size_t d = 0; d < size_of(s, b); d++) {
            size_t at = b * s->size + d;
            double step = point[at] - bound->contact[at];
            F -= step * bound->mean[at];
            value += step * bound->slope[at];
            along += b < s->models ? step * (s->X[at] - bound->mean[at]) : 0;
        }
        value += bound->w[b] * F;
        if (b < s->models && bound->c[b] > 0) /* one element: X is a point's length */
            value += 0.5 * bound->c[b] * along * along;
    }
    return value;
}

void scant_i_bound_rows(const scant_i_bound *bound, size_t block, double *wY)
{
    const scant_i_bound_sum *s = bound->sum;
    double w = fabs(bound->w[block]), sign = bound->w[block] < 0 ? 1 : -1;
    for (size_t d = 0; d < size_of(s, block); d++)
        wY[d] = w * bound->mean[block * s->size + d] + sign * bound->slope[block * s->size + d];
}

/* --- of several sums --- */

/* zz, h and Z of one sum's model are of beta (X - K') and share h / beta: S = sum_i h_i beta_i zz_i, T = max_i
 * beta_i^2 zz_i. */
void scant_i_bound_above_all(scant_i_bound *bound, const scant_i_bound_sum *sums, size_t nsums,
                             const double *beta, const double *contact)
{
    const scant_i_bound_sum *first = bound->sum;
    size_t M = first->models, length = scant_i_bound_length(first);
    double slope[SCANT_I_BOUND_MODELS * SCANT_I_BOUND_SIZE] = {0}, log_p = 0;
    block_sums t[SCANT_I_BOUND_MODELS];
    for (size_t m = 0; m < M; m++)
        t[m] = (block_sums){.S = {-INFINITY, 0}};
    for (size_t i = 0; i < nsums; i++) {
        double factor = beta ? beta[i] : (double)nsums;
        bound->sum = &sums[i];
        touch(bound, contact);
        log_p += bound->log_p;
        for (size_t d = 0; d < length; d++)
            slope[d] += bound->slope[d];
        for (size_t m = 0; m < M; m++) {
            double log_h = log_term(&sums[i], contact, bound->cumulant, m, 0) - bound->log_p;
            add_element(&t[m], log_h - log(factor),
                        factor * factor *
                            first->law->distance(first->size, contact + m * first->size,
                                                 sums[i].X + m * first->size));
        }
    }
    bound->sum = first;
    bound->log_p = log_p;
    memcpy(bound->slope, slope, length * sizeof *slope);
    for (size_t m = 0; m < M; m++) {
        bound->c[m] = 0;
        bound->w[m] = weight_of(bound, SCANT_I_BOUND_PROVED, m, &t[m], false);
    }
    bound->w[M] = 0;
}
