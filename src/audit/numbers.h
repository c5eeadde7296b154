/* Audits of predictors of a number from the inside (learning-without-labels eq. 21-33, 36, 37).
 *
 * y ~ N(mu, s^2). Given y, predictions x_c of a row are independent. A noise model says how a prediction comes about; all
 * of it is in two things for a predictor of parameter q_c, a prediction z_c of y - mu, and its precision w_c:
 *   P = 1/s^2 + sum_c w_c,  m = sum_c w_c z_c / P,   1/P and m: variance and mean of y - mu given the row (eq. 33)
 *   l = sum_c a_c - sum_c w_c z_c^2 / 2 + P m^2 / 2 - log(P) / 2 - log s,   a_c: log of the scale of x_c
 * over the predictions present; missing ones are integrated out by not being there (eq. 36). Where y itself is known
 * (eq. 37), m is y - mu, 1/P is 0, and l = log N(y) + sum_c (a_c - w_c (z_c - m)^2 / 2).
 * All is about mu: of a mean far from 0 the squares would leave nothing but rounding. */
#ifndef SCANT_I_AUDIT_NUMBERS_H
#define SCANT_I_AUDIT_NUMBERS_H

#include <scant/audit.h>
#include "latent/survey.h"

typedef struct scant_i_numbers scant_i_numbers;

/* What a row says of y - mu: its mean and variance; the variance is 0 where y is known. */
typedef struct scant_i_number_view {
    double mean, variance;
} scant_i_number_view;

/* How predictions are made of numbers. */
typedef struct scant_i_number_model {
    const char *name;
    bool signed_scale; /* q may be negative: a root of eq. 28 each */
    bool has_noise;    /* a noise t that all predictors share */
    /* z, and d l / dq of a prediction, and what it takes from d2 l / dq2; w may depend on t. */
    double (*about_mean)(const scant_i_numbers *p, double q, double x);
    double (*precision)(double q, double t);
    double (*log_scale)(double q, double t); /* a_c */
    double (*slope)(double q, double t, double x, double z, scant_i_number_view y);
    double (*own_curvature)(double q, double t, double x);
    /* What estimating y gives back for a pair of predictions: d2 l / dq_c dq_d. */
    double (*shared_curvature)(double x, double z, double other_x, double other_z, double t,
                               scant_i_number_view y);
    /* d2 l / dq_c dlog t; `off` is sum_c (z_c - m). NULL: there is no noise to estimate. */
    double (*noise_curvature)(double x, double z, double off, double t, scant_i_number_view y);
    double (*theta)(double q);
    double (*q_of)(double theta);
    double theta_slope; /* d log|theta| / d log|q| */
    /* Mean squared error, and its slopes in log|q| and log t. */
    double (*risk)(const scant_i_numbers *p, double theta, double t, double slope[2]);
    /* theta by the moments of one predictor; t is a guess where it is not known. */
    double (*begin)(const scant_i_numbers *p, const scant_i_column_survey *of, double t);
} scant_i_number_model;

extern const scant_i_number_model scant_i_number_regression, scant_i_number_channel;

struct scant_i_numbers {
    const scant_i_number_model *model;
    const scant_rows *rows;
    double mu, s;
    size_t k;             /* predictors */
    const size_t *column; /* k: theirs */
    size_t truth;         /* column of known y, or SIZE_MAX */
    double noise;         /* t, NaN: estimated, or there is none */
    bool free_noise;
    size_t n;      /* coordinates: log|q|, and log t where it is free */
    double *sign;  /* k: of q */
    bool *held;    /* n: coordinates that stay as they are */
    double scale;  /* of predictions about mu */
    double weight; /* of all rows */
    size_t threads;
    double began, time_limit;
    scant_progress progress;
    void *payload;
    size_t looks;
    scant_stop stop; /* why a climb was cut short */
};

/* A point and what the likelihood is like there. */
typedef struct scant_i_number_point {
    double *x;           /* n */
    double value;        /* log-likelihood */
    double *gradient;    /* n */
    double *information; /* n x n */
} scant_i_number_point;

scant_status scant_i_number_point_new(scant_i_number_point *at, size_t n);
void scant_i_number_point_clear(scant_i_number_point *at);
double scant_i_number_noise(const scant_i_numbers *p, const double *x);
double scant_i_number_q(const scant_i_numbers *p, const double *x, size_t predictor);
/* y by the predictions of a row, of which `cell` has all columns. */
scant_i_number_view scant_i_number_look(const scant_i_numbers *p, const double *q, const double *t,
                                        const double *cell);
/* Value, gradient and information at at->x. SCANT_ERR_INTERRUPTED: p->stop says why. O(rows k^2). */
scant_status scant_i_number_evaluate(scant_i_numbers *p, scant_i_number_point *at);
/* To the maximum next to at->x within the signs. *settled: steps had become small. */
scant_status scant_i_number_maximise(scant_i_numbers *p, scant_i_number_point *at, bool *settled);
/* signs.c: the maximum over signs of q, too. gap[c]: how much l falls where c's sign is the other one and everything else
 * is fitted to it; gap[k]: where all are. */
scant_status scant_i_number_signs(scant_i_numbers *p, scant_i_number_point *at, double *gap,
                                  bool *settled);
/* pairs.c: are errors of two predictors independent? */
scant_status scant_i_number_depend(scant_dependence *out, scant_i_numbers *p,
                                   const scant_i_number_point *at);

#endif
