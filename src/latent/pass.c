/* See pass.h. A task is a tile, or with missing cells several: a family's tables for a pattern are
 * then made once for all of them, since the task takes patterns in turn, and within a pattern tiles.
 * Every tile still has a sum of its own, to which its blocks are added in the same order, so how
 * many tiles a task has leaves no trace.
 *
 * Where a structure ties rows, a tile is cut into runs of whole sequences, and a run into blocks: the
 * log densities of a run's blocks are put into one table, which the visitor sees, and from which the
 * blocks have their coefficients. */
#include "latent/blocks.h"
#include "parts/tree.h"

#include <string.h>

enum {
    BLOCK_STEP = 48,
    SCRATCH_GOAL =
        160 << 10, /* bytes a block's scratch should stay below: the second-level cache */
};
static const size_t KEPT_MEMORY = (size_t)24 << 20; /* bytes for what families keep of blocks */

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
    size_t rows = SCANT_I_BLOCK_MAX, wish = wished_rows(mixture, &pass->whole.counts);
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

static scant_status lay_out_scratch(scant_i_pass *pass, const scant_i_aim *aim)
{
    const scant_i_mixture *mixture = aim->posterior->mixture;
    scant_status status = SCANT_I_NEW(&pass->scratch_offset, mixture->nfactors + 1);
    if (status != SCANT_OK)
        return status;
    bool missing = pass->whole.missing;
    pass->table = scant_i_round_up(pass->block_rows * mixture->stride, SCANT_I_LANES);
    pass->room = scant_i_round_up(scant_i_aim_room(aim, pass->visited), SCANT_I_LANES);
    size_t run = pass->tied ? pass->visited * mixture->stride : 0;
    pass->scratch_offset[0] = (pass->table + pass->room + run) * sizeof(double);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        pass->scratch_offset[f + 1] =
            pass->scratch_offset[f] +
            scant_i_round_up(factor->family->pass->scratch(factor, pass->block_rows, missing), 64);
    }
    return SCANT_OK;
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

static void choose_tasks(scant_i_pass *pass, size_t threads)
{
    pass->workers = scant_i_tiles_workers(pass->ntiles, pass->rows->nrows, threads);
    bool missing = pass->whole.missing && !pass->tied && pass->ntiles;
    pass->task_tiles = missing ? (pass->ntiles + pass->workers - 1) / pass->workers : 1;
    pass->ntasks = (pass->ntiles + pass->task_tiles - 1) / pass->task_tiles;
}

scant_status scant_i_pass_new(scant_i_pass **out, const scant_i_part *part,
                              const scant_i_whole *whole, const scant_i_aim *aim, size_t own,
                              size_t threads)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = aim->posterior->mixture;
    scant_i_pass *pass = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&pass, 1));
    pass->rows = part->rows;
    pass->batch = &part->batch;
    pass->first = part->batch.first;
    pass->whole = *whole;
    pass->nfactors = mixture->nfactors;
    pass->stride = mixture->stride;
    pass->tied = mixture->structure->begins != NULL;
    SCANT_I_TRY(scant_i_patterns_new(&pass->patterns, part->rows, whole->missing));
    SCANT_I_TRY(SCANT_I_NEW(&pass->offset, mixture->nfactors + 1));
    pass->nstatistics = length_of(mixture, own, pass->offset);
    scant_i_pass_find_tiles(pass, part);
    choose_tasks(pass, threads);

    pass->block_rows = choose_block(pass, mixture);
    SCANT_I_TRY(scant_i_pass_cut(pass, mixture->structure));
    SCANT_I_TRY(lay_out_scratch(pass, aim));

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
    scant_i_free(pass->run);
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
    const scant_i_extent *e = &pass->block[b];
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

/* The visitor sees at most SCANT_I_BLOCK_MAX rows at a time, which is what it has room for. */
static scant_status visit(const scant_i_pass *pass, const scant_i_block *block, double *L,
                          double *statistics, double *room)
{
    scant_status status = SCANT_OK;
    for (size_t i = 0; i < block->nrows && status == SCANT_OK; i += SCANT_I_BLOCK_MAX) {
        scant_i_block part = *block;
        part.nrows = scant_i_min(SCANT_I_BLOCK_MAX, block->nrows - i);
        part.first += i;
        part.row = block->row ? block->row + i : NULL;
        status =
            pass->plan->visitor(&part, L + i * pass->stride, statistics, room, pass->plan->payload);
    }
    return status;
}

static scant_status add_density(const scant_i_pass *pass, size_t b, double *L, char *scratch)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = pass->mixture;
    const scant_i_pass_plan *plan = pass->plan;
    scant_i_block block = block_at(pass, b);
    bool set = plan->density && pass->nfactors && mixture->factor[0]->family->pass->sets;
    if (!set)
        memset(L, 0, block.nrows * pass->stride * sizeof *L);
    for (size_t f = 0; f < pass->nfactors && plan->density; f++) {
        block.blank = set && f == 0;
        block.kept = pass->kept ? pass->kept[f * pass->nblocks + b] : NULL;
        SCANT_I_TRY(mixture->factor[f]->family->pass->log_density(
            mixture->factor[f], &block, L, scratch + pass->scratch_offset[f]));
    }
done:
    return status;
}

static scant_status accumulate(const scant_i_pass *pass, size_t b, const double *L,
                               double *statistics, char *scratch)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = pass->mixture;
    scant_i_block block = block_at(pass, b);
    for (size_t f = 0; f < pass->nfactors && pass->plan->accumulate; f++) {
        block.kept = pass->kept ? pass->kept[f * pass->nblocks + b] : NULL;
        SCANT_I_TRY(mixture->factor[f]->family->pass->accumulate(
            mixture->factor[f], &block, L, statistics + pass->offset[f],
            scratch + pass->scratch_offset[f]));
    }
done:
    return status;
}

static scant_status run_block(const scant_i_pass *pass, size_t b, double *statistics, char *scratch)
{
    scant_status status = SCANT_OK;
    scant_i_block block = block_at(pass, b);
    double *L = (double *)(void *)scratch, *room = L + pass->table;
    SCANT_I_TRY(add_density(pass, b, L, scratch));
    SCANT_I_TRY(visit(pass, &block, L, statistics, room));
    SCANT_I_TRY(accumulate(pass, b, L, statistics, scratch));
done:
    return status;
}

/* Lines of a block's table to its run's, or back. */
static void move_lines(const scant_i_pass *pass, size_t b, double *L, double *run, bool back)
{
    const scant_i_extent *e = &pass->block[b];
    for (size_t i = 0; i < e->nrows; i++) {
        double *line =
            run + (scant_i_pass_row(pass, e->first + i) - pass->run[e->run]) * pass->stride;
        double *own = L + i * pass->stride;
        memcpy(back ? own : line, back ? line : own, pass->stride * sizeof *own);
    }
}

/* The blocks b to end - 1, which are one run. A factor's statistics go by what its scratch holds of
 * the block: with several blocks their densities are made once more. */
static scant_status run_sequences(const scant_i_pass *pass, size_t b, size_t end,
                                  double *statistics, char *scratch)
{
    scant_status status = SCANT_OK;
    size_t r = pass->block[b].run;
    double *L = (double *)(void *)scratch, *room = L + pass->table, *run = room + pass->room;
    scant_i_block seen = {
        .batch = pass->batch, .nrows = pass->run[r + 1] - pass->run[r], .first = pass->run[r]};
    for (size_t k = b; k < end; k++) {
        SCANT_I_TRY(add_density(pass, k, L, scratch));
        move_lines(pass, k, L, run, false);
    }
    SCANT_I_TRY(pass->plan->visitor(&seen, run, statistics, room, pass->plan->payload));
    for (size_t k = b; k < end && pass->plan->accumulate; k++) {
        if (end - b > 1)
            SCANT_I_TRY(add_density(pass, k, L, scratch));
        move_lines(pass, k, L, run, true);
        SCANT_I_TRY(accumulate(pass, k, L, statistics, scratch));
    }
done:
    return status;
}

/* One block, or all of a run. */
static size_t end_of_work(const scant_i_pass *pass, size_t b)
{
    size_t end = b + 1;
    while (pass->tied && end < pass->nblocks && pass->block[end].run == pass->block[b].run)
        end++;
    return end;
}

static scant_status work(const scant_i_pass *pass, size_t b, size_t end, double *statistics,
                         char *scratch)
{
    return pass->tied ? run_sequences(pass, b, end, statistics, scratch)
                      : run_block(pass, b, statistics, scratch);
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
    for (size_t b = pass->task[task], end; b < pass->task[task + 1]; b = end) {
        size_t tile = pass->block[b].tile;
        end = end_of_work(pass, b);
        if (tile >= failed.tile)
            continue;
        if (!sums[tile - base])
            sums[tile - base] = scant_i_tree_take(pass->tree);
        scant_status status = sums[tile - base]
                                  ? work(pass, b, end, sums[tile - base], pass->scratch[worker])
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
    if (scant_i_is_cancelled(pass->cancel))
        return scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted");
    if (pass->task_tiles > 1)
        SCANT_I_TRY(SCANT_I_NEW(&sums, pass->task_tiles));
    SCANT_I_TRY(run_tiles(pass, task, worker, sums));
    if (!sums[0] && pass->tied) { /* a sequence from before fills the tile */
        sums[0] = scant_i_tree_take(pass->tree);
        status = sums[0] ? SCANT_OK : SCANT_ERR_MEMORY;
    }
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
                              const scant_i_pass_plan *plan, const scant_i_cancel *cancel)
{
    pass->mixture = mixture;
    pass->plan = plan;
    pass->cancel = cancel;
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

const scant_i_tree *scant_i_pass_tree(const scant_i_pass *pass)
{
    return pass->tree;
}

size_t scant_i_pass_length(const scant_i_pass *pass)
{
    return pass->nstatistics;
}

size_t scant_i_pass_offset(const scant_i_pass *pass, size_t factor)
{
    return pass->offset[factor];
}
