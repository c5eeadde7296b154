/* Is one number a predictor enough? (learning-without-labels §2.2.2, below eq. 20)
 *
 *   G = 2 (max l_rival - max l_symmetric)   against chi-square
 * From three predictors on the rival is full confusion. One predictor's table of confusion, or two's, cannot be told;
 * there the rival is every table of answers: with n_g(x) the weight of the answers x in the group g of items that have answers of
 * the same predictors (and the same class, where it is known: given it),
 *   max l_rival = sum_g sum_x n_g(x) log(n_g(x) / n_g),   with l^m - 1 numbers for a group of m answers.
 * That sees answers whose proportions no error rate can make: one predictor of two classes answers 'a' with a chance between 1 - P_a
 * and P_a, whatever its error rate. There the maximum is at the edge, no freedom is left over, and one degree stands for the range.
 *
 * What is significant need not matter. With few answers a predictor, G is compared with what so many more numbers gain from noise
 * alone (BIC); with very many, a prior typed with two digits is refuted: G / 2 n is the divergence of the answers from the model,
 * and a shift of a hundredth of them makes 2 (1/100)^2 of it at least (Pinsker). */
#include "audit/symmetry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/distinct.h"
#include "family/votes.h"
#include "math/tails.h"

static const double LEVEL = 1e-3, SHIFT = 0.01;

/* Distinct items, those of a group next to each other. */
typedef struct place {
    const int32_t *item; /* k answers, -1: none; the class, -1: not known */
    double weight;
    size_t k;
} place;

static int compare_groups(const void *a, const void *b)
{
    const place *x = a, *y = b;
    for (size_t c = 0; c < x->k; c++)
        if ((x->item[c] < 0) != (y->item[c] < 0))
            return x->item[c] < 0 ? -1 : 1;
    return (x->item[x->k] > y->item[x->k]) - (x->item[x->k] < y->item[x->k]);
}

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int groups = compare_groups(a, b);
    return groups ? groups : memcmp(x->item, y->item, x->k * sizeof *x->item);
}

/* x log x, 0 at 0 */
static double entropy_term(double x)
{
    return x > 0 ? x * log(x) : 0;
}

/* Adds a group's part of the rival's maximum and its free numbers. */
static void add_group(double *loglik, double *degrees, const place *group, size_t n, size_t l)
{
    double total = 0, sum = 0;
    size_t answers = 0;
    for (size_t c = 0; c < group->k; c++)
        answers += group->item[c] >= 0;
    for (size_t e = 0; e < n; e++) {
        total += group[e].weight;
        sum += entropy_term(group[e].weight);
    }
    *loglik += sum - entropy_term(total);
    *degrees += total > 0 ? pow((double)l, (double)answers) - 1 : 0;
}

/* log P of the classes that are known: the rival is given them. */
static double known_part(const place *group, size_t n, const scant_i_mixture *m)
{
    int32_t known = group->item[group->k];
    double total = 0;
    for (size_t e = 0; e < n; e++)
        total += group[e].weight;
    return known >= 0 ? total * log(scant_i_audit_share(m, (size_t)known)) : 0;
}

/* Every table of answers as a rival. */
static scant_status gain_of_tables(scant_misfit *out, const scant_i_question *q,
                                   const scant_i_run *run)
{
    scant_status status = SCANT_OK;
    scant_i_distinct items = {0};
    place *at = NULL;
    size_t k = q->votes->npredictors, l = q->votes->nclasses;
    double rival = 0, degrees = 0;
    SCANT_I_TRY(scant_i_distinct_new(&items, q->votes));
    SCANT_I_TRY(SCANT_I_NEW(&at, items.n));
    for (size_t e = 0; e < items.n; e++)
        at[e] = (place){items.item + e * (k + 1), items.weight[e], k};
    qsort(at, items.n, sizeof *at, compare_places);

    for (size_t e = 0, end; e < items.n; e = end) {
        for (end = e + 1; end < items.n && compare_groups(&at[e], &at[end]) == 0;)
            end++;
        add_group(&rival, &degrees, at + e, end - e, l);
        rival += known_part(at + e, end - e, run->mixture);
    }
    double free_numbers = (double)q->active + (q->prior ? 0 : (double)(l - 1));
    out->statistic = fmax(0, 2 * (rival - run->loglik));
    out->degrees = fmax(1, degrees - free_numbers);
done:
    scant_i_distinct_clear(&items);
    scant_i_free(at);
    return status;
}

static scant_status gain_of_confusion(scant_misfit *out, const scant_i_question *q,
                                      const scant_i_audit_task *task, const scant_i_run *run)
{
    scant_i_audit_task full = *task;
    scant_i_run *rival = NULL;
    size_t l = q->votes->nclasses;
    full.family = &scant_i_confusion;
    scant_status status = scant_i_audit_fit(&rival, &full);
    if (status != SCANT_OK)
        return status;
    out->statistic = fmax(0, 2 * (rival->loglik - run->loglik));
    out->degrees = (double)q->active * (double)(l * (l - 1) - 1);
    scant_i_run_free(rival);
    return SCANT_OK;
}

/* Pseudo-votes would speak against answers that they do not agree with. */
static scant_status gain_without_pseudo_votes(scant_misfit *out, const scant_i_question *q,
                                              const scant_i_audit_task *task)
{
    scant_status status = SCANT_OK;
    scant_audit_options plain = *task->options;
    scant_i_audit_task bare = *task;
    scant_i_run *run = NULL;
    plain.smooth = 0;
    bare.options = &plain;
    SCANT_I_TRY(scant_i_audit_fit(&run, &bare));
    SCANT_I_TRY(gain_of_tables(out, q, run));
done:
    scant_i_run_free(run);
    return status;
}

scant_status scant_i_audit_symmetry(scant_misfit *out, const scant_i_question *q,
                                    const scant_i_audit_task *task, const scant_i_run *run)
{
    bool few = q->active < 3;
    scant_status status =
        few ? gain_without_pseudo_votes(out, q, task) : gain_of_confusion(out, q, task, run);
    if (status != SCANT_OK)
        return status;
    double answers = 0; /* of a predictor */
    for (size_t c = 0; c < q->votes->npredictors; c++)
        answers += (double)q->answers[c] / (double)q->active;
    bool noise = out->statistic < out->degrees * log(answers),
         slight = few && out->statistic < 4 * SHIFT * SHIFT * q->weight;
    out->p = scant_i_chi_square_tail(out->statistic, out->degrees);
    out->verdict = !(out->p < LEVEL) ? SCANT_VERDICT_HOLDS
                   : noise || slight ? SCANT_VERDICT_DOUBTFUL
                                     : SCANT_VERDICT_FAILS;
    return SCANT_OK;
}
