/* Which rows to sample, so that every kind of evidence has its part.
 *
 * All rows of weight, or some 20 000 of many, drawn apart from those labelled k, for each class, from those of
 * which nothing is known, and from those with sets or probabilities; the few are there with more than their
 * part. Every row has a key, and a stratum takes the rows of its smallest keys: so whoever holds some of the
 * rows can say which of them may be drawn, and the draws do not depend on who holds what. */
#ifndef SCANT_I_STRATA_H
#define SCANT_I_STRATA_H

#include "base/random.h"
#include "latent/survey.h"

typedef struct scant_i_candidate {
    uint64_t key;
    uint64_t row; /* its number in the whole table */
    uint64_t stratum;
} scant_i_candidate;

/* Rows of weight that are sampled alike. */
typedef struct scant_i_stratum {
    size_t count, quota; /* rows there are, and rows wanted */
    scant_i_candidate
        *heap; /* quota: those of the smallest keys so far, the largest of them first */
    size_t n;
} scant_i_stratum;

typedef struct scant_i_strata {
    scant_i_stratum *stratum;
    size_t nstrata, wanted; /* rows of all strata together */
} scant_i_strata;

/* `survey` is of the evidence. SCANT_ERR_INPUT: no row has weight. */
scant_status scant_i_strata_new(scant_i_strata *out, const scant_i_evidence *evidence,
                                const scant_i_survey *survey);
void scant_i_strata_clear(scant_i_strata *strata);

/* Those that were offered are drawn while no better ones are. */
void scant_i_strata_offer(scant_i_strata *strata, const scant_i_candidate *candidate);
void scant_i_strata_offer_batch(scant_i_strata *strata, const scant_i_batch *batch,
                                const scant_i_evidence *evidence, const scant_i_random *random);
/* Those that are drawn, `wanted` at most; returns how many. */
size_t scant_i_strata_drawn(const scant_i_strata *strata, scant_i_candidate *out);

/* The key of a row, by its number in the whole table, under a generator's seed and stream. */
uint64_t scant_i_strata_key(const scant_i_random *random, size_t row);

#endif
