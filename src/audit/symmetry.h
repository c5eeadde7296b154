/* Does the symmetric model make the answers that were seen? */
#ifndef SCANT_I_AUDIT_SYMMETRY_H
#define SCANT_I_AUDIT_SYMMETRY_H

#include "audit/question.h"

/* Twice the log-likelihood that a model with more freedom gains, against chi-square: full confusion from three
 * predictors on, and below that every table of answers there is. */
scant_status scant_i_audit_symmetry(scant_misfit *out, const scant_i_question *q,
                                    const scant_i_audit_task *task, const scant_i_run *run);

#endif
