/* Scores of a margin classifier as two normals of known weights (learning-without-labels ch. 3).
 *
 *   phi    = (mu_0, mu_1, log sigma_0, log sigma_1), class 1 is the positive one (y = 1)
 *   l(phi) = sum_i w_i log sum_k p_k N(f_i; mu_k, sigma_k) / sum_i w_i          eq. 70
 *   R(phi) = sum_k p_k E L(y_k (mu_k + sigma_k Z))                              eq. 72 */
#ifndef SCANT_I_MARGIN_H
#define SCANT_I_MARGIN_H

#include "audit/loss.h"

enum { SCANT_I_PHI = 4 };

typedef struct scant_i_margin {
    double prior[2];
    double mean[2];
    double log_sd[2];
} scant_i_margin;

typedef struct scant_i_scores {
    const double *f; /* n */
    const double *w; /* n, or NULL: all one */
    size_t n;
} scant_i_scores;

/* Scores with their weights, ascending; the caller frees them. */
typedef struct scant_i_weighed {
    double f, w;
} scant_i_weighed;
scant_status scant_i_scores_sort(scant_i_weighed **out, const scant_i_scores *s);

/* l at phi, with its gradient and Hessian. One pass, 2 exponentials a row. */
typedef struct scant_i_slopes {
    double loglik;
    double N[2]; /* share of each class in the scores, by its responsibility */
    double g[SCANT_I_PHI];
    double H[SCANT_I_PHI * SCANT_I_PHI];
} scant_i_slopes;
void scant_i_margin_slopes(scant_i_slopes *out, const scant_i_margin *m, const scant_i_scores *s);

/* phi from a split of the scores: class 1 is the p_1 share of the largest. SCANT_ERR_INPUT where
 * the scores do not vary. O(n log n). */
scant_status scant_i_margin_split(scant_i_margin *m, const scant_i_scores *s);
/* Climbs from phi to the maximum of l next to it: Newton's steps where they rise, EM's otherwise.
 * `at` has the slopes there. false: it did not get there, or a spread went to nothing. */
bool scant_i_margin_fit(scant_i_margin *m, const scant_i_scores *s, scant_i_slopes *at);

/* R and its gradient in phi. */
double scant_i_margin_risk(double g[SCANT_I_PHI], const scant_i_margin *m,
                           const scant_i_loss *loss);
/* x solves -H x = b: what the maximum's curvature makes of a slope. false: no strict maximum. */
bool scant_i_margin_solve(double x[SCANT_I_PHI], const scant_i_slopes *at,
                          const double b[SCANT_I_PHI]);
/* c_i = d R / d f_i through the maximum phi(f): with v = (-H)^-1 dR, and l's own slope g
 * at the maximum being 0,  c_i = v' d/df_i d/dphi l. */
void scant_i_margin_pull(double *c, const scant_i_margin *m, const scant_i_scores *s,
                         const double v[SCANT_I_PHI]);
/* Covariance of l's slope, sum_i w_i G_i G_i' / (sum w)^2: weights are repetition. */
void scant_i_margin_spread(double B[SCANT_I_PHI * SCANT_I_PHI], const scant_i_margin *m,
                           const scant_i_scores *s);
/* All four risks with their intervals, `at` being the slopes at the maximum (scores.c). */
void scant_i_margin_risks(scant_risk risk[SCANT_LOSSES], const scant_i_margin *m,
                          const scant_i_slopes *at, const scant_i_scores *s, double level);
/* Climbs on with the shares free as well, by EM, and gives l there. */
double scant_i_margin_free(scant_i_margin *m, const scant_i_scores *s);
/* Share of scores that phi puts below a. */
double scant_i_margin_below(const scant_i_margin *m, double a);

#endif
