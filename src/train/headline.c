/* What a stack expects of itself.
 *
 * Accuracy on rows like the unlabeled ones, from held-out labels, which may have been taken class by class:
 *     A = sum_k pi_k (h_k + 2 q) / (n_k + 2),   q = (h + 1) / (n + 2) over all classes
 *     interval A +- z sqrt(INFLATION sum_k pi_k^2 r_k (1 - r_k) / (n_k + 2)),   r_k = (h_k + 1) / (n_k + 2), z = 1.645: 90 %
 * n_k of class k were held out, h_k of them named right, and pi are the class proportions that the stack predicts for the
 * unlabeled rows. A row is named by weights that the labels of the other folds chose. Log loss is weighted likewise, and the
 * baselines are made from the same folds. INFLATION: hits of a fold depend on one another, pi is itself an estimate, and
 * the held-out labels are also what was trained on; over thirteen real tables with 3, 10 and 30 labels a class the squared
 * error of A was that many times the sum.
 *
 * One more label a class: errors of the same stack after half of a fold's labels and after all of them are on a curve
 * e(n) = a + b / sqrt(n), n labels a class; its slope at n is b / (2 n^1.5). The fall between the two is noisy where few
 * labels were held out, so it is drawn to what is usual: twice the labels take USUAL_FALL of the error away, give or take
 * USUAL_SPREAD (normal prior; the noise is that of the accuracy). */
#include "train/stack.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"

static const double Z90 = 1.6448536269514722, INFLATION = 1.6;
static const double USUAL_FALL = 0.15, USUAL_SPREAD = 0.1; /* over a dozen real tables */
enum { MOST_LOOKED_AT = 2000, ASKED = 10, CHUNK = 256 };

typedef struct measured {
    double accuracy, error, log_loss;
} measured;

/* Class proportions, and what labels would be worth, of unlabeled rows at even steps. */
typedef struct survey {
    double *pi;    /* K */
    double *worth; /* looked */
    size_t *row;   /* looked: working rows */
    size_t looked;
} survey;

static void clear_survey(survey *s)
{
    scant_i_free(s->pi);
    scant_i_free(s->worth);
    scant_i_free(s->row);
}

static scant_status look(survey *out, const scant_i_stack *stack, const scant_i_training *task)
{
    scant_status status = SCANT_OK;
    size_t K = stack->nclasses, n = task->rows.nrows - task->nlabeled;
    size_t looked = scant_i_min(n, MOST_LOOKED_AT);
    double *p = NULL;
    *out = (survey){.looked = looked};
    SCANT_I_TRY(SCANT_I_NEW(&out->pi, K));
    SCANT_I_TRY(SCANT_I_NEW(&out->worth, looked));
    SCANT_I_TRY(SCANT_I_NEW(&out->row, looked));
    SCANT_I_TRY(SCANT_I_NEW(&p, K));
    for (size_t i = 0; i < looked; i++) {
        size_t row = out->row[i] =
            task->nlabeled + (size_t)((double)i * (double)n / (double)looked);
        scant_i_view one = scant_i_view_part(&task->rows, row, 1);
        SCANT_I_TRY(scant_i_stack_probabilities(p, &out->worth[i], stack, &one));
        for (size_t k = 0; k < K; k++)
            out->pi[k] += p[k] / (double)looked;
    }
    if (looked == 0)
        memcpy(out->pi, stack->proportion, K * sizeof *out->pi);
done:
    scant_i_free(p);
    return status;
}

/* Weights of each fold's rows, nfolds x nmembers, by the labels of the other folds: the labels that measure the stack do
 * not choose its weights. */
static scant_status weigh_folds(double **out, const scant_i_crossed *c, const double *target,
                                size_t n, size_t K, const bool *use)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(out, c->nfolds * c->nmembers));
    for (size_t f = 0; f < c->nfolds; f++)
        SCANT_I_TRY(scant_i_stack_weigh(*out + f * c->nmembers, c, target, n, K, use, (int32_t)f));
done:
    return status;
}

/* Of the weighted members on the held-out labels; only exact labels count. `weight` is nfolds x nmembers. */
static scant_status measure(measured *out, const scant_i_crossed *c, double *const *held,
                            const double *weight, const double *target, size_t n, size_t K,
                            const double *pi, size_t *counted)
{
    scant_status status = SCANT_OK;
    double *right = NULL, *all, *loss, *p;
    *out = (measured){NAN, NAN, NAN};
    *counted = 0;
    SCANT_I_TRY(SCANT_I_NEW(&right, 4 * K));
    all = right + K;
    loss = all + K;
    p = loss + K;
    for (size_t i = 0; i < n; i++) {
        const double *t = target + i * K;
        size_t truth = 0, best = 0;
        if (c->fold[i] < 0)
            continue;
        const double *w = weight + (size_t)c->fold[i] * c->nmembers;
        for (size_t k = 0; k < K; k++) {
            p[k] = 0;
            for (size_t m = 0; m < c->nmembers; m++)
                p[k] += w[m] > 0 ? w[m] * held[m][i * K + k] : 0;
            truth = t[k] > t[truth] ? k : truth;
            best = p[k] > p[best] ? k : best;
        }
        if (t[truth] < scant_i_sum(t, K))
            continue;
        ++*counted;
        all[truth]++;
        right[truth] += best == truth;
        loss[truth] -= log(p[truth]);
    }
    double accuracy = 0, variance = 0, log_loss = 0, known = 0;
    double common = (scant_i_sum(right, K) + 1) / (scant_i_sum(all, K) + 2);
    for (size_t k = 0; k < K; k++) {
        double r = (right[k] + 1) / (all[k] + 2);
        accuracy += pi[k] * (right[k] + 2 * common) / (all[k] + 2);
        variance += INFLATION * pi[k] * pi[k] * r * (1 - r) / (all[k] + 2);
        log_loss += all[k] > 0 ? pi[k] * loss[k] / all[k] : 0;
        known += all[k] > 0 ? pi[k] : 0;
    }
    if (*counted)
        *out = (measured){accuracy, sqrt(variance), log_loss / known};
done:
    scant_i_free(right);
    return status;
}

static scant_status measure_labeled_only(double *out, const scant_i_crossed *c,
                                         const double *target, size_t n, size_t K, const double *pi)
{
    scant_status status = SCANT_OK;
    double *weight = NULL;
    bool *use = NULL, any = false;
    size_t counted;
    measured m;
    SCANT_I_TRY(SCANT_I_NEW(&use, c->nmembers));
    for (size_t i = 0; i < c->nmembers; i++)
        any |= use[i] = c->complete[i] && !c->member[i]->unlabeled;
    if (any) {
        SCANT_I_TRY(weigh_folds(&weight, c, target, n, K, use));
        SCANT_I_TRY(measure(&m, c, c->held, weight, target, n, K, pi, &counted));
        *out = m.accuracy;
    }
done:
    scant_i_free(weight);
    scant_i_free(use);
    return status;
}

/* Its place, if it was done; else nmembers. */
static size_t find_member(const scant_i_crossed *c, const scant_i_member *member)
{
    size_t at = 0;
    while (at < c->nmembers && !(c->member[at] == member && c->complete[at]))
        at++;
    return at;
}

/* Of one member alone; NaN where it was not done. */
static scant_status measure_member(double *out, const scant_i_crossed *c,
                                   const scant_i_member *member, const double *target, size_t n,
                                   size_t K, const double *pi)
{
    scant_status status = SCANT_OK;
    double *weight = NULL;
    size_t counted, at = find_member(c, member);
    measured m = {NAN, NAN, NAN};
    if (at < c->nmembers) {
        SCANT_I_TRY(SCANT_I_NEW(&weight, c->nfolds * c->nmembers));
        for (size_t f = 0; f < c->nfolds; f++)
            weight[f * c->nmembers + at] = 1;
        SCANT_I_TRY(measure(&m, c, c->held, weight, target, n, K, pi, &counted));
    }
    *out = m.accuracy;
done:
    scant_i_free(weight);
    return status;
}

/* On columns or on words, whichever is better. */
static scant_status measure_logistic(double *out, const scant_i_crossed *c, const double *target,
                                     size_t n, size_t K, const double *pi)
{
    double columns, words;
    scant_status status = measure_member(&columns, c, &scant_i_member_logistic, target, n, K, pi);
    if (status == SCANT_OK)
        status = measure_member(&words, c, &scant_i_member_tfidf, target, n, K, pi);
    if (status == SCANT_OK)
        *out = fmax(columns, words);
    return status;
}

/* What one more label a class brings, at all labels. */
static scant_status extrapolate(double *out, const scant_i_crossed *c, const double *target,
                                size_t n, size_t K, const double *pi, const double *weight,
                                const measured *whole)
{
    measured half;
    size_t counted;
    if (!c->smaller)
        return SCANT_OK;
    scant_status status = measure(&half, c, c->smaller, weight, target, n, K, pi, &counted);
    if (status != SCANT_OK || !counted)
        return status;
    double F = (double)c->nfolds, labels = (double)n / (double)K, in_fold = labels * (F - 1) / F;
    double error = 1 - half.accuracy, seen = whole->accuracy - half.accuracy;
    double noise = whole->error * whole->error, spread = USUAL_SPREAD * error;
    double fall = (seen * spread * spread + USUAL_FALL * error * noise) / (spread * spread + noise);
    double b = fmax(fall, 0) / (sqrt(2 / in_fold) - sqrt(1 / in_fold));
    *out = b / (2 * labels * sqrt(labels));
    return SCANT_OK;
}

/* The rows most worth a label, as the user counts rows. */
static scant_status choose_rows(scant_i_stack *stack, survey *s, const size_t *row)
{
    size_t n = scant_i_min(ASKED, s->looked);
    scant_status status = SCANT_I_NEW(&stack->ask, n);
    for (size_t a = 0; a < n && status == SCANT_OK; a++) {
        size_t best = 0;
        for (size_t i = 1; i < s->looked; i++)
            best = s->worth[i] > s->worth[best] ? i : best;
        stack->ask[a] = row[s->row[best]];
        s->worth[best] = -INFINITY;
    }
    stack->headline.asks = status == SCANT_OK ? n : 0;
    return status;
}

scant_status scant_i_headline(scant_i_stack *stack, const scant_i_crossed *c,
                              const scant_i_training *task, const double *target, const size_t *row)
{
    scant_status status = SCANT_OK;
    size_t n = task->nlabeled, K = task->nclasses;
    scant_headline *h = &stack->headline;
    survey s = {0};
    measured m;
    double *weight = NULL;
    SCANT_I_TRY(look(&s, stack, task));
    h->majority = 0;
    for (size_t k = 0; k < K; k++)
        h->majority = fmax(h->majority, s.pi[k]);
    bool any = false; /* a member that was done before the time was up */
    for (size_t i = 0; i < c->nmembers; i++)
        any |= c->complete[i];
    if (c->nfolds && any) {
        SCANT_I_TRY(weigh_folds(&weight, c, target, n, K, c->complete));
        SCANT_I_TRY(measure(&m, c, c->held, weight, target, n, K, s.pi, &h->held_out));
        if (h->held_out) {
            h->accuracy = m.accuracy;
            h->low = fmax(m.accuracy - Z90 * m.error, 0);
            h->high = fmin(m.accuracy + Z90 * m.error, 1);
            h->log_loss = m.log_loss;
        }
        SCANT_I_TRY(measure_labeled_only(&h->labeled_only, c, target, n, K, s.pi));
        SCANT_I_TRY(measure_logistic(&h->logistic, c, target, n, K, s.pi));
        SCANT_I_TRY(extrapolate(&h->gain, c, target, n, K, s.pi, weight, &m));
    }
    SCANT_I_TRY(choose_rows(stack, &s, row));
    SCANT_I_TRY(scant_i_stack_show(stack));
done:
    clear_survey(&s);
    scant_i_free(weight);
    return status;
}
