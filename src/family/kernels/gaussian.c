#include <string.h>

#include "family/gaussian.h"
#include "family/kernels/kernel.h"

void SCANT_I_KERNEL(make_squares)(double *square, const double *z, size_t ld, size_t nrows,
                                  size_t d, scant_i_shape shape)
{
    if (shape == SCANT_I_SPHERICAL)
        memset(square, 0, nrows * sizeof *square);
    for (size_t a = 0; a < d; a++) {
        const double *za = z + a * ld;
        size_t last = shape == SCANT_I_FULL ? d : a + 1;
        for (size_t b = a; b < last; b++) {
            const double *zb = z + b * ld;
            if (shape == SCANT_I_SPHERICAL) {
                for (size_t i = 0; i < nrows; i++)
                    square[i] += za[i] * zb[i];
            } else {
                for (size_t i = 0; i < nrows; i++)
                    square[i] = za[i] * zb[i];
                square += ld;
            }
        }
    }
}

void SCANT_I_KERNEL(shift)(double *y, const double *z, size_t ld, size_t nrows, size_t d,
                           const double *m)
{
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < nrows; i++)
            y[c * ld + i] = z[c * ld + i] - m[c];
}

void SCANT_I_KERNEL(whiten)(double *y, size_t ld, size_t nrows, size_t n, const double *lower,
                            double *square)
{
    memset(square, 0, nrows * sizeof *square);
    for (size_t a = 0; a < n; a++) {
        double *ya = y + a * ld;
        for (size_t b = 0; b < a; b++) {
            double l = lower[a * n + b];
            const double *yb = y + b * ld;
            for (size_t i = 0; i < nrows; i++)
                ya[i] -= l * yb[i];
        }
        double inverse = 1 / lower[a * n + a];
        for (size_t i = 0; i < nrows; i++) {
            ya[i] *= inverse;
            square[i] += ya[i] * ya[i];
        }
    }
}
