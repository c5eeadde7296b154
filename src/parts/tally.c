#include "parts/tally.h"

#include <string.h>

#include "parts/ask.h"

typedef struct question {
    const scant_i_tally *tally;
    const scant_i_part *part; /* of all parts, in order */
    size_t threads;
} question;

typedef struct work {
    const scant_i_tally *tally;
    const scant_i_batch *batch;
    scant_i_tree *tree;
} work;

static scant_status new_tree(scant_i_tree **out, const scant_i_tally *tally)
{
    scant_status status = scant_i_tree_new(out, scant_i_tiles_count(&tally->tiles), tally->length);
    if (status == SCANT_OK && tally->merge)
        scant_i_tree_merge_by(*out, tally->merge, tally->payload);
    return status;
}

static scant_status run_tile(size_t t, size_t worker, void *payload)
{
    (void)worker;
    const work *w = payload;
    size_t log2 = w->tally->tiles.log2, n = w->batch->nrows, first = t << log2;
    double *sums = scant_i_tree_take(w->tree);
    if (!sums)
        return SCANT_ERR_MEMORY;
    scant_status status =
        w->tally->add(w->batch, first, scant_i_min(n, (t + 1) << log2), sums, w->tally->payload);
    scant_i_tree_give(w->tree, 0, (w->batch->first >> log2) + t, sums);
    return status;
}

static scant_status run_part(const question *q, size_t part, scant_i_tree *tree)
{
    const scant_i_batch *batch = &q->part[part].batch;
    size_t n = batch->nrows, log2 = q->tally->tiles.log2;
    size_t ntiles = (n + ((size_t)1 << log2) - 1) >> log2;
    return scant_i_parallel(scant_i_tiles_workers(ntiles, n, q->threads), ntiles, run_tile,
                            &(work){q->tally, batch, tree});
}

static scant_status answer(const scant_i_query *asked, size_t part, scant_i_take take, void *taker)
{
    const question *q = asked->body;
    scant_i_tree *tree = NULL;
    scant_status status = new_tree(&tree, q->tally);
    if (status == SCANT_OK)
        status = run_part(q, part, tree);
    status = scant_i_answer_sums(asked, part, status, tree, take, taker);
    scant_i_tree_free(tree);
    return status;
}

scant_status scant_i_tally_ask(double *out, const scant_i_tally *tally, const scant_rows *rows,
                               const int32_t *code, const double *weight, size_t threads)
{
    scant_status status = SCANT_OK;
    scant_i_tree *tree = NULL;
    scant_i_part *part = NULL;
    size_t nparts = 0;
    memset(out, 0, tally->length * sizeof *out);
    if (rows->nrows == 0)
        return SCANT_OK;
    SCANT_I_TRY(new_tree(&tree, tally));
    SCANT_I_TRY(scant_i_parts_new(&part, &nparts, rows, code, weight, tally->tiles.log2, NULL));
    question q = {tally, part, threads};
    SCANT_I_TRY(rows->carrier ? scant_i_ask_sums(rows->carrier, tree, answer, &q)
                              : run_part(&q, 0, tree));
    memcpy(out, scant_i_tree_root(tree), tally->length * sizeof *out);
done:
    scant_i_tree_free(tree);
    scant_i_parts_free(part, nparts);
    return status;
}
