/* Maximum entropy discrimination from the inside: problems, spaces, potentials, solvers, certificates.
 *
 * A problem has n signed multipliers beta_t: y_t lambda_t of a classifier, lambda'_t - lambda_t of a regression, of which
 * no two are ever positive together. Its dual is concave:
 *
 *   J(beta) = sum_t phi_t(beta_t) - Omega(beta) - m S - s2 S^2 / 2,    S = sum_t beta_t
 *
 *   potential  phi_t    -log Z of the margin prior of row t                            (potential.c)
 *   space      Omega     log Z of the parameters' prior: convex, Omega(0) = 0          (linear.c, gram.c, ...)
 *   bias       m, s2     mean and variance of the bias prior; flat: S = 0 instead
 *
 * f = dOmega / dbeta is the posterior mean of the discriminant at the rows, without bias. The primal at beta is
 *
 *   P(beta) = beta'f - Omega(beta) + (b - m)^2 / (2 s2) + sum_t phi*_t(f_t + b),   phi*_t(f) = max_beta phi_t(beta) - beta f
 *
 * with b = m + s2 S, or the b that minimises P where the prior is flat; so that
 *
 *   P - J = sum_t [phi*_t(f_t + b) - phi_t(beta_t) + beta_t (f_t + b)] - b S [flat] >= 0,
 *
 * a sum of terms none of which is negative. It is 0 at the optimum and nowhere else, whatever the space is: this is the
 * stopping rule of every solver and the certificate of every fit (docs/med.md). */
#ifndef SCANT_I_MED_H
#define SCANT_I_MED_H

#include "data/rows.h"

/* --- potentials --- */

/* A margin prior of scale c (and tube epsilon), for lambda >= 0 and a level of 0:
 * phi(beta) = level beta + value(|beta|). */
typedef struct scant_i_med_scale {
    double c, epsilon;
} scant_i_med_scale;
typedef struct scant_i_med_margin {
    const char *name, *summary;
    bool tube;  /* of a regression: beta takes either sign */
    bool fixed; /* no slack: phi* is infinite where a margin is missed */
    double (*limit)(const scant_i_med_scale *s); /* lambda stays below; or INFINITY */
    double (*value)(double lambda, const scant_i_med_scale *s);
    double (*slope)(double lambda, const scant_i_med_scale *s);     /* <= 0, falls */
    double (*curvature)(double lambda, const scant_i_med_scale *s); /* <= 0 */
    double (*inverse)(double slack,
                      const scant_i_med_scale *s); /* slope there: -slack; slack > -slope(0) */
} scant_i_med_margin;

/* exponential, laplace, gaussian, fixed; tube. NULL: there is none of that name. */
const scant_i_med_margin *scant_i_med_margin_find(const char *name);
extern const scant_i_med_margin scant_i_med_exponential, scant_i_med_laplace, scant_i_med_gaussian,
    scant_i_med_fixed, scant_i_med_tube;

typedef struct scant_i_med_potential {
    const scant_i_med_margin *margin;
    scant_i_med_scale scale;
    size_t n;
    const double
        *level; /* n: y_t times the margin's level (1) of a classifier, targets of a regression */
    const int8_t *side; /* n: sign of beta_t; NULL: either (tube) */
    const double
        *weight; /* n, above 0: so many copies of a row, with a multiplier all together; NULL: 1 */
} scant_i_med_potential;

/* Interval of beta_t; an end that is not 0 is infinite or never reached. */
double scant_i_med_low(const scant_i_med_potential *p, size_t t);
double scant_i_med_high(const scant_i_med_potential *p, size_t t);
double scant_i_med_phi(const scant_i_med_potential *p, size_t t, double beta);
/* Slopes towards larger (up) and smaller beta; they differ at 0. -INFINITY and INFINITY past a closed end. */
double scant_i_med_up(const scant_i_med_potential *p, size_t t, double beta);
double scant_i_med_down(const scant_i_med_potential *p, size_t t, double beta);
double scant_i_med_curvature(const scant_i_med_potential *p, size_t t, double beta);
/* phi*_t(f), and the beta where it is taken. */
double scant_i_med_conjugate(double *beta, const scant_i_med_potential *p, size_t t, double f);

/* --- spaces --- */

/* Omega = sum_i g(W_i), W = X'beta, g(W) = log(1 - rho + rho exp(v W^2 / 2)): linear weights of variance v with switches
 * (rho 1: none). Rows are dense (x, row-major) or sparse. */
typedef struct scant_i_med_features {
    size_t n, d;
    const double *x;
    scant_i_csr sparse;
    double rho, variance;
} scant_i_med_features;

/* Omega = beta'K beta / 2: whatever can add a column of K. */
typedef struct scant_i_med_gram scant_i_med_gram;

typedef struct scant_i_med_space scant_i_med_space;
typedef struct scant_i_med_space_kind {
    const char *name;
    /* Omega and f = dOmega / dbeta (n); Omega is INFINITY, and f undefined, outside the domain. */
    scant_status (*value)(double *omega, double *f, scant_i_med_space *space, const double *beta);
    void (*free)(scant_i_med_space *space); /* its insides */
} scant_i_med_space_kind;

/* What solvers may know of a space besides: NULL where it is not so. */
struct scant_i_med_space {
    const scant_i_med_space_kind *kind;
    size_t n, threads;
    bool quadratic;                       /* Omega(a beta) = a^2 Omega(beta) */
    const scant_i_med_features *features; /* it is linear */
    scant_i_med_gram *gram;               /* it is a kernel matrix */
    /* Second derivatives of Omega at beta, n x n */
    scant_status (*curvature)(double *H, const scant_i_med_space *space, const double *beta);
    void *state; /* the kind's own */
};
void scant_i_med_space_clear(scant_i_med_space *space);

/* Borrows the features. */
scant_status scant_i_med_linear(scant_i_med_space *out, const scant_i_med_features *features,
                                size_t threads);
/* g, g' (the mean coefficient C), g'' and the posterior probability of the switch, of one W. */
double scant_i_med_g(const scant_i_med_features *x, double W);
double scant_i_med_coefficient(const scant_i_med_features *x, double W, double *curvature,
                               double *probability);
void scant_i_med_sums(double *W, const scant_i_med_features *x, const double *beta);  /* X'beta */
void scant_i_med_products(double *f, const scant_i_med_features *x, const double *C); /* X C */

/* --- problems --- */

typedef struct scant_i_med_bias {
    bool flat;
    double mean, variance; /* not flat; variance 0: the bias is fixed at the mean */
} scant_i_med_bias;

typedef struct scant_i_med_problem {
    scant_i_med_potential potential;
    scant_i_med_space *space;
    scant_i_med_bias bias;
} scant_i_med_problem;

typedef struct scant_i_med_certificate {
    double dual, primal, gap; /* J, P, P - J */
    double bias;              /* b */
} scant_i_med_certificate;

/* From the multipliers and f, Omega at them, alone. `bias` holds a guess. O(n) a few dozen times. */
void scant_i_med_certify(scant_i_med_certificate *out, const scant_i_med_problem *problem,
                         const double *beta, const double *f, double omega);
/* P - J <= tol max(1, |J|) */
bool scant_i_med_is_done(const scant_i_med_certificate *certificate, double tol);

/* --- solvers --- */

enum { SCANT_I_MED_DIRECT = 600 }; /* columns up to which Newton's matrix is factorised */

typedef struct scant_i_med_order scant_i_med_order; /* med/order.h */

typedef struct scant_i_med_control {
    double tol;
    size_t max_iter; /* passes over the multipliers, or steps of Newton; 0: no limit */
    double time_limit, began;
    uint64_t seed;
    size_t threads;
    const scant_i_med_order
        *order; /* of axes, for linear discriminants; NULL: the fastest that was measured */
    bool (*stop)(const scant_i_med_certificate *now,
                 void *payload); /* asked now and then; or NULL */
    void *payload;
} scant_i_med_control;

typedef struct scant_i_med_solution {
    double *beta, *f; /* n: multipliers, which a solver starts from, and f at them */
    double omega;
    scant_i_med_certificate certificate;
    scant_stop stop;
    size_t iterations;
    const char *solver; /* that ended it */
} scant_i_med_solution;

/* A solver raises J from the solution's beta, which is feasible, and leaves f, omega and the certificate at its end. */
typedef struct scant_i_med_solver {
    const char *name, *summary;
    bool (*takes)(const scant_i_med_problem *problem); /* can it? */
    scant_status (*solve)(scant_i_med_solution *s, const scant_i_med_problem *problem,
                          const scant_i_med_control *control);
} scant_i_med_solver;
extern const scant_i_med_solver scant_i_med_newton, scant_i_med_curved, scant_i_med_pairs,
    scant_i_med_axis, scant_i_med_gradient;
extern const scant_i_med_solver *const scant_i_med_solvers[]; /* ends with NULL */

scant_status scant_i_med_solution_new(scant_i_med_solution *s, size_t n);
void scant_i_med_solution_clear(scant_i_med_solution *s);
/* By name, or (NULL) by what was measured fastest, with a second solver where the first stalls. */
scant_status scant_i_med_solve(scant_i_med_solution *s, const scant_i_med_problem *problem,
                               const scant_i_med_control *control, const char *solver);
/* Evaluates f, Omega and the certificate at s->beta. */
scant_status scant_i_med_evaluate(scant_i_med_solution *s, const scant_i_med_problem *problem);
/* Passes that a solver of the dual may make. Fixed margins that cannot be met raise J without end, so there are not more
 * than a thousand for them. */
size_t scant_i_med_passes(const scant_i_med_problem *problem, const scant_i_med_control *control);
/* Where the bias prior is flat: takes from the multipliers what their sum S has too much, most from those that give way
 * most; none changes its side. */
void scant_i_med_balance(double *beta, const scant_i_med_problem *problem);
/* SCANT_STOP_CONVERGED: nothing has to end it yet. */
scant_stop scant_i_med_halted(const scant_i_med_control *control,
                              const scant_i_med_certificate *certificate);

#endif
