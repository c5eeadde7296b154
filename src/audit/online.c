/* Votes that come later: the audit moves on without the old votes being seen again.
 *
 * EM raises its bound whichever items' expectations are brought up to date (Neal and Hinton 1998), so
 * those of the items audited before are kept as sums, S and N, and only the new items' are made
 * again at each step:
 *   S' = S + sum over new votes of r_i,   N' = N + sum_i r_i,   tables and prior from S' and N'. */
#include "audit/result.h"

#include <math.h>
#include <string.h>

#include "family/votes.h"

enum { ROUNDS = 20 };
static const double SETTLED = 1e-8;

/* S and N of the new votes at the audit's present tables. Where predictors were audited each by itself, a
 * vote is seen by itself. */
static void expect(double *S, double *N, const scant_audit *audit, const scant_votes *more,
                   const size_t *known, double *p)
{
    size_t l = audit->nclasses;
    for (size_t i = 0; i < more->rows->nrows; i++) {
        size_t n;
        const int32_t *column = scant_i_votes_of(more, i, &n);
        scant_i_audit_posterior(p, audit, more, i, known);
        double w = scant_rows_weight(more->rows, i);
        for (size_t j = 0; j < l; j++)
            N[j] += w * p[j];
        for (size_t e = 0; e < n; e++) {
            size_t c = known[(size_t)column[e] / l];
            if (audit->separate)
                scant_i_audit_posterior_by(p, audit, column + e, 1, scant_votes_truth(more, i),
                                           known);
            for (size_t j = 0; c != SIZE_MAX && j < l; j++)
                S[(c * l + (size_t)column[e] % l) * l + j] += w * p[j];
        }
    }
}

/* The families' M-step wants the layout of a pass: rows as wide as the mixture's stride. */
static scant_status maximise(scant_i_mixture *m, const double *S, const double *N, double *padded)
{
    size_t l = m->nclasses, rows = m->factor[0]->ncolumns * l;
    double sum = 0;
    for (size_t e = 0; e < rows; e++)
        memcpy(padded + e * m->stride, S + e * l, l * sizeof *S);
    for (size_t j = 0; j < l; j++)
        sum += N[j];
    for (size_t j = 0; j < l && !m->coupling.prior; j++)
        m->coupling.W[j * m->stride + j] = N[j] / sum;
    return m->factor[0]->family->pass->maximise(m->factor[0], padded);
}

/* Answers of each of the audit's predictors. */
static void count(size_t *answers, const scant_votes *more, const size_t *known)
{
    for (size_t i = 0; i < more->rows->nrows; i++) {
        size_t n;
        const int32_t *column = scant_i_votes_of(more, i, &n);
        for (size_t e = 0; e < n && scant_rows_weight(more->rows, i) > 0; e++) {
            size_t c = known[(size_t)column[e] / more->nclasses];
            if (c != SIZE_MAX)
                answers[c]++;
        }
    }
}

/* What the audit tells, from its mixture and counts. A predictor that could not be told still cannot be
 * where it gave no new answers, or only its own would tell. */
static void report(scant_audit *audit, const size_t *answers)
{
    const scant_i_mixture *m = audit->mixture;
    size_t l = audit->nclasses;
    for (size_t c = 0; c < audit->npredictors; c++) {
        scant_audit_predictor *judged = &audit->judged[c];
        bool told = !isnan(judged->error.value) || (answers[c] && !audit->separate);
        double right = 0, all = 0;
        for (size_t t = 0; t < l * l; t++) { /* answer t / l, class t % l */
            all += audit->S[c * l * l + t];
            right += t / l == t % l ? audit->S[c * l * l + t] : 0;
            double p = scant_i_audit_table(m, c, t / l)[t % l]; /* class t / l, answer t % l */
            audit->confusion[c * l * l + t] = (scant_estimate){told ? p : NAN, NAN, NAN, NAN};
        }
        judged->answers += answers[c];
        judged->wrong = (scant_estimate){1 - right / all, NAN, NAN, NAN};
        judged->error = (scant_estimate){told ? scant_i_audit_error(m, c) : NAN, NAN, NAN, NAN};
    }
    for (size_t j = 0; j < l && !m->coupling.prior; j++)
        audit->prior[j] = (scant_estimate){scant_i_audit_share(m, j), NAN, NAN, NAN};
}

static double largest_change(const double *a, const double *b, size_t n)
{
    double largest = 0;
    for (size_t t = 0; t < n; t++)
        largest = fmax(largest, fabs(a[t] - b[t]));
    return largest;
}

scant_status scant_audit_update(scant_audit *audit, const scant_votes *more)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *m = audit->mixture;
    size_t k = audit->npredictors, l = audit->nclasses, nS = k * l * l, ntheta = k * l * l;
    size_t *known = NULL, *answers = NULL;
    double *S = NULL, *padded = NULL, *before = NULL, *p = NULL, change = 1;
    if (audit->ncells || audit->rules)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "log-linear models are not updated, but made anew");
    SCANT_I_TRY(scant_i_audit_match(&known, audit, more));
    SCANT_I_TRY(SCANT_I_NEW(&answers, k));
    SCANT_I_TRY(SCANT_I_NEW(&S, nS + l));
    SCANT_I_TRY(SCANT_I_NEW(&padded, k * l * m->stride));
    SCANT_I_TRY(SCANT_I_NEW(&before, ntheta));
    SCANT_I_TRY(SCANT_I_NEW(&p, l));
    double *N = S + nS;
    for (size_t round = 0; round < ROUNDS && change > SETTLED; round++) {
        memcpy(S, audit->S, nS * sizeof *S);
        memcpy(N, audit->N, l * sizeof *N);
        memcpy(before, m->factor[0]->theta, ntheta * sizeof *before);
        expect(S, N, audit, more, known, p);
        SCANT_I_TRY(maximise(m, S, N, padded));
        change = largest_change(before, m->factor[0]->theta, ntheta);
    }
    memcpy(audit->S, S, nS * sizeof *S);
    memcpy(audit->N, N, l * sizeof *N);
    count(answers, more, known);
    report(audit, answers);
done:
    scant_i_free(known);
    scant_i_free(answers);
    scant_i_free(S);
    scant_i_free(padded);
    scant_i_free(before);
    scant_i_free(p);
    return status;
}
