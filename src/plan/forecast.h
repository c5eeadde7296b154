/* Forecast: what a fitted model says of its own error with other numbers of labels and rows.
 *
 * With L labelled and U unlabelled rows the estimates spread by Sigma(L, U)^-1, Sigma = L I_xy +
 * U I_x, I_xy and I_x the information of a labelled and an unlabelled row at the model
 * (learning without labels, prop. 12 times n). One basis makes both diagonal: B I_xy B' = 1,
 * B I_x B' = diag(rho), 0 <= rho <= 1. Along direction a an unlabelled row is worth rho_a labelled
 * ones and the variance is 1 / (L + rho_a U), for every L and U.
 *
 * Excess of the error over that of the model's own rule. The rule is optimal under the model, so
 * the error has no first derivative and the usual delta method says 0. The log-odds g of a row's
 * likeliest class against a rival have one: g moves by N(0, s^2), s^2 = sum_a (dg/db_a)^2 /
 * (L + rho_a U), the rival comes out ahead with probability Phi(-g / s), and that costs
 * p_best - p_rival:
 *     excess(L, U) = mean_i sum_r (p_best - p_r)_i P_ir,     P_ir = u_ir / (1 + sum_r u_ir),
 *     u_ir = Phi(-g_ir / s_ir) / Phi(g_ir / s_ir)
 * With one rival P is Phi(-g / s); several share as their odds of winning the pair do. As s -> 0
 * this is f_g(0) E[s^2 | g = 0] / 4, the second-order term on the boundary of two classes, but it
 * needs no density of g at 0, stays below the error of guessing, and does not depend on how
 * parameters are written.
 *
 * The mean is over rows drawn from the model, many more than a pilot has. Rows near the boundary
 * make it, so a row is kept with probability exp(-g) and counts exp(g)-fold.
 *
 * Cost: two passes of information and two predictions of all rows for each of n parameters; then
 * O(n) for each row kept and each (L, U). */
#ifndef SCANT_I_FORECAST_H
#define SCANT_I_FORECAST_H

#include "inform/chart.h"
#include "model/model.h"
#include "plan/steps.h"

/* Rows that a plan draws: the density on the boundary is then known to 6 or 7 %, which is enough
 * where excess is measured in proportion to drawn pilots'. One in KEEP of them is kept at most. Rivals
 * of a row's likeliest class that are looked at. */
enum { SCANT_I_FORECAST_DRAWN = 20000, SCANT_I_FORECAST_KEEP = 15, SCANT_I_RIVALS = 3 };

typedef struct scant_i_forecast {
    scant_i_mixture *mixture;  /* the model's, without shares of less than half a row */
    size_t n;                  /* parameters */
    double *basis;             /* n x n: row a is b_a, in the chart */
    double *worth;             /* n: rho */
    double *length;            /* n: |b_a|^2 */
    size_t nrows;              /* rows kept */
    size_t nrivals;            /* R: of each */
    double *cost;              /* nrows x R: p_best - p_rival, times the row's share of the mean */
    double *odds;              /* nrows x R: g */
    double *slope;             /* nrows x R x n: dg / db_a */
    double *classes;           /* all rows x K: P(k | x) */
    double *gain;              /* all rows: information in a row's label, in nats (see below) */
    double labels, unlabelled; /* what the model was fitted to: weights */
    double *room;              /* n: while a question is answered, so one at a time */
} scant_i_forecast;

/* `rows` are dense and the model's own; their labels are not looked at. `labels` and `unlabelled`:
 * the weight of rows it was fitted to; `drawn`: rows to draw. gain_i is the mutual information of the row's class and the
 * parameters to first order, sum_k p_k (d log p_k)' Sigma^-1 (d log p_k) / 2.
 * SCANT_ERR_UNIDENTIFIED: even labels would leave some parameter open. */
scant_status scant_i_forecast_new(scant_i_forecast *out, const scant_model *model,
                                  const scant_rows *rows, double labels, double unlabelled,
                                  size_t drawn, size_t threads, const scant_i_steps *steps);
void scant_i_forecast_clear(scant_i_forecast *forecast);

double scant_i_forecast_excess(const scant_i_forecast *forecast, double labels, double unlabelled);
/* tr Sigma(L, U)^-1, in the chart: eq. 91-93 with the n that they leave out. */
double scant_i_forecast_trace(const scant_i_forecast *forecast, double labels, double unlabelled);
/* Excess where labels of the rows index[0..count-1] are added to those at hand. O(count n^2). */
scant_status scant_i_forecast_excess_with(double *excess, const scant_i_forecast *forecast,
                                          const scant_model *model, const scant_rows *rows,
                                          const size_t *index, size_t count, size_t threads);

/* P(k | x) of rows under a mixture with the model's names. */
scant_status scant_i_classes_under(double *classes, const scant_model *model,
                                   scant_i_mixture *mixture, const scant_rows *rows,
                                   size_t threads);
/* The likeliest class. */
size_t scant_i_likeliest(const double *p, size_t nclasses);

#endif
