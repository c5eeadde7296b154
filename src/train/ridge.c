/* Multinomial logistic regression with a ridge, by L-BFGS.
 *
 * Where there are more columns than rows the weights lie in the span of the rows: with X X' = U L U', Z = U L^1/2 has the
 * same inner products, and B = X' U L^-1/2 A for the optimum A on Z. So nothing is larger than labels x labels.
 * Cost: O(n min(n, d) K) an evaluation, some dozens of them; O(n^2 (n + d)) once where d > n. */
#include "train/ridge.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "solve/minimise.h"
#include "train/member.h"

enum { MOST_ITERATIONS = 1000 };
static const double TOLERANCE = 1e-11;

double scant_i_softmax(double *p, size_t K)
{
    double most = p[0], sum = 0;
    for (size_t k = 1; k < K; k++)
        most = fmax(most, p[k]);
    for (size_t k = 0; k < K; k++)
        sum += p[k] = exp(p[k] - most);
    for (size_t k = 0; k < K; k++)
        p[k] /= sum;
    return most + log(sum);
}

/* eta = B' (x, 1) */
static void scores(double *eta, const double *B, const double *x, size_t d, size_t K)
{
    memcpy(eta, B + d * K, K * sizeof *eta);
    scant_i_kernels_now()->add_combination(eta, B, x, d, K);
}

static void add_outer(double *gradient, const double *x, const double *residual, size_t d, size_t K)
{
    scant_i_kernels_now()->add_outer(gradient, x, d, residual, K);
    for (size_t k = 0; k < K; k++)
        gradient[d * K + k] += residual[k];
}

/* p is room for K numbers. */
static double objective(double *gradient, const double *B, const double *x, size_t n, size_t d,
                        const double *t, size_t K, double C, double *p)
{
    double loss = 0, penalty = 0;
    memset(gradient, 0, (d + 1) * K * sizeof *gradient);
    for (size_t i = 0; i < n; i++) {
        const double *target = t + i * K;
        double weight = scant_i_sum(target, K);
        if (!(weight > 0))
            continue;
        scores(p, B, x + i * d, d, K);
        double fit = 0;
        for (size_t k = 0; k < K; k++)
            fit += target[k] * p[k];
        loss += weight * scant_i_softmax(p, K) - fit;
        for (size_t k = 0; k < K; k++)
            p[k] = C * (weight * p[k] - target[k]);
        add_outer(gradient, x + i * d, p, d, K);
    }
    for (size_t c = 0; c < d * K; c++) {
        penalty += B[c] * B[c] / 2;
        gradient[c] += B[c];
    }
    return C * loss + penalty;
}

typedef struct problem {
    const double *x, *t;
    size_t n, d, K;
    double C;
    double *p; /* K */
} problem;

static scant_status evaluate(double *value, double *gradient, const double *B, void *payload)
{
    const problem *q = payload;
    *value = objective(gradient, B, q->x, q->n, q->d, q->t, q->K, q->C, q->p);
    return SCANT_OK;
}

double scant_i_ridge_objective(double *gradient, const double *B, const double *x, size_t n,
                               size_t d, const double *t, size_t K, double C)
{
    double *p = scant_i_alloc(K, sizeof *p);
    double value = p ? objective(gradient, B, x, n, d, t, K, C, p) : NAN;
    scant_i_free(p);
    return value;
}

static scant_status minimise(double *B, const double *x, size_t n, size_t d, const double *t,
                             size_t K, double C)
{
    scant_status status = SCANT_OK;
    scant_i_minimum minimum;
    problem q = {x, t, n, d, K, C, NULL};
    const scant_i_minimise_options options = {
        .max_iter = MOST_ITERATIONS, .tol = TOLERANCE, .enough = scant_i_interrupted_enough};
    SCANT_I_TRY(SCANT_I_NEW(&q.p, K));
    memset(B, 0, (d + 1) * K * sizeof *B);
    SCANT_I_TRY(scant_i_minimise(&minimum, B, (d + 1) * K, &options, evaluate, &q));
done:
    scant_i_free(q.p);
    return status;
}

/* The same in the span of the rows; x has no row without a target. */
static scant_status minimise_in_span(double *B, const double *x, size_t n, size_t d,
                                     const double *t, size_t K, double C)
{
    scant_status status = SCANT_OK;
    double *G = NULL, *l = NULL, *Z = NULL, *A = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&G, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&l, n));
    SCANT_I_TRY(SCANT_I_NEW(&Z, n * n));
    SCANT_I_TRY(SCANT_I_NEW(&A, (n + 1) * K));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            G[i * n + j] = G[j * n + i] = scant_i_dot(x + i * d, x + j * d, d);
    SCANT_I_TRY(scant_i_eigen(G, n, l)); /* eigenvectors in the rows of G */
    for (size_t e = 0; e < n; e++) {
        bool is_zero = !(l[e] > 1e-12 * l[n - 1]);
        l[e] = is_zero ? 0 : sqrt(l[e]);
        for (size_t i = 0; i < n; i++)
            Z[i * n + e] = l[e] * G[e * n + i];
    }
    SCANT_I_TRY(minimise(A, Z, n, n, t, K, C));

    memset(B, 0, d * K * sizeof *B);
    memcpy(B + d * K, A + n * K, K * sizeof *B);
    for (size_t i = 0; i < n; i++) {
        double *dual =
            Z; /* Z is not needed any more: its first K numbers are row i of U L^-1/2 A */
        memset(dual, 0, K * sizeof *dual);
        for (size_t e = 0; e < n; e++)
            for (size_t k = 0; k < K && l[e] > 0; k++)
                dual[k] += G[e * n + i] / l[e] * A[e * K + k];
        for (size_t c = 0; c < d; c++)
            for (size_t k = 0; k < K; k++)
                B[c * K + k] += x[i * d + c] * dual[k];
    }
done:
    scant_i_free(G);
    scant_i_free(l);
    scant_i_free(Z);
    scant_i_free(A);
    return status;
}

scant_status scant_i_ridge_fit(double *B, const double *x, size_t n, size_t d, const double *t,
                               size_t K, double C)
{
    scant_status status = SCANT_OK;
    double *rows = NULL, *targets = NULL;
    size_t m = 0;
    SCANT_I_TRY(SCANT_I_NEW(&rows, n * d));
    SCANT_I_TRY(SCANT_I_NEW(&targets, scant_i_max(n, K) * K));
    for (size_t i = 0; i < n; i++) {
        if (!(scant_i_sum(t + i * K, K) > 0))
            continue;
        memcpy(rows + m * d, x + i * d, d * sizeof *rows);
        memcpy(targets + m * K, t + i * K, K * sizeof *targets);
        m++;
    }
    if (m > 0 && m < d)
        SCANT_I_TRY(minimise_in_span(B, rows, m, d, targets, K, C));
    else
        SCANT_I_TRY(minimise(B, rows, m, d, targets, K, C));
done:
    scant_i_free(rows);
    scant_i_free(targets);
    return status;
}

void scant_i_ridge_probabilities(double *p, const double *B, const double *x, size_t n, size_t d,
                                 size_t K)
{
    for (size_t i = 0; i < n; i++) {
        scores(p + i * K, B, x + i * d, d, K);
        (void)scant_i_softmax(p + i * K, K);
    }
}
