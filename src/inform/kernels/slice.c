/* The loops of inform/slice.c over the rows of a slice. */
#include "inform/kernels/kernel.h"
#include "math/vector.h"

/* n numbers of each row in single precision, to the end of the last vector; those below `least` as 0 */
void SCANT_I_KERNEL(shorten)(float *to, const double *from, size_t ld, size_t n, size_t height,
                             double least)
{
    for (size_t a = 0; a < height; a++, to += ld, from += ld)
        for (size_t i = 0; i < n; i += SCANT_I_EIGHT) {
            scant_i_vector8 x = *(const scant_i_vector8 *)(from + i);
            x = (scant_i_vector8)((scant_i_mask8)x & ~(x < least));
            *(scant_i_single8 *)(to + i) = __builtin_convertvector(x, scant_i_single8);
        }
}

/* both = r_j w r_l of `count` pairs, to the end of the last vector */
void SCANT_I_KERNEL(pair_up)(double *both, const double *share, const double *weighed, size_t ld,
                             size_t n, const uint32_t *pair, size_t count)
{
    for (size_t p = 0; p < count; p++, both += ld) {
        const double *r = share + pair[2 * p] * ld, *wr = weighed + pair[2 * p + 1] * ld;
        for (size_t i = 0; i < n; i += SCANT_I_EIGHT)
            *(scant_i_vector8 *)(both + i) =
                *(const scant_i_vector8 *)(r + i) * *(const scant_i_vector8 *)(wr + i);
    }
}

void SCANT_I_KERNEL(pair_up_single)(float *both, const float *share, const float *weighed,
                                    size_t ld, size_t n, const uint32_t *pair, size_t count)
{
    for (size_t p = 0; p < count; p++, both += ld) {
        const float *r = share + pair[2 * p] * ld, *wr = weighed + pair[2 * p + 1] * ld;
        for (size_t i = 0; i < n; i += 2 * SCANT_I_EIGHT)
            *(scant_i_single16 *)(both + i) =
                *(const scant_i_single16 *)(r + i) * *(const scant_i_single16 *)(wr + i);
    }
}

void SCANT_I_KERNEL(tilt_row)(double *tilt, double *mu, size_t ld, double *wmu, const double *U,
                              const double *wr, size_t nq, size_t stride)
{
    double w = 0;
    for (size_t j = 0; j < stride; j++)
        w += wr[j];
    double inverse = w > 0 ? 1 / w : 0;
    for (size_t q = 0; q < nq; q++, tilt += stride) {
        double sum = 0;
        for (size_t j = 0; j < stride; j++)
            sum += wr[j] * U[q * stride + j];
        mu[q * ld] = sum * inverse;
        wmu[q] = sum;
        for (size_t j = 0; j < stride; j++)
            tilt[j] = wr[j] * (U[q * stride + j] - sum * inverse);
    }
}
