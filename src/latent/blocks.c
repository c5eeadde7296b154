/* Rows to blocks: see pass.h and the top of pass.c. */
#include "latent/blocks.h"

/* Tiles are whole but for the last one of all rows. */
void scant_i_pass_find_tiles(scant_i_pass *pass, const scant_i_part *part)
{
    size_t log2 = pass->whole.tiles.log2, n = part->tiles_end - part->tiles_first;
    pass->first_tile = part->tiles_first >> log2;
    pass->ntiles = (n + ((size_t)1 << log2) - 1) >> log2;
}

/* Runs of whole sequences, of as many rows as a block where sequences are not longer, each in the tile
 * of its first row. */
static scant_status cut_runs(scant_i_pass *pass, const scant_i_structure *structure)
{
    scant_status status = SCANT_OK;
    size_t n = pass->rows->nrows, *whole = NULL, nwhole = 0; /* where sequences begin */
    pass->visited = scant_i_min(pass->block_rows, SCANT_I_BLOCK_MAX);
    if (!pass->tied)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&whole, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&pass->run, n + 1));
    for (size_t i = 0; i < n; i++)
        if (i == 0 || structure->begins(pass->batch, i))
            whole[nwhole++] = i;
    whole[nwhole] = n;

    for (size_t s = 0; s < nwhole; s++) {
        size_t first = pass->nruns ? pass->run[pass->nruns - 1] : 0;
        bool full = whole[s + 1] - first > pass->block_rows;
        if (s == 0 || full || scant_i_pass_tile(pass, whole[s]) != scant_i_pass_tile(pass, first))
            pass->run[pass->nruns++] = whole[s];
    }
    pass->run[pass->nruns] = n;
    for (size_t r = 0; r < pass->nruns; r++)
        pass->visited = scant_i_max(pass->visited, pass->run[r + 1] - pass->run[r]);
done:
    scant_i_free(whole);
    return status;
}

/* Which rows are worked on together: those of a task, or of a run. */
static void group_rows(const scant_i_pass *pass, uint32_t *group)
{
    size_t n = pass->rows->nrows;
    for (size_t i = 0, r = 0; i < n; i++) {
        r += pass->tied && i == pass->run[r + 1];
        group[i] = (uint32_t)(pass->tied ? r : scant_i_pass_tile(pass, i) / pass->task_tiles);
    }
}

/* Rows of each task or run together, those of a pattern together within it, ascending. */
static scant_status order_rows(scant_i_pass *pass)
{
    scant_status status = SCANT_OK;
    const scant_i_patterns *p = &pass->patterns;
    size_t n = pass->rows->nrows, ngroups = pass->tied ? pass->nruns : pass->ntasks, *next = NULL;
    uint32_t *group = NULL;
    if (!p->order || ngroups == 1)
        return SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&pass->order, n));
    SCANT_I_TRY(SCANT_I_NEW(&next, ngroups + 1));
    SCANT_I_TRY(SCANT_I_NEW(&group, n));
    group_rows(pass, group);
    for (size_t i = 0; i < n; i++)
        next[group[i] + 1]++;
    for (size_t t = 0; t < ngroups; t++)
        next[t + 1] += next[t];
    for (size_t k = 0; k < n; k++) {
        size_t row = p->order[k];
        pass->order[next[group[row]]++] = row;
    }
done:
    scant_i_free(group);
    scant_i_free(next);
    return status;
}

/* The end of the rows from `k` on that have its tile, or its run, and, as `pattern` of each row says,
 * its pattern; in that order tiles ascend within a pattern. Rows of a run are together. */
static size_t end_of_block(const scant_i_pass *pass, size_t k, size_t run, const uint32_t *pattern)
{
    size_t n = pass->tied ? pass->run[run + 1] : pass->rows->nrows;
    size_t row = scant_i_pass_row(pass, k), tile = scant_i_pass_tile(pass, row);
    size_t most = scant_i_min(n, k + pass->block_rows), end = k + 1;
    if (!pattern && pass->tied)
        return most;
    if (!pattern) {
        size_t last = ((pass->first_tile + tile + 1) << pass->whole.tiles.log2) - pass->first;
        return scant_i_min(most, last);
    }
    while (end < most) {
        size_t other = scant_i_pass_row(pass, end);
        if (pattern[other] != pattern[row] ||
            (!pass->tied && scant_i_pass_tile(pass, other) != tile))
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

    for (size_t k = 0, r = 0; k < n; pass->nblocks++) {
        k = end_of_block(pass, k, r, known);
        r += pass->tied && k == pass->run[r + 1];
    }
    SCANT_I_TRY(SCANT_I_NEW(&pass->block, pass->nblocks));
    SCANT_I_TRY(SCANT_I_NEW(&pass->task, pass->ntasks + 1));
    for (size_t b = 0, k = 0, r = 0; b < pass->nblocks; b++) {
        size_t end = end_of_block(pass, k, r, known), row = scant_i_pass_row(pass, k);
        size_t tile = scant_i_pass_tile(pass, pass->tied ? pass->run[r] : row);
        pass->block[b] = (scant_i_extent){k, end - k, known ? pattern[row] : 0, tile, r};
        pass->task[tile / pass->task_tiles + 1] = b + 1;
        k = end;
        r += pass->tied && k == pass->run[r + 1];
    }
    for (size_t t = 0; t < pass->ntasks; t++) /* of sequences longer than a tile */
        pass->task[t + 1] = scant_i_max(pass->task[t + 1], pass->task[t]);
done:
    scant_i_free(pattern);
    return status;
}

scant_status scant_i_pass_cut(scant_i_pass *pass, const scant_i_structure *structure)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(cut_runs(pass, structure));
    SCANT_I_TRY(order_rows(pass));
    SCANT_I_TRY(cut_blocks(pass));
done:
    return status;
}
