#include "math/kernels.h"
#include "math/linear.h"

void scant_i_triples(double *S, size_t lds, const double *x, const uint32_t *of, size_t np,
                     const double *y, size_t ny, size_t ld, size_t n, double *room)
{
    const scant_i_triples_operands o = {S, lds, x, of, np, y, ny, ld, n, room};
    scant_i_kernels_now()->triples(&o);
}

void scant_i_triples_single(double *S, size_t lds, const float *x, const uint32_t *of, size_t np,
                            const float *y, size_t ny, size_t ld, size_t n, float *room)
{
    const scant_i_triples_operands_single o = {S, lds, x, of, np, y, ny, ld, n, room};
    scant_i_kernels_now()->triples_single(&o);
}
