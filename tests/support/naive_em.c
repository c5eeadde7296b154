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

/* Counts of one kind of row: M x K each. */
typedef struct counts {
    double *telling, *silent, *brought;
} counts;

static double share_of(const naive_em *em, size_t j, size_t k)
{
    double P = 0;
    for (size_t l = 0; l < em->M; l++)
        P += em->W[l * em->K + k];
    return P > 0 ? em->W[j * em->K + k] / P : 0;
}

/* A row that is K labelled copies of weight v_k. */
static void copies(naive_em *em, size_t i, const double *f, double *r, counts *N)
{
    const double *v = em->v + i * em->K;
    for (size_t k = 0; k < em->K; k++) {
        double s = 0, P = 0;
        if (!(v[k] > 0))
            continue;
        for (size_t j = 0; j < em->M; j++) {
            s += share_of(em, j, k) * exp(f[j]);
            P += em->W[j * em->K + k];
        }
        em->loglik += em->w[i] * v[k] * log(P * s);
        for (size_t j = 0; j < em->M; j++) {
            double n = em->w[i] * v[k] * share_of(em, j, k) * exp(f[j]) / s;
            r[i * em->M + j] += n;
            N->telling[j * em->K + k] += n;
        }
    }
}

static void e_step(naive_em *em, double *r, counts *N)
{
    size_t M = em->M, K = em->K, d = em->d;
    double *l = malloc(M * sizeof *l), *a = malloc(M * sizeof *a), *f = malloc(M * sizeof *f);
    em->loglik = 0;
    if (em->c)
        memset(em->c, 0, em->n * K * sizeof *em->c);
    memset(r, 0, em->n * M * sizeof *r);
    for (size_t i = 0; i < em->n; i++) {
        const double *v = em->v + i * K;
        int kind = em->kind ? em->kind[i] : 0;
        bool tells = false;
        for (size_t k = 1; k < K; k++)
            tells |= v[k] != v[0];
        double *to = kind == 1 ? N->brought : tells ? N->telling : N->silent;
        double top = -INFINITY, sum = 0;
        for (size_t j = 0; j < M; j++)
            f[j] = naive_log_normal(em->x + i * d, em->mu + j * d, em->S + j * d * d, d);
        if (kind == 2) {
            copies(em, i, f, r, N);
            continue;
        }
        for (size_t j = 0; j < M; j++) {
            a[j] = 0;
            for (size_t k = 0; k < K; k++)
                a[j] += (kind == 1 ? share_of(em, j, k) : em->W[j * K + k]) * v[k];
            l[j] = log(a[j]) + f[j];
            top = fmax(top, l[j]);
        }
        for (size_t j = 0; j < M; j++)
            sum += exp(l[j] - top);
        em->loglik += em->w[i] * (top + log(sum));
        for (size_t j = 0; j < M; j++) {
            r[i * M + j] = em->w[i] * exp(l[j] - top) / sum;
            for (size_t k = 0; k < K && a[j] > 0; k++) {
                double n = r[i * M + j] * (kind == 1 ? share_of(em, j, k) : em->W[j * K + k]) *
                           v[k] / a[j];
                to[j * K + k] += n;
                if (em->c)
                    em->c[i * K + k] += n;
            }
        }
    }
    free(l);
    free(a);
    free(f);
}

static void m_step_class_major(naive_em *em, const counts *N)
{
    double total = 0;
    for (size_t t = 0; t < em->M * em->K; t++)
        total += N->telling[t] + N->silent[t];
    for (size_t k = 0; k < em->K; k++) {
        double of_class = 0, speaking = 0;
        for (size_t j = 0; j < em->M; j++) {
            size_t t = j * em->K + k;
            of_class += N->telling[t] + N->silent[t] + N->brought[t];
            speaking += N->telling[t] + N->silent[t];
        }
        double P = em->prior ? em->prior[k] : speaking / total;
        for (size_t j = 0; j < em->M; j++) {
            size_t t = j * em->K + k;
            em->W[t] = P * (N->telling[t] + N->silent[t] + N->brought[t]) / of_class;
        }
    }
}

static void m_step_component_major(naive_em *em, const counts *N)
{
    double total = 0;
    for (size_t t = 0; t < em->M * em->K; t++)
        total += N->telling[t] + N->silent[t];
    for (size_t j = 0; j < em->M; j++) {
        double A = 0, E = 0;
        for (size_t k = 0; k < em->K; k++) {
            A += (N->telling[j * em->K + k] + N->silent[j * em->K + k]) / total;
            E += N->telling[j * em->K + k];
        }
        for (size_t k = 0; k < em->K; k++)
            em->W[j * em->K + k] = A * N->telling[j * em->K + k] / E;
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
    double *r = malloc(em->n * M * sizeof *r), *N = calloc(3 * M * em->K, sizeof *N);
    counts parts = {N, N + M * em->K, N + 2 * M * em->K};
    double *scatter = calloc(M * d * d, sizeof *scatter), *weight = calloc(M * d, sizeof *weight);
    bool tied = strncmp(em->covariance, "tied", 4) == 0;
    bool spherical = strstr(em->covariance, "spherical") != NULL;
    bool diagonal = strstr(em->covariance, "diag") != NULL;
    e_step(em, r, &parts);
    if (em->component_major)
        m_step_component_major(em, &parts);
    else
        m_step_class_major(em, &parts);
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
