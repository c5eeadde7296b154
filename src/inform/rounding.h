/* What sums in single precision may have cost.
 *
 * Scores are s_j = A_j phi plus the coupling's part, and missing = sum_{j<l} (A_j - A_l) G[jl] (A_j - A_l)'. Each sum
 * G[jl]_ef is off by at most a share u of sum w r_j r_l |phi_e phi_f| <= g_e g_f, g_e^2 = G[jl]_ee. To first order an
 * error E of the information changes the variance C_aa of coordinate a by c' E c, c column a of C:
 *   |c' E c| <= u sum_{j<l} (sum_e |c' A_j - c' A_l|_e g_e)^2
 * Features that are large compared with what scores differ by cancel in A_j - A_l and not in g: then the bound is large. The
 * coupling's own part, whose scores are of size 1, is left out. */
#ifndef SCANT_I_ROUNDING_H
#define SCANT_I_ROUNDING_H

#include "inform/moments.h"

typedef struct scant_i_rounding {
    size_t M, N, m; /* components, entries of eta of each, features */
    double *A;      /* M x N x m */
    size_t *at;     /* M x N: coordinates of the entries */
    double *g;      /* M (M - 1) / 2 x m, pairs in their order */
    double
        u; /* INFINITY: a sum is no number; 0: all was in double precision, and nothing else is here */
} scant_i_rounding;

/* Of sums over whole rows. */
scant_status scant_i_rounding_new(scant_i_rounding *out, const scant_i_moments *t,
                                  const double *sums);
void scant_i_rounding_clear(scant_i_rounding *rounding);

/* The largest share of a coordinate's variance that rounding may have added or taken away; `covariance` (n x n) is the
 * inverse of the observed information, u is finite. n^2 M m + n m M^2 multiplications at most. */
scant_status scant_i_rounding_share(double *share, const scant_i_rounding *rounding,
                                    const double *covariance, size_t n);

#endif
