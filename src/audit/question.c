/* Identifiability by counting: k tables and the classes' shares have to come from the l^k - 1
 * frequencies of the answers. Symmetric noise of one predictor needs a prior that is not uniform
 * (learning-without-labels §2.4.1); a table of confusion has l (l - 1) numbers. Items of every class
 * whose truth is known settle all of it. */
#include "audit/question.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/option_rows.h"
#include "base/options.h"
#include "data/prior.h"

#define AUDIT(field) offsetof(scant_audit_options, field)
static const scant_option table[] = {
    {"model", 0, SCANT_OPTION_CHOICE, AUDIT(model), "M", NULL, 0, 0,
     "symmetric|confusion|loglinear|rules",
     "one error rate a predictor, a table of confusion each (the default from three predictors "
     "on), tables with dependence between pairs, or rules, which name one class or say nothing: "
     "their silence counts (the default where most predictors are such)"},
    {"prior", 0, SCANT_OPTION_TEXT, AUDIT(prior), "SHARES", NULL, 0, 0, NULL,
     "shares of the classes: a=0.3,b=0.7, or 0.3,0.7 in the classes' order, or 'estimate' (the "
     "default) from three predictors on"},
    {"separately", 0, SCANT_OPTION_FLAG, AUDIT(separately), NULL, NULL, 0, 0, NULL,
     "each predictor by itself, as if there were no other"},
    {"smooth", 0, SCANT_OPTION_REAL, AUDIT(smooth), "VOTES", "0.1", 0, 1e6, NULL,
     "pseudo-votes for each cell of a confusion table"},
    {"ci", 0, SCANT_OPTION_REAL, AUDIT(ci), "LEVEL", "0.95", 0.5, 0.9999, NULL,
     "level of the intervals"},
    {"intervals", 0, SCANT_OPTION_CHOICE, AUDIT(intervals), "HOW", "wald", 0, 0, "wald|profile",
     "intervals of error rates: by standard errors, or where the likelihood falls so far, which "
     "takes longer and reaches 0 and 1"},
    {"max-iter", 0, SCANT_OPTION_COUNT, AUDIT(max_iter), "N", "2000", 1, 1e9, NULL,
     "iterations at most"},
    {"tol", 0, SCANT_OPTION_REAL, AUDIT(tol), "T", "1e-10", 0, 1, NULL,
     "stop when the objective rises by less than this per item; 0: never"},
    SCANT_I_ROW_TIME_LIMIT(AUDIT(time_limit)),
    SCANT_I_ROW_SEED(AUDIT(seed)),
    SCANT_I_ROW_THREADS(AUDIT(threads)),
};
enum { OPTIONS = sizeof table / sizeof *table };
static const scant_i_options_kind kind = {"scant_audit_options_preset", sizeof(scant_audit_options),
                                          table, OPTIONS};
static const double ROUNDING = 1e-6; /* shares are typed with few digits */

const scant_option *scant_audit_option_table(size_t *count)
{
    *count = OPTIONS;
    return table;
}

void(scant_audit_options_preset)(scant_audit_options *options, size_t size)
{
    scant_i_options_preset(options, size, &kind);
}

void scant_i_question_clear(scant_i_question *question)
{
    scant_i_free(question->prior);
    scant_i_free(question->answers);
    scant_i_free(question->used);
    scant_i_free(question->given);
    scant_i_free(question->known);
    *question = (scant_i_question){0};
}

/* Items of weight 0 are as if they were not there. */
static scant_status count(scant_i_question *q)
{
    scant_status status = SCANT_OK;
    const scant_votes *v = q->votes;
    size_t k = v->npredictors, l = v->nclasses;
    scant_i_evidence evidence = {0};
    scant_i_survey survey = {0};
    SCANT_I_TRY(SCANT_I_NEW(&q->answers, k));
    SCANT_I_TRY(SCANT_I_NEW(&q->used, k));
    SCANT_I_TRY(SCANT_I_NEW(&q->given, l));
    SCANT_I_TRY(SCANT_I_NEW(&q->known, l));
    SCANT_I_TRY(scant_i_audit_evidence(&evidence, v));
    SCANT_I_TRY(scant_i_survey_new(&survey, v->rows, &evidence, SCANT_I_LISTS, q->options.threads));
    q->weight = scant_i_survey_total_weight(&survey);
    q->unanswered = (size_t)survey.empty;
    for (size_t t = 0; t < k * l; t++) {
        q->answers[t / l] += (size_t)survey.listed[t];
        q->given[t % l] += (size_t)survey.listed[t];
        q->used[t / l] += survey.listed[t] > 0;
    }
    for (size_t j = 0; j < l; j++)
        q->known[j] = (size_t)survey.rows[j];
    for (size_t c = 0; c < k; c++)
        q->active += q->answers[c] > 0;
    if (!(q->weight > 0))
        status = scant_i_fail(SCANT_ERR_INPUT, "no item has a positive weight");
done:
    scant_i_survey_clear(&survey);
    scant_i_evidence_clear(&evidence);
    return status;
}

static bool every_class_known(const scant_i_question *q)
{
    for (size_t j = 0; j < q->votes->nclasses; j++)
        if (q->known[j] == 0)
            return false;
    return true;
}

/* "0.3,0.7" in the classes' order. */
static scant_status read_list(double *prior, const char *text, size_t l)
{
    size_t found = 0;
    double sum = 0;
    for (const char *item = text; *item || found == 0;) {
        size_t length = strcspn(item, ",");
        double share;
        if (!scant_i_number_parse(&share, item, length) || !(share > 0 && share <= 1))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--prior: '%.*s' is not a share above 0",
                                (int)length, item);
        if (found < l)
            prior[found] = share;
        found++;
        sum += share;
        item += length + (item[length] == ',');
    }
    if (found != l)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--prior: %zu shares for %zu classes", found, l);
    if (!(fabs(sum - 1) <= ROUNDING))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--prior: the shares add up to %.10g, not 1", sum);
    for (size_t j = 0; j < l; j++)
        prior[j] /= sum;
    return SCANT_OK;
}

static scant_status read_prior(scant_i_question *q)
{
    const char *text = q->options.prior;
    const scant_i_labels *labels = &q->votes->rows->labels;
    bool free_prior = q->active >= 3 || every_class_known(q);
    if (text ? strcmp(text, "estimate") == 0 : free_prior && !q->options.separately) {
        if (free_prior && !q->options.separately)
            return SCANT_OK;
        return scant_i_fail(
            SCANT_ERR_UNIDENTIFIED, "the classes' shares cannot be estimated from %s; give --prior",
            q->options.separately ? "one predictor at a time" : "fewer than three predictors");
    }
    if (!text)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--prior is needed: the classes' shares are estimated from three "
                            "predictors together, or more");
    scant_status status = SCANT_I_NEW(&q->prior, labels->nclasses);
    if (status != SCANT_OK)
        return status;
    if (strchr(text, ',') && !strchr(text, '='))
        return read_list(q->prior, text, labels->nclasses);
    return scant_i_prior_read(q->prior, text, labels->classes, labels->nclasses, "prior");
}

static bool is_uniform(const double *prior, size_t l)
{
    for (size_t j = 0; prior && j < l; j++)
        if (fabs(prior[j] - 1 / (double)l) > ROUNDING)
            return false;
    return prior != NULL;
}

static scant_status check_confusion(size_t m, size_t l, bool free_prior)
{
    double tables = (double)m * (double)l * (double)(l - 1),
           shares = free_prior ? (double)(l - 1) : 0;
    double frequencies = pow((double)l, (double)m) - 1;
    if (m >= 3 && tables + shares <= frequencies)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                        "full confusion of %zu predictor%s has %.0f free parameters, and answers "
                        "have %.0f frequencies: it takes three independent predictors, true "
                        "labels (--truth), or --model symmetric",
                        m, m == 1 ? "" : "s", tables + shares, frequencies);
}

static scant_status check_counts(const scant_i_question *q)
{
    size_t m = q->options.separately ? 1 : q->active, l = q->votes->nclasses;
    if (q->active == 0)
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "no predictor answers: there is nothing to judge by");
    if (every_class_known(q))
        return SCANT_OK;
    if (!q->symmetric && !q->rules)
        return check_confusion(m, l, !q->prior);
    if (m < 3 && is_uniform(q->prior, l))
        return scant_i_fail(SCANT_ERR_UNIDENTIFIED,
                            "under a uniform prior, %s: every error rate makes %s alike; it takes "
                            "three predictors, or classes of unequal shares",
                            m == 1 ? "one predictor's answers tell nothing of its errors"
                                   : "two predictors tell only how often they agree",
                            m == 1 ? "answers" : "agreement");
    return SCANT_OK;
}

/* Do most predictors that answer name one class only, and often say nothing? Of few answers either may be chance. */
static bool are_rules(const scant_i_question *q)
{
    enum { ANSWERS_LEAST = 10 };
    static const double SILENT = 0.1; /* of the items */
    size_t judged = 0, rules = 0;
    for (size_t c = 0; c < q->votes->npredictors; c++) {
        judged += q->answers[c] >= ANSWERS_LEAST;
        rules += q->answers[c] >= ANSWERS_LEAST && q->used[c] == 1 &&
                 (double)q->answers[c] < (1 - SILENT) * (double)q->votes->rows->nrows;
    }
    return rules >= 3 && 2 * rules > judged && !q->options.separately &&
           strcmp(q->options.intervals, "profile") != 0;
}

scant_status scant_i_question_new(scant_i_question *out, const scant_votes *votes,
                                  const scant_audit_options *options)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_question){.votes = votes};
    SCANT_I_TRY(scant_i_options_take(&out->options, options, &kind));
    options = &out->options;
    SCANT_I_TRY(count(out));
    size_t together = options->separately ? 1 : out->active;
    out->symmetric = options->model ? strcmp(options->model, "symmetric") == 0
                                    : together < 3 && !every_class_known(out);
    out->loglinear = options->model && strcmp(options->model, "loglinear") == 0;
    out->rules = options->model ? strcmp(options->model, "rules") == 0 : are_rules(out);
    out->profile = options->intervals && strcmp(options->intervals, "profile") == 0;
    if (out->profile && out->loglinear)
        SCANT_I_TRY(scant_i_fail(SCANT_ERR_ARGUMENT,
                                 "--intervals profile is for predictors that are independent, not "
                                 "for --model loglinear"));
    if (out->rules && out->active < 3)
        SCANT_I_TRY(
            scant_i_fail(SCANT_ERR_UNIDENTIFIED, "--model rules takes three sources, or more"));
    if (out->rules && (out->profile || options->separately))
        SCANT_I_TRY(scant_i_fail(
            SCANT_ERR_ARGUMENT,
            "--model rules has no intervals, and looks at all sources together: neither "
            "--intervals profile nor --separately goes with it"));
    if (out->active > 0)
        SCANT_I_TRY(read_prior(out));
    SCANT_I_TRY(check_counts(out));
done:
    if (status != SCANT_OK)
        scant_i_question_clear(out);
    return status;
}
