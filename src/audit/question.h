/* What an audit is asked, and whether counting alone says that it cannot be answered. */
#ifndef SCANT_I_AUDIT_QUESTION_H
#define SCANT_I_AUDIT_QUESTION_H

#include "audit/audit.h"

typedef struct scant_i_question {
    const scant_votes *votes;
    scant_audit_options options; /* the caller's, checked */
    double *prior;               /* l, or NULL: estimated */
    bool symmetric, loglinear;
    bool rules;        /* sources that name one class or say nothing: silence is an answer */
    bool profile;      /* intervals by the profile of the likelihood */
    double weight;     /* of all items */
    size_t active;     /* predictors that answer at all */
    size_t *answers;   /* k */
    size_t *used;      /* k: different answers that the predictor gives */
    size_t *given;     /* l: answers of each class */
    size_t *known;     /* l: items known to be of each class */
    size_t unanswered; /* items without answers */
} scant_i_question;

/* SCANT_ERR_ARGUMENT: the prior or the model makes no sense; SCANT_ERR_UNIDENTIFIED with the reason
 * where parameters are more than frequencies. */
scant_status scant_i_question_new(scant_i_question *out, const scant_votes *votes,
                                  const scant_audit_options *options);
void scant_i_question_clear(scant_i_question *question);

#endif
