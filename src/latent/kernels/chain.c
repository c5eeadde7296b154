/* Forward and backward steps of a chain (latent/chain.h).
 *
 *   top_t = max_j beta L_tj,   e_tj = exp(beta L_tj - top_t)
 *   f_tj  = sum_i f_{t-1,i} A_ij e_tj / c_t,   sum_j f_tj = 1
 *   b_ti  = sum_j A_ij u_{t+1,j},   u_tj = e_tj b_tj / c_t,   r_tj = f_tj b_tj
 *
 * A step waits for the one before it, so what counts is how long one takes: sums of even and of odd states
 * are made side by side. Cost: an exponential a state and 4 M^2 flop a step. */
#include <math.h>

#include "latent/kernels/kernel.h"

enum { WIDE = SCANT_I_WIDTH, MOST = 4 };

typedef scant_i_chain_steps steps;
typedef scant_i_vector vector;

/* out[v] = sum_i x_i table[i][v] for `width` vectors of each line, a constant. */
SCANT_I_INLINE void apply_some(vector *out, const vector *table, const double *x, size_t M,
                               size_t nvectors, const size_t width)
{
    vector even[MOST], odd[MOST];
    size_t i = 0;
    SCANT_I_UNROLL for (size_t v = 0; v < width; v++) even[v] = odd[v] = (vector){0};
    for (; i + 1 < M; i += 2) {
        const vector *line = table + i * nvectors, *next = line + nvectors;
        SCANT_I_UNROLL for (size_t v = 0; v < width; v++)
        {
            even[v] += x[i] * line[v];
            odd[v] += x[i + 1] * next[v];
        }
    }
    SCANT_I_UNROLL for (size_t v = 0; v < width; v++)
    {
        if (i < M)
            even[v] += x[i] * table[i * nvectors + v];
        out[v] = even[v] + odd[v];
    }
}

SCANT_I_INLINE void apply(vector *out, const double *table, const double *x, size_t M,
                          const size_t nvectors)
{
    const vector *all = (const vector *)table;
    size_t v = 0;
    for (; v + MOST <= nvectors; v += MOST)
        apply_some(out + v, all + v, x, M, nvectors, MOST);
    for (; v + 2 <= nvectors; v += 2)
        apply_some(out + v, all + v, x, M, nvectors, 2);
    for (; v < nvectors; v++)
        apply_some(out + v, all + v, x, M, nvectors, 1);
}

SCANT_I_INLINE double sum_of(const vector *x, const size_t nvectors)
{
    vector sum = x[0];
    for (size_t v = 1; v < nvectors; v++)
        sum += x[v];
    return scant_i_fold_one(sum, scant_i_plus)[0];
}

SCANT_I_INLINE void weigh_all(const steps *s, const size_t nvectors)
{
    const vector zero = {0}, low = log(SCANT_I_CHAIN_WEIGHT) + zero, none = -INFINITY + zero;
    for (size_t t = 0; t < s->n; t++) {
        const vector *L = (const vector *)(s->L + t * s->stride);
        vector *e = (vector *)(s->weight + t * s->stride), most = none;
        for (size_t v = 0; v < nvectors; v++)
            most = scant_i_larger(s->beta * L[v], most);
        double top = scant_i_fold_one(most, scant_i_larger)[0];
        s->top[t] = top;
        double base = top > -INFINITY ? top : 0;
        for (size_t v = 0; v < nvectors; v++) {
            vector x = s->beta * L[v] - base;
            vector least = scant_i_select(x > none, SCANT_I_CHAIN_WEIGHT + zero, zero);
            scant_i_mask counts = x > low;
            e[v] = scant_i_select(counts, scant_i_exp(scant_i_select(counts, x, zero)), least);
        }
    }
}

SCANT_I_INLINE size_t forward_all(const steps *s, const size_t nvectors)
{
    const vector zero = {0}, least = SCANT_I_CHAIN_SHARE + zero;
    for (size_t t = 0; t < s->n; t++) {
        const vector *e = (const vector *)(s->weight + t * s->stride);
        vector *f = (vector *)(s->forward + t * s->stride);
        if (t == 0)
            for (size_t v = 0; v < nvectors; v++)
                f[v] = ((const vector *)s->start)[v];
        else
            apply(f, s->A, s->forward + (t - 1) * s->stride, s->M, nvectors);
        for (size_t v = 0; v < nvectors; v++)
            f[v] *= e[v];
        double c = sum_of(f, nvectors);
        s->scale[t] = c;
        if (!(c > 0))
            return t;
        double inverse = 1 / c;
        for (size_t v = 0; v < nvectors; v++)
            f[v] = scant_i_select(f[v] > zero, scant_i_larger(f[v] * inverse, least), zero);
    }
    return s->n;
}

SCANT_I_INLINE void backward_all(scant_i_chain_found *out, const steps *s, double w,
                                 const size_t nvectors)
{
    const vector zero = {0};
    vector joint = zero, doubt = zero, total = zero;
    for (size_t t = s->n; t-- > 0;) {
        const vector *L = (const vector *)(s->L + t * s->stride);
        const vector *f = (const vector *)(s->forward + t * s->stride);
        vector *e = (vector *)(s->weight + t * s->stride), *to = (vector *)(s->r + t * s->stride);
        double inverse = 1 / s->scale[t];
        const double *next = s->weight + (t + 1) * s->stride;
        for (size_t v = 0; v < nvectors; v += MOST) {
            vector b[MOST];
            const vector *table = (const vector *)s->back + v;
            size_t width = nvectors - v < MOST ? nvectors - v : MOST;
            if (t + 1 == s->n)
                for (size_t k = 0; k < width; k++)
                    b[k] = 1 + zero;
            else if (width == 1)
                apply_some(b, table, next, s->M, nvectors, 1);
            else if (width == 2)
                apply_some(b, table, next, s->M, nvectors, 2);
            else if (width == 3)
                apply_some(b, table, next, s->M, nvectors, 3);
            else
                apply_some(b, table, next, s->M, nvectors, MOST);
            for (size_t k = 0; k < width; k++) {
                vector r = f[v + k] * b[k];
                scant_i_mask held = (f[v + k] <= SCANT_I_CHAIN_SHARE + zero) |
                                    (e[v + k] <= SCANT_I_CHAIN_WEIGHT + zero);
                doubt = scant_i_larger(scant_i_select(held, r, zero), doubt);
                joint += scant_i_select(r > zero, r * L[v + k], zero);
                total += t == 0 ? r : zero;
                to[v + k] = w * r;
                e[v + k] *= b[k] * inverse;
            }
        }
    }
    *out = (scant_i_chain_found){scant_i_fold_one(joint, scant_i_plus)[0],
                                 scant_i_fold_one(doubt, scant_i_larger)[0],
                                 scant_i_fold_one(total, scant_i_plus)[0]};
}

void SCANT_I_KERNEL(chain_weigh)(const steps *s)
{
    weigh_all(s, s->stride / WIDE);
}

size_t SCANT_I_KERNEL(chain_forward)(const steps *s)
{
    switch (s->stride / WIDE) {
    case 1: return forward_all(s, 1);
    case 2: return forward_all(s, 2);
    case 4: return forward_all(s, 4);
    default: return forward_all(s, s->stride / WIDE);
    }
}

void SCANT_I_KERNEL(chain_backward)(scant_i_chain_found *out, const steps *s, double w)
{
    switch (s->stride / WIDE) {
    case 1: backward_all(out, s, w, 1); break;
    case 2: backward_all(out, s, w, 2); break;
    case 4: backward_all(out, s, w, 4); break;
    default: backward_all(out, s, w, s->stride / WIDE); break;
    }
}
