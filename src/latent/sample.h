/* A sample of rows with all that is known of them, wherever they are.
 *
 * Two questions: parts say which of their rows may be drawn (strata.h), and then how those that are
 * look. Where all rows are here they stay where they are. */
#ifndef SCANT_I_SAMPLE_H
#define SCANT_I_SAMPLE_H

#include "latent/strata.h"
#include "parts/ask.h"
#include "parts/part.h"

typedef struct scant_i_sample {
    size_t n;
    size_t *place;       /* n: of a sampled row in the batch, ascending */
    scant_i_batch batch; /* that has the rows */
    /* what the batch borrows where they were fetched, else NULL */
    double *cells, *weight;
    size_t *start;
    int32_t *column, *code;
} scant_i_sample;

/* From all parts, with a survey of the evidence; the carrier may be NULL: all rows are here, in one
 * part. SCANT_ERR_INPUT: no row has weight. */
scant_status scant_i_sample_new(scant_i_sample *out, const scant_i_carrier *carrier,
                                const scant_i_part *part, const scant_i_evidence *evidence,
                                const scant_i_survey *survey, const scant_i_random *random);
void scant_i_sample_clear(scant_i_sample *sample);

#endif
