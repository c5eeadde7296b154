/* The two products of an EM pass, for a block of rows that fits the cache.
 *
 *   scant_i_product             L[i][j] += sum_p phi[p][i] C[p][j]
 *   scant_i_product_transposed  S[p][j] += sum_i phi[p][i] R[i][j]
 *
 * Both are  out[r][j] += sum_t a(r, t) b[t][j]  with a(r, t) = a[r * sr + t * st]: only the strides
 * differ. A tile of some rows of `out` by 8 to 32 columns stays in registers while t runs (kernels/product.c);
 * a(r, t) is broadcast. BLAS is slow on these shapes (tens of columns, hundreds of features), and
 * Debian's OpenBLAS does not know newer processors at all; this is near the machine's peak.
 *
 * Where `a` comes from memory rather than the cache, a tile's lines are fetched while the tile AHEAD of it is computed:
 * it reads from many places, more than the processor follows by itself, and would wait for most of them. Where only what comes
 * after the product is in memory, that is fetched, line by line, a share with each tile.
 *
 * Cost: 2 nrows nfeatures lanes flop. */
#include "math/kernels.h"
#include "math/linear.h"

typedef scant_i_operands operands;

static void run(const operands *o, size_t nr)
{
    scant_i_kernels_now()->product(o, nr);
}

void scant_i_product(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                     size_t nfeatures, size_t lanes)
{
    scant_i_product_far(L, phi, ldphi, C, nrows, nfeatures, lanes, NULL);
}

void scant_i_product_transposed(double *S, const double *phi, size_t ldphi, const double *R,
                                size_t nrows, size_t nfeatures, size_t lanes)
{
    scant_i_product_transposed_far(S, phi, ldphi, R, nrows, nfeatures, lanes, NULL);
}

void scant_i_product_far(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                         size_t nfeatures, size_t lanes, const double *next)
{
    operands o = {L, NULL, phi, 1, ldphi, C, nfeatures, lanes, next, 0};
    run(&o, nrows);
}

void scant_i_product_before(double *L, const double *row, const double *phi, size_t ldphi,
                            const double *C, size_t nrows, size_t nfeatures, size_t lanes,
                            const double *next, size_t width)
{
    operands o = {L, row, phi, 1, ldphi, C, nfeatures, lanes, next, width};
    run(&o, nrows);
}

void scant_i_product_transposed_far(double *S, const double *phi, size_t ldphi, const double *R,
                                    size_t nrows, size_t nfeatures, size_t lanes,
                                    const double *next)
{
    operands o = {S, NULL, phi, ldphi, 1, R, nrows, lanes, next, 0};
    run(&o, nfeatures);
}
