/* S[p][q] += sum_i x_a[i] x_b[i] y_q[i] for pairs p = (a, b), tile by tile, for the number and its vector that the including
 * file defines: `operands`, `number`, `vector`, LANES numbers of it, HEIGHT rows of a tile, add_tile and add_four, which add the sums of vectors' lanes. Lanes are
 * terms of a sum: nothing is padded but the sums' ends, and a number is rounded n / LANES times on the way, not n times. A tile reads
 * height + WIDTH vectors for height x WIDTH products, and is folded once at its end: n should be some dozens of vectors.
 *
 * The products x_a x_b of STRIP pairs are made by the tiles of the first y's, beside their sums, and kept for the others:
 * they stay in the first-level cache, and so do WIDTH rows of y from one tile to the next.
 *
 * Cost: 2 n np ny flop and n np products. */
#include "math/triples.h"
#include "math/vector.h"

enum { WIDTH = 4, STRIP = SCANT_I_TRIPLES_ROOM };

/* to[r][c] += the sum of v[r][c]'s lanes, rows of `to` lds apart: for whole tiles, and for `width` vectors of a row */
SCANT_I_INLINE void add_tile(double *to, size_t lds, vector (*v)[WIDTH]);
SCANT_I_INLINE void add_four(double *to, const vector *v, const size_t width);

/* Pairs from first + p on, whose products are in `room` from row p on, or go there. height, width and `making` are
 * constants at every call, so the loops over them vanish. */
SCANT_I_INLINE void tile(const operands *o, size_t first, size_t p, size_t q, const size_t height,
                         const size_t width, const bool making)
{
    vector sum[HEIGHT][WIDTH] = {{{0}}};
    const number *y = o->y + q * o->ld, *a[HEIGHT], *b[HEIGHT];
    number *product = o->room + p * o->ld;
    const size_t ld = o->ld, n = o->n;
    for (size_t r = 0; r < height && making; r++) {
        a[r] = o->x + o->of[2 * (first + p + r)] * ld;
        b[r] = o->x + o->of[2 * (first + p + r) + 1] * ld;
    }
    for (size_t i = 0; i < n; i += LANES) {
        vector left[HEIGHT];
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            if (making)
                *(vector *)(product + r * ld + i) = left[r] =
                    *(const vector *)(a[r] + i) * *(const vector *)(b[r] + i);
            else
                left[r] = *(const vector *)(product + r * ld + i);
        }
        SCANT_I_UNROLL for (size_t c = 0; c < width; c++)
        {
            vector right = *(const vector *)(y + c * ld + i);
            SCANT_I_UNROLL for (size_t r = 0; r < height; r++) sum[r][c] += left[r] * right;
        }
    }
    double *to = o->S + (first + p) * o->lds + q;
    if (height == HEIGHT && width == WIDTH)
        add_tile(to, o->lds, sum);
    else
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++) add_four(to + r * o->lds, sum[r], width);
}

/* `count` pairs with `width` rows of y */
SCANT_I_INLINE void tiles(const operands *o, size_t first, size_t count, size_t q,
                          const size_t width)
{
    size_t p = 0;
    for (; p + HEIGHT <= count; p += HEIGHT)
        if (q == 0)
            tile(o, first, p, q, HEIGHT, width, true);
        else
            tile(o, first, p, q, HEIGHT, width, false);
    for (; p < count; p++)
        if (q == 0)
            tile(o, first, p, q, 1, width, true);
        else
            tile(o, first, p, q, 1, width, false);
}

SCANT_I_INLINE void all_tiles(const operands *o)
{
    for (size_t first = 0; first < o->np; first += STRIP) {
        size_t q = 0, count = scant_i_min(STRIP, o->np - first);
        for (; q + WIDTH <= o->ny; q += WIDTH)
            tiles(o, first, count, q, WIDTH);
        if (o->ny - q == 3)
            tiles(o, first, count, q, 3);
        else if (o->ny - q == 2)
            tiles(o, first, count, q, 2);
        else if (o->ny - q == 1)
            tiles(o, first, count, q, 1);
    }
}
