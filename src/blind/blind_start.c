/* Where blind training starts. Few directions in a hundred lead to the classes; those among the
 * leading principal components do so far more often than any, because classes that a line can tell
 * apart make variance. Subspace iteration finds the span of those components; a start is a random
 * direction in it, drawn so that all scores it can give are alike. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "data/multiply.h"
#include "blind/blind.h"
#include "math/linear.h"

enum { LEADING = 10, ROUNDS = 12 };

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Orthonormal rows by Gram and Schmidt; what depends on those before becomes 0. */
static void orthonormalise(double *Q, size_t count, size_t d)
{
    for (size_t a = 0; a < count; a++) {
        double *q = Q + a * d, before = sqrt(product(q, q, d));
        for (size_t b = 0; b < a; b++) {
            double along = product(q, Q + b * d, d);
            for (size_t c = 0; c < d; c++)
                q[c] -= along * Q[b * d + c];
        }
        double left = sqrt(product(q, q, d));
        for (size_t c = 0; c < d; c++)
            q[c] = left > 1e-10 * before ? q[c] / left : 0;
    }
}

/* F = Z Q for all rows of Q, in standard units and about the mean; U is room like Q. */
static void project(const scant_i_blind *b, double *U, double *F)
{
    double offset[LEADING] = {0};
    for (size_t a = 0; a < b->nbasis; a++)
        for (size_t c = 0; c < b->d; c++) {
            U[a * b->d + c] = b->basis[a * b->d + c] * b->factor[c];
            offset[a] -= U[a * b->d + c] * b->centre[c];
        }
    scant_i_rows_times(F, b->rows, U, offset, b->nbasis);
}

/* Q = Z' W F, with the rows' weights W */
static void project_back(const scant_i_blind *b, double *F)
{
    size_t n = b->rows->nrows;
    double sum[LEADING] = {0};
    for (size_t a = 0; a < b->nbasis; a++)
        for (size_t i = 0; i < n; i++)
            sum[a] += F[a * n + i] *= scant_rows_weight(b->rows, i);
    scant_i_rows_times_transposed(b->basis, b->rows, F, b->nbasis);
    for (size_t a = 0; a < b->nbasis; a++)
        for (size_t c = 0; c < b->d; c++)
            b->basis[a * b->d + c] =
                (b->basis[a * b->d + c] - sum[a] * b->centre[c]) * b->factor[c];
}

/* The rows Q become L^-1 Q with L L' the covariance of their scores, so that any unit combination
 * of them has scores of variance 1; C and F are room. */
static void whiten(scant_i_blind *b, double *C, const double *F)
{
    size_t q = b->nbasis, n = b->rows->nrows, d = b->d;
    double total = 0;
    memset(C, 0, q * q * sizeof *C);
    for (size_t i = 0; i < n; i++) {
        double w = scant_rows_weight(b->rows, i);
        total += w;
        for (size_t a = 0; a < q; a++)
            for (size_t e = 0; e < q; e++)
                C[a * q + e] += w * F[a * n + i] * F[e * n + i];
    }
    for (size_t a = 0; a < q * q; a++)
        C[a] /= total;
    if (!scant_i_cholesky(C, q))
        return; /* fewer directions than were asked for: they stay as they are */
    for (size_t c = 0; c < d; c++) {
        double column[LEADING];
        for (size_t a = 0; a < q; a++)
            column[a] = b->basis[a * d + c];
        scant_i_forward_solve(C, q, column);
        for (size_t a = 0; a < q; a++)
            b->basis[a * d + c] = column[a];
    }
}

scant_status scant_i_blind_basis(scant_i_blind *b)
{
    scant_status status = SCANT_OK;
    size_t n = b->rows->nrows;
    double *U = NULL, *F = NULL, C[LEADING * LEADING];
    scant_i_random random = scant_i_random_new(b->options->seed, UINT64_MAX);
    b->nbasis = scant_i_min(LEADING, b->d);
    SCANT_I_TRY(SCANT_I_NEW(&b->basis, b->nbasis * b->d));
    SCANT_I_TRY(SCANT_I_NEW(&U, b->nbasis * b->d));
    SCANT_I_TRY(SCANT_I_NEW(&F, b->nbasis * n));
    for (size_t c = 0; c < b->nbasis * b->d; c++)
        b->basis[c] = scant_i_random_normal(&random);
    for (size_t round = 0; round < ROUNDS; round++) {
        project(b, U, F);
        project_back(b, F);
        orthonormalise(b->basis, b->nbasis, b->d);
    }
    project(b, U, F);
    whiten(b, C, F);
done:
    scant_i_free(U);
    scant_i_free(F);
    return status;
}

/* Algorithm 2 names its start, every weight uniform on (-2, 2); the others share the basis. Scores
 * then have a spread of two: an answer, but not a sure one. */
void scant_i_blind_start(scant_i_blind_run *run)
{
    const scant_i_blind *b = run->blind;
    scant_i_random random = scant_i_random_new(b->options->seed, run->start);
    memset(run->theta, 0, (b->d + 1) * sizeof *run->theta);
    if (strcmp(b->options->algorithm, "grid") == 0) {
        for (size_t c = 0; c < b->d; c++)
            run->theta[c] = 4 * scant_i_random_uniform(&random) - 2;
        return;
    }
    double z[LEADING], length = 0;
    for (size_t a = 0; a < b->nbasis; a++) {
        z[a] = scant_i_random_normal(&random);
        length += z[a] * z[a];
    }
    for (size_t a = 0; a < b->nbasis; a++)
        for (size_t c = 0; c < b->d; c++)
            run->theta[c] += 2 * z[a] / sqrt(length) * b->basis[a * b->d + c];
}
