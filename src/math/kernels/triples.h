/* S[p][q] += sum_i x_a[i] x_b[i] y_q[i] for pairs p = (a, b), tile by tile, for the number and its vector that the including
 * file defines: `operands`, `number`, four of them, `vector`, LANES numbers of it, and FOLD_1, FOLD_2, .. (a, b), which add neighbours of
 * a and b, pairs of numbers, fours .., to half as many of each. Lanes are terms of a sum: nothing is padded but the sums' ends, and a
 * number is rounded n / LANES times on the way, not n times. A tile reads height + WIDTH vectors for height x WIDTH products, and is
 * folded once at its end: n should be some dozens of vectors.
 *
 * The products x_a x_b of STRIP pairs are made by the tiles of the first y's, along with their sums, and kept for the others:
 * they stay in the first-level cache, and so do WIDTH rows of y from one tile to the next.
 *
 * Cost: 2 n np ny flop and n np products. */
#include "math/linear.h"

enum {
    WIDTH = 4,
    HEIGHT = SCANT_I_REGISTERS / 8, /* half of the registers are sums */
    STRIP = SCANT_I_TRIPLES_ROOM,
    ROWS = LANES > WIDTH ? LANES / WIDTH
                         : 1 /* of a tile that are folded at once, to a number in each lane */
};

typedef double four_doubles __attribute__((vector_size(32), aligned(8), may_alias));

/* The sums of ROWS rows' lanes, row by row. */
SCANT_I_INLINE void fold(vector *sum, vector (*v)[WIDTH])
{
#if LANES == 2
    sum[0] = FOLD_1(v[0][0], v[0][1]);
    sum[1] = FOLD_1(v[0][2], v[0][3]);
#else
    vector row[ROWS];
    SCANT_I_UNROLL for (size_t r = 0; r < ROWS; r++) row[r] =
        FOLD_2(FOLD_1(v[r][0], v[r][1]), FOLD_1(v[r][2], v[r][3]));
#if LANES == 4
    sum[0] = row[0];
#elif LANES == 8
    sum[0] = FOLD_4(row[0], row[1]);
#else
    sum[0] = FOLD_8(FOLD_4(row[0], row[1]), FOLD_4(row[2], row[3]));
#endif
#endif
}

/* Row r of them. Sixteen numbers become doubles by halves: taken apart by fours, they would be shuffled one by one. */
SCANT_I_INLINE four_doubles part(const vector *sum, const size_t r)
{
#if LANES == 2
    return __builtin_shufflevector(sum[r], sum[r + 1], 0, 1, 2, 3);
#elif LANES == 4
    return __builtin_convertvector(sum[r], four_doubles);
#elif LANES == 8
    four row = r ? __builtin_shufflevector(sum[0], sum[0], 4, 5, 6, 7)
                 : __builtin_shufflevector(sum[0], sum[0], 0, 1, 2, 3);
    return __builtin_convertvector(row, four_doubles);
#else
    typedef float eight __attribute__((vector_size(32)));
    eight rows = r < 2 ? __builtin_shufflevector(sum[0], sum[0], 0, 1, 2, 3, 4, 5, 6, 7)
                       : __builtin_shufflevector(sum[0], sum[0], 8, 9, 10, 11, 12, 13, 14, 15);
    scant_i_vector pair = __builtin_convertvector(rows, scant_i_vector);
    return r % 2 ? __builtin_shufflevector(pair, pair, 4, 5, 6, 7)
                 : __builtin_shufflevector(pair, pair, 0, 1, 2, 3);
#endif
}

/* to[r][c] += the sum of v[r][c]'s lanes, rows of `to` lds apart */
SCANT_I_INLINE void add_sums(double *to, size_t lds, vector (*v)[WIDTH], const size_t height,
                             const size_t width)
{
    SCANT_I_UNROLL for (size_t first = 0; first < height; first += ROWS)
    {
        vector sum[ROWS * WIDTH / LANES];
        fold(sum, v + first);
        const size_t count = scant_i_min(ROWS, height - first);
        SCANT_I_UNROLL for (size_t r = 0; r < count; r++)
        {
            const four_doubles row = part(sum, r);
            double *at = to + (first + r) * lds;
            if (width == WIDTH)
                *(four_doubles *)at += row;
            else
                SCANT_I_UNROLL for (size_t c = 0; c < width; c++) at[c] += row[c];
        }
    }
}

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
    add_sums(o->S + (first + p) * o->lds + q, o->lds, sum, height, width);
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
