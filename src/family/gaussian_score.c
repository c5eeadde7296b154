/* Scores of Gaussian components, with means m and covariances S in standard units.
 *
 * Features are those of a pass, phi = (1, z, squares), absent cells 0. A row of some pattern is
 * completed to zh = c + D z, with covariance V of what was missing:
 *     all present     c = 0, D = I, V = 0
 *     full shapes     zh_m = m_m + B (z_o - m_o), B = S_mo S_oo^-1, V = S_mm - B S_om
 *     other shapes    absent columns are left out: c = D = V = 0 there, and so in m and S
 * so that E[T | observed] = (zh, zh_a zh_b + V_ab) is linear in phi, as is its average over rows,
 * of which Cov[T | observed] needs the mean of zh and of zh zh' (gaussian_natural.c: Isserlis). */
#include "family/gaussian.h"

#include <string.h>

#include "math/linear.h"

void scant_i_gaussian_theta_standardise(scant_i_factor *factor, bool to)
{
    size_t d = factor->ncolumns;
    size_t covariances = scant_i_gaussian_tied(factor) ? 1 : factor->ncomponents;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    double common = scant_i_gaussian_unit(factor, shape, 0);
#define UNIT(c) (shape == SCANT_I_SPHERICAL ? common : factor->scale[c])
    for (size_t j = 0; j < factor->ncomponents; j++) {
        double *m = scant_i_gaussian_mean(factor, j);
        for (size_t c = 0; c < d; c++)
            m[c] = to ? (m[c] - factor->centre[c]) / UNIT(c) : factor->centre[c] + m[c] * UNIT(c);
    }
    for (size_t j = 0; j < covariances; j++) {
        double *S = scant_i_gaussian_covariance(factor, j);
        for (size_t t = 0; t < scant_i_gaussian_covariance_size(shape, d); t++) {
            size_t a = shape == SCANT_I_FULL ? t / d : t, b = shape == SCANT_I_FULL ? t % d : t;
            double units = UNIT(a) * UNIT(b);
            S[t] = to ? S[t] / units : S[t] * units;
        }
    }
#undef UNIT
}

size_t scant_i_gaussian_nfeatures(const scant_i_factor *factor)
{
    return scant_i_gaussian_features(scant_i_gaussian_shape(factor), factor->ncolumns);
}

/* 1, z_a, then z_a^2, or z_a z_b with a <= b; the square of a spherical shape, a sum over columns,
 * goes for a column of its own. */
void scant_i_gaussian_monomial(const scant_i_factor *factor, size_t feature,
                               size_t column[SCANT_I_MONOMIAL])
{
    size_t d = factor->ncolumns, a = 1, b = feature - d;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    column[0] = feature;
    column[1] = 0;
    if (feature <= d || shape == SCANT_I_SPHERICAL)
        return;
    for (size_t left = d; shape == SCANT_I_FULL && b > left; left--, a++)
        b -= left;
    column[0] = shape == SCANT_I_FULL ? a : b;
    column[1] = shape == SCANT_I_FULL ? a + b - 1 : b;
}

void scant_i_gaussian_features_of(const scant_i_factor *factor, const scant_i_block *block,
                                  double *phi, size_t ld, double *room)
{
    (void)room;
    scant_i_gaussian_fill(factor, block, phi, ld);
}

/* A component as rows of some pattern see it; see above. */
typedef struct completion {
    double *c, *D, *V, *m, *S; /* d, d x d, d x d, d, d x d */
    double *room;              /* 2 d x d */
    bool whole;                /* nothing that the shape completes is missing */
} completion;

static bool has(const scant_i_factor *factor, const uint8_t *present, size_t c)
{
    return !present || present[factor->columns[c]];
}

/* Full shapes: zh and V by regression on the columns present. */
static scant_status regress(const scant_i_factor *factor, const uint8_t *present, completion *p)
{
    size_t d = factor->ncolumns, o = 0;
    double *L = p->room, *B = L + d * d;
    for (size_t a = 0; a < d; a++)
        if (has(factor, present, a)) {
            size_t k = 0, row = o++;
            for (size_t b = 0; b <= a; b++)
                if (has(factor, present, b))
                    B[row * d + k++] = p->S[a * d + b];
        }
    for (size_t a = 0; a < o; a++)
        for (size_t b = 0; b <= a; b++)
            L[a * o + b] = L[b * o + a] = B[a * d + b];
    if (!scant_i_cholesky(L, o))
        return scant_i_fail(SCANT_ERR_INPUT, "a covariance is not positive definite");
    for (size_t a = 0; a < d; a++) {
        if (has(factor, present, a))
            continue;
        for (size_t b = 0, k = 0; b < d; b++)
            if (has(factor, present, b))
                B[k++] = p->S[a * d + b];
        scant_i_cholesky_solve(L, o, B);
        p->D[a * d + a] = 0;
        p->c[a] = p->m[a];
        for (size_t b = 0, k = 0; b < d; b++)
            if (has(factor, present, b)) {
                p->D[a * d + b] = B[k++];
                p->c[a] -= p->D[a * d + b] * p->m[b];
            }
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            if (has(factor, present, a) || has(factor, present, b))
                continue;
            p->V[a * d + b] = p->S[a * d + b];
            for (size_t k = 0; k < d; k++)
                if (has(factor, present, k))
                    p->V[a * d + b] -= p->D[a * d + k] * p->S[k * d + b];
        }
    return SCANT_OK;
}

static scant_status complete_new(completion *p, const scant_i_factor *factor, size_t j,
                                 const uint8_t *present)
{
    size_t d = factor->ncolumns;
    bool full = scant_i_gaussian_shape(factor) == SCANT_I_FULL;
    scant_status status = SCANT_I_NEW(&p->c, 2 * d + 5 * d * d);
    if (status != SCANT_OK)
        return status;
    p->m = p->c + d;
    p->D = p->m + d;
    p->V = p->D + d * d;
    p->S = p->V + d * d;
    p->room = p->S + d * d;
    p->whole = true;
    memcpy(p->m, scant_i_gaussian_mean(factor, j), d * sizeof *p->m);
    scant_i_gaussian_full(factor, j, p->S);
    for (size_t a = 0; a < d; a++) {
        p->D[a * d + a] = 1;
        if (has(factor, present, a))
            continue;
        p->whole = !full;
        if (!full)
            p->m[a] = p->S[a * d + a] = p->D[a * d + a] = 0;
    }
    return p->whole ? SCANT_OK : regress(factor, present, p);
}

/* The place of z_a z_b among full features. */
static size_t product_at(size_t d, size_t a, size_t b)
{
    size_t low = a < b ? a : b, high = a < b ? b : a;
    return 1 + d + low * d - low * (low + 1) / 2 + high;
}

/* A += coefficients of (c_a + D_a z)(c_b + D_b z) + V_ab */
static void add_product(const completion *p, size_t d, size_t a, size_t b, double *A)
{
    A[0] += p->c[a] * p->c[b] + p->V[a * d + b];
    for (size_t e = 0; e < d; e++) {
        A[1 + e] += p->c[a] * p->D[b * d + e] + p->c[b] * p->D[a * d + e];
        for (size_t f = 0; f < d; f++)
            A[product_at(d, e, f)] += p->D[a * d + e] * p->D[b * d + f];
    }
}

scant_status scant_i_gaussian_score(const scant_i_factor *factor, size_t component,
                                    const uint8_t *present, double *A)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns, n = scant_i_gaussian_nnatural(factor), m = n + 1;
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    completion p = {0};
    double *K1 = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&K1, n));
    SCANT_I_TRY(complete_new(&p, factor, component, present));
    memset(A, 0, n * m * sizeof *A);
    scant_i_gaussian_expected(shape, d, p.S, p.m, K1);
    for (size_t a = 0; a < n; a++)
        A[a * m] = -K1[a];
    for (size_t a = 0; a < d; a++) {
        A[a * m] += p.c[a];
        for (size_t e = 0; e < d; e++)
            A[a * m + 1 + e] = p.D[a * d + e];
    }
    if (shape != SCANT_I_FULL) /* absent squares are 0, and so is K1 of them */
        for (size_t a = d; a < n; a++)
            A[a * m + 1 + a] = 1;
    for (size_t a = 0, k = d; a < d && shape == SCANT_I_FULL; a++)
        for (size_t b = a; b < d; b++, k++)
            add_product(&p, d, a, b, A + k * m);
done:
    scant_i_free(K1);
    scant_i_free(p.c);
    return status;
}

/* mean (d) and product (d x d): averages of zh and zh zh' over rows whose features add up to S,
 * full shapes only */
static void average(const completion *p, size_t d, const double *S, double *mean, double *product)
{
    for (size_t a = 0; a < d; a++) {
        mean[a] = p->c[a];
        for (size_t e = 0; e < d; e++)
            mean[a] += p->D[a * d + e] * S[1 + e] / S[0];
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double sum = p->c[a] * mean[b] + p->c[b] * mean[a] - p->c[a] * p->c[b];
            for (size_t e = 0; e < d; e++)
                for (size_t f = 0; f < d; f++)
                    sum += p->D[a * d + e] * p->D[b * d + f] * S[product_at(d, e, f)] / S[0];
            product[a * d + b] = sum;
        }
}

scant_status scant_i_gaussian_information(const scant_i_factor *factor, size_t component,
                                          const uint8_t *present, const double *S, double *complete,
                                          double *missing)
{
    scant_status status = SCANT_OK;
    size_t d = factor->ncolumns, n = scant_i_gaussian_nnatural(factor);
    scant_i_shape shape = scant_i_gaussian_shape(factor);
    completion p = {0};
    SCANT_I_TRY(complete_new(&p, factor, component, present));
    double *mean = p.room, *product = p.room + d * d;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            product[a * d + b] = p.m[a] * p.m[b];
    scant_i_gaussian_spread(shape, d, p.S, p.m, product, complete);
    memset(missing, 0, n * n * sizeof *missing);
    if (!p.whole && S[0] > 0) {
        average(&p, d, S, mean, product);
        scant_i_gaussian_spread(shape, d, p.V, mean, product, missing);
    }
    for (size_t t = 0; t < n * n; t++) {
        complete[t] *= S[0];
        missing[t] *= S[0];
    }
done:
    scant_i_free(p.c);
    return status;
}
