/* Products of rows of factors, and sums of them. */
#include "math/vector.h"
#include "tensor/kernels/kernel.h"

/* `vectors`, of four doubles, is a constant at every call: the sums stay in registers, eight at most. There are SCANT_I_AHEAD indices
 * more than n. */
SCANT_I_INLINE void gather_vectors(double *out, const double *A, size_t lanes,
                                   const uint32_t *index, const double *value, size_t n,
                                   const size_t vectors)
{
    scant_i_vector4 sum[8] = {{0}};
    for (size_t e = 0; e < n; e++) {
        const scant_i_vector4 *row = (const scant_i_vector4 *)(A + index[e] * lanes);
        const scant_i_vector4 *later =
            (const scant_i_vector4 *)(A + index[e + SCANT_I_AHEAD] * lanes);
        for (size_t v = 0; v < vectors; v++) {
            if (v % 2 == 0) /* a line */
                __builtin_prefetch(later + v);
            sum[v] += value[e] * row[v];
        }
    }
    for (size_t v = 0; v < vectors; v++)
        *((scant_i_vector4 *)out + v) = sum[v];
}

/* out = sum over entries of value * A[index] */
void SCANT_I_KERNEL(gather)(double *out, const double *A, size_t lanes, const uint32_t *index,
                            const double *value, size_t n)
{
    for (size_t q = 0; q < lanes; q += 32) {
        switch (scant_i_min(4, (lanes - q) / 8)) {
        case 1: gather_vectors(out + q, A + q, lanes, index, value, n, 2); break;
        case 2: gather_vectors(out + q, A + q, lanes, index, value, n, 4); break;
        case 3: gather_vectors(out + q, A + q, lanes, index, value, n, 6); break;
        default: gather_vectors(out + q, A + q, lanes, index, value, n, 8); break;
        }
    }
}

void SCANT_I_KERNEL(multiply)(double *out, const double *a, const double *b, size_t lanes)
{
    for (size_t q = 0; q < lanes; q += 8)
        *(scant_i_vector8 *)(out + q) =
            *(const scant_i_vector8 *)(a + q) * *(const scant_i_vector8 *)(b + q);
}

void SCANT_I_KERNEL(multiply_add)(double *out, const double *a, const double *b, size_t lanes)
{
    for (size_t q = 0; q < lanes; q += 8)
        *(scant_i_vector8 *)(out + q) +=
            *(const scant_i_vector8 *)(a + q) * *(const scant_i_vector8 *)(b + q);
}

/* out[t] = prefix * rows[t], element by element; the last row of `out` may hold the prefix */
void SCANT_I_KERNEL(multiply_rows)(double *out, const double *prefix, const double *rows, size_t n,
                                   size_t lanes)
{
    for (size_t t = 0; t < n * lanes; t += lanes)
        for (size_t q = 0; q < lanes; q += SCANT_I_EIGHT)
            *(scant_i_vector8 *)(out + t + q) =
                *(const scant_i_vector8 *)(prefix + q) * *(const scant_i_vector8 *)(rows + t + q);
}

void SCANT_I_KERNEL(go_ahead)(double *to, const double *a, const double *b, double beta, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        double ahead = a[t] + beta * (a[t] - b[t]);
        to[t] = ahead > 0 ? ahead : 0;
    }
}
