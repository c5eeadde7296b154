/* What held-out rows say: choosing settings, and the slope of the probabilities. */
#ifndef SCANT_I_MED_HELD_H
#define SCANT_I_MED_HELD_H

#include "med/fit.h"

/* The measures of one choice of settings. Classes: log loss under the best slope, accuracy; regression: mean squared
 * error in the table's units. NaN: nothing was held out. */
typedef struct scant_i_med_measures {
    double loss, accuracy, slope;
    size_t rows;
} scant_i_med_measures;

typedef struct scant_i_med_folds {
    const scant_i_med_table *table;
    const scant_i_med_truth *truth;
    const int32_t *fold; /* n: from 0, -1: never held out */
    size_t nfolds, threads;
} scant_i_med_folds;

/* Holds out every fold under every one of `count` settings, and measures each. Fits that are cut short are left out. */
scant_status scant_i_med_hold_out(scant_i_med_measures *out, const scant_i_med_folds *folds,
                                  const scant_i_med_settings *settings, size_t count);
/* Measures of class scores (n x K, NaN: not held out). */
scant_status scant_i_med_measure(scant_i_med_measures *out, const double *score,
                                 const int32_t *class_of, const double *weight, size_t n,
                                 size_t nclasses);

/* Settings to choose from: the given ones with c, v and gamma from a grid where `search` asks for it. Newly allocated. */
typedef struct scant_i_med_search {
    bool c, variance, gamma;
} scant_i_med_search;
scant_status scant_i_med_grid(scant_i_med_settings **out, size_t *count,
                              const scant_i_med_settings *base, const scant_i_med_search *search,
                              size_t d);

#endif
