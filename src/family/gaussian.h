/* Gaussian components from the inside; see gaussian.c for the mathematics. */
#ifndef SCANT_I_GAUSSIAN_H
#define SCANT_I_GAUSSIAN_H

#include "family/family.h"

/* A covariance is a shape, of each component's own or tied over all. */
typedef enum scant_i_shape { SCANT_I_FULL, SCANT_I_DIAGONAL, SCANT_I_SPHERICAL } scant_i_shape;

scant_i_shape scant_i_gaussian_shape(const scant_i_factor *factor);
bool scant_i_gaussian_tied(const scant_i_factor *factor);

/* Features of a row in standard units z: 1, z, and the squares that the shape needs. */
static inline size_t scant_i_gaussian_squares(scant_i_shape shape, size_t d)
{
    return shape == SCANT_I_FULL ? d * (d + 1) / 2 : shape == SCANT_I_DIAGONAL ? d : 1;
}
static inline size_t scant_i_gaussian_features(scant_i_shape shape, size_t d)
{
    return 1 + d + scant_i_gaussian_squares(shape, d);
}

/* theta: means M x d, then covariances: (M or 1) x covariance_size */
static inline size_t scant_i_gaussian_covariance_size(scant_i_shape shape, size_t d)
{
    return shape == SCANT_I_FULL ? d * d : shape == SCANT_I_DIAGONAL ? d : 1;
}
static inline double *scant_i_gaussian_mean(const scant_i_factor *factor, size_t j)
{
    return factor->theta + j * factor->ncolumns;
}
static inline double *scant_i_gaussian_covariance(const scant_i_factor *factor, size_t j)
{
    size_t d = factor->ncolumns;
    size_t size = scant_i_gaussian_covariance_size(scant_i_gaussian_shape(factor), d);
    return factor->theta + factor->ncomponents * d + (scant_i_gaussian_tied(factor) ? 0 : j * size);
}
/* The covariance of component j written out as a d x d matrix, in the data's units. */
void scant_i_gaussian_full(const scant_i_factor *factor, size_t j, double *covariance);

/* What a pass needs, in standard units z = (x - centre) / scale. */
typedef struct scant_i_gaussian_tables {
    double *C;      /* features x stride: log density as a product with the features */
    uint8_t *exact; /* M: the product would lose digits; go through the factor below */
    size_t nexact;
    double *mean;       /* M x d */
    double *covariance; /* full: M x d x d; else M x d variances */
    double *lower;      /* full: M x d x d Cholesky factors; else M x d standard deviations */
    double *constant;   /* M: log density at the mean */
    double *absent;     /* not full: d x stride, what column c adds to C's constant */
    double *unit;       /* d: z = (x - centre) / unit */
} scant_i_gaussian_tables;

/* Rows of a block in standard units, column after column: z[c * ld + i]; absent cells are 0. */
size_t scant_i_gaussian_ld(size_t nrows);
void scant_i_gaussian_standardise(const scant_i_factor *factor, const scant_i_block *block,
                                  double *z, size_t ld);

/* Features of a block: 1, z, squares (features x ld). */
void scant_i_gaussian_fill(const scant_i_factor *factor, const scant_i_block *block, double *phi,
                           size_t ld);

scant_status scant_i_gaussian_prepare(scant_i_factor *factor);
void scant_i_gaussian_release(scant_i_factor *factor);
size_t scant_i_gaussian_scratch(const scant_i_factor *factor, size_t nrows, bool missing);
scant_status scant_i_gaussian_log_density(const scant_i_factor *factor, const scant_i_block *block,
                                          double *L, void *scratch);
size_t scant_i_gaussian_nstatistics(const scant_i_factor *factor);
scant_status scant_i_gaussian_accumulate(const scant_i_factor *factor, const scant_i_block *block,
                                         const double *R, double *statistics, void *scratch);
scant_status scant_i_gaussian_anchor(const scant_i_factor *factor, const double *w,
                                     double *statistics);
scant_status scant_i_gaussian_maximise(scant_i_factor *factor, const double *statistics);
scant_status scant_i_gaussian_within(const scant_i_factor *factor);

/* The prior of covariances (gaussian_prior.c). Shrinks one in standard units, of components that have these
 * weights: d by columns, and in all. */
void scant_i_gaussian_shrink(const scant_i_factor *factor, const double *weight, double total,
                             double *covariance);
double scant_i_gaussian_log_prior(const scant_i_factor *factor);
/* Entry i of what it shrinks to, laid out as covariances are. */
double scant_i_gaussian_target(const scant_i_factor *factor, scant_i_shape shape, size_t i);

/* Units of the columns: the factor's scale, or one common unit for spherical shapes. */
double scant_i_gaussian_unit(const scant_i_factor *factor, scant_i_shape shape, size_t c);
void scant_i_gaussian_units(const scant_i_factor *factor, double *units);

/* Statistics are features x stride (about z = 0, or about the component's own mean where it is
 * exact), and after them, for diagonal and spherical shapes, d x stride: weight of the rows that
 * have the column. Blocks with a pattern count there only, others in the first feature only. */

/* R, or `copy` (nrows x stride): R without the components that are accumulated about their own means */
const double *scant_i_gaussian_without_exact(const scant_i_factor *factor,
                                             const scant_i_block *block, const double *R,
                                             double *copy);

/* Full covariances with missing cells (gaussian_missing.c). phi holds the features, with 0 where cells
 * are missing; `room` has (d + 2) x ld, then nrows x stride. `pattern` holds the regressions of the
 * block's pattern and is remade when the pattern changes. */
size_t scant_i_gaussian_pattern_size(const scant_i_factor *factor); /* doubles */
scant_status scant_i_gaussian_missing_density(const scant_i_factor *factor,
                                              const scant_i_block *block, const double *phi,
                                              size_t ld, double *L, double *room, double *pattern);
scant_status scant_i_gaussian_missing_accumulate(const scant_i_factor *factor,
                                                 const scant_i_block *block, const double *phi,
                                                 size_t ld, const double *R, double *statistics,
                                                 double *room, double *pattern);

/* Adds the statistics of component j, about whatever y is centred on: sums, and products of the
 * features' shape; w[i] are weights, `room` nrows long. */
void scant_i_gaussian_add_moments(const scant_i_factor *factor, size_t j, const double *y,
                                  size_t ld, size_t nrows, const double *w, double *statistics,
                                  double *room);

/* Exponential form (gaussian_natural.c). */
size_t scant_i_gaussian_nnatural(const scant_i_factor *factor);
scant_status scant_i_gaussian_natural(const scant_i_factor *factor, size_t component, double *eta);
void scant_i_gaussian_sufficient(const scant_i_factor *factor, const double *x, double *T);
scant_status scant_i_gaussian_cumulant(const scant_i_factor *factor, const double *eta,
                                       const double *x, double *K, double *K1, double *K2);
scant_status scant_i_gaussian_from_natural(scant_i_factor *factor, size_t component,
                                           const double *eta);
size_t scant_i_gaussian_nshared(const scant_i_factor *factor);
size_t scant_i_gaussian_nfixed(const scant_i_factor *factor);
/* E[T] and Cov[T] of z ~ N(m, S) (d x d), the latter averaged over m: of m it takes the mean, and
 * `product` (d x d), the mean of m m'. */
void scant_i_gaussian_expected(scant_i_shape shape, size_t d, const double *S, const double *m,
                               double *T);
void scant_i_gaussian_spread(scant_i_shape shape, size_t d, const double *S, const double *m,
                             const double *product, double *covariance);

/* Scores and information (gaussian_score.c). */
void scant_i_gaussian_theta_standardise(scant_i_factor *factor, bool to);
size_t scant_i_gaussian_nfeatures(const scant_i_factor *factor);
void scant_i_gaussian_monomial(const scant_i_factor *factor, size_t feature,
                               size_t column[SCANT_I_MONOMIAL]);
void scant_i_gaussian_features_of(const scant_i_factor *factor, const scant_i_block *block,
                                  double *phi, size_t ld, double *room);
scant_status scant_i_gaussian_score(const scant_i_factor *factor, size_t component,
                                    const uint8_t *present, double *A);
scant_status scant_i_gaussian_information(const scant_i_factor *factor, size_t component,
                                          const uint8_t *present, const double *S, double *complete,
                                          double *missing);

/* Distances of rows (gaussian_reach.c). */
extern const scant_i_family_reach scant_i_gaussian_reach;
/* Coordinates (gaussian_coordinates.c). */
extern const scant_i_family_coordinates scant_i_gaussian_coordinates;

#endif
