#include "latent/pass.h"
#include "latent/posterior.h"

#include <string.h>

enum {
    BLOCK_MAX = 480, /* rows; multiples of 48 suit both products' tiles */
    BLOCK_STEP = 48,
    CHUNKS_MAX = 64,
    BLOCKS_A_WORKER = 8, /* fewer are not worth waking a thread for */
    SCRATCH_GOAL =
        160 << 10, /* bytes a block's scratch should stay below: the second-level cache */
};
static const size_t CHUNK_MEMORY = (size_t)32 << 20; /* bytes for all chunks' statistics */

typedef struct extent {
    size_t first; /* in pass order */
    size_t nrows;
    size_t pattern;
} extent;

struct scant_i_pass {
    const scant_rows *rows;
    scant_i_patterns patterns;
    size_t nfactors, stride, threads;
    size_t block_rows;
    extent *block;
    size_t nblocks, nchunks;
    size_t *offset; /* nfactors + 1: where each factor's statistics start, after the visitor's */
    size_t nstatistics; /* of a chunk, rounded up to a cache line */
    double *statistics; /* nchunks x nstatistics */
    size_t workers;
    size_t *scratch_offset; /* nfactors + 1, bytes: a worker's scratch, after L and room */
    char **scratch;         /* one a worker, made when it first runs */
    const scant_i_mixture *mixture;
    const scant_i_pass_plan *plan;
};

bool scant_i_pass_has_missing(const scant_i_pass *pass)
{
    return pass->patterns.order != NULL;
}

static size_t scratch_bytes(const scant_i_mixture *mixture, size_t nrows, bool missing)
{
    size_t bytes = 0;
    for (size_t f = 0; f < mixture->nfactors; f++)
        bytes += mixture->factor[f]->family->scratch(mixture->factor[f], nrows, missing);
    return bytes;
}

static size_t choose_block(const scant_i_mixture *mixture)
{
    size_t rows = BLOCK_MAX;
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
    size_t bytes = pass->nstatistics * sizeof(double);
    size_t affordable = scant_i_max(1, CHUNK_MEMORY / bytes);
    pass->nchunks = scant_i_min(scant_i_min(CHUNKS_MAX, affordable), scant_i_max(1, pass->nblocks));
    return SCANT_OK;
}

static scant_status lay_out(scant_i_pass *pass, const scant_i_mixture *mixture, size_t own)
{
    scant_status status = SCANT_OK;
    bool missing = scant_i_pass_has_missing(pass);
    SCANT_I_TRY(SCANT_I_NEW(&pass->offset, mixture->nfactors + 1));
    SCANT_I_TRY(SCANT_I_NEW(&pass->scratch_offset, mixture->nfactors + 1));
    pass->offset[0] = scant_i_round_up(own, SCANT_I_LANES);
    size_t table = pass->block_rows * mixture->stride,
           room = scant_i_posterior_room(pass->block_rows, mixture->stride);
    pass->scratch_offset[0] =
        (scant_i_round_up(table, SCANT_I_LANES) + scant_i_round_up(room, SCANT_I_LANES)) *
        sizeof(double);
    for (size_t f = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        pass->offset[f + 1] =
            pass->offset[f] + scant_i_round_up(factor->family->nstatistics(factor), SCANT_I_LANES);
        pass->scratch_offset[f + 1] =
            pass->scratch_offset[f] +
            scant_i_round_up(factor->family->scratch(factor, pass->block_rows, missing), 64);
    }
    pass->nstatistics = pass->offset[mixture->nfactors];
done:
    return status;
}

scant_status scant_i_pass_new(scant_i_pass **out, const scant_rows *rows,
                              const scant_i_mixture *mixture, size_t own, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_pass *pass = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&pass, 1));
    pass->rows = rows;
    pass->nfactors = mixture->nfactors;
    pass->stride = mixture->stride;
    SCANT_I_TRY(scant_i_patterns_new(&pass->patterns, rows));
    pass->block_rows = choose_block(mixture);
    SCANT_I_TRY(lay_out(pass, mixture, own));
    SCANT_I_TRY(cut_blocks(pass));
    SCANT_I_TRY(SCANT_I_NEW(&pass->statistics, pass->nchunks * pass->nstatistics));
    pass->workers = scant_i_min(scant_i_threads(threads), pass->nchunks);
    pass->workers = scant_i_min(pass->workers, 1 + pass->nblocks / BLOCKS_A_WORKER);
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
    scant_i_patterns_free(&pass->patterns);
    scant_i_free(pass->block);
    scant_i_free(pass->offset);
    scant_i_free(pass->scratch_offset);
    scant_i_free(pass->statistics);
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
        .rows = pass->rows,
        .nrows = e->nrows,
        .first = e->first,
        .row = missing ? pass->patterns.order + e->first : NULL,
        .present = missing ? pass->patterns.present + e->pattern * pass->rows->ncolumns : NULL,
        .pattern = e->pattern,
    };
}

static scant_status run_block(scant_i_pass *pass, size_t b, double *statistics, char *scratch)
{
    scant_status status = SCANT_OK;
    const scant_i_mixture *mixture = pass->mixture;
    const scant_i_pass_plan *plan = pass->plan;
    scant_i_block block = block_at(pass, b);
    double *L = (double *)(void *)scratch;
    double *room = L + scant_i_round_up(pass->block_rows * pass->stride, SCANT_I_LANES);
    memset(L, 0, block.nrows * pass->stride * sizeof *L);
    for (size_t f = 0; f < pass->nfactors && plan->density; f++)
        SCANT_I_TRY(mixture->factor[f]->family->log_density(mixture->factor[f], &block, L,
                                                            scratch + pass->scratch_offset[f]));
    SCANT_I_TRY(plan->visitor(&block, L, statistics, room, plan->payload));
    for (size_t f = 0; f < pass->nfactors && plan->accumulate; f++)
        SCANT_I_TRY(mixture->factor[f]->family->accumulate(mixture->factor[f], &block, L,
                                                           statistics + pass->offset[f],
                                                           scratch + pass->scratch_offset[f]));
done:
    return status;
}

static scant_status run_chunk(size_t chunk, size_t worker, void *payload)
{
    scant_i_pass *pass = payload;
    double *statistics = pass->statistics + chunk * pass->nstatistics;
    size_t from = pass->nblocks * chunk / pass->nchunks;
    size_t to = pass->nblocks * (chunk + 1) / pass->nchunks;
    memset(statistics, 0, pass->nstatistics * sizeof *statistics);
    if (scant_i_interrupted())
        return scant_i_fail(SCANT_ERR_INTERRUPTED, "interrupted");
    for (size_t b = from; b < to; b++) {
        scant_status status = run_block(pass, b, statistics, pass->scratch[worker]);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

scant_status scant_i_pass_run(scant_i_pass *pass, const scant_i_mixture *mixture,
                              const scant_i_pass_plan *plan)
{
    pass->mixture = mixture;
    pass->plan = plan;
    /* a scratch may hold what a family kept for the last pass's parameters */
    for (size_t w = 0; w < pass->workers; w++)
        memset(pass->scratch[w], 0, pass->scratch_offset[pass->nfactors]);
    scant_status status = scant_i_parallel(pass->workers, pass->nchunks, run_chunk, pass);
    if (status != SCANT_OK)
        return status;
    for (size_t chunk = 1; chunk < pass->nchunks; chunk++)
        for (size_t s = 0; s < pass->nstatistics; s++)
            pass->statistics[s] += pass->statistics[chunk * pass->nstatistics + s];
    return scant_i_comm_serial.sum(&scant_i_comm_serial, pass->statistics, pass->nstatistics);
}

const double *scant_i_pass_own(const scant_i_pass *pass)
{
    return pass->statistics;
}

const double *scant_i_pass_factor(const scant_i_pass *pass, size_t factor)
{
    return pass->statistics + pass->offset[factor];
}
