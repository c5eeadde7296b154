/* Standard errors for a model: its settings and rows in, information and errors out. */
#include "model/chain.h"
#include "model/inform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inform/errors.h"
#include "inform/vanishing.h"
#include "inform/rate.h"
#include "inform/scores.h"
#include "model/method.h"
#include "model/model.h"
#include "model/options.h"
#include "model/predict.h"

static bool setting_is(const scant_model *model, const char *name, const char *value)
{
    const char *text = scant_model_setting(model, name);
    return text && strcmp(text, value) == 0;
}

/* Fits whose parameters are at no maximum of one smooth objective of theirs. */
static scant_status check_words(const char *sharing, bool dropped, bool conditional)
{
    double lambda = 0;
    if (conditional)
        return scant_i_fail(
            SCANT_ERR_ARGUMENT,
            "standard errors: --objective conditional is no likelihood of rows, and gives none; "
            "--stderr bootstrap does");
    if (sharing && scant_i_sharing_of(sharing, &lambda) == SCANT_I_BY_LAMBDA)
        return scant_i_fail(
            SCANT_ERR_ARGUMENT,
            "standard errors: --sharing lambda= maximises a pseudo-likelihood, which "
            "gives none; --stderr bootstrap does");
    if (dropped)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "standard errors: --unlabeled em0 fits in two parts, of which "
                            "neither gives them for all; --stderr bootstrap does");
    return SCANT_OK;
}

scant_status scant_fit_validate_inform(const scant_fit_options *options)
{
    const scant_i_method *method = NULL;
    scant_i_evidence_settings settings;
    scant_fit_options taken;
    scant_status status = scant_i_fit_options_take(&taken, &options);
    if (status == SCANT_OK)
        status = scant_i_method_choose(&method, &settings, options);
    return status == SCANT_OK
               ? check_words(options->model.sharing, method->after, scant_i_is_conditional(options))
               : status;
}

static scant_status check_method(const scant_model *model)
{
    if (model->score)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "standard errors: a linear classifier is no "
                                                "maximum of a likelihood");
    scant_status status = scant_i_chart_validate(model->mixture);
    return status == SCANT_OK ? check_words(scant_model_setting(model, "sharing"),
                                            setting_is(model, "unlabeled", "em0"),
                                            setting_is(model, "objective", "conditional"))
                              : status;
}

/* --- what was fitted --- */

scant_status scant_i_fitted_new(scant_i_fitted *out, const scant_model *model,
                                const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_evidence_settings settings = {
        .probabilities = setting_is(model, "context-mode", "prior")       ? SCANT_I_PRIOR
                         : setting_is(model, "context-mode", "posterior") ? SCANT_I_POSTERIOR
                                                                          : SCANT_I_LIKELIHOOD,
        .unlabelled_weight = scant_i_setting_number(model, "unlabeled-weight", 1),
        .own_class = model->own_class,
    };
    *out = (scant_i_fitted){0};
    SCANT_I_TRY(scant_i_check_names(model, rows, true));
    SCANT_I_TRY(scant_i_model_recall(&out->mixture, model));
    SCANT_I_TRY(scant_i_rows_for(out->mixture, rows, &out->owned, &out->rows));
    SCANT_I_TRY(scant_i_evidence_new(&out->evidence, out->rows, out->mixture->nclasses, &settings));
    SCANT_I_TRY(scant_i_survey_new(&out->survey, out->rows, &out->evidence, SCANT_I_NO_CELLS, 1));
    SCANT_I_TRY(scant_i_mixture_find_fallback(out->mixture, &out->evidence, &out->survey));
done:
    if (status != SCANT_OK)
        scant_i_fitted_clear(out);
    return status;
}

void scant_i_fitted_clear(scant_i_fitted *fitted)
{
    scant_i_survey_clear(&fitted->survey);
    scant_i_evidence_clear(&fitted->evidence);
    scant_i_mixture_free(fitted->mixture);
    scant_rows_free(fitted->owned);
    *fitted = (scant_i_fitted){0};
}

scant_status scant_i_model_recall(scant_i_mixture **out, const scant_model *model)
{
    scant_status status = scant_i_mixture_copy(out, model->mixture);
    for (size_t f = 0; status == SCANT_OK && f < (*out)->nfactors; f++) {
        (*out)->factor[f]->settings.fixed_covariances = setting_is(model, "fixed", "covariances");
        (*out)->factor[f]->settings.smooth = scant_i_setting_number(model, "smooth", 0);
    }
    if (status != SCANT_OK || !scant_model_setting(model, "prior") || (*out)->coupling.prior)
        return status;
    const scant_i_mixture *m =
        model->mixture; /* a file has the proportions in the coupling alone */
    status = SCANT_I_NEW(&(*out)->coupling.prior, m->nclasses);
    for (size_t t = 0; status == SCANT_OK && t < m->nclasses * m->stride; t++)
        (*out)->coupling.prior[t / m->stride] += m->coupling.W[t];
    return status;
}

/* Rows that count otherwise than as many of them: as part of one, or as one of their copies. */
static bool is_composite(const scant_i_fitted *fitted)
{
    const scant_i_evidence *evidence = &fitted->evidence;
    size_t unknown = scant_i_evidence_entry_of(evidence, -1);
    for (size_t e = 0; e < evidence->nentries; e++)
        if (evidence->kind[e] == SCANT_I_POSTERIOR && fitted->survey.rows[e] > 0)
            return true;
    return evidence->unlabelled_weight != 1 && fitted->survey.rows[unknown] > 0;
}

/* --- rates --- */

/* A share of 0 or 1 but for rounding; no number where it is above 1, which it is at no maximum. */
static double share_of(double x)
{
    static const double NOTHING = 1e-9, ALL = 1e-4;
    return x < NOTHING ? 0 : x <= 1 + ALL ? fmin(x, 1) : NAN;
}

/* Into the model: `missing` and EM's factor. */
static void tell(scant_model *model, double missing, double factor)
{
    scant_information *out = model->information;
    out->missing = share_of(missing);
    out->rate = 1 - share_of(factor);
    out->digit = factor < 0.1 ? 1 : factor < 1 ? log(10) / -log(factor) : NAN;
}

static scant_status tell_rates(scant_model *model, const scant_i_information *information,
                               double missing, bool component_major)
{
    scant_status status = SCANT_OK;
    double factor = missing;
    if (component_major)
        status = scant_i_missing_share(&factor, information, true);
    if (status == SCANT_OK)
        tell(model, missing, fmax(factor, information->vanishing[component_major]));
    return status;
}

/* Without matrices: both as EM itself shows them. */
static scant_status tell_rates_of_steps(scant_model *model, const scant_i_chart *chart,
                                        scant_i_fitted *fitted, bool component_major,
                                        size_t threads)
{
    scant_status status = SCANT_OK;
    double missing = 0, factor = 0;
    fitted->mixture->coupling.component_major = false;
    SCANT_I_TRY(scant_i_em_factor(&missing, chart, fitted->mixture, fitted->rows, &fitted->evidence,
                                  threads));
    factor = missing;
    fitted->mixture->coupling.component_major = component_major;
    if (component_major)
        SCANT_I_TRY(scant_i_em_factor(&factor, chart, fitted->mixture, fitted->rows,
                                      &fitted->evidence, threads));
    tell(model, missing, factor);
done:
    return status;
}

/* --- standard errors --- */

static scant_status tell_errors(scant_model *model, const scant_i_information *information,
                                double *covariance, const scant_i_fitted *fitted, size_t threads)
{
    scant_status status = SCANT_OK;
    const scant_i_chart *chart = &information->chart;
    size_t n = chart->n;
    double *products = NULL, *errors = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&errors, scant_i_mixture_size(model->mixture)));
    if (is_composite(fitted)) {
        SCANT_I_TRY(SCANT_I_NEW(&products, n * n));
        SCANT_I_TRY(scant_i_score_products(products, chart, fitted->mixture, fitted->rows,
                                           &fitted->evidence, threads));
        SCANT_I_TRY(scant_i_estimate_sandwich(covariance, products, n));
        model->information->by = SCANT_ERRORS_BY_SANDWICH;
    }
    SCANT_I_TRY(scant_i_standard_errors(errors, information, fitted->mixture, covariance));
    model->errors = errors;
    model->information->identified = true;
    errors = NULL;
done:
    scant_i_free(products);
    scant_i_free(errors);
    return status;
}

static scant_status inquire(scant_model *model, scant_i_fitted *fitted, bool rates_alone,
                            size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_chart chart = {0};
    scant_i_information information = {0};
    double missing = NAN, *covariance = NULL;
    bool component_major = setting_is(model, "unlabeled", "em1");
    SCANT_I_TRY(
        scant_i_vanishing_send_on(fitted->mixture, fitted->rows, &fitted->evidence, threads));
    SCANT_I_TRY(scant_i_chart_of(&chart, fitted->mixture, &fitted->evidence, &fitted->survey));
    model->information->parameters = chart.n;
    if (chart.n > SCANT_I_COORDINATES_MAX) {
        SCANT_I_TRY(tell_rates_of_steps(model, &chart, fitted, component_major, threads));
        if (!rates_alone)
            status = scant_i_model_add_warning(
                model,
                "no standard errors: %zu parameters are more than their covariances are worked out "
                "for (%d); --stderr bootstrap does without",
                chart.n, SCANT_I_COORDINATES_MAX);
        goto done;
    }
    scant_status estimated =
        scant_i_estimate_all(&information, &missing, &covariance, fitted->mixture, fitted->rows,
                             &fitted->evidence, threads);
    if (!isnan(missing)) /* though there be no covariance */
        SCANT_I_TRY(tell_rates(model, &information, missing, component_major));
    if (rates_alone && estimated == SCANT_ERR_UNIDENTIFIED && !isnan(missing))
        goto done;
    SCANT_I_TRY(estimated);
    if (!rates_alone)
        status = tell_errors(model, &information, covariance, fitted, threads);
done:
    scant_i_free(covariance);
    scant_i_chart_clear(&chart);
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

/* Forgets what was known. */
static scant_status begin(scant_model *model)
{
    scant_i_free(model->errors);
    model->errors = NULL;
    scant_status status = model->information ? SCANT_OK : SCANT_I_NEW(&model->information, 1);
    if (status == SCANT_OK)
        *model->information = (scant_information){.missing = NAN, .rate = NAN, .digit = NAN};
    return status;
}

/* Standard errors are of a maximum, and so is EM's rate. */
static scant_status warn_of_stop(scant_model *model)
{
    scant_stop stop = model->summary.stop;
    return stop == SCANT_STOP_CONVERGED
               ? SCANT_OK
               : scant_i_model_add_warning(
                     model,
                     "standard errors and EM's rate are those of a maximum, which the fit did not "
                     "reach (stop: %s)",
                     scant_stop_name(stop));
}

/* What is half known is not known. */
static scant_status end(scant_model *model, scant_status status)
{
    if (status == SCANT_OK)
        status = warn_of_stop(model);
    if (status == SCANT_ERR_UNIDENTIFIED)
        status = warn(model);
    if (status != SCANT_OK && status != SCANT_ERR_UNIDENTIFIED) {
        scant_i_free(model->information);
        model->information = NULL;
    }
    return status;
}

scant_status scant_model_inform(scant_model *model, const scant_rows *rows, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_fitted fitted = {0};
    SCANT_I_TRY(scant_i_model_needs_mixture(model, "a standard error"));
    SCANT_I_TRY(scant_i_model_needs_rows(model, "a standard error"));
    SCANT_I_TRY(check_method(model));
    SCANT_I_TRY(scant_i_fitted_new(&fitted, model, rows));
    SCANT_I_TRY(begin(model));
    status = end(model, inquire(model, &fitted, false, threads));
done:
    scant_i_fitted_clear(&fitted);
    return status;
}

scant_status scant_model_bootstrap(scant_model *model, const scant_rows *rows,
                                   const scant_fit_options *options, size_t draws)
{
    scant_status status = SCANT_OK;
    scant_i_fitted fitted = {0};
    scant_fit_options rest;
    double began = scant_i_seconds();
    status = scant_i_fit_options_take(&rest, &options);
    if (status != SCANT_OK)
        return status;
    const double limit = rest.run.time_limit;
    SCANT_I_TRY(scant_i_model_needs_mixture(model, "a standard error"));
    SCANT_I_TRY(scant_i_model_needs_rows(model, "a standard error"));
    SCANT_I_TRY(scant_i_fitted_new(&fitted, model, rows));
    SCANT_I_TRY(begin(model));
    if (check_method(model) == SCANT_OK)
        status = inquire(model, &fitted, true, options->run.threads);
    rest.run.time_limit = scant_i_time_left(limit, began);
    if (status == SCANT_OK || status == SCANT_ERR_UNIDENTIFIED) /* errors need no rate */
        status = scant_i_bootstrap(model, &fitted, &rest, draws);
    status = end(model, status);
done:
    scant_i_fitted_clear(&fitted);
    return status;
}

/* --- looking --- */

const char *scant_errors_by_name(scant_errors_by by)
{
    static const char *const names[] = {"information", "sandwich", "bootstrap"};
    return (size_t)by < sizeof names / sizeof *names ? names[by] : "unknown";
}

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
    const double *of_factor = model->errors + m->nclasses * m->stride + m->nties;
    for (size_t f = 0; f < factor; f++)
        of_factor += m->factor[f]->ntheta;
    return of_factor + list[index].offset;
}
