/* A sample of rows in which every kind of evidence has its part. */
#ifndef SCANT_I_STRATA_H
#define SCANT_I_STRATA_H

#include "base/random.h"
#include "latent/survey.h"

/* Rows of weight in their order: all, or some 20 000 of many, drawn apart from those labelled k, for each class, from
 * those of which nothing is known, and from those with sets or probabilities; the few are there with more than their
 * part. Every row has a key, and a stratum takes the rows of its smallest keys: whoever holds some of the rows can say
 * which of them may be drawn, and the draws do not depend on who holds what. SCANT_ERR_INPUT: no row has weight. One
 * walk over the rows; the survey is of the evidence; the caller frees *out. */
scant_status scant_i_strata_sample(size_t **out, size_t *count, const scant_i_evidence *evidence,
                                   const scant_i_survey *survey, const scant_i_random *random);
/* The key of a row, by its number in the whole table, under a generator's seed and stream. */
uint64_t scant_i_strata_key(const scant_i_random *random, size_t row);

#endif
