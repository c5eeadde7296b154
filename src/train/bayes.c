/* The members "bayes", "bayes-em" and "bayes-em-weak": multinomial naive Bayes on counts (words.h), by labels alone and by
 * EM with unlabeled rows of weight U = 1 and 0.1.
 *
 *   log p(x, k) = log pi_k + sum_j c_j log theta_jk
 *   M  theta_jk = (s_jk + PSEUDO) / sum_j (s_jk + PSEUDO),   s = sum_i r_i c_i'
 *   E  r_ik = w_i softmax_k(log p(x_i, k) + log t_ik), t the row's target; an unlabeled row has t = 1 and weight U w_i
 *
 * EM raises sum_i w_i log sum_k t_ik p(x_i, k) over labeled rows and U times that over the others, + PSEUDO sum log theta. It
 * starts from the labels' fit and takes STEPS steps: further ones follow the unlabeled rows away from the labels. The
 * proportions pi stay those of the labels, as in "gaussian-em".
 * Cost: 4 K flop an entry and step. */
#include "train/member.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "train/ridge.h"

static const double PSEUDO = 0.1, WEAK = 0.1;
enum { STEPS = 10 };

typedef struct bayes {
    size_t width, K, lanes;
    double *log_theta; /* width x lanes */
    double *log_pi;    /* K; -inf: a class without labels */
    double *rare;      /* K: log theta of a word without counts */
} bayes;

static void free_bayes(void *fitted)
{
    bayes *m = fitted;
    if (!m)
        return;
    scant_i_free(m->log_theta);
    scant_i_free(m->log_pi);
    scant_i_free(m->rare);
    scant_i_free(m);
}

static scant_status new_bayes(bayes **out, size_t width, size_t K)
{
    scant_status status = SCANT_OK;
    bayes *m = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    m->width = width;
    m->K = K;
    m->lanes = scant_i_words_lanes(K);
    SCANT_I_TRY(SCANT_I_NEW(&m->log_pi, K));
    SCANT_I_TRY(SCANT_I_NEW(&m->rare, K));
    *out = m;
    m = NULL;
done:
    free_bayes(m);
    return status;
}

static const char *refuses(const scant_i_training *task)
{
    return task->rows.nwords ? NULL : "there are no counts of words";
}

/* The table of sums becomes log theta. `total` has K numbers. */
static void estimate(bayes *m, double *total)
{
    memset(total, 0, m->K * sizeof *total);
    for (size_t j = 0; j < m->width; j++)
        for (size_t k = 0; k < m->K; k++)
            total[k] += m->log_theta[j * m->lanes + k] + PSEUDO;
    for (size_t k = 0; k < m->K; k++) {
        total[k] = log(total[k]);
        m->rare[k] = log(PSEUDO) - total[k];
    }
    for (size_t j = 0; j < m->width; j++)
        for (size_t k = 0; k < m->K; k++) {
            double *cell = &m->log_theta[j * m->lanes + k];
            *cell = *cell > 0 ? log(*cell + PSEUDO) - total[k] : m->rare[k];
        }
}

/* logp of row i: lanes numbers */
static void log_joint(double *logp, const bayes *m, const scant_i_csr *counts, size_t i)
{
    scant_i_words_gather(logp, m->log_theta, m->lanes, counts, i);
    for (size_t k = 0; k < m->K; k++)
        logp[k] += m->log_pi[k];
}

/* Responsibilities of row i into r (lanes). */
static void share_out(double *r, const bayes *m, const scant_i_training *task,
                      const scant_i_lesson *lesson, double unlabeled, size_t i)
{
    size_t K = m->K, possible = 0;
    const double *t = i < task->nlabeled ? lesson->target + i * K : NULL;
    double known = t ? scant_i_sum(t, K) : 0,
           weight = known > 0 ? known : unlabeled * task->weight[i];
    for (size_t k = 0; k < K && known > 0; k++)
        possible += t[k] > 0;
    if (possible == 1) {
        memcpy(r, t, K * sizeof *r);
        return;
    }
    log_joint(r, m, &task->rows.counts, i);
    for (size_t k = 0; k < K && known > 0; k++)
        r[k] += t[k] > 0 ? log(t[k] / known) : -INFINITY;
    (void)scant_i_softmax(r, K);
    for (size_t k = 0; k < K; k++)
        r[k] *= weight;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        double unlabeled)
{
    scant_status status = SCANT_OK;
    size_t K = task->nclasses;
    bayes *m = NULL;
    double *sum = NULL, *r = NULL, *total = NULL, all = 0;
    SCANT_I_TRY(new_bayes(&m, task->rows.nwords, K));
    SCANT_I_TRY(SCANT_I_NEW(&m->log_theta, m->width * m->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&sum, m->width * m->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&r, m->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&total, K));
    for (size_t i = 0; i < task->nlabeled; i++) {
        memcpy(r, lesson->target + i * K, K * sizeof *r);
        for (size_t k = 0; k < K; k++)
            total[k] += r[k];
        scant_i_words_scatter(m->log_theta, r, m->lanes, &task->rows.counts, i);
    }
    all = scant_i_sum(total, K);
    for (size_t k = 0; k < K; k++)
        m->log_pi[k] = log(total[k] / all);
    estimate(m, total);

    size_t steps = unlabeled > 0 ? STEPS : 0;
    for (size_t step = 0; step < steps && !scant_i_halted(&task->halt); step++) {
        memset(sum, 0, m->width * m->lanes * sizeof *sum);
        for (size_t i = 0; i < task->rows.nrows; i++) {
            share_out(r, m, task, lesson, unlabeled, i);
            scant_i_words_scatter(sum, r, m->lanes, &task->rows.counts, i);
        }
        double *before = m->log_theta;
        m->log_theta = sum;
        sum = before;
        estimate(m, total);
    }
    *out = m;
    m = NULL;
done:
    free_bayes(m);
    scant_i_free(sum);
    scant_i_free(r);
    scant_i_free(total);
    return status;
}

static scant_status fit_labels(void **out, const scant_i_training *task,
                               const scant_i_lesson *lesson, const void *prepared)
{
    (void)prepared;
    return fit(out, task, lesson, 0);
}

static scant_status fit_em(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                           const void *prepared)
{
    (void)prepared;
    return fit(out, task, lesson, 1);
}

static scant_status fit_weak(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                             const void *prepared)
{
    (void)prepared;
    return fit(out, task, lesson, WEAK);
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    const bayes *m = fitted;
    double *logp = NULL;
    scant_status status = SCANT_I_NEW(&logp, m->lanes);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++) {
        log_joint(logp, m, &rows->counts, i);
        (void)scant_i_softmax(logp, m->K);
        memcpy(p + i * m->K, logp, m->K * sizeof *p);
    }
    scant_i_free(logp);
    return status;
}

static scant_status to_json(json_t *to, const void *fitted)
{
    scant_status status = SCANT_OK;
    const bayes *m = fitted;
    double *pi = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&pi, m->K));
    for (size_t k = 0; k < m->K; k++)
        pi[k] = exp(m->log_pi[k]);
    SCANT_I_TRY(scant_i_put_table(to, "proportions", pi, 1, m->K));
    SCANT_I_TRY(scant_i_put_table(to, "rare", m->rare, 1, m->K));
    SCANT_I_TRY(scant_i_put_words(to, "log_theta", m->log_theta, m->width, m->K, m->rare));
done:
    scant_i_free(pi);
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    bayes *m = NULL;
    SCANT_I_TRY(new_bayes(&m, spaces->words ? spaces->words->width : 0, nclasses));
    scant_i_free(m->log_pi);
    scant_i_free(m->rare);
    m->log_pi = m->rare = NULL;
    SCANT_I_TRY(scant_i_get_table(&m->log_pi, place, from, "proportions", 1, m->K));
    SCANT_I_TRY(scant_i_get_table(&m->rare, place, from, "rare", 1, m->K));
    SCANT_I_TRY(
        scant_i_get_words(&m->log_theta, place, from, "log_theta", m->width, m->K, m->rare));
    for (size_t k = 0; k < m->K; k++)
        if (m->log_pi[k] < 0 || !(scant_i_sum(m->log_pi, m->K) > 0)) {
            status = scant_i_place_fail(place, "has proportions that are none");
            goto done;
        }
    for (size_t k = 0; k < m->K; k++)
        m->log_pi[k] = log(m->log_pi[k]);
    *out = m;
    m = NULL;
done:
    free_bayes(m);
    return status;
}

#define BAYES(variable, its_name, its_summary, learns, its_fit)                                    \
    const scant_i_member variable = {                                                              \
        .name = its_name,                                                                          \
        .summary = its_summary,                                                                    \
        .unlabeled = learns,                                                                       \
        .words = true,                                                                             \
        .refuses = refuses,                                                                        \
        .fit = its_fit,                                                                            \
        .probabilities = probabilities,                                                            \
        .to_json = to_json,                                                                        \
        .from_json = from_json,                                                                    \
        .free = free_bayes,                                                                        \
    }

BAYES(scant_i_member_bayes, "bayes", "naive Bayes of labeled texts", false, fit_labels);
BAYES(scant_i_member_bayes_em, "bayes-em", "naive Bayes by EM with unlabeled texts", true, fit_em);
BAYES(scant_i_member_bayes_em_weak, "bayes-em-weak", "the same, unlabeled texts at weight 0.1",
      true, fit_weak);
