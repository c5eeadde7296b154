#include "parts/ask.h"

#include <stdatomic.h>
#include <string.h>

/* Questions have numbers that differ in a process, so that a late answer is known as one, also when what
 * it was about is gone. */
static atomic_size_t questions;

scant_status scant_i_answer_with(const scant_i_query *question, size_t part, scant_status status,
                                 const scant_i_tree *tree, scant_i_take take, void *taker)
{
    scant_i_node *node = NULL;
    scant_i_answer out = {.question = question->number, .part = part, .status = status};
    if (status != SCANT_OK) {
        out.text = scant_message();
        out.place = *scant_fault();
        return take(&out, taker);
    }
    out.length = scant_i_tree_length(tree);
    out.nnodes = scant_i_tree_nodes(tree, NULL, 0);
    SCANT_I_TRY(SCANT_I_NEW(&node, out.nnodes));
    (void)scant_i_tree_nodes(tree, node, out.nnodes);
    out.node = node;
    status = take(&out, taker);
done:
    scant_i_free(node);
    return status;
}

/* What the driver has of a question so far. */
typedef struct driver {
    scant_i_tree *tree;
    size_t question;
    size_t failed; /* the first part that has, SIZE_MAX: none */
    scant_status status;
    char text[1024];
    scant_place place;
} driver;

static scant_status take(const scant_i_answer *answer, void *payload)
{
    driver *d = payload;
    scant_status status = SCANT_OK;
    if (answer->question != d->question)
        return SCANT_OK; /* late: of an earlier question */
    if (answer->status != SCANT_OK && answer->part < d->failed) {
        d->failed = answer->part;
        d->status = answer->status;
        strncpy(d->text, answer->text ? answer->text : "", sizeof d->text - 1);
        d->place = answer->place;
    }
    for (size_t k = 0; k < answer->nnodes && status == SCANT_OK; k++)
        status = scant_i_tree_put(d->tree, &answer->node[k]);
    return status;
}

scant_status scant_i_ask(const scant_i_carrier *carrier, scant_i_tree *tree,
                         scant_i_answerer answer, const void *body)
{
    size_t number = atomic_fetch_add(&questions, 1);
    driver d = {.tree = tree, .question = number, .failed = SIZE_MAX};
    scant_i_query question = {number, carrier->nparts, answer, body};
    scant_i_tree_restart(tree);
    scant_status status = carrier->ask(carrier, &question, take, &d);
    if (status != SCANT_OK)
        return status;
    if (d.failed != SIZE_MAX)
        return scant_i_fail_again(d.status, d.text, &d.place);
    return scant_i_tree_root(tree)
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_INTERNAL, "a part has not answered for its rows");
}
