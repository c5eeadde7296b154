/* The two products of an EM pass, for a block of rows that fits the cache.
 *
 *   scant_i_product             L[i][j] += sum_p phi[p][i] C[p][j]
 *   scant_i_product_transposed  S[p][j] += sum_i phi[p][i] R[i][j]
 *
 * Both are  out[r][j] += sum_t a(r, t) b[t][j]  with a(r, t) = a[r * sr + t * st]: only the strides
 * differ. A tile of `height` rows of `out` by 1 to 4 vectors of 8 stays in registers while t runs;
 * a(r, t) is broadcast. BLAS is slow on these shapes (tens of columns, hundreds of features), and
 * Debian's OpenBLAS does not know newer processors at all; this is near the machine's peak.
 *
 * Where `a` comes from memory rather than the cache, a tile's lines are fetched while the tile AHEAD of it is computed:
 * it reads from many places, more than the processor follows by itself, and would wait for most of them. Where only what comes
 * after the product is in memory, that is fetched, line by line, a share with each tile.
 *
 * Cost: 2 nrows nfeatures lanes flop. The instruction set is chosen at run time. */
#include "math/linear.h"
#include "math/vector.h"

#include <stdint.h>

enum {
    HEIGHT_MAX = 12,
    VECTORS_MAX = 4,
    VECTOR = 8,
    LINE = 8, /* doubles of a cache line */
    AHEAD = 2 /* tiles: long enough for memory to answer, short enough to stay in the cache */
};

typedef struct operands {
    double *out;       /* row stride lanes */
    const double *row; /* lanes: what all rows of `out` begin as; NULL: they are what they are */
    const double *a;
    size_t sr, st;
    const double *b; /* row stride lanes */
    size_t nt;
    size_t lanes;
    /* What is read after this product; NULL: that is in the cache. It has as many rows as `out`, of `width` numbers;
     * width 0: it is the next `a`. */
    const double *next;
    size_t width;
} operands;

typedef enum fetching { NOTHING, TILES, LINES } fetching;

/* The tile that is computed AHEAD tiles later, in this product or in the next. */
SCANT_I_INLINE const double *later(const operands *o, size_t nr, size_t r0, const size_t height)
{
    size_t r = r0 + AHEAD * height, last = nr - height;
    return r < nr ? o->a + scant_i_min(r, last) * o->sr
                  : o->next + scant_i_min(r - nr, last) * o->sr;
}

/* Called for every t, fetches all lines of a tile, whether they lie along its rows or across. */
SCANT_I_INLINE void fetch(const double *a, size_t sr, size_t t, const size_t height)
{
    SCANT_I_UNROLL for (size_t r = 0; r < height; r += LINE)
        __builtin_prefetch(a + (r + t % (height - r < LINE ? height - r : LINE)) * sr, 0, 2);
}

/* height, vectors and `ahead` are constants at every call, so the loops over them vanish */
SCANT_I_INLINE void tile(const operands *o, size_t nr, size_t r0, size_t j0, const size_t height,
                         const size_t vectors, const fetching ahead)
{
    scant_i_vector8 sum[HEIGHT_MAX][VECTORS_MAX];
    const double *first = o->row ? o->row : o->out + r0 * o->lanes;
    const size_t step = o->row ? 0 : o->lanes;
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] =
            *(const scant_i_vector8 *)(first + r * step + j0 + v * VECTOR);
    const double *a = o->a + r0 * o->sr, *b = o->b + j0;
    const size_t sr = o->sr, st = o->st, lanes = o->lanes;
    const double *fetched = ahead == TILES ? later(o, nr, r0, height) : NULL;
    /* an address, no pointer: the rows may end before */
    uintptr_t line = (uintptr_t)o->next + r0 * o->width * sizeof *o->next;
    for (size_t t = 0; t < o->nt; t++, a += st, b += lanes) {
        if (ahead == TILES)
            fetch(fetched + t * st, sr, t, height);
        if (ahead == LINES)
            __builtin_prefetch((const void *)(line + t * LINE * sizeof(double)), 0, 2);
        scant_i_vector8 right[VECTORS_MAX];
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) right[v] =
            *(const scant_i_vector8 *)(b + v * VECTOR);
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            double left = a[r * sr];
            SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] += left * right[v];
        }
    }
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
            SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) *
        (scant_i_vector8 *)(o->out + (r0 + r) * o->lanes + j0 + v * VECTOR) = sum[r][v];
}

/* of tiles, by their width; 0: none that wide */
typedef struct heights {
    size_t by16, by24, by32;
} heights;

/* all rows of `out` for the columns j0 .. j0 + 8 vectors - 1 */
SCANT_I_INLINE void strip(const operands *o, size_t nr, size_t j0, const size_t height,
                          const size_t vectors, const fetching ahead)
{
    size_t r = 0;
    for (; r + height <= nr; r += height)
        tile(o, nr, r, j0, height, vectors, ahead);
    if (height > 4)
        for (; r + 4 <= nr; r += 4)
            tile(o, nr, r, j0, 4, vectors, ahead);
    for (; r < nr; r++)
        tile(o, nr, r, j0, 1, vectors, ahead);
}

/* Columns by 32 where registers are many, since such tiles read `a` the least; then by 16, and an odd 8 along with
 * the first 16, so that `a` is not read for them alone. */
SCANT_I_INLINE void all_strips(const operands *o, size_t nr, const heights *h, const fetching ahead)
{
    size_t j = 0;
    for (; h->by32 && j + 4 * VECTOR <= o->lanes; j += 4 * VECTOR)
        strip(o, nr, j, h->by32, 4, ahead);
    if (o->lanes % (2 * VECTOR) && o->lanes - j > VECTOR) {
        strip(o, nr, j, h->by24, 3, ahead);
        j += 3 * VECTOR;
    }
    for (; j + 2 * VECTOR <= o->lanes; j += 2 * VECTOR)
        strip(o, nr, j, h->by16, 2, ahead);
    if (j < o->lanes)
        strip(o, nr, j, h->by16, 1, ahead);
}

SCANT_I_INLINE void each_way(const operands *o, size_t nr, const heights h)
{
    if (!o->next)
        all_strips(o, nr, &h, NOTHING);
    else if (o->width)
        all_strips(o, nr, &h, LINES);
    else
        all_strips(o, nr, &h, TILES);
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static void run_avx512(const operands *o, size_t nr)
{
    each_way(o, nr, (heights){12, 8, 6}); /* 24 sums of the 32 registers */
}
__attribute__((target("avx2,fma"))) static void run_avx2(const operands *o, size_t nr)
{
    each_way(o, nr, (heights){3, 2, 0}); /* 12 sums of the 16 registers */
}
#endif
static void run_plain(const operands *o, size_t nr)
{
    each_way(o, nr, (heights){1, 1, 0});
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
