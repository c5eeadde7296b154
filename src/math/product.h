/* The product of a pass, for a width of vectors each: out[r][j] += sum_t a(r, t) b[t][j], r < nr (product.c). */
#ifndef SCANT_I_PRODUCT_H
#define SCANT_I_PRODUCT_H

#include "base/base.h"

typedef struct scant_i_operands {
    double *out;       /* row stride lanes */
    const double *row; /* lanes: what all rows of `out` begin as; NULL: they are what they are */
    const double *a;
    size_t sr, st;
    const double *b; /* row stride lanes */
    size_t nt;
    size_t lanes;
    /* What is read after this product; NULL: that is in the cache. It has as many rows as `out`, of `width` numbers;
     * width 0: it is the next `a`. */
    const double *next;
    size_t width;
} scant_i_operands;

void scant_i_product_by_8(const scant_i_operands *o, size_t nr);
void scant_i_product_by_4(const scant_i_operands *o, size_t nr);

#endif
