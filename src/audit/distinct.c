#include "audit/distinct.h"

#include <string.h>

#include "data/names.h"
#include "parts/tiles.h"
#include "parts/ask.h"
#include "parts/part.h"

/* --- a dictionary that grows --- */

typedef struct dictionary {
    size_t width; /* numbers of an item */
    scant_i_names seen;
    int32_t *item;
    double *weight;
    size_t room;
} dictionary;

static void dictionary_clear(dictionary *d)
{
    scant_i_names_free(&d->seen);
    scant_i_free(d->item);
    scant_i_free(d->weight);
}

static scant_status add(dictionary *d, const int32_t *item, double weight)
{
    scant_status status = SCANT_OK;
    int32_t code;
    size_t before = d->seen.count;
    SCANT_I_TRY(scant_i_names_add(&code, &d->seen, (const char *)item, d->width * sizeof *item));
    if (d->seen.count > d->room) {
        size_t room = scant_i_max(64, 2 * d->room);
        SCANT_I_TRY(scant_i_resize(&d->item, room * d->width, sizeof *d->item));
        SCANT_I_TRY(scant_i_resize(&d->weight, room, sizeof *d->weight));
        d->room = room;
    }
    if (d->seen.count > before) {
        memcpy(d->item + (size_t)code * d->width, item, d->width * sizeof *item);
        d->weight[code] = 0;
    }
    d->weight[code] += weight;
done:
    return status;
}

/* --- a part's tiles --- */

typedef struct question {
    const scant_i_part *part; /* of all parts, in order */
    size_t k, l, log2;
} question;

/* For each tile the number of its items, and then the weight and the numbers of each. */
typedef struct text {
    char *bytes;
    size_t n;
} text;

static scant_status append(text *t, const void *bytes, size_t n)
{
    scant_status status = scant_i_resize(&t->bytes, t->n + n, 1);
    if (status != SCANT_OK)
        return status;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    return SCANT_OK;
}

static scant_status append_dictionary(text *out, const dictionary *d)
{
    scant_status status = SCANT_OK;
    uint64_t n = d->seen.count;
    SCANT_I_TRY(append(out, &n, sizeof n));
    if (n > 0) {
        SCANT_I_TRY(append(out, d->weight, n * sizeof *d->weight));
        SCANT_I_TRY(append(out, d->item, n * d->width * sizeof *d->item));
    }
done:
    return status;
}

static scant_status write_tile(text *out, const question *q, const scant_i_batch *batch,
                               size_t first, size_t end)
{
    scant_status status = SCANT_OK;
    dictionary own = {.width = q->k + 1};
    int32_t *item = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&item, own.width));
    for (size_t i = first; i < end; i++) {
        size_t n;
        const int32_t *column = scant_i_batch_votes(batch, i, &n);
        for (size_t c = 0; c < q->k; c++)
            item[c] = -1;
        for (size_t e = 0; e < n; e++)
            item[(size_t)column[e] / q->l] = (int32_t)((size_t)column[e] % q->l);
        item[q->k] = batch->code ? batch->code[i] : -1;
        SCANT_I_TRY(add(&own, item, batch->weight ? batch->weight[i] : 1));
    }
    status = append_dictionary(out, &own);
done:
    dictionary_clear(&own);
    scant_i_free(item);
    return status;
}

static scant_status write_part(text *out, const question *q, size_t part)
{
    scant_status status = SCANT_OK;
    const scant_i_batch *batch = &q->part[part].batch;
    size_t size = (size_t)1 << q->log2;
    for (size_t i = 0; i < batch->nrows && status == SCANT_OK; i += size)
        status = write_tile(out, q, batch, i, scant_i_min(batch->nrows, i + size));
    return status;
}

static scant_status answer(const scant_i_query *asked, size_t part, scant_i_take take, void *taker)
{
    text own = {0};
    scant_status status = write_part(&own, asked->body, part);
    status = scant_i_answer_bytes(asked, part, status, own.bytes, own.n, take, taker);
    scant_i_free(own.bytes);
    return status;
}

static scant_status accept(size_t part, const void *bytes, size_t nbytes, void *payload)
{
    text *all = payload;
    return nbytes ? append(&all[part], bytes, nbytes) : SCANT_OK;
}

/* --- all parts', in order --- */

static scant_status read_part(dictionary *out, const text *from)
{
    scant_status status = SCANT_OK;
    int32_t *item = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&item, out->width));
    for (size_t at = 0; at < from->n;) {
        uint64_t n;
        memcpy(&n, from->bytes + at, sizeof n);
        const char *weight = from->bytes + at + sizeof n;
        const char *items = weight + n * sizeof(double);
        for (size_t e = 0; e < n; e++) {
            double w;
            memcpy(&w, weight + e * sizeof w, sizeof w);
            memcpy(item, items + e * out->width * sizeof *item, out->width * sizeof *item);
            SCANT_I_TRY(add(out, item, w));
        }
        at += sizeof n + n * (sizeof(double) + out->width * sizeof *item);
    }
done:
    scant_i_free(item);
    return status;
}

scant_status scant_i_distinct_new(scant_i_distinct *out, const scant_votes *votes)
{
    scant_status status = SCANT_OK;
    const scant_rows *rows = votes->rows;
    size_t k = votes->npredictors, nparts = 0;
    dictionary all = {.width = k + 1};
    scant_i_part *part = NULL;
    text *said = NULL;
    scant_i_tiles tiles = scant_i_tiles_choose(
        &(scant_i_tile_counts){.nrows = rows->nrows, .nstatistics = k + 2, .stride = 1});
    *out = (scant_i_distinct){0};
    SCANT_I_TRY(
        scant_i_parts_new(&part, &nparts, rows, rows->labels.code, rows->weight, tiles.log2, NULL));
    question q = {part, k, votes->nclasses, tiles.log2};
    SCANT_I_TRY(SCANT_I_NEW(&said, nparts));
    SCANT_I_TRY(rows->carrier ? scant_i_ask(rows->carrier, answer, &q, accept, said)
                              : write_part(&said[0], &q, 0));
    for (size_t p = 0; p < nparts; p++)
        SCANT_I_TRY(read_part(&all, &said[p]));
    *out = (scant_i_distinct){all.seen.count, all.item, all.weight};
    all.item = NULL;
    all.weight = NULL;
done:
    for (size_t p = 0; said && p < nparts; p++)
        scant_i_free(said[p].bytes);
    scant_i_free(said);
    scant_i_parts_free(part, nparts);
    dictionary_clear(&all);
    return status;
}

void scant_i_distinct_clear(scant_i_distinct *distinct)
{
    scant_i_free(distinct->item);
    scant_i_free(distinct->weight);
    *distinct = (scant_i_distinct){0};
}
