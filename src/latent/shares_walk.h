/* The walks of scant_i_share for vectors of WIDE doubles; shares_by_8.c and shares_by_4.c say what those are before they
 * include this: WIDE, the types vector, unaligned and mask, exponential(x), and
 *   fold(v, height, with)   number r of the result is v[r] folded by `with`, for r < height, WIDE or 1. Halves first, then halves of
 *                           what comes of them, so that both heights have the same bits
 * Compilers take comparisons and shuffles of vectors that are longer than the processor's apart, number by number, which
 * is why one width does not do. */
#ifndef SCANT_I_SHARES_WALK_H
#define SCANT_I_SHARES_WALK_H

#include <math.h>

#include "latent/shares.h"

/* Log weights below this count as -inf: past -708 exp has no normal number. */
static const double LEAST = -700;

typedef scant_i_shares shares;
typedef vector combine(vector, vector);
SCANT_I_INLINE vector fold(const vector *v, const size_t height, combine *with);

SCANT_I_INLINE vector select(mask which, vector yes, vector no)
{
    return (vector)(((mask)yes & which) | ((mask)no & ~which));
}

SCANT_I_INLINE vector larger(vector a, vector b) /* b where a is no number */
{
    return select(a > b, a, b);
}

SCANT_I_INLINE vector plus(vector a, vector b)
{
    return a + b;
}

/* A vector for `height` rows, WIDE or 1. */
SCANT_I_INLINE vector get(const double *from, const size_t height)
{
    if (height == WIDE)
        return *(const unaligned *)from;
    return *from + (vector){0};
}

SCANT_I_INLINE void put(double *to, vector x, const size_t height)
{
    if (height == WIDE)
        *(unaligned *)to = x;
    else
        *to = x[0];
}

/* --- three walks over rows i .. i + height - 1. Where height and nvectors, the vectors of a row, are constants the loops
 * over them vanish --- */

SCANT_I_INLINE void find_tops(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    const vector *x = (const vector *)s.L + i * nvectors, *a = (const vector *)s.log_a;
    vector most[WIDE];
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
    {
        most[r] = -INFINITY + (vector){0};
        for (size_t v = 0; v < nvectors; v++)
            most[r] = larger(x[r * nvectors + v] + a[v], most[r]);
    }
    put(s.top + i, s.beta * fold(most, height, larger), height);
}

SCANT_I_INLINE void weigh(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    const vector zero = {0}, least = LEAST + zero, *a = (const vector *)s.log_a;
    vector *x = (vector *)s.L + i * nvectors, sum[WIDE], product[WIDE];
    vector top = get(s.top + i, height);
    double base[WIDE]; /* inf where there is no mass, so that all weights are the least */
    put(base, select(top - top == zero, top, INFINITY + zero), height);
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
    {
        sum[r] = product[r] = zero;
        for (size_t v = 0; v < nvectors; v++) {
            vector shifted = s.beta * (x[r * nvectors + v] + a[v]) - base[r];
            mask counts = shifted > least;
            shifted = select(counts, shifted, zero);
            vector weight = select(counts, exponential(shifted), zero);
            sum[r] += weight;
            product[r] += weight * shifted;
            x[r * nvectors + v] = weight;
        }
    }
    vector total = fold(sum, height, plus);
    put(s.sum + i, select(total > zero, total, 1 + zero), height);
    put(s.product + i, fold(product, height, plus), height);
}

SCANT_I_INLINE void scale(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    vector *x = (vector *)s.L + i * nvectors, *A = (vector *)s.A;
    double factor[WIDE];
    put(factor, get(s.w + i, height) / get(s.sum + i, height), height);
    for (size_t v = 0; v < nvectors; v++) {
        vector fallen = A[v];
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            vector share = factor[r] * x[r * nvectors + v];
            x[r * nvectors + v] = share;
            fallen += share;
        }
        A[v] = fallen;
    }
}

/* One walk after the other, so that rows need not wait for each other's maxima and sums. */
SCANT_I_INLINE void walk(const shares s, const size_t nvectors)
{
    size_t whole = s.n / WIDE * WIDE;
    for (size_t i = 0; i < whole; i += WIDE)
        find_tops(s, i, WIDE, nvectors);
    for (size_t i = 0; i < whole; i += WIDE)
        weigh(s, i, WIDE, nvectors);
    for (size_t i = 0; i < whole; i += WIDE)
        scale(s, i, WIDE, nvectors);
    for (size_t i = whole; i < s.n; i++) {
        find_tops(s, i, 1, nvectors);
        weigh(s, i, 1, nvectors);
        scale(s, i, 1, nvectors);
    }
}

SCANT_I_INLINE void share(const shares s)
{
    if (s.stride == SCANT_I_LANES)
        walk(s, SCANT_I_LANES / WIDE);
    else if (s.stride == 2 * SCANT_I_LANES)
        walk(s, 2 * SCANT_I_LANES / WIDE);
    else
        walk(s, s.stride / WIDE);
}

#endif
