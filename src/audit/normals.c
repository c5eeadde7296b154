#include "audit/normals.h"

#include <math.h>

#include "latent/engine.h"

/* theta of a Gaussian over one column: the means, then the variances. */
scant_status scant_i_normals_new(scant_i_mixture **out, const scant_i_margin *m)
{
    static const scant_i_family_settings settings = {.covariance = "full", .min_variance = 1e-6};
    static const size_t column = 0;
    scant_status status = SCANT_OK;
    scant_i_mixture *mixture = NULL;
    *out = NULL;
    SCANT_I_TRY(scant_i_mixture_new(&mixture, 2, 2, 1));
    SCANT_I_TRY(SCANT_I_NEW(&mixture->coupling.prior, 2));
    SCANT_I_TRY(
        scant_i_factor_new(&mixture->factor[0], &scant_i_gaussian, &settings, 2, &column, NULL, 1));
    double *theta = mixture->factor[0]->theta;
    for (size_t k = 0; k < 2; k++) {
        mixture->coupling.prior[k] = mixture->coupling.W[k * mixture->stride + k] = m->prior[k];
        theta[k] = m->mean[k];
        theta[2 + k] = exp(2 * m->log_sd[k]);
    }
    *out = mixture;
    mixture = NULL;
done:
    scant_i_mixture_free(mixture);
    return status;
}

void scant_i_normals_read(scant_i_margin *m, const scant_i_mixture *mixture)
{
    const double *theta = mixture->factor[0]->theta;
    for (size_t k = 0; k < 2; k++) {
        m->mean[k] = theta[k];
        m->log_sd[k] = log(theta[2 + k]) / 2;
    }
}

scant_status scant_i_normals_fit(scant_i_margin *m, const scant_rows *rows, uint64_t seed,
                                 size_t threads)
{
    static const scant_i_evidence_settings settings = {.unlabelled_weight = 1};
    /* EM only has to find the hill; Newton's steps climb it */
    scant_i_engine_options options = {.starts = 10,
                                      .max_iter = 200,
                                      .tol = 1e-7,
                                      .kind = SCANT_I_START_KMEANS,
                                      .seed = seed,
                                      .threads = threads};
    scant_status status = SCANT_OK;
    scant_i_mixture *layout = NULL;
    scant_i_evidence evidence = {0};
    scant_i_run *run = NULL;
    SCANT_I_TRY(scant_i_normals_new(&layout, m));
    SCANT_I_TRY(scant_i_mixture_standardise(layout, rows, threads));
    SCANT_I_TRY(scant_i_evidence_new(&evidence, rows, 2, &settings));
    SCANT_I_TRY(scant_i_engine_fit(&run, layout, rows, &evidence, &options));
    scant_i_normals_read(m, run->mixture);
done:
    scant_i_run_free(run);
    scant_i_evidence_clear(&evidence);
    scant_i_mixture_free(layout);
    return status;
}
