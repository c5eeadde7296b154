/* Classes whose cells hang together in a tree that is not known (generative.h). With the tables of a class fixed,
 * c_t = sum_v log p(x_tv) and l_te = log p(x_u, x_v) / (p(x_u) p(x_v)) for the edge e, all trees have the same prior and
 *
 *   Omega_e = +- sum_t beta_t c_t + log det L(w) - log det L(1),   w_e = exp(+- sum_t beta_t l_te)
 *
 * with L the Laplacian of the weights without its first row and column (the matrix-tree theorem): a sum over d^(d-2) trees.
 * The edges of the posterior tree are a determinantal process with the kernel K_ef = sqrt(w_e w_f) b_e'L^-1 b_f, so that
 * P(e) = K_ee and Cov(e, f) = -K_ef^2 off the diagonal, P(e)(1 - P(e)) on it.
 *
 *   f_t = sum over the classes +- [c_t + sum_e P(e) l_te]
 *
 * O(n d^2 + d^3) a value, O(n d^4 + n^2 d^2) all second derivatives. */
#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "med/generative.h"

static size_t edges_of(size_t d)
{
    return d * (d - 1) / 2;
}

/* --- tables --- */

/* Relative frequencies of single cells and of pairs, among the rows of one side. */
static void count_class(scant_i_med_trees *r, size_t k, const double *x, const int8_t *side,
                        size_t n, double count)
{
    size_t q = r->nlevels;
    double share = count / (double)(q * q), total = count;
    for (size_t i = 0; i < r->nedges * q * q; i++)
        r->edge[k][i] = share;
    for (size_t i = 0; i < r->d * q; i++)
        r->cell[k][i] = count / (double)q;
    for (size_t t = 0; t < n; t++) {
        if (side[t] != (k == 0 ? 1 : -1))
            continue;
        total++;
        const double *row = x + t * r->d;
        for (size_t u = 0, e = 0; u < r->d; u++) {
            r->cell[k][u * q + (size_t)row[u]]++;
            for (size_t v = u + 1; v < r->d; v++, e++)
                r->edge[k][e * q * q + (size_t)row[u] * q + (size_t)row[v]]++;
        }
    }
    for (size_t i = 0; i < r->d * q; i++)
        r->cell[k][i] = log(r->cell[k][i] / total);
    for (size_t u = 0, e = 0; u < r->d; u++)
        for (size_t v = u + 1; v < r->d; v++, e++)
            for (size_t i = 0; i < q * q; i++)
                r->edge[k][e * q * q + i] = log(r->edge[k][e * q * q + i] / total) -
                                            r->cell[k][u * q + i / q] - r->cell[k][v * q + i % q];
}

void scant_i_med_trees_clear(scant_i_med_trees *trees)
{
    for (size_t k = 0; k < 2; k++) {
        scant_i_free(trees->cell[k]);
        scant_i_free(trees->edge[k]);
    }
    *trees = (scant_i_med_trees){0};
}

scant_status scant_i_med_trees_new(scant_i_med_trees *out, const double *x, const int8_t *side,
                                   size_t n, size_t d, double count)
{
    const double MOST_LEVELS = 1000;
    scant_status status = SCANT_OK;
    double most = 0;
    *out = (scant_i_med_trees){.d = d, .nedges = edges_of(d)};
    if (d < 2 || !(count > 0)) {
        status = scant_i_fail(SCANT_ERR_INPUT, "trees want two columns and a count above 0");
        goto done;
    }
    for (size_t i = 0; i < n * d; i++) {
        if (!(x[i] >= 0 && x[i] < MOST_LEVELS && x[i] == floor(x[i]))) {
            status = scant_i_fail(SCANT_ERR_INPUT,
                                  "trees want levels 0, 1, ...: cell %g of row %zu is none", x[i],
                                  i / d + 1);
            goto done;
        }
        most = fmax(most, x[i]);
    }
    out->nlevels = (size_t)most + 1;
    for (size_t k = 0; k < 2; k++) {
        SCANT_I_TRY(SCANT_I_NEW(&out->cell[k], d * out->nlevels));
        SCANT_I_TRY(SCANT_I_NEW(&out->edge[k], out->nedges * out->nlevels * out->nlevels));
        count_class(out, k, x, side, n, count);
    }
done:
    if (status != SCANT_OK)
        scant_i_med_trees_clear(out);
    return status;
}

/* c and all l_e of one row */
static double row_terms(double *l, const scant_i_med_trees *r, size_t k, const double *x)
{
    size_t q = r->nlevels;
    double sum = 0;
    for (size_t u = 0, e = 0; u < r->d; u++) {
        sum += r->cell[k][u * q + (size_t)x[u]];
        for (size_t v = u + 1; v < r->d; v++, e++)
            l[e] = r->edge[k][e * q * q + (size_t)x[u] * q + (size_t)x[v]];
    }
    return sum;
}

/* --- the space --- */

typedef struct forest {
    size_t n, d, nedges;
    double *c[2], *l[2];             /* n; n x nedges */
    double *w, *laplacian, *inverse; /* nedges; (d - 1)^2 each */
    double *probability;             /* nedges */
    double *K;                       /* nedges^2 */
} forest;

static const double SIGN[2] = {1, -1};

/* log det L of a class, and L^-1; weights are scaled by their largest, of which a tree has d - 1. */
static bool solve_class(double *logdet, const forest *g, const double *beta, size_t k)
{
    size_t m = g->d - 1;
    double most = -INFINITY;
    memset(g->w, 0, g->nedges * sizeof *g->w);
    for (size_t t = 0; t < g->n; t++)
        if (beta[t] != 0)
            scant_i_add_multiple(g->w, SIGN[k] * beta[t], g->l[k] + t * g->nedges, g->nedges);
    for (size_t e = 0; e < g->nedges; e++)
        most = fmax(most, g->w[e]);
    for (size_t e = 0; e < g->nedges; e++)
        g->w[e] = exp(g->w[e] - most);
    memset(g->laplacian, 0, m * m * sizeof *g->laplacian);
    for (size_t u = 0, e = 0; u < g->d; u++)
        for (size_t v = u + 1; v < g->d; v++, e++) {
            g->laplacian[(v - 1) * m + v - 1] += g->w[e];
            if (u == 0)
                continue;
            g->laplacian[(u - 1) * m + u - 1] += g->w[e];
            g->laplacian[(u - 1) * m + v - 1] -= g->w[e];
            g->laplacian[(v - 1) * m + u - 1] -= g->w[e];
        }
    if (!scant_i_cholesky(g->laplacian, m))
        return false;
    *logdet = scant_i_cholesky_logdet(g->laplacian, m) + (double)m * most;
    scant_i_cholesky_inverse(g->inverse, g->laplacian, m);
    return true;
}

static double inverse_at(const forest *g, size_t u, size_t v)
{
    return u == 0 || v == 0 ? 0 : g->inverse[(u - 1) * (g->d - 1) + v - 1];
}

static void edge_probabilities(double *out, const forest *g)
{
    for (size_t u = 0, e = 0; u < g->d; u++)
        for (size_t v = u + 1; v < g->d; v++, e++)
            out[e] =
                g->w[e] * (inverse_at(g, u, u) + inverse_at(g, v, v) - 2 * inverse_at(g, u, v));
}

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    const forest *g = space->state;
    *omega = 0;
    memset(f, 0, g->n * sizeof *f);
    for (size_t k = 0; k < 2; k++) {
        double logdet;
        if (!solve_class(&logdet, g, beta, k)) {
            *omega = INFINITY;
            return SCANT_OK;
        }
        edge_probabilities(g->probability, g);
        *omega += logdet - ((double)g->d - 2) * log((double)g->d);
        for (size_t t = 0; t < g->n; t++) {
            double sum =
                g->c[k][t] + scant_i_dot_fixed(g->probability, g->l[k] + t * g->nedges, g->nedges);
            *omega += SIGN[k] * beta[t] * g->c[k][t];
            f[t] += SIGN[k] * sum;
        }
    }
    return SCANT_OK;
}

/* Covariances of the edges, into K */
static void covariances(const forest *g)
{
    size_t m = g->nedges;
    for (size_t u = 0, e = 0; u < g->d; u++)
        for (size_t v = u + 1; v < g->d; v++, e++)
            for (size_t a = 0, o = 0; a < g->d; a++)
                for (size_t b = a + 1; b < g->d; b++, o++) {
                    double between = inverse_at(g, u, a) - inverse_at(g, u, b) -
                                     inverse_at(g, v, a) + inverse_at(g, v, b);
                    double square = g->w[e] * g->w[o] * between * between;
                    g->K[e * m + o] =
                        e == o ? g->probability[e] * (1 - g->probability[e]) : -square;
                }
}

static scant_status curvature(double *H, const scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    const forest *g = space->state;
    size_t n = g->n, m = g->nedges;
    double *bent = NULL, logdet;
    SCANT_I_TRY(SCANT_I_NEW(&bent, m + 1));
    memset(H, 0, n * n * sizeof *H);
    for (size_t k = 0; k < 2; k++) {
        if (!solve_class(&logdet, g, beta, k))
            continue;
        edge_probabilities(g->probability, g);
        covariances(g);
        for (size_t s = 0; s < n; s++) {
            for (size_t e = 0; e < m; e++)
                bent[e] = scant_i_dot_fixed(g->K + e * m, g->l[k] + s * m, m);
            for (size_t t = 0; t < n; t++)
                H[s * n + t] += scant_i_dot_fixed(bent, g->l[k] + t * m, m);
        }
    }
done:
    scant_i_free(bent);
    return status;
}

static void clear(scant_i_med_space *space)
{
    forest *g = space->state;
    if (!g)
        return;
    double *arrays[] = {g->c[0],      g->c[1],    g->l[0],        g->l[1], g->w,
                        g->laplacian, g->inverse, g->probability, g->K};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        scant_i_free(arrays[k]);
    scant_i_free(g);
}

static const scant_i_med_space_kind kind = {"trees", value, clear};

static scant_status fill_in(forest *g, const scant_i_med_trees *trees, const double *x)
{
    scant_status status = SCANT_OK;
    size_t m = g->nedges, square = (g->d - 1) * (g->d - 1);
    for (size_t k = 0; k < 2; k++) {
        SCANT_I_TRY(SCANT_I_NEW(&g->c[k], g->n + 1));
        SCANT_I_TRY(SCANT_I_NEW(&g->l[k], g->n * m + 1));
        for (size_t t = 0; t < g->n; t++)
            g->c[k][t] = row_terms(g->l[k] + t * m, trees, k, x + t * g->d);
    }
    SCANT_I_TRY(SCANT_I_NEW(&g->w, m));
    SCANT_I_TRY(SCANT_I_NEW(&g->laplacian, square));
    SCANT_I_TRY(SCANT_I_NEW(&g->inverse, square));
    SCANT_I_TRY(SCANT_I_NEW(&g->probability, m));
    SCANT_I_TRY(SCANT_I_NEW(&g->K, m * m));
done:
    return status;
}

scant_status scant_i_med_tree_space(scant_i_med_space *out, const scant_i_med_trees *trees,
                                    const double *x, size_t n)
{
    scant_status status = SCANT_OK;
    forest *g = NULL;
    *out = (scant_i_med_space){0};
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    *g = (forest){.n = n, .d = trees->d, .nedges = trees->nedges};
    *out = (scant_i_med_space){
        .kind = &kind, .n = n, .threads = 1, .curvature = curvature, .state = g};
    SCANT_I_TRY(fill_in(g, trees, x));
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

scant_status scant_i_med_tree_edges(double *probability, const scant_i_med_space *space,
                                    const double *beta)
{
    const forest *g = space->state;
    for (size_t k = 0; k < 2; k++) {
        double logdet;
        if (!solve_class(&logdet, g, beta, k))
            return scant_i_fail(SCANT_ERR_INPUT, "the trees of a class cannot be summed over");
        edge_probabilities(probability + k * g->nedges, g);
    }
    return SCANT_OK;
}

double scant_i_med_tree_score(const scant_i_med_trees *trees, const double *probability,
                              const double *x)
{
    size_t q = trees->nlevels;
    double sum = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t u = 0, e = 0; u < trees->d; u++) {
            sum += SIGN[k] * trees->cell[k][u * q + (size_t)x[u]];
            for (size_t v = u + 1; v < trees->d; v++, e++)
                sum += SIGN[k] * probability[k * trees->nedges + e] *
                       trees->edge[k][e * q * q + (size_t)x[u] * q + (size_t)x[v]];
        }
    return sum;
}
