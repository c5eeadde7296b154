#include "parts/ask.h"

#include <stdatomic.h>
#include <string.h>

/* Questions have numbers that differ in a process, so that a late answer is known as one, also when what
 * it was about is gone. */
static atomic_size_t questions;

/* --- a part answers --- */

scant_status scant_i_answer_bytes(const scant_i_query *question, size_t part, scant_status status,
                                  const void *bytes, size_t nbytes, scant_i_take take, void *taker)
{
    scant_i_answer out = {.question = question->number, .part = part, .status = status};
    if (status == SCANT_OK) {
        out.bytes = bytes;
        out.nbytes = nbytes;
    } else {
        out.text = scant_message();
        out.place = *scant_fault();
    }
    return take(&out, taker);
}

/* A node on its way; its numbers follow. */
typedef struct head {
    uint64_t level, index;
} head;

scant_status scant_i_answer_sums(const scant_i_query *question, size_t part, scant_status status,
                                 const scant_i_tree *tree, scant_i_take take, void *taker)
{
    scant_i_node *node = NULL;
    char *bytes = NULL;
    if (status != SCANT_OK)
        return scant_i_answer_bytes(question, part, status, NULL, 0, take, taker);
    size_t sum = scant_i_tree_length(tree) * sizeof(double), each = sizeof(head) + sum;
    size_t nnodes = scant_i_tree_nodes(tree, NULL, 0);
    SCANT_I_TRY(SCANT_I_NEW(&node, nnodes));
    SCANT_I_TRY(SCANT_I_NEW(&bytes, nnodes * each));
    (void)scant_i_tree_nodes(tree, node, nnodes);
    for (size_t k = 0; k < nnodes; k++) {
        head h = {node[k].level, node[k].index};
        memcpy(bytes + k * each, &h, sizeof h);
        memcpy(bytes + k * each + sizeof h, node[k].sum, sum);
    }
    status = scant_i_answer_bytes(question, part, SCANT_OK, bytes, nnodes * each, take, taker);
done:
    scant_i_free(node);
    scant_i_free(bytes);
    return status;
}

/* --- all do --- */

/* What the driver has of a question so far. */
typedef struct driver {
    size_t question;
    bool *answered; /* by part */
    scant_i_accept accept;
    void *payload;
    size_t failed; /* the first part that has, SIZE_MAX: none */
    scant_status status;
    char text[1024];
    scant_place place;
} driver;

static scant_status take(const scant_i_answer *answer, void *payload)
{
    driver *d = payload;
    if (answer->question != d->question || d->answered[answer->part])
        return SCANT_OK; /* late: of an earlier question; or once more */
    d->answered[answer->part] = true;
    if (answer->status == SCANT_OK)
        return d->accept ? d->accept(answer->part, answer->bytes, answer->nbytes, d->payload)
                         : SCANT_OK;
    if (answer->part < d->failed) {
        d->failed = answer->part;
        d->status = answer->status;
        strncpy(d->text, answer->text ? answer->text : "", sizeof d->text - 1);
        d->place = answer->place;
    }
    return SCANT_OK;
}

static bool all_answered(const driver *d, size_t nparts)
{
    for (size_t p = 0; p < nparts; p++)
        if (!d->answered[p])
            return false;
    return true;
}

scant_status scant_i_ask(const scant_i_carrier *carrier, scant_i_answerer answer, const void *body,
                         scant_i_accept accept, void *payload)
{
    driver d = {.question = atomic_fetch_add(&questions, 1),
                .accept = accept,
                .payload = payload,
                .failed = SIZE_MAX};
    scant_i_query question = {d.question, carrier->nparts, answer, body};
    scant_status status = SCANT_I_NEW(&d.answered, carrier->nparts);
    if (status == SCANT_OK)
        status = carrier->ask(carrier, &question, take, &d);
    if (status == SCANT_OK && d.failed != SIZE_MAX)
        status = scant_i_fail_again(d.status, d.text, &d.place);
    else if (status == SCANT_OK && !all_answered(&d, carrier->nparts))
        status = scant_i_fail(SCANT_ERR_INTERNAL, "a part has not answered for its rows");
    scant_i_free(d.answered);
    return status;
}

static scant_status put_nodes(size_t part, const void *bytes, size_t nbytes, void *payload)
{
    (void)part;
    scant_i_tree *tree = payload;
    scant_status status = SCANT_OK;
    size_t each = sizeof(head) + scant_i_tree_length(tree) * sizeof(double);
    for (size_t at = 0; at + each <= nbytes && status == SCANT_OK; at += each) {
        head h;
        memcpy(&h, (const char *)bytes + at, sizeof h);
        const void *sum = (const char *)bytes + at + sizeof h;
        status = scant_i_tree_put(tree, &(scant_i_node){h.level, h.index, sum});
    }
    return status;
}

scant_status scant_i_ask_sums(const scant_i_carrier *carrier, scant_i_tree *tree,
                              scant_i_answerer answer, const void *body)
{
    scant_i_tree_restart(tree);
    scant_status status = scant_i_ask(carrier, answer, body, put_nodes, tree);
    if (status == SCANT_OK && !scant_i_tree_root(tree))
        status = scant_i_fail(SCANT_ERR_INTERNAL, "a part has not answered for its rows");
    return status;
}
