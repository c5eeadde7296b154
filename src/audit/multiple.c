/* Regression: x_c = theta_c (y - e), e ~ N(0, t^2) (learning-without-labels eq. 21-28).
 *
 *   q = 1 / theta,  z = q x - mu,  w = 1 / t^2,  a = log(|q| / t) - log(2 pi) / 2
 *   d l / dq = 1/q + (m - z) x / t^2
 *   d2 l / dq_c dq_d = x_c x_d / t^4 P - [c = d] (1/q^2 + x^2 / t^2)
 *   d2 l / dq_c dlog t = 2 (z_c - m) x_c / t^2 - 2 x_c sum_d (z_d - m) / t^4 P
 * l is concave in q on either side of 0: eq. 28 has a root for each sign. */
#include <math.h>

#include "audit/numbers.h"

static double about_mean(const scant_i_numbers *p, double q, double x)
{
    return q * x - p->mu;
}

static double precision(double q, double t)
{
    (void)q;
    return 1 / (t * t);
}

static double log_scale(double q, double t)
{
    return log(fabs(q) / t) - log(2 * M_PI) / 2;
}

static double slope(double q, double t, double x, double z, scant_i_number_view y)
{
    return 1 / q + (y.mean - z) * x / (t * t);
}

static double own_curvature(double q, double t, double x)
{
    return 1 / (q * q) + x * x / (t * t);
}

static double shared_curvature(double x, double z, double other_x, double other_z, double t,
                               scant_i_number_view y)
{
    (void)z, (void)other_z;
    return x * other_x * y.variance / (t * t * t * t);
}

static double noise_curvature(double x, double z, double off, double t, scant_i_number_view y)
{
    double v = t * t;
    return 2 * (z - y.mean) * x / v - 2 * x * off * y.variance / (v * v);
}

static double inverse(double x)
{
    return 1 / x;
}

static double risk(const scant_i_numbers *p, double theta, double t, double s[2])
{
    double second = p->mu * p->mu + p->s * p->s, bias = 1 - theta;
    s[0] = -theta * (2 * theta * t * t - 2 * bias * second);
    s[1] = 2 * theta * theta * t * t;
    return theta * theta * t * t + bias * bias * second; /* eq. 23 */
}

/* The larger root of eq. 28: of theta by the sign of mu times the predictions' mean */
static double begin(const scant_i_numbers *p, const scant_i_column_survey *of, double t)
{
    double v = p->s * p->s + t * t, square = of->deviation * of->deviation + of->mean * of->mean;
    double half = p->mu * of->mean / (2 * v), root = sqrt(half * half + square / v);
    return half < 0 ? -half - root : root - half;
}

const scant_i_number_model scant_i_number_regression = {
    .name = "regression",
    .signed_scale = true,
    .has_noise = true,
    .about_mean = about_mean,
    .precision = precision,
    .log_scale = log_scale,
    .slope = slope,
    .own_curvature = own_curvature,
    .shared_curvature = shared_curvature,
    .noise_curvature = noise_curvature,
    .theta = inverse,
    .q_of = inverse,
    .theta_slope = -1,
    .risk = risk,
    .begin = begin,
};
