/* The shim over LAPACK. Row-major lower triangles are column-major upper ones, so no copies are
 * made. */
#include "math/linear.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "math/kernels.h"
#include "math/symmetric.h"

/* Up to this size LAPACK is not called: a threaded BLAS wakes its workers even for a matrix of 16 x
 * 16, and they spin on the cores that the pass needs (half of the time of a fit on a busy machine).
 */
enum { SMALL = 256 };

/* OpenBLAS takes a buffer of this size (x86-64, version 0.3) when a thread first calls it, and where there is no memory
 * for it tries again for ever. So each thread asks for as much before, and gives it back untouched. */
enum { BLAS_BUFFER = 1 << 27 };

static bool blas_has_room(void)
{
    static _Thread_local bool known;
    if (!known) {
        void *room =
            mmap(NULL, BLAS_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        known = room != MAP_FAILED;
        if (known)
            (void)munmap(room, BLAS_BUFFER);
    }
    return known;
}

/* Without LAPACK it takes longer. */
static bool is_for_loops(size_t n)
{
    return n <= SMALL || !blas_has_room();
}

void scant_i_transpose_eight(double *to, size_t ld, const double *from, size_t stride, size_t nrows,
                             const double *centre, const double *factor)
{
    scant_i_kernels_now()->transpose_eight(to, ld, from, stride, nrows, centre, factor);
}

/* to -= factor from: the inner loop of all that is done here */
static void subtract(double *to, double factor, const double *from, size_t n)
{
    scant_i_kernels_now()->add_multiple(to, -factor, from, n);
}

static void scale(double *x, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
}

/* In the upper part, where loops run along rows; then into the lower. */
static bool cholesky_small(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double *row = a + k * n;
        if (!(row[k] > 0))
            return false;
        row[k] = sqrt(row[k]);
        for (size_t i = k + 1; i < n; i++) {
            row[i] /= row[k];
            a[i * n + k] = row[i];
        }
        for (size_t i = k + 1; i < n; i++)
            subtract(a + i * n + i, row[i], row + i, n - i);
    }
    return true;
}

bool scant_i_cholesky(double *a, size_t n)
{
    lapack_int size = (lapack_int)n;
    bool done = is_for_loops(n) ? cholesky_small(a, n)
                                : LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', size, a, size) == 0;
    for (size_t i = 0; i < n && done; i++) {
        done = isfinite(a[i * n + i]);
        for (size_t j = i + 1; j < n; j++)
            a[i * n + j] = 0;
    }
    return done;
}

double scant_i_cholesky_logdet(const double *l, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(l[i * n + i]);
    return 2 * sum;
}

/* l l' times the inverse is the unit matrix; solved in the lower part, which needs no other. */
static void inverse_small(double *inverse, const double *l, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = inverse + i * n;
        for (size_t j = 0; j < n; j++)
            row[j] = i == j;
        for (size_t k = 0; k < i; k++)
            subtract(row, l[i * n + k], inverse + k * n, k + 1);
        scale(row, 1 / l[i * n + i], i + 1);
    }
    for (size_t i = n; i-- > 0;) {
        double *row = inverse + i * n;
        for (size_t k = i + 1; k < n; k++)
            subtract(row, l[k * n + i], inverse + k * n, i + 1);
        scale(row, 1 / l[i * n + i], i + 1);
    }
}

static void inverse_large(double *inverse, const double *l, size_t n)
{
    lapack_int size = (lapack_int)n;
    for (size_t i = 0; i < n * n; i++)
        inverse[i] = l[i];
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', size, inverse, size);
}

void scant_i_cholesky_inverse(double *inverse, const double *l, size_t n)
{
    (is_for_loops(n) ? inverse_small : inverse_large)(inverse, l, n);
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

void scant_i_forward_solve_all(const double *l, size_t n, double *b, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        double *row = b + i * m;
        for (size_t k = 0; k < i; k++)
            if (l[i * n + k] != 0) /* l may consist of small blocks */
                subtract(row, l[i * n + k], b + k * m, m);
        scale(row, 1 / l[i * n + i], m);
    }
}

static void transpose(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = swap;
        }
}

void scant_i_whiten(double *a, const double *l, size_t n)
{
    for (size_t pass = 0; pass < 2; pass++) {
        scant_i_forward_solve_all(l, n, a, n);
        transpose(a, n);
    }
}

void scant_i_unwhiten(double *v, const double *l, size_t n)
{
    transpose(v, n);
    for (size_t i = n; i-- > 0;) {
        double *row = v + i * n;
        scale(row, 1 / l[i * n + i], n);
        for (size_t k = 0; k < i; k++)
            if (l[i * n + k] != 0)
                subtract(v + k * n, l[i * n + k], row, n);
    }
    transpose(v, n);
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

/* By divide and conquer, which is several times quicker where vectors are wanted. */
static scant_status decompose(char what, double *a, size_t n, double *w)
{
    /* a symmetric matrix is its own transpose: column-major eigenvectors are rows here */
    scant_status status = SCANT_OK;
    size_t room = what == 'V' ? 1 + 6 * n + 2 * n * n : n * 34 + 64, places = 3 + 5 * n;
    double *work = NULL;
    lapack_int *place = NULL;
    for (size_t t = 0; t < n * n; t++)
        if (!isfinite(a[t]))
            return scant_i_eigen_not_found(n);
    SCANT_I_TRY(SCANT_I_NEW(&work, room));
    SCANT_I_TRY(SCANT_I_NEW(&place, places));
    lapack_int size = (lapack_int)n;
    if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, what, 'U', size, a, size, w, work, (lapack_int)room,
                            place, (lapack_int)places) != 0)
        status = scant_i_eigen_not_found(n);
done:
    scant_i_free(work);
    scant_i_free(place);
    return status;
}

scant_status scant_i_eigen(double *a, size_t n, double *w)
{
    return is_for_loops(n) ? scant_i_symmetric_eigen(a, n, w) : decompose('V', a, n, w);
}

scant_status scant_i_least_eigenvalue(double *a, size_t n, double *least)
{
    if (is_for_loops(n))
        return scant_i_symmetric_least(a, n, least);
    double *w = scant_i_alloc(n, sizeof *w);
    if (!w)
        return SCANT_ERR_MEMORY;
    scant_status status = decompose('N', a, n, w);
    if (status == SCANT_OK)
        *least = w[0];
    scant_i_free(w);
    return status;
}

scant_status scant_i_dominant(const double *a, size_t ld, size_t n, double *value, double *vector)
{
    scant_status status = SCANT_OK;
    lapack_int size = (lapack_int)n, length = (lapack_int)(8 * n + 64);
    double *room = NULL;
    if (!blas_has_room())
        return scant_i_fail(SCANT_ERR_MEMORY, "out of memory: LAPACK needs %d bytes", BLAS_BUFFER);
    SCANT_I_TRY(SCANT_I_NEW(&room, 2 * n * n + 2 * n + (size_t)length));
    double *turned = room, *vectors = turned + n * n, *real = vectors + n * n,
           *imaginary = real + n, *work = imaginary + n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            turned[j * n + i] = a[i * ld + j];
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', size, turned, size, real, imaginary, NULL, 1,
                           vectors, size, work, length) != 0) {
        status = scant_i_eigen_not_found(n);
        goto done;
    }
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = real[i] > real[best] ? i : best;
    *value = real[best];
    for (size_t i = 0; i < n; i++)
        vector[i] = vectors[best * n + i];
done:
    scant_i_free(room);
    return status;
}
