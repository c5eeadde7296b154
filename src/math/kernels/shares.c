/* Shares (math/shares.h) of as many rows at a time as a vector has numbers, so that their maxima and sums come side by side. */
#include <math.h>

#include "math/kernels/kernel.h"

enum { WIDE = SCANT_I_WIDTH, EIGHT = SCANT_I_EIGHT };

/* Log weights below this count as -inf: past -708 exp has no normal number. */
static const double LEAST = -700;

typedef scant_i_shares shares;
typedef scant_i_vector vector;
typedef scant_i_mask mask;

/* Number r of the result is v[r] folded by `with`, for r < height, WIDE or 1, with the same bits; v is used up. */
SCANT_I_INLINE vector fold(vector *v, const size_t height, scant_i_combine *with)
{
    if (height == WIDE)
        return scant_i_fold(v, with);
    return scant_i_fold_one(v[0], with);
}

/* A vector for `height` rows, WIDE or 1. */
SCANT_I_INLINE vector get(const double *from, const size_t height)
{
    if (height == WIDE)
        return *(const scant_i_unaligned *)from;
    return *from + (vector){0};
}

SCANT_I_INLINE void put(double *to, vector x, const size_t height)
{
    if (height == WIDE)
        *(scant_i_unaligned *)to = x;
    else
        *to = x[0];
}

/* --- three passes over rows i .. i + height - 1. Where height and nvectors, the vectors of a row, are constants the loops
 * over them vanish --- */

SCANT_I_INLINE void find_tops(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    const vector *x = (const vector *)s.L + i * nvectors, *a = (const vector *)s.log_a;
    vector most[WIDE];
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
    {
        most[r] = -INFINITY + (vector){0};
        for (size_t v = 0; v < nvectors; v++)
            most[r] = scant_i_larger(x[r * nvectors + v] + a[v], most[r]);
    }
    put(s.top + i, s.beta * fold(most, height, scant_i_larger), height);
}

SCANT_I_INLINE void weigh(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    const vector zero = {0}, least = LEAST + zero, *a = (const vector *)s.log_a;
    vector *x = (vector *)s.L + i * nvectors, sum[WIDE], product[WIDE];
    vector top = get(s.top + i, height);
    double base[WIDE]; /* inf where there is no mass, so that all weights are the least */
    put(base, scant_i_select(top - top == zero, top, INFINITY + zero), height);
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
    {
        sum[r] = product[r] = zero;
        for (size_t v = 0; v < nvectors; v++) {
            vector shifted = s.beta * (x[r * nvectors + v] + a[v]) - base[r];
            mask counts = shifted > least;
            shifted = scant_i_select(counts, shifted, zero);
            vector weight = scant_i_select(counts, scant_i_exp(shifted), zero);
            sum[r] += weight;
            product[r] += weight * shifted;
            x[r * nvectors + v] = weight;
        }
    }
    vector total = fold(sum, height, scant_i_plus);
    put(s.sum + i, scant_i_select(total > zero, total, 1 + zero), height);
    put(s.product + i, fold(product, height, scant_i_plus), height);
}

SCANT_I_INLINE void scale(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    vector *x = (vector *)s.L + i * nvectors, *A = (vector *)s.A;
    double factor[WIDE];
    put(factor, get(s.w + i, height) / get(s.sum + i, height), height);
    for (size_t v = 0; v < nvectors; v++) {
        vector total = A[v];
        SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
        {
            vector share = factor[r] * x[r * nvectors + v];
            x[r * nvectors + v] = share;
            total += share;
        }
        A[v] = total;
    }
}

/* One pass after the other, so that rows need not wait for each other's maxima and sums. */
SCANT_I_INLINE void all_rows(const shares s, const size_t nvectors)
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

void SCANT_I_KERNEL(share)(const shares *s)
{
    if (s->stride == EIGHT)
        all_rows(*s, EIGHT / WIDE);
    else if (s->stride == 2 * EIGHT)
        all_rows(*s, 2 * EIGHT / WIDE);
    else
        all_rows(*s, s->stride / WIDE);
}
