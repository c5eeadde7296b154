/* The member "logistic": multinomial logistic regression on the standardized columns of the labeled rows (ridge.h has the
 * objective). A strong ridge: with a handful of labels the unpenalized optimum is at infinity. */
#include "train/member.h"

#include <string.h>

#include "train/ridge.h"

static const double C = 0.1; /* weight of the loss against the ridge */

typedef struct logistic {
    size_t d, K;
    double *B; /* (d + 1) x K */
} logistic;

static void free_logistic(void *fitted)
{
    logistic *m = fitted;
    if (m)
        scant_i_free(m->B);
    scant_i_free(m);
}

static const char *refuses(const scant_i_training *task)
{
    return task->rows.width[SCANT_I_STANDARD] ? NULL : "there is no table of columns";
}

static scant_status new_logistic(logistic **out, size_t d, size_t K)
{
    scant_status status = SCANT_I_NEW(out, 1);
    if (status != SCANT_OK)
        return status;
    (*out)->d = d;
    (*out)->K = K;
    return SCANT_OK;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    logistic *m = NULL;
    (void)prepared;
    SCANT_I_TRY(new_logistic(&m, task->rows.width[SCANT_I_STANDARD], task->nclasses));
    SCANT_I_TRY(SCANT_I_NEW(&m->B, (m->d + 1) * m->K));
    SCANT_I_TRY(scant_i_ridge_fit(m->B, task->rows.x[SCANT_I_STANDARD], task->nlabeled, m->d,
                                  lesson->target, m->K, C));
    *out = m;
    m = NULL;
done:
    free_logistic(m);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    const logistic *m = fitted;
    scant_i_ridge_probabilities(p, m->B, rows->x[SCANT_I_STANDARD], rows->nrows, m->d, m->K);
    return SCANT_OK;
}

static scant_status to_json(json_t *to, const void *fitted)
{
    const logistic *m = fitted;
    return scant_i_put_table(to, "weights", m->B, m->d + 1, m->K);
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    logistic *m = NULL;
    SCANT_I_TRY(new_logistic(&m, spaces->width[SCANT_I_STANDARD], nclasses));
    SCANT_I_TRY(scant_i_get_table(&m->B, place, from, "weights", m->d + 1, m->K));
    *out = m;
    m = NULL;
done:
    free_logistic(m);
    return status;
}

const scant_i_member scant_i_member_logistic = {
    .name = "logistic",
    .summary = "ridge logistic regression on labeled rows",
    .refuses = refuses,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = free_logistic,
};
