/* The member "gaussian-em": one regularized Gaussian a class on the leading principal components, by EM with unlabeled
 * rows.
 *
 *   E  r_ik = w_i softmax_k(log p(x_i, k) + log t_ik), t the row's target; an unlabeled row has t = 1
 *   M  means and covariances of classwise.h from r; the proportions stay those of the labels
 *
 * It starts from the fit to labeled rows. Proportions are not re-estimated: a likelihood of many unlabeled rows may give
 * nearly all of them to one class, and then the few labels cannot hold on.
 * Cost: 8 n K d^2 flop a step, d <= 64 components. */
#include "train/classwise.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "train/ridge.h"

enum { MOST_STEPS = 30 };
static const double TOLERANCE = 1e-4; /* rise of the log-likelihood a row that counts as none */

static const char *refuses(const scant_i_training *task)
{
    return task->rows.width[SCANT_I_LEADING] ? NULL : "there is no table of columns";
}

/* Responsibilities of a tile from logp, in place; the result is its log-likelihood. */
static double share_out(double *r, const scant_i_training *task, const scant_i_lesson *lesson,
                        size_t first, size_t n)
{
    size_t K = task->nclasses;
    double loglik = 0;
    for (size_t i = 0; i < n; i++) {
        size_t row = first + i;
        const double *t = row < task->nlabeled ? lesson->target + row * K : NULL;
        double weight = task->weight[row], known = t ? scant_i_sum(t, K) : 0;
        for (size_t k = 0; k < K && known > 0; k++)
            r[i * K + k] += t[k] > 0 ? log(t[k] / known) : -INFINITY;
        loglik += weight * scant_i_softmax(r + i * K, K);
        for (size_t k = 0; k < K; k++)
            r[i * K + k] *= weight;
    }
    return loglik;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    const double *x = task->rows.x[SCANT_I_LEADING];
    size_t n = task->rows.nrows, d = task->rows.width[SCANT_I_LEADING], K = task->nclasses;
    scant_i_classwise *g = NULL;
    scant_i_classwise_room room = {0};
    double *r = NULL, before = -INFINITY;
    (void)prepared;
    SCANT_I_TRY(scant_i_classwise_new(&g, d, K));
    SCANT_I_TRY(scant_i_classwise_room_new(&room, g));
    SCANT_I_TRY(SCANT_I_NEW(&r, SCANT_I_TILE * K));
    SCANT_I_TRY(scant_i_classwise_fit(g, x, lesson->target, task->nlabeled, &room));
    for (size_t step = 0; step < MOST_STEPS && !scant_i_halted(&task->halt); step++) {
        double loglik = 0;
        scant_i_classwise_clear(g, &room);
        for (size_t i = 0; i < n; i += SCANT_I_TILE) {
            size_t m = scant_i_min(SCANT_I_TILE, n - i);
            scant_i_classwise_log(r, g, x + i * d, m, &room);
            loglik += share_out(r, task, lesson, i, m);
            scant_i_classwise_add(g, x + i * d, r, m, &room);
        }
        SCANT_I_TRY(scant_i_classwise_update(g, &room));
        if (loglik - before < TOLERANCE * (double)n)
            break;
        before = loglik;
    }
    *out = g;
    g = NULL;
done:
    scant_i_classwise_room_clear(&room);
    scant_i_classwise_free(g);
    scant_i_free(r);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    return scant_i_classwise_probabilities(p, fitted, rows->x[SCANT_I_LEADING], rows->nrows);
}

static scant_status to_json(json_t *to, const void *fitted)
{
    return scant_i_classwise_to_json(to, fitted);
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    return scant_i_classwise_from_json((scant_i_classwise **)out, place, from,
                                       spaces->width[SCANT_I_LEADING], nclasses);
}

const scant_i_member scant_i_member_gaussian_em = {
    .name = "gaussian-em",
    .summary = "regularized Gaussians by EM with unlabeled rows",
    .unlabeled = true,
    .refuses = refuses,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = scant_i_classwise_free,
};
