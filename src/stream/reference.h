/* Rows that stand for a model, so that what it knows can be weighed against rows that are seen. */
#ifndef SCANT_I_REFERENCE_H
#define SCANT_I_REFERENCE_H

#include "model/model.h"

typedef struct scant_i_reference {
    size_t nrows, npairs;
    double *cells;     /* nrows x the model's columns */
    double *weight;    /* nrows, adding up to 1 */
    size_t *pair;      /* nrows: which of the pairs made the row */
    size_t *component; /* npairs */
    size_t *class_of;  /* npairs: column of the coupling */
} scant_i_reference;

/* About `nrows` rows, shared evenly by the pairs of component and class with W[k][j] > 0; those of
 * a pair have W[k][j] for weight. Gaussian columns have exactly the component's mean and
 * covariance; others are drawn, always the same. */
scant_status scant_i_reference_new(scant_i_reference *out, const scant_model *model, size_t nrows);
void scant_i_reference_clear(scant_i_reference *reference);

#endif
