/* A problem solved by one of the paper's algorithms with libscant, and how well. */
#ifndef SOLVE_H
#define SOLVE_H

#include <scant/scant.h>
#include "inform.h"
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

/* Fits from the start, over what bench_show showed: at most `max_iter` steps, and until the
 * objective rises by less than `tol` a row. */
scant_status bench_fit(scant_model **out, const bench *bench, algorithm how, size_t max_iter,
                       double tol);
/* The mixture a fit found. */
void bench_read(mixture *out, const bench *bench, const scant_model *model);
/* Information at a mixture. CA's and known shares are no parameters. */
void bench_inform(information *out, const bench *bench, algorithm how, const mixture *m);
/* Fits and measures. */
scant_status bench_solve(float *measures, const bench *bench, algorithm how);

#endif
