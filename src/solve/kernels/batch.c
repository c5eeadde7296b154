/* Cost for n listed unknowns: factor n^3 / 6, solve n^2, gradient rank n multiply-adds of vectors. */
#include <float.h>
#include <string.h>

#include "solve/kernels/kernel.h"

enum { WORD = 64 }; /* bits of a set's words */

typedef uint64_t lanes8 __attribute__((vector_size(64), may_alias));

/* Signs are judged to TOLERANCE of the right-hand side, and to the rounding error of G x. A pivot
 * that is ROUNDING times the rank of its diagonal is nothing but rounding error. */
static const double TOLERANCE = 1e-12, ROUNDING = 4 * DBL_EPSILON;

/* All bits of the lanes where a < b, by the sign of a - b. GCC takes vectors of functions that it compiles for several
 * instruction sets apart where the least set lacks an instruction: for comparisons, and shifts of signed numbers. */
SCANT_I_INLINE lanes8 below(scant_i_vector8 a, scant_i_vector8 b)
{
    return -((lanes8)(a - b) >> 63);
}

/* kept = positive part of x, times `unit` */
void SCANT_I_KERNEL(scale_positive)(scant_i_vector8 *kept, const scant_i_vector8 *x,
                                    const scant_i_vector8 *unit, size_t rank)
{
    for (size_t j = 0; j < rank; j++)
        kept[j] = (scant_i_vector8)(below((scant_i_vector8){0}, x[j]) & (lanes8)(x[j] * unit[j]));
}

/* Is it quicker to solve lanes' own systems of at most `most` unknowns, whose entries have to be
 * fetched lane by lane, than one of `any` for all? FETCH is the time of such an entry over that of
 * a step of the factorisation. */
static bool pays_apart(size_t most, size_t any)
{
    enum { FETCH = 8 };
    return most * most * (most + 3 * FETCH) < any * any * any;
}

/* Lane l's system is of the unknowns in set[l]; shorter ones end with some unknown, left out. */
static void list_apart(scant_i_batch *b, const uint64_t *const *set, size_t n)
{
    memset(b->list, 0, b->nlist * SCANT_I_BATCH * sizeof *b->list);
    for (size_t l = 0; l < n; l++) {
        uint32_t *to = b->list + l;
        for (size_t w = 0; w * WORD < b->rank; w++)
            for (uint64_t left = set[l][w]; left; left &= left - 1, to += SCANT_I_BATCH)
                *to = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
    }
}

void SCANT_I_KERNEL(batch_list)(scant_i_batch *b, const uint64_t *const *set, size_t n)
{
    const lanes8 one = (lanes8)(1 - (scant_i_vector8){0});
    size_t most = 0;
    b->nany = 0;
    memset(b->count, 0, sizeof b->count);
    for (size_t w = 0; w * WORD < b->rank; w++) {
        lanes8 word = {0};
        uint64_t any = 0;
        for (size_t l = 0; l < n; l++) {
            word[l] = set[l][w];
            any |= set[l][w];
            b->count[l] += (size_t)__builtin_popcountll(set[l][w]);
            most = b->count[l] > most ? b->count[l] : most;
        }
        for (size_t j = w * WORD; j < scant_i_min(b->rank, (w + 1) * WORD); j++) {
            uint64_t shift = j % WORD;
            b->in[j] = (scant_i_vector8)(-(word >> shift & 1) & one);
            if (any >> shift & 1)
                b->any[b->nany++] = j;
        }
    }
    b->apart = pays_apart(most, b->nany);
    b->nlist = b->apart ? most : b->nany;
    if (b->apart)
        list_apart(b, set, n);
}

/* G[j][k] x. A function that made a vector of one number would be compiled for the least instruction set before it is
 * inlined, and take eight instructions for it. */
SCANT_I_INLINE scant_i_vector8 gram_times(const scant_i_batch *b, size_t j, size_t k,
                                          scant_i_vector8 x)
{
    return b->own ? b->own[j * b->rank + k] * x : b->gram[j * b->lanes + k] * x;
}

/* 1 / pivot where the unknown is passive and the pivot large enough, else 0 */
SCANT_I_INLINE scant_i_vector8 invert(scant_i_vector8 pivot, scant_i_vector8 in,
                                      scant_i_vector8 least)
{
    return (scant_i_vector8)(below(least, pivot) & (lanes8)(in / pivot));
}

SCANT_I_INLINE scant_i_vector8 *row_of(const scant_i_batch *b, size_t i)
{
    return b->L + i * (i + 1) / 2;
}

/* L[i][j] -= sum over k < j of L[i][k] column[k] for some rows at once, which hides the time an addition takes; `rows` is
 * a constant at every call */
SCANT_I_INLINE void eliminate(const scant_i_batch *b, size_t i, size_t j, const size_t rows)
{
    scant_i_vector8 sum[4], *row[4];
    for (size_t r = 0; r < rows; r++) {
        row[r] = row_of(b, i + r);
        sum[r] = row[r][j];
    }
    for (size_t k = 0; k < j; k++)
        for (size_t r = 0; r < rows; r++)
            sum[r] -= row[r][k] * b->column[k];
    for (size_t r = 0; r < rows; r++)
        row[r][j] = sum[r];
}

/* L becomes the lower half of G, of the unknowns that are passive in some lane. */
SCANT_I_INLINE void fill_together(const scant_i_batch *b)
{
    const scant_i_vector8 one = 1 - (scant_i_vector8){0};
    scant_i_vector8 *to = b->L;
    for (size_t i = 0; i < b->nlist; i++)
        for (size_t j = 0; j <= i; j++)
            *to++ = gram_times(b, b->any[i], b->any[j], one);
}

/* The same of each lane's own. */
SCANT_I_INLINE void fill_apart(const scant_i_batch *b)
{
    const double *from = b->own ? (const double *)b->own : b->gram;
    uint64_t width = b->own ? b->rank * SCANT_I_BATCH : b->lanes, step = b->own ? SCANT_I_BATCH : 1;
    double *to = (double *)b->L;
    for (size_t i = 0; i < b->nlist; i++) {
        uint64_t row[SCANT_I_BATCH];
        for (size_t l = 0; l < SCANT_I_BATCH; l++)
            row[l] = b->list[i * SCANT_I_BATCH + l] * width + (b->own ? l : 0);
        for (size_t j = 0; j <= i; j++, to += SCANT_I_BATCH)
            for (size_t l = 0; l < SCANT_I_BATCH; l++)
                to[l] = from[row[l] + b->list[j * SCANT_I_BATCH + l] * step];
    }
}

/* 1 where the i-th unknown of a lane's system is one of its passive ones. */
SCANT_I_INLINE scant_i_vector8 takes_part(const scant_i_batch *b, size_t i)
{
    scant_i_vector8 part;
    if (!b->apart)
        return b->in[b->any[i]];
    for (size_t l = 0; l < SCANT_I_BATCH; l++)
        part[l] = i < b->count[l] ? 1 : 0;
    return part;
}

/* Column by column: rows below j have their entries times the pivots until their own turn. */
void SCANT_I_KERNEL(batch_factor)(scant_i_batch *b)
{
    size_t n = b->nlist;
    const double least = ROUNDING * (double)b->rank;
    if (b->apart)
        fill_apart(b);
    else
        fill_together(b);
    for (size_t j = 0; j < n; j++) {
        size_t i = j + 1;
        scant_i_vector8 *row = row_of(b, j), pivot = row[j], smallest = least * pivot;
        for (size_t k = 0; k < j; k++) {
            b->column[k] = row[k] * b->inverse[k];
            pivot -= row[k] * b->column[k];
            row[k] = b->column[k];
        }
        b->inverse[j] = invert(pivot, takes_part(b, j), smallest);
        for (; i + 4 <= n; i += 4)
            eliminate(b, i, j, 4);
        for (; i < n; i++)
            eliminate(b, i, j, 1);
    }
}

/* b of the systems' unknowns */
SCANT_I_INLINE void take_right_hand_side(const scant_i_batch *b, scant_i_vector8 *z)
{
    const double *from = (const double *)b->b;
    for (size_t i = 0; i < b->nlist; i++)
        if (b->apart)
            for (size_t l = 0; l < SCANT_I_BATCH; l++)
                z[i][l] = from[b->list[i * SCANT_I_BATCH + l] * (size_t)SCANT_I_BATCH + l];
        else
            z[i] = b->b[b->any[i]];
}

SCANT_I_INLINE void give_unknowns(const scant_i_batch *b, const scant_i_vector8 *z)
{
    double *to = (double *)b->x;
    memset(b->x, 0, b->rank * sizeof *b->x);
    if (!b->apart) {
        for (size_t i = 0; i < b->nlist; i++)
            b->x[b->any[i]] = z[i];
        return;
    }
    for (size_t l = 0; l < SCANT_I_BATCH; l++)
        for (size_t i = 0; i < b->count[l]; i++)
            to[b->list[i * SCANT_I_BATCH + l] * (size_t)SCANT_I_BATCH + l] = z[i][l];
}

void SCANT_I_KERNEL(batch_solve)(scant_i_batch *b)
{
    size_t n = b->nlist;
    const scant_i_vector8 *row = b->L;
    scant_i_vector8 *z = b->column;
    take_right_hand_side(b, z);
    for (size_t i = 0; i < n; row += i + 1, i++) {
        scant_i_vector8 sum = z[i];
        for (size_t j = 0; j < i; j++)
            sum -= row[j] * z[j];
        z[i] = sum;
    }
    for (size_t i = 0; i < n; i++)
        z[i] *= b->inverse[i];
    for (size_t i = n; i-- > 0;) {
        row -= i + 1;
        for (size_t j = 0; j < i; j++)
            z[j] -= row[j] * z[i];
    }
    give_unknowns(b, z);
}

void SCANT_I_KERNEL(batch_gradient)(scant_i_batch *b)
{
    size_t j = 0, n = b->nany;
    for (; j + 4 <= b->rank; j += 4) { /* four sums at once hide the time an addition takes */
        scant_i_vector8 sum[4];
        for (size_t v = 0; v < 4; v++)
            sum[v] = -b->b[j + v];
        for (size_t k = 0; k < n; k++)
            for (size_t v = 0; v < 4; v++)
                sum[v] += gram_times(b, j + v, b->any[k], b->x[b->any[k]]);
        for (size_t v = 0; v < 4; v++)
            b->y[j + v] = sum[v];
    }
    for (; j < b->rank; j++) {
        scant_i_vector8 sum = -b->b[j];
        for (size_t k = 0; k < n; k++)
            sum += gram_times(b, j, b->any[k], b->x[b->any[k]]);
        b->y[j] = sum;
    }
}

SCANT_I_INLINE scant_i_vector8 magnitude(scant_i_vector8 v)
{
    return (scant_i_vector8)((lanes8)v & (uint64_t)INT64_MAX);
}

SCANT_I_INLINE scant_i_vector8 larger(scant_i_vector8 a, scant_i_vector8 b)
{
    lanes8 first = below(b, a);
    return (scant_i_vector8)((first & (lanes8)a) | (~first & (lanes8)b));
}

void SCANT_I_KERNEL(batch_broken)(scant_i_vector8 *broken, scant_i_vector8 *tolerance,
                                  const scant_i_batch *b)
{
    scant_i_vector8 largest = {0}, sum = {0};
    for (size_t j = 0; j < b->rank; j++) {
        largest = larger(largest, magnitude(b->b[j]));
        sum += magnitude(b->x[j]);
    }
    scant_i_vector8 least = -(TOLERANCE * largest + ROUNDING * sum);
    lanes8 any = {0};
    for (size_t j = 0; j < b->rank; j++) {
        lanes8 passive = below((scant_i_vector8){0}, b->in[j]);
        lanes8 judged = (passive & (lanes8)b->x[j]) | (~passive & (lanes8)b->y[j]);
        any |= below((scant_i_vector8)judged, least);
    }
    *tolerance = -least;
    *broken = (scant_i_vector8)(any & (lanes8)(1 - (scant_i_vector8){0}));
}
