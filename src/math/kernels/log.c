/* log of many numbers, by the C library's vector functions, which are called by the names of their interface: the compiler's
 * own way to them is closed to clang. Where there are none, one number after the other. */
#include <math.h>

#include "math/kernels/kernel.h"

#if defined(__x86_64__) && defined(__GLIBC__)
#if SCANT_I_WIDTH == 8
#define VECTOR_LOG _ZGVeN8v_log
#elif SCANT_I_WIDTH == 4
#define VECTOR_LOG _ZGVdN4v_log
#else
#define VECTOR_LOG _ZGVbN2v_log
#endif
scant_i_vector VECTOR_LOG(scant_i_vector);
#else
SCANT_I_INLINE scant_i_vector VECTOR_LOG(scant_i_vector x)
{
    SCANT_I_UNROLL for (size_t k = 0; k < SCANT_I_WIDTH; k++) x[k] = log(x[k]);
    return x;
}
#endif

void SCANT_I_KERNEL(log)(double *y, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i += SCANT_I_WIDTH)
        *(scant_i_unaligned *)(y + i) = VECTOR_LOG(*(const scant_i_unaligned *)(x + i));
}
