/* Eight rows of a nonnegative least squares problem side by side, one in each lane of a vector.
 * Row by row these systems are too small for vectors (tens of unknowns) and each row has another
 * set of unknowns that may be positive; across rows the same instructions do for all eight. */
#ifndef SCANT_I_BATCH_H
#define SCANT_I_BATCH_H

#include "math/vector.h"
#include "solve/nnls.h"

enum { SCANT_I_BATCH = 8 };

typedef struct scant_i_batch {
    size_t rank;
    const double *gram;   /* rank x lanes: one matrix for all rows, or NULL and */
    scant_i_vector8 *own; /* rank x rank: a matrix a lane */
    size_t lanes;
    scant_i_vector8 *x, *b, *y; /* rank each: unknowns, right-hand side, gradient G x - b */
    scant_i_vector8 *in;        /* rank: 1 where the unknown is passive (may be positive), else 0 */
    scant_i_vector8 *inverse;   /* rank: 1 / pivot, 0 where the unknown is left out */
    scant_i_vector8 *column;    /* rank: scratch */
    scant_i_vector8 *L;         /* rank (rank + 1) / 2: unit lower factor of the listed unknowns */
    size_t *any;                /* unknowns that are passive in some lane, ascending */
    size_t nany;
    bool apart;     /* the lanes' systems are of their own passive unknowns, else all of `any` */
    uint32_t *list; /* rank x SCANT_I_BATCH: unknowns of the lanes' systems, ascending in each */
    size_t nlist;   /* of the largest system */
    size_t count[SCANT_I_BATCH]; /* of each lane's */
} scant_i_batch;

scant_status scant_i_batch_new(scant_i_batch **out, const scant_i_nnls *problem);
void scant_i_batch_free(scant_i_batch *batch);

/* Lane l of `to` (rank) is row[l] of `from` (row stride `stride`); lanes from n on are zero. */
void scant_i_batch_gather(scant_i_vector8 *to, const double *from, size_t stride, const size_t *row,
                          size_t n, size_t rank);
/* The other way round. */
void scant_i_batch_scatter(double *to, size_t stride, const size_t *row, size_t n,
                           const scant_i_vector8 *from, size_t rank);
/* The positive part of x times `unit` goes to row[l] of `to`, unless that is SIZE_MAX. */
void scant_i_batch_keep(double *to, size_t stride, const size_t *row, size_t n,
                        const scant_i_batch *batch, const scant_i_vector8 *unit);
/* Unknown j is passive in lane l where bit j of its set is 1; set[l] has rank / 64 words, rounded
 * up. Lists the unknowns of the systems to solve: lanes whose sets are alike share one list, those
 * of sparse sets that have little in common get their own. A lane's solution is the same, bit for
 * bit, either way. */
void scant_i_batch_list(scant_i_batch *batch, const uint64_t *const *set, size_t n);
/* Lane l has the matrix of row[l]; for problems with a matrix a row. */
void scant_i_batch_own(scant_i_batch *batch, const scant_i_nnls *problem, const size_t *row,
                       size_t n);

/* L D L' of the listed unknowns' matrix. An unknown that is not passive in a lane, or depends on
 * those before it, to working precision, has the inverse pivot 0 there: then it neither
 * takes a value nor touches the others, so that all lanes share one course of instructions. */
void scant_i_batch_factor(scant_i_batch *batch);
/* x solves the factored system for b; unknowns left out are 0. */
void scant_i_batch_solve(scant_i_batch *batch);
/* y = G x - b, for all unknowns; x may be nonzero where some lane is passive only. */
void scant_i_batch_gradient(scant_i_batch *batch);
/* 1 in lanes with an unknown that breaks its sign, x of passive ones and y of the others, else 0.
 * `*tolerance` is the size below which a lane's signs mean nothing, in a problem whose matrix has a
 * diagonal of ones. */
void scant_i_batch_broken(scant_i_vector8 *broken, scant_i_vector8 *tolerance,
                          const scant_i_batch *batch);
/* List every unknown. */
void scant_i_batch_list_all(scant_i_batch *batch);

#endif
