/* The best classifier from few labels: a stack of different members, weighed by held-out labels. */
#ifndef SCANT_TRAIN_H
#define SCANT_TRAIN_H

#include <scant/data.h>
#include <scant/model.h>
#include <scant/options.h>
#include <scant/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Preset it with scant_train_options_preset; every field but the first and the last two has a row in the table.
 * Texts are borrowed; free the list with scant_options_clear. */
typedef struct scant_train_options {
    size_t size;         /* by the preset */
    scant_texts members; /* names of scant_train_member; empty: all */
    size_t folds;        /* at most, for the weights of the members */
    size_t sample;       /* unlabeled rows that are learned from, at most */
    double label_noise;  /* share of labels that are wrong; 0: none */
    double time_limit;   /* seconds; 0: none */
    uint64_t seed;
    size_t threads; /* 0: OMP_NUM_THREADS, else all cores */
    scant_progress progress;
    void *payload;
} scant_train_options;

SCANT_API const scant_option *scant_train_option_table(size_t *count);
SCANT_API void scant_train_options_preset(scant_train_options *options, size_t size);
#define scant_train_options_preset(options) (scant_train_options_preset)(options, sizeof *(options))

/* Name and summary of a member; false: there are no more. */
SCANT_API bool scant_train_member(size_t index, const char **name, const char **summary);

/* Trains every member on folds of the labeled rows, weighs them by the probability that they give to held-out labels, and
 * fits those with weight to all labels. Members see numbers and categories (as indicators) in standard units, missing
 * cells as the column's mean or most frequent category. Unlabeled rows past `sample` are left out, by even steps; so are
 * labeled rows past 50 000. Sparse rows are counts of words for members of their own, and up to 1000 columns a table too.
 *
 *     scant_train_options options;
 *     scant_train_options_preset(&options);
 *     scant_model *model = NULL;
 *     if (scant_train(&model, rows, &options) == SCANT_OK)
 *         printf("%g right\n", scant_model_headline(model)->accuracy);
 *
 * The model answers scant_model_predict, _evaluate and _write as others do; it has no components, and `support` and
 * `loglik` of its predictions are NaN. Same seed, same bytes, for any number of threads. When the time is up or an
 * interrupt comes, members that are not done are left out, and the summary's `stop` says so.
 * SCANT_ERR_INPUT: no labels, or labels of one class only. O(rows of the sample x columns x members). */
SCANT_API scant_status scant_train(scant_model **out, const scant_rows *rows,
                                   const scant_train_options *options);

/* What a stack expects of itself, from labels that were held out. NaN: not known. */
typedef struct scant_headline {
    double accuracy;     /* expected on rows like the unlabeled ones */
    double low, high;    /* its 90 % interval */
    double log_loss;     /* likewise */
    double majority;     /* accuracy of always naming the most frequent class */
    double labeled_only; /* of the stack without the members that learn from unlabeled rows */
    double logistic;     /* of logistic regression on the labeled rows */
    double gain;         /* in accuracy, expected of one more label in each class */
    size_t held_out;     /* labels that were held out once */
    size_t folds;        /* 0: nothing could be held out, and members have equal weights */
    size_t members;
    const char *const *name; /* of each member in the stack, heaviest first */
    const double *weight;
    size_t asks;       /* unlabeled rows most worth a label, */
    const size_t *ask; /* numbered from 0 */
} scant_headline;

/* NULL: the model is not a stack. Borrowed. */
SCANT_API const scant_headline *scant_model_headline(const scant_model *model);

#ifdef __cplusplus
}
#endif
#endif
