#include "latent/pass.h"
#include "latent/posterior.h"
#include "math/vector.h"

#include <string.h>

enum {
    BLOCK_MAX = 480, /* rows; multiples of 48 suit both products' tiles */
    BLOCK_STEP = 48,
    CHUNKS_MAX = 64,
    ROWS_A_WORKER = 2000, /* fewer are not worth waking a thread for */
    SCRATCH_GOAL =
        160 << 10, /* bytes a block's scratch should stay below: the second-level cache */
    /* Sparse rows: multiply-adds that a chunk should have for each of its statistics, which cost
     * about as much to clear and to add up as so many. */
    SPARSE_WORK = 4,
    SPARSE_CHUNKS_MIN = 4, /* as far as the rows go round: threads want something to do */
};
static const size_t CHUNK_MEMORY = (size_t)32 << 20; /* bytes for all chunks' statistics */
static const size_t KEPT_MEMORY = (size_t)24 << 20;  /* bytes for what families keep of blocks */

typedef struct extent {
    size_t first; /* in pass order */
    size_t nrows;
    size_t pattern;
} extent;

struct scant_i_pass {
    const scant_rows *rows;
    scant_i_batch batch; /* of all rows */
    scant_i_patterns patterns;
    size_t nfactors, stride, threads;
    size_t block_rows;
    extent *block;
    size_t nblocks, nchunks;
    void **kept; /* nfactors x nblocks: what families keep of their blocks; NULL: nothing */
    void (**drop)(void *kept); /* nfactors */
    bool *wanted;              /* nfactors x nblocks, while they are made */
    size_t *offset; /* nfactors + 1: where each factor's statistics start, after the visitor's */
    size_t nstatistics; /* of a chunk, rounded up to a cache line */
    /* 1 + nchunks places: the sums, in which the first chunk adds up, and those that other chunks take and give back,
     * so that most are never touched */
    double *statistics;
    bool *clean; /* nchunks: all in the place is zero */
    scant_i_queue queue;
    size_t workers;
    size_t *scratch_offset; /* nfactors + 1, bytes: a worker's scratch, after L and room */
    char **scratch;         /* one a worker, made when it first runs */
    const scant_i_mixture *mixture;
    const scant_i_pass_plan *plan;
    bool whole; /* an interrupt has to wait */
};

bool scant_i_pass_has_missing(const scant_i_pass *pass)
{
    return pass->patterns.order != NULL;
}

static size_t scratch_bytes(const scant_i_mixture *mixture, size_t nrows, bool missing)
{
    size_t bytes = 0;
    for (size_t f = 0; f < mixture->nfactors; f++)
        bytes += mixture->factor[f]->family->pass->scratch(mixture->factor[f], nrows, missing);
    return bytes;
}

/* Chunks that are worth their memory, and with sparse rows their time: then a power of two, so that
 * as many threads, or half as many, have equal shares. */
static size_t most_chunks(const scant_i_pass *pass)
{
    const scant_rows *rows = pass->rows;
    size_t most = scant_i_max(1, CHUNK_MEMORY / (pass->nstatistics * sizeof(double)));
    most = scant_i_min(CHUNKS_MAX, most);
    if (rows->dense)
        return most;
    double work = (double)rows->sparse.start[rows->nrows] * (double)pass->stride;
    double worth = work / SPARSE_WORK / (double)pass->nstatistics;
    most = scant_i_min(most, scant_i_max(SPARSE_CHUNKS_MIN, (size_t)worth));
    size_t power = 1;
    while (2 * power <= most)
        power *= 2;
    return power;
}

/* The least of the factors' wishes, 0: none has one. */
static size_t wished_rows(const scant_i_mixture *mixture, const scant_rows *rows)
{
    size_t least = 0;
    bool sparse = !rows->dense;
    const scant_i_counts counts = {rows->nrows, sparse,
                                   sparse ? rows->sparse.start[rows->nrows] : 0};
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        const scant_i_family_pass *of = factor->family->pass;
        size_t wish = of->block_rows ? of->block_rows(factor, &counts) : 0;
        if (wish)
            least = least ? scant_i_min(least, wish) : wish;
    }
    return least;
}

static size_t choose_block(const scant_i_pass *pass, const scant_i_mixture *mixture)
{
    size_t rows = BLOCK_MAX, wish = wished_rows(mixture, pass->rows), n = pass->rows->nrows;
    if (wish) { /* equal blocks, as many for every chunk */
        size_t chunks = scant_i_min(most_chunks(pass), scant_i_max(1, n / BLOCK_STEP));
        size_t blocks = scant_i_round_up(scant_i_max(1, (n + wish - 1) / wish), chunks);
        return scant_i_max(1, (n + blocks - 1) / blocks);
    }
    while (rows > BLOCK_STEP &&
           scratch_bytes(mixture, rows, false) + rows * mixture->stride * sizeof(double) >
               SCRATCH_GOAL)
        rows -= BLOCK_STEP;
    return rows;
}

static scant_status cut_blocks(scant_i_pass *pass)
{
    const scant_i_patterns *p = &pass->patterns;
    size_t n = pass->rows->nrows, count = 0;
    for (size_t k = 0; k < p->npatterns; k++) {
        size_t length = p->order ? p->start[k + 1] - p->start[k] : n;
        count += (length + pass->block_rows - 1) / pass->block_rows;
    }
    scant_status status = SCANT_I_NEW(&pass->block, count);
    if (status != SCANT_OK)
        return status;
    for (size_t k = 0; k < p->npatterns; k++) {
        size_t from = p->order ? p->start[k] : 0, to = p->order ? p->start[k + 1] : n;
        for (size_t first = from; first < to; first += pass->block_rows)
            pass->block[pass->nblocks++] =
                (extent){first, scant_i_min(pass->block_rows, to - first), k};
    }
    pass->nchunks = scant_i_min(most_chunks(pass), scant_i_max(1, pass->nblocks));
    return SCANT_OK;
}

static scant_status lay_out_statistics(scant_i_pass *pass, const scant_i_mixture *mixture,
                                       size_t own)
{
    scant_status status = SCANT_I_NEW(&pass->offset, mixture->nfactors + 1);
    if (status != SCANT_OK)
        return status;
    pass->offset[0] = scant_i_round_up(own, SCANT_I_LANES);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        pass->offset[f + 1] =
            pass->offset[f] +
            scant_i_round_up(factor->family->pass->nstatistics(factor), SCANT_I_LANES);
    }
    pass->nstatistics = pass->offset[mixture->nfactors];
    return SCANT_OK;
}

static scant_status lay_out_scratch(scant_i_pass *pass, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_I_NEW(&pass->scratch_offset, mixture->nfactors + 1);
    if (status != SCANT_OK)
        return status;
    bool missing = scant_i_pass_has_missing(pass);
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

/* --- chunks --- */

/* Where a chunk adds up: the first one in the sums. */
static double *statistics_of(const scant_i_pass *pass, size_t chunk, size_t place)
{
    return pass->statistics + (chunk ? 1 + place : 0) * pass->nstatistics;
}

SCANT_I_CLONES
static void add_and_clear(double *restrict sum, double *restrict more, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        sum[s] += more[s];
        more[s] = 0;
    }
}

/* The chunk has been run, and those before it are in the sums. */
static void add_chunk(size_t chunk, size_t place, void *payload)
{
    scant_i_pass *pass = payload;
    if (chunk) {
        add_and_clear(pass->statistics, statistics_of(pass, chunk, place), pass->nstatistics);
        pass->clean[place] = true;
    }
}

scant_status scant_i_pass_new(scant_i_pass **out, const scant_rows *rows,
                              const scant_i_mixture *mixture, size_t own, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_pass *pass = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&pass, 1));
    pass->rows = rows;
    pass->batch = scant_i_batch_all(rows);
    pass->nfactors = mixture->nfactors;
    pass->stride = mixture->stride;
    SCANT_I_TRY(scant_i_patterns_new(&pass->patterns, rows, threads));
    SCANT_I_TRY(lay_out_statistics(pass, mixture, own));
    pass->block_rows = choose_block(pass, mixture);
    SCANT_I_TRY(lay_out_scratch(pass, mixture));
    SCANT_I_TRY(cut_blocks(pass));
    /* cleared when they are first used: most never are */
    pass->statistics =
        scant_i_alloc((1 + pass->nchunks) * pass->nstatistics, sizeof *pass->statistics);
    if (!pass->statistics)
        SCANT_I_TRY(SCANT_ERR_MEMORY);
    SCANT_I_TRY(SCANT_I_NEW(&pass->clean, pass->nchunks));
    SCANT_I_TRY(scant_i_queue_new(&pass->queue, pass->nchunks, add_chunk, pass));
    pass->workers = scant_i_min(scant_i_threads(threads), pass->nchunks);
    pass->workers = scant_i_min(pass->workers, 1 + rows->nrows / ROWS_A_WORKER);
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
    scant_i_free(pass->statistics);
    scant_i_free(pass->clean);
    scant_i_queue_clear(&pass->queue);
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
        .batch = &pass->batch,
        .nrows = e->nrows,
        .first = e->first,
        .row = missing ? pass->patterns.order + e->first : NULL,
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

scant_status scant_i_pass_keep(scant_i_pass *pass, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    size_t used = 0, nfactors = pass->nfactors;
    pass->mixture = mixture;
    SCANT_I_TRY(SCANT_I_NEW(&pass->kept, nfactors * pass->nblocks));
    SCANT_I_TRY(SCANT_I_NEW(&pass->drop, nfactors));
    SCANT_I_TRY(SCANT_I_NEW(&pass->wanted, nfactors * pass->nblocks));
    for (size_t b = 0; b < pass->nblocks; b++) {
        scant_i_block block = block_at(pass, b);
        for (size_t f = 0; f < nfactors; f++) {
            const scant_i_factor *factor = mixture->factor[f];
            const scant_i_family_pass *of = factor->family->pass;
            size_t bytes = of->keep_bytes ? of->keep_bytes(factor, &block) : 0;
            pass->drop[f] = of->drop;
            pass->wanted[f * pass->nblocks + b] = bytes && bytes <= KEPT_MEMORY - used;
            used += pass->wanted[f * pass->nblocks + b] ? bytes : 0;
        }
    }
    if (used)
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

static scant_status run_chunk(size_t chunk, size_t worker, void *payload)
{
    scant_i_pass *pass = payload;
    size_t place = scant_i_queue_take(&pass->queue);
    double *statistics = statistics_of(pass, chunk, place);
    size_t from = pass->nblocks * chunk / pass->nchunks;
    size_t to = pass->nblocks * (chunk + 1) / pass->nchunks;
    if (!pass->clean[place] || chunk == 0)
        memset(statistics, 0, pass->nstatistics * sizeof *statistics);
    if (chunk)
        pass->clean[place] = false;
    if (!pass->whole && scant_i_interrupted())
        return scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted");
    for (size_t b = from; b < to; b++) {
        scant_status status = run_block(pass, b, statistics, pass->scratch[worker]);
        if (status != SCANT_OK)
            return status;
    }
    scant_i_queue_give(&pass->queue, chunk, place);
    return SCANT_OK;
}

scant_status scant_i_pass_run(scant_i_pass *pass, const scant_i_mixture *mixture,
                              const scant_i_pass_plan *plan)
{
    pass->mixture = mixture;
    pass->plan = plan;
    /* a scratch may hold what a family kept for the last pass's parameters */
    for (size_t w = 0; w < pass->workers; w++)
        memset(pass->scratch[w] + pass->scratch_offset[0], 0,
               pass->scratch_offset[pass->nfactors] - pass->scratch_offset[0]);
    scant_i_queue_restart(&pass->queue);
    scant_status status = scant_i_parallel(pass->workers, pass->nchunks, run_chunk, pass);
    if (status != SCANT_OK)
        return status;
    return scant_i_comm_serial.sum(&scant_i_comm_serial, pass->statistics, pass->nstatistics);
}

void scant_i_pass_set_whole(scant_i_pass *pass, bool whole)
{
    pass->whole = whole;
}

const double *scant_i_pass_own(const scant_i_pass *pass)
{
    return pass->statistics;
}

const double *scant_i_pass_factor(const scant_i_pass *pass, size_t factor)
{
    return pass->statistics + pass->offset[factor];
}
