/* What an audit leaves behind. */
#ifndef SCANT_I_AUDIT_RESULT_H
#define SCANT_I_AUDIT_RESULT_H

#include "audit/audit.h"

struct scant_audit {
    scant_audit_summary summary;
    size_t npredictors, nclasses;
    bool separate;                 /* each predictor was audited by itself */
    char **predictor, **classes;   /* names, to find them again in other votes */
    scant_audit_predictor *judged; /* k */
    scant_estimate *confusion;     /* k x l x l */
    scant_estimate *prior;         /* l */
    scant_i_mixture *mixture;      /* the fit, for combining */
    double *S, *N;                 /* expected answers (k l x l), and items of each class (l) */
    double *cells;                 /* l x ncells: p(all answers, class) of a log-linear model */
    bool rules;                    /* sources whose silence counts */
    double *named; /* l: shares of the answers, where the majority is the answer; or NULL */
    size_t ncells; /* 0: answers are independent given the class */
    char **warning;
    size_t nwarnings;
};

scant_status scant_i_audit_new(scant_audit **out, const scant_votes *votes);
/* combine.c: where each predictor of the votes stands in the audit, SIZE_MAX: nowhere; the caller
 * frees. */
scant_status scant_i_audit_match(size_t **out, const scant_audit *audit, const scant_votes *votes);
/* P(class | the item's votes), `known` as above; what is known of its truth counts. */
void scant_i_audit_posterior(double *p, const scant_audit *audit, const scant_votes *votes,
                             size_t item, const size_t *known);
/* The same by some of an item's votes; `truth` -1: its class is not known. */
void scant_i_audit_posterior_by(double *p, const scant_audit *audit, const int32_t *column,
                                size_t n, int32_t truth, const size_t *known);

/* A probability with its interval on the logit scale; variance NaN: it has none, and neither has one at 0
 * or 1, where curvature tells nothing. */
scant_estimate scant_i_estimate(double value, double variance, double normal);
scant_status scant_i_audit_warn(scant_audit *audit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
