#include "latent/blank.h"

scant_status scant_i_blank_new(scant_i_blank **out, const scant_i_posterior *posterior)
{
    scant_status status = SCANT_OK;
    scant_i_blank *blank = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&blank, 1));
    SCANT_I_TRY(scant_i_evidence_blank(&blank->evidence, posterior->evidence));
    blank->evidence.unlabelled_weight = 0;
    SCANT_I_TRY(scant_i_posterior_new(&blank->posterior, posterior->mixture, &blank->evidence));
    *out = blank;
    blank = NULL;
done:
    scant_i_blank_free(blank);
    return status;
}

void scant_i_blank_free(scant_i_blank *blank)
{
    if (!blank)
        return;
    scant_i_posterior_clear(&blank->posterior);
    scant_i_evidence_clear(&blank->evidence);
    scant_i_free(blank);
}

void scant_i_blank_prepare(scant_i_blank *blank, const scant_i_posterior *posterior)
{
    blank->posterior.mixture = posterior->mixture;
    blank->posterior.beta = posterior->beta;
    scant_i_posterior_prepare(&blank->posterior);
}

const double *scant_i_blank_log_share(const scant_i_blank *blank)
{
    return blank->posterior.log_a; /* entry 0, as any other */
}
