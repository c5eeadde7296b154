/* Cost for n listed unknowns: factor n^3 / 6, solve n^2, gradient rank n multiply-adds of vectors. */
#include "solve/batch.h"

#include <float.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t lanes8 __attribute__((vector_size(64), may_alias));

/* Signs are judged to TOLERANCE of the right-hand side, and to the rounding error of G x. A pivot
 * that is ROUNDING times the rank of its diagonal is nothing but rounding error. */
static const double TOLERANCE = 1e-12, ROUNDING = 4 * DBL_EPSILON;

/* All bits of the lanes where a < b, by the sign of a - b. GCC takes vectors of functions that it compiles for several
 * instruction sets apart where the least set lacks an instruction: for comparisons, and shifts of signed numbers. */
INLINE lanes8 below(scant_i_vector8 a, scant_i_vector8 b)
{
    return -((lanes8)(a - b) >> 63);
}

scant_status scant_i_batch_new(scant_i_batch **out, const scant_i_nnls *problem)
{
    scant_status status = SCANT_OK;
    size_t rank = problem->rank;
    scant_i_batch *b = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&b, 1));
    b->rank = rank;
    b->lanes = problem->lanes;
    b->gram = problem->gram_stride ? NULL : problem->gram;
    SCANT_I_TRY(SCANT_I_NEW(&b->list, rank));
    SCANT_I_TRY(SCANT_I_NEW(&b->L, rank * (rank + 1) / 2));
    scant_i_vector8 **vectors[] = {&b->x, &b->b, &b->y, &b->in, &b->inverse, &b->column};
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
        SCANT_I_TRY(SCANT_I_NEW(vectors[v], rank));
    if (problem->gram_stride)
        SCANT_I_TRY(SCANT_I_NEW(&b->own, rank * rank));
    *out = b;
    b = NULL;
done:
    scant_i_batch_free(b);
    return status;
}

void scant_i_batch_free(scant_i_batch *b)
{
    if (!b)
        return;
    void *blocks[] = {b->own, b->x, b->b, b->y, b->in, b->inverse, b->column, b->L, b->list, b};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        scant_i_free(blocks[k]);
}

void scant_i_batch_gather(scant_i_vector8 *to, const double *from, size_t stride, const size_t *row,
                          size_t n, size_t rank)
{
    double *flat = (double *)to;
    if (n < SCANT_I_BATCH)
        memset(to, 0, rank * sizeof *to);
    for (size_t l = 0; l < n; l++) {
        const double *source = from + row[l] * stride;
        for (size_t j = 0; j < rank; j++)
            flat[j * SCANT_I_BATCH + l] = source[j];
    }
}

void scant_i_batch_scatter(double *to, size_t stride, const size_t *row, size_t n,
                           const scant_i_vector8 *from, size_t rank)
{
    const double *flat = (const double *)from;
    for (size_t l = 0; l < n; l++) {
        double *target = to + row[l] * stride;
        for (size_t j = 0; j < rank; j++)
            target[j] = flat[j * SCANT_I_BATCH + l];
    }
}

void scant_i_batch_keep(double *to, size_t stride, const size_t *row, size_t n,
                        const scant_i_batch *b, const scant_i_vector8 *unit)
{
    for (size_t l = 0; l < n; l++) {
        if (row[l] == SIZE_MAX)
            continue;
        double *target = to + row[l] * stride;
        for (size_t j = 0; j < b->rank; j++)
            target[j] = b->x[j][l] > 0 ? b->x[j][l] * unit[j][l] : 0;
    }
}

void scant_i_batch_own(scant_i_batch *b, const scant_i_nnls *problem, const size_t *row, size_t n)
{
    for (size_t j = 0; j < b->rank; j++)
        scant_i_batch_gather(b->own + j * b->rank, problem->gram + j * problem->lanes,
                             problem->gram_stride, row, n, b->rank);
}

SCANT_I_CLONES
void scant_i_batch_list(scant_i_batch *b, const uint64_t *const *set, size_t n)
{
    enum { WORD = 64 };
    const lanes8 one = (lanes8)(1 - (scant_i_vector8){0});
    b->nlist = 0;
    for (size_t w = 0; w * WORD < b->rank; w++) {
        lanes8 word = {0};
        uint64_t any = 0;
        for (size_t l = 0; l < n; l++) {
            word[l] = set[l][w];
            any |= set[l][w];
        }
        for (size_t j = w * WORD; j < scant_i_min(b->rank, (w + 1) * WORD); j++) {
            uint64_t shift = j % WORD;
            b->in[j] = (scant_i_vector8)(-(word >> shift & 1) & one);
            if (any >> shift & 1)
                b->list[b->nlist++] = j;
        }
    }
}

void scant_i_batch_list_all(scant_i_batch *b)
{
    b->nlist = b->rank;
    for (size_t j = 0; j < b->rank; j++)
        b->list[j] = j;
}

/* G[j][k] x. A function that made a vector of one number would be compiled for the least instruction set before it is
 * inlined, and take eight instructions for it. */
INLINE scant_i_vector8 gram_times(const scant_i_batch *b, size_t j, size_t k, scant_i_vector8 x)
{
    return b->own ? b->own[j * b->rank + k] * x : b->gram[j * b->lanes + k] * x;
}

/* 1 / pivot where the unknown is passive and the pivot large enough, else 0 */
INLINE scant_i_vector8 invert(scant_i_vector8 pivot, scant_i_vector8 in, scant_i_vector8 least)
{
    return (scant_i_vector8)(below(least, pivot) & (lanes8)(in / pivot));
}

INLINE scant_i_vector8 *row_of(const scant_i_batch *b, size_t i)
{
    return b->L + i * (i + 1) / 2;
}

/* L[i][j] = G[i][j] - sum over k < j of L[i][k] column[k] for some rows at once, which hides the time an addition takes;
 * `rows` is a constant at every call */
INLINE void eliminate(const scant_i_batch *b, size_t i, size_t j, scant_i_vector8 one,
                      const size_t rows)
{
    scant_i_vector8 sum[4], *row[4];
    for (size_t r = 0; r < rows; r++) {
        row[r] = row_of(b, i + r);
        sum[r] = gram_times(b, b->list[i + r], b->list[j], one);
    }
    for (size_t k = 0; k < j; k++)
        for (size_t r = 0; r < rows; r++)
            sum[r] -= row[r][k] * b->column[k];
    for (size_t r = 0; r < rows; r++)
        row[r][j] = sum[r];
}

/* Column by column: rows below j have their entries times the pivots until their own turn. */
SCANT_I_CLONES
void scant_i_batch_factor(scant_i_batch *b)
{
    size_t n = b->nlist;
    const scant_i_vector8 one = 1 - (scant_i_vector8){0}, least = ROUNDING * (double)b->rank * one;
    for (size_t j = 0; j < n; j++) {
        size_t i = j + 1, unknown = b->list[j];
        scant_i_vector8 *row = row_of(b, j), pivot = gram_times(b, unknown, unknown, one);
        for (size_t k = 0; k < j; k++) {
            b->column[k] = row[k] * b->inverse[k];
            pivot -= row[k] * b->column[k];
            row[k] = b->column[k];
        }
        b->inverse[j] = invert(pivot, b->in[unknown], gram_times(b, unknown, unknown, least));
        for (; i + 4 <= n; i += 4)
            eliminate(b, i, j, one, 4);
        for (; i < n; i++)
            eliminate(b, i, j, one, 1);
    }
}

SCANT_I_CLONES
void scant_i_batch_solve(scant_i_batch *b)
{
    size_t n = b->nlist;
    const scant_i_vector8 *row = b->L;
    scant_i_vector8 *z = b->column;
    for (size_t i = 0; i < n; row += i + 1, i++) {
        scant_i_vector8 sum = b->b[b->list[i]];
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
    memset(b->x, 0, b->rank * sizeof *b->x);
    for (size_t i = 0; i < n; i++)
        b->x[b->list[i]] = z[i];
}

SCANT_I_CLONES
void scant_i_batch_gradient(scant_i_batch *b)
{
    size_t j = 0, n = b->nlist;
    for (; j + 4 <= b->rank; j += 4) { /* four sums at once hide the time an addition takes */
        scant_i_vector8 sum[4];
        for (size_t v = 0; v < 4; v++)
            sum[v] = -b->b[j + v];
        for (size_t k = 0; k < n; k++)
            for (size_t v = 0; v < 4; v++)
                sum[v] += gram_times(b, j + v, b->list[k], b->x[b->list[k]]);
        for (size_t v = 0; v < 4; v++)
            b->y[j + v] = sum[v];
    }
    for (; j < b->rank; j++) {
        scant_i_vector8 sum = -b->b[j];
        for (size_t k = 0; k < n; k++)
            sum += gram_times(b, j, b->list[k], b->x[b->list[k]]);
        b->y[j] = sum;
    }
}

INLINE scant_i_vector8 magnitude(scant_i_vector8 v)
{
    return (scant_i_vector8)((lanes8)v & (uint64_t)INT64_MAX);
}

INLINE scant_i_vector8 larger(scant_i_vector8 a, scant_i_vector8 b)
{
    lanes8 first = below(b, a);
    return (scant_i_vector8)((first & (lanes8)a) | (~first & (lanes8)b));
}

SCANT_I_CLONES
void scant_i_batch_broken(scant_i_vector8 *broken, scant_i_vector8 *tolerance,
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
