/* Labelling policies: what is bought of a unit, and what that tells.
 *
 * A policy labels part of a unit: nothing or all of a row; of a sequence, later, some of its
 * elements. A plan is a mixture of policies with shares lambda (learning without labels §4.6-4.7,
 * eq. 86), and the information of a unit is the mixture of theirs,
 *     Sigma = sum_p lambda_p I_p,     I_p = E[-d2 log p(what p shows, x)].
 * A further policy is a row of the table. */
#ifndef SCANT_I_POLICY_H
#define SCANT_I_POLICY_H

#include "inform/information.h"
#include "model/model.h"

typedef struct scant_i_policy {
    const char *name, *summary;
    /* Labels to pay for, of a unit of so many elements (a row has one). */
    size_t (*labels)(size_t length);
    /* Evidence as the policy would show it, in expectation over the labels that the model holds for
     * likely: `classes` (n x K) has P(k | x). *code is the rows' codes, to be freed. */
    scant_status (*show)(scant_i_evidence *out, int32_t **code, const scant_rows *rows,
                         const double *classes, size_t nclasses);
} scant_i_policy;

extern const scant_i_policy scant_i_policy_none, scant_i_policy_row;
/* The table of them; NULL past the end. */
const scant_i_policy *scant_i_policy_at(size_t index);

/* Information of the rows (dense) under a policy, summed over their weights. */
scant_status scant_i_policy_inform(scant_i_information *out, const scant_i_policy *policy,
                                   const scant_i_mixture *mixture, const scant_rows *rows,
                                   const double *classes, size_t threads);

#endif
