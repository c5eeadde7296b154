/* Questions to parts, and who carries them.
 *
 * The engine asks; every part answers with flat bytes, which a wire could bring: sums over its tiles, as
 * nodes of the tree over all tiles (parts/tree.h), or something else that the asker reads. An answer is
 * pure: the same question to the same part has the same answer, so it may be asked again, come twice,
 * late, or in any order. Of a part's answers the first is taken; those to an earlier question are not. */
#ifndef SCANT_I_ASK_H
#define SCANT_I_ASK_H

#include "base/base.h"
#include "parts/tree.h"

typedef struct scant_i_answer {
    size_t question; /* its number */
    size_t part;
    scant_status status; /* not SCANT_OK: the part has failed, and there are no bytes */
    const char *text;    /* the message then, and its place */
    scant_place place;
    size_t nbytes;
    const void *bytes; /* aligned as numbers are */
} scant_i_answer;

/* Takes an answer; may be called in any order, and for an answer more than once. */
typedef scant_status (*scant_i_take)(const scant_i_answer *answer, void *taker);

typedef struct scant_i_query {
    size_t number; /* no other question has it */
    size_t nparts;
    /* Has a part answer, and gives the answer to `take`; what it lends is valid until `take` returns. */
    scant_status (*answer)(const struct scant_i_query *question, size_t part, scant_i_take take,
                           void *taker);
    const void *body;
} scant_i_query;

/* A carrier brings a question to all parts and their answers to `take`, until each has been taken at
 * least once; threads may ask at the same time. Rows that name one (rows.h) are dealt out to parts at its cuts. */
typedef struct scant_i_carrier {
    scant_status (*ask)(const struct scant_i_carrier *carrier, const scant_i_query *question,
                        scant_i_take take, void *taker);
    void *payload;
    size_t nparts;
    const double *cut; /* nparts - 1, ascending: where parts begin, as a share of the rows */
} scant_i_carrier;

typedef scant_status (*scant_i_answerer)(const scant_i_query *question, size_t part,
                                         scant_i_take take, void *taker);
/* What a part says, once for each, parts in any order. */
typedef scant_status (*scant_i_accept)(size_t part, const void *bytes, size_t nbytes,
                                       void *payload);
/* Has all parts answer. Of several that fail, the first is reported. `accept` may be NULL: they say
 * nothing but that all is well. */
scant_status scant_i_ask(const scant_i_carrier *carrier, scant_i_answerer answer, const void *body,
                         scant_i_accept accept, void *payload);
/* The same where answers are sums: puts their nodes into `tree`, which is begun anew, and afterwards
 * has its root. */
scant_status scant_i_ask_sums(const scant_i_carrier *carrier, scant_i_tree *tree,
                              scant_i_answerer answer, const void *body);

/* What a part says that ended with `status`: bytes, or the nodes that it holds in `tree`. */
scant_status scant_i_answer_bytes(const scant_i_query *question, size_t part, scant_status status,
                                  const void *bytes, size_t nbytes, scant_i_take take, void *taker);
scant_status scant_i_answer_sums(const scant_i_query *question, size_t part, scant_status status,
                                 const scant_i_tree *tree, scant_i_take take, void *taker);

#endif
