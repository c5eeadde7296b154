/* Whom to ask next about what: learning-without-labels §2.3, where answers have a cost.
 *
 * An answer of predictor c about item i is expected to tell, of the item's class,
 *   H(y | votes) - sum_a P(a | votes) H(y | votes, a),   P(a | votes) = sum_j r_ij p_cja
 * bits: much where the item is in doubt and the predictor is good. The best are kept in a heap whose
 * worst is on top. */
#include "audit/result.h"

#include <math.h>
#include <stdlib.h>

static double entropy(const double *p, size_t l)
{
    double bits = 0;
    for (size_t j = 0; j < l; j++)
        bits -= p[j] > 0 ? p[j] * log2(p[j]) : 0;
    return bits;
}

/* Bits that the predictor's answer is expected to tell; `after` is room for l. */
static double gain_of(const scant_i_mixture *m, size_t predictor, const double *r, double *after)
{
    size_t l = m->nclasses;
    double gain = entropy(r, l);
    for (size_t a = 0; a < l; a++) {
        double chance = 0;
        for (size_t j = 0; j < l; j++)
            chance += after[j] = r[j] * scant_i_audit_table(m, predictor, j)[a];
        for (size_t j = 0; j < l && chance > 0; j++)
            after[j] /= chance;
        gain -= chance > 0 ? chance * entropy(after, l) : 0;
    }
    return fmax(gain, 0);
}

static int compare(const void *x, const void *y) /* the better first */
{
    const scant_ask *a = x, *b = y;
    if (a->worth != b->worth)
        return a->worth > b->worth ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return a->predictor < b->predictor ? -1 : a->predictor > b->predictor;
}

/* Lets the ask on top sink to its place; worse ones are above better ones. */
static void sink(scant_ask *heap, size_t n)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(&heap[child + 1], &heap[child]) > 0)
            child++;
        if (compare(&heap[at], &heap[child]) >= 0)
            return;
        scant_ask kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

static void offer(scant_ask *heap, size_t *n, size_t most, scant_ask ask)
{
    if (*n < most) {
        size_t at = (*n)++;
        for (; at > 0 && compare(&ask, &heap[(at - 1) / 2]) > 0; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = ask;
    } else if (most > 0 && compare(&ask, &heap[0]) < 0) {
        heap[0] = ask;
        sink(heap, most);
    }
}

scant_status scant_audit_ask(scant_ask *out, size_t *count, const scant_audit *audit,
                             const scant_votes *votes, const double *cost)
{
    scant_status status = SCANT_OK;
    size_t *known = NULL, most = *count, l = audit->nclasses;
    double *r = NULL;
    *count = 0;
    if (audit->ncells || audit->rules)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "what to ask next is not known of log-linear models");
    SCANT_I_TRY(scant_i_audit_match(&known, audit, votes));
    SCANT_I_TRY(SCANT_I_NEW(&r, 2 * l));
    for (size_t i = 0; i < votes->rows->nrows; i++) {
        if (!(scant_rows_weight(votes->rows, i) > 0))
            continue;
        scant_i_audit_posterior(r, audit, votes, i, known);
        for (size_t c = 0; c < votes->npredictors; c++) {
            double price = cost ? cost[c] : 1;
            if (!(price > 0))
                SCANT_I_TRY(scant_i_fail(SCANT_ERR_ARGUMENT, "the cost of '%s' is %g, not above 0",
                                         votes->predictor[c], price));
            if (known[c] == SIZE_MAX || isnan(audit->judged[known[c]].error.value) ||
                scant_votes_answer(votes, i, c) >= 0)
                continue;
            double gain = gain_of(audit->mixture, known[c], r, r + l);
            offer(out, count, most, (scant_ask){i, c, gain, price, gain / price});
        }
    }
    qsort(out, *count, sizeof *out, compare);
done:
    scant_i_free(known);
    scant_i_free(r);
    return status;
}
