/* Sums over all rows by one question: every tile says its own, and they are merged in the tree over all
 * tiles (parts/tree.h). So neither threads nor parts change a byte. */
#ifndef SCANT_I_TALLY_H
#define SCANT_I_TALLY_H

#include "parts/tree.h"
#include "parts/part.h"
#include "parts/tiles.h"

typedef struct scant_i_tally {
    scant_i_tiles tiles;
    size_t length; /* numbers that a tile says */
    /* Rows first to end - 1 of the batch; sums are 0 on entry. Runs in any thread. */
    scant_status (*add)(const scant_i_batch *batch, size_t first, size_t end, double *sums,
                        const void *payload);
    scant_i_merge merge; /* of two tiles' numbers; NULL: they are added */
    const void *payload; /* of both */
} scant_i_tally;

/* out: `length` numbers, all 0 where there are no rows. */
scant_status scant_i_tally_ask(double *out, const scant_i_tally *tally, const scant_rows *rows,
                               const int32_t *code, const double *weight, size_t threads);

#endif
