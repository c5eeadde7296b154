/* Cross-validation for those who do it many times. */
#ifndef SCANT_I_CV_H
#define SCANT_I_CV_H

#include <scant/fit.h>

/* What learns a model from a fold's rows, and what it is told. */
typedef struct scant_i_learner {
    /* `time_limit` in seconds, 0: none. */
    scant_status (*learn)(scant_model **out, const scant_rows *rows, double time_limit,
                          const void *options);
    const void *options;
    const char *target; /* the column of a regression, or NULL */
    uint64_t seed;      /* of the folds */
    size_t threads;
    double time_limit; /* of all folds together */
    bool whole;        /* held-out groups are predicted with all their rows, as sequences are */
} scant_i_learner;

/* Each fold is measured by what learns from the others; `labelled_only`: from their rows with a label. */
scant_status scant_i_cv(scant_cv *out, const scant_rows *rows, const scant_i_learner *learner,
                        size_t nfolds, bool labelled_only, bool warn);

/* scant_cv_fit without its warnings. */
scant_status scant_i_cv_fit(scant_cv *out, const scant_rows *rows, const scant_fit_options *options,
                            size_t nfolds);
/* The same, but held-out groups are predicted with all their rows, not only those that have a label. */
scant_status scant_i_cv_fit_whole(scant_cv *out, const scant_rows *rows,
                                  const scant_fit_options *options, size_t nfolds);
/* Warns of classes that are in one fold alone, `fold` being that of each row or -1 (always in
 * training): the others have nothing to learn them from. */
scant_status scant_i_cv_warn(const int32_t *fold, const scant_rows *rows, size_t nfolds);

#endif
