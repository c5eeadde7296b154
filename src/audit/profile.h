/* Intervals of error rates by the profile of the likelihood. */
#ifndef SCANT_I_AUDIT_PROFILE_H
#define SCANT_I_AUDIT_PROFILE_H

#include "audit/result.h"

/* Puts them in place of those by standard errors, for each predictor whose error rate is told; an end
 * that the votes do not exclude is 0 or 1. `fit` is the maximum. Predictors are shared among threads. */
scant_status scant_i_audit_profiles(scant_audit *audit, const scant_i_audit_task *task,
                                    const scant_i_mixture *fit);

#endif
