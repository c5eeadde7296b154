/* Generative discriminants: log ratios of two densities whose parameters are averaged over, and what their models do besides.
 *
 *   f(x) = E[log p(x | theta+)] - E[log p(x | theta-)]     (+ b)
 *
 * p is of an exponential family, log p(x | theta) = A(x) + T(x)'theta - K(theta) with the constant part of K among the
 * statistics T, and has a conjugate with log normaliser K~(chi), chi the natural parameters (counts and sums). With
 * W = sum_t beta_t T(x_t)
 *
 *   Omega = K~(chi+ + W) - K~(chi+) + K~(chi- - W) - K~(chi-),   f(x) = T(x)'[grad K~(chi+ + W) - grad K~(chi- - W)]
 *
 * and the posterior of either class is the conjugate at chi+ + W, chi- - W: a Bayesian generative model like any other, which
 * scores rows, draws them and fills in missing cells. */
#ifndef SCANT_I_MED_GENERATIVE_H
#define SCANT_I_MED_GENERATIVE_H

#include "base/random.h"
#include "med/med.h"

/* A family through its conjugate, for rows of d cells. */
typedef struct scant_i_med_conjugate_family {
    const char *name, *summary, *cells; /* what cells it takes, in words */
    size_t (*size)(size_t d);           /* of T and chi */
    bool (*accepts)(double cell);
    void (*statistics)(double *T, const double *x, size_t d);
    double (*base)(const double *x, size_t d); /* A(x) */
    /* K~, INFINITY outside of its domain; its gradient (size) where asked for. */
    scant_status (*log_normaliser)(double *value, double *gradient, const double *chi, size_t d);
    /* out = (second derivatives of K~ at chi, which is in the domain) times each of m directions (m x size) */
    scant_status (*bend)(double *out, const double *chi, const double *directions, size_t m,
                         size_t d);
    /* chi of a prior worth `count` rows like these (n x d); count 0: improper, to be made up for by rows. */
    void (*prior)(double *chi, double count, const double *x, size_t n, size_t d);
    /* A row; `like` (or NULL) gives what the family does not model, as a text's length. */
    scant_status (*sample)(double *x, const double *chi, size_t d, const double *like,
                           scant_i_random *random);
    /* NaN cells become their means given the others. */
    scant_status (*fill)(double *x, const double *chi, size_t d);
    /* log predictive density of the cells that are there, at chi */
    scant_status (*score)(double *out, const double *x, const double *chi, size_t d);
} scant_i_med_conjugate_family;
/* gaussian, multinomial, poisson, bernoulli, exponential; NULL: there is none of that name. */
const scant_i_med_conjugate_family *scant_i_med_family_find(const char *name);
extern const scant_i_med_conjugate_family scant_i_med_gaussian_family,
    scant_i_med_multinomial_family, scant_i_med_poisson_family, scant_i_med_bernoulli_family,
    scant_i_med_exponential_family;
/* log p(x) = A(x) + K~(chi + T(x)) - K~(chi), for a row without missing cells. */
scant_status scant_i_med_predictive(double *out, const scant_i_med_conjugate_family *family,
                                    const double *x, const double *chi, size_t d);

/* Either class's chi; of one class alone, `minus` is NULL. All are copied. SCANT_ERR_INPUT: a prior is outside of the domain
 * (too few rows, columns without spread). */
scant_status scant_i_med_generative(scant_i_med_space *out,
                                    const scant_i_med_conjugate_family *family, const double *x,
                                    size_t n, size_t d, const double *plus, const double *minus);
/* chi+ + W and chi- - W; minus may be NULL. */
void scant_i_med_generative_posterior(double *plus, double *minus, const scant_i_med_space *space,
                                      const double *beta);
/* The discriminant without bias, for m rows without missing cells. */
scant_status scant_i_med_generative_score(double *f, const scant_i_med_conjugate_family *family,
                                          const double *plus, const double *minus, const double *x,
                                          size_t m, size_t d);
/* Empirical Bayes: the family's prior worth `count` rows, and each class's rows. side: +1, -1, or 0 (of neither). */
scant_status scant_i_med_empirical(double *plus, double *minus,
                                   const scant_i_med_conjugate_family *family, double count,
                                   const double *x, const int8_t *side, size_t n, size_t d);

/* A fitted model: both classes' conjugates and a bias. */
typedef struct scant_i_med_generator {
    const scant_i_med_conjugate_family *family;
    size_t d;
    const double *plus, *minus;
    double bias;
    double proportion; /* of the class +1 among rows */
} scant_i_med_generator;
/* log p(x) of rows with missing cells (NaN) and the probability of the class +1 by Bayes' rule; either may be NULL. */
scant_status scant_i_med_generator_density(double *density, double *positive,
                                           const scant_i_med_generator *g, const double *x);
/* NaN cells become their means given the others, over both classes. */
scant_status scant_i_med_generator_fill(double *x, const scant_i_med_generator *g);
/* Draws a row and its class (+1 or -1). */
scant_status scant_i_med_generator_sample(double *x, int8_t *side, const scant_i_med_generator *g,
                                          const double *like, scant_i_random *random);

/* Two Gaussians with identity covariances, switches s_i and r_i on column i of either class with prior probability rho:
 *
 *   L = -sum_i s_i (x_i - mu_i)^2 / 2 + sum_i r_i (x_i - nu_i)^2 / 2 + b,   mu, nu ~ N(0, 1)
 *
 * Rows are borrowed. */
scant_status scant_i_med_switched(scant_i_med_space *out, const double *x, size_t n, size_t d,
                                  double rho);
/* Posterior means and switch probabilities of the classes (2 x d each), after fitting: f(x) follows from them alone. */
void scant_i_med_switched_posterior(double *mean, double *probability,
                                    const scant_i_med_space *space, const double *beta, double *S);
double scant_i_med_switched_score(const double *mean, const double *probability, double S,
                                  const double *x, size_t d);

/* Trees: log P(x | E+) - log P(x | E-), where a tree E over d discrete cells factorises P by the class's tables of cells and
 * of pairs, and all trees are summed over by the matrix-tree theorem. Rows hold levels 0, 1, ...; tables are of the rows of
 * each class, with `count` rows' worth of a uniform table added. */
typedef struct scant_i_med_trees {
    size_t d, nlevels, nedges; /* edge e = (u, v), u < v, in order */
    double *cell[2];           /* d x nlevels: log p(x_v); class +1 first */
    double *edge[2];           /* nedges x nlevels^2: log p(x_u, x_v) / (p(x_u) p(x_v)) */
} scant_i_med_trees;
scant_status scant_i_med_trees_new(scant_i_med_trees *out, const double *x, const int8_t *side,
                                   size_t n, size_t d, double count);
void scant_i_med_trees_clear(scant_i_med_trees *trees);
scant_status scant_i_med_tree_space(scant_i_med_space *out, const scant_i_med_trees *trees,
                                    const double *x, size_t n);
/* Posterior probability of every edge in either class (2 x nedges), class +1 first. */
scant_status scant_i_med_tree_edges(double *probability, const scant_i_med_space *space,
                                    const double *beta);
double scant_i_med_tree_score(const scant_i_med_trees *trees, const double *probability,
                              const double *x);

#endif
