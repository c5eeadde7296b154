/* A classifier's risks from a column of scores: fit of the two normals, plug-in risks, intervals,
 * and a look at whether two normals are what the scores are. */
#include <math.h>

#include "audit/normals.h"
#include "audit/scores.h"

enum { FEWEST = 8 }; /* scores, for four parameters */

const char *scant_loss_name(scant_loss loss)
{
    return scant_i_losses[loss].name;
}

/* --- the interval of a risk --- */

/* The x with Phi(x) = q, by Newton's steps on the distribution, whose slope is known. */
static double normal_quantile(double q)
{
    enum { STEPS = 60 };
    double x = 0;
    for (int i = 0; i < STEPS; i++) {
        double step = (erfc(-x / M_SQRT2) / 2 - q) * sqrt(2 * M_PI) * exp(x * x / 2);
        x -= fmax(-1, fmin(1, step));
    }
    return x;
}

/* var R = v' B v with v = (-H)^-1 dR and B the covariance of the slopes: a sandwich, which stays
 * right where scores are not quite normal. */
static double standard_error(const scant_i_slopes *at, const double *B, const double *slope)
{
    double v[SCANT_I_PHI], variance = 0;
    if (!scant_i_margin_solve(v, at, slope))
        return NAN;
    for (int a = 0; a < SCANT_I_PHI; a++)
        for (int b = 0; b < SCANT_I_PHI; b++)
            variance += v[a] * v[b] * B[a * SCANT_I_PHI + b];
    return sqrt(variance);
}

static void bound(scant_risk *r, bool is_share, double z)
{
    if (r->error == 0) { /* a risk below the least number has neither odds nor a logarithm */
        r->low = r->high = r->value;
    } else if (is_share) {
        double odds = log(r->value / (1 - r->value));
        double wide = z * r->error / (r->value * (1 - r->value));
        r->low = 1 / (1 + exp(-(odds - wide)));
        r->high = 1 / (1 + exp(-(odds + wide)));
    } else {
        r->low = r->value * exp(-z * r->error / r->value);
        r->high = r->value * exp(z * r->error / r->value);
    }
}

/* --- are they two normals? --- */

scant_status scant_i_margin_distance(double *out, const scant_i_margin *m, const scant_i_scores *s)
{
    scant_i_weighed *p = NULL;
    double below = 0, total = 0, most = 0;
    scant_status status = scant_i_scores_sort(&p, s);
    if (status != SCANT_OK)
        return status;
    for (size_t i = 0; i < s->n; i++)
        total += p[i].w;
    for (size_t i = 0; i < s->n; i++) {
        double fitted = scant_i_margin_below(m, p[i].f);
        most = fmax(most, fitted - below / total);
        below += p[i].w;
        most = fmax(most, below / total - fitted);
    }
    scant_i_free(p);
    *out = most;
    return SCANT_OK;
}

/* Of two normals with estimated parameters the distance exceeds 1 / sqrt(n) in about one sample of
 * a hundred (measured in tests/audit/test_scores.c). */
bool scant_i_margin_is_normal(double distance, double weight)
{
    return distance <= fmax(SCANT_I_SMALL_DISTANCE, 1 / sqrt(weight));
}

/* --- the audit --- */

/* Rows that count, as n x 1 and as arrays. */
static scant_status take_scores(scant_rows **out, const scant_rows *rows, size_t column)
{
    scant_status status = SCANT_OK;
    double *f = NULL, *w = NULL;
    size_t n = 0;
    SCANT_I_TRY(SCANT_I_NEW(&f, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&w, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++) {
        f[n] = scant_rows_value(rows, i, column);
        w[n] = scant_rows_weight(rows, i);
        n += !isnan(f[n]) && w[n] > 0;
    }
    if (n < FEWEST) {
        status = scant_i_fail(SCANT_ERR_INPUT, "column %s has %zu scores; at least %d are needed",
                              scant_rows_column_name(rows, column), n, FEWEST);
        goto done;
    }
    SCANT_I_TRY(scant_rows_new(out, n, 1, f, NULL));
    status = scant_rows_set_weights(*out, w);
done:
    scant_i_free(f);
    scant_i_free(w);
    return status;
}

static bool is_upright(const scant_i_margin *m)
{
    return m->mean[1] > m->mean[0];
}

/* The likeliest upright maximum of what the engine's starts and a split of the scores lead to. */
static scant_status find_maximum(scant_i_margin *m, scant_i_slopes *at, bool *reversed,
                                 const scant_rows *rows, const scant_i_scores *s, uint64_t seed,
                                 size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_margin found[2] = {*m, *m};
    scant_i_slopes slopes[2];
    bool good[2];
    SCANT_I_TRY(scant_i_margin_split(&found[0], s));
    SCANT_I_TRY(scant_i_normals_fit(&found[1], rows, seed, threads));
    for (int i = 0; i < 2; i++)
        good[i] = scant_i_margin_fit(&found[i], s, &slopes[i]);
    bool upright[2] = {good[0] && is_upright(&found[0]), good[1] && is_upright(&found[1])};
    if (!upright[0] && !upright[1]) {
        status = scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                              "no two normals with these shares explain the scores: they look like "
                              "one, or like classes exchanged");
        goto done;
    }
    int best = upright[1] && !(upright[0] && slopes[0].loglik >= slopes[1].loglik);
    const double rounding = 1e-9;
    *reversed = good[1] && !upright[1] && slopes[1].loglik > slopes[best].loglik + rounding;
    *m = found[best];
    *at = slopes[best];
done:
    return status;
}

void scant_i_margin_risks(scant_risk risk[SCANT_LOSSES], const scant_i_margin *m,
                          const scant_i_slopes *at, const scant_i_scores *s, double level)
{
    double B[SCANT_I_PHI * SCANT_I_PHI], slope[SCANT_I_PHI], z = normal_quantile((1 + level) / 2);
    scant_i_margin_spread(B, m, s);
    for (size_t l = 0; l < SCANT_LOSSES; l++) {
        scant_risk *r = &risk[l];
        r->value = scant_i_margin_risk(slope, m, &scant_i_losses[l]);
        r->error = standard_error(at, B, slope);
        bound(r, l == SCANT_LOSS_ZERO_ONE, z);
    }
}

scant_status scant_margin_audit_scores(scant_margin_audit *out, const scant_rows *rows,
                                       size_t column, double prior, double level, uint64_t seed,
                                       size_t threads)
{
    scant_status status = SCANT_OK;
    scant_rows *taken = NULL;
    scant_i_margin m = {.prior = {1 - prior, prior}};
    scant_i_slopes at;
    *out = (scant_margin_audit){.prior = {1 - prior, prior}};
    if (!(prior > 0 && prior < 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a share of %g is not between 0 and 1", prior);
    if (!(level > 0 && level < 1))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a level of %g is not between 0 and 1", level);
    SCANT_I_TRY(take_scores(&taken, rows, column));
    scant_i_scores s = {taken->dense, taken->weight, taken->nrows};
    SCANT_I_TRY(find_maximum(&m, &at, &out->reversed, taken, &s, seed, threads));
    SCANT_I_TRY(scant_i_margin_distance(&out->distance, &m, &s));
    scant_i_margin_risks(out->risk, &m, &at, &s, level);
    out->rows = s.n;
    for (size_t i = 0; i < s.n; i++) {
        out->weight += s.w[i];
        out->share += s.f[i] > 0 ? s.w[i] : 0;
    }
    out->share /= out->weight;
    for (int k = 0; k < 2; k++) {
        out->mean[k] = m.mean[k];
        out->sd[k] = exp(m.log_sd[k]);
    }
    out->loglik = at.loglik;
    out->normal = scant_i_margin_is_normal(out->distance, out->weight);
    out->near_uniform = fabs(prior - 0.5) < SCANT_I_NEAR_UNIFORM;
done:
    scant_rows_free(taken);
    return status;
}

size_t scant_margin_audit_warnings(const char *warning[SCANT_MARGIN_WARNINGS],
                                   const scant_margin_audit *audit)
{
    size_t n = 0;
    if (!audit->normal)
        warning[n++] = "the scores are not two normals: risks may be far off";
    if (audit->reversed)
        warning[n++] = "the scores are likelier with the classes exchanged";
    if (audit->near_uniform)
        warning[n++] = "the shares are nearly alike: that the classifier beats chance is assumed";
    return n;
}
