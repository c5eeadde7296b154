/* A column of a kernel matrix: products of all rows with one, and the exponential of their distances. */
#include "med/kernels/kernel.h"

enum { SIDE = 8 / SCANT_I_WIDTH < 4 ? 4 : 8 / SCANT_I_WIDTH }; /* sums side by side */

void SCANT_I_KERNEL(gram_dots)(double *out, const double *columns, size_t ld, size_t d,
                               const double *z)
{
    size_t s = 0;
    for (; s + SIDE * SCANT_I_WIDTH <= ld; s += SIDE * SCANT_I_WIDTH) {
        scant_i_vector sum[SIDE];
        SCANT_I_UNROLL for (size_t k = 0; k < SIDE; k++) sum[k] = (scant_i_vector){0};
        for (size_t i = 0; i < d; i++) {
            const scant_i_vector *x = (const scant_i_vector *)(columns + i * ld + s);
            SCANT_I_UNROLL for (size_t k = 0; k < SIDE; k++) sum[k] += x[k] * z[i];
        }
        SCANT_I_UNROLL for (size_t k = 0; k < SIDE; k++)((scant_i_vector *)(out + s))[k] = sum[k];
    }
    for (; s < ld; s += SCANT_I_WIDTH) {
        scant_i_vector sum = {0};
        for (size_t i = 0; i < d; i++)
            sum += *(const scant_i_vector *)(columns + i * ld + s) * z[i];
        *(scant_i_vector *)(out + s) = sum;
    }
}

/* Past 700 the exponential is below 1e-304, as good as 0. */
void SCANT_I_KERNEL(gram_rbf)(double *out, const double *square, double own, double gamma,
                              size_t ld)
{
    const double FARTHEST = 700;
    const scant_i_vector none = {0};
    for (size_t s = 0; s < ld; s += SCANT_I_WIDTH) {
        scant_i_vector x =
            *(const scant_i_vector *)(square + s) + own - 2 * *(const scant_i_vector *)(out + s);
        x = gamma * scant_i_larger(x, none);
        scant_i_mask far = x > FARTHEST;
        x = scant_i_exp(-scant_i_select(far, none, x));
        *(scant_i_vector *)(out + s) = scant_i_select(far, none, x);
    }
}
