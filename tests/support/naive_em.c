#include "naive_em.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Solves A y = b by Gaussian elimination with pivots; returns log |det A|. A and b are overwritten.
 */
static double solve(double *A, double *b, size_t n)
{
    double logdet = 0;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k]))
                pivot = i;
        for (size_t c = 0; c < n; c++) {
            double swap = A[k * n + c];
            A[k * n + c] = A[pivot * n + c];
            A[pivot * n + c] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        logdet += log(fabs(A[k * n + k]));
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] / A[k * n + k];
            for (size_t c = k; c < n; c++)
                A[i * n + c] -= f * A[k * n + c];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; c++)
            b[k] -= A[k * n + c] * b[c];
        b[k] /= A[k * n + k];
    }
    return logdet;
}

/* out = S_oo^-1 (rhs_o) for the observed coordinates of x; returns log det S_oo */
static double solve_observed(const double *x, const double *S, const double *rhs, size_t d,
                             double *out)
{
    double A[64] = {0}, b[8] = {0};
    size_t o[8], n = 0;
    for (size_t c = 0; c < d; c++)
        if (!isnan(x[c]))
            o[n++] = c;
    for (size_t a = 0; a < n; a++) {
        b[a] = rhs[o[a]];
        for (size_t c = 0; c < n; c++)
            A[a * n + c] = S[o[a] * d + o[c]];
    }
    double logdet = solve(A, b, n);
    for (size_t c = 0; c < d; c++)
        out[c] = 0;
    for (size_t a = 0; a < n; a++)
        out[o[a]] = b[a];
    return logdet;
}

double naive_log_normal(const double *x, const double *mu, const double *S, size_t d)
{
    double apart[8] = {0}, y[8] = {0}, quadratic = 0;
    size_t n = 0;
    for (size_t c = 0; c < d; c++)
        apart[c] = x[c] - mu[c];
    double logdet = solve_observed(x, S, apart, d, y);
    for (size_t c = 0; c < d; c++)
        if (!isnan(x[c])) {
            quadratic += apart[c] * y[c];
            n++;
        }
    return -0.5 * ((double)n * log(2 * acos(-1.0)) + logdet + quadratic);
}

/* x completed by its conditional mean, and the conditional covariance (0 where observed) */
static void complete(const double *x, const double *mu, const double *S, size_t d, double *full,
                     double *V)
{
    double apart[8] = {0}, y[8] = {0};
    for (size_t c = 0; c < d; c++)
        apart[c] = x[c] - mu[c];
    (void)solve_observed(x, S, apart, d, y);
    for (size_t a = 0; a < d; a++) {
        full[a] = x[a];
        if (isnan(x[a])) {
            full[a] = mu[a];
            for (size_t c = 0; c < d; c++)
                if (!isnan(x[c]))
                    full[a] += S[a * d + c] * y[c];
        }
    }
    memset(V, 0, d * d * sizeof *V);
    for (size_t b = 0; b < d; b++) {
        if (!isnan(x[b]))
            continue;
        double column[8] = {0}, z[8] = {0};
        for (size_t c = 0; c < d; c++)
            column[c] = S[c * d + b];
        (void)solve_observed(x, S, column, d, z);
        for (size_t a = 0; a < d; a++)
            if (isnan(x[a])) {
                V[a * d + b] = S[a * d + b];
                for (size_t c = 0; c < d; c++)
                    if (!isnan(x[c]))
                        V[a * d + b] -= S[a * d + c] * z[c];
            }
    }
}

static void e_step(naive_em *em, double *r, double *N)
{
    size_t M = em->M, K = em->K, d = em->d;
    double *l = malloc(M * sizeof *l), *a = malloc(M * sizeof *a);
    em->loglik = 0;
    memset(N, 0, M * K * sizeof *N);
    for (size_t i = 0; i < em->n; i++) {
        double top = -INFINITY, sum = 0;
        for (size_t j = 0; j < M; j++) {
            a[j] = 0;
            for (size_t k = 0; k < K; k++)
                a[j] += em->W[j * K + k] * em->v[i * K + k];
            l[j] =
                log(a[j]) + naive_log_normal(em->x + i * d, em->mu + j * d, em->S + j * d * d, d);
            top = fmax(top, l[j]);
        }
        for (size_t j = 0; j < M; j++)
            sum += exp(l[j] - top);
        em->loglik += em->w[i] * (top + log(sum));
        for (size_t j = 0; j < M; j++) {
            r[i * M + j] = em->w[i] * exp(l[j] - top) / sum;
            for (size_t k = 0; k < K && a[j] > 0; k++)
                N[j * K + k] += r[i * M + j] * em->W[j * K + k] * em->v[i * K + k] / a[j];
        }
    }
    free(l);
    free(a);
}

static void m_step_coupling(naive_em *em, const double *N)
{
    double total = 0;
    for (size_t t = 0; t < em->M * em->K; t++)
        total += N[t];
    for (size_t k = 0; k < em->K; k++) {
        double of_class = 0;
        for (size_t j = 0; j < em->M; j++)
            of_class += N[j * em->K + k];
        double P = em->prior ? em->prior[k] : of_class / total;
        for (size_t j = 0; j < em->M; j++)
            em->W[j * em->K + k] = P * N[j * em->K + k] / of_class;
    }
}

/* Full shapes: moments of completed rows. scatter[j] = N_j S_j, weight[j] = N_j. */
static void full_scatter(naive_em *em, const double *r, double *scatter, double *weight)
{
    size_t M = em->M, d = em->d;
    double full[8], V[64];
    for (size_t j = 0; j < M; j++) {
        double N = 0, mean[8] = {0};
        for (size_t i = 0; i < em->n; i++) {
            complete(em->x + i * d, em->mu + j * d, em->S + j * d * d, d, full, V);
            N += r[i * M + j];
            for (size_t c = 0; c < d; c++)
                mean[c] += r[i * M + j] * full[c];
        }
        for (size_t c = 0; c < d; c++)
            mean[c] /= N;
        for (size_t i = 0; i < em->n; i++) {
            complete(em->x + i * d, em->mu + j * d, em->S + j * d * d, d, full, V);
            for (size_t a = 0; a < d; a++)
                for (size_t b = 0; b < d; b++)
                    scatter[j * d * d + a * d + b] +=
                        r[i * M + j] * ((full[a] - mean[a]) * (full[b] - mean[b]) + V[a * d + b]);
        }
        weight[j] = N;
        memcpy(em->mu + j * d, mean, d * sizeof *mean); /* row loop of j is over: safe to change */
    }
}

/* Diagonal shapes: each column over the rows that have it. weights and squares per column. */
static void column_scatter(naive_em *em, const double *r, double *scatter, double *weight)
{
    size_t M = em->M, d = em->d;
    for (size_t j = 0; j < M; j++)
        for (size_t c = 0; c < d; c++) {
            double N = 0, mean = 0, square = 0;
            for (size_t i = 0; i < em->n; i++)
                if (!isnan(em->x[i * d + c])) {
                    N += r[i * M + j];
                    mean += r[i * M + j] * em->x[i * d + c];
                }
            mean /= N;
            for (size_t i = 0; i < em->n; i++)
                if (!isnan(em->x[i * d + c]))
                    square += r[i * M + j] * (em->x[i * d + c] - mean) * (em->x[i * d + c] - mean);
            em->mu[j * d + c] = mean;
            scatter[j * d + c] = square;
            weight[j * d + c] = N;
        }
}

static void store_full(naive_em *em, const double *scatter, const double *weight, bool tied)
{
    size_t d = em->d;
    for (size_t j = 0; j < em->M; j++)
        for (size_t c = 0; c < d * d; c++) {
            double sum = 0, N = 0;
            for (size_t l = tied ? 0 : j; l < (tied ? em->M : j + 1); l++) {
                sum += scatter[l * d * d + c];
                N += weight[l];
            }
            em->S[j * d * d + c] = sum / N;
        }
}

static void store_columns(naive_em *em, const double *scatter, const double *weight, bool tied,
                          bool spherical)
{
    size_t d = em->d;
    memset(em->S, 0, em->M * d * d * sizeof *em->S);
    for (size_t j = 0; j < em->M; j++)
        for (size_t c = 0; c < d; c++) {
            double sum = 0, N = 0;
            for (size_t l = tied ? 0 : j; l < (tied ? em->M : j + 1); l++)
                for (size_t b = spherical ? 0 : c; b < (spherical ? d : c + 1); b++) {
                    sum += scatter[l * d + b];
                    N += weight[l * d + b];
                }
            em->S[j * d * d + c * d + c] = sum / N;
        }
}

void naive_em_step(naive_em *em)
{
    size_t M = em->M, d = em->d;
    double *r = malloc(em->n * M * sizeof *r), *N = malloc(M * em->K * sizeof *N);
    double *scatter = calloc(M * d * d, sizeof *scatter), *weight = calloc(M * d, sizeof *weight);
    bool tied = strncmp(em->covariance, "tied", 4) == 0;
    bool spherical = strstr(em->covariance, "spherical") != NULL;
    bool diagonal = strstr(em->covariance, "diag") != NULL;
    e_step(em, r, N);
    m_step_coupling(em, N);
    if (diagonal || spherical) {
        column_scatter(em, r, scatter, weight);
        store_columns(em, scatter, weight, tied, spherical);
    } else {
        full_scatter(em, r, scatter, weight);
        store_full(em, scatter, weight, tied);
    }
    free(r);
    free(N);
    free(scatter);
    free(weight);
}
