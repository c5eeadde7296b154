/* Sources that name one class or say nothing (labelling rules): what their fit says of them. */
#ifndef SCANT_I_AUDIT_RULES_H
#define SCANT_I_AUDIT_RULES_H

#include "audit/question.h"
#include "audit/result.h"
#include "family/votes.h"

static inline bool scant_i_audit_is_rules(const scant_i_mixture *m)
{
    return m->factor[0]->family == &scant_i_rules;
}
/* P(predictor says nothing | class) */
double scant_i_audit_silence(const scant_i_mixture *m, size_t predictor, size_t class_index);
/* Error rates and confusion without intervals, and the test of independence. */
scant_status scant_i_audit_judge_rules(scant_audit *audit, size_t *told,
                                       const scant_i_question *question,
                                       const scant_i_audit_task *task, scant_i_mixture *mixture);

#endif
