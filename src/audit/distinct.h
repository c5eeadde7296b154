/* Equal items once, with their weight: all that a model of full answers has to know of votes. */
#ifndef SCANT_I_AUDIT_DISTINCT_H
#define SCANT_I_AUDIT_DISTINCT_H

#include "data/votes.h"

typedef struct scant_i_distinct {
    size_t n;
    int32_t *item;  /* n x (k + 1): answers, -1: missing; and the true class, -1: not known */
    double *weight; /* n */
} scant_i_distinct;

/* In order of first appearance. Parts say what their tiles have, so the bytes are the same however many
 * there are. */
scant_status scant_i_distinct_new(scant_i_distinct *out, const scant_votes *votes);
void scant_i_distinct_clear(scant_i_distinct *distinct);

#endif
