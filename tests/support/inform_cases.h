/* Small mixtures of every family with rows and evidence of every kind, for tests of information. */
#ifndef TEST_INFORM_CASES_H
#define TEST_INFORM_CASES_H

#include "family_cases.h"
#include "latent/problem.h"

typedef enum inform_mode {
    INFORM_NONE,
    INFORM_EXACT, /* some rows */
    INFORM_SETS,
    INFORM_WEIGH,
    INFORM_REPLACE,
    INFORM_FIX,
    INFORM_LABELLED, /* all rows */
    INFORM_MODES
} inform_mode;
extern const char *const inform_mode_name[INFORM_MODES];

typedef struct inform_plan {
    const family_case *family;
    inform_mode mode;
    bool common;   /* 3 components of all 3 classes; else 4 of one class each */
    bool weighted; /* rows' weights, and 0.4 on those without evidence */
    bool missing, prior, noise;
    bool many;        /* probabilities mostly differ from row to row */
    bool fixed;       /* Gaussian covariances are known */
    bool plain_units; /* centre 0, scale 1 */
    size_t n;
} inform_plan;

typedef struct inform_problem {
    scant_i_mixture *mixture;
    scant_rows *rows;
    scant_i_evidence evidence;
    double *x; /* n x d */
} inform_problem;

void inform_problem_new(inform_problem *p, const inform_plan *plan);
void inform_problem_clear(inform_problem *p);

/* The engine's own E-step, over and over. */
typedef struct inform_objective {
    const inform_problem *problem;
    scant_i_mixture *mixture; /* what is evaluated */
    scant_i_problem asked;
} inform_objective;
void inform_objective_new(inform_objective *o, const inform_problem *p);
double inform_objective_at(inform_objective *o); /* of o->mixture, without the prior */
void inform_objective_clear(inform_objective *o);

#endif
