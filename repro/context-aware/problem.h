/* Estimation problems as appendix D and section 3.3 of the paper make them. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "law.h"

enum { CLASSES_MAX = 3 };

/* A kind of mixture. The mixing coefficients are the shares of the classes; a class is one
 * component. */
typedef struct scenario {
    const char *name;
    const law *law;
    size_t nclasses;
    size_t nfree;      /* parameters of a component that are estimated, the first ones */
    bool known_shares; /* the mixing coefficients are not */
    double apart[2];   /* bounds of the divergence between neighbouring components (SKL) */
    double astray[2];  /* bounds of the divergence of a component's start from it (IKL) */
} scenario;

/* The six of section 4.3.1. */
enum { MEANS, TWO, THREE, PLANE, MAXWELL, LINES, SCENARIOS };
extern const scenario scenarios[SCENARIOS];

/* What the paper leaves open. */
typedef struct reading {
    divergence divergence;
    enum { USUAL, EITHER, ONE } side; /* where starts lie of the truth; usual: as the law says */
} reading;

typedef struct mixture {
    double share[CLASSES_MAX];
    double theta[CLASSES_MAX][THETA_MAX];
} mixture;

typedef struct problem {
    const scenario *scenario;
    mixture actual, start;
    size_t nrows;  /* of the training rows, and of the test rows */
    size_t *label; /* nrows: the class, rising; the same for both */
    double *x, *test;
    bool *wrong; /* nrows: its context will point to another class */
} problem;

/* Free parameters: shares, then each component's. */
size_t scenario_parameters(const scenario *s);

/* `first_share` is that of the first of two classes, or 0: all alike. A share `wrong` of the rows
 * is to have wrong context. */
bool problem_new(problem *out, const scenario *s, const reading *as, double first_share,
                 double wrong, draws *d);
/* The same with components and start given and classes drawn by their shares. */
bool problem_of(problem *out, const scenario *s, const mixture *actual, const mixture *start,
                size_t nrows, draws *d);
void problem_free(problem *p);

/* Probabilities (nrows x classes) that favour each row's class, or a wrong one where marked, and
 * say exactly `negentropy` = 1 + sum_j p_j log p_j / log(classes) of it. */
void problem_context(const problem *p, double negentropy, draws *d, double *out);
/* The probability of the favoured one of two classes. */
double context_top(double negentropy);
/* Contexts as above, each row with a negentropy of its own from [low, high]. */
void problem_mixed_context(const problem *p, double low, double high, draws *d, double *out);

#endif
