/* Rows as points, for starts: numbers in standard units, one coordinate a level for categories,
 * sparse rows scaled to length one. Missing coordinates are left out of distances. */
#ifndef SCANT_I_EMBEDDING_H
#define SCANT_I_EMBEDDING_H

#include "latent/mixture.h"
#include "latent/sample.h"

typedef struct scant_i_embedding {
    bool sparse;
    size_t ndim;
    size_t *column;   /* ndim: column of the coordinate (dense) */
    double *level;    /* ndim: -1 for a number, else the level whose indicator it is */
    double *centre;   /* ndim */
    double *inverse;  /* ndim: 1 / scale */
    bool plain;       /* the columns as they come, all numbers */
    double *whitener; /* ndim x ndim lower factor to divide by, or NULL */
} scant_i_embedding;

/* Of rows with so many columns. */
scant_status scant_i_embedding_new(scant_i_embedding *out, bool sparse, size_t ncolumns,
                                   const scant_i_mixture *mixture);
void scant_i_embedding_clear(scant_i_embedding *embedding);
/* Whitens by the covariance of the sampled rows; left undone where there are too many coordinates.
 */
scant_status scant_i_embedding_whiten(scant_i_embedding *embedding, const scant_i_sample *sample);

/* square[j] = squared distance of the batch's i-th row to centre j; centres are M x ndim. `point` has
 * ndim doubles. */
void scant_i_embedding_distances(const scant_i_embedding *embedding, const scant_i_batch *batch,
                                 size_t i, const double *centres, size_t M, double *square,
                                 double *point);
/* Scalar product with a direction; missing coordinates count as 0. Dense rows only. */
double scant_i_embedding_project(const scant_i_embedding *embedding, const scant_i_batch *batch,
                                 size_t i, const double *direction, double *point);
/* sum += w * row, count[c] += w on the coordinates it has */
void scant_i_embedding_add(const scant_i_embedding *embedding, const scant_i_batch *batch, size_t i,
                           double w, double *sum, double *count, double *point);

#endif
