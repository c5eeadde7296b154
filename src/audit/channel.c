/* A noisy channel: x_c = y + e, e ~ N(0, theta_c^2) (learning-without-labels eq. 29-31).
 *
 *   q = 1 / theta^2,  z = x - mu,  w = q,  a = log(q / 2 pi) / 2
 *   d l / dq = (1/q - (z - m)^2 - 1/P) / 2
 *   d2 l / dq_c dq_d = (z_c - m) (z_d - m) / P + 1 / 2 P^2 - [c = d] / 2 q^2
 * Eq. 31 lacks a square and has a factor too many: the risk is theta^2. */
#include <math.h>

#include "audit/numbers.h"

static double about_mean(const scant_i_numbers *p, double q, double x)
{
    (void)q;
    return x - p->mu;
}

static double precision(double q, double t)
{
    (void)t;
    return q;
}

static double log_scale(double q, double t)
{
    (void)t;
    return log(q / (2 * M_PI)) / 2;
}

static double slope(double q, double t, double x, double z, scant_i_number_view y)
{
    (void)t, (void)x;
    return (1 / q - (z - y.mean) * (z - y.mean) - y.variance) / 2;
}

static double own_curvature(double q, double t, double x)
{
    (void)t, (void)x;
    return 1 / (2 * q * q);
}

static double shared_curvature(double x, double z, double other_x, double other_z, double t,
                               scant_i_number_view y)
{
    (void)x, (void)other_x, (void)t;
    return (z - y.mean) * (other_z - y.mean) * y.variance + y.variance * y.variance / 2;
}

static double theta_of(double q)
{
    return 1 / sqrt(q);
}

static double q_of(double theta)
{
    return 1 / (theta * theta);
}

static double risk(const scant_i_numbers *p, double theta, double t, double s[2])
{
    (void)p, (void)t;
    s[0] = -theta * theta;
    s[1] = 0;
    return theta * theta;
}

/* E (x - mu)^2 - s^2, or a little where that is none */
static double begin(const scant_i_numbers *p, const scant_i_column_survey *of, double t)
{
    (void)t;
    double off = of->mean - p->mu, s2 = p->s * p->s;
    return sqrt(fmax(of->deviation * of->deviation + off * off - s2, 1e-3 * s2));
}

const scant_i_number_model scant_i_number_channel = {
    .name = "channel",
    .about_mean = about_mean,
    .precision = precision,
    .log_scale = log_scale,
    .slope = slope,
    .own_curvature = own_curvature,
    .shared_curvature = shared_curvature,
    .theta = theta_of,
    .q_of = q_of,
    .theta_slope = -0.5,
    .risk = risk,
    .begin = begin,
};
