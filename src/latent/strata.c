#include "latent/strata.h"

#include <string.h>

enum { SAMPLE_MAX = 20000 };

static size_t stratum_of(const scant_i_evidence *evidence, size_t entry)
{
    return scant_i_min(entry, evidence->nclasses + 1);
}

/* All rows, or each stratum's part of SAMPLE_MAX rows; a stratum that is small among many rows is there with
 * more, since a class is told by its labels, however few. Returns how many, not much above twice
 * SAMPLE_MAX. */
static size_t set_quotas(scant_i_stratum *strata, size_t n)
{
    size_t rows = 0, wanted = 0;
    for (size_t t = 0; t < n; t++)
        rows += strata[t].count;
    for (size_t t = 0; t < n; t++) {
        double part = (double)SAMPLE_MAX * (double)strata[t].count / (double)scant_i_max(rows, 1);
        size_t quota = scant_i_max(SAMPLE_MAX / n + 1, (size_t)part);
        strata[t].quota =
            rows <= SAMPLE_MAX ? strata[t].count : scant_i_min(strata[t].count, quota);
        wanted += strata[t].quota;
    }
    return wanted;
}

scant_status scant_i_strata_new(scant_i_strata *out, const scant_i_evidence *evidence,
                                const scant_i_survey *survey)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_strata){.nstrata = evidence->nclasses + 2};
    SCANT_I_TRY(SCANT_I_NEW(&out->stratum, out->nstrata));
    for (size_t e = 0; e < evidence->nentries; e++)
        if (survey->weight[e] > 0)
            out->stratum[stratum_of(evidence, e)].count += (size_t)survey->rows[e];
    out->wanted = set_quotas(out->stratum, out->nstrata);
    for (size_t t = 0; t < out->nstrata; t++)
        SCANT_I_TRY(SCANT_I_NEW(&out->stratum[t].heap, out->stratum[t].quota));
    if (out->wanted == 0)
        status = scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
done:
    if (status != SCANT_OK)
        scant_i_strata_clear(out);
    return status;
}

void scant_i_strata_clear(scant_i_strata *strata)
{
    for (size_t t = 0; strata->stratum && t < strata->nstrata; t++)
        scant_i_free(strata->stratum[t].heap);
    scant_i_free(strata->stratum);
    *strata = (scant_i_strata){0};
}

/* --- draws --- */

uint64_t scant_i_strata_key(const scant_i_random *random, size_t row)
{
    static const uint64_t APART = 0x9e3779b97f4a7c15u; /* from other uses of the seed */
    scant_i_random own = scant_i_random_new(random->key[0] ^ APART, random->key[1] << 40 | row);
    return scant_i_random_word(&own);
}

static bool is_before(const scant_i_candidate *a, const scant_i_candidate *b)
{
    return a->key != b->key ? a->key < b->key : a->row < b->row;
}

static void swap(scant_i_candidate *a, scant_i_candidate *b)
{
    scant_i_candidate kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(scant_i_candidate *heap, size_t k)
{
    for (; k > 0 && is_before(&heap[(k - 1) / 2], &heap[k]); k = (k - 1) / 2)
        swap(&heap[(k - 1) / 2], &heap[k]);
}

static void sift_down(scant_i_candidate *heap, size_t n)
{
    for (size_t k = 0, child = 1; child < n; k = child, child = 2 * k + 1) {
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&heap[k], &heap[child]))
            return;
        swap(&heap[k], &heap[child]);
    }
}

void scant_i_strata_offer(scant_i_strata *strata, const scant_i_candidate *candidate)
{
    scant_i_stratum *t = &strata->stratum[candidate->stratum];
    if (t->n < t->quota) {
        t->heap[t->n] = *candidate;
        sift_up(t->heap, t->n++);
    } else if (t->quota && is_before(candidate, &t->heap[0])) {
        t->heap[0] = *candidate;
        sift_down(t->heap, t->n);
    }
}

void scant_i_strata_offer_batch(scant_i_strata *strata, const scant_i_batch *batch,
                                const scant_i_evidence *evidence, const scant_i_random *random)
{
    for (size_t i = 0; i < batch->nrows; i++) {
        size_t row = batch->first + i;
        size_t own = stratum_of(evidence, scant_i_batch_entry(evidence, batch, i));
        const scant_i_stratum *t = &strata->stratum[own];
        bool all = t->quota == t->count; /* whatever their keys */
        scant_i_candidate c = {all ? 0 : scant_i_strata_key(random, row), row, own};
        if (scant_i_batch_weight(evidence, batch, i) > 0)
            scant_i_strata_offer(strata, &c);
    }
}

size_t scant_i_strata_drawn(const scant_i_strata *strata, scant_i_candidate *out)
{
    size_t count = 0;
    for (size_t t = 0; t < strata->nstrata; t++) {
        const scant_i_stratum *s = &strata->stratum[t];
        if (s->n)
            memcpy(out + count, s->heap, s->n * sizeof *out);
        count += s->n;
    }
    return count;
}
