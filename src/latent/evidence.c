#include "latent/evidence.h"

#include <string.h>

scant_status scant_i_evidence_new(scant_i_evidence *out, const scant_rows *rows, size_t nclasses,
                                  const scant_i_evidence_settings *settings)
{
    scant_status status = SCANT_OK;
    const scant_i_labels *labels = &rows->labels;
    size_t K = nclasses, nlabels = settings->own_class ? K - 1 : K;
    bool read = labels->code != NULL && !settings->hidden;
    bool known = read && labels->nclasses == nlabels;
    size_t nsoft = known ? labels->nsoft : 0;
    *out = (scant_i_evidence){0};
    if (read && !known && labels->nclasses && K > 1)
        return scant_i_fail(SCANT_ERR_INPUT,
                            "the rows' labels are of %zu classes where the model has %zu",
                            labels->nclasses, nlabels);
    *out = (scant_i_evidence){.nclasses = K,
                              .nlabels = nlabels,
                              .nentries = K + 1 + nsoft,
                              .weight = rows->weight,
                              .unlabelled_weight = settings->unlabelled_weight,
                              .own_class = settings->own_class};
    SCANT_I_TRY(SCANT_I_NEW(&out->v, out->nentries * K));
    SCANT_I_TRY(SCANT_I_NEW(&out->kind, out->nentries));
    for (size_t k = 0; k < K; k++) {
        out->v[k * K + k] = 1;
        out->v[K * K + k] = 1;
    }
    for (size_t e = 0; e < nsoft; e++) {
        memcpy(out->v + (K + 1 + e) * K, labels->soft + e * nlabels, nlabels * sizeof *out->v);
        if (labels->is_probability[e])
            out->kind[K + 1 + e] = (uint8_t)settings->probabilities;
    }
    out->code = known ? labels->code : NULL;
    out->is_probability = known ? labels->is_probability : NULL;
done:
    if (status != SCANT_OK)
        scant_i_evidence_clear(out);
    return status;
}

scant_status scant_i_evidence_blank(scant_i_evidence *out, const scant_i_evidence *evidence)
{
    scant_status status = SCANT_OK;
    size_t n = evidence->nentries * evidence->nclasses;
    *out = *evidence;
    out->v = NULL;
    out->kind = NULL;
    out->only = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&out->v, n));
    SCANT_I_TRY(SCANT_I_NEW(&out->kind, evidence->nentries));
    for (size_t k = 0; k < n; k++)
        out->v[k] = 1;
done:
    if (status != SCANT_OK)
        scant_i_evidence_clear(out);
    return status;
}

void scant_i_evidence_clear(scant_i_evidence *evidence)
{
    scant_i_free(evidence->v);
    scant_i_free(evidence->kind);
    scant_i_free(evidence->only);
    *evidence = (scant_i_evidence){0};
}

bool scant_i_evidence_informs(const scant_i_evidence *evidence, size_t entry)
{
    size_t K = evidence->nclasses;
    const double *v = evidence->v + entry * K;
    for (size_t k = 1; k < K; k++)
        if (v[k] != v[0])
            return true;
    return false;
}

bool scant_i_evidence_is_graded(const scant_i_evidence *evidence)
{
    size_t K = evidence->nclasses;
    for (size_t e = K + 1; e < evidence->nentries; e++) {
        const double *v = evidence->v + e * K;
        double top = 0;
        for (size_t k = 0; k < K; k++)
            top = v[k] > top ? v[k] : top;
        for (size_t k = 0; k < K; k++)
            if (v[k] > 0 && v[k] < top)
                return true;
    }
    return false;
}

void scant_i_evidence_fallback(const scant_i_evidence *evidence, const double *weight,
                               double *share)
{
    size_t K = evidence->nclasses;
    double total = 0;
    memset(share, 0, K * sizeof *share);
    for (size_t e = 0; e < evidence->nentries; e++) {
        const double *v = evidence->v + e * K;
        double top = 0, ties = 0;
        for (size_t k = 0; k < K; k++)
            top = v[k] > top ? v[k] : top;
        for (size_t k = 0; k < K; k++)
            ties += v[k] == top;
        for (size_t k = 0; k < K; k++)
            share[k] += v[k] == top ? weight[e] / ties : 0;
        total += weight[e];
    }
    for (size_t k = 0; k < K; k++)
        share[k] = total > 0 ? share[k] / total : 1 / (double)K;
}
