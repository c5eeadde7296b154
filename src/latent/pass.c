/* See pass.h. A task is a tile, or with missing cells several: a family's tables for a pattern are
 * then made once for all of them, since the task takes patterns in turn, and within a pattern tiles.
 * Every tile still has a sum of its own, to which its blocks are added in the same order, so how
 * many tiles a task has leaves no trace. */
#include "latent/pass.h"
#include "base/tree.h"
#include "latent/posterior.h"
#include "math/vector.h"

#include <string.h>

enum {
    BLOCK_MAX = 480, /* rows; multiples of 48 suit both products' tiles */
    BLOCK_STEP = 48,
    ROWS_A_WORKER = 2000, /* fewer are not worth waking a thread for */
    SCRATCH_GOAL =
        160 << 10, /* bytes a block's scratch should stay below: the second-level cache */
};
static const size_t KEPT_MEMORY = (size_t)24 << 20; /* bytes for what families keep of blocks */

typedef struct extent {
    size_t first; /* in pass order */
    size_t nrows;
    size_t pattern;
    size_t tile; /* counted from the pass's first */
} extent;

struct scant_i_pass {
    const scant_rows *rows;
    const scant_i_batch *batch; /* of these rows */
    scant_i_whole whole;
    size_t first;              /* number of row 0 in the whole table */
    size_t first_tile, ntiles; /* of these rows */
    scant_i_patterns patterns;
    size_t *order; /* nrows: rows by task, within it by pattern; NULL: as they are */
    size_t nfactors, stride, threads;
    size_t block_rows;
    extent *block;
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
    size_t *scratch_offset; /* nfactors + 1, bytes: a worker's scratch, after L and room */
    char **scratch;         /* one a worker, made when it first runs */
    const scant_i_mixture *mixture;
    const scant_i_pass_plan *plan;
    bool uninterruptible;
};

static size_t scratch_bytes(const scant_i_mixture *mixture, size_t nrows, bool missing)
{
    size_t bytes = 0;
    for (size_t f = 0; f < mixture->nfactors; f++)
        bytes += mixture->factor[f]->family->pass->scratch(mixture->factor[f], nrows, missing);
    return bytes;
}

/* The least of the factors' wishes, 0: none has one. */
static size_t wished_rows(const scant_i_mixture *mixture, const scant_i_counts *counts)
{
    size_t least = 0;
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        const scant_i_family_pass *of = factor->family->pass;
        size_t wish = of->block_rows ? of->block_rows(factor, counts) : 0;
        if (wish)
            least = least ? scant_i_min(least, wish) : wish;
    }
    return least;
}

/* Equal blocks in a whole tile, of as many rows as a cache holds or a family wishes. */
static size_t choose_block(const scant_i_pass *pass, const scant_i_mixture *mixture)
{
    size_t rows = BLOCK_MAX, wish = wished_rows(mixture, &pass->whole.counts);
    size_t tile = scant_i_min(pass->whole.tiles.nrows, (size_t)1 << pass->whole.tiles.log2);
    while (!wish && rows > BLOCK_STEP &&
           scratch_bytes(mixture, rows, false) + rows * mixture->stride * sizeof(double) >
               SCRATCH_GOAL)
        rows -= BLOCK_STEP;
    rows = wish ? wish : rows;
    size_t blocks = scant_i_max(1, (tile + rows - 1) / rows);
    size_t even = scant_i_round_up((tile + blocks - 1) / blocks, BLOCK_STEP);
    return scant_i_max(1, scant_i_min(tile, wish ? even : scant_i_min(even, rows)));
}

/* --- rows to blocks --- */

static size_t tile_of(const scant_i_pass *pass, size_t row)
{
    return ((pass->first + row) >> pass->whole.tiles.log2) - pass->first_tile;
}

/* Rows of each task together, those of a pattern together within it, ascending. */
static scant_status order_rows(scant_i_pass *pass)
{
    scant_status status = SCANT_OK;
    const scant_i_patterns *p = &pass->patterns;
    size_t n = pass->rows->nrows, *next = NULL;
    if (!p->order || pass->ntasks == 1)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&pass->order, n));
    SCANT_I_TRY(SCANT_I_NEW(&next, pass->ntasks + 1));
    for (size_t i = 0; i < n; i++)
        next[tile_of(pass, i) / pass->task_tiles + 1]++;
    for (size_t t = 0; t < pass->ntasks; t++)
        next[t + 1] += next[t];
    for (size_t k = 0; k < n; k++) {
        size_t row = p->order[k];
        pass->order[next[tile_of(pass, row) / pass->task_tiles]++] = row;
    }
done:
    scant_i_free(next);
    return status;
}

static size_t row_at(const scant_i_pass *pass, size_t k)
{
    return pass->order ? pass->order[k] : pass->patterns.order ? pass->patterns.order[k] : k;
}

/* The end of the rows from `k` on that have its tile and, as `pattern` of each row says, its
 * pattern; in that order tiles ascend within a pattern. */
static size_t end_of_block(const scant_i_pass *pass, size_t k, const uint32_t *pattern)
{
    size_t n = pass->rows->nrows, row = row_at(pass, k), tile = tile_of(pass, row);
    size_t most = scant_i_min(n, k + pass->block_rows), end = k + 1;
    if (!pattern) {
        size_t last = ((pass->first_tile + tile + 1) << pass->whole.tiles.log2) - pass->first;
        return scant_i_min(most, last);
    }
    while (end < most) {
        size_t other = row_at(pass, end);
        if (pattern[other] != pattern[row] || tile_of(pass, other) != tile)
            break;
        end++;
    }
    return end;
}

static scant_status cut_blocks(scant_i_pass *pass)
{
    scant_status status = SCANT_OK;
    const scant_i_patterns *p = &pass->patterns;
    size_t n = pass->rows->nrows;
    uint32_t *pattern = NULL; /* of each row */
    SCANT_I_TRY(SCANT_I_NEW(&pattern, p->order ? n : 0));
    for (size_t k = 0; k < p->npatterns && p->order; k++)
        for (size_t i = p->start[k]; i < p->start[k + 1]; i++)
            pattern[p->order[i]] = (uint32_t)k;
    const uint32_t *known = p->order ? pattern : NULL;

    for (size_t k = 0; k < n; k = end_of_block(pass, k, known))
        pass->nblocks++;
    SCANT_I_TRY(SCANT_I_NEW(&pass->block, pass->nblocks));
    SCANT_I_TRY(SCANT_I_NEW(&pass->task, pass->ntasks + 1));
    for (size_t b = 0, k = 0; b < pass->nblocks; b++) {
        size_t end = end_of_block(pass, k, known), row = row_at(pass, k);
        size_t tile = tile_of(pass, row);
        pass->block[b] = (extent){k, end - k, known ? pattern[row] : 0, tile};
        pass->task[tile / pass->task_tiles + 1] = b + 1;
        k = end;
    }
done:
    scant_i_free(pattern);
    return status;
}

static size_t length_of(const scant_i_mixture *mixture, size_t own, size_t *offset)
{
    size_t length = scant_i_round_up(own, SCANT_I_LANES);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        if (offset)
            offset[f] = length;
        length += scant_i_round_up(factor->family->pass->nstatistics(factor), SCANT_I_LANES);
    }
    return length;
}

static scant_status lay_out_scratch(scant_i_pass *pass, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_I_NEW(&pass->scratch_offset, mixture->nfactors + 1);
    if (status != SCANT_OK)
        return status;
    bool missing = pass->whole.missing;
    size_t table = pass->block_rows * mixture->stride,
           room = scant_i_posterior_room(scant_i_min(pass->block_rows, BLOCK_MAX), mixture->stride);
    pass->scratch_offset[0] =
        (scant_i_round_up(table, SCANT_I_LANES) + scant_i_round_up(room, SCANT_I_LANES)) *
        sizeof(double);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        pass->scratch_offset[f + 1] =
            pass->scratch_offset[f] +
            scant_i_round_up(factor->family->pass->scratch(factor, pass->block_rows, missing), 64);
    }
    return SCANT_OK;
}

scant_i_counts scant_i_counts_of(const scant_rows *rows)
{
    bool sparse = !rows->dense;
    return (scant_i_counts){rows->nrows, sparse, sparse ? rows->sparse.start[rows->nrows] : 0};
}

scant_i_tiles scant_i_pass_tiles(const scant_i_whole *whole, const scant_i_mixture *mixture,
                                 size_t own)
{
    return scant_i_tiles_choose(&(scant_i_tile_counts){.nrows = whole->counts.nrows,
                                                       .nentries = whole->counts.entries,
                                                       .missing = whole->missing,
                                                       .nstatistics = length_of(mixture, own, NULL),
                                                       .stride = mixture->stride});
}

/* Tiles are whole but for the last one of all rows. */
static void find_tiles(scant_i_pass *pass)
{
    size_t n = pass->rows->nrows, size = (size_t)1 << pass->whole.tiles.log2;
    pass->first_tile = pass->first >> pass->whole.tiles.log2;
    pass->ntiles = scant_i_max(1, (n + size - 1) >> pass->whole.tiles.log2);
}

static void choose_tasks(scant_i_pass *pass, size_t threads)
{
    pass->workers = scant_i_min(scant_i_threads(threads), pass->ntiles);
    pass->workers = scant_i_min(pass->workers, 1 + pass->rows->nrows / ROWS_A_WORKER);
    bool missing = pass->whole.missing;
    pass->task_tiles = missing ? (pass->ntiles + pass->workers - 1) / pass->workers : 1;
    pass->ntasks = (pass->ntiles + pass->task_tiles - 1) / pass->task_tiles;
}

scant_status scant_i_pass_new(scant_i_pass **out, const scant_i_part *part,
                              const scant_i_whole *whole, const scant_i_mixture *mixture,
                              size_t own, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_pass *pass = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&pass, 1));
    pass->rows = part->rows;
    pass->batch = &part->batch;
    pass->first = part->batch.first;
    pass->whole = *whole;
    pass->nfactors = mixture->nfactors;
    pass->stride = mixture->stride;
    SCANT_I_TRY(scant_i_patterns_new(&pass->patterns, part->rows, whole->missing));
    SCANT_I_TRY(SCANT_I_NEW(&pass->offset, mixture->nfactors + 1));
    pass->nstatistics = length_of(mixture, own, pass->offset);
    find_tiles(pass);
    choose_tasks(pass, threads);

    pass->block_rows = choose_block(pass, mixture);
    SCANT_I_TRY(lay_out_scratch(pass, mixture));
    SCANT_I_TRY(order_rows(pass));
    SCANT_I_TRY(cut_blocks(pass));

    SCANT_I_TRY(
        scant_i_tree_new(&pass->tree, scant_i_tiles_count(&pass->whole.tiles), pass->nstatistics));
    SCANT_I_TRY(SCANT_I_NEW(&pass->scratch, pass->workers));
    for (size_t w = 0; w < pass->workers; w++)
        SCANT_I_TRY(SCANT_I_NEW(&pass->scratch[w], pass->scratch_offset[mixture->nfactors]));
    *out = pass;
    pass = NULL;
done:
    scant_i_pass_free(pass);
    return status;
}

void scant_i_pass_free(scant_i_pass *pass)
{
    if (!pass)
        return;
    for (size_t k = 0; pass->kept && k < pass->nfactors * pass->nblocks; k++)
        if (pass->kept[k])
            pass->drop[k / pass->nblocks](pass->kept[k]);
    scant_i_free(pass->kept);
    scant_i_free(pass->drop);
    scant_i_patterns_free(&pass->patterns);
    scant_i_free(pass->block);
    scant_i_free(pass->offset);
    scant_i_free(pass->scratch_offset);
    scant_i_free(pass->task);
    scant_i_free(pass->order);
    scant_i_tree_free(pass->tree);
    for (size_t w = 0; pass->scratch && w < pass->workers; w++)
        scant_i_free(pass->scratch[w]);
    scant_i_free(pass->scratch);
    scant_i_free(pass);
}

static scant_i_block block_at(const scant_i_pass *pass, size_t b)
{
    const extent *e = &pass->block[b];
    bool missing = pass->patterns.order != NULL;
    return (scant_i_block){
        .batch = pass->batch,
        .nrows = e->nrows,
        .first = e->first,
        .row = missing ? (pass->order ? pass->order : pass->patterns.order) + e->first : NULL,
        .present = missing ? pass->patterns.present + e->pattern * pass->rows->ncolumns : NULL,
        .pattern = e->pattern,
    };
}

/* --- what families keep --- */

static scant_status keep_block(size_t b, size_t worker, void *payload)
{
    (void)worker;
    scant_i_pass *pass = payload;
    scant_i_block block = block_at(pass, b);
    for (size_t f = 0; f < pass->nfactors; f++) {
        const scant_i_factor *factor = pass->mixture->factor[f];
        void **kept = &pass->kept[f * pass->nblocks + b];
        scant_status status = pass->wanted[f * pass->nblocks + b]
                                  ? factor->family->pass->keep(factor, &block, kept)
                                  : SCANT_OK;
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

static size_t bytes_kept(const scant_i_pass *pass, const scant_i_mixture *mixture, size_t f,
                         size_t b)
{
    const scant_i_factor *factor = mixture->factor[f];
    const scant_i_family_pass *of = factor->family->pass;
    scant_i_block block = block_at(pass, b);
    return of->keep_bytes ? of->keep_bytes(factor, &block) : 0;
}

size_t scant_i_pass_keep_bytes(scant_i_pass *pass, const scant_i_mixture *mixture)
{
    size_t bytes = 0;
    for (size_t f = 0; f < pass->nfactors; f++)
        for (size_t b = 0; b < pass->nblocks; b++)
            bytes += bytes_kept(pass, mixture, f, b);
    return bytes;
}

/* What is kept: all, or of each tile as much as its part of the memory holds. */
static void choose_kept(scant_i_pass *pass, const scant_i_mixture *mixture, size_t bytes)
{
    size_t most = KEPT_MEMORY / scant_i_tiles_count(&pass->whole.tiles), used = 0;
    for (size_t b = 0; b < pass->nblocks; b++) {
        if (b && pass->block[b].tile != pass->block[b - 1].tile)
            used = 0;
        for (size_t f = 0; f < pass->nfactors; f++) {
            size_t own = bytes_kept(pass, mixture, f, b);
            bool wanted = own && (bytes <= KEPT_MEMORY || own <= most - scant_i_min(used, most));
            pass->wanted[f * pass->nblocks + b] = wanted;
            used += wanted ? own : 0;
        }
    }
}

scant_status scant_i_pass_keep(scant_i_pass *pass, const scant_i_mixture *mixture, size_t bytes)
{
    scant_status status = SCANT_OK;
    size_t nfactors = pass->nfactors;
    if (!bytes)
        return SCANT_OK;
    pass->mixture = mixture;
    SCANT_I_TRY(SCANT_I_NEW(&pass->kept, nfactors * pass->nblocks));
    SCANT_I_TRY(SCANT_I_NEW(&pass->drop, nfactors));
    SCANT_I_TRY(SCANT_I_NEW(&pass->wanted, nfactors * pass->nblocks));
    for (size_t f = 0; f < nfactors; f++)
        pass->drop[f] = mixture->factor[f]->family->pass->drop;
    choose_kept(pass, mixture, bytes);
    SCANT_I_TRY(scant_i_parallel(pass->workers, pass->nblocks, keep_block, pass));
done:
    scant_i_free(pass->wanted);
    pass->wanted = NULL;
    return status;
}

/* --- running --- */

/* The visitor sees at most BLOCK_MAX rows at a time, which is what it has room for. */
static scant_status visit(const scant_i_pass *pass, const scant_i_block *block, double *L,
                          double *statistics, double *room)
{
    scant_status status = SCANT_OK;
    for (size_t i = 0; i < block->nrows && status == SCANT_OK; i += BLOCK_MAX) {
        scant_i_block part = *block;
        part.nrows = scant_i_min(BLOCK_MAX, block->nrows - i);
        part.first += i;
        part.row = block->row ? block->row + i : NULL;
        status =
            pass->plan->visitor(&part, L + i * pass->stride, statistics, room, pass->plan->payload);
    }
    return status;
}

static scant_status run_block(scant_i_pass *pass, size_t b, double *statistics, char *scratch)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = pass->mixture;
    const scant_i_pass_plan *plan = pass->plan;
    scant_i_block block = block_at(pass, b), seen = block;
    double *L = (double *)(void *)scratch;
    double *room = L + scant_i_round_up(pass->block_rows * pass->stride, SCANT_I_LANES);
    bool set = plan->density && pass->nfactors && mixture->factor[0]->family->pass->sets;
    if (!set)
        memset(L, 0, block.nrows * pass->stride * sizeof *L);
    for (size_t f = 0; f < pass->nfactors && plan->density; f++) {
        block.blank = set && f == 0;
        block.kept = pass->kept ? pass->kept[f * pass->nblocks + b] : NULL;
        SCANT_I_TRY(mixture->factor[f]->family->pass->log_density(
            mixture->factor[f], &block, L, scratch + pass->scratch_offset[f]));
    }
    SCANT_I_TRY(visit(pass, &seen, L, statistics, room));
    for (size_t f = 0; f < pass->nfactors && plan->accumulate; f++) {
        block.kept = pass->kept ? pass->kept[f * pass->nblocks + b] : NULL;
        SCANT_I_TRY(mixture->factor[f]->family->pass->accumulate(
            mixture->factor[f], &block, L, statistics + pass->offset[f],
            scratch + pass->scratch_offset[f]));
    }
done:
    return status;
}

/* Of several tiles at work in turn, the first that fails is the one to report: which of them are
 * at work together depends on the number of threads. */
typedef struct failure {
    scant_status status;
    size_t tile;
    char text[1024];
    scant_place place;
} failure;

static void note_failure(failure *f, scant_status status, size_t tile)
{
    f->status = status;
    f->tile = tile;
    strncpy(f->text, scant_message(), sizeof f->text - 1);
    f->place = *scant_fault();
}

static scant_status run_tiles(scant_i_pass *pass, size_t task, size_t worker, double **sums)
{
    failure failed = {.status = SCANT_OK, .tile = SIZE_MAX};
    size_t base = task * pass->task_tiles;
    for (size_t b = pass->task[task]; b < pass->task[task + 1]; b++) {
        size_t tile = pass->block[b].tile;
        if (tile >= failed.tile)
            continue;
        if (!sums[tile - base])
            sums[tile - base] = scant_i_tree_take(pass->tree);
        scant_status status = sums[tile - base]
                                  ? run_block(pass, b, sums[tile - base], pass->scratch[worker])
                                  : SCANT_ERR_MEMORY;
        if (status != SCANT_OK && pass->task_tiles == 1)
            return status;
        if (status != SCANT_OK)
            note_failure(&failed, status, tile);
    }
    return failed.status == SCANT_OK
               ? SCANT_OK
               : scant_i_fail_again(failed.status, failed.text, &failed.place);
}

static scant_status run_task(size_t task, size_t worker, void *payload)
{
    scant_i_pass *pass = payload;
    scant_status status = SCANT_OK;
    double *one = NULL, **sums = &one;
    if (!pass->uninterruptible && scant_i_interrupted())
        return scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted");
    if (pass->task_tiles > 1)
        SCANT_I_TRY(SCANT_I_NEW(&sums, pass->task_tiles));
    SCANT_I_TRY(run_tiles(pass, task, worker, sums));
    for (size_t t = 0; t < pass->task_tiles; t++)
        if (sums[t])
            scant_i_tree_give(pass->tree, 0, pass->first_tile + task * pass->task_tiles + t,
                              sums[t]);
done:
    if (sums != &one)
        scant_i_free(sums);
    return status;
}

scant_status scant_i_pass_run(scant_i_pass *pass, const scant_i_mixture *mixture,
                              const scant_i_pass_plan *plan, bool whole)
{
    pass->mixture = mixture;
    pass->plan = plan;
    pass->uninterruptible = whole;
    /* a scratch may hold what a family kept for the last pass's parameters */
    for (size_t w = 0; w < pass->workers; w++)
        memset(pass->scratch[w] + pass->scratch_offset[0], 0,
               pass->scratch_offset[pass->nfactors] - pass->scratch_offset[0]);
    scant_i_tree_restart(pass->tree);
    if (pass->whole.counts.nrows == 0) { /* the sums of nothing */
        double *none = scant_i_tree_take(pass->tree);
        if (!none)
            return SCANT_ERR_MEMORY;
        scant_i_tree_give(pass->tree, 0, 0, none);
        return SCANT_OK;
    }
    return scant_i_parallel(pass->workers, pass->ntasks, run_task, pass);
}

const double *scant_i_pass_own(const scant_i_pass *pass)
{
    return scant_i_tree_root(pass->tree);
}

size_t scant_i_pass_nodes(const scant_i_pass *pass, scant_i_node *out, size_t most)
{
    return scant_i_tree_nodes(pass->tree, out, most);
}

size_t scant_i_pass_length(const scant_i_pass *pass)
{
    return pass->nstatistics;
}

size_t scant_i_pass_offset(const scant_i_pass *pass, size_t factor)
{
    return pass->offset[factor];
}
