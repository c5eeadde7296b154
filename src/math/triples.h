/* Sums of products of three, for a number and a width of vectors each (triples_walk.h). */
#ifndef SCANT_I_TRIPLES_H
#define SCANT_I_TRIPLES_H

#include "math/linear.h"

#define SCANT_I_TRIPLES(name, number)                                                              \
    typedef struct name {                                                                          \
        double *S;                                                                                 \
        size_t lds;                                                                                \
        const number *x;                                                                           \
        const uint32_t *of;                                                                        \
        size_t np;                                                                                 \
        const number *y;                                                                           \
        size_t ny;                                                                                 \
        size_t ld, n; /* of x, y and room */                                                       \
        number *room; /* SCANT_I_TRIPLES_ROOM x ld */                                              \
    } name
SCANT_I_TRIPLES(scant_i_triples_operands, double);
SCANT_I_TRIPLES(scant_i_triples_operands_single, float);

void scant_i_triples_by_8(const scant_i_triples_operands *o);
void scant_i_triples_by_4(const scant_i_triples_operands *o);
void scant_i_triples_single_by_16(const scant_i_triples_operands_single *o);
void scant_i_triples_single_by_8(const scant_i_triples_operands_single *o);

#endif
