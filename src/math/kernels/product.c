/* out[r][j] += sum_t a(r, t) b[t][j] by tiles (math/product.c): their sums stay in registers, and what is left of these takes the line
 * of b. HEIGHT_n is how many rows a tile has that is n columns wide; 0: none is. */
#include <stdint.h>

#include "math/kernels/kernel.h"

#if SCANT_I_WIDTH == 8
enum { HEIGHT_8 = 12, HEIGHT_16 = 12, HEIGHT_24 = 8, HEIGHT_32 = 6 }; /* 24 sums */
#elif SCANT_I_WIDTH == 4
enum { HEIGHT_8 = 6, HEIGHT_16 = 3, HEIGHT_24 = 2, HEIGHT_32 = 0 }; /* 12 sums */
#elif SCANT_I_REGISTERS == 32
enum { HEIGHT_8 = 6, HEIGHT_16 = 3, HEIGHT_24 = 2, HEIGHT_32 = 0 }; /* 24 sums */
#else
enum { HEIGHT_8 = 3, HEIGHT_16 = 0, HEIGHT_24 = 0, HEIGHT_32 = 0 }; /* 12 sums */
#endif

enum {
    HEIGHT_MAX = 12,
    VECTORS_MAX = 32 / SCANT_I_WIDTH,
    LINE = SCANT_I_EIGHT, /* doubles of a cache line */
    AHEAD = 2 /* tiles: long enough for memory to answer, short enough to stay in the cache */
};

typedef scant_i_vector vector;
typedef scant_i_operands operands;
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
    vector sum[HEIGHT_MAX][VECTORS_MAX];
    const double *first = o->row ? o->row : o->out + r0 * o->lanes;
    const size_t step = o->row ? 0 : o->lanes;
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] =
            *(const vector *)(first + r * step + j0 + v * SCANT_I_WIDTH);
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
        vector right[VECTORS_MAX];
        SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) right[v] =
            *(const vector *)(b + v * SCANT_I_WIDTH);
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            double left = a[r * sr];
            SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) sum[r][v] += left * right[v];
        }
    }
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
            SCANT_I_UNROLL for (size_t v = 0; v < vectors; v++) *
        (vector *)(o->out + (r0 + r) * o->lanes + j0 + v * SCANT_I_WIDTH) = sum[r][v];
}

/* all rows of `out` for the columns j0 .. j0 + width - 1 */
SCANT_I_INLINE void strip(const operands *o, size_t nr, size_t j0, const size_t height,
                          const size_t width, const fetching ahead)
{
    const size_t vectors = width / SCANT_I_WIDTH;
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
SCANT_I_INLINE void all_strips(const operands *o, size_t nr, const fetching ahead)
{
    size_t j = 0;
    for (; HEIGHT_32 > 0 && j + 32 <= o->lanes; j += 32)
        strip(o, nr, j, HEIGHT_32, 32, ahead);
    if (HEIGHT_24 > 0 && o->lanes % 16 && o->lanes - j > 8) {
        strip(o, nr, j, HEIGHT_24, 24, ahead);
        j += 24;
    }
    for (; HEIGHT_16 > 0 && j + 16 <= o->lanes; j += 16)
        strip(o, nr, j, HEIGHT_16, 16, ahead);
    for (; j < o->lanes; j += 8)
        strip(o, nr, j, HEIGHT_8, 8, ahead);
}

void SCANT_I_KERNEL(product)(const operands *o, size_t nr)
{
    if (!o->next)
        all_strips(o, nr, NOTHING);
    else if (o->width)
        all_strips(o, nr, LINES);
    else
        all_strips(o, nr, TILES);
}
