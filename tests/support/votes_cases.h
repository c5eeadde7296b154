/* Votes drawn from a known model. */
#ifndef SCANT_T_VOTES_CASES_H
#define SCANT_T_VOTES_CASES_H

#include <scant/audit.h>

typedef struct votes_plan {
    size_t nitems, npredictors, nclasses;
    const double *prior; /* l */
    double accuracy;     /* of the first predictor; each next one is `step` better */
    double step;
    double lean;    /* errors go to the next class with this share more than to the others */
    double missing; /* share of answers that are not given */
    double known;   /* share of items whose truth is known */
    uint64_t seed;
} votes_plan;

/* P(predictor answers a | class j). */
double votes_chance(const votes_plan *plan, size_t predictor, size_t j, size_t a);
scant_votes *votes_draw(const votes_plan *plan);
double votes_error(const votes_plan *plan, size_t predictor);
scant_audit_options votes_options(const char *model, const char *prior);

#endif
