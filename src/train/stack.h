/* The stack: members, their weights, and what they say together. */
#ifndef SCANT_I_TRAIN_STACK_H
#define SCANT_I_TRAIN_STACK_H

#include <scant/train.h>
#include "train/member.h"

typedef struct scant_i_stack {
    size_t nclasses, nmembers;
    const scant_i_member **member; /* nmembers, heaviest first */
    void **fitted;
    double *weight;
    double *sharpness;  /* nmembers (sharpen.h) */
    double *proportion; /* K: of the labels */
    scant_i_spaces *spaces;
    scant_headline headline; /* its arrays: */
    const char **name;
    double *shown;
    size_t *ask;
} scant_i_stack;

scant_status scant_i_stack_new(scant_i_stack **out, size_t nclasses, size_t nmembers);
void scant_i_stack_free(void *stack);
/* Points the headline at the members and their weights. */
scant_status scant_i_stack_show(scant_i_stack *stack);

/* p: n x K, of the view's rows. With `worth` (n) also what a label of the row would be worth: the entropy of p and, once
 * more, the part of it that the members do not agree on (the entropy less the mean of the members' own). */
scant_status scant_i_stack_probabilities(double *p, double *worth, const scant_i_stack *stack,
                                         const scant_i_view *rows);

/* What cross-validation leaves. `held` are probabilities of each labeled row by members that did not see its label. */
typedef struct scant_i_crossed {
    size_t nmembers, nfolds; /* 0 folds: nothing could be held out */
    const scant_i_member **member;
    double **held;  /* nmembers x (nlabeled x K), sharpened */
    int32_t *fold;  /* nlabeled: -1 is never held out */
    double *weight; /* nmembers */
    double *sharpness;
    bool *complete; /* nmembers: done before the time was up */
    double **
        smaller; /* as `held`, by members that saw half of the other labels; NULL: was not asked for */
    bool stopped;
} scant_i_crossed;
void scant_i_crossed_clear(scant_i_crossed *crossed);

/* Weights w that maximise sum_i v_i log sum_m w_m q_im + (ALPHA - 1) sum_m log w_m, by EM from equal weights; q_im =
 * sum_k t_ik p_imk / sum_k t_ik and v_i = sum_k t_ik, over rows that were held out, those of fold `without` left out (-1:
 * none is). `use` (nmembers) NULL: all. */
scant_status scant_i_stack_weigh(double *weight, const scant_i_crossed *crossed,
                                 const double *target, size_t n, size_t K, const bool *use,
                                 int32_t without);

/* Folds, held-out probabilities and weights, then the members that carry weight fitted to all labels. */
typedef struct scant_i_stack_plan {
    const scant_i_member *const *member; /* nmembers that take the task */
    size_t nmembers, folds, threads;
    const double *target; /* nlabeled x K */
    scant_progress progress;
    void *payload;
    bool cancelled;
} scant_i_stack_plan;
scant_status scant_i_stack_train(scant_i_stack **out, scant_i_crossed *crossed,
                                 const scant_i_training *task, scant_i_stack_plan *plan);

/* Fills the headline from what was held out (headline.c). `first` is the row of the user's rows that each working row
 * is. */
scant_status scant_i_headline(scant_i_stack *stack, const scant_i_crossed *crossed,
                              const scant_i_training *task, const double *target,
                              const size_t *row);

#endif
