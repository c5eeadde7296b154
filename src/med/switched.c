/* Two Gaussians with identity covariances and switches (generative.h has L). With S = sum beta, W_i = sum_t beta_t x_ti and
 * Q_i = sum_t beta_t x_ti^2, for the class of sign e = +-1
 *
 *   h_i = -log(1 + e S) / 2 + W_i^2 / (2 (1 + e S)) - e Q_i / 2,   Omega = sum_e sum_i log(1 - rho + rho exp(h_i))
 *
 * The posterior switch has probability p_i = rho e^h / (1 - rho + rho e^h), the mean N(e W_i / (1 + e S), 1 / (1 + e S)).
 * |S| < 1 is the domain (a flat bias prior makes S = 0). Second derivatives: p h'' + p (1 - p) h' h'. O(n d) a value,
 * O(n^2 d) all second derivatives. */
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/generative.h"

typedef struct switched {
    const double *x; /* n x d, borrowed */
    size_t d;
    double rho;
    double *W, *Q; /* d */
} switched;

/* One column of one class. */
typedef struct branch {
    double h, p;
    double S, W, Q; /* derivatives of h */
    double SS, SW, WW;
} branch;

static double sums(double *W, double *Q, const switched *g, size_t n, const double *beta)
{
    double S = 0;
    memset(W, 0, g->d * sizeof *W);
    memset(Q, 0, g->d * sizeof *Q);
    for (size_t t = 0; t < n; t++) {
        if (beta[t] == 0)
            continue;
        S += beta[t];
        for (size_t i = 0; i < g->d; i++) {
            double cell = g->x[t * g->d + i];
            W[i] += beta[t] * cell;
            Q[i] += beta[t] * cell * cell;
        }
    }
    return S;
}

static double on(double h, double rho)
{
    return rho >= 1 ? 1 : rho / (rho + (1 - rho) * exp(-h));
}

static branch branch_of(double e, double S, double W, double Q, double rho)
{
    double r = 1 / (1 + e * S);
    branch b = {.h = 0.5 * log(r) + 0.5 * W * W * r - 0.5 * e * Q,
                .S = -0.5 * e * r - 0.5 * e * W * W * r * r,
                .W = W * r,
                .Q = -0.5 * e,
                .SS = 0.5 * r * r + W * W * r * r * r,
                .SW = -e * W * r * r,
                .WW = r};
    b.p = on(b.h, rho);
    return b;
}

static double log_sum(double h, double rho)
{
    if (rho >= 1)
        return h;
    return h < 0 ? log1p(rho * expm1(h)) : h + log(rho + (1 - rho) * exp(-h));
}

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    switched *g = space->state;
    double S = sums(g->W, g->Q, g, space->n, beta);
    *omega = INFINITY;
    if (!(fabs(S) < 1))
        return SCANT_OK;
    *omega = 0;
    memset(f, 0, space->n * sizeof *f);
    for (double e = 1; e >= -1; e -= 2)
        for (size_t i = 0; i < g->d; i++) {
            branch b = branch_of(e, S, g->W[i], g->Q[i], g->rho);
            *omega += log_sum(b.h, g->rho);
            for (size_t t = 0; t < space->n; t++) {
                double cell = g->x[t * g->d + i];
                f[t] += b.p * (b.S + cell * (b.W + cell * b.Q));
            }
        }
    return SCANT_OK;
}

static scant_status curvature(double *H, const scant_i_med_space *space, const double *beta)
{
    const switched *g = space->state;
    size_t n = space->n;
    double S = sums(g->W, g->Q, g, n, beta);
    memset(H, 0, n * n * sizeof *H);
    for (double e = 1; e >= -1; e -= 2)
        for (size_t i = 0; i < g->d; i++) {
            branch b = branch_of(e, S, g->W[i], g->Q[i], g->rho);
            double spread = b.p * (1 - b.p);
            for (size_t s = 0; s < n; s++) {
                double x = g->x[s * g->d + i], along = spread * (b.S + x * (b.W + x * b.Q));
                double constant = b.p * (b.SS + b.SW * x), slope = b.p * (b.SW + b.WW * x);
                for (size_t t = 0; t < n; t++) {
                    double z = g->x[t * g->d + i];
                    H[s * n + t] += constant + slope * z + along * (b.S + z * (b.W + z * b.Q));
                }
            }
        }
    return SCANT_OK;
}

static void clear(scant_i_med_space *space)
{
    switched *g = space->state;
    if (!g)
        return;
    scant_i_free(g->W);
    scant_i_free(g->Q);
    scant_i_free(g);
}

static const scant_i_med_space_kind kind = {"switched", value, clear};

scant_status scant_i_med_switched(scant_i_med_space *out, const double *x, size_t n, size_t d,
                                  double rho)
{
    scant_status status = SCANT_OK;
    switched *g = NULL;
    *out = (scant_i_med_space){0};
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    *g = (switched){.x = x, .d = d, .rho = rho};
    *out = (scant_i_med_space){
        .kind = &kind, .n = n, .threads = 1, .curvature = curvature, .state = g};
    SCANT_I_TRY(SCANT_I_NEW(&g->W, d + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->Q, d + 1));
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

void scant_i_med_switched_posterior(double *mean, double *probability,
                                    const scant_i_med_space *space, const double *beta, double *S)
{
    const switched *g = space->state;
    *S = sums(g->W, g->Q, g, space->n, beta);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < g->d; i++) {
            double e = k == 0 ? 1 : -1;
            mean[k * g->d + i] = e * g->W[i] / (1 + e * *S);
            probability[k * g->d + i] = branch_of(e, *S, g->W[i], g->Q[i], g->rho).p;
        }
}

double scant_i_med_switched_score(const double *mean, const double *probability, double S,
                                  const double *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < d; i++) {
            double e = k == 0 ? 1 : -1, rest = x[i] - mean[k * d + i];
            sum -= 0.5 * e * probability[k * d + i] * (rest * rest + 1 / (1 + e * S));
        }
    return sum;
}
