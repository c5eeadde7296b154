/* Factors: x[i,j,k,...] = sum over q of A_1[i,q] A_2[j,q] A_3[k,q] ... */
#ifndef SCANT_I_KRUSKAL_H
#define SCANT_I_KRUSKAL_H

#include "base/base.h"

typedef struct scant_i_kruskal {
    size_t order, rank;
    size_t lanes;  /* row stride: rank rounded up to eight, zeros in between */
    size_t *size;  /* order */
    double **mode; /* order: size[m] x lanes */
} scant_i_kruskal;

scant_status scant_i_kruskal_new(scant_i_kruskal **out, size_t order, const size_t *size,
                                 size_t rank); /* all zero */
void scant_i_kruskal_free(scant_i_kruskal *factors);
/* Factors of the same shape. */
void scant_i_kruskal_copy(scant_i_kruskal *to, const scant_i_kruskal *from);

/* Rows first .. first + n - 1 of the products of all rows of the modes lo .. hi - 1, last index
 * fastest (a part of their Khatri-Rao product), n x lanes. Rows of one mode are borrowed, others are
 * made in `scratch`; no mode at all makes one row of ones. */
const double *scant_i_kruskal_rows(const scant_i_kruskal *factors, size_t lo, size_t hi,
                                   size_t first, size_t n, double *scratch);
size_t scant_i_kruskal_count(const scant_i_kruskal *factors, size_t lo, size_t hi);

/* gram (rank x lanes) = A_m' A_m; always added in the same order. */
void scant_i_kruskal_gram(double *gram, const scant_i_kruskal *factors, size_t m);
/* product (rank x lanes) of the modes' Gram matrices gram[0..order-1], without `except` (order:
 * with all) */
void scant_i_kruskal_grams(double *product, const scant_i_kruskal *factors, double *const *gram,
                           size_t except);
/* The sum of squares of all cells that the factors make. */
scant_status scant_i_kruskal_squares(double *squares, const scant_i_kruskal *factors);
/* Columns of length 1; weight[q] (rank) is the product of their lengths, 0 for a component that
 * vanished. Components are put in the order of falling weight. */
void scant_i_kruskal_normalise(double *weight, scant_i_kruskal *factors);
/* match[q] of a's components is the partner of b's component q, taken greedily by congruence, the
 * product over modes of the columns' cosines, which goes to congruence[q]. */
scant_status scant_i_kruskal_match(size_t *match, double *congruence, const scant_i_kruskal *a,
                                   const scant_i_kruskal *b);

#endif
