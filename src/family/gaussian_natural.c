/* Gaussian in exponential form, T(x) = (x, x_a x_b for a <= b):
 *
 *   eta    = (S^-1 mu,  -S^-1_aa / 2 on the diagonal,  -S^-1_ab off it)
 *   K(eta) = 1/2 (mu' S^-1 mu + log det S),  A(x) = -(d/2) log 2pi
 *   K'     = E[T] = (mu, S_ab + mu_a mu_b)
 *   K''    = Cov[T] (Isserlis):
 *     Cov(x_a, x_c)         = S_ac
 *     Cov(x_a, x_c x_e)     = mu_c S_ae + mu_e S_ac
 *     Cov(x_a x_b, x_c x_e) = S_ac S_be + S_ae S_bc + mu_a mu_c S_be + mu_a mu_e S_bc
 *                                                   + mu_b mu_c S_ae + mu_b mu_e S_ac
 * Diagonal: the squares x_a^2 only; spherical: their sum only, eta = (mu / s, -1 / (2 s)). */
#include "family/gaussian.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

size_t scant_i_gaussian_nnatural(const scant_i_factor *factor)
{
    return scant_i_gaussian_features(scant_i_gaussian_shape(factor), factor->ncolumns) - 1;
}

/* The k-th square as a list of pairs (a, b): one pair, or all (a, a) for spherical. */
typedef struct square {
    size_t a, b;
    bool all; /* the sum over a of (a, a) */
} square;

static square square_at(scant_i_shape shape, size_t d, size_t k)
{
    if (shape == SCANT_I_SPHERICAL)
        return (square){0, 0, true};
    if (shape == SCANT_I_DIAGONAL)
        return (square){k, k, false};
    size_t a = 0;
    while (k >= d - a)
        k -= d - a++;
    return (square){a, a + k, false};
}

scant_status scant_i_gaussian_natural(const scant_i_factor *factor, size_t component, double *eta)
{
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    const double *mu = scant_i_gaussian_mean(factor, component);
    double *lower = scant_i_alloc(2 * d * d, sizeof *lower);
    if (!lower)
        return SCANT_ERR_MEMORY;
    double *precision = lower + d * d;
    scant_i_gaussian_full(factor, component, lower);
    if (!scant_i_cholesky(lower, d)) {
        scant_i_free(lower);
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the covariance of component %zu is not positive definite",
                            component + 1);
    }
    scant_i_cholesky_inverse(precision, lower, d);
    for (size_t a = 0; a < d; a++) {
        eta[a] = 0;
        for (size_t b = 0; b < d; b++)
            eta[a] += precision[a * d + b] * mu[b];
    }
    for (size_t k = 0; k < scant_i_gaussian_squares(shape, d); k++) {
        square s = square_at(shape, d, k);
        eta[d + k] = s.a == s.b ? -0.5 * precision[s.a * d + s.a] : -precision[s.a * d + s.b];
    }
    scant_i_free(lower);
    return SCANT_OK;
}

void scant_i_gaussian_sufficient(const scant_i_factor *factor, const double *x, double *T)
{
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    memcpy(T, x, d * sizeof *T);
    for (size_t k = 0; k < scant_i_gaussian_squares(shape, d); k++) {
        square s = square_at(shape, d, k);
        T[d + k] = x[s.a] * x[s.b];
        for (size_t a = 1; s.all && a < d; a++)
            T[d + k] += x[a] * x[a];
    }
}

/* Cov(x_a x_b, x_c x_e), with m_a m_c from `product` */
static double square_square(const double *S, const double *product, size_t d, size_t a, size_t b,
                            size_t c, size_t e)
{
#define AT(i, k) S[(i)*d + (k)]
#define MM(i, k) product[(i)*d + (k)]
    return AT(a, c) * AT(b, e) + AT(a, e) * AT(b, c) + MM(a, c) * AT(b, e) + MM(a, e) * AT(b, c) +
           MM(b, c) * AT(a, e) + MM(b, e) * AT(a, c);
#undef AT
#undef MM
}

void scant_i_gaussian_expected(scant_i_shape shape, size_t d, const double *S, const double *m,
                               double *T)
{
    memcpy(T, m, d * sizeof *T);
    for (size_t k = 0; k < scant_i_gaussian_squares(shape, d); k++) {
        square s = square_at(shape, d, k);
        T[d + k] = m[s.a] * m[s.b] + S[s.a * d + s.b];
        for (size_t a = 1; s.all && a < d; a++)
            T[d + k] += m[a] * m[a] + S[a * d + a];
    }
}

void scant_i_gaussian_spread(scant_i_shape shape, size_t d, const double *S, const double *m,
                             const double *product, double *covariance)
{
    size_t squares = scant_i_gaussian_squares(shape, d), n = d + squares;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            covariance[a * n + b] = S[a * d + b];
    for (size_t k = 0; k < squares; k++) {
        square s = square_at(shape, d, k);
        for (size_t a = 0; a < d; a++) {
            double sum = m[s.a] * S[a * d + s.b] + m[s.b] * S[a * d + s.a];
            for (size_t c = 1; s.all && c < d; c++)
                sum += 2 * m[c] * S[a * d + c];
            covariance[a * n + d + k] = covariance[(d + k) * n + a] = sum;
        }
        for (size_t l = 0; l < squares; l++) {
            square t = square_at(shape, d, l);
            double sum = s.all ? 0 : square_square(S, product, d, s.a, s.b, t.a, t.b);
            for (size_t a = 0; s.all && a < d; a++)
                for (size_t c = 0; c < d; c++)
                    sum += square_square(S, product, d, a, a, c, c);
            covariance[(d + k) * n + d + l] = sum;
        }
    }
}

/* Those of a diagonal precision, given in `lower`. */
static bool invert_diagonal(size_t d, const double *eta, double *lower, double *S, double *mu)
{
    memset(S, 0, d * d * sizeof *S);
    for (size_t a = 0; a < d; a++) {
        double precision = lower[a * d + a];
        if (!(precision > 0 && isfinite(precision)))
            return false;
        lower[a * d + a] = sqrt(precision);
        S[a * d + a] = 1 / precision;
        mu[a] = eta[a] / precision;
    }
    return true;
}

static bool invert(size_t d, const double *eta, double *lower, double *S, double *mu)
{
    if (!scant_i_cholesky(lower, d))
        return false;
    memcpy(mu, eta, d * sizeof *mu);
    scant_i_cholesky_solve(lower, d, mu);
    scant_i_cholesky_inverse(S, lower, d);
    return true;
}

/* Covariance S (d x d) and mean from eta; `lower` (d x d) gets the precision's factor. */
static scant_status moments_of(scant_i_shape shape, size_t d, const double *eta, double *lower,
                               double *S, double *mu)
{
    memset(lower, 0, d * d * sizeof *lower);
    for (size_t k = 0; k < scant_i_gaussian_squares(shape, d); k++) {
        square s = square_at(shape, d, k);
        if (s.a == s.b)
            lower[s.a * d + s.a] = -2 * eta[d + k];
        else
            lower[s.a * d + s.b] = lower[s.b * d + s.a] = -eta[d + k];
        for (size_t a = 1; s.all && a < d; a++)
            lower[a * d + a] = -2 * eta[d + k];
    }
    if (!(shape == SCANT_I_FULL ? invert : invert_diagonal)(d, eta, lower, S, mu))
        return scant_i_fail(SCANT_ERR_INPUT, "natural parameters outside the Gaussian's domain");
    return SCANT_OK;
}

scant_status scant_i_gaussian_cumulant(const scant_i_factor *factor, const double *eta,
                                       const double *x, double *K, double *K1, double *K2)
{
    (void)x;
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double *room = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&room, 3 * d * d + d));
    double *lower = room, *S = lower + d * d, *product = S + d * d, *mu = product + d * d;
    SCANT_I_TRY(moments_of(shape, d, eta, lower, S, mu));
    *K = -0.5 * scant_i_cholesky_logdet(lower, d); /* log det S = -log det precision */
    for (size_t a = 0; a < d; a++) {
        *K += 0.5 * mu[a] * eta[a];
        for (size_t b = 0; b < d; b++)
            product[a * d + b] = mu[a] * mu[b];
    }
    if (K1)
        scant_i_gaussian_expected(shape, d, S, mu, K1);
    if (K2)
        scant_i_gaussian_spread(shape, d, S, mu, product, K2);
done:
    scant_i_free(room);
    return status;
}

size_t scant_i_gaussian_nshared(const scant_i_factor *factor)
{
    return scant_i_gaussian_tied(factor)
               ? scant_i_gaussian_squares(scant_i_gaussian_shape(factor), factor->ncolumns)
               : 0;
}

/* Known covariances are known squares of eta, whatever the means are. */
size_t scant_i_gaussian_nfixed(const scant_i_factor *factor)
{
    return factor->settings.fixed_covariances
               ? scant_i_gaussian_squares(scant_i_gaussian_shape(factor), factor->ncolumns)
               : 0;
}

scant_status scant_i_gaussian_from_natural(scant_i_factor *factor, size_t component,
                                           const double *eta)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double *room = NULL, *own = scant_i_gaussian_covariance(factor, component);
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * d * d + d));
    double *lower = room, *S = lower + d * d, *mu = S + d * d;
    SCANT_I_TRY(moments_of(shape, d, eta, lower, S, mu));
    memcpy(scant_i_gaussian_mean(factor, component), mu, d * sizeof *mu);
    for (size_t t = 0; t < scant_i_gaussian_covariance_size(shape, d); t++)
        own[t] = shape == SCANT_I_FULL ? S[t] : S[t * d + t];
done:
    scant_i_free(room);
    return status;
}
