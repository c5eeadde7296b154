/* The two products of an EM pass, for a block of rows that fits the cache.
 *
 *   scant_i_product             L[i][j] += sum_p phi[p][i] C[p][j]
 *   scant_i_product_transposed  S[p][j] += sum_i phi[p][i] R[i][j]
 *
 * Both are  out[r][j] += sum_t a(r, t) b[t][j]  with a(r, t) = a[r * sr + t * st]: only the strides
 * differ. A tile of `height` rows of `out` by 1 to 3 vectors of 8 stays in registers while t runs;
 * a(r, t) is broadcast. BLAS is slow on these shapes (tens of columns, hundreds of features), and
 * Debian's OpenBLAS does not know newer processors at all; this is near the machine's peak.
 *
 * Cost: 2 nrows nfeatures lanes flop. The instruction set is chosen at run time. */
#include "math/linear.h"
#include "math/vector.h"

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define INLINE static inline __attribute__((always_inline))

enum { HEIGHT_MAX = 12, VECTORS_MAX = 3, VECTOR = 8 };

typedef struct operands {
    double *out; /* row stride lanes */
    const double *a;
    size_t sr, st;
    const double *b; /* row stride lanes */
    size_t nt;
    size_t lanes;
} operands;

/* height and vectors are constants at every call, so the loops over them vanish */
INLINE void tile(const operands *o, size_t r0, size_t j0, const size_t height, const size_t vectors)
{
    scant_i_vector8 sum[HEIGHT_MAX][VECTORS_MAX];
    UNROLL for (size_t r = 0; r < height; r++) UNROLL for (size_t v = 0; v < vectors; v++)
        sum[r][v] = *(const scant_i_vector8 *)(o->out + (r0 + r) * o->lanes + j0 + v * VECTOR);
    const double *a = o->a + r0 * o->sr, *b = o->b + j0;
    const size_t sr = o->sr, st = o->st, lanes = o->lanes;
    for (size_t t = 0; t < o->nt; t++, a += st, b += lanes) {
        scant_i_vector8 right[VECTORS_MAX];
        UNROLL for (size_t v = 0; v < vectors; v++) right[v] =
            *(const scant_i_vector8 *)(b + v * VECTOR);
        UNROLL for (size_t r = 0; r < height; r++)
        {
            double left = a[r * sr];
            UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] += left * right[v];
        }
    }
    UNROLL for (size_t r = 0; r < height; r++) UNROLL for (size_t v = 0; v < vectors; v++) *
        (scant_i_vector8 *)(o->out + (r0 + r) * o->lanes + j0 + v * VECTOR) = sum[r][v];
}

/* all rows of `out` for the columns j0 .. j0 + 8 vectors - 1 */
INLINE void strip(const operands *o, size_t nr, size_t j0, const size_t height,
                  const size_t vectors)
{
    size_t r = 0;
    for (; r + height <= nr; r += height)
        tile(o, r, j0, height, vectors);
    if (height > 4)
        for (; r + 4 <= nr; r += 4)
            tile(o, r, j0, 4, vectors);
    for (; r < nr; r++)
        tile(o, r, j0, 1, vectors);
}

/* Columns by 16; an odd 8 go along with the first 16, so that `a` is not read for them alone. */
INLINE void all_strips(const operands *o, size_t nr, const size_t height, const size_t height3)
{
    size_t j = 0;
    if (o->lanes % (2 * VECTOR) && o->lanes > VECTOR) {
        strip(o, nr, j, height3, 3);
        j = 3 * VECTOR;
    }
    for (; j + 2 * VECTOR <= o->lanes; j += 2 * VECTOR)
        strip(o, nr, j, height, 2);
    if (j < o->lanes)
        strip(o, nr, j, height, 1);
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void run_avx512(const operands *o, size_t nr)
{
    all_strips(o, nr, 12, 8); /* 24 sums of the 32 registers */
}
__attribute__((target("avx2,fma"))) static void run_avx2(const operands *o, size_t nr)
{
    all_strips(o, nr, 3, 2); /* 12 sums of the 16 registers */
}
#endif
static void run_plain(const operands *o, size_t nr)
{
    all_strips(o, nr, 1, 1);
}

static void run(const operands *o, size_t nr)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        run_avx512(o, nr);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        run_avx2(o, nr);
        return;
    }
#endif
    run_plain(o, nr);
}

void scant_i_product(double *L, const double *phi, size_t ldphi, const double *C, size_t nrows,
                     size_t nfeatures, size_t lanes)
{
    operands o = {L, phi, 1, ldphi, C, nfeatures, lanes};
    run(&o, nrows);
}

void scant_i_product_transposed(double *S, const double *phi, size_t ldphi, const double *R,
                                size_t nrows, size_t nfeatures, size_t lanes)
{
    operands o = {S, phi, ldphi, 1, R, nrows, lanes};
    run(&o, nfeatures);
}
