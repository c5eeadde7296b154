#include "math/triples.h"

#include "math/vector.h"

void scant_i_triples(double *S, size_t lds, const double *x, const uint32_t *of, size_t np,
                     const double *y, size_t ny, size_t ld, size_t n, double *room)
{
    const scant_i_triples_operands o = {S, lds, x, of, np, y, ny, ld, n, room};
    if (SCANT_I_HAS_AVX512)
        scant_i_triples_by_8(&o);
    else
        scant_i_triples_by_4(&o);
}

void scant_i_triples_single(double *S, size_t lds, const float *x, const uint32_t *of, size_t np,
                            const float *y, size_t ny, size_t ld, size_t n, float *room)
{
    const scant_i_triples_operands_single o = {S, lds, x, of, np, y, ny, ld, n, room};
    if (SCANT_I_HAS_AVX512)
        scant_i_triples_single_by_16(&o);
    else
        scant_i_triples_single_by_8(&o);
}
