/* Alternating over the modes until nothing is gained. */
#ifndef SCANT_I_ALTERNATE_H
#define SCANT_I_ALTERNATE_H

#include <scant/factor.h>
#include "tensor/extrapolation.h"
#include "tensor/objective.h"

/* One start: where it is, and how it got there. */
typedef struct scant_i_alternation {
    scant_i_kruskal *factors;
    scant_i_extrapolation *extrapolation; /* NULL: every round starts where the last one ended */
    scant_i_kruskal *best;                /* factors of the least loss; NULL: no round raises it */
    size_t least;                         /* the round that has it */
    size_t start, iterations;
    bool ended;
    scant_stop stop;
    scant_i_goodness goodness;
    double kkt;
    double seconds;           /* spent so far */
    scant_factor_step *trace; /* iterations */
    size_t room;
} scant_i_alternation;

typedef struct scant_i_alternate_options {
    size_t max_iter;
    double tol, kkt_tol;
    bool extrapolations;
    double deadline; /* by scant_i_seconds; INFINITY: none */
    uint64_t seed;
    size_t start, starts;
    scant_progress progress;
    void *payload;
    /* called after every iteration, or NULL */
    scant_status (*keep)(const scant_i_alternation *run, void *keeper);
    void *keeper;
} scant_i_alternate_options;

scant_status scant_i_alternation_new(scant_i_alternation **out, size_t order, const size_t *size,
                                     size_t rank);
void scant_i_alternation_free(scant_i_alternation *run);
scant_status scant_i_alternation_add(scant_i_alternation *run, scant_factor_step step);

/* The round of the trace with the least loss. */
size_t scant_i_alternation_least(const scant_i_alternation *run);
/* Lets the factors be the best, from which no run goes on. */
void scant_i_alternation_settle(scant_i_alternation *run);

/* Goes on from where the run is. */
scant_status scant_i_alternate(scant_i_alternation *run, scant_i_objective *objective,
                               const scant_i_alternate_options *options);

#endif
