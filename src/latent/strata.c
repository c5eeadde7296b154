#include "latent/strata.h"

enum { SAMPLE_MAX = 20000 };

/* Rows of weight that are sampled alike: those labelled k, those of which nothing is known, and all with
 * sets or probabilities. */
typedef struct stratum {
    size_t count, quota; /* rows there are, and rows wanted */
    size_t seen, drawn;
    size_t next, chosen; /* where the next stretch begins, and this one's row */
} stratum;

static stratum *stratum_of(const scant_i_evidence *evidence, stratum *strata, size_t row)
{
    size_t entry = scant_i_evidence_entry(evidence, row);
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

/* Is the stratum's next row drawn? One out of each of `quota` equal stretches is. */
static bool draws(stratum *t, scant_i_random *random)
{
    if (t->seen == t->next) {
        t->next = (size_t)((double)t->count * (double)++t->drawn / (double)t->quota);
        size_t length = t->next - t->seen;
        t->chosen = length > 1 ? t->seen + scant_i_random_below(random, length) : t->seen;
    }
    return t->seen++ == t->chosen;
}

scant_status scant_i_strata_sample(size_t **out, size_t *count, const scant_i_evidence *evidence,
                                   size_t nrows, scant_i_random *random)
{
    scant_status status = SCANT_OK;
    size_t n = evidence->nclasses + 2, wanted = 0;
    stratum *strata = NULL;
    *out = NULL;
    *count = 0;
    SCANT_I_TRY(SCANT_I_NEW(&strata, n));
    for (size_t row = 0; row < nrows; row++)
        stratum_of(evidence, strata, row)->count += scant_i_evidence_weight(evidence, row) > 0;
    wanted = set_quotas(strata, n);
    if (wanted == 0) {
        status = scant_i_fail(SCANT_ERR_INPUT, "no row has a positive weight");
        goto done;
    }
    SCANT_I_TRY(SCANT_I_NEW(out, wanted));
    for (size_t row = 0; row < nrows; row++)
        if (scant_i_evidence_weight(evidence, row) > 0 &&
            draws(stratum_of(evidence, strata, row), random))
            (*out)[(*count)++] = row;
done:
    scant_i_free(strata);
    return status;
}
