#include "audit/margin.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/linear.h"

/* What does not change from one score to the next. */
typedef struct constants {
    double mean[2], s[2], top[2]; /* top: log of p_k N at its mean */
    double total;                 /* weight of all scores */
} constants;

/* What one score says: standard scores z, responsibilities r, and G = d log p(f) / d phi. */
typedef struct view {
    double z[2], r[2], G[SCANT_I_PHI], logp;
} view;

/* One exponential gives both responsibilities, and with a logarithm the density. */
static inline view look(const constants *k, double f)
{
    view v;
    double l[2];
    for (int c = 0; c < 2; c++) {
        v.z[c] = (f - k->mean[c]) / k->s[c];
        l[c] = k->top[c] - v.z[c] * v.z[c] / 2;
    }
    int more = l[1] > l[0];
    double e = exp(-fabs(l[1] - l[0]));
    v.logp = l[more] + log1p(e);
    v.r[more] = 1 / (1 + e);
    v.r[!more] = e / (1 + e);
    for (int c = 0; c < 2; c++) {
        v.G[c] = v.r[c] * v.z[c] / k->s[c];
        v.G[2 + c] = v.r[c] * (v.z[c] * v.z[c] - 1);
    }
    return v;
}

static double weight_of(const scant_i_scores *s, size_t i)
{
    return s->w ? s->w[i] : 1;
}

static double total_weight(const scant_i_scores *s)
{
    double total = 0;
    for (size_t i = 0; i < s->n; i++)
        total += weight_of(s, i);
    return total;
}

static constants constants_of(const scant_i_margin *m, const scant_i_scores *s)
{
    constants k = {.total = total_weight(s)};
    for (int c = 0; c < 2; c++) {
        k.mean[c] = m->mean[c];
        k.s[c] = exp(m->log_sd[c]);
        k.top[c] = log(m->prior[c]) - m->log_sd[c] - log(2 * M_PI) / 2;
    }
    return k;
}

/* d2 log p = sum_k r_k (d2 log c_k + u_k u_k') - G G', with u_k = d log c_k: its lower half. */
static inline void add_curvature(double *H, const constants *of, const view *v, double w)
{
    for (int a = 0; a < SCANT_I_PHI; a++)
        for (int b = 0; b <= a; b++)
            H[a * SCANT_I_PHI + b] -= w * v->G[a] * v->G[b];
    for (int k = 0; k < 2; k++) {
        double z = v->z[k], s = of->s[k], q = z * z - 1, r = w * v->r[k];
        H[k * SCANT_I_PHI + k] += r * q / (s * s);
        H[(2 + k) * SCANT_I_PHI + k] += r * (q - 2) * z / s;
        H[(2 + k) * SCANT_I_PHI + 2 + k] += r * (q * q - 2 * z * z);
    }
}

void scant_i_margin_slopes(scant_i_slopes *out, const scant_i_margin *m, const scant_i_scores *s)
{
    const constants k = constants_of(m, s);
    *out = (scant_i_slopes){0};
    for (size_t i = 0; i < s->n; i++) {
        view v = look(&k, s->f[i]);
        double w = weight_of(s, i) / k.total;
        out->loglik += w * v.logp;
        out->N[0] += w * v.r[0];
        out->N[1] += w * v.r[1];
        for (int a = 0; a < SCANT_I_PHI; a++)
            out->g[a] += w * v.G[a];
        add_curvature(out->H, &k, &v, w);
    }
    for (int a = 0; a < SCANT_I_PHI; a++)
        for (int b = 0; b < a; b++)
            out->H[b * SCANT_I_PHI + a] = out->H[a * SCANT_I_PHI + b];
}

static int by_score(const void *a, const void *b)
{
    double x = ((const scant_i_weighed *)a)->f, y = ((const scant_i_weighed *)b)->f;
    return (x > y) - (x < y);
}

scant_status scant_i_scores_sort(scant_i_weighed **out, const scant_i_scores *s)
{
    scant_status status = SCANT_I_NEW(out, s->n);
    for (size_t i = 0; status == SCANT_OK && i < s->n; i++)
        (*out)[i] = (scant_i_weighed){s->f[i], weight_of(s, i)};
    if (status == SCANT_OK)
        qsort(*out, s->n, sizeof **out, by_score);
    return status;
}

static void describe(scant_i_margin *m, int k, const scant_i_weighed *p, size_t n)
{
    double w = 0, mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        w += p[i].w;
        mean += p[i].w * p[i].f;
    }
    mean /= w;
    for (size_t i = 0; i < n; i++)
        square += p[i].w * (p[i].f - mean) * (p[i].f - mean);
    m->mean[k] = mean;
    m->log_sd[k] = log(square / w) / 2;
}

/* Equal scores have a spread of 0, or what rounding makes of it: negligible compared with that of all. */
static const double SPREAD_LEAST = 1e-12;

scant_status scant_i_margin_split(scant_i_margin *m, const scant_i_scores *s)
{
    scant_i_weighed *p = NULL;
    scant_status status = scant_i_scores_sort(&p, s);
    if (status != SCANT_OK)
        return status;
    double total = total_weight(s), below = 0;
    size_t cut = 0;
    while (cut < s->n && below + p[cut].w / 2 < m->prior[0] * total)
        below += p[cut++].w;
    describe(m, 0, p, cut);
    describe(m, 1, p + cut, s->n - cut);
    double least = log(SPREAD_LEAST * (s->n ? p[s->n - 1].f - p[0].f : 0));
    scant_i_free(p);
    if (!(m->log_sd[0] > least && m->log_sd[1] > least))
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the scores hardly vary: %zu rows are too few distinct "
                            "ones for two spreads",
                            s->n);
    return SCANT_OK;
}

/* --- the maximum --- */

/* EM's step out of the slopes, with N_k = sum_i w_i r_ik: mu_k moves by sigma_k^2 g / N_k, and
 * sum_i w_i r_ik z_ik^2 = N_k + g. */
static void em_step(scant_i_margin *m, const scant_i_slopes *at)
{
    for (int k = 0; k < 2; k++) {
        double variance = exp(2 * m->log_sd[k]), move = variance * at->g[k] / at->N[k];
        m->mean[k] += move;
        m->log_sd[k] = log(variance * (at->N[k] + at->g[2 + k]) / at->N[k] - move * move) / 2;
    }
}

bool scant_i_margin_solve(double x[SCANT_I_PHI], const scant_i_slopes *at,
                          const double b[SCANT_I_PHI])
{
    double L[SCANT_I_PHI * SCANT_I_PHI];
    for (int a = 0; a < SCANT_I_PHI * SCANT_I_PHI; a++)
        L[a] = -at->H[a];
    memcpy(x, b, SCANT_I_PHI * sizeof *x);
    if (!scant_i_cholesky(L, SCANT_I_PHI))
        return false;
    scant_i_cholesky_solve(L, SCANT_I_PHI, x);
    return true;
}

/* Newton's point, where it is no extrapolation: a spread that more than doubles is beyond the parabola. */
static bool newton_step(scant_i_margin *m, const scant_i_slopes *at)
{
    double d[SCANT_I_PHI];
    if (!scant_i_margin_solve(d, at, at->g))
        return false;
    for (int k = 0; k < 2; k++) {
        if (!(fabs(d[k]) <= exp(m->log_sd[k])) || !(fabs(d[2 + k]) <= M_LN2))
            return false;
        m->mean[k] += d[k];
        m->log_sd[k] += d[2 + k];
    }
    return true;
}

/* Slopes in the parameters' own units: mu in units of its sigma. */
static double steepest(const scant_i_margin *m, const scant_i_slopes *at)
{
    double most = 0;
    for (int k = 0; k < 2; k++) {
        most = fmax(most, fabs(at->g[k]) * exp(m->log_sd[k]));
        most = fmax(most, fabs(at->g[2 + k]));
    }
    return most;
}

bool scant_i_margin_fit(scant_i_margin *m, const scant_i_scores *s, scant_i_slopes *at)
{
    enum { STEPS = 500 };
    static const double FLAT = 1e-13,
                        NOTHING = 1e-5; /* slope; one spread compared with the other */
    scant_i_margin_slopes(at, m, s);
    double before = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        double now = steepest(m, at);
        if (now <= FLAT || (now <= sqrt(FLAT) && !(now < before)))
            return true; /* flat, or rounding is all that is left */
        if (!(fabs(m->log_sd[0] - m->log_sd[1]) < -log(NOTHING)))
            return false;
        before = now;
        scant_i_margin next = *m;
        scant_i_slopes there;
        bool risen = newton_step(&next, at);
        if (risen) {
            scant_i_margin_slopes(&there, &next, s);
            risen = there.loglik >= at->loglik - 16 * DBL_EPSILON * fabs(at->loglik);
        }
        if (!risen) {
            next = *m;
            em_step(&next, at);
            scant_i_margin_slopes(&there, &next, s);
        }
        *m = next;
        *at = there;
    }
    return false;
}

double scant_i_margin_free(scant_i_margin *m, const scant_i_scores *s)
{
    enum { STEPS = 1000 };
    static const double FLAT = 1e-9; /* rise of l */
    scant_i_slopes at;
    double before = -INFINITY;
    scant_i_margin_slopes(&at, m, s);
    for (int step = 0; step < STEPS && at.loglik - before > FLAT; step++) {
        before = at.loglik;
        em_step(m, &at);
        memcpy(m->prior, at.N, sizeof m->prior);
        scant_i_margin_slopes(&at, m, s);
    }
    return at.loglik;
}

/* --- through the maximum --- */

double scant_i_margin_risk(double g[SCANT_I_PHI], const scant_i_margin *m, const scant_i_loss *loss)
{
    double risk = 0;
    for (int k = 0; k < 2; k++) {
        double y = k ? 1 : -1, sd = exp(m->log_sd[k]), slope[2];
        risk += m->prior[k] * loss->expected(y * m->mean[k], sd, slope);
        g[k] = m->prior[k] * y * slope[0];
        g[2 + k] = m->prior[k] * slope[1] * sd;
    }
    return risk;
}

/* dG_k/df = dr_k/df u_k + r_k du_k/df, with dr_k/df = r_k (a_k - sum_l r_l a_l), a_k = -z_k / s_k */
void scant_i_margin_pull(double *c, const scant_i_margin *m, const scant_i_scores *s,
                         const double v[SCANT_I_PHI])
{
    const constants of = constants_of(m, s);
    for (size_t i = 0; i < s->n; i++) {
        view at = look(&of, s->f[i]);
        double a[2] = {-at.z[0] / of.s[0], -at.z[1] / of.s[1]};
        double mean = at.r[0] * a[0] + at.r[1] * a[1], sum = 0;
        for (int k = 0; k < 2; k++) {
            double z = at.z[k], sd = of.s[k], leaning = a[k] - mean;
            sum += at.r[k] * (v[k] * (leaning * z / sd + 1 / (sd * sd)) +
                              v[2 + k] * (leaning * (z * z - 1) + 2 * z / sd));
        }
        c[i] = weight_of(s, i) / of.total * sum;
    }
}

void scant_i_margin_spread(double B[SCANT_I_PHI * SCANT_I_PHI], const scant_i_margin *m,
                           const scant_i_scores *s)
{
    const constants k = constants_of(m, s);
    memset(B, 0, SCANT_I_PHI * SCANT_I_PHI * sizeof *B);
    for (size_t i = 0; i < s->n; i++) {
        view v = look(&k, s->f[i]);
        double w = weight_of(s, i) / (k.total * k.total);
        for (int a = 0; a < SCANT_I_PHI; a++)
            for (int b = 0; b < SCANT_I_PHI; b++)
                B[a * SCANT_I_PHI + b] += w * v.G[a] * v.G[b];
    }
}

double scant_i_margin_below(const scant_i_margin *m, double a)
{
    double below = 0;
    for (int k = 0; k < 2; k++)
        below += m->prior[k] * erfc((m->mean[k] - a) / exp(m->log_sd[k]) / M_SQRT2) / 2;
    return below;
}
