/* How many of the answers that a predictor gave are wrong: an interval for that share. */
#ifndef SCANT_I_AUDIT_WRONG_H
#define SCANT_I_AUDIT_WRONG_H

#include "audit/result.h"

/* out: k. `covariance` as scant_i_audit_covariance has it; `normal`: half width of the interval, in standard errors. */
scant_status scant_i_audit_wrong(scant_estimate *out, scant_i_mixture *mixture,
                                 const scant_i_audit_task *task,
                                 const scant_i_audit_information *information,
                                 const double *covariance, double normal);

#endif
