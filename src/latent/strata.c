#include "latent/strata.h"

#include <stdlib.h>

enum { SAMPLE_MAX = 20000 };

typedef struct drawn {
    uint64_t key;
    size_t row;
} drawn;

/* Rows of weight that are sampled alike: those labelled k, those of which nothing is known, and all with
 * sets or probabilities. */
typedef struct stratum {
    size_t count, quota; /* rows there are, and rows wanted */
    drawn *heap;         /* quota: those of the smallest keys so far, the largest of them first */
    size_t n;
} stratum;

static stratum *stratum_of(const scant_i_evidence *evidence, stratum *strata, size_t entry)
{
    return &strata[scant_i_min(entry, evidence->nclasses + 1)];
}

/* All rows, or each stratum's part of SAMPLE_MAX rows; a stratum that is small among many rows is there with
 * more, since a class is told by its labels, however few. Returns how many, not much above twice
 * SAMPLE_MAX. */
static size_t set_quotas(stratum *strata, size_t n)
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

uint64_t scant_i_strata_key(const scant_i_random *random, size_t row)
{
    static const uint64_t APART = 0x9e3779b97f4a7c15u; /* from other uses of the seed */
    scant_i_random own = scant_i_random_new(random->key[0] ^ APART, random->key[1] << 40 | row);
    return scant_i_random_word(&own);
}

static bool is_before(const drawn *a, const drawn *b)
{
    return a->key != b->key ? a->key < b->key : a->row < b->row;
}

static void swap(drawn *a, drawn *b)
{
    drawn kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(drawn *heap, size_t k)
{
    for (; k > 0 && is_before(&heap[(k - 1) / 2], &heap[k]); k = (k - 1) / 2)
        swap(&heap[(k - 1) / 2], &heap[k]);
}

static void sift_down(drawn *heap, size_t n)
{
    for (size_t k = 0, child = 1; child < n; k = child, child = 2 * k + 1) {
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&heap[k], &heap[child]))
            return;
        swap(&heap[k], &heap[child]);
    }
}

static void offer(stratum *t, drawn row)
{
    if (t->n < t->quota) {
        t->heap[t->n] = row;
        sift_up(t->heap, t->n++);
    } else if (t->quota && is_before(&row, &t->heap[0])) {
        t->heap[0] = row;
        sift_down(t->heap, t->n);
    }
}

static int compare_rows(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

scant_status scant_i_strata_sample(size_t **out, size_t *count, const scant_i_evidence *evidence,
                                   const scant_i_survey *survey, const scant_i_random *random)
{
    scant_status status = SCANT_OK;
    size_t n = evidence->nclasses + 2, wanted = 0;
    stratum *strata = NULL;
    *out = NULL;
    *count = 0;
    SCANT_I_TRY(SCANT_I_NEW(&strata, n));
    for (size_t e = 0; e < evidence->nentries; e++)
        if (survey->weight[e] > 0)
            stratum_of(evidence, strata, e)->count += (size_t)survey->rows[e];
    wanted = set_quotas(strata, n);
    if (wanted == 0) {
        status = scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
        goto done;
    }

    for (size_t t = 0; t < n; t++)
        SCANT_I_TRY(SCANT_I_NEW(&strata[t].heap, strata[t].quota));
    for (size_t row = 0; row < survey->counts.nrows; row++) {
        stratum *t = stratum_of(evidence, strata, scant_i_evidence_entry(evidence, row));
        if (!(scant_i_evidence_weight(evidence, row) > 0))
            continue;
        bool all = t->quota == t->count; /* whatever their keys */
        offer(t, (drawn){all ? 0 : scant_i_strata_key(random, row), row});
    }

    SCANT_I_TRY(SCANT_I_NEW(out, wanted));
    for (size_t t = 0; t < n; t++)
        for (size_t k = 0; k < strata[t].n; k++)
            (*out)[(*count)++] = strata[t].heap[k].row;
    qsort(*out, *count, sizeof **out, compare_rows);
done:
    for (size_t t = 0; strata && t < n; t++)
        scant_i_free(strata[t].heap);
    scant_i_free(strata);
    return status;
}
