/* A tensor laid out for factorization: the product of its unfolding with all factors but one
 *
 *   M[i,q] = sum over j, k, ... of x[i,j,k,...] A_2[j,q] A_3[k,q] ...     (for the first mode)
 *
 * is all that alternating least squares wants of it. Two layouts, dense and sparse, one interface.
 * Khatri-Rao products of factors are never formed beyond a block of them. */
#ifndef SCANT_I_LAYOUT_H
#define SCANT_I_LAYOUT_H

#include "data/tensor.h"
#include "tensor/kruskal.h"

typedef struct scant_i_layout scant_i_layout;

typedef struct scant_i_layout_kind {
    scant_status (*multiply)(double *M, scant_i_layout *layout, const scant_i_kruskal *factors,
                             size_t mode, size_t threads);
    void (*touch)(scant_i_layout *layout, size_t mode);
    void (*free)(scant_i_layout *layout);
} scant_i_layout_kind;

struct scant_i_layout {
    const scant_i_layout_kind *kind;
    double squares; /* sum of x^2 */
};

/* `lanes` of the factors it will meet. A dense tensor is borrowed, and read twice a round of all modes
 * whatever their number. A sparse one is copied into compressed fibres. */
scant_status scant_i_layout_dense(scant_i_layout **out, const scant_i_tensor *tensor, size_t lanes);
scant_status scant_i_layout_sparse(scant_i_layout **out, const scant_i_tensor *tensor,
                                   size_t lanes);

/* M is size[mode] x lanes. The same bytes for any number of threads. */
static inline scant_status scant_i_layout_multiply(double *M, scant_i_layout *layout,
                                                   const scant_i_kruskal *factors, size_t mode,
                                                   size_t threads)
{
    return layout->kind->multiply(M, layout, factors, mode, threads);
}
/* The factor of this mode has changed since it was last used. */
static inline void scant_i_layout_touch(scant_i_layout *layout, size_t mode)
{
    layout->kind->touch(layout, mode);
}
static inline void scant_i_layout_free(scant_i_layout *layout)
{
    if (layout)
        layout->kind->free(layout);
}

#endif
