/* Conditional expectation-maximisation: the conditional likelihood, raised by bounds (Jebara 2001, 5.7).
 *
 *   O = (1 + s) sum_i w_i log p(x_i, e_i) - sum_labelled w_i log p(x_i)        r, q: the responsibilities of either
 *
 * Of the first sum Jensen's bound is EM's; of the second the reverse bound (bound.h) is one of rows of weight w_ij
 * in component j, so that both come to EM's statistics: coefficients (1 + s) r_ij - q_ij, and an anchor of
 *
 *   q_ij + w_ij,   w_ij = B coefficient(log q_ij - log 2) zz_ij + q_ij t_ij
 *
 * rows that the component makes itself (family.h: zz the distance, t the slack). Or, for means under known covariances,
 * the form c/2 (Z . (eta - eta~))^2 in place of w F. What absent cells are anchored with makes the bound looser, no more.
 *
 * Coupling, where it is free: log sum_kj q_kj a_kj b_kj, a the ratio of W to W before and b that of densities, is split
 * by Hoelder's inequality into (1/p) log sum q a^p + (1/q) log sum q b^q, 1/p + 1/q = 1. The first leads to
 * proportions.h, the second multiplies B by q. B is the number of factors.
 *
 * Annealing: exponents times beta make zz beta zz. Rules without a guarantee may lower O: the engine then asks for
 * more caution, which multiplies the first part of w. Cost: two E-steps, distances and one sum of statistics. */
#include "latent/cem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latent/blank.h"
#include "latent/proportions.h"

/* p of the split: 4 of 5 parts of a step are the families'. */
enum { SPLIT = 5 };
/* w' is exceeded by this share, so that means stay within their range. */
static const double INSIDE = 1e-9;
/* The form's sums are of d^2 / 2 products a row: from here on they cost more than they save. */
enum { FORM_COLUMNS = 64 };

typedef struct cem {
    scant_i_blank *blank;
    double blocks;  /* B, with the coupling's split */
    bool coupling;  /* W is free */
    double caution; /* 1, or what a rule without a guarantee is multiplied with */
} cem;

static const scant_i_cem_settings *settings_of(const scant_i_aim *aim)
{
    return aim->objective->settings;
}

static double kept(const scant_i_aim *aim)
{
    return 1 + settings_of(aim)->generative;
}

/* --- what has a bound --- */

void scant_i_cem_families(char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t k = 0; scant_i_family_at(k); k++) {
        const scant_i_family *family = scant_i_family_at(k);
        if (family->reach && used < size)
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", family->name);
    }
}

const char *scant_i_conditional_refuses(const scant_i_mixture *m, const scant_i_evidence *evidence)
{
    if (m->structure != &scant_i_structure_rows)
        return "rows that depend on each other";
    if (m->coupling.R)
        return "partly shared components";
    if (m->coupling.component_major)
        return "component-wise class shares";
    if (m->coupling.noise && m->coupling.noise_free)
        return "estimated label noise";
    for (size_t e = 0; e < evidence->nentries; e++)
        if (evidence->kind[e] != SCANT_I_LIKELIHOOD)
            return "class probabilities in place of class proportions";
    return NULL;
}

static const char *factor_refuses(const scant_i_factor *factor, bool missing)
{
    const scant_i_family_reach *reach = factor->family->reach;
    if (!reach)
        return factor->family->name;
    return missing && reach->needs_all_cells && reach->needs_all_cells(factor)
               ? "full covariances of rows with missing cells"
               : NULL;
}

const char *scant_i_cem_refuses(const scant_i_mixture *mixture, const scant_i_evidence *evidence,
                                bool missing)
{
    const char *what = scant_i_conditional_refuses(mixture, evidence);
    for (size_t f = 0; f < mixture->nfactors && !what; f++)
        what = factor_refuses(mixture->factor[f], missing);
    return what;
}

static scant_status refuse(const char *what)
{
    char families[256];
    scant_i_cem_families(families, sizeof families);
    return scant_i_fail(SCANT_ERR_ARGUMENT, "no bound is known for %s; families that have one: %s",
                        what, families);
}

/* Is there anything for the coupling's M-step to choose? */
static bool coupling_is_free(const scant_i_mixture *m)
{
    bool is_free = !m->coupling.prior && m->nclasses > 1;
    for (size_t k = 0; k < m->nclasses; k++) {
        size_t components = 0;
        for (size_t j = 0; j < m->ncomponents; j++)
            components += m->coupling.W[k * m->stride + j] > 0;
        is_free = is_free || components > 1;
    }
    return is_free;
}

/* --- life --- */

static void close_cem(scant_i_aim *aim)
{
    cem *c = aim->state;
    if (c)
        scant_i_blank_free(c->blank);
    scant_i_free(c);
    aim->state = NULL;
}

static scant_status open_conditional(scant_i_aim *aim)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = aim->posterior->mixture;
    cem *c = NULL;
    const char *what = scant_i_conditional_refuses(m, aim->posterior->evidence);
    if (what)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the conditional likelihood is not made for %s",
                            what);
    SCANT_I_TRY(SCANT_I_NEW(&c, 1));
    aim->state = c;
    SCANT_I_TRY(scant_i_blank_new(&c->blank, aim->posterior));
    c->coupling = coupling_is_free(m);
    c->blocks = (double)m->nfactors * (c->coupling ? (double)SPLIT / (SPLIT - 1) : 1);
    c->caution = 1;
done:
    if (status != SCANT_OK)
        close_cem(aim);
    return status;
}

static scant_status open_cem(scant_i_aim *aim)
{
    const scant_i_posterior *posterior = aim->posterior;
    const char *what = scant_i_cem_refuses(posterior->mixture, posterior->evidence, false);
    return what ? refuse(what) : open_conditional(aim);
}

static scant_status prepare(const scant_i_aim *aim)
{
    cem *c = aim->state;
    scant_i_blank_prepare(c->blank, aim->posterior);
    return SCANT_OK;
}

static void be_cautious(const scant_i_aim *aim, double caution)
{
    cem *c = aim->state;
    c->caution = caution;
}

/* --- sums of its own: those of rows without labels, then of each factor the anchor's two parts (of r, and of q and
 * w') and the form's --- */

static size_t nform_of(const scant_i_factor *factor)
{
    const scant_i_family_reach *reach = factor->family->reach;
    return reach->nform && factor->ncolumns <= FORM_COLUMNS ? reach->nform(factor) : 0;
}

static bool takes_form(const scant_i_aim *aim, const scant_i_factor *factor)
{
    scant_i_bound_rule rule = settings_of(aim)->rule;
    return (rule == SCANT_I_BOUND_BEST || rule == SCANT_I_BOUND_MATRIX) && nform_of(factor) > 0;
}

/* Where those of the factor begin among the objective's own, or with nfactors where they end. */
static size_t offset_of(const scant_i_posterior *posterior, size_t factor)
{
    const scant_i_mixture *m = posterior->mixture;
    size_t at = scant_i_round_up(scant_i_posterior_nstatistics(posterior), SCANT_I_LANES);
    for (size_t f = 0; f < factor; f++)
        at += 2 * m->stride + nform_of(m->factor[f]);
    return at;
}

static size_t nstatistics(const scant_i_posterior *posterior)
{
    return offset_of(posterior, posterior->mixture->nfactors);
}

static size_t place_of(const scant_i_aim *aim, const scant_i_factor *factor)
{
    size_t f = 0;
    while (aim->posterior->mixture->factor[f] != factor)
        f++;
    return scant_i_aim_own(aim) + offset_of(aim->posterior, f);
}

/* --- a block --- */

/* Room: log densities, q, distances, slack and the form's coefficients (nrows x stride each), log-likelihoods, totals
 * and weights (nrows each), then a factor's own. */
enum { TABLES = 5, LINES = 3 };

static size_t room_of(const scant_i_posterior *posterior, size_t nrows)
{
    const scant_i_mixture *m = posterior->mixture;
    size_t most = 0;
    for (size_t f = 0; f < m->nfactors; f++)
        most = scant_i_max(most, m->factor[f]->family->reach->room(m->factor[f], nrows));
    return TABLES * nrows * m->stride + LINES * scant_i_round_up(nrows, SCANT_I_LANES) + most;
}

typedef struct work {
    const scant_i_aim *aim;
    const cem *c;
    const scant_i_block *block;
    double *F, *q, *distance, *slack, *form; /* nrows x stride */
    double *loglik, *total, *w;              /* nrows */
    double *room;
    double *sums;
} work;

static work lay_out(const scant_i_aim *aim, const scant_i_block *block, double *sums, double *room)
{
    size_t n = block->nrows, table = n * aim->posterior->mixture->stride;
    size_t line = scant_i_round_up(n, SCANT_I_LANES);
    double *at = scant_i_aim_own_room(aim, n, room);
    work t = {.aim = aim, .c = aim->state, .block = block, .sums = sums, .F = at};
    t.q = t.F + table;
    t.distance = t.q + table;
    t.slack = t.distance + table;
    t.form = t.slack + table;
    t.loglik = t.form + table;
    t.total = t.loglik + line;
    t.w = t.total + line;
    t.room = t.w + line;
    return t;
}

/* Is a cell of the factor's columns absent? */
static bool is_partial(const scant_i_factor *factor, const scant_i_block *block)
{
    for (size_t c = 0; c < factor->ncolumns; c++)
        if (!scant_i_block_has(block, factor->columns[c]))
            return true;
    return false;
}

/* r of a row's component with q > 0, but for the weight. F becomes log q here, row by row. */
static double reach_of(const work *t, scant_i_bound_rule rule, double log_q, double distance)
{
    double beta = t->aim->posterior->beta;
    if (rule == SCANT_I_BOUND_LAZY)
        return exp(log_q);
    double coefficient = scant_i_bound_coefficient(rule, log_q - log(2), true);
    return t->c->blocks * coefficient * beta * distance;
}

static scant_status add_factor(const work *t, const scant_i_factor *factor)
{
    scant_status status = SCANT_OK;
    const scant_i_family_reach *reach = factor->family->reach;
    const scant_i_mixture *m = t->aim->posterior->mixture;
    scant_i_bound_rule rule = settings_of(t->aim)->rule;
    double *r = t->sums + place_of(t->aim, factor), *rest = r + m->stride;
    bool partial = is_partial(factor, t->block);
    bool by_form = takes_form(t->aim, factor) && !partial;
    const char *what = factor_refuses(factor, partial);
    if (what)
        return refuse(what);
    SCANT_I_TRY(reach->distances(factor, t->block, t->distance, t->slack, t->total, t->room));
    for (size_t i = 0; i < t->block->nrows; i++)
        for (size_t j = 0; j < m->stride; j++) {
            size_t at = i * m->stride + j;
            double log_q = t->F[at], w = t->w[i] * t->total[i], own;
            t->form[at] = 0;
            if (!(w > 0) || log_q == -INFINITY || j >= m->ncomponents)
                continue;
            own = t->w[i] * reach_of(t, rule, log_q, by_form ? 1 : t->distance[at]);
            rest[j] += t->total[i] * t->q[at] * (1 + t->slack[at] * (1 + INSIDE));
            r[j] += by_form ? 0 : t->total[i] * own;
            t->form[at] = by_form ? own : 0;
        }
    if (by_form)
        SCANT_I_TRY(reach->add_form(factor, t->block, t->form, rest + m->stride, t->room));
done:
    return status;
}

/* F becomes log q of labelled rows, -inf elsewhere. */
static void make_log_q(const work *t)
{
    const scant_i_posterior *posterior = t->aim->posterior;
    size_t stride = posterior->mixture->stride;
    const double *share = scant_i_blank_log_share(t->c->blank);
    for (size_t i = 0; i < t->block->nrows; i++) {
        t->w[i] = scant_i_block_weight(&t->c->blank->evidence, t->block, i);
        for (size_t j = 0; j < stride; j++)
            t->F[i * stride + j] =
                fmin(0, posterior->beta * (share[j] + t->F[i * stride + j] - t->loglik[i]));
    }
}

static scant_status coefficients(const scant_i_aim *aim, const scant_i_block *block, double *L,
                                 double *sums, double *room)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *m = aim->posterior->mixture;
    size_t n = block->nrows * m->stride;
    work t = lay_out(aim, block, sums, room);
    memcpy(t.F, L, n * sizeof *L);
    memcpy(t.q, L, n * sizeof *L);
    SCANT_I_TRY(scant_i_structure_expect(aim->posterior, block, L, sums, NULL, room));
    SCANT_I_TRY(scant_i_structure_expect(&t.c->blank->posterior, block, t.q,
                                         sums + scant_i_aim_own(aim), t.loglik, room));
    make_log_q(&t);
    for (size_t f = 0; f < m->nfactors; f++)
        SCANT_I_TRY(add_factor(&t, m->factor[f]));
    for (size_t k = 0; k < n; k++)
        L[k] = kept(aim) * L[k] - t.q[k];
done:
    return status;
}

/* --- of all rows --- */

/* Sum over the three parts of counts. */
static double sum_of(const double *N, size_t table, size_t at)
{
    return N[at] + N[table + at] + N[2 * table + at];
}

/* The parts become the new proportions' expected rows: W of the classes from `first` on, n of them, that sum to
 * `total`. Cells are those of one class or of all. */
static scant_status choose(const scant_i_mixture *m, size_t first, size_t nclasses, double *N,
                           const double *without)
{
    scant_status status = SCANT_OK;
    size_t n = nclasses * m->stride, table = m->nclasses * m->stride, from = first * m->stride;
    double *room = NULL, of_rows = 0, total = 0, taken = 0;
    SCANT_I_TRY(SCANT_I_NEW(&room, 3 * n));
    double *with = room, *G = with + n, *alpha = G + n;
    for (size_t k = 0; k < n; k++) {
        with[k] = sum_of(N, table, from + k);
        G[k] = sum_of(without, table, from + k);
        of_rows += with[k];
        taken += G[k];
        total += m->coupling.W[from + k];
    }
    if (!(of_rows > 0) || !(taken > 0)) /* as in EM */
        goto done;
    scant_i_bounded_proportions(alpha, m->coupling.W + from, with, G, n, SPLIT, total);
    for (size_t k = 0; k < n; k++) {
        N[SCANT_I_INFORMATIVE * table + from + k] = of_rows * alpha[k] / total;
        N[SCANT_I_UNINFORMATIVE * table + from + k] = N[SCANT_I_OWN_PRIOR * table + from + k] = 0;
    }
done:
    scant_i_free(room);
    return status;
}

static scant_status counts(const scant_i_aim *aim, const double *sums, double *N)
{
    scant_status status = SCANT_OK;
    const cem *c = aim->state;
    const scant_i_mixture *m = aim->posterior->mixture;
    double *without = NULL;
    m->structure->counts(aim->posterior, sums, N);
    if (!c->coupling)
        return SCANT_OK;
    size_t n = SCANT_I_COUNTS * m->nclasses * m->stride;
    SCANT_I_TRY(SCANT_I_NEW(&without, n));
    m->structure->counts(&c->blank->posterior, sums + scant_i_aim_own(aim), without);
    for (size_t k = 0; k < n; k++)
        N[k] *= kept(aim);
    for (size_t k = 0; k < (m->coupling.prior ? m->nclasses : 1) && status == SCANT_OK; k++)
        status = choose(m, k, m->coupling.prior ? 1 : m->nclasses, N, without);
done:
    scant_i_free(without);
    return status;
}

static scant_status anchor(const scant_i_aim *aim, const double *sums, const scant_i_factor *factor,
                           double *w)
{
    const cem *c = aim->state;
    const double *r = sums + place_of(aim, factor), *rest = r + factor->stride;
    for (size_t j = 0; j < factor->ncomponents; j++)
        w[j] = c->caution * r[j] + rest[j];
    return SCANT_OK;
}

static scant_status maximise(const scant_i_aim *aim, const double *sums, scant_i_factor *factor,
                             const double *statistics)
{
    const double *form = sums + place_of(aim, factor) + 2 * factor->stride;
    return takes_form(aim, factor) ? factor->family->reach->maximise(factor, statistics, form)
                                   : factor->family->pass->maximise(factor, statistics);
}

static double value(const scant_i_aim *aim, const double *sums)
{
    return kept(aim) * scant_i_posterior_read(sums).objective -
           scant_i_posterior_read(sums + scant_i_aim_own(aim)).objective;
}

/* --- without bounds --- */

static size_t blank_room(const scant_i_posterior *posterior, size_t nrows)
{
    return nrows * posterior->mixture->stride;
}

static scant_status plain_coefficients(const scant_i_aim *aim, const scant_i_block *block,
                                       double *L, double *sums, double *room)
{
    scant_status status = SCANT_OK;
    const cem *c = aim->state;
    size_t n = block->nrows * aim->posterior->mixture->stride;
    double *q = scant_i_aim_own_room(aim, block->nrows, room);
    memcpy(q, L, n * sizeof *q);
    SCANT_I_TRY(scant_i_structure_expect(aim->posterior, block, L, sums, NULL, room));
    SCANT_I_TRY(scant_i_structure_expect(&c->blank->posterior, block, q,
                                         sums + scant_i_aim_own(aim), NULL, room));
    for (size_t k = 0; k < n; k++)
        L[k] = kept(aim) * L[k] - q[k];
done:
    return status;
}

/* With the coefficients' signs. */
static scant_status plain_counts(const scant_i_aim *aim, const double *sums, double *N)
{
    scant_status status = SCANT_OK;
    const cem *c = aim->state;
    const scant_i_mixture *m = aim->posterior->mixture;
    size_t n = SCANT_I_COUNTS * m->nclasses * m->stride;
    double *without = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&without, n));
    m->structure->counts(aim->posterior, sums, N);
    m->structure->counts(&c->blank->posterior, sums + scant_i_aim_own(aim), without);
    for (size_t k = 0; k < n; k++)
        N[k] = kept(aim) * N[k] - without[k];
done:
    scant_i_free(without);
    return status;
}

scant_i_latent_objective scant_i_objective_conditional(const scant_i_cem_settings *settings)
{
    return (scant_i_latent_objective){
        .name = "conditional",
        .settings = settings,
        .open = open_conditional,
        .close = close_cem,
        .prepare = prepare,
        .nstatistics = scant_i_posterior_nstatistics,
        .room = blank_room,
        .coefficients = plain_coefficients,
        .counts = plain_counts,
        .value = value,
    };
}

scant_i_latent_objective scant_i_objective_cem(const scant_i_cem_settings *settings)
{
    return (scant_i_latent_objective){
        .name = "conditional",
        .settings = settings,
        .monotone = scant_i_bound_guarantees(settings->rule),
        .open = open_cem,
        .close = close_cem,
        .prepare = prepare,
        .nstatistics = nstatistics,
        .room = room_of,
        .coefficients = coefficients,
        .counts = counts,
        .anchor = anchor,
        .maximise = maximise,
        .be_cautious = be_cautious,
        .value = value,
    };
}
