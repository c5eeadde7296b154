/* The E-step of a block of independent rows, and the M-step of the coupling.
 *
 *   c[k][j] = W[k][j], times R[k][j] where the mixture has one   evidence of the likelihood kind
 *           = pi[k][j] = W[k][j] / P_k                           evidence of the prior kind
 *   a[e][j] = sum_k c[k][j] v[e][k]                              what evidence e leaves of component j
 *   l_i     = log sum_j a[e_i][j] F_ij                           the row's log-likelihood
 *   r_ij    = a[e_i][j] F_ij / exp(l_i)                          responsibility
 *   N[k][j] = sum_i w_i r_ij c[k][j] v[e_i][k] / a[e_i][j]       expected rows of component j, class k
 *
 * Rows with the same evidence share the last factor, so a pass sums A[e][j], the w_i r_ij of the rows of
 * entry e, and N follows when all rows are in. Entries past `ntabled` add to N row by row. So do rows
 * of the posterior kind, with s_k = sum_j pi[k][j] F_ij:
 *   l_i = sum_k v_k log(P_k s_k),   r_ijk = v_k pi[k][j] F_ij / s_k
 *
 * M-step of the coupling; counts of the prior kind do not speak of P:
 *   class-major      pi[k][j] = N[k][j] / sum_j N[k][j]
 *                    P_k = the class's share of the other counts, or fixed
 *   component-major  W[k][j] = A_j B_jk,  A_j = N_j / sum w,  B_jk = E[k][j] / sum_k E[k][j]
 *                    with E from rows whose v tells classes apart (none: B stays)
 * Both have the same stationary points. */
#ifndef SCANT_I_POSTERIOR_H
#define SCANT_I_POSTERIOR_H

#include "latent/mixture.h"

/* What is read of tied rows in a prediction. */
typedef enum scant_i_decoding {
    SCANT_I_SMOOTHED,  /* P(component | the whole sequence) */
    SCANT_I_FILTERED,  /* P(component | the rows up to this one) */
    SCANT_I_BEST_PATH, /* 1 at the likeliest sequence of components */
} scant_i_decoding;

typedef struct scant_i_posterior {
    const scant_i_mixture *mixture;
    const scant_i_evidence *evidence;
    scant_i_decoding decoding;
    double beta;    /* 1, or less while annealing: r_ij is proportional to (a F)^beta */
    size_t ntabled; /* entries whose log a is tabled */
    double *log_a;  /* ntabled x stride; padding -inf */
    double *joint;  /* K x stride: W, times R */
    double *pi;     /* K x stride */
    double *log_pi; /* K x stride */
    double *log_P;  /* K */
    double
        *seen; /* nentries x K: evidence through the mixture's noise; NULL: it is as it is seen */
} scant_i_posterior;

scant_status scant_i_posterior_new(scant_i_posterior *out, const scant_i_mixture *mixture,
                                   const scant_i_evidence *evidence);
void scant_i_posterior_clear(scant_i_posterior *posterior);
/* v of an entry: what it tells of each class. */
const double *scant_i_posterior_informative(const scant_i_posterior *posterior, size_t entry);
/* Remakes the tables from the mixture's W. */
void scant_i_posterior_prepare(scant_i_posterior *posterior);

/* Statistics of the coupling: head, A (ntabled x stride), N of the other rows in three parts, and
 * then what the mixture's structure has of its own. */
typedef struct scant_i_posterior_head {
    double objective; /* sum of w_i l_i */
    double weight;    /* sum of w_i */
    double entropy;   /* -sum_i w_i sum_j r_ij log r_ij */
} scant_i_posterior_head;
/* The same before there is one. */
size_t scant_i_posterior_length(const scant_i_mixture *mixture, const scant_i_evidence *evidence);
size_t scant_i_posterior_nstatistics(const scant_i_posterior *posterior);
scant_i_posterior_head scant_i_posterior_read(const double *statistics);

/* Doubles of room that scant_i_posterior_block needs for a block. */
static inline size_t scant_i_posterior_room(size_t nrows, size_t stride)
{
    return 5 * nrows + 2 * stride;
}
/* L holds log F on entry and w_i r_ij on return. A row without mass is SCANT_ERR_INPUT and named,
 * or, where `loglik` (nrows) is asked for, has responsibilities 0 and log-likelihood -inf. */
scant_status scant_i_posterior_block(const scant_i_posterior *posterior, const scant_i_block *block,
                                     double *L, double *statistics, double *loglik, double *room);

/* Counts N (K x stride) in three parts, one after the other: of rows whose evidence tells classes
 * apart, of rows whose evidence does not, and of rows that bring their own class proportions. */
enum { SCANT_I_INFORMATIVE, SCANT_I_UNINFORMATIVE, SCANT_I_OWN_PRIOR, SCANT_I_COUNTS };
void scant_i_posterior_counts(const scant_i_posterior *posterior, const double *statistics,
                              double *N);
/* For structures: log a of an entry, tabled or made in `room` (stride); and responsibilities r of a row (stride, times
 * its weight) added to A or N. */
const double *scant_i_posterior_log_a(const scant_i_posterior *posterior, size_t entry,
                                      double *room);
void scant_i_posterior_add(const scant_i_posterior *posterior, double *statistics, size_t entry,
                           const double *r);
/* A of a tabled entry (stride): the weight of its rows that fell to each component. Entry y < K is
 * "exactly class y", the entry after the labels "nothing known". */
const double *scant_i_posterior_expected(const scant_i_posterior *posterior,
                                         const double *statistics, size_t entry);
/* Where N of the other rows is, and the structure's own numbers. */
double *scant_i_posterior_rest(const scant_i_posterior *posterior, double *statistics);
double *scant_i_posterior_own(const scant_i_posterior *posterior, double *statistics);
/* The part of N that comes from rows labelled exactly. */
void scant_i_posterior_labelled(const scant_i_posterior *posterior, const double *statistics,
                                double *N);
/* The mixture's noise from labels and where they fell, with u the label or labels that are seen and
 * v_k = sum_y noise[k][y] u_y what they tell of class k:
 *   noise[k][y] = sum_i w_i c_ik noise[k][y] u_iy / v_ik, as shares over y; c_ik = sum_j r_ijk
 * `seen` is room for K. */
void scant_i_noise_maximise(scant_i_mixture *mixture, const scant_i_posterior *posterior,
                            const double *statistics, double *seen);
/* W from the counts, as above. */
void scant_i_coupling_maximise(scant_i_mixture *mixture, const double *N);

#endif
