/* Probabilities that sum to one: what the multinomial and the categorical family share.
 *
 * theta is M rows of `width` probabilities; a *group* is n of them, from `first` on, that sum to
 * one. */
#ifndef SCANT_I_SIMPLEX_H
#define SCANT_I_SIMPLEX_H

#include "family/family.h"

/* Are p[j][0..n-1], rows `width` apart, probabilities that sum to one? The message names component
 * j. */
scant_status scant_i_simplex_check(const double *p, size_t M, size_t width, size_t n);
/* The factor's tables, made by the first call and freed by `release`: log p[j][c] (width x stride),
 * SCANT_I_LOG_ZERO for p = 0, 0 in the padding; then two rows of sums over c, of log p and of p; then
 * room for `more` rows. */
enum { SCANT_I_SIMPLEX_SUMS = 2 };
scant_status scant_i_simplex_tables(scant_i_factor *factor, size_t width, size_t more);
/* Does all of a component's row sum to one, by the tables? False: ask scant_i_simplex_check. */
bool scant_i_simplex_is_sound(const scant_i_factor *factor, size_t width);
void scant_i_simplex_release(scant_i_factor *factor);
/* S[c][j] += w[j] p[j][c] over all of theta: one answer to each group. */
void scant_i_simplex_anchor(const scant_i_factor *factor, const double *w, double *S);
/* p[j][c] = (S[c][j] + smooth) / (sum_c S[c][j] + smooth n) within the group; all-zero sums keep p,
 * or make it 1 / n where the component has rows nevertheless. S is width x stride; W (stride) is the
 * weight of a component's rows, NULL where the sums have it. SCANT_ERR_INPUT: a sum, or S + smooth,
 * is below 0. */
scant_status scant_i_simplex_shares(scant_i_factor *factor, size_t first, size_t n, const double *S,
                                    const double *W);
/* smooth * sum of log p over all of theta, by the tables; 0 where smooth is 0. */
double scant_i_simplex_log_prior(const scant_i_factor *factor);

/* eta[c] = log(p[c] / p[n-1]), c < n-1; SCANT_ERR_INPUT where a p is 0. */
scant_status scant_i_simplex_natural(const double *p, size_t n, double *eta);
/* The other way; SCANT_ERR_INPUT where an eta is not finite. */
scant_status scant_i_simplex_from_natural(const double *eta, size_t n, double *p);
/* K = trials log(1 + sum e^eta) over m parameters, K1 (m), and K2 with rows ld apart; K1, K2 may be
 * NULL. */
scant_status scant_i_simplex_cumulant(const double *eta, size_t m, double trials, double *K,
                                      double *K1, double *K2, size_t ld);

/* Distances of rows (simplex_reach.c). */
extern const scant_i_family_reach scant_i_multinomial_reach, scant_i_categorical_reach;
/* Coordinates (simplex_coordinates.c). */
extern const scant_i_family_coordinates scant_i_multinomial_coordinates,
    scant_i_categorical_coordinates;

#endif
