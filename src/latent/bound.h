/* Bounds of a log-sum of exponential families by one such family a block, from below and from above.
 *
 *   log p(Th) = log sum_m sum_n a_mn exp(X_mn . Th_m - K(Th_m)),   Th = (Th_1 .. Th_M)
 *   h_mn      = the terms' shares at the contact Th~,  Z_mn = X_mn - K'(Th~_m)
 *   F_m       = K(Th_m) - K(Th~_m) - (Th_m - Th~_m) . K'(Th~_m)
 *   zz_mn     = Z_mn' K''(Th~_m)^-1 Z_mn
 *
 *   Jensen:   log p >= log p~ + sum_mn h_mn [ (Th_m - Th~_m) . Z_mn - F_m ]
 *   reverse:  log p <= log p~ + sum_mn h_mn (Th_m - Th~_m) . Z_mn + sum_m w_m F_m,
 *             w_m = r_m + w'_m,  T_m = max_n zz_mn,  gamma_m = sum_n h_mn zz_mn / (2 T_m)
 *
 * Both touch log p at Th~ with its gradient. As w (Y . Th - K(Th)) the second is one of w_m rows Y_m = K' +
 * (1 / w_m) sum_n h_mn (K' - X_mn), which lies where rows' means may: w'_m is the least w with that. What
 * r_m is, is a *rule*. Jebara (2001), chapters 5 to 7 and section 10.3.
 *
 * X_mn . Th_m - K(Th_m) has one term a block that the element touches. One that touches B of them (its
 * family's and the mixing proportions': 2) has B times the r, since (a_1 + .. + a_B)^2 <= B sum a_b^2. */
#ifndef SCANT_I_LATENT_BOUND_H
#define SCANT_I_LATENT_BOUND_H

#include "base/base.h"
#include "base/random.h"

/* --- the coefficient of T --- */

typedef enum scant_i_bound_rule {
    SCANT_I_BOUND_BEST, /* min(2 G, c) T; c = 1/2 for one element a block (Boehning), 1 for several */
    SCANT_I_BOUND_PROVED, /* 4 G T */
    SCANT_I_BOUND_TABLE,  /* 4 min_k (a_k gamma + b_k) T */
    SCANT_I_BOUND_SIMPLE, /* T; for one element T / 2 */
    SCANT_I_BOUND_MATRIX, /* Gaussian means, one element a block: in place of w F the form
                             c/2 (Z . (Th - Th~))^2, c = min(2 G, 1/2) */
    SCANT_I_BOUND_LOCAL,  /* sum_n h_mn zz_mn: no bound but near Th~ */
    SCANT_I_BOUND_LAZY,   /* sum_n h_mn: no bound */
    SCANT_I_BOUND_BARE,   /* G T: no bound, though the thesis has it */
} scant_i_bound_rule;
enum { SCANT_I_BOUND_RULES = SCANT_I_BOUND_BARE + 1 };
const char *scant_i_bound_rule_name(scant_i_bound_rule rule);
bool scant_i_bound_guarantees(scant_i_bound_rule rule);

/* g(gamma) = max over omega of log(1 + gamma (e^omega + e^-omega - 2)) / omega^2, by search, and its bound G. Of
 * log gamma <= 0, since shares underflow long before their r does. */
double scant_i_bound_exact(double log_gamma);
double scant_i_bound_G(double log_gamma);
/* Least b with a gamma + b >= g(gamma) for all gamma in (0, 1]; and the table that the rule has. */
double scant_i_bound_offset(double a);
typedef struct scant_i_bound_line {
    double a, b;
} scant_i_bound_line;
enum { SCANT_I_BOUND_LINES = 29 };
extern const scant_i_bound_line scant_i_bound_lines[SCANT_I_BOUND_LINES]; /* a = 1.2^(10 k) */
/* r / T, for rules that are of T; `single`: one element a block. -inf: 0. */
double scant_i_bound_coefficient(scant_i_bound_rule rule, double log_gamma, bool single);

/* --- families of one block, in natural form --- */

typedef struct scant_i_bound_law {
    const char *name;
    size_t step; /* the size of Th is a multiple of it */
    bool matrix; /* has SCANT_I_BOUND_MATRIX */
    /* K and K' (n each at most); false where Th is outside the domain. */
    bool (*cumulant)(size_t n, const double *Th, double *K, double *K1);
    double (*distance)(size_t n, const double *Th, const double *X); /* zz, or what stands for it */
    /* NULL, or zz where `distance` is not (lemma 2 does not hold with it). */
    double (*plain)(size_t n, const double *Th, const double *X);
    /* Least w >= 0 with K' + s / w in the closure of K's range, for s = sum h (K' - X), sum h = h. */
    double (*least)(size_t n, const double *Th, const double *s, double h);
    /* For searches: a free vector to Th, and a row whose Z is about `spread` standard deviations. */
    void (*chart)(size_t n, const double *phi, double *Th);
    void (*draw)(size_t n, const double *Th, double spread, scant_i_random *random, double *X);
} scant_i_bound_law;

extern const scant_i_bound_law scant_i_bound_gaussian, /* mean, covariance 1 */
    scant_i_bound_variance, /* of mean 0: X = -x^2 / 2, Th the precision */
    scant_i_bound_normal,   /* mean and variance: X = (x, x^2) a column */
    scant_i_bound_choice,   /* one of n + 1 categories */
    scant_i_bound_counts,   /* SCANT_I_BOUND_TRIALS of them */
    scant_i_bound_poisson, scant_i_bound_exponential,
    scant_i_bound_gamma; /* of scale 1: X = log x */
enum { SCANT_I_BOUND_TRIALS = 5, SCANT_I_BOUND_LAWS = 8 };
extern const scant_i_bound_law *const scant_i_bound_laws[SCANT_I_BOUND_LAWS];

/* Lemma 2: sqrt(2 F zz) >= (Th - Th~) . Z - F. Both sides, with zz as the law's `plain`. */
void scant_i_bound_lemma(const scant_i_bound_law *law, size_t n, const double *contact,
                         const double *X, const double *Th, double *left, double *right);

/* --- bounds of one log-sum --- */

enum { SCANT_I_BOUND_SIZE = 64, SCANT_I_BOUND_MODELS = 32 }; /* at most: of a block, and models */

/* A point is Th (M x n), and with mixing proportions after it eta_m = log(alpha_m / alpha_M), m < M: a_m is
 * then alpha_m times exp(log_a), and there is one element a model. */
typedef struct scant_i_bound_sum {
    const scant_i_bound_law *law;
    size_t models, elements, size; /* M, N, n */
    bool mixing;
    const double *log_a; /* M x N */
    const double *X;     /* M x N x n */
} scant_i_bound_sum;
size_t scant_i_bound_length(const scant_i_bound_sum *sum); /* of a point */
double scant_i_bound_log_p(const scant_i_bound_sum *sum, const double *point);

/* A bound of a sum, which it borrows: log p~ + slope . (point - contact) + sum over blocks of w F, w < 0 in the one
 * from below. The mixing proportions are the last block. */
typedef struct scant_i_bound {
    const scant_i_bound_sum *sum;
    double *contact, *slope; /* a point each */
    double *w;               /* M + 1 */
    double *c;               /* M: of SCANT_I_BOUND_MATRIX, else 0 */
    double *mean;            /* a point: K' at the contact */
    double *cumulant;        /* M + 1: K at the contact */
    double log_p;
} scant_i_bound;
/* SCANT_ERR_ARGUMENT: the sum is larger than the above. */
scant_status scant_i_bound_new(scant_i_bound *out, const scant_i_bound_sum *sum);
void scant_i_bound_clear(scant_i_bound *bound);
void scant_i_bound_below(scant_i_bound *bound, const double *contact);
/* A rule that the law or the sum does not have counts as SCANT_I_BOUND_BEST. */
void scant_i_bound_above(scant_i_bound *bound, scant_i_bound_rule rule, const double *contact);
double scant_i_bound_value(const scant_i_bound *bound, const double *point);
/* The rows that it stands for: |w_m| Y_m of a block (its size), from above and below. */
void scant_i_bound_rows(const scant_i_bound *bound, size_t block, double *wY);

/* Of sum_i log p_i, one a data set (6.7): beta_i >= 1 with sum 1 / beta_i = 1. Flat sums of one law, without
 * mixing, that share their blocks; beta NULL: all alike. The bound's sum is the first. */
void scant_i_bound_above_all(scant_i_bound *bound, const scant_i_bound_sum *sums, size_t nsums,
                             const double *beta, const double *contact);

/* --- searches for violations --- */

/* Sums drawn at random, from small shares to large ones, and points about a contact: first by chance, then
 * uphill in (log p - tangent) / (bound - tangent), which a bound keeps at or below 1. */
typedef struct scant_i_bound_search {
    const scant_i_bound_law *law;
    scant_i_bound_rule rule;
    size_t models, elements, size;
    bool mixing;
    size_t problems, tries, climbs; /* points by chance, steps uphill, a problem */
    uint64_t seed;
} scant_i_bound_search;
typedef struct scant_i_bound_finding {
    size_t problems, violations;
    double worst; /* the largest ratio */
} scant_i_bound_finding;
scant_status scant_i_bound_verify(scant_i_bound_finding *out, const scant_i_bound_search *search);
/* The same for lemma 2, with one row a problem. */
scant_status scant_i_bound_verify_lemma(scant_i_bound_finding *out,
                                        const scant_i_bound_search *search);

#endif
