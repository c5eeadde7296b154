/* Standard errors for a model: its settings and rows in, information and errors out. */
#include "inform/errors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/method.h"
#include "learn/model.h"
#include "learn/predict.h"

static bool setting_is(const scant_model *model, const char *name, const char *value)
{
    const char *text = scant_model_setting(model, name);
    return text && strcmp(text, value) == 0;
}

/* Fits that maximise something else than the likelihood of rows and evidence. */
static scant_status check_method(const scant_model *model)
{
    const char *sharing = scant_model_setting(model, "sharing");
    const char *weight = scant_model_setting(model, "unlabeled-weight");
    double lambda = 0;
    if (model->score)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "standard errors: a linear classifier is no "
                                                "maximum of a likelihood");
    if (sharing && scant_i_sharing_of(sharing, &lambda) == SCANT_I_BY_LAMBDA)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "standard errors: --sharing lambda= maximises a "
                                                "pseudo-likelihood, which gives none");
    if (setting_is(model, "unlabeled", "drop-labels"))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "standard errors: --unlabeled drop-labels fits in two parts, of which "
                            "neither gives them for all");
    if (weight && strtod(weight, NULL) != 1)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "standard errors: --unlabeled-weight %s makes a composite likelihood, "
                            "whose errors are not worked out",
                            weight);
    return SCANT_OK;
}

/* Families say what features of a row are for dense rows; those that fit here are few enough. */
static scant_status make_dense(scant_rows **owned, const scant_rows **rows)
{
    scant_status status = SCANT_OK;
    size_t *all = NULL, n = (*rows)->nrows;
    if ((*rows)->dense)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&all, n));
    for (size_t i = 0; i < n; i++)
        all[i] = i;
    SCANT_I_TRY(scant_rows_subset(owned, *rows, all, n));
    SCANT_I_TRY(scant_i_rows_densify(*owned));
    *rows = *owned;
done:
    scant_i_free(all);
    return status;
}

/* Rates into the model; what cannot be said is NaN. */
static const double ROUNDING = 1e-9;
static scant_status tell_rates(scant_model *model, const scant_i_information *information,
                               bool component_major)
{
    scant_information *out = model->information;
    out->parameters = information->chart.n;
    out->missing = out->rate = out->digit = NAN;
    scant_status status = scant_i_missing_share(&out->missing, information, false);
    double factor = out->missing;
    if (status == SCANT_OK && component_major)
        status = scant_i_missing_share(&factor, information, true);
    factor = fmax(factor, information->fading[component_major]);
    if (status == SCANT_OK) {
        out->missing = out->missing < ROUNDING ? 0 : out->missing;
        out->rate = 1 - (factor < ROUNDING ? 0 : factor);
        out->digit = factor < 0.1 ? 1 : factor < 1 ? log(10) / -log(factor) : NAN;
    }
    return status;
}

static scant_status tell_errors(scant_model *model, const scant_i_information *information)
{
    scant_status status = SCANT_OK;
    double *covariance = NULL, *errors = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&covariance, information->chart.n * information->chart.n));
    SCANT_I_TRY(SCANT_I_NEW(&errors, scant_i_mixture_size(model->mixture)));
    SCANT_I_TRY(scant_i_estimate_covariance(covariance, information, model->information->missing));
    SCANT_I_TRY(scant_i_standard_errors(errors, information, model->mixture, covariance));
    model->errors = errors;
    model->information->identified = true;
    errors = NULL;
done:
    scant_i_free(covariance);
    scant_i_free(errors);
    return status;
}

static scant_status inquire(scant_model *model, const scant_rows *rows, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_evidence evidence = {0};
    scant_i_information information = {0};
    scant_i_evidence_settings settings = {
        .probabilities = setting_is(model, "context-mode", "replace") ? SCANT_I_PRIOR
                         : setting_is(model, "context-mode", "fix")   ? SCANT_I_POSTERIOR
                                                                      : SCANT_I_LIKELIHOOD,
        .unlabelled_weight = 1,
        .own_class = model->own_class,
    };
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, model->mixture->nclasses, &settings));
    SCANT_I_TRY(scant_i_information_new(&information, model->mixture, rows, &evidence, threads));
    SCANT_I_TRY(tell_rates(model, &information, setting_is(model, "unlabeled", "latent")));
    status = tell_errors(model, &information);
done:
    scant_i_evidence_clear(&evidence);
    scant_i_information_clear(&information);
    return status;
}

/* The reason stays the message, whatever else the warning needs. */
static scant_status warn(scant_model *model)
{
    scant_status status =
        scant_i_model_add_warning(model, "no standard errors: %s", scant_message());
    return status == SCANT_OK
               ? scant_i_fail(SCANT_ERR_UNIDENTIFIED, "%s", model->warnings[model->nwarnings - 1])
               : status;
}

scant_status scant_model_inform(scant_model *model, const scant_rows *rows, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_rows *owned = NULL;
    const scant_i_mixture *mixture = model->mixture;
    SCANT_I_TRY(check_method(model));
    SCANT_I_TRY(scant_i_check_names(model, rows, true));
    SCANT_I_TRY(make_dense(&owned, &rows));
    for (size_t f = 0; f < mixture->nfactors; f++)
        SCANT_I_TRY(mixture->factor[f]->family->validate(mixture->factor[f], rows));
    scant_i_free(model->errors);
    model->errors = NULL;
    if (!model->information)
        SCANT_I_TRY(SCANT_I_NEW(&model->information, 1));
    *model->information = (scant_information){.missing = NAN, .rate = NAN, .digit = NAN};
    status = inquire(model, rows, threads);
    if (status == SCANT_ERR_UNIDENTIFIED)
        status = warn(model);
    if (status != SCANT_OK && status != SCANT_ERR_UNIDENTIFIED) {
        scant_i_free(model->information);
        model->information = NULL;
    }
done:
    scant_rows_free(owned);
    return status;
}

/* --- looking --- */

const scant_information *scant_model_information(const scant_model *model)
{
    return model->information;
}

double scant_model_coupling_error(const scant_model *model, size_t component, size_t class_index)
{
    double error =
        model->errors ? model->errors[class_index * model->mixture->stride + component] : 0;
    return error > 0 ? error : NAN;
}

const double *scant_model_parameter_errors(const scant_model *model, size_t factor, size_t index)
{
    const scant_i_mixture *m = model->mixture;
    scant_i_parameter list[SCANT_I_PARAMETERS_MAX];
    if (!model->errors || index >= m->factor[factor]->family->parameters(m->factor[factor], list))
        return NULL;
    const double *of_factor = model->errors + m->nclasses * m->stride;
    for (size_t f = 0; f < factor; f++)
        of_factor += m->factor[f]->ntheta;
    return of_factor + list[index].offset;
}
