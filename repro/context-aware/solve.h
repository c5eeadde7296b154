/* A problem solved by one of the paper's algorithms with libscant, and how well. */
#ifndef SOLVE_H
#define SOLVE_H

#include <scant/scant.h>
#include "problem.h"

/* S sees the labels, US nothing; CA puts the context in place of the shares, WCA weighs them by
 * it, DCA takes it for the posterior (table 1 of the paper). */
typedef enum algorithm { S, US, CA, WCA, DCA } algorithm;

/* What a fit is measured by; NaN where it has no such thing. */
typedef enum measure {
    DISTANCE,   /* D: Euclidean, from the actual parameters */
    RATE,       /* r' = 1 - EM's rate */
    ERROR,      /* ASE: mean of the parameters' standard errors */
    ACCURACY,   /* of classes of the test rows, balanced; lines: mean squared error */
    BIAS,       /* B: distance of the first component less that of the second */
    CONVERGED,  /* 1, or 0: a step is not below 1e-5 after 300 iterations, or not REGULAR */
    REGULAR,    /* 1, or 0: no regular maximum, the spectral radius of J is not below 1 */
    ITERATIONS, /* EM's, to scant's own and stricter rule */
    MEASURES
} measure;

/* The rows of a problem as the library sees them, and the start all algorithms share. */
typedef struct bench {
    const problem *problem;
    scant_rows *rows, *test;
    scant_model *start;
    double *context;    /* nrows x classes */
    const char **cells; /* nrows: label cells */
    char *text;         /* nrows cells' room */
    double *predicted;  /* nrows x classes */
} bench;

scant_status bench_new(bench *out, const problem *problem);
void bench_clear(bench *bench);
/* Shows the rows' evidence for an algorithm: none, labels, or bench->context. */
scant_status bench_show(bench *bench, algorithm how);

/* What a fit found. */
typedef struct estimate {
    mixture at;
    bool regular; /* the observed information is positive definite: errors exist */
    mixture errors;
    double rate; /* EM's: the share by which a step shortens the way */
    double step; /* how far one more step goes */
    size_t iterations;
} estimate;

/* Fits from the start over what bench_show showed, `max_iter` steps at most. With DCA there is no
 * more than `at`: nothing is missing, nothing is iterated. The model goes to `*model`, for the
 * caller to free. */
scant_status bench_estimate(estimate *out, scant_model **model, const bench *bench, algorithm how,
                            size_t max_iter);
/* Fits and measures. */
scant_status bench_solve(float *measures, const bench *bench, algorithm how);

#endif
