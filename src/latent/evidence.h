/* Evidence: what is known of each row's class, as one vector v over the classes. */
#ifndef SCANT_I_EVIDENCE_H
#define SCANT_I_EVIDENCE_H

#include "base/base.h"
#include "data/rows.h"
#include "family/family.h"

/* How a row's vector enters its table g[j][k]:
 *   likelihood  g = W[k][j] v[k]    the vector is P(what was seen | class), up to a constant
 *   prior       g = pi[k][j] v[k]   the vector stands in place of the class proportions
 *   posterior   the row is K copies of weight v[k], labelled k */
typedef enum scant_i_evidence_kind {
    SCANT_I_LIKELIHOOD,
    SCANT_I_PRIOR,
    SCANT_I_POSTERIOR
} scant_i_evidence_kind;

typedef struct scant_i_evidence_settings {
    scant_i_evidence_kind probabilities; /* what rows with class probabilities are */
    double unlabelled_weight; /* factor on the weights of rows of which nothing is known */
    bool own_class; /* rows of which nothing is known are a class of their own, the last one */
    bool hidden;    /* labels are left unread */
} scant_i_evidence_settings;

/* Rows share few distinct vectors. Entries 0 .. K-1 say "exactly class k", entry K "nothing known",
 * and from K + 1 on come sets and probabilities as they occur. */
typedef struct scant_i_evidence {
    size_t nclasses; /* K, with the class of unlabelled rows where there is one */
    size_t nlabels;  /* classes that labels speak of: K, or K - 1 */
    size_t nentries;
    double *v;            /* nentries x K */
    uint8_t *kind;        /* nentries */
    int32_t *only;        /* nentries: the component that rows of the entry are known to be of, -1:
                             any; NULL: any for all of them */
    const int32_t *code;  /* the rows' label codes, or NULL: nothing known of any row */
    const double *weight; /* the rows' weights, or NULL: all 1 */
    double unlabelled_weight;
    bool own_class;
    const uint8_t *is_probability; /* the entries from K + 1 on, as of the labels; NULL: sets all */
} scant_i_evidence;

/* Evidence of the rows' labels about nclasses classes (own_class included). With one class labels say
 * nothing; else labels that are of another number of classes are SCANT_ERR_INPUT. Rows' arrays are
 * borrowed. */
scant_status scant_i_evidence_new(scant_i_evidence *out, const scant_rows *rows, size_t nclasses,
                                  const scant_i_evidence_settings *settings);
/* The same rows and entries, none of which tells a thing. */
scant_status scant_i_evidence_blank(scant_i_evidence *out, const scant_i_evidence *evidence);
void scant_i_evidence_clear(scant_i_evidence *evidence);
/* Is the entry a label that was seen, or a set of them, and so may be wrong? */
static inline bool scant_i_evidence_is_label(const scant_i_evidence *evidence, size_t entry)
{
    size_t first = evidence->nclasses + 1;
    return entry < first || !evidence->is_probability || !evidence->is_probability[entry - first];
}
/* Does the entry tell classes apart? */
bool scant_i_evidence_informs(const scant_i_evidence *evidence, size_t entry);
/* Is any entry more for one class than for another that it leaves open? */
bool scant_i_evidence_is_graded(const scant_i_evidence *evidence);
/* Shares of the classes that rows' vectors favour, by the weight of each entry (survey.h), ties split;
 * all 1 / K where no row has any. */
void scant_i_evidence_fallback(const scant_i_evidence *evidence, const double *weight,
                               double *share);

static inline bool scant_i_evidence_unknown(const scant_i_evidence *evidence, size_t row)
{
    return !evidence->code || evidence->code[row] < 0;
}
/* The entry of a label code; a negative one: nothing is known. */
static inline size_t scant_i_evidence_entry_of(const scant_i_evidence *evidence, int32_t label)
{
    size_t K = evidence->nclasses, code = (size_t)label;
    if (label < 0)
        return evidence->own_class ? K - 1 : K;
    return code < evidence->nlabels ? code : code - evidence->nlabels + K + 1;
}
static inline size_t scant_i_evidence_entry(const scant_i_evidence *evidence, size_t row)
{
    return scant_i_evidence_entry_of(evidence, evidence->code ? evidence->code[row] : -1);
}
/* The same of a batch's i-th row, and of a block's. */
static inline bool scant_i_batch_unknown(const scant_i_batch *batch, size_t i)
{
    return !batch->code || batch->code[i] < 0;
}
static inline size_t scant_i_batch_entry(const scant_i_evidence *evidence,
                                         const scant_i_batch *batch, size_t i)
{
    return scant_i_evidence_entry_of(evidence, batch->code ? batch->code[i] : -1);
}
static inline double scant_i_batch_weight(const scant_i_evidence *evidence,
                                          const scant_i_batch *batch, size_t i)
{
    double w = batch->weight ? batch->weight[i] : 1;
    return scant_i_batch_unknown(batch, i) ? w * evidence->unlabelled_weight : w;
}
static inline bool scant_i_block_unknown(const scant_i_block *block, size_t i)
{
    return scant_i_batch_unknown(block->batch, scant_i_block_place(block, i));
}
static inline size_t scant_i_block_entry(const scant_i_evidence *evidence,
                                         const scant_i_block *block, size_t i)
{
    return scant_i_batch_entry(evidence, block->batch, scant_i_block_place(block, i));
}
static inline double scant_i_block_weight(const scant_i_evidence *evidence,
                                          const scant_i_block *block, size_t i)
{
    return scant_i_batch_weight(evidence, block->batch, scant_i_block_place(block, i));
}
/* So many rows, from the first on, have all the entries that rows have. */
static inline size_t scant_i_evidence_informative_rows(const scant_i_evidence *evidence,
                                                       size_t nrows)
{
    return evidence->code ? nrows : scant_i_min(nrows, 1);
}
static inline double scant_i_evidence_weight(const scant_i_evidence *evidence, size_t row)
{
    double w = evidence->weight ? evidence->weight[row] : 1;
    return scant_i_evidence_unknown(evidence, row) ? w * evidence->unlabelled_weight : w;
}

#endif
