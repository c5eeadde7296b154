/* Scores of single rows: d l_i at the coordinates of the chart.
 *
 *   s_i = sum_j r_ij (U_e[j]; A_j phi_i)        in the words of moments.h
 *   a row of the posterior kind is K labelled copies: s_i = sum_k v_k d log p(x_i, k) */
#ifndef SCANT_I_SCORES_H
#define SCANT_I_SCORES_H

#include "inform/chart.h"

/* scores (nrows x n): each row's own, weights left out. Rows may be sparse. One pass, O(rows
 * components features natural). A row that no component can make has the score 0. */
scant_status scant_i_scores(double *scores, const scant_i_chart *chart,
                            const scant_i_mixture *mixture, const scant_rows *rows,
                            const scant_i_evidence *evidence, size_t threads);

/* products (n x n) = sum_i w_i omega_i^2 s_i s_i', with the rows' weights w and omega the factor on
 * those of which nothing is known: the covariance of the objective's score. O(rows n^2). */
scant_status scant_i_score_products(double *products, const scant_i_chart *chart,
                                    const scant_i_mixture *mixture, const scant_rows *rows,
                                    const scant_i_evidence *evidence, size_t threads);

#endif
