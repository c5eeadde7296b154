/* The member "tfidf": multinomial logistic regression on tf-idf of the labeled texts (words.h).
 *
 *   minimise C sum_i sum_k -t_ik log p_ik + |B|^2 / 2,   p_i = softmax(B'z_i + b)
 *
 * by L-BFGS on the words that labeled rows have: weights of all others are 0 at the optimum.
 * Cost: 4 K flop an entry of the labeled rows and evaluation. */
#include "train/member.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "solve/descend.h"
#include "train/ridge.h"

static const double C = 10;
static const double TOLERANCE =
    1e-9; /* of the objective: probabilities are then good to three digits */
enum { MOST_ITERATIONS = 500 };

typedef struct tfidf {
    size_t width, K, lanes;
    double *B;    /* width x lanes */
    double *bias; /* lanes */
} tfidf;

static void free_tfidf(void *fitted)
{
    tfidf *m = fitted;
    if (!m)
        return;
    scant_i_free(m->B);
    scant_i_free(m->bias);
    scant_i_free(m);
}

static scant_status new_tfidf(tfidf **out, size_t width, size_t K)
{
    scant_status status = SCANT_OK;
    tfidf *m = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    *m = (tfidf){.width = width, .K = K, .lanes = scant_i_words_lanes(K)};
    SCANT_I_TRY(SCANT_I_NEW(&m->bias, m->lanes));
    *out = m;
    m = NULL;
done:
    free_tfidf(m);
    return status;
}

static const char *refuses(const scant_i_training *task)
{
    return task->rows.nwords ? NULL : "there are no counts of words";
}

/* Taught rows alone, in words that they have: variables are (nused + 1) x lanes, the last row the intercepts. */
typedef struct problem {
    size_t n, nused, K, lanes;
    scant_i_csr rows;
    double *target; /* n x K */
    int32_t *word;  /* nused */
    double *p;      /* lanes */
} problem;

static void clear_problem(problem *q)
{
    scant_i_free(q->rows.start);
    scant_i_free(q->rows.column);
    scant_i_free(q->rows.value);
    scant_i_free(q->target);
    scant_i_free(q->word);
    scant_i_free(q->p);
}

static scant_status pose(problem *q, const scant_i_training *task, const double *target)
{
    scant_status status = SCANT_OK;
    const scant_i_csr *z = &task->rows.tfidf;
    size_t entries = z->start[task->nlabeled] - z->start[0], at = 0;
    int32_t *place = NULL; /* of a word among those used, and 1 */
    SCANT_I_TRY(SCANT_I_NEW(&q->rows.start, task->nlabeled + 1));
    SCANT_I_TRY(SCANT_I_NEW(&q->rows.column, entries));
    SCANT_I_TRY(SCANT_I_NEW(&q->rows.value, entries));
    SCANT_I_TRY(SCANT_I_NEW(&q->target, task->nlabeled * q->K));
    SCANT_I_TRY(SCANT_I_NEW(&q->word, scant_i_min(entries, task->rows.nwords)));
    SCANT_I_TRY(SCANT_I_NEW(&q->p, q->lanes));
    SCANT_I_TRY(SCANT_I_NEW(&place, task->rows.nwords));
    for (size_t i = 0; i < task->nlabeled; i++) {
        if (!(scant_i_sum(target + i * q->K, q->K) > 0))
            continue;
        for (size_t e = z->start[i]; e < z->start[i + 1]; e++) {
            int32_t word = z->column[e];
            if (!place[word]) {
                q->word[q->nused++] = word;
                place[word] = (int32_t)q->nused;
            }
            q->rows.column[at] = place[word] - 1;
            q->rows.value[at++] = z->value[e];
        }
        memcpy(q->target + q->n * q->K, target + i * q->K, q->K * sizeof *target);
        q->rows.start[++q->n] = at;
    }
done:
    scant_i_free(place);
    return status;
}

static scant_status evaluate(double *value, double *gradient, const double *B, void *payload)
{
    const problem *q = payload;
    size_t K = q->K, all = q->nused * q->lanes;
    const double *bias = B + all;
    double loss = 0, *p = q->p;
    memset(gradient, 0, (all + q->lanes) * sizeof *gradient);
    for (size_t i = 0; i < q->n; i++) {
        const double *t = q->target + i * K;
        double weight = scant_i_sum(t, K), fit = 0;
        scant_i_words_gather(p, B, q->lanes, &q->rows, i);
        for (size_t k = 0; k < K; k++) {
            p[k] += bias[k];
            fit += t[k] * p[k];
        }
        loss += weight * scant_i_softmax(p, K) - fit;
        for (size_t k = 0; k < K; k++) {
            p[k] = C * (weight * p[k] - t[k]);
            gradient[all + k] += p[k];
        }
        scant_i_words_scatter(gradient, p, q->lanes, &q->rows, i);
    }
    for (size_t c = 0; c < all; c++)
        gradient[c] += B[c];
    *value = C * loss + scant_i_dot(B, B, all) / 2;
    return SCANT_OK;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    const scant_i_minimise_options options = {
        .max_iter = MOST_ITERATIONS, .tol = TOLERANCE, .enough = scant_i_interrupted_enough};
    scant_i_minimum minimum;
    problem q = {.K = task->nclasses, .lanes = scant_i_words_lanes(task->nclasses)};
    tfidf *m = NULL;
    double *B = NULL;
    (void)prepared;
    SCANT_I_TRY(new_tfidf(&m, task->rows.nwords, task->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&m->B, m->width * m->lanes));
    SCANT_I_TRY(pose(&q, task, lesson->target));
    SCANT_I_TRY(SCANT_I_NEW(&B, (q.nused + 1) * q.lanes));
    SCANT_I_TRY(scant_i_descend(&minimum, B, (q.nused + 1) * q.lanes, &options, evaluate, &q));
    for (size_t j = 0; j < q.nused; j++)
        memcpy(m->B + (size_t)q.word[j] * q.lanes, B + j * q.lanes, q.lanes * sizeof *B);
    memcpy(m->bias, B + q.nused * q.lanes, q.lanes * sizeof *B);
    *out = m;
    m = NULL;
done:
    clear_problem(&q);
    free_tfidf(m);
    scant_i_free(B);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    const tfidf *m = fitted;
    double *eta = NULL;
    scant_status status = SCANT_I_NEW(&eta, m->lanes);
    for (size_t i = 0; i < rows->nrows && status == SCANT_OK; i++) {
        scant_i_words_gather(eta, m->B, m->lanes, &rows->tfidf, i);
        for (size_t k = 0; k < m->K; k++)
            p[i * m->K + k] = eta[k] + m->bias[k];
        (void)scant_i_softmax(p + i * m->K, m->K);
    }
    scant_i_free(eta);
    return status;
}

static scant_status to_json(json_t *to, const void *fitted)
{
    scant_status status = SCANT_OK;
    const tfidf *m = fitted;
    double *zero = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&zero, m->K));
    SCANT_I_TRY(scant_i_put_table(to, "intercepts", m->bias, 1, m->K));
    SCANT_I_TRY(scant_i_put_words(to, "weights", m->B, m->width, m->K, zero));
done:
    scant_i_free(zero);
    return status;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    tfidf *m = NULL;
    double *zero = NULL;
    SCANT_I_TRY(new_tfidf(&m, spaces->words ? spaces->words->width : 0, nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&zero, m->K));
    scant_i_free(m->bias);
    m->bias = NULL;
    SCANT_I_TRY(scant_i_get_table(&m->bias, place, from, "intercepts", 1, m->K));
    SCANT_I_TRY(scant_i_get_words(&m->B, place, from, "weights", m->width, m->K, zero));
    *out = m;
    m = NULL;
done:
    scant_i_free(zero);
    free_tfidf(m);
    return status;
}

const scant_i_member scant_i_member_tfidf = {
    .name = "tfidf",
    .summary = "logistic regression on tf-idf of labeled texts",
    .words = true,
    .refuses = refuses,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = free_tfidf,
};
