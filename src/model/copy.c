/* A model of its own that says what another one does: nothing is shared between the two. */
#include "model/model.h"

#include <string.h>

#include "data/names.h"
#include "model/model_file.h"

/* Of n things of some size; nothing where there is nothing. */
static scant_status copy_array(void *out, const void *from, size_t n, size_t size)
{
    if (!from)
        return SCANT_OK;
    scant_status status = scant_i_new(out, n, size);
    if (status == SCANT_OK)
        memcpy(*(void **)out, from, n * size);
    return status;
}

#define COPY(member, n) SCANT_I_TRY(copy_array(&to->member, from->member, n, sizeof *to->member))

static scant_status copy_columns(scant_model *to, const scant_model *from)
{
    scant_status status = SCANT_OK;
    to->ncolumns = from->ncolumns;
    SCANT_I_TRY(scant_i_texts_copy(&to->columns, from->columns, from->ncolumns));
    COPY(nlevels, from->ncolumns);
    SCANT_I_TRY(SCANT_I_NEW(&to->levels, from->ncolumns));
    for (size_t c = 0; c < from->ncolumns; c++)
        if (from->levels[c])
            SCANT_I_TRY(scant_i_texts_copy(&to->levels[c], from->levels[c], from->nlevels[c]));
done:
    return status;
}

static scant_status copy_score(scant_model *model, const scant_i_score *from)
{
    scant_status status = SCANT_OK;
    size_t n = from->view.count;
    scant_i_score *to = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&model->score, 1));
    to = model->score;
    to->view = from->view;
    COPY(weight, n);
    to->view.weight = to->weight;
    SCANT_I_TRY(scant_i_texts_copy(&to->columns, from->columns, n));
done:
    return status;
}

static scant_status copy_settings(scant_model *to, const scant_model *from)
{
    scant_status status = SCANT_OK;
    for (size_t s = 0; s < from->nsettings; s++)
        SCANT_I_TRY(
            scant_i_model_add_setting(to, from->settings[s].name, "%s", from->settings[s].value));
    for (size_t w = 0; w < from->nwarnings; w++)
        SCANT_I_TRY(scant_i_model_add_warning(to, "%s", from->warnings[w]));
done:
    return status;
}

/* What is known of its fit. */
static scant_status copy_training(scant_model *to, const scant_model *from)
{
    scant_status status = SCANT_OK;
    size_t M = from->mixture->ncomponents, K = from->nclasses;
    to->summary = from->summary;
    to->ntrace = from->ntrace;
    COPY(component_rows, M);
    COPY(component_labelled, M * K);
    COPY(composition, M * (K + 1));
    COPY(trace, from->ntrace);
    COPY(information, 1);
    COPY(errors, scant_i_mixture_size(from->mixture));
    COPY(baseline, 1);
done:
    return status;
}

/* What a machine is made of only its kind knows, which writes and reads all of it. */
static scant_status copy_machine(scant_model **out, const scant_model *model)
{
    json_t *root = NULL;
    scant_i_place place = {.file = "a copy"};
    scant_status status = scant_i_model_to_json(&root, model);
    if (status == SCANT_OK)
        status = scant_i_model_from_json(out, &place, root);
    json_decref(root);
    return status;
}

scant_status scant_i_model_copy(scant_model **out, const scant_model *model)
{
    scant_status status = SCANT_OK;
    scant_model *copy = NULL;
    *out = NULL;
    if (model->kind)
        return copy_machine(out, model);
    SCANT_I_TRY(SCANT_I_NEW(&copy, 1));
    SCANT_I_TRY(scant_i_mixture_copy(&copy->mixture, model->mixture));
    SCANT_I_TRY(copy_columns(copy, model));
    copy->nclasses = model->nclasses;
    SCANT_I_TRY(scant_i_texts_copy(&copy->classes, model->classes, model->nclasses));
    copy->own_class = model->own_class;
    copy->unlabeled_smoothing = model->unlabeled_smoothing;
    SCANT_I_TRY(scant_i_reading_copy(&copy->reading, &model->reading));
    if (model->score)
        SCANT_I_TRY(copy_score(copy, model->score));
    SCANT_I_TRY(copy_settings(copy, model));
    SCANT_I_TRY(copy_training(copy, model));

    scant_i_model_make_schema(copy);
    *out = copy;
    copy = NULL;
done:
    scant_model_free(copy);
    return status;
}
