/* What labelled rows alone would have done, kept with a model. */
#include <math.h>
#include <stdio.h>

#include "model/model_file.h"

scant_status scant_model_keep_baseline(scant_model *model, const scant_comparison *baseline)
{
    scant_status status = SCANT_OK;
    if (!model->baseline)
        status = SCANT_I_NEW(&model->baseline, 1);
    if (status == SCANT_OK)
        *model->baseline = *baseline;
    return status;
}

const scant_comparison *scant_model_baseline(const scant_model *model)
{
    return model->baseline;
}

/* --- as part of a document --- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *scant_i_baseline_to_json(const scant_comparison *b)
{
    json_t *object =
        json_pack("{s:I, s:I}", "labeled", (json_int_t)b->labeled, "folds", (json_int_t)b->nfolds);
    json_t *more = b->nfolds
                       ? json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "fit_accuracy",
                                   number(b->accuracy[0]), "accuracy", number(b->accuracy[1]),
                                   "fit_log_loss", number(b->log_loss[0]), "log_loss",
                                   number(b->log_loss[1]), "difference", number(b->difference),
                                   "standard_error", number(b->error), "hurts", b->worse)
                       : json_pack("{s:s}", "why", b->why);
    if (!object || !more || json_object_update(object, more) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(more);
    return object;
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

scant_status scant_i_baseline_from_json(scant_model *model, const scant_i_place *outer,
                                        const json_t *root)
{
    scant_status status = SCANT_OK;
    const json_t *from;
    const char *why = "";
    scant_i_place place = scant_i_place_in(outer, "baseline");
    if (!json_object_get(root, "baseline"))
        return SCANT_OK;
    SCANT_I_TRY(scant_i_get_object(&from, outer, root, "baseline"));
    scant_comparison b = {
        .accuracy = {number_of(from, "fit_accuracy"), number_of(from, "accuracy")},
        .log_loss = {number_of(from, "fit_log_loss"), number_of(from, "log_loss")},
        .difference = number_of(from, "difference"),
        .error = number_of(from, "standard_error"),
        .worse = json_is_true(json_object_get(from, "hurts"))};
    SCANT_I_TRY(scant_i_get_count(&b.labeled, &place, from, "labeled"));
    SCANT_I_TRY(scant_i_get_count(&b.nfolds, &place, from, "folds"));
    if (!b.nfolds)
        SCANT_I_TRY(scant_i_get_text(&why, &place, from, "why"));
    (void)snprintf(b.why, sizeof b.why, "%s", why);
    status = scant_model_keep_baseline(model, &b);
done:
    return status;
}
