/* The shim over LAPACK. Row-major lower triangles are column-major upper ones, so no copies are
 * made. */
#include "math/linear.h"

#include <lapacke.h>
#include <math.h>

bool scant_i_cholesky(double *a, size_t n)
{
    lapack_int size = (lapack_int)n;
    if (n == 0)
        return true;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', size, a, size) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(a[i * n + i]))
            return false;
        for (size_t j = i + 1; j < n; j++)
            a[i * n + j] = 0;
    }
    return true;
}

double scant_i_cholesky_logdet(const double *l, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(l[i * n + i]);
    return 2 * sum;
}

void scant_i_cholesky_inverse(double *inverse, const double *l, size_t n)
{
    for (size_t i = 0; i < n * n; i++)
        inverse[i] = l[i];
    lapack_int size = (lapack_int)n;
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', size, inverse, size);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            inverse[i * n + j] = inverse[j * n + i];
}

void scant_i_forward_solve(const double *l, size_t n, double *b)
{
    for (size_t i = 0; i < n; i++) {
        double sum = b[i];
        for (size_t k = 0; k < i; k++)
            sum -= l[i * n + k] * b[k];
        b[i] = sum / l[i * n + i];
    }
}

void scant_i_cholesky_solve(const double *l, size_t n, double *b)
{
    scant_i_forward_solve(l, n, b);
    for (size_t i = n; i-- > 0;) {
        double sum = b[i];
        for (size_t k = i + 1; k < n; k++)
            sum -= l[k * n + i] * b[k];
        b[i] = sum / l[i * n + i];
    }
}

scant_status scant_i_eigen(double *a, size_t n, double *w)
{
    /* a symmetric matrix is its own transpose: column-major eigenvectors are rows here */
    lapack_int size = (lapack_int)n, length = (lapack_int)(n * 34 + 64);
    double *work = scant_i_alloc((size_t)length, sizeof *work);
    if (!work)
        return SCANT_ERR_MEMORY;
    lapack_int info =
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', size, a, size, w, work, length);
    scant_i_free(work);
    return info == 0 ? SCANT_OK
                     : scant_i_fail(SCANT_ERR_INTERNAL,
                                    "eigenvalues of a %zu x %zu matrix not found", n, n);
}
