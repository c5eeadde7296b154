#include "latent/shares.h"

#include <math.h>

#include "math/exponential.h"

/* Log weights below this count as -inf: past -708 exp has no normal number. */
static const double LEAST = -700;

enum { LANES = SCANT_I_LANES };
typedef scant_i_shares shares;
typedef scant_i_vector8 vector;
typedef scant_i_mask8 mask;

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

/* --- `height` rows, LANES or 1: a vector each, or a number each --- */

/* Number r of the result is v[r] folded: its halves, then what comes of it in pairs, then the last two. */
SCANT_I_INLINE vector fold(const vector *v, const size_t height, vector (*with)(vector, vector))
{
    if (height == 1) {
        vector x = with(v[0], SCANT_I_HIGH_HALVES(v[0], v[0]));
        x = with(x, SCANT_I_ODD_PAIRS(x, x));
        return with(x, SCANT_I_ODD(x, x));
    }
    vector half[4], quarter[2];
    for (size_t r = 0; r < 4; r++)
        half[r] = with(SCANT_I_LOW_HALVES(v[r], v[r + 4]), SCANT_I_HIGH_HALVES(v[r], v[r + 4]));
    for (size_t r = 0; r < 2; r++)
        quarter[r] =
            with(SCANT_I_EVEN_PAIRS(half[r], half[r + 2]), SCANT_I_ODD_PAIRS(half[r], half[r + 2]));
    return with(SCANT_I_EVEN(quarter[0], quarter[1]), SCANT_I_ODD(quarter[0], quarter[1]));
}

SCANT_I_INLINE vector get(const double *from, const size_t height)
{
    if (height == LANES)
        return *(const scant_i_unaligned8 *)from;
    return *from + (vector){0};
}

SCANT_I_INLINE void put(double *to, vector x, const size_t height)
{
    if (height == LANES)
        *(scant_i_unaligned8 *)to = x;
    else
        *to = x[0];
}

/* --- three walks over rows i .. i + height - 1. Where height and nvectors, the vectors of a row, are constants the loops
 * over them vanish --- */

SCANT_I_INLINE void find_tops(const shares s, size_t i, const size_t height, const size_t nvectors)
{
    const vector *x = (const vector *)s.L + i * nvectors, *a = (const vector *)s.log_a;
    vector most[LANES];
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
    vector *x = (vector *)s.L + i * nvectors, sum[LANES], product[LANES];
    vector top = get(s.top + i, height);
    double base[LANES]; /* inf where there is no mass, so that all weights are the least */
    put(base, select(top - top == zero, top, INFINITY + zero), height);
    SCANT_I_UNROLL for (size_t r = 0; r < height; r++)
    {
        sum[r] = product[r] = zero;
        for (size_t v = 0; v < nvectors; v++) {
            vector shifted = s.beta * (x[r * nvectors + v] + a[v]) - base[r];
            mask counts = shifted > least;
            shifted = select(counts, shifted, zero);
            vector weight = select(counts, scant_i_exp8(shifted), zero);
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
    double factor[LANES];
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
SCANT_I_INLINE void share_wide(const shares s, const size_t nvectors)
{
    size_t whole = s.n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        find_tops(s, i, LANES, nvectors);
    for (size_t i = 0; i < whole; i += LANES)
        weigh(s, i, LANES, nvectors);
    for (size_t i = 0; i < whole; i += LANES)
        scale(s, i, LANES, nvectors);
    for (size_t i = whole; i < s.n; i++) {
        find_tops(s, i, 1, nvectors);
        weigh(s, i, 1, nvectors);
        scale(s, i, 1, nvectors);
    }
}

SCANT_I_CLONES
void scant_i_share(const scant_i_shares *s)
{
    if (s->stride == LANES)
        share_wide(*s, 1);
    else if (s->stride == 2 * LANES)
        share_wide(*s, 2);
    else
        share_wide(*s, s->stride / LANES);
}
