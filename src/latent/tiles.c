#include "latent/tiles.h"

enum {
    LOG2_LEAST = 9, /* about a block of rows */
    LOG2_MOST = 16, /* of dense rows */
    TILES_MOST = 64,
    TILES_MOST_MISSING = 4,
    SPARSE_WORK = 4,
    SPARSE_TILES = 4,
    SUMS_SMALL = 1 << 17 /* numbers, 1 MB: a few such for each worker do not matter */
};
static const size_t SUMS_MEMORY = (size_t)32 << 20; /* bytes */

scant_i_tiles scant_i_tiles_choose(const scant_i_tile_counts *counts)
{
    size_t length = scant_i_max(1, counts->nstatistics);
    size_t most = counts->missing ? TILES_MOST_MISSING : TILES_MOST;
    most = scant_i_min(most, scant_i_max(1, SUMS_MEMORY / (length * sizeof(double))));
    if (counts->nentries) {
        double worth = (double)counts->nentries * (double)counts->stride / SPARSE_WORK;
        most = scant_i_min(most, scant_i_max(SPARSE_TILES, (size_t)(worth / (double)length)));
    }

    scant_i_tiles tiles = {counts->nrows, LOG2_LEAST};
    bool bounded = !counts->nentries && length <= SUMS_SMALL;
    while (scant_i_tiles_count(&tiles) > most && !(bounded && tiles.log2 == LOG2_MOST))
        tiles.log2++;
    return tiles;
}
