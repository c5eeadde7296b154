/* The space of two densities of one family, or of one of them (generative.h has the formulas).
 *
 * With n rows and statistics of size D: O(n D) and two log normalisers a value; second derivatives
 * T (grad^2 K~(chi+ + W) + grad^2 K~(chi- - W)) T' cost n products of K~'s and O(n^2 D). */
#include "med/generative.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "math/special.h"

static const scant_i_med_conjugate_family *const families[] = {
    &scant_i_med_gaussian_family, &scant_i_med_multinomial_family, &scant_i_med_poisson_family,
    &scant_i_med_bernoulli_family, &scant_i_med_exponential_family};

const scant_i_med_conjugate_family *scant_i_med_family_find(const char *name)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (strcmp(families[k]->name, name) == 0)
            return families[k];
    return NULL;
}

scant_status scant_i_med_predictive(double *out, const scant_i_med_conjugate_family *family,
                                    const double *x, const double *chi, size_t d)
{
    scant_status status = SCANT_OK;
    double *more = NULL, before, after;
    size_t size = family->size(d);
    SCANT_I_TRY(SCANT_I_NEW(&more, size + 1));
    family->statistics(more, x, d);
    scant_i_add_multiple(more, 1, chi, size);
    SCANT_I_TRY(family->log_normaliser(&before, NULL, chi, d));
    SCANT_I_TRY(family->log_normaliser(&after, NULL, more, d));
    *out = family->base(x, d) + after - before;
done:
    scant_i_free(more);
    return status;
}

/* --- the space --- */

typedef struct generative {
    const scant_i_med_conjugate_family *family;
    size_t d, size, nclasses;
    double *T;       /* n x size */
    double *chi[2];  /* size: priors */
    double start[2]; /* K~ of the priors */
    double *now, *gradient, *sum;
} generative;

static const double SIGN[2] = {1, -1};

/* chi+ + W or chi- - W */
static void posterior(double *out, const generative *g, size_t n, const double *beta, size_t k)
{
    memcpy(out, g->chi[k], g->size * sizeof *out);
    for (size_t t = 0; t < n; t++)
        if (beta[t] != 0)
            scant_i_add_multiple(out, SIGN[k] * beta[t], g->T + t * g->size, g->size);
}

static scant_status value(double *omega, double *f, scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    generative *g = space->state;
    *omega = 0;
    memset(g->sum, 0, g->size * sizeof *g->sum);
    for (size_t k = 0; k < g->nclasses; k++) {
        double K;
        posterior(g->now, g, space->n, beta, k);
        SCANT_I_TRY(g->family->log_normaliser(&K, g->gradient, g->now, g->d));
        *omega += K - g->start[k];
        if (!isfinite(K)) {
            *omega = INFINITY;
            return SCANT_OK;
        }
        scant_i_add_multiple(g->sum, SIGN[k], g->gradient, g->size);
    }
    for (size_t t = 0; t < space->n; t++)
        f[t] = scant_i_dot_fixed(g->T + t * g->size, g->sum, g->size);
done:
    return status;
}

static scant_status curvature(double *H, const scant_i_med_space *space, const double *beta)
{
    scant_status status = SCANT_OK;
    const generative *g = space->state;
    size_t n = space->n;
    double *bent = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&bent, n * g->size + 1));
    memset(H, 0, n * n * sizeof *H);
    for (size_t k = 0; k < g->nclasses; k++) {
        posterior(g->now, g, n, beta, k);
        SCANT_I_TRY(g->family->bend(bent, g->now, g->T, n, g->d));
        for (size_t s = 0; s < n; s++)
            for (size_t t = 0; t <= s; t++)
                H[s * n + t] += scant_i_dot_fixed(bent + s * g->size, g->T + t * g->size, g->size);
    }
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < s; t++)
            H[t * n + s] = H[s * n + t];
done:
    scant_i_free(bent);
    return status;
}

static void clear(scant_i_med_space *space)
{
    generative *g = space->state;
    if (!g)
        return;
    scant_i_free(g->T);
    scant_i_free(g->chi[0]);
    scant_i_free(g->chi[1]);
    scant_i_free(g->now);
    scant_i_free(g->gradient);
    scant_i_free(g->sum);
    scant_i_free(g);
}

static const scant_i_med_space_kind kind = {"generative", value, clear};

static scant_status fill_in(generative *g, const double *x, size_t n, const double *const chi[2])
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&g->T, n * g->size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->now, g->size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->gradient, g->size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&g->sum, g->size + 1));
    for (size_t t = 0; t < n; t++)
        g->family->statistics(g->T + t * g->size, x + t * g->d, g->d);
    for (size_t k = 0; k < g->nclasses; k++) {
        SCANT_I_TRY(SCANT_I_NEW(&g->chi[k], g->size + 1));
        memcpy(g->chi[k], chi[k], g->size * sizeof **chi);
        SCANT_I_TRY(g->family->log_normaliser(&g->start[k], NULL, chi[k], g->d));
        if (!isfinite(g->start[k])) {
            status =
                scant_i_fail(SCANT_ERR_INPUT,
                             "the rows of a class do not determine a %s density: too few rows, "
                             "or a column without spread there; a prior worth more rows helps",
                             g->family->name);
            goto done;
        }
    }
done:
    return status;
}

scant_status scant_i_med_generative(scant_i_med_space *out,
                                    const scant_i_med_conjugate_family *family, const double *x,
                                    size_t n, size_t d, const double *plus, const double *minus)
{
    scant_status status = SCANT_OK;
    const double *const chi[2] = {plus, minus};
    generative *g = NULL;
    *out = (scant_i_med_space){0};
    SCANT_I_TRY(SCANT_I_NEW(&g, 1));
    *g = (generative){.family = family, .d = d, .size = family->size(d), .nclasses = minus ? 2 : 1};
    *out = (scant_i_med_space){
        .kind = &kind, .n = n, .threads = 1, .curvature = curvature, .state = g};
    SCANT_I_TRY(fill_in(g, x, n, chi));
done:
    if (status != SCANT_OK)
        scant_i_med_space_clear(out);
    return status;
}

void scant_i_med_generative_posterior(double *plus, double *minus, const scant_i_med_space *space,
                                      const double *beta)
{
    const generative *g = space->state;
    posterior(plus, g, space->n, beta, 0);
    if (minus)
        posterior(minus, g, space->n, beta, 1);
}

scant_status scant_i_med_generative_score(double *f, const scant_i_med_conjugate_family *family,
                                          const double *plus, const double *minus, const double *x,
                                          size_t m, size_t d)
{
    scant_status status = SCANT_OK;
    size_t size = family->size(d);
    double *sum = NULL, *more = NULL, *T = NULL, K;
    SCANT_I_TRY(SCANT_I_NEW(&sum, size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&more, size + 1));
    SCANT_I_TRY(SCANT_I_NEW(&T, size + 1));
    SCANT_I_TRY(family->log_normaliser(&K, sum, plus, d));
    if (minus) {
        SCANT_I_TRY(family->log_normaliser(&K, more, minus, d));
        scant_i_add_multiple(sum, -1, more, size);
    }
    for (size_t t = 0; t < m; t++) {
        family->statistics(T, x + t * d, d);
        f[t] = scant_i_dot_fixed(T, sum, size) + (minus ? 0 : family->base(x + t * d, d));
    }
done:
    scant_i_free(sum);
    scant_i_free(more);
    scant_i_free(T);
    return status;
}

scant_status scant_i_med_empirical(double *plus, double *minus,
                                   const scant_i_med_conjugate_family *family, double count,
                                   const double *x, const int8_t *side, size_t n, size_t d)
{
    scant_status status = SCANT_OK;
    size_t size = family->size(d);
    double *T = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&T, size + 1));
    family->prior(plus, count, x, n, d);
    family->prior(minus, count, x, n, d);
    for (size_t t = 0; t < n; t++) {
        family->statistics(T, x + t * d, d);
        if (side[t] != 0)
            scant_i_add_multiple(side[t] > 0 ? plus : minus, 1, T, size);
    }
done:
    scant_i_free(T);
    return status;
}

/* --- the model as a generator --- */

scant_status scant_i_med_generator_density(double *density, double *positive,
                                           const scant_i_med_generator *g, const double *x)
{
    scant_status status = SCANT_OK;
    double part[2];
    SCANT_I_TRY(g->family->score(&part[0], x, g->plus, g->d));
    SCANT_I_TRY(g->family->score(&part[1], x, g->minus, g->d));
    part[0] += log(g->proportion);
    part[1] += log1p(-g->proportion);
    double both = scant_i_logsumexp(part, 2);
    if (density)
        *density = both;
    if (positive)
        *positive = exp(part[0] - both);
done:
    return status;
}

scant_status scant_i_med_generator_fill(double *x, const scant_i_med_generator *g)
{
    scant_status status = SCANT_OK;
    double *other = NULL, positive;
    SCANT_I_TRY(SCANT_I_NEW(&other, g->d + 1));
    SCANT_I_TRY(scant_i_med_generator_density(NULL, &positive, g, x));
    memcpy(other, x, g->d * sizeof *x);
    SCANT_I_TRY(g->family->fill(x, g->plus, g->d));
    SCANT_I_TRY(g->family->fill(other, g->minus, g->d));
    for (size_t i = 0; i < g->d; i++)
        x[i] = positive * x[i] + (1 - positive) * other[i];
done:
    scant_i_free(other);
    return status;
}

scant_status scant_i_med_generator_sample(double *x, int8_t *side, const scant_i_med_generator *g,
                                          const double *like, scant_i_random *random)
{
    *side = scant_i_random_uniform(random) < g->proportion ? 1 : -1;
    return g->family->sample(x, *side > 0 ? g->plus : g->minus, g->d, like, random);
}
