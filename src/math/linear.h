/* Small dense linear algebra: the shim over BLAS and LAPACK, and the two products of an EM pass. */
#ifndef SCANT_I_LINEAR_H
#define SCANT_I_LINEAR_H

#include "math/kernels.h"

/* Matrices are row-major. Symmetric ones are full. */

/* sum of x, from the first on */
static inline double scant_i_sum(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
/* sum of x y; the machine's vectors decide in which order */
static inline double scant_i_dot(const double *x, const double *y, size_t n)
{
    return scant_i_kernels_now()->dot(x, y, n);
}
/* The same in an order that is the same on every machine: eight sums side by side. */
static inline double scant_i_dot_fixed(const double *x, const double *y, size_t n)
{
    return scant_i_kernels_now()->dot_fixed(x, y, n);
}

/* to += factor from */
static inline void scant_i_add_multiple(double *to, double factor, const double *from, size_t n)
{
    scant_i_kernels_now()->add_multiple(to, factor, from, n);
}

/* a (n x n, symmetric positive definite) becomes its lower Cholesky factor, upper part zeroed.
 * false: not positive definite (to working precision); a is then undefined. */
bool scant_i_cholesky(double *a, size_t n);
/* sum of log of the diagonal, twice: log det of what was factored */
double scant_i_cholesky_logdet(const double *l, size_t n);
/* inverse (n x n, full) of the matrix whose lower factor is l */
void scant_i_cholesky_inverse(double *inverse, const double *l, size_t n);
/* x solves l l' x = b, in place */
void scant_i_cholesky_solve(const double *l, size_t n, double *b);
/* x solves l x = b, in place */
void scant_i_forward_solve(const double *l, size_t n, double *b);
/* The same for m columns at once: b is n x m */
void scant_i_forward_solve_all(const double *l, size_t n, double *b, size_t m);
/* a (symmetric, n x n) becomes l^-1 a l^-T. */
void scant_i_whiten(double *a, const double *l, size_t n);
/* Each row v of n becomes l^-T v: out of the space that whitening leads to. */
void scant_i_unwhiten(double *v, const double *l, size_t n);

/* Eigenvalues ascending into w, orthonormal eigenvectors into the rows of a. */
scant_status scant_i_eigen(double *a, size_t n, double *w);
/* The least eigenvalue alone, n > 0, which is several times quicker to find; a is undefined
 * afterwards. */
scant_status scant_i_least_eigenvalue(double *a, size_t n, double *least);

/* The eigenvalue with the largest real part, and its vector's real part, of the first n rows and
 * columns of any matrix, whose rows are ld apart. */
scant_status scant_i_dominant(const double *a, size_t ld, size_t n, double *value, double *vector);

/* The two products of a pass, where phi (nfeatures x nrows, row stride ldphi) holds features of a
 * block of rows and `lanes` is a multiple of eight:
 *   product             L (nrows x lanes) += phi' C,     C nfeatures x lanes
 *   product_transposed  S (nfeatures x lanes) += phi R,  R nrows x lanes
 * All arrays are aligned to 64 bytes; the instruction set is chosen at run time. 2 nrows nfeatures
 * lanes flop. */
void scant_i_product(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                     size_t nfeatures, size_t lanes);
void scant_i_product_transposed(double *S, const double *phi, size_t ldphi, const double *R,
                                size_t nrows, size_t nfeatures, size_t lanes);
/* The same for phi that is still in memory: all of it is asked for in time, and so is `next`, the phi of the product
 * that follows, of the same shape (or phi again, where none does). */
void scant_i_product_far(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                         size_t nfeatures, size_t lanes, const double *next);
void scant_i_product_transposed_far(double *S, const double *phi, size_t ldphi, const double *R,
                                    size_t nrows, size_t nfeatures, size_t lanes,
                                    const double *next);

/* product before nrows more rows of `width` numbers are read: they are asked for meanwhile (next NULL: none are). With
 * `row`, which has `lanes` numbers, L = row + phi' C. */
void scant_i_product_before(double *L, const double *row, const double *phi, size_t ldphi,
                            const double *C, size_t nrows, size_t nfeatures, size_t lanes,
                            const double *next, size_t width);

/* Sums of products of three, for np pairs of rows of x with ny rows of y:
 *   S[p][q] += sum_i x_a[i] x_b[i] y_q[i],  a = of[2 p], b = of[2 p + 1],  i < n
 * Rows of S are lds apart, those of x, y and room, which has SCANT_I_TRIPLES_ROOM, are ld apart. x, y and room are aligned
 * to 64 bytes; ld and n are multiples of 8, or of 16 in single precision, where a number of a sum is rounded once for either
 * product and n / 8 + 4 times at most on the way. 2 n np ny flop. */
enum { SCANT_I_TRIPLES_ROOM = 8 };
void scant_i_triples(double *S, size_t lds, const double *x, const uint32_t *of, size_t np,
                     const double *y, size_t ny, size_t ld, size_t n, double *room);
void scant_i_triples_single(double *S, size_t lds, const float *x, const uint32_t *of, size_t np,
                            const float *y, size_t ny, size_t ld, size_t n, float *room);

/* Eight columns of `from` (row stride `stride`) in standard units become rows of `to`:
 * to[c ld + i] = (from[i stride + c] - centre[c]) factor[c]. `to` is aligned to 64 bytes, ld is a
 * multiple of eight. */
void scant_i_transpose_eight(double *to, size_t ld, const double *from, size_t stride, size_t nrows,
                             const double *centre, const double *factor);

#endif
