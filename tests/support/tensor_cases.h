/* Tensors made of known factors, and what is asked of factors that were found. */
#ifndef SCANT_T_TENSOR_CASES_H
#define SCANT_T_TENSOR_CASES_H

#include <scant/factor.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_ORDER = 5 };

typedef struct truth {
    size_t order, size[MOST_ORDER], rank, cells;
    double *factor[MOST_ORDER]; /* size x rank */
    double *x;                  /* all cells */
} truth;

/* Factors with six uniform numbers in ten and zeros, and cells that are off by a share of `noise`. */
truth truth_new(size_t order, const size_t *size, size_t rank, double noise, uint64_t seed);
void truth_free(truth *t);
/* A cell by factors (size x rank) of weight 1, or of `weight`. */
double truth_at(const truth *t, const double *const *factor, const double *weight, size_t cell);
scant_tensor *truth_dense(const truth *t);
/* Lists all cells but zeros, in an order that must not matter. */
scant_tensor *truth_sparse(const truth *t, bool zeros);

/* Squared residuals over squares, cell by cell. */
double truth_rssr(const truth *t, const scant_factors *factors);
/* The least congruence of a true component with its partner. */
double truth_congruence(const truth *t, const scant_factors *factors);

scant_factor_options factor_options(const char *rank); /* one thread */
void assert_never_rises(const scant_factors *factors);

#endif
