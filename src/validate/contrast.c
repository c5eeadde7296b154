/* A discriminative fit next to the likelihood's and to logistic regression, on the rows of the fit.
 *
 * Logistic regression is the conditional likelihood of one component a class whose covariances are tied: log p(k | x)
 * is then linear in x and in the logarithms and counts that other families look at. */
#include <scant/fit.h>

#include <math.h>
#include <string.h>

#include "data/rows.h"
#include "model/model.h"
#include "model/options.h"

static scant_measures nothing(void)
{
    return (scant_measures){NAN, NAN, NAN};
}

static scant_status measure(scant_measures *out, const scant_model *model, const scant_rows *rows,
                            size_t threads)
{
    scant_evaluation e = {0};
    scant_predict_options predict = {.size = sizeof predict, .threads = threads};
    scant_status status = scant_model_evaluate(&e, model, rows, &predict);
    double weight = 0;
    for (size_t i = 0; i < rows->nrows; i++)
        weight += scant_rows_label(rows, i) >= 0 ? scant_rows_weight(rows, i) : 0;
    *out = nothing();
    if (status == SCANT_OK)
        *out =
            (scant_measures){scant_model_summary(model)->loglik, -weight * e.log_loss, e.accuracy};
    scant_evaluation_clear(&e);
    return status;
}

/* A fit that cannot be made leaves nothing to compare with. */
static scant_status measure_fit(scant_measures *out, const scant_rows *rows,
                                const scant_fit_options *options)
{
    scant_model *model = NULL;
    scant_status status = scant_fit(&model, rows, options);
    *out = nothing();
    if (status == SCANT_OK)
        status = measure(out, model, rows, options->run.threads);
    else if (status == SCANT_ERR_INPUT || status == SCANT_ERR_ARGUMENT ||
             status == SCANT_ERR_UNIDENTIFIED || status == SCANT_ERR_INTERNAL)
        status = SCANT_OK;
    scant_model_free(model);
    return status;
}

scant_status scant_fit_contrast(scant_contrast *out, const scant_model *model,
                                const scant_rows *rows, const scant_fit_options *options)
{
    scant_status status = SCANT_OK;
    scant_fit_options taken, likelihood, logistic;
    *out = (scant_contrast){nothing(), nothing(), nothing()};
    SCANT_I_TRY(scant_i_fit_options_take(&taken, &options));
    SCANT_I_TRY(measure(&out->fit, model, rows, options->run.threads));
    likelihood = *options;
    likelihood.run.objective = "likelihood";
    likelihood.run.optimizer = "auto";
    likelihood.run.hybrid = 0;
    likelihood.evidence.unlabeled_weight = scant_i_setting_number(model, "unlabeled-weight", 1);
    likelihood.model.shrinkage = scant_i_setting_number(model, "shrinkage", 0);
    SCANT_I_TRY(measure_fit(&out->likelihood, rows, &likelihood));
    logistic = *options;
    logistic.run.objective = "conditional";
    logistic.run.optimizer = "lbfgs";
    logistic.run.hybrid = 0;
    logistic.run.accelerate = "none";
    logistic.run.anneal = false;
    logistic.run.init = "kmeans";
    logistic.run.start = NULL;
    logistic.evidence.unlabeled_weight = 0;
    logistic.model.components = NULL;
    logistic.model.covariance = "tied";
    logistic.model.fixed = "none";
    logistic.model.sharing = "separate";
    logistic.model.sharing_table = NULL;
    logistic.model.shrinkage = 0;
    SCANT_I_TRY(measure_fit(&out->logistic, rows, &logistic));
done:
    return status;
}
