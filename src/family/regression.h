/* Linear regression from the inside; see regression.c for the mathematics. */
#ifndef SCANT_I_REGRESSION_H
#define SCANT_I_REGRESSION_H

#include "family/family.h"

/* Position within the factor of the k-th input, k < d - 1. */
static inline size_t scant_i_regression_input(const scant_i_factor *factor, size_t k)
{
    return k < factor->settings.target ? k : k + 1;
}
static inline double *scant_i_regression_variances(const scant_i_factor *factor)
{
    return factor->theta + factor->ncomponents * factor->ncolumns;
}

/* Scores and information (regression_score.c). */
void scant_i_regression_standardise(scant_i_factor *factor, bool to);
size_t scant_i_regression_nfeatures(const scant_i_factor *factor);
void scant_i_regression_features(const scant_i_factor *factor, const scant_i_block *block,
                                 double *phi, size_t ld, double *room);
scant_status scant_i_regression_score(const scant_i_factor *factor, size_t component,
                                      const uint8_t *present, double *A);
scant_status scant_i_regression_information(const scant_i_factor *factor, size_t component,
                                            const uint8_t *present, const double *S,
                                            double *complete, double *missing);

#endif
