#include "model/refit.h"

#include <string.h>

void scant_i_mixture_settle(scant_i_mixture *mixture, const scant_model *model,
                            const scant_i_method *method)
{
    const char *fixed = scant_model_setting(model, "fixed");
    mixture->coupling.component_major = method->component_major;
    mixture->coupling.noise_free = false;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        scant_i_family_settings *of = &mixture->factor[f]->settings;
        of->min_variance = scant_i_setting_number(model, "min-variance", of->min_variance);
        of->smooth = scant_i_setting_number(model, "smooth", of->smooth);
        of->shrinkage = 0;
        of->fixed_covariances = fixed && strcmp(fixed, "covariances") == 0;
    }
}

scant_status scant_i_refit(scant_i_mixture **out, const scant_model *model, const scant_rows *rows,
                           const scant_i_refit_options *options)
{
    scant_status status = SCANT_OK;
    scant_i_mixture *layout = NULL;
    scant_i_evidence evidence = {0};
    scant_i_run *run = NULL;
    const scant_i_method *method = NULL;
    scant_i_evidence_settings settings;
    scant_fit_options fit;
    scant_fit_options_preset(&fit);
    const char *unlabelled = scant_model_setting(model, "unlabeled");
    fit.evidence.unlabeled = unlabelled ? unlabelled : fit.evidence.unlabeled;
    *out = NULL;
    SCANT_I_TRY(scant_i_method_choose(&method, &settings, &fit));
    SCANT_I_TRY(scant_i_mixture_copy(&layout, model->mixture));
    scant_i_mixture_settle(layout, model, method);
    SCANT_I_TRY(scant_i_mixture_standardise(layout, rows, options->threads));
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, layout->nclasses, &settings));
    scant_i_engine_options engine = {
        .starts = (size_t)scant_i_setting_number(model, "starts", 1),
        .max_iter = (size_t)scant_i_setting_number(model, "max-iter", (double)fit.run.max_iter),
        .tol = scant_i_setting_number(model, "tol", fit.run.tol),
        .squarem = true,
        .given = options->warm,
        .kind = SCANT_I_START_KMEANS,
        .seed = options->seed,
        .threads = options->threads,
    };
    SCANT_I_TRY(scant_i_engine_fit(&run, layout, rows, &evidence, &engine));
    *out = run->mixture;
    run->mixture = NULL;
done:
    scant_i_run_free(run);
    scant_i_evidence_clear(&evidence);
    scant_i_mixture_free(layout);
    return status;
}
