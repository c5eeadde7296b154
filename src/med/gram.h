/* Kernels: K(x, z) of encoded rows, and their matrix column by column behind a cache. */
#ifndef SCANT_I_MED_GRAM_H
#define SCANT_I_MED_GRAM_H

#include "med/table.h"

typedef enum scant_i_med_kernel_type {
    SCANT_I_MED_LINEAR,
    SCANT_I_MED_POLYNOMIAL, /* (gamma x'z + offset)^degree */
    SCANT_I_MED_RBF,        /* exp(-gamma |x - z|^2) */
    SCANT_I_MED_PRECOMPUTED /* column t of the rows is K(., row t) */
} scant_i_med_kernel_type;

typedef struct scant_i_med_kernel {
    scant_i_med_kernel_type type;
    double gamma, offset;
    size_t degree;
} scant_i_med_kernel;

/* Rows ready for products with others: transposed and padded where dense. */
typedef struct scant_i_med_basis {
    size_t n, d, ld;  /* ld: n rounded up to a multiple of eight */
    double *columns;  /* d x ld, or NULL: sparse */
    scant_i_csr rows; /* borrowed; start NULL: dense */
    double *square;   /* ld: x'x */
} scant_i_med_basis;
/* `x` row-major n x d, or NULL: `sparse`, which is borrowed. */
scant_status scant_i_med_basis_new(scant_i_med_basis *out, const double *x,
                                   const scant_i_csr *sparse, size_t n, size_t d);
void scant_i_med_basis_clear(scant_i_med_basis *basis);
/* K of all rows of the basis with one row z (d numbers, dense) into out (ld numbers). */
void scant_i_med_kernel_column(double *out, const scant_i_med_kernel *kernel,
                               const scant_i_med_basis *basis, const double *z);
/* K of row t of a table with itself; kernel NULL: its square. */
double scant_i_med_square(const scant_i_med_table *table, size_t t,
                          const scant_i_med_kernel *kernel);
double scant_i_med_kernel_diagonal(const scant_i_med_kernel *kernel, double square);

/* Columns of v K, or of what is made of them. Two columns that were asked for last are there. */
struct scant_i_med_gram {
    size_t n;
    const double *diagonal;                                                       /* n */
    scant_status (*column)(const double **out, scant_i_med_gram *gram, size_t t); /* or NULL */
    /* f += delta (column t) */
    scant_status (*add)(double *f, scant_i_med_gram *gram, size_t t, double delta);
};

/* Rows as `features` (whose variance counts, and rho 1 is wanted), columns in a cache of so many bytes. A precomputed
 * kernel's features are its matrix, n x n: SCANT_ERR_INPUT where it is not symmetric or has a negative diagonal. */
scant_status scant_i_med_gram_space(scant_i_med_space *out, const scant_i_med_features *features,
                                    const scant_i_med_kernel *kernel, size_t bytes);
/* SCANT_ERR_INPUT where a matrix is not symmetric and positive semidefinite, up to rounding. O(n^3 / 3). */
scant_status scant_i_med_check_positive(const double *k, size_t n);

#endif
