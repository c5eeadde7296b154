/* The distinct products of two features.
 *
 * Many coincide: with phi = (1, z, z^2) of a diagonal Gaussian, 1 z_a^2 is z_a z_a, and of a full
 * one in d columns the products are the monomials of degree 4 at most, C(d + 4, 4) of them in place
 * of m (m + 1) / 2 pairs: 495 for 1035 with d = 8. */
#ifndef SCANT_I_PRODUCTS_H
#define SCANT_I_PRODUCTS_H

#include "latent/mixture.h"

typedef struct scant_i_products {
    size_t m;        /* features of all factors together */
    size_t n;        /* distinct products */
    uint32_t *of;    /* n x 2: features of whom each is the product */
    uint32_t *place; /* m x m: which product phi_a phi_b is */
} scant_i_products;

scant_status scant_i_products_new(scant_i_products *out, const scant_i_mixture *mixture);
void scant_i_products_clear(scant_i_products *products);

/* Which product phi_a phi_b is. */
static inline size_t scant_i_products_at(const scant_i_products *products, size_t a, size_t b)
{
    return products->place[a * products->m + b];
}

#endif
