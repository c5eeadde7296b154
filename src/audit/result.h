/* What an audit leaves behind. */
#ifndef SCANT_I_AUDIT_RESULT_H
#define SCANT_I_AUDIT_RESULT_H

#include "audit/audit.h"

struct scant_audit {
    scant_audit_summary summary;
    size_t npredictors, nclasses;
    char **predictor;              /* names, to find them again in other votes */
    scant_audit_predictor *judged; /* k */
    scant_estimate *confusion;     /* k x l x l */
    scant_estimate *prior;         /* l */
    scant_i_mixture *mixture;      /* the fit, for combining */
    char **warning;
    size_t nwarnings;
};

scant_status scant_i_audit_new(scant_audit **out, const scant_votes *votes);
scant_status scant_i_audit_warn(scant_audit *audit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
