/* Moments of the rows' scores, from which complete and missing information follow.
 *
 * Over a row's posterior the score of component j, given its evidence e, is s_j = U_e[j] + A_j phi:
 * the coupling's part, averaged over the classes that e leaves to j, and the component's own,
 * linear in the row's features (family.h). With weights w and responsibilities r a pass sums up
 *
 *   G[jl]    = sum w r_j r_l phi phi'           j < l
 *   S[j]     = sum w r_j phi
 *   Y[e][jl] = sum w r_j r_l phi                j < l, over the rows of entry e
 *   c[e][jl] = sum w r_j r_l
 * because  Cov(s) = sum_{j<l} r_j r_l (s_j - s_l)(s_j - s_l)',  in which nothing is lost by
 * cancellation and which is 0 where one component is certain. Where entries are too many for a
 * table each, their rows add to
 *   X[qj] = sum w r_j (U[q][j] - mu_q) phi      mu = sum_j r_j U[j]
 *   H     = sum w mu mu'
 * which is what Y and c come to in the end. A_j depends on the columns that are present: moments of
 * whole rows are folded into matrices at the end, those of others with their block.
 *
 * Cost of a row: p M^2 / 2 multiplications, p distinct products of two features (products.h) and M
 * components; m M q more, m features and q coordinates of the coupling, where its entry has no
 * table. */
#ifndef SCANT_I_MOMENTS_H
#define SCANT_I_MOMENTS_H

#include "inform/chart.h"
#include "inform/products.h"
#include "latent/posterior.h"

enum { SCANT_I_SINGLE_LANES = 16 }; /* numbers of single precision in a vector */

/* What all rows share. */
typedef struct scant_i_moments {
    const scant_i_chart *chart;
    scant_i_mixture *mixture;  /* prepared */
    scant_i_mixture *standard; /* the same with theta in standard units */
    scant_i_posterior posterior;
    size_t M, stride, K;
    size_t q;       /* coordinates of the coupling */
    size_t m;       /* features of all factors together */
    size_t npairs;  /* pairs of components, of which 0 and 1 come first, 0 and 2 next */
    size_t lanes;   /* the same, rounded up */
    size_t natural; /* entries of eta of all factors together */
    size_t slice;   /* rows at a time */
    size_t run;     /* rows of an entry at a time */
    bool single;    /* what G is a sum of is in single precision */
    size_t room;    /* doubles that families want for features */
    size_t size;    /* doubles of G, S, X, Y; 0 before scant_i_moments_lay_out */
    size_t hlanes;  /* q rounded up: H is q x hlanes */
    size_t shared;  /* doubles of H and c */
    double *slope;  /* 2 x K x M x q: u of the likelihood kind and the prior kind */
    size_t ntabled; /* entries of evidence that have U, Y and c of their own */
    bool plain;  /* one tabled entry for all, the first feature is 1: G begins with its Y and c */
    double *U;   /* ntabled x q x stride */
    bool tilted; /* there are other entries */
    uint32_t *pair;            /* npairs x 2: j < l */
    scant_i_products products; /* of features: G has a row each */
} scant_i_moments;

/* Which pair of components j < l is. */
static inline size_t scant_i_moments_pair(const scant_i_moments *t, size_t j, size_t l)
{
    return j * (2 * t->M - j - 1) / 2 + l - j - 1;
}

/* The mixture is copied; chart and evidence are borrowed. */
scant_status scant_i_moments_new(scant_i_moments *out, const scant_i_chart *chart,
                                 const scant_i_mixture *mixture, const scant_i_evidence *evidence,
                                 bool single);
void scant_i_moments_clear(scant_i_moments *moments);
/* Before sums are made: what they consist of. */
scant_status scant_i_moments_lay_out(scant_i_moments *t);
/* u_jk of the likelihood kind, or of the prior kind, in which proportions do not occur. */
static inline const double *scant_i_moments_slope(const scant_i_moments *t, bool prior, size_t k,
                                                  size_t j)
{
    return t->slope + (((prior ? t->K : 0) + k) * t->M + j) * t->q;
}

/* U of an entry: tabled, or made in `room` (q x stride). */
const double *scant_i_moments_U(const scant_i_moments *t, size_t entry, double *room);
/* phi (m x ld) of a block, all factors' one after the other; `room` has t->room doubles. */
void scant_i_moments_features(const scant_i_moments *t, const scant_i_block *block, double *phi,
                              size_t ld, double *room);
/* A (M x natural x m) for rows that have the columns `present`, and where the entries of eta are in
 * the chart (M x natural). */
scant_status scant_i_moments_maps(const scant_i_moments *t, const uint8_t *present, double *A,
                                  size_t *at);
/* sums (G, S, X, Y) and shared (H, c; no c where it is plain) += those of a block whose table L holds w r_ij. */
scant_status scant_i_moments_add(const scant_i_moments *t, const scant_i_block *block,
                                 const double *L, double *sums, double *shared);
/* H (q x hlanes) of all rows, from `shared` and the coupling's statistics (posterior.h). */
void scant_i_moments_coupling(const scant_i_moments *t, const double *shared,
                              const double *statistics, double *H);
/* complete and missing (n x n) += what the sums say of rows that have the columns `present`; the
 * coupling's own block is left out. A plain c goes to `shared`. */
scant_status scant_i_moments_fold(const scant_i_moments *t, const double *sums,
                                  const uint8_t *present, double *shared, double *complete,
                                  double *missing);
#endif
