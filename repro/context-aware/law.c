#include "law.h"

#include <string.h>

/* --- writing and reading --- */

typedef double (*entry_of)(const double *theta, size_t row, size_t column);

/* "name": one rows x columns table for each component; rows of 1 are left out. */
static void write_array(FILE *out, const char *name, double (*theta)[THETA_MAX], size_t ncomponents,
                        size_t nrows, size_t ncolumns, entry_of entry)
{
    (void)fprintf(out, "\"%s\": [", name);
    for (size_t j = 0; j < ncomponents; j++) {
        (void)fprintf(out, "%s", j ? ", [" : "[");
        for (size_t r = 0; r < nrows; r++) {
            (void)fprintf(out, "%s%s", r ? ", " : "", nrows > 1 ? "[" : "");
            for (size_t c = 0; c < ncolumns; c++)
                (void)fprintf(out, "%s%.17g", c ? ", " : "", entry(theta[j], r, c));
            (void)fprintf(out, "%s", nrows > 1 ? "]" : "");
        }
        (void)fprintf(out, "]");
    }
    (void)fprintf(out, "]");
}

static double location(const double *theta, size_t row, size_t column)
{
    (void)row;
    return theta[column];
}

/* --- normal --- */

static void normal_spread(double *theta, draws *d)
{
    theta[0] = draw_between(d, 0, 1);
    theta[1] = draw_between(d, 0.1, 0.6);
}

/* A divergence of normal laws is c + q t^2 in the distance t of their means along a direction. */
typedef struct parabola {
    double c, q;
} parabola;

static parabola mean_of(parabola a, parabola b)
{
    return (parabola){(a.c + b.c) / 2, (a.q + b.q) / 2};
}

static bool solve(parabola kl, double distance, double *t)
{
    *t = sqrt((distance - kl.c) / kl.q);
    return distance > kl.c;
}

static parabola normal_kl(double p, double q)
{
    return (parabola){log(q / p) + p * p / (2 * q * q) - 0.5, 1 / (2 * q * q)};
}

static bool normal_place(double *theta, const double *reference, divergence kind, double distance,
                         double sign, draws *d)
{
    (void)d;
    double t;
    parabola forward = normal_kl(theta[1], reference[1]), back = normal_kl(reference[1], theta[1]);
    parabola kl = kind == FORWARD ? forward : kind == REVERSE ? back : mean_of(forward, back);
    bool found = solve(kl, distance, &t);
    theta[0] = reference[0] + sign * t;
    return found;
}

static void normal_draw(const double *theta, draws *d, double *x)
{
    x[0] = theta[0] + theta[1] * draw_normal(d);
}

static double normal_variance(const double *theta, size_t row, size_t column)
{
    (void)row;
    (void)column;
    return theta[1] * theta[1];
}

static void normal_write(FILE *out, double (*theta)[THETA_MAX], size_t ncomponents)
{
    write_array(out, "means", theta, ncomponents, 1, 1, location);
    (void)fprintf(out, ", ");
    write_array(out, "covariances", theta, ncomponents, 1, 1, normal_variance);
}

static void normal_read(double *theta, const double *const *array, size_t j)
{
    theta[0] = array[0][j];
    theta[1] = array[1][j];
}

const law law_normal = {
    .family = "gaussian",
    .setting = "covariance",
    .value = "diag",
    .ncolumns = 1,
    .narrays = 2,
    .ntheta = 2,
    .deviation = 1,
    .either_side = true,
    .spread = normal_spread,
    .place = normal_place,
    .draw = normal_draw,
    .write = normal_write,
    .read = normal_read,
};

/* --- line: y = b0 + b1 x + s noise --- */

static void line_spread(double *theta, draws *d)
{
    static const double STEEPEST = 1.04719755119659774615; /* 60 degrees */
    theta[0] = draw_between(d, -1, 1);
    theta[1] = tan(draw_between(d, -STEEPEST, STEEPEST));
    theta[2] = draw_between(d, 0.5, 2);
}

/* The paper does not say where inputs come from. */
static void line_draw(const double *theta, draws *d, double *x)
{
    x[0] = draw_between(d, -1, 1);
    x[1] = theta[0] + theta[1] * x[0] + theta[2] * draw_normal(d);
}

static void line_write(FILE *out, double (*theta)[THETA_MAX], size_t ncomponents)
{
    write_array(out, "coefficients", theta, ncomponents, 1, 2, location);
    (void)fprintf(out, ", \"variances\": [");
    for (size_t j = 0; j < ncomponents; j++)
        (void)fprintf(out, "%s%.17g", j ? ", " : "", theta[j][2] * theta[j][2]);
    (void)fprintf(out, "]");
}

static void line_read(double *theta, const double *const *array, size_t j)
{
    memcpy(theta, array[0] + 2 * j, 2 * sizeof *theta);
    theta[2] = array[1][j];
}

const law law_line = {
    .family = "regression",
    .setting = "target",
    .value = "x2",
    .ncolumns = 2,
    .narrays = 2,
    .ntheta = 3,
    .deviation = 2,
    .spread = line_spread,
    .draw = line_draw,
    .write = line_write,
    .read = line_read,
};

/* --- plane: two columns, covariance S with entries s11, s12, s22 --- */

typedef struct symmetric {
    double a, b, c; /* [a b; b c] */
} symmetric;

static symmetric covariance_of(const double *theta)
{
    return (symmetric){theta[2], theta[3], theta[4]};
}

static double determinant(symmetric m)
{
    return m.a * m.c - m.b * m.b;
}

static symmetric inverse(symmetric m)
{
    double det = determinant(m);
    return (symmetric){m.c / det, -m.b / det, m.a / det};
}

static double form(symmetric m, const double *u, const double *v) /* u' m v */
{
    return u[0] * (m.a * v[0] + m.b * v[1]) + u[1] * (m.b * v[0] + m.c * v[1]);
}

static void plane_spread(double *theta, draws *d)
{
    double angle = draw_between(d, 0, acos(-1)), c = cos(angle), s = sin(angle);
    theta[0] = draw_between(d, 0, 1);
    theta[1] = draw_between(d, 0, 1);
    double one = draw_between(d, 0, 0.5), two = draw_between(d, 0, 0.5);
    theta[2] = one * c * c + two * s * s;
    theta[3] = (one - two) * c * s;
    theta[4] = one * s * s + two * c * c;
}

static parabola plane_kl(symmetric p, symmetric q, const double *u)
{
    symmetric Q = inverse(q);
    double trace = Q.a * p.a + 2 * Q.b * p.b + Q.c * p.c;
    return (parabola){0.5 * (trace - 2 + log(determinant(q) / determinant(p))),
                      0.5 * form(Q, u, u)};
}

/* Which way the means lie apart the paper does not say: any direction, so `sign` is not used. */
static bool plane_place(double *theta, const double *reference, divergence kind, double distance,
                        double sign, draws *d)
{
    (void)sign;
    double angle = draw_between(d, 0, 2 * acos(-1)), u[2] = {cos(angle), sin(angle)}, t;
    symmetric own = covariance_of(theta), other = covariance_of(reference);
    parabola forward = plane_kl(own, other, u), back = plane_kl(other, own, u);
    parabola kl = kind == FORWARD ? forward : kind == REVERSE ? back : mean_of(forward, back);
    bool found = solve(kl, distance, &t);
    for (size_t c = 0; c < 2; c++)
        theta[c] = reference[c] + t * u[c];
    return found;
}

static void plane_draw(const double *theta, draws *d, double *x)
{
    double lower = sqrt(theta[2]), across = theta[3] / lower;
    double one = draw_normal(d), two = draw_normal(d);
    x[0] = theta[0] + lower * one;
    x[1] = theta[1] + across * one + sqrt(theta[4] - across * across) * two;
}

static double plane_covariance(const double *theta, size_t row, size_t column)
{
    return theta[2 + row + column];
}

static void plane_write(FILE *out, double (*theta)[THETA_MAX], size_t ncomponents)
{
    write_array(out, "means", theta, ncomponents, 1, 2, location);
    (void)fprintf(out, ", ");
    write_array(out, "covariances", theta, ncomponents, 2, 2, plane_covariance);
}

static void plane_read(double *theta, const double *const *array, size_t j)
{
    const double *S = array[1] + 4 * j;
    memcpy(theta, array[0] + 2 * j, 2 * sizeof *theta);
    theta[2] = S[0];
    theta[3] = S[1];
    theta[4] = S[3];
}

const law law_plane = {
    .family = "gaussian",
    .setting = "covariance",
    .value = "full",
    .ncolumns = 2,
    .narrays = 2,
    .ntheta = 5,
    .deviation = THETA_MAX,
    .spread = plane_spread,
    .place = plane_place,
    .draw = plane_draw,
    .write = plane_write,
    .read = plane_read,
};

/* --- maxwell --- */

static void maxwell_spread(double *theta, draws *d)
{
    theta[0] = draw_between(d, 1, 6);
}

/* KL(P || Q) of scales whose ratio P / Q has logarithm t */
static double maxwell_kl(double t)
{
    return -3 * t + 1.5 * expm1(2 * t);
}

static double maxwell_divergence(double t, divergence kind)
{
    return kind == FORWARD   ? maxwell_kl(t)
           : kind == REVERSE ? maxwell_kl(-t)
                             : (maxwell_kl(t) + maxwell_kl(-t)) / 2;
}

/* On either side of 0 the divergence rises with |t|. Solved by Lambert's W, its principal branch is
 * the side on which the first argument is the narrower one: that is sign 1. */
static bool maxwell_place(double *theta, const double *reference, divergence kind, double distance,
                          double sign, draws *d)
{
    (void)d;
    double low = 0, high = 1, side = kind == FORWARD ? -sign : sign;
    while (maxwell_divergence(side * high, kind) < distance)
        high *= 2;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        *(maxwell_divergence(side * middle, kind) < distance ? &low : &high) = middle;
    }
    theta[0] = reference[0] * exp(side * high);
    return true;
}

/* The length of a normal vector in space. */
static void maxwell_draw(const double *theta, draws *d, double *x)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        double z = draw_normal(d);
        sum += z * z;
    }
    x[0] = theta[0] * sqrt(sum);
}

static void maxwell_write(FILE *out, double (*theta)[THETA_MAX], size_t ncomponents)
{
    write_array(out, "scales", theta, ncomponents, 1, 1, location);
}

static void maxwell_read(double *theta, const double *const *array, size_t j)
{
    theta[0] = array[0][j];
}

const law law_maxwell = {
    .family = "maxwell",
    .ncolumns = 1,
    .narrays = 1,
    .ntheta = 1,
    .deviation = THETA_MAX,
    .spread = maxwell_spread,
    .place = maxwell_place,
    .draw = maxwell_draw,
    .write = maxwell_write,
    .read = maxwell_read,
};
