#include "latent/sample.h"

#include <stdlib.h>
#include <string.h>

/* --- which rows --- */

typedef struct draw {
    const scant_i_part *part; /* of all parts, in order */
    const scant_i_evidence *evidence;
    const scant_i_survey *survey;
    const scant_i_random *random;
} draw;

static scant_status answer_draw(const scant_i_query *question, size_t part, scant_i_take take,
                                void *taker)
{
    const draw *d = question->body;
    scant_i_strata strata = {0};
    scant_i_candidate *drawn = NULL;
    size_t n = 0;
    scant_status status = scant_i_strata_new(&strata, d->evidence, d->survey);
    if (status == SCANT_OK)
        status = SCANT_I_NEW(&drawn, strata.wanted);
    if (status == SCANT_OK) {
        scant_i_strata_offer_batch(&strata, &d->part[part].batch, d->evidence, d->random);
        n = scant_i_strata_drawn(&strata, drawn);
    }
    status = scant_i_answer_bytes(question, part, status, drawn, n * sizeof *drawn, take, taker);
    scant_i_strata_clear(&strata);
    scant_i_free(drawn);
    return status;
}

static scant_status accept_draw(size_t part, const void *bytes, size_t nbytes, void *payload)
{
    (void)part;
    const scant_i_candidate *candidate = bytes;
    for (size_t k = 0; k < nbytes / sizeof *candidate; k++)
        scant_i_strata_offer(payload, &candidate[k]);
    return SCANT_OK;
}

static int compare(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* The numbers of the drawn rows, ascending. */
static scant_status list_drawn(size_t **out, size_t *n, const scant_i_strata *strata)
{
    scant_status status = SCANT_OK;
    scant_i_candidate *drawn = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&drawn, strata->wanted));
    SCANT_I_TRY(SCANT_I_NEW(out, strata->wanted));
    *n = scant_i_strata_drawn(strata, drawn);
    for (size_t t = 0; t < *n; t++)
        (*out)[t] = drawn[t].row;
    qsort(*out, *n, sizeof **out, compare);
done:
    scant_i_free(drawn);
    return status;
}

/* --- what they are --- */

/* A row on its way: a head, and then its cells, or of sparse rows its columns and its values. */
typedef struct head {
    uint64_t row, nentries;
    int64_t code; /* -1: nothing known */
    double weight;
} head;

typedef union word {
    uint64_t column;
    double value;
} word;

typedef struct list {
    const scant_i_part *part;
    const size_t *row;
    size_t n;
} list;

static size_t entries_of(const scant_i_batch *batch, size_t i)
{
    return batch->dense ? batch->ncolumns : scant_i_batch_count(batch, i);
}

static size_t words_of(const scant_i_batch *batch, size_t i)
{
    return entries_of(batch, i) * (batch->dense ? 1 : 2);
}

static char *write_row(char *to, const scant_i_batch *batch, size_t i)
{
    head h = {.row = batch->first + i,
              .nentries = entries_of(batch, i),
              .code = batch->code ? batch->code[i] : -1,
              .weight = batch->weight ? batch->weight[i] : 1};
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (size_t e = 0; e < h.nentries; e++, to += sizeof(word)) {
        word value;
        if (batch->dense) {
            value.value = batch->dense[i * batch->ncolumns + e];
        } else {
            size_t at = scant_i_batch_start(batch, i) + e;
            word column = {.column = (uint64_t)batch->sparse.column[at]};
            memcpy(to, &column, sizeof column);
            to += sizeof column;
            value.value = batch->sparse.value ? batch->sparse.value[at] : 1;
        }
        memcpy(to, &value, sizeof value);
    }
    return to;
}

/* Those of the rows asked for that the part has. */
static scant_status answer_list(const scant_i_query *question, size_t part, scant_i_take take,
                                void *taker)
{
    const list *l = question->body;
    const scant_i_batch *batch = &l->part[part].batch;
    size_t nbytes = 0, first = 0;
    char *bytes = NULL;
    while (first < l->n && l->row[first] < batch->first)
        first++;
    size_t end = first;
    for (; end < l->n && l->row[end] < batch->first + batch->nrows; end++)
        nbytes += sizeof(head) + words_of(batch, l->row[end] - batch->first) * sizeof(word);
    scant_status status = SCANT_I_NEW(&bytes, nbytes);
    char *to = bytes;
    for (size_t t = first; t < end && status == SCANT_OK; t++)
        to = write_row(to, batch, l->row[t] - batch->first);
    status = scant_i_answer_bytes(question, part, status, bytes, nbytes, take, taker);
    scant_i_free(bytes);
    return status;
}

/* Rows that have arrived, in any order. */
typedef struct arrivals {
    const list *list;
    bool dense;
    char *bytes;
    size_t nbytes;
    size_t *at; /* n: where a row begins in them; SIZE_MAX: it has not come */
} arrivals;

static scant_status accept_list(size_t part, const void *bytes, size_t nbytes, void *payload)
{
    (void)part;
    arrivals *a = payload;
    if (nbytes == 0)
        return SCANT_OK;
    scant_status status = scant_i_resize(&a->bytes, a->nbytes + nbytes, 1);
    if (status != SCANT_OK)
        return status;
    memcpy(a->bytes + a->nbytes, bytes, nbytes);
    for (size_t at = a->nbytes; at < a->nbytes + nbytes;) {
        head h;
        memcpy(&h, a->bytes + at, sizeof h);
        size_t row = h.row;
        const size_t *found = bsearch(&row, a->list->row, a->list->n, sizeof row, compare);
        if (!found)
            return scant_i_fail(SCANT_ERR_INTERNAL, "a part has answered with another row");
        a->at[found - a->list->row] = at;
        at += sizeof h + h.nentries * (a->dense ? 1 : 2) * sizeof(word);
    }
    a->nbytes += nbytes;
    return SCANT_OK;
}

static scant_status lay_out(scant_i_sample *out, const arrivals *a, size_t ncolumns)
{
    scant_status status = SCANT_OK;
    size_t n = a->list->n, entries = 0;
    SCANT_I_TRY(SCANT_I_NEW(&out->code, n));
    SCANT_I_TRY(SCANT_I_NEW(&out->weight, n));
    SCANT_I_TRY(SCANT_I_NEW(&out->start, n + 1));
    for (size_t t = 0; t < n; t++) {
        head h;
        if (a->at[t] == SIZE_MAX) {
            status = scant_i_fail(SCANT_ERR_INTERNAL, "no part has answered with a row");
            goto done;
        }
        memcpy(&h, a->bytes + a->at[t], sizeof h);
        out->code[t] = (int32_t)h.code;
        out->weight[t] = h.weight;
        out->start[t + 1] = entries += h.nentries;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->cells, entries));
    SCANT_I_TRY(SCANT_I_NEW(&out->column, a->dense ? 0 : entries));
    out->batch =
        (scant_i_batch){.nrows = n, .ncolumns = ncolumns, .weight = out->weight, .code = out->code};
    if (a->dense)
        out->batch.dense = out->cells;
    else
        out->batch.sparse = (scant_i_batch_sparse){out->start, 0, out->column, out->cells};
done:
    return status;
}

static void read_row(scant_i_sample *out, const arrivals *a, size_t t)
{
    const char *from = a->bytes + a->at[t] + sizeof(head);
    for (size_t e = out->start[t]; e < out->start[t + 1]; e++, from += sizeof(word)) {
        word w;
        if (!a->dense) {
            memcpy(&w, from, sizeof w);
            out->column[e] = (int32_t)w.column;
            from += sizeof w;
        }
        memcpy(&w, from, sizeof w);
        out->cells[e] = w.value;
    }
}

static scant_status fetch(scant_i_sample *out, const scant_i_carrier *carrier, const list *l,
                          bool dense)
{
    scant_status status = SCANT_OK;
    const scant_i_batch *batch = &l->part[0].batch;
    arrivals a = {.list = l, .dense = dense};
    SCANT_I_TRY(SCANT_I_NEW(&a.at, l->n));
    memset(a.at, 0xff, l->n * sizeof *a.at);
    SCANT_I_TRY(scant_i_ask(carrier, answer_list, l, accept_list, &a));
    SCANT_I_TRY(lay_out(out, &a, batch->ncolumns));
    for (size_t t = 0; t < l->n; t++)
        read_row(out, &a, t);
    out->batch.header = batch->header;
done:
    scant_i_free(a.bytes);
    scant_i_free(a.at);
    return status;
}

/* --- both --- */

scant_status scant_i_sample_new(scant_i_sample *out, const scant_i_carrier *carrier,
                                const scant_i_part *part, const scant_i_evidence *evidence,
                                const scant_i_survey *survey, const scant_i_random *random)
{
    scant_status status = SCANT_OK;
    scant_i_strata strata = {0};
    draw d = {part, evidence, survey, random};
    *out = (scant_i_sample){.batch = part[0].batch};
    SCANT_I_TRY(scant_i_strata_new(&strata, evidence, survey));
    if (carrier)
        SCANT_I_TRY(scant_i_ask(carrier, answer_draw, &d, accept_draw, &strata));
    else
        scant_i_strata_offer_batch(&strata, &part[0].batch, evidence, random);
    SCANT_I_TRY(list_drawn(&out->place, &out->n, &strata));
    if (carrier) {
        SCANT_I_TRY(fetch(out, carrier, &(list){part, out->place, out->n}, !survey->counts.sparse));
        for (size_t t = 0; t < out->n; t++)
            out->place[t] = t;
    }
done:
    scant_i_strata_clear(&strata);
    if (status != SCANT_OK)
        scant_i_sample_clear(out);
    return status;
}

void scant_i_sample_clear(scant_i_sample *sample)
{
    scant_i_free(sample->place);
    scant_i_free(sample->cells);
    scant_i_free(sample->weight);
    scant_i_free(sample->start);
    scant_i_free(sample->column);
    scant_i_free(sample->code);
    *sample = (scant_i_sample){0};
}
