/* S[p][j] += sum_i a[p][i] b[i][j] with operands in single precision, S in double: a tile of S is summed up in registers,
 * twice as many numbers to a vector as in product.c, and then added. So rounding grows with the rows of a call, of which
 * there should be few, and not with the number of calls.
 *
 * Cost: 2 nrows nfeatures lanes flop in single precision. The instruction set is chosen at run time. */
#include "math/linear.h"
#include "math/vector.h"

enum { VECTOR = 16, HALF = 8, VECTORS_MAX = 2, HEIGHT_MAX = 12 };
typedef float vector16 __attribute__((vector_size(64), may_alias));
typedef float vector8 __attribute__((vector_size(32)));

typedef struct operands {
    double *out;
    const float *a;
    size_t lda;
    const float *b;
    size_t nrows, nfeatures, lanes;
} operands;

SCANT_I_INLINE void add(double *to, vector16 sum)
{
    vector8 low = __builtin_shufflevector(sum, sum, 0, 1, 2, 3, 4, 5, 6, 7);
    vector8 high = __builtin_shufflevector(sum, sum, 8, 9, 10, 11, 12, 13, 14, 15);
    *(scant_i_vector8 *)to += __builtin_convertvector(low, scant_i_vector8);
    *(scant_i_vector8 *)(to + HALF) += __builtin_convertvector(high, scant_i_vector8);
}

/* height and vectors are constants at every call, so the loops over them vanish */
SCANT_I_INLINE void tile(const operands *o, size_t p, size_t j, const size_t height,
                         const size_t vectors)
{
    vector16 sum[HEIGHT_MAX][VECTORS_MAX] = {{{0}}};
    const float *a = o->a + p * o->lda, *b = o->b + j;
    const size_t lda = o->lda, lanes = o->lanes;
    for (size_t i = 0; i < o->nrows; i++, b += lanes) {
        vector16 right[VECTORS_MAX];
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) right[v] =
            *(const vector16 *)(b + v * VECTOR);
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            float left = a[r * lda + i];
            SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] += left * right[v];
        }
    }
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++)
            add(o->out + (p + r) * lanes + j + v * VECTOR, sum[r][v]);
}

SCANT_I_INLINE void strip(const operands *o, size_t j, const size_t height, const size_t vectors)
{
    size_t p = 0;
    for (; p + height <= o->nfeatures; p += height)
        tile(o, p, j, height, vectors);
    if (height > 4)
        for (; p + 4 <= o->nfeatures; p += 4) /* one row at a time waits for its own sums */
            tile(o, p, j, 4, vectors);
    for (; p < o->nfeatures; p++)
        tile(o, p, j, 1, vectors);
}

SCANT_I_INLINE void all_strips(const operands *o, const size_t height)
{
    size_t j = 0;
    for (; j + VECTORS_MAX * VECTOR <= o->lanes; j += VECTORS_MAX * VECTOR)
        strip(o, j, height, VECTORS_MAX);
    if (j < o->lanes)
        strip(o, j, height, 1);
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void run_avx512(const operands *o)
{
    all_strips(o, 12); /* 24 sums of the 32 registers */
}
__attribute__((target("avx2,fma"))) static void run_avx2(const operands *o)
{
    all_strips(o, 3); /* 12 sums of the 16 registers */
}
#endif
static void run_plain(const operands *o)
{
    all_strips(o, 1);
}

void scant_i_product_transposed_single(double *S, const float *phi, size_t ldphi, const float *R,
                                       size_t nrows, size_t nfeatures, size_t lanes)
{
    operands o = {S, phi, ldphi, R, nrows, nfeatures, lanes};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        run_avx512(&o);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        run_avx2(&o);
        return;
    }
#endif
    run_plain(&o);
}
