/* The member "gaussian": one regularized Gaussian a class on the standardized columns of the labeled rows (classwise.h). */
#include "train/classwise.h"

/* A model file keeps K (d + 1) d / 2 numbers. */
static const double MOST_NUMBERS = 4e6;

static const char *refuses(const scant_i_training *task)
{
    double d = (double)task->rows.width[SCANT_I_STANDARD];
    if (d == 0)
        return "there is no table of columns";
    return (double)task->nclasses * d * d > MOST_NUMBERS ? "there are too many columns" : NULL;
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    scant_i_classwise *g = NULL;
    scant_i_classwise_room room = {0};
    (void)prepared;
    SCANT_I_TRY(scant_i_classwise_new(&g, task->rows.width[SCANT_I_STANDARD], task->nclasses));
    SCANT_I_TRY(scant_i_classwise_room_new(&room, g));
    SCANT_I_TRY(scant_i_classwise_fit(g, task->rows.x[SCANT_I_STANDARD], lesson->target,
                                      task->nlabeled, &room));
    *out = g;
    g = NULL;
done:
    scant_i_classwise_room_clear(&room);
    scant_i_classwise_free(g);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    return scant_i_classwise_probabilities(p, fitted, rows->x[SCANT_I_STANDARD], rows->nrows);
}

static scant_status to_json(json_t *to, const void *fitted)
{
    return scant_i_classwise_to_json(to, fitted);
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    return scant_i_classwise_from_json((scant_i_classwise **)out, place, from,
                                       spaces->width[SCANT_I_STANDARD], nclasses);
}

const scant_i_member scant_i_member_gaussian = {
    .name = "gaussian",
    .summary = "regularized Gaussians of labeled rows",
    .refuses = refuses,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = scant_i_classwise_free,
};
