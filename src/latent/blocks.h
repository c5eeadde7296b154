/* What a pass is made of: shared by the file that cuts rows into blocks and the one that runs over
 * them. */
#ifndef SCANT_I_BLOCKS_H
#define SCANT_I_BLOCKS_H

#include "latent/pass.h"

enum { SCANT_I_BLOCK_MAX = 480 }; /* rows; multiples of 48 suit both products' tiles */

typedef struct scant_i_extent {
    size_t first; /* in pass order */
    size_t nrows;
    size_t pattern;
    size_t tile; /* counted from the pass's first */
    size_t run;  /* of whole sequences, where rows are tied */
} scant_i_extent;

struct scant_i_pass {
    const scant_rows *rows;
    const scant_i_batch *batch; /* of these rows */
    scant_i_whole whole;
    size_t first;              /* number of row 0 in the whole table */
    size_t first_tile, ntiles; /* of these rows; there may be none without any */
    bool tied;                 /* rows are, by the structure */
    size_t *run;               /* where rows are tied, nruns + 1: its first row */
    size_t nruns, visited;     /* rows that a visitor sees at most */
    scant_i_patterns patterns;
    size_t *order; /* nrows: rows by task, within it by pattern; NULL: as they are */
    size_t nfactors, stride, threads;
    size_t block_rows;
    scant_i_extent *block;
    size_t nblocks;
    size_t *task;              /* ntasks + 1: its first block */
    size_t ntasks, task_tiles; /* tiles that a task has, the last one fewer */
    void **kept; /* nfactors x nblocks: what families keep of their blocks; NULL: nothing */
    void (**drop)(void *kept); /* nfactors */
    bool *wanted;              /* nfactors x nblocks, while they are made */
    size_t *offset; /* nfactors + 1: where each factor's statistics start, after the visitor's */
    size_t nstatistics; /* of a tile, rounded up to a cache line */
    scant_i_tree *tree;
    size_t workers;
    size_t table, room;     /* doubles of a worker's scratch: L, the visitor's room, a run's L */
    size_t *scratch_offset; /* nfactors + 1, bytes: the factors', after these */
    char **scratch;         /* one a worker, made when it first runs */
    const scant_i_mixture *mixture;
    const scant_i_pass_plan *plan;
    const scant_i_cancel *cancel;
};

/* Tile of one of the pass's rows, counted from its first; and the pass's k-th row. */
static inline size_t scant_i_pass_tile(const scant_i_pass *pass, size_t row)
{
    return ((pass->first + row) >> pass->whole.tiles.log2) - pass->first_tile;
}
static inline size_t scant_i_pass_row(const scant_i_pass *pass, size_t k)
{
    return pass->order ? pass->order[k] : pass->patterns.order ? pass->patterns.order[k] : k;
}

/* The pass's tiles, and, when the rows of a block and the tasks are chosen, its blocks. */
void scant_i_pass_find_tiles(scant_i_pass *pass, const scant_i_part *part);
scant_status scant_i_pass_cut(scant_i_pass *pass, const scant_i_structure *structure);

#endif
