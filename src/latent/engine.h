/* The engine: one loop for every fit.
 *
 * It alternates the E-step (a pass) and the M-step from one start or several, watches the
 * objective, the clock and the interrupt, and keeps the best run. What is fitted comes in from
 * outside as a mixture with its coupling laid out (W > 0 where a component may serve a class), so
 * no method has a name in here. */
#ifndef SCANT_I_ENGINE_H
#define SCANT_I_ENGINE_H

#include "latent/start.h"

/* One run from one start: parameters, and what is known of them. */
typedef struct scant_i_run {
    scant_i_mixture *mixture;
    size_t start;      /* which start, from 0 */
    size_t iterations; /* M-steps since the start */
    scant_stop stop;
    double objective; /* its value + log prior, at `mixture` */
    double loglik;
    double weight;
    double entropy;
    double
        error_growth; /* how many times extrapolations have multiplied the rounding of `mixture`; 1: not */
    double *N;        /* K x stride: expected rows of component j and class k */
    double *labelled; /* K x stride: those exactly labelled k */
    bool healthy;     /* no component at a floor, or with fewer rows than its parameters need */
    double *trace;    /* objective per unit weight before each M-step and at the end */
    size_t ntrace, trace_room;
} scant_i_run;

/* A run that has not begun, with the layout's parameters. */
scant_status scant_i_run_new(scant_i_run **out, const scant_i_mixture *layout, size_t start);
void scant_i_run_free(scant_i_run *run);

/* Where a fit stands between two iterations: enough to go on with the same bits. */
typedef struct scant_i_progress_state {
    const scant_i_run *current;
    const scant_i_run *best; /* of the starts before, or NULL; `current`: of all, and goes on */
    size_t starts_done;
} scant_i_progress_state;

typedef struct scant_i_engine_options {
    const scant_i_latent_objective *objective; /* NULL: likelihood */
    size_t starts;                             /* at least 1 */
    size_t max_iter;                           /* M-steps of a start */
    double tol;        /* least rise of the objective per unit weight; 0: go on to max_iter */
    double time_limit; /* seconds, 0: none */
    bool squarem, anneal;
    bool climbs; /* by the gradient, L-BFGS in coordinates.h, in place of M-steps; not annealed */
    bool given;  /* the mixture's parameters are the (only) start */
    scant_i_start_kind kind;
    uint64_t seed;
    size_t threads;
    const scant_i_cancel *cancel; /* ends the fit; NULL: an interrupt does */
    scant_progress progress;
    void *payload;
    /* Called every `save_every` seconds and when the fit is cut short; NULL: never. */
    scant_status (*save)(const scant_i_progress_state *state, void *payload);
    void *save_payload;
    double save_every;
    /* Called with every run that has ended; NULL: never. */
    scant_status (*ended)(const scant_i_run *run, void *payload);
    void *ended_payload;
    /* What `save` was given, to go on from; the engine takes both runs over. NULL: from the
     * beginning. */
    scant_i_run *resume_current, *resume_best;
} scant_i_engine_options;

/* Fits and returns the best run. `mixture` is the layout (and the start, where `given`) and is left
 * alone. */
scant_status scant_i_engine_fit(scant_i_run **out, const scant_i_mixture *mixture,
                                const scant_rows *rows, const scant_i_evidence *evidence,
                                const scant_i_engine_options *options);

/* One pass over the rows without the mixture's R, which it drops: the log-likelihood of rows and
 * evidence, the components' entropy and counts, and the labelled ones. With `name` it gives components to classes and leaves all else
 * as it is: the share of component j's weight that falls to class k among rows whose evidence tells
 * classes apart. */
scant_status scant_i_engine_judge(scant_i_run *run, const scant_rows *rows,
                                  const scant_i_evidence *evidence, size_t threads, bool name);

/* What components are made of, going by the rows alone: C (M x (labels + 1)) has the weight of rows
 * labelled exactly y, and last of those without any evidence, that fall to component j when nothing
 * is known of their class. One pass. */
scant_status scant_i_engine_compose(double *C, scant_i_mixture *mixture, const scant_rows *rows,
                                    const scant_i_evidence *evidence, size_t threads);

#endif
