/* Transduction (transduction.h). With L = diag(lambda_u) of the rows u without labels, their labels Gaussian:
 *
 *   G = kappa^2 I - L Kuu L (positive definite),   v = L Kul beta_l,   z = G^-1 v = E[y_u]
 *   Omega = -log|G| / 2 + n_u log kappa + beta_l'Kll beta_l / 2 + v'z / 2
 *   s = Kl beta_l + Ku L z (the mean of the weights' score),   Q = K + Ku L G^-1 L Ku'  (its covariance)
 *   f_l = s_l,   f_u = lambda_u (s_u^2 + Q_uu) / kappa^2
 *   d2 Omega: Q_ll',  2 lambda_u s_u Q_lu / kappa^2,
 *             [u = w] (s_u^2 + Q_uu) / kappa^2 + lambda_u lambda_w (2 Q_uw^2 + 4 s_u s_w Q_uw) / kappa^4
 *
 * Mean field: q(weights) and q(labels) in turns. Given m = E[y], rows are scaled by m and weights found as ever; given the
 * mean score s_t, every label has its own multiplier, z + log(1 - z / c) - log(q e^(z s) + (1 - q) e^(-z s)) at its largest,
 * m = tanh(z s + logit(q) / 2). Both steps minimise KL(weights, margins) + KL(labels) over one part with the other
 * held, so it falls. O(n^3) a step. */
#include "med/transduction.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/linear.h"

/* --- the matrix --- */

typedef struct matrix {
    const double *K, *scale, *own;
    double *room; /* n */
} matrix;

static double scale_of(const matrix *g, size_t t)
{
    return g->scale ? g->scale[t] : 1;
}

static scant_status matrix_value(double *omega, double *f, scant_i_med_space *space,
                                 const double *beta)
{
    const matrix *g = space->state;
    *omega = 0;
    for (size_t t = 0; t < space->n; t++)
        g->room[t] = scale_of(g, t) * beta[t];
    for (size_t t = 0; t < space->n; t++) {
        double s = scant_i_dot_fixed(g->K + t * space->n, g->room, space->n);
        s += g->own ? g->own[t] * g->room[t] : 0;
        f[t] = scale_of(g, t) * s;
        *omega += 0.5 * f[t] * beta[t];
    }
    return SCANT_OK;
}

static scant_status matrix_curvature(double *H, const scant_i_med_space *space, const double *beta)
{
    const matrix *g = space->state;
    size_t n = space->n;
    (void)beta;
    for (size_t s = 0; s < n; s++) {
        for (size_t t = 0; t < n; t++)
            H[s * n + t] = scale_of(g, s) * g->K[s * n + t] * scale_of(g, t);
        H[s * n + s] += g->own ? scale_of(g, s) * g->own[s] * scale_of(g, s) : 0;
    }
    return SCANT_OK;
}

static void matrix_clear(scant_i_med_space *space)
{
    matrix *g = space->state;
    if (g)
        scant_i_free(g->room);
    scant_i_free(g);
}

static const scant_i_med_space_kind matrix_kind = {"matrix", matrix_value, matrix_clear};

scant_status scant_i_med_matrix_space(scant_i_med_space *out, const double *K, const double *scale,
                                      const double *own, size_t n)
{
    scant_status status = SCANT_OK;
    matrix *g = NULL;
    *out = (scant_i_med_space){0};
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    *g = (matrix){.K = K, .scale = scale, .own = own};
    *out = (scant_i_med_space){.kind = &matrix_kind,
                               .n = n,
                               .threads = 1,
                               .quadratic = true,
                               .curvature = matrix_curvature,
                               .state = g};
    SCANT_I_TRY(SCANT_I_NEW(&g->room, n + 1));
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

/* --- Gaussian labels --- */

typedef struct labels {
    const double *K;
    size_t n, nu;
    double kappa;
    size_t *u;         /* nu: rows without labels */
    bool *open;        /* n: is one */
    double *G, *R;     /* nu x nu; nu x n: the factor's inverse times L Ku' */
    double *z, *s, *m; /* nu; n; n: coefficients of f */
} labels;

/* z, s and m at beta; false: outside of the domain. */
static bool solve_labels(const labels *g, const double *beta)
{
    size_t n = g->n, nu = g->nu;
    for (size_t i = 0; i < nu; i++) {
        const double *row = g->K + g->u[i] * n;
        double sum = 0, lambda = beta[g->u[i]];
        for (size_t j = 0; j < nu; j++)
            g->G[i * nu + j] = -lambda * row[g->u[j]] * beta[g->u[j]];
        g->G[i * nu + i] += g->kappa * g->kappa;
        for (size_t t = 0; t < n; t++)
            sum += g->open[t] ? 0 : row[t] * beta[t];
        g->z[i] = lambda * sum;
    }
    if (!scant_i_cholesky(g->G, nu))
        return false;
    scant_i_cholesky_solve(g->G, nu, g->z);
    for (size_t t = 0; t < n; t++)
        g->m[t] = g->open[t] ? 0 : beta[t];
    for (size_t i = 0; i < nu; i++)
        g->m[g->u[i]] = beta[g->u[i]] * g->z[i];
    for (size_t t = 0; t < n; t++)
        g->s[t] = scant_i_dot_fixed(g->K + t * n, g->m, n);
    return true;
}

/* R, so that Q = K + R'R */
static void solve_covariance(const labels *g, const double *beta)
{
    for (size_t i = 0; i < g->nu; i++)
        for (size_t t = 0; t < g->n; t++)
            g->R[i * g->n + t] = beta[g->u[i]] * g->K[g->u[i] * g->n + t];
    scant_i_forward_solve_all(g->G, g->nu, g->R, g->n);
}

static double covariance(const labels *g, size_t s, size_t t)
{
    double sum = g->K[s * g->n + t];
    for (size_t i = 0; i < g->nu; i++)
        sum += g->R[i * g->n + s] * g->R[i * g->n + t];
    return sum;
}

static scant_status labels_value(double *omega, double *f, scant_i_med_space *space,
                                 const double *beta)
{
    const labels *g = space->state;
    double square = g->kappa * g->kappa;
    *omega = INFINITY;
    if (!solve_labels(g, beta))
        return SCANT_OK;
    solve_covariance(g, beta);
    *omega = (double)g->nu * log(g->kappa) - 0.5 * scant_i_cholesky_logdet(g->G, g->nu);
    for (size_t t = 0; t < g->n; t++) { /* beta_l'Kll beta_l + v'z = beta_l's_l */
        if (g->open[t]) {
            f[t] = beta[t] * (g->s[t] * g->s[t] + covariance(g, t, t)) / square;
            continue;
        }
        f[t] = g->s[t];
        *omega += 0.5 * beta[t] * g->s[t];
    }
    return SCANT_OK;
}

static scant_status labels_curvature(double *H, const scant_i_med_space *space, const double *beta)
{
    const labels *g = space->state;
    size_t n = g->n;
    double square = g->kappa * g->kappa;
    if (!solve_labels(g, beta))
        return SCANT_OK;
    solve_covariance(g, beta);
    memcpy(H, g->K, n * n * sizeof *H); /* Q first */
    for (size_t i = 0; i < g->nu; i++)
        for (size_t s = 0; s < n; s++)
            scant_i_add_multiple(H + s * n, g->R[i * n + s], g->R + i * n, n);
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < n; t++) {
            double Q = H[s * n + t], of_s = beta[s] * g->s[s] / square,
                   of_t = beta[t] * g->s[t] / square;
            if (g->open[s] && g->open[t])
                H[s * n + t] = 2 * Q * (beta[s] / square * beta[t] / square * Q + 2 * of_s * of_t) +
                               (s == t ? (g->s[s] * g->s[s] + Q) / square : 0);
            else
                H[s * n + t] = Q * (g->open[s] ? 2 * of_s : 1) * (g->open[t] ? 2 * of_t : 1);
        }
    return SCANT_OK;
}

static void labels_clear(scant_i_med_space *space)
{
    labels *g = space->state;
    if (!g)
        return;
    scant_i_free(g->u);
    scant_i_free(g->open);
    scant_i_free(g->G);
    scant_i_free(g->R);
    scant_i_free(g->z);
    scant_i_free(g->s);
    scant_i_free(g->m);
    scant_i_free(g);
}

static const scant_i_med_space_kind labels_kind = {"gaussian labels", labels_value, labels_clear};

scant_status scant_i_med_label_space(scant_i_med_space *out, const double *K, const int8_t *side,
                                     size_t n, double kappa)
{
    scant_status status = SCANT_OK;
    labels *g = NULL;
    *out = (scant_i_med_space){0};
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    *g = (labels){.K = K, .n = n, .kappa = kappa};
    *out = (scant_i_med_space){
        .kind = &labels_kind, .n = n, .threads = 1, .curvature = labels_curvature, .state = g};
    SCANT_I_TRY(SCANT_I_NEW(&g->u, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->open, n + 1));
    for (size_t t = 0; t < n; t++)
        if (side[t] == 0) {
            g->open[t] = true;
            g->u[g->nu++] = t;
        }
    SCANT_I_TRY(SCANT_I_NEW(&g->G, g->nu * g->nu + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->R, g->nu * n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->z, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->s, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->m, n + 1));
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

scant_status scant_i_med_kappa(double *kappa, const double *K, const int8_t *side, size_t n,
                               double c, double r)
{
    scant_status status = SCANT_OK;
    size_t nu = 0;
    double *block = NULL, *values = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&block, n * n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&values, n + 1));
    for (size_t t = 0; t < n; t++)
        nu += side[t] == 0;
    for (size_t t = 0, i = 0; t < n; t++)
        for (size_t w = 0; w < n && side[t] == 0; w++)
            if (side[w] == 0)
                block[i++] = K[t * n + w];
    if (nu > 0)
        SCANT_I_TRY(scant_i_eigen(block, nu, values));
    double largest = nu > 0 ? values[nu - 1] : 1;
    *kappa = r * (c - 1) * sqrt(largest > 0 ? largest : 1);
done:
    scant_i_free(block);
    scant_i_free(values);
    return status;
}

scant_status scant_i_med_label_posterior(double *coefficient, double *label,
                                         const scant_i_med_space *space, const double *beta)
{
    const labels *g = space->state;
    if (!solve_labels(g, beta))
        return scant_i_fail(SCANT_ERR_INPUT, "the multipliers are outside of the domain");
    memcpy(coefficient, g->m, g->n * sizeof *coefficient);
    for (size_t t = 0; t < g->n; t++)
        label[t] = beta[t] > 0 ? 1 : -1;
    for (size_t i = 0; i < g->nu; i++)
        label[g->u[i]] = g->z[i];
    return SCANT_OK;
}

/* --- what all three do alike --- */

void scant_i_med_transduction_clear(scant_i_med_transduction *t)
{
    scant_i_free(t->coefficient);
    scant_i_free(t->label);
    scant_i_free(t->f);
    *t = (scant_i_med_transduction){0};
}

static scant_status new_transduction(scant_i_med_transduction *out, size_t n)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_med_transduction){.stop = SCANT_STOP_ITERATIONS};
    SCANT_I_TRY(SCANT_I_NEW(&out->coefficient, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->label, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->f, n + 1));
done:
    return status;
}

static void scores(scant_i_med_transduction *out, const double *K, size_t n)
{
    for (size_t t = 0; t < n; t++)
        out->f[t] = scant_i_dot_fixed(K + t * n, out->coefficient, n);
}

scant_status scant_i_med_gaussian_labels(scant_i_med_transduction *out, const double *K,
                                         const int8_t *side, size_t n, double c, double r,
                                         const scant_i_med_control *control)
{
    scant_status status = SCANT_OK;
    scant_i_med_space space = {0};
    scant_i_med_solution solution = {0};
    double *level = NULL, kappa;
    int8_t *sign = NULL;
    SCANT_I_TRY(new_transduction(out, n));
    SCANT_I_TRY(SCANT_I_NEW(&level, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&sign, n + 1));
    SCANT_I_TRY(scant_i_med_solution_new(&solution, n));
    SCANT_I_TRY(scant_i_med_kappa(&kappa, K, side, n, c, r));
    SCANT_I_TRY(scant_i_med_label_space(&space, K, side, n, kappa));
    for (size_t t = 0; t < n; t++) {
        sign[t] = side[t] < 0 ? -1 : 1;
        level[t] = sign[t];
    }
    const scant_i_med_problem problem = {
        .potential = {&scant_i_med_exponential, {c, 0}, n, level, sign, NULL}, .space = &space};
    SCANT_I_TRY(scant_i_med_solve(&solution, &problem, control, NULL));
    SCANT_I_TRY(scant_i_med_label_posterior(out->coefficient, out->label, &space, solution.beta));
    for (size_t t = 0; t < n; t++)
        out->label[t] = side[t] ? side[t] : out->label[t];
    out->certificate = solution.certificate;
    out->divergence = solution.certificate.dual;
    out->stop = solution.stop;
    out->rounds = solution.iterations;
    scores(out, K, n);
done:
    scant_i_free(level);
    scant_i_free(sign);
    scant_i_med_space_clear(&space);
    scant_i_med_solution_clear(&solution);
    if (status != SCANT_OK)
        scant_i_med_transduction_clear(out);
    return status;
}

/* --- mean field --- */

/* E[y] at the multiplier that is best for the score s; by halving, as the slope 1 - 1 / (c - z) - s E[y] falls in z. */
static double best_label(double s, double positive, double c)
{
    enum { HALVINGS = 60 };
    if (positive <= 0 || positive >= 1)
        return positive > 0.5 ? 1 : -1;
    double half_odds = 0.5 * (log(positive) - log1p(-positive));
    double low = 0, high = c - 1;
    for (int k = 0; k < HALVINGS && high > low; k++) {
        double z = 0.5 * (low + high);
        *(1 - 1 / (c - z) - s * tanh(z * s + half_odds) > 0 ? &low : &high) = z;
    }
    return tanh(low * s + half_odds);
}

/* KL of labels with mean m from those with probability q */
static double label_divergence(double m, double q)
{
    double p = 0.5 * (1 + m), sum = 0;
    if (q <= 0 || q >= 1)
        return 0;
    sum += p > 0 ? p * log(p / q) : 0;
    sum += p < 1 ? (1 - p) * log((1 - p) / (1 - q)) : 0;
    return sum;
}

static double total_divergence(const scant_i_med_solution *s, const double *label,
                               const double *positive, size_t n)
{
    double sum = s->certificate.dual;
    for (size_t t = 0; t < n; t++)
        sum += label_divergence(label[t], positive[t]);
    return sum;
}

/* From the means `began`, or those of the prior. */
static scant_status descend(scant_i_med_transduction *out, const double *K, const double *positive,
                            size_t n, double c, const double *began,
                            const scant_i_med_control *control)
{
    enum { ROUNDS = 200 };
    scant_status status = SCANT_OK;
    scant_i_med_space space = {0};
    scant_i_med_solution solution = {0};
    double *level = NULL;
    int8_t *sign = NULL;
    SCANT_I_TRY(new_transduction(out, n));
    SCANT_I_TRY(SCANT_I_NEW(&level, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&sign, n + 1));
    SCANT_I_TRY(scant_i_med_solution_new(&solution, n));
    SCANT_I_TRY(scant_i_med_matrix_space(&space, K, out->label, NULL, n));
    for (size_t t = 0; t < n; t++) {
        level[t] = sign[t] = 1;
        out->label[t] = began ? began[t] : 2 * positive[t] - 1;
    }
    const scant_i_med_problem problem = {
        .potential = {&scant_i_med_exponential, {c, 0}, n, level, sign, NULL}, .space = &space};
    size_t rounds = control->max_iter ? control->max_iter : ROUNDS;
    scant_i_med_control each = *control;
    each.max_iter = 0;

    for (out->rounds = 0; out->rounds < rounds; out->rounds++) {
        SCANT_I_TRY(scant_i_med_solve(&solution, &problem, &each, NULL));
        for (size_t t = 0; t < n; t++)
            out->coefficient[t] = out->label[t] * solution.beta[t];
        scores(out, K, n);
        out->certificate = solution.certificate;
        double before = out->divergence;
        out->divergence = total_divergence(&solution, out->label, positive, n);
        out->stop = scant_i_med_halted(control, &solution.certificate);
        bool settled = out->rounds > 0 &&
                       before - out->divergence <= control->tol * fmax(1, fabs(out->divergence));
        if (settled || out->stop != SCANT_STOP_CONVERGED)
            break;
        for (size_t t = 0; t < n; t++)
            out->label[t] = best_label(out->f[t], positive[t], c);
    }
    if (out->rounds == rounds)
        out->stop = SCANT_STOP_ITERATIONS;
done:
    scant_i_free(level);
    scant_i_free(sign);
    scant_i_med_space_clear(&space);
    scant_i_med_solution_clear(&solution);
    if (status != SCANT_OK)
        scant_i_med_transduction_clear(out);
    return status;
}

/* Along rising c, each from the labels of the one before. */
static scant_status follow(scant_i_med_transduction *out, const double *K, const double *positive,
                           size_t n, double c, const scant_i_med_control *control)
{
    const double FIRST = 0.25, GROWS = 1.5; /* of c - 1, below which nothing is learned */
    scant_status status = SCANT_OK;
    scant_i_med_transduction now = {0};
    *out = (scant_i_med_transduction){0};
    for (double above = FIRST;; above *= GROWS) {
        bool last = 1 + above >= c;
        SCANT_I_TRY(descend(&now, K, positive, n, last ? c : 1 + above, out->label, control));
        scant_i_med_transduction_clear(out);
        *out = now;
        if (last || out->stop == SCANT_STOP_TIME || out->stop == SCANT_STOP_INTERRUPTED)
            break;
    }
done:
    return status;
}

scant_status scant_i_med_mean_field(scant_i_med_transduction *out, const double *K,
                                    const double *positive, size_t n, double c,
                                    const scant_i_med_control *control)
{
    scant_status status = SCANT_OK;
    scant_i_med_transduction other = {0};
    SCANT_I_TRY(descend(out, K, positive, n, c, NULL, control));
    SCANT_I_TRY(follow(&other, K, positive, n, c, control));
    if (other.divergence < out->divergence) {
        scant_i_med_transduction_clear(out);
        *out = other;
        other = (scant_i_med_transduction){0};
    }
done:
    scant_i_med_transduction_clear(&other);
    if (status != SCANT_OK)
        scant_i_med_transduction_clear(out);
    return status;
}

/* --- regression --- */

scant_status scant_i_med_whitened(scant_i_med_transduction *out, const double *K,
                                  const double *target, size_t n, double c, double epsilon,
                                  const scant_i_med_control *control)
{
    scant_status status = SCANT_OK;
    scant_i_med_space space = {0};
    scant_i_med_solution solution = {0};
    double *level = NULL, *own = NULL;
    SCANT_I_TRY(new_transduction(out, n));
    SCANT_I_TRY(SCANT_I_NEW(&level, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&own, n + 1));
    SCANT_I_TRY(scant_i_med_solution_new(&solution, n));
    for (size_t t = 0; t < n; t++) {
        own[t] = isnan(target[t]) ? 1 : 0;
        level[t] = isnan(target[t]) ? 0 : target[t];
    }
    SCANT_I_TRY(scant_i_med_matrix_space(&space, K, NULL, own, n));
    const scant_i_med_problem problem = {
        .potential = {&scant_i_med_tube, {c, epsilon}, n, level, NULL, NULL}, .space = &space};
    SCANT_I_TRY(scant_i_med_solve(&solution, &problem, control, NULL));
    for (size_t t = 0; t < n; t++) {
        out->coefficient[t] = solution.beta[t];
        out->label[t] = isnan(target[t]) ? -solution.beta[t] : target[t];
    }
    out->certificate = solution.certificate;
    out->divergence = solution.certificate.dual;
    out->stop = solution.stop;
    out->rounds = solution.iterations;
    scores(out, K, n);
done:
    scant_i_free(level);
    scant_i_free(own);
    scant_i_med_space_clear(&space);
    scant_i_med_solution_clear(&solution);
    if (status != SCANT_OK)
        scant_i_med_transduction_clear(out);
    return status;
}
