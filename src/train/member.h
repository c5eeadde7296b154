/* A member of the stack: one way to learn class probabilities from few labels.
 *
 * A member is one file that ends in one `const scant_i_member`, and one line in members.c. It sees rows in *spaces*
 * (space.h), never the user's columns, and labels as a table of targets. */
#ifndef SCANT_I_TRAIN_MEMBER_H
#define SCANT_I_TRAIN_MEMBER_H

#include "io/document.h"
#include "train/space.h"

/* When to stop early. Members with long loops ask between two steps; what they have then is their answer. */
typedef struct scant_i_halt {
    double limit, began; /* seconds; limit 0: none */
    bool *cancelled;     /* set by a progress callback, or NULL */
} scant_i_halt;
bool scant_i_halted(const scant_i_halt *halt);
/* For minimizations (scant_i_enough) and EM: an interrupt leaves them a few steps, so that what they have is of use. */
bool scant_i_interrupted_enough(size_t iteration, double value, void *payload);

/* What all fits of a run share. Rows 0 .. nlabeled - 1 have labels, the others have none. */
typedef struct scant_i_training {
    scant_i_view rows;
    size_t nlabeled, nclasses;
    const double *weight; /* rows.nrows */
    size_t threads;       /* of `prepare`; a fit has one */
    uint64_t seed;
    scant_i_halt halt;
} scant_i_training;

/* Labels of one fit: nlabeled x K numbers. A row sums to its weight, all in one class where the label is exact. A row of
 * zeros is held out: it has no label here, and counts as an unlabeled row. */
typedef struct scant_i_lesson {
    const double *target;
    bool last; /* the fit to all labels, which goes into the model */
} scant_i_lesson;

typedef struct scant_i_member {
    const char *name;    /* of --members, and in model files */
    const char *summary; /* a few words for the tables */
    bool unlabeled;      /* learns from unlabeled rows, too */
    bool words;          /* learns from counts (words.h), not from columns */
    /* Why the member cannot learn this task, or NULL. A text that lives forever. */
    const char *(*refuses)(const scant_i_training *task);
    /* What needs no labels, made once for all fits; may be NULL, as may `release`. */
    scant_status (*prepare)(void **out, const scant_i_training *task);
    void (*release)(void *prepared);
    scant_status (*fit)(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared);
    /* p: nrows x K, each row sums to 1. */
    scant_status (*probabilities)(double *p, const void *fitted, const scant_i_view *rows);
    scant_status (*to_json)(json_t *to, const void *fitted);
    scant_status (*from_json)(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses);
    void (*free)(void *fitted);
} scant_i_member;

extern const scant_i_member scant_i_member_logistic, scant_i_member_gaussian,
    scant_i_member_gaussian_em, scant_i_member_clusters, scant_i_member_trees, scant_i_member_tfidf,
    scant_i_member_bayes, scant_i_member_bayes_em, scant_i_member_bayes_em_weak,
    scant_i_member_topics;

/* All of them, in the order of the table; the list ends with NULL. */
extern const scant_i_member *const scant_i_members[];
const scant_i_member *scant_i_member_find(const char *name); /* or NULL */

#endif
