/* A pass over rows: tiles, blocks, threads, and sums in a fixed tree.
 *
 * Rows are cut into tiles by their numbers in the whole table (tiles.h), and tiles into blocks that
 * fit the cache, never across two patterns of missing cells. A tile adds up its blocks in order;
 * tiles are added in a fixed binary tree (parts/tree.h), so the result has the same bytes for any
 * number of threads. The n x M table of responsibilities never exists: not more of it than a block
 * has, or where rows are tied a run of whole sequences. */
#ifndef SCANT_I_PASS_H
#define SCANT_I_PASS_H

#include "latent/objective.h"
#include "parts/tiles.h"
#include "parts/tree.h"
#include "parts/part.h"

typedef struct scant_i_pass scant_i_pass;

/* What a pass over a part has to know of the whole table. */
typedef struct scant_i_whole {
    scant_i_counts counts;
    bool missing; /* cells are, if not in every part */
    scant_i_tiles tiles;
} scant_i_whole;

/* The tiles for counts, the shape of the mixture, and `own` statistics of a visitor. */
scant_i_tiles scant_i_pass_tiles(const scant_i_whole *whole, const scant_i_mixture *mixture,
                                 size_t own);
/* For a part's rows and the shape of the aim's mixture; `own` is the length of the visitor's own
 * statistics. The part is borrowed, the aim is not. */
scant_status scant_i_pass_new(scant_i_pass **out, const scant_i_part *part,
                              const scant_i_whole *whole, const scant_i_aim *aim, size_t own,
                              size_t threads);
void scant_i_pass_free(scant_i_pass *pass);

/* Before many passes over the same rows: lets families keep blocks in a form of their own (within a
 * fixed amount of memory), which makes every later pass quicker. Not worth it for a single pass. */
scant_status scant_i_pass_keep(scant_i_pass *pass, const scant_i_mixture *mixture, size_t bytes);
/* What families would keep of these rows; `bytes` above is the sum over all parts. Where that is too
 * much, every tile has an equal part of what may be kept, whichever part it is in. */
size_t scant_i_pass_keep_bytes(scant_i_pass *pass, const scant_i_mixture *mixture);

/* Sees each block, the larger ones in parts; where the mixture's structure ties rows, runs of whole
 * sequences (structure.h). L (nrows x stride) holds log densities, or zeros where
 * none were asked for; what it holds on return are the weights that statistics are accumulated
 * with. `own` is the visitor's part of the tile's statistics, `room` has scant_i_aim_room
 * doubles. Runs in any thread. */
typedef scant_status (*scant_i_visitor)(const scant_i_block *block, double *L, double *own,
                                        double *room, void *payload);

typedef struct scant_i_pass_plan {
    scant_i_visitor visitor;
    void *payload;
    bool density;    /* compute log densities first */
    bool accumulate; /* add the factors' statistics afterwards */
} scant_i_pass_plan;

/* Runs one pass. The mixture's factors must be prepared where densities are asked for. Afterwards
 * scant_i_pass_own gives the sums, where all tiles are here, and scant_i_pass_tree those that there
 * are. SCANT_ERR_INTERRUPTED: it was cancelled, and there are no sums. */
scant_status scant_i_pass_run(scant_i_pass *pass, const scant_i_mixture *mixture,
                              const scant_i_pass_plan *plan, const scant_i_cancel *cancel);
const double *scant_i_pass_own(const scant_i_pass *pass);
const scant_i_tree *scant_i_pass_tree(const scant_i_pass *pass);
size_t scant_i_pass_length(const scant_i_pass *pass);                /* numbers of the sums */
size_t scant_i_pass_offset(const scant_i_pass *pass, size_t factor); /* where a factor's begin */

#endif
