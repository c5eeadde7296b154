#include "audit/result.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

scant_status scant_i_audit_new(scant_audit **out, const scant_votes *votes)
{
    scant_status status = SCANT_OK;
    size_t k = votes->npredictors, l = votes->nclasses;
    scant_audit *audit = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&audit, 1));
    audit->npredictors = k;
    audit->nclasses = l;
    SCANT_I_TRY(SCANT_I_NEW(&audit->predictor, k));
    SCANT_I_TRY(SCANT_I_NEW(&audit->classes, l));
    SCANT_I_TRY(SCANT_I_NEW(&audit->judged, k));
    SCANT_I_TRY(SCANT_I_NEW(&audit->confusion, k * l * l));
    SCANT_I_TRY(SCANT_I_NEW(&audit->prior, l));
    SCANT_I_TRY(SCANT_I_NEW(&audit->S, k * l * l));
    SCANT_I_TRY(SCANT_I_NEW(&audit->N, l));
    for (size_t c = 0; c < k; c++) {
        audit->judged[c].confusion = audit->confusion + c * l * l;
        if (!(audit->predictor[c] = scant_i_strdup(votes->predictor[c])))
            SCANT_I_TRY(SCANT_ERR_MEMORY);
    }
    for (size_t j = 0; j < l; j++)
        if (!(audit->classes[j] = scant_i_strdup(scant_votes_class_name(votes, j))))
            SCANT_I_TRY(SCANT_ERR_MEMORY);
    audit->summary.prior = audit->prior;
    *out = audit;
    audit = NULL;
done:
    scant_audit_free(audit);
    return status;
}

static void free_texts(char **text, size_t n)
{
    for (size_t t = 0; text && t < n; t++)
        scant_i_free(text[t]);
    scant_i_free(text);
}

void scant_audit_free(scant_audit *audit)
{
    if (!audit)
        return;
    free_texts(audit->predictor, audit->npredictors);
    free_texts(audit->classes, audit->nclasses);
    free_texts(audit->warning, audit->nwarnings);
    scant_i_free(audit->judged);
    scant_i_free(audit->confusion);
    scant_i_free(audit->prior);
    scant_i_mixture_free(audit->mixture);
    scant_i_free(audit->cells);
    scant_i_free(audit->named);
    scant_i_free(audit->S);
    scant_i_free(audit->N);
    scant_i_free(audit);
}

scant_status scant_i_audit_warn(scant_audit *audit, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    scant_status status =
        scant_i_resize(&audit->warning, audit->nwarnings + 1, sizeof *audit->warning);
    if (status != SCANT_OK)
        return status;
    char *copy = scant_i_strdup(text);
    if (!copy)
        return SCANT_ERR_MEMORY;
    audit->warning[audit->nwarnings++] = copy;
    audit->summary.warning = (const char *const *)audit->warning;
    audit->summary.nwarnings = audit->nwarnings;
    return SCANT_OK;
}

const scant_audit_summary *scant_audit_summarise(const scant_audit *audit)
{
    return &audit->summary;
}

const scant_audit_predictor *scant_audit_predictor_at(const scant_audit *audit, size_t predictor)
{
    return predictor < audit->npredictors ? &audit->judged[predictor] : NULL;
}

const char *scant_verdict_name(scant_verdict verdict)
{
    static const char *const name[] = {"untested", "holds", "doubtful", "fails"};
    return name[verdict];
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

scant_estimate scant_i_estimate(double value, double variance, double normal)
{
    scant_estimate e = {value, sqrt(fmax(variance, 0)), value, value};
    double spread = value * (1 - value);
    if (isnan(variance) || !(spread > DBL_EPSILON))
        return (scant_estimate){value, NAN, NAN, NAN};
    double logit = log(value / (1 - value)), half = normal * e.error / spread;
    e.low = logistic(logit - half);
    e.high = logistic(logit + half);
    return e;
}
