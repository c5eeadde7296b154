#include "latent/mixture.h"

#include <string.h>

scant_status scant_i_evidence_new(scant_i_evidence *out, const scant_rows *rows, size_t nclasses)
{
    const scant_i_labels *labels = &rows->labels;
    size_t K = nclasses;
    bool known = labels->code != NULL && labels->nclasses == K;
    *out = (scant_i_evidence){.nclasses = K, .weight = rows->weight};
    out->nentries = K + 1 + (known ? labels->nsoft : 0);
    scant_status status = SCANT_I_NEW(&out->v, out->nentries * K);
    if (status != SCANT_OK)
        return status;
    for (size_t k = 0; k < K; k++) {
        out->v[k * K + k] = 1;
        out->v[K * K + k] = 1;
    }
    if (known) {
        if (labels->nsoft)
            memcpy(out->v + (K + 1) * K, labels->soft, labels->nsoft * K * sizeof *out->v);
        out->code = labels->code;
    }
    return SCANT_OK;
}

void scant_i_evidence_clear(scant_i_evidence *evidence)
{
    scant_i_free(evidence->v);
    evidence->v = NULL;
}
