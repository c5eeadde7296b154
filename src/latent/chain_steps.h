/* The steps of one sequence, for the kernels of chains (chain.h, kernels/chain.c). Lines are `stride`
 * numbers and aligned, tables M lines; the padding of lines is 0, of L -inf. */
#ifndef SCANT_I_LATENT_CHAIN_STEPS_H
#define SCANT_I_LATENT_CHAIN_STEPS_H

#include <stddef.h>

/* The least that is computed with: a weight relative to its step's largest, a forward share, and a
 * transition that is not known to be 0. Products of the three are normal numbers, so that a state is
 * out of reach if and only if its share is 0. */
#define SCANT_I_CHAIN_WEIGHT 1e-130
#define SCANT_I_CHAIN_SHARE 1e-120
#define SCANT_I_CHAIN_TRANSITION 1e-50

typedef struct scant_i_chain_steps {
    size_t n, stride, M;
    double beta;
    const double *start; /* start and transitions to the power beta */
    const double *A;     /* table: from line i to number j */
    const double *back;  /* table: the transpose */
    const double *L;     /* n lines: log densities and evidence */
    double *r;           /* n lines: w times the responsibilities */
    double *weight;      /* n lines: e, then u */
    double *forward;     /* n lines */
    double *top, *scale; /* n */
} scant_i_chain_steps;

/* What the backward pass found. */
typedef struct scant_i_chain_found {
    double log_joint; /* sum of responsibilities times L */
    double doubt;     /* the largest responsibility that rests on one of the least numbers */
    double total;     /* sum of the first step's responsibilities: 1 */
} scant_i_chain_found;

#endif
