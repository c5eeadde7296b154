/* What the predictors know together: P(class | answers), learning-without-labels eq. 12. */
#include "audit/loglinear.h"
#include "audit/result.h"
#include "audit/rules.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "data/names.h"

/* Answers are numbers of classes: they must mean the same ones. */
static scant_status check_classes(const scant_audit *audit, const scant_votes *votes)
{
    if (votes->nclasses < audit->nclasses)
        return scant_i_fail(SCANT_ERR_INPUT, "the audit is about %zu classes, these votes have %zu",
                            audit->nclasses, votes->nclasses);
    for (size_t j = 0; j < votes->nclasses; j++) {
        const char *name = scant_votes_class_name(votes, j);
        if (j >= audit->nclasses || strcmp(name, audit->classes[j]) != 0)
            return scant_i_fail(SCANT_ERR_INPUT, "'%s' is not class %zu of the %zu audited", name,
                                j + 1, audit->nclasses);
    }
    return SCANT_OK;
}

scant_status scant_i_audit_match(size_t **out, const scant_audit *audit, const scant_votes *votes)
{
    scant_status status = SCANT_OK;
    scant_i_names names = {0};
    int32_t code;
    *out = NULL;
    SCANT_I_TRY(check_classes(audit, votes));
    SCANT_I_TRY(SCANT_I_NEW(out, votes->npredictors));
    for (size_t c = 0; c < audit->npredictors; c++)
        SCANT_I_TRY(
            scant_i_names_add(&code, &names, audit->predictor[c], strlen(audit->predictor[c])));
    for (size_t c = 0; c < votes->npredictors; c++) {
        code = scant_i_names_find(&names, votes->predictor[c], strlen(votes->predictor[c]));
        (*out)[c] = code < 0 ? SIZE_MAX : (size_t)code;
    }
done:
    scant_i_names_free(&names);
    return status;
}

/* p holds log probabilities on entry, up to a constant. */
static void normalise(double *p, size_t l)
{
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < l; j++)
        most = fmax(most, p[j]);
    for (size_t j = 0; j < l; j++) /* answers that no class gives tell nothing */
        sum += p[j] = isfinite(most) ? exp(p[j] - most) : 1;
    for (size_t j = 0; j < l; j++)
        p[j] /= sum;
}

typedef struct item {
    const int32_t *column; /* its votes */
    size_t n;
    const size_t *known; /* where their predictors stand in the audit */
} item;

/* log P(class, answers), answers independent given the class. */
static void look_independent(double *p, const scant_audit *audit, const item *votes)
{
    const scant_i_mixture *m = audit->mixture;
    size_t l = audit->nclasses;
    for (size_t j = 0; j < l; j++) {
        p[j] = log(scant_i_audit_share(m, j));
        for (size_t e = 0; e < votes->n; e++) {
            size_t c = votes->known[(size_t)votes->column[e] / l];
            size_t a = (size_t)votes->column[e] % l;
            p[j] += c == SIZE_MAX ? 0 : log(scant_i_audit_table(m, c, j)[a]);
        }
    }
}

/* Whose silence counts: that of predictors that these votes have at all. */
static void add_silence(double *p, const scant_audit *audit, const scant_votes *votes,
                        const item *it)
{
    const scant_i_mixture *m = audit->mixture;
    size_t l = audit->nclasses;
    for (size_t j = 0; j < l; j++) {
        for (size_t c = 0; c < votes->npredictors; c++)
            if (it->known[c] != SIZE_MAX)
                p[j] += log(fmax(scant_i_audit_silence(m, it->known[c], j), DBL_MIN));
        for (size_t e = 0; e < it->n; e++) {
            size_t c = it->known[(size_t)it->column[e] / l];
            if (c != SIZE_MAX)
                p[j] -= log(fmax(scant_i_audit_silence(m, c, j), DBL_MIN));
        }
    }
}

/* Votes for each class, and one more that is shared as all answers are: it settles ties. */
static void look_at_majority(double *p, const scant_audit *audit, const item *it)
{
    size_t l = audit->nclasses;
    for (size_t j = 0; j < l; j++)
        p[j] = audit->named[j];
    for (size_t e = 0; e < it->n; e++)
        p[(size_t)it->column[e] % l] += it->known[(size_t)it->column[e] / l] != SIZE_MAX;
    for (size_t j = 0; j < l; j++)
        p[j] = log(p[j]);
}

/* The same by the table of a log-linear model, whose predictors are few. */
static void look_up(double *p, const scant_audit *audit, const item *votes)
{
    size_t l = audit->nclasses;
    int32_t answer[SCANT_I_PAIRED_MOST];
    for (size_t c = 0; c < audit->npredictors; c++)
        answer[c] = -1;
    for (size_t e = 0; e < votes->n; e++) {
        size_t c = votes->known[(size_t)votes->column[e] / l];
        if (c != SIZE_MAX)
            answer[c] = (int32_t)((size_t)votes->column[e] % l);
    }
    scant_i_audit_look_up(p, audit, answer);
    for (size_t j = 0; j < l; j++)
        p[j] = log(p[j]);
}

void scant_i_audit_posterior_by(double *p, const scant_audit *audit, const int32_t *column,
                                size_t n, int32_t truth, const size_t *known)
{
    size_t l = audit->nclasses;
    const item it = {column, n, known};
    (audit->ncells ? look_up : look_independent)(p, audit, &it);
    for (size_t j = 0; truth >= 0 && j < l; j++)
        p[j] = (size_t)truth == j ? 0 : -INFINITY;
    normalise(p, l);
}

void scant_i_audit_posterior(double *p, const scant_audit *audit, const scant_votes *votes,
                             size_t item_index, const size_t *known)
{
    size_t n, l = audit->nclasses;
    const int32_t *column = scant_i_votes_of(votes, item_index, &n);
    int32_t truth = scant_votes_truth(votes, item_index);
    const item it = {column, n, known};
    if (!audit->rules || truth >= 0) {
        scant_i_audit_posterior_by(p, audit, column, n, truth, known);
        return;
    }
    if (audit->named) {
        look_at_majority(p, audit, &it);
    } else {
        look_independent(p, audit, &it);
        add_silence(p, audit, votes, &it);
    }
    normalise(p, l);
}

scant_status scant_audit_combine(double *probability, const scant_audit *audit,
                                 const scant_votes *votes)
{
    size_t *known = NULL;
    scant_status status = scant_i_audit_match(&known, audit, votes);
    for (size_t i = 0; status == SCANT_OK && i < votes->rows->nrows; i++)
        scant_i_audit_posterior(probability + i * audit->nclasses, audit, votes, i, known);
    scant_i_free(known);
    return status;
}
