/* A part: consecutive rows of a table that one worker holds, whole tiles of it. */
#ifndef SCANT_I_PART_H
#define SCANT_I_PART_H

#include "data/batch.h"
#include "data/rows.h"

typedef struct scant_i_part {
    const scant_rows *rows; /* cells; `owned` or the whole table */
    scant_rows *owned;      /* or NULL */
    int32_t *code;          /* copies that a part of its own has, or NULL */
    double *weight;
    size_t tiles_first,
        tiles_end; /* rows that its tiles are of, by the table's numbers: a sequence may
                                      begin in the last one and end behind it */
    scant_i_batch
        batch; /* the rows with their evidence and weights; `first` is the first one's number
                            in the whole table */
} scant_i_part;

/* All rows, where they are. code and weight (either may be NULL) are borrowed. */
scant_i_part scant_i_part_of_all(const scant_rows *rows, const int32_t *code, const double *weight);
/* A copy of rows first to end - 1 with what belongs to them, and nothing of the others. */
scant_status scant_i_part_new(scant_i_part *out, const scant_rows *rows, const int32_t *code,
                              const double *weight, size_t first, size_t end);
void scant_i_part_clear(scant_i_part *part);

/* Does a sequence of rows that are tied begin at the batch's row? */
typedef bool (*scant_i_begins)(const scant_i_batch *batch, size_t row);
/* All rows as one part or, where they name a carrier, dealt out at its cuts; a tile of 2^log2 rows that
 * a cut goes through is its first row's owner's, and so is a sequence. `begins` may be NULL: every row
 * is one. */
scant_status scant_i_parts_new(scant_i_part **out, size_t *nparts, const scant_rows *rows,
                               const int32_t *code, const double *weight, size_t log2,
                               scant_i_begins begins);
void scant_i_parts_free(scant_i_part *part, size_t nparts);

#endif
