#include "parts/tiles.h"

#include <stdatomic.h>

enum {
    LOG2_LEAST = 9, /* about a block of rows */
    LOG2_MOST = 16, /* of dense rows */
    TILES_MOST = 64,
    TILES_MOST_MISSING = 4,
    SPARSE_WORK = 4,
    SPARSE_TILES = 4,
    SUMS_SMALL = 1 << 17 /* numbers, 1 MB: a few such for each worker do not matter */
};
enum { ROWS_A_WORKER = 2000 };                      /* fewer are not worth waking a thread for */
static const size_t SUMS_MEMORY = (size_t)32 << 20; /* bytes */

static atomic_size_t forced; /* k, or 0 */

void scant_i_tiles_use(size_t log2)
{
    atomic_store(&forced, log2);
}

size_t scant_i_tiles_workers(size_t ntiles, size_t nrows, size_t threads)
{
    size_t most = atomic_load(&forced) ? ntiles : scant_i_min(ntiles, 1 + nrows / ROWS_A_WORKER);
    return scant_i_min(scant_i_threads(threads), scant_i_max(1, most));
}

scant_i_tiles scant_i_tiles_choose(const scant_i_tile_counts *counts)
{
    if (atomic_load(&forced))
        return (scant_i_tiles){counts->nrows, atomic_load(&forced)};
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
