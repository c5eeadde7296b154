/* Full-covariance Gaussians under a normal inverse-Wishart prior.
 *
 *   T(x) = (1, x, x_i x_j for i >= j),   chi = (N, m, M),   xbar = m / N,   S = M - m m' / N
 *   K~ = -(d/2) log N - (N/2) log|pi S| + sum_{j=1..d} log Gamma((N + 1 - j) / 2),   N > d - 1, S positive definite
 *   dK~/dN = -d / (2N) - log|pi S| / 2 + sum_j psi((N + 1 - j) / 2) / 2 - (N/2) xbar'S^-1 xbar
 *   dK~/dm = N S^-1 xbar,   dK~/dM = -(N/2) S^-1
 *
 * that is E[log p(x)] = const - (N/2) (x - xbar)'S^-1 (x - xbar). The predictive density is Student's t with nu = N - d + 1
 * degrees of freedom, centre xbar and scale S (N + 1) / (N nu); its marginals have the same nu. O(d^3) each. */
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/special.h"
#include "med/generative.h"

static const double LOG_PI = 1.1447298858494002;

static size_t size(size_t d)
{
    return 1 + d + d * (d + 1) / 2;
}

static bool accepts(double cell)
{
    (void)cell;
    return true;
}

static void statistics(double *T, const double *x, size_t d)
{
    *T++ = 1;
    for (size_t i = 0; i < d; i++)
        *T++ = x[i];
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            *T++ = x[i] * x[j];
}

static double base(const double *x, size_t d)
{
    (void)x;
    (void)d;
    return 0;
}

/* The packed triangle as a full matrix. */
static void unpack(double *full, const double *packed, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            full[i * d + j] = full[j * d + i] = *packed++;
}

/* Symmetric `full` into the triangle, whose entries off the diagonal count twice. */
static void pack_slopes(double *packed, const double *full, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            *packed++ = full[i * d + j] * (i == j ? 1 : 2);
}

/* chi in the usual symbols, and the Cholesky factor of S. */
typedef struct moments {
    double N, logdet;
    double *mean, *S, *factor, *inverse; /* d; d x d each */
    double *room;                        /* 4 d^2 + 4 d */
} moments;

static void moments_clear(moments *s)
{
    scant_i_free(s->mean);
    scant_i_free(s->S);
    scant_i_free(s->factor);
    scant_i_free(s->inverse);
    scant_i_free(s->room);
}

/* `*inside`: chi is in the domain; the rest is undefined where it is not. */
static scant_status moments_new(moments *s, bool *inside, const double *chi, size_t d)
{
    scant_status status = SCANT_OK;
    *s = (moments){.N = chi[0]};
    *inside = false;
    SCANT_I_TRY(SCANT_I_NEW(&s->mean, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->S, d * d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->factor, d * d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->inverse, d * d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&s->room, 4 * d * (d + 1) + 1));
    if (!(s->N > 0 && s->N > (double)d - 1))
        return SCANT_OK;
    unpack(s->S, chi + 1 + d, d);
    for (size_t i = 0; i < d; i++)
        s->mean[i] = chi[1 + i] / s->N;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            s->S[i * d + j] -= s->N * s->mean[i] * s->mean[j];
    memcpy(s->factor, s->S, d * d * sizeof *s->S);
    *inside = scant_i_cholesky(s->factor, d);
    if (*inside) {
        s->logdet = scant_i_cholesky_logdet(s->factor, d);
        scant_i_cholesky_inverse(s->inverse, s->factor, d);
    }
done:
    return status;
}

/* out = a v (d x d times d), their product with v */
static double quadratic(double *out, const double *a, const double *v, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        out[i] = scant_i_dot_fixed(a + i * d, v, d);
        sum += out[i] * v[i];
    }
    return sum;
}

static scant_status log_normaliser(double *value, double *gradient, const double *chi, size_t d)
{
    scant_status status = SCANT_OK;
    moments s;
    bool inside;
    *value = INFINITY;
    SCANT_I_TRY(moments_new(&s, &inside, chi, d));
    if (!inside)
        goto done;
    double N = s.N, dims = (double)d, gammas = 0, psis = 0;
    for (size_t j = 0; j < d; j++) {
        gammas += scant_i_lgamma(0.5 * (N - (double)j));
        psis += gradient ? scant_i_digamma(0.5 * (N - (double)j)) : 0;
    }
    double logdet = dims * LOG_PI + s.logdet;
    *value = -0.5 * dims * log(N) - 0.5 * N * logdet + gammas;
    if (!gradient)
        goto done;
    double q = quadratic(s.room, s.inverse, s.mean, d);
    gradient[0] = -0.5 * dims / N - 0.5 * logdet + 0.5 * psis - 0.5 * N * q;
    for (size_t i = 0; i < d; i++)
        gradient[1 + i] = N * s.room[i];
    for (size_t i = 0; i < d * d; i++)
        s.inverse[i] *= -0.5 * N;
    pack_slopes(gradient + 1 + d, s.inverse, d);
done:
    moments_clear(&s);
    return status;
}

/* Derivative of the gradient along one direction (dN, dm, dM). */
static void bend_one(double *out, const moments *s, const double *direction, size_t d)
{
    double N = s->N, dN = direction[0], dims = (double)d, psis = 0;
    const double *dm = direction + 1, *xbar = s->mean;
    double *dS = s->room, *half = dS + d * d, *dinverse = half + d * d, *dx = dinverse + d * d;
    double *Six = dx + d, *Sidx = Six + d, *dSix = Sidx + d;
    for (size_t j = 0; j < d; j++)
        psis += scant_i_trigamma(0.5 * (N - (double)j));
    unpack(dS, direction + 1 + d, d);
    for (size_t i = 0; i < d; i++) {
        dx[i] = (dm[i] - xbar[i] * dN) / N;
        for (size_t j = 0; j < d; j++)
            dS[i * d + j] += -dm[i] * xbar[j] - xbar[i] * dm[j] + dN * xbar[i] * xbar[j];
    }
    double trace = scant_i_dot_fixed(s->inverse, dS, d * d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) /* both are symmetric: half = S^-1 dS */
            half[i * d + j] = scant_i_dot_fixed(s->inverse + i * d, dS + j * d, d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            dinverse[i * d + j] = -scant_i_dot_fixed(half + i * d, s->inverse + j * d, d);

    double q = quadratic(Six, s->inverse, xbar, d), dq = quadratic(dSix, dinverse, xbar, d);
    (void)quadratic(Sidx, s->inverse, dx, d);
    out[0] = 0.5 * dims * dN / (N * N) - 0.5 * trace + 0.25 * psis * dN - 0.5 * dN * q -
             N * scant_i_dot_fixed(Six, dx, d) - 0.5 * N * dq;
    for (size_t i = 0; i < d; i++)
        out[1 + i] = dN * Six[i] + N * dSix[i] + N * Sidx[i];
    for (size_t i = 0; i < d * d; i++)
        dinverse[i] = -0.5 * dN * s->inverse[i] - 0.5 * N * dinverse[i];
    pack_slopes(out + 1 + d, dinverse, d);
}

static scant_status bend(double *out, const double *chi, const double *directions, size_t m,
                         size_t d)
{
    scant_status status = SCANT_OK;
    moments s;
    bool inside;
    SCANT_I_TRY(moments_new(&s, &inside, chi, d));
    for (size_t k = 0; k < m && inside; k++)
        bend_one(out + k * size(d), &s, directions + k * size(d), d);
done:
    moments_clear(&s);
    return status;
}

/* count rows at the columns' means with their variances; a column without spread has variance 1. */
static void prior(double *chi, double count, const double *x, size_t n, size_t d)
{
    memset(chi, 0, size(d) * sizeof *chi);
    chi[0] = count;
    double *M = chi + 1 + d;
    for (size_t i = 0; i < d; i++, M += i) {
        double mean = 0, square = 0;
        for (size_t t = 0; t < n; t++)
            mean += x[t * d + i] / (double)n;
        for (size_t t = 0; t < n; t++)
            square += (x[t * d + i] - mean) * (x[t * d + i] - mean) / (double)n;
        chi[1 + i] = count * mean;
        for (size_t j = 0; j <= i; j++)
            M[j] = count > 0 ? chi[1 + i] * chi[1 + j] / count : 0;
        M[i] += count * (square > 0 ? square : 1);
    }
}

static scant_status sample(double *x, const double *chi, size_t d, const double *like,
                           scant_i_random *random)
{
    scant_status status = SCANT_OK;
    moments s;
    bool inside;
    (void)like;
    SCANT_I_TRY(moments_new(&s, &inside, chi, d));
    if (!inside) {
        status = scant_i_fail(SCANT_ERR_INPUT, "a Gaussian class has no posterior");
        goto done;
    }
    double nu = s.N - (double)d + 1;
    double scale = sqrt((s.N + 1) / (s.N * 2 * scant_i_random_gamma(random, 0.5 * nu)));
    for (size_t i = 0; i < d; i++)
        s.room[i] = scant_i_random_normal(random);
    for (size_t i = 0; i < d; i++)
        x[i] = s.mean[i] + scale * scant_i_dot_fixed(s.factor + i * d, s.room, i + 1);
done:
    moments_clear(&s);
    return status;
}

/* Factor of S and the row less xbar on the `seen` cells, of which there are q. */
static size_t observed(double *factor, double *rest, const moments *s, const double *x, size_t d)
{
    size_t q = 0;
    for (size_t i = 0; i < d; i++)
        q += isnan(x[i]) ? 0 : 1;
    for (size_t i = 0, k = 0; i < d; i++) {
        if (isnan(x[i]))
            continue;
        rest[k] = x[i] - s->mean[i];
        for (size_t j = 0, l = 0; j < d; j++)
            if (!isnan(x[j]))
                factor[k * q + l++] = s->S[i * d + j];
        k++;
    }
    (void)scant_i_cholesky(factor, q); /* as S is positive definite, so is its block */
    return q;
}

/* xbar_m + S_mo S_oo^-1 (x_o - xbar_o) */
static scant_status fill(double *x, const double *chi, size_t d)
{
    scant_status status = SCANT_OK;
    moments s;
    bool inside;
    SCANT_I_TRY(moments_new(&s, &inside, chi, d));
    if (!inside)
        goto done;
    double *factor = s.room, *rest = factor + d * d, *filled = rest + d;
    size_t q = observed(factor, rest, &s, x, d);
    scant_i_cholesky_solve(factor, q, rest);
    for (size_t i = 0; i < d; i++) {
        filled[i] = x[i];
        if (!isnan(x[i]))
            continue;
        filled[i] = s.mean[i];
        for (size_t j = 0, k = 0; j < d; j++)
            if (!isnan(x[j]))
                filled[i] += s.S[i * d + j] * rest[k++];
    }
    memcpy(x, filled, d * sizeof *x);
done:
    moments_clear(&s);
    return status;
}

static scant_status score(double *out, const double *x, const double *chi, size_t d)
{
    scant_status status = SCANT_OK;
    moments s;
    bool inside;
    *out = NAN;
    SCANT_I_TRY(moments_new(&s, &inside, chi, d));
    if (!inside)
        goto done;
    double *factor = s.room, *rest = factor + d * d;
    size_t q = observed(factor, rest, &s, x, d);
    double nu = s.N - (double)d + 1, scale = (s.N + 1) / s.N, dims = (double)q; /* times nu */
    scant_i_forward_solve(factor, q, rest);
    double distance = scant_i_dot_fixed(rest, rest, q) / scale;
    *out = scant_i_lgamma(0.5 * (nu + dims)) - scant_i_lgamma(0.5 * nu) -
           0.5 * dims * (LOG_PI + log(scale)) - 0.5 * scant_i_cholesky_logdet(factor, q) -
           0.5 * (nu + dims) * log1p(distance);
done:
    moments_clear(&s);
    return status;
}

const scant_i_med_conjugate_family scant_i_med_gaussian_family = {
    .name = "gaussian",
    .summary = "Gaussians with full covariances, normal inverse-Wishart prior",
    .cells = "numbers",
    .size = size,
    .accepts = accepts,
    .statistics = statistics,
    .base = base,
    .log_normaliser = log_normaliser,
    .bend = bend,
    .prior = prior,
    .sample = sample,
    .fill = fill,
    .score = score};
