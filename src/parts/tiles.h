/* Tiles: the pieces of a table that sums are made of.
 *
 * Tile t is the rows t 2^k to (t + 1) 2^k - 1 of the whole table, by their numbers in it. k comes
 * from counts of the whole table, so neither threads nor parts have a say in where a tile ends. */
#ifndef SCANT_I_TILES_H
#define SCANT_I_TILES_H

#include "base/base.h"

typedef struct scant_i_tiles {
    size_t nrows; /* of the whole table */
    size_t log2;  /* k */
} scant_i_tiles;

/* What k is chosen by. */
typedef struct scant_i_tile_counts {
    size_t nrows, nentries; /* of the whole table; entries of sparse rows, 0: they are dense */
    bool missing;           /* cells are */
    size_t nstatistics;     /* numbers that a tile's sums have */
    size_t stride;          /* components, which an entry meets all of */
} scant_i_tile_counts;

/* The least k >= 9 that leaves
 *   at most 64 tiles, 4 with missing cells: every tile has each pattern once more;
 *   at most 32 MB of sums, if all tiles had theirs at once;
 *   of sparse rows 4 multiply-adds or more for each number of a tile's sums, which costs about as
 *   much to clear and to add, but 4 tiles in any case.
 * Dense tiles are of 2^16 rows at most, so that one fits in memory, unless their sums are large. */
scant_i_tiles scant_i_tiles_choose(const scant_i_tile_counts *counts);
/* From now on 2^log2 rows whatever the counts, and a worker for however few; 0: they are chosen again. For
 * tests, while nothing else runs: small tables then have many tiles. */
void scant_i_tiles_use(size_t log2);
/* How many of the threads (0: all there are) so many rows in so many tiles are worth waking. */
size_t scant_i_tiles_workers(size_t ntiles, size_t nrows, size_t threads);

static inline size_t scant_i_tiles_count(const scant_i_tiles *tiles)
{
    return tiles->nrows ? ((tiles->nrows - 1) >> tiles->log2) + 1 : 1;
}

#endif
