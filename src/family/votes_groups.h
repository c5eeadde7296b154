/* Votes of several predictors at a time: what a pass over many answers goes through quicker.
 *
 * Predictors are taken in groups; all answers that a group can give together, "none" included, have a
 * row in the group's table, so that a row of votes is one entry a group instead of one a predictor.
 * Entries depend on the votes alone and are kept between passes. */
#ifndef SCANT_I_VOTES_GROUPS_H
#define SCANT_I_VOTES_GROUPS_H

#include "family/family.h"

typedef struct scant_i_groups {
    size_t size;  /* predictors of a group; the last one may have fewer */
    size_t count; /* 0: groups would not pay */
    size_t rows;  /* of each group's table: (answers + 1)^size */
} scant_i_groups;

scant_i_groups scant_i_groups_of(const scant_i_factor *factor);
/* All groups' rows (count * rows x stride) from those of single answers (k l x stride). */
void scant_i_groups_fill(double *table, const scant_i_factor *factor, const double *single);
/* Adds sums over groups' rows to those over single answers, and clears them. */
void scant_i_groups_fold(double *single, const scant_i_factor *factor, double *table);

/* L += the groups' rows that the entries name (nrows x count), -inf where that is impossible; and the
 * other way, R added to those rows. */
void scant_i_groups_gather(double *L, const scant_i_factor *factor, const double *table,
                           const int32_t *entry, size_t nrows);
void scant_i_groups_scatter(double *table, const scant_i_factor *factor, const double *R,
                            const int32_t *entry, size_t nrows);

/* For scant_i_family: entries of a block, nrows x count. */
size_t scant_i_groups_block_rows(const scant_i_factor *factor, const scant_i_counts *counts);
size_t scant_i_groups_keep_bytes(const scant_i_factor *factor, const scant_i_block *block);
scant_status scant_i_groups_keep(const scant_i_factor *factor, const scant_i_block *block,
                                 void **kept);

#endif
