#include "tensor/fibres.h"

#include <math.h>
#include <string.h>

#include "math/linear.h"
#include "tensor/kernels.h"

void scant_i_fibres_free(scant_i_fibres *f)
{
    if (!f)
        return;
    for (size_t l = 0; f->index && l < f->order; l++)
        scant_i_free(f->index[l]);
    for (size_t l = 0; f->start && l + 1 < f->order; l++)
        scant_i_free(f->start[l]);
    void *blocks[] = {f->mode, f->count, (void *)f->index, (void *)f->start, f->value, f};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        scant_i_free(blocks[k]);
}

/* --- building --- */

static void order_modes(size_t *mode, const scant_i_tensor *t, size_t root)
{
    size_t n = 0;
    mode[n++] = root;
    for (size_t m = 0; m < t->order; m++) {
        if (m == root)
            continue;
        size_t at = n++;
        for (; at > 1 && t->size[mode[at - 1]] > t->size[m]; at--)
            mode[at] = mode[at - 1];
        mode[at] = m;
    }
}

static size_t index_at(const scant_i_tensor *t, size_t entry, size_t m)
{
    if (t->index)
        return t->index[entry * t->order + m];
    for (size_t last = t->order - 1; last > m; last--)
        entry /= t->size[last];
    return entry % t->size[m];
}

/* A stable counting sort of `entry` by one mode. */
static void sort_by_mode(uint32_t *to, const uint32_t *from, size_t n, const scant_i_tensor *t,
                         size_t m, size_t *start)
{
    memset(start, 0, (t->size[m] + 1) * sizeof *start);
    for (size_t k = 0; k < n; k++)
        start[index_at(t, from[k], m) + 1]++;
    for (size_t i = 0; i < t->size[m]; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < n; k++)
        to[start[index_at(t, from[k], m)]++] = from[k];
}

/* The entries that count, sorted by the modes' order; the caller frees them. */
static scant_status sort_entries(uint32_t **out, size_t *count, const scant_i_tensor *t,
                                 const size_t *mode, bool zeros)
{
    scant_status status = SCANT_OK;
    uint32_t *entry = NULL, *spare = NULL;
    size_t *start = NULL, n = 0, largest = 0;
    for (size_t m = 0; m < t->order; m++)
        largest = scant_i_max(largest, t->size[m]);
    SCANT_I_TRY(SCANT_I_NEW(&entry, t->nentries + SCANT_I_AHEAD)); /* zeros behind the last */
    SCANT_I_TRY(SCANT_I_NEW(&spare, t->nentries + SCANT_I_AHEAD));
    SCANT_I_TRY(SCANT_I_NEW(&start, largest + 1));
    for (size_t k = 0; k < t->nentries; k++)
        if (!isnan(t->value[k]) && (zeros || t->value[k] != 0))
            entry[n++] = (uint32_t)k;
    for (size_t l = t->order; l-- > 0;) {
        sort_by_mode(spare, entry, n, t, mode[l], start);
        uint32_t *sorted = spare;
        spare = entry;
        entry = sorted;
    }
    *out = entry;
    *count = n;
    entry = NULL;
done: /* the spare is gone before the tree is made: both together would be the most memory */
    scant_i_free(entry);
    scant_i_free(spare);
    scant_i_free(start);
    return status;
}

/* Down to which level two neighbours share their nodes. */
static size_t shared_levels(const scant_i_fibres *f, const scant_i_tensor *t, size_t a, size_t b)
{
    size_t l = 0;
    while (l < f->order && index_at(t, a, f->mode[l]) == index_at(t, b, f->mode[l]))
        l++;
    return l;
}

static scant_status make_room(scant_i_fibres *f)
{
    scant_status status = SCANT_OK;
    for (size_t l = 0; l + 1 < f->order; l++) {
        SCANT_I_TRY(SCANT_I_NEW(&f->index[l], f->count[l]));
        SCANT_I_TRY(SCANT_I_NEW(&f->start[l], f->count[l] + 1));
    }
    SCANT_I_TRY(SCANT_I_NEW(&f->value, f->count[f->order - 1]));
done:
    return status;
}

/* Twice over the sorted entries: `fill` is false while nodes are counted. The last level's indices
 * take the place of `entry`, whose numbers have served by then: one array less while most is held. */
static void lay_out(scant_i_fibres *f, const scant_i_tensor *t, const uint32_t *entry, size_t n,
                    bool fill)
{
    size_t before = 0;
    memset(f->count, 0, f->order * sizeof *f->count);
    for (size_t k = 0; k < n; k++) {
        size_t now = entry[k];
        /* entries are distinct, so at least the last level is new */
        size_t from = k ? scant_i_min(shared_levels(f, t, before, now), f->order - 1) : 0;
        for (size_t l = from; l < f->order; l++) {
            size_t node = f->count[l]++;
            if (!fill)
                continue;
            f->index[l][node] = (uint32_t)index_at(t, now, f->mode[l]);
            if (l + 1 < f->order)
                f->start[l][node] = (uint32_t)f->count[l + 1];
        }
        if (fill)
            f->value[k] = t->value[now];
        before = now;
    }
    for (size_t l = 0; fill && l + 1 < f->order; l++)
        f->start[l][f->count[l]] = (uint32_t)f->count[l + 1];
}

scant_status scant_i_fibres_new(scant_i_fibres **out, const scant_i_tensor *tensor, size_t root,
                                bool zeros)
{
    scant_status status = SCANT_OK;
    scant_i_fibres *f = NULL;
    size_t n = 0, order = tensor->order;
    *out = NULL;
    if (tensor->nentries >= UINT32_MAX)
        return scant_i_fail(SCANT_ERR_INPUT, "%zu entries are more than 2^32 - 2",
                            tensor->nentries);
    SCANT_I_TRY(SCANT_I_NEW(&f, 1));
    f->order = order;
    SCANT_I_TRY(SCANT_I_NEW(&f->mode, order));
    SCANT_I_TRY(SCANT_I_NEW(&f->count, order));
    SCANT_I_TRY(SCANT_I_NEW(&f->index, order));
    SCANT_I_TRY(SCANT_I_NEW(&f->start, order));
    order_modes(f->mode, tensor, root);
    SCANT_I_TRY(sort_entries(&f->index[order - 1], &n, tensor, f->mode, zeros));
    lay_out(f, tensor, f->index[order - 1], n, false);
    SCANT_I_TRY(make_room(f));
    lay_out(f, tensor, f->index[order - 1], n, true);
    *out = f;
    f = NULL;
done:
    scant_i_fibres_free(f);
    return status;
}

size_t scant_i_fibres_entry(const scant_i_fibres *f, size_t k)
{
    for (size_t l = 0; l + 1 < f->order; l++)
        k = f->start[l][k];
    return k;
}

/* --- products --- */

typedef struct walk {
    const scant_i_fibres *f;
    const scant_i_kruskal *k;
    size_t d;
    double *below; /* order x lanes: the sum under the node of each level */
    double *above; /* order x lanes: the product of the rows down to each level */
    double *out;
} walk;

static const double *row_of(const walk *w, size_t l, size_t node)
{
    return w->k->mode[w->f->mode[l]] + w->f->index[l][node] * w->k->lanes;
}

/* below[l] = sum over the entries under the node of value * rows of the levels below l */
static void sum_below(const walk *w, size_t l, size_t node)
{
    const scant_i_fibres *f = w->f;
    size_t lanes = w->k->lanes, from = f->start[l][node], to = f->start[l][node + 1];
    double *sum = w->below + l * lanes;
    if (l + 2 == f->order) {
        scant_i_tensor_kernels_now()->gather(sum, w->k->mode[f->mode[l + 1]], lanes,
                                             f->index[l + 1] + from, f->value + from, to - from);
        return;
    }
    memset(sum, 0, lanes * sizeof *sum);
    for (size_t child = from; child < to; child++) {
        sum_below(w, l + 1, child);
        scant_i_tensor_kernels_now()->multiply_add(sum, sum + lanes, row_of(w, l + 1, child),
                                                   lanes);
    }
}

static double *output_row(const walk *w, size_t node)
{
    return w->out + w->f->index[w->d][node] * w->k->lanes;
}

/* above[l - 1] is there; adds what the node and its children give to the rows of level d. */
static void descend(const walk *w, size_t l, size_t node)
{
    const scant_i_fibres *f = w->f;
    size_t lanes = w->k->lanes;
    const double *before = w->above + (l - 1) * lanes;
    if (l == w->d && l + 1 == f->order) {
        scant_i_add_multiple(output_row(w, node), f->value[node], before, lanes);
    } else if (l == w->d) {
        sum_below(w, l, node);
        scant_i_tensor_kernels_now()->multiply_add(output_row(w, node), before,
                                                   w->below + l * lanes, lanes);
    } else {
        scant_i_tensor_kernels_now()->multiply(w->above + l * lanes, before, row_of(w, l, node),
                                               lanes);
        for (size_t child = f->start[l][node]; child < f->start[l][node + 1]; child++)
            descend(w, l + 1, child);
    }
}

void scant_i_fibres_multiply(double *out, const scant_i_fibres *f, const scant_i_kruskal *k,
                             size_t d, size_t first, size_t last, double *scratch)
{
    walk w = {f, k, d, scratch, scratch + f->order * k->lanes, out};
    for (size_t node = first; node < last; node++) {
        if (d == 0) {
            sum_below(&w, 0, node);
            memcpy(output_row(&w, node), w.below, k->lanes * sizeof *out);
            continue;
        }
        memcpy(w.above, row_of(&w, 0, node), k->lanes * sizeof *out);
        for (size_t child = f->start[0][node]; child < f->start[0][node + 1]; child++)
            descend(&w, 1, child);
    }
}

/* --- entry by entry --- */

scant_status scant_i_cursor_new(scant_i_cursor *c, const scant_i_fibres *f,
                                const scant_i_kruskal *k)
{
    *c = (scant_i_cursor){.fibres = f, .factors = k};
    scant_status status = SCANT_I_NEW(&c->node, f->order);
    return status == SCANT_OK ? SCANT_I_NEW(&c->prefix, f->order * k->lanes) : status;
}

void scant_i_cursor_free(scant_i_cursor *c)
{
    scant_i_free(c->node);
    scant_i_free(c->prefix);
}

/* The product of rows from the first level under the root down to l; at level 0 it is ones. */
static void extend(scant_i_cursor *c, size_t l)
{
    const scant_i_fibres *f = c->fibres;
    size_t lanes = c->factors->lanes;
    double *prefix = c->prefix + l * lanes;
    if (l == 0)
        for (size_t q = 0; q < lanes; q++)
            prefix[q] = 1;
    else
        scant_i_tensor_kernels_now()->multiply(
            prefix, prefix - lanes, c->factors->mode[f->mode[l]] + f->index[l][c->node[l]] * lanes,
            lanes);
}

void scant_i_cursor_begin(scant_i_cursor *c, size_t root)
{
    const scant_i_fibres *f = c->fibres;
    c->entry = scant_i_fibres_entry(f, root);
    c->end = scant_i_fibres_entry(f, root + 1);
    size_t node = root;
    for (size_t l = 0; l + 1 < f->order; l++) {
        c->node[l] = node;
        extend(c, l);
        node = f->start[l][node];
    }
}

/* Moves to the next node of the level above the entries, and those above it where it is the last
 * of its parent. */
static void advance(scant_i_cursor *c)
{
    const scant_i_fibres *f = c->fibres;
    size_t l = f->order - 2;
    c->node[l]++;
    for (; l > 0 && c->node[l] == f->start[l - 1][c->node[l - 1] + 1]; l--)
        c->node[l - 1]++;
    for (; l + 1 < f->order; l++)
        extend(c, l);
}

size_t scant_i_cursor_take(scant_i_cursor *c, double *W, const double **value, size_t most)
{
    const scant_i_fibres *f = c->fibres;
    size_t lanes = c->factors->lanes, last = f->order - 1, n = 0;
    *value = f->value + c->entry;
    for (; n < most && c->entry < c->end; n++, c->entry++) {
        if (c->entry == f->start[last - 1][c->node[last - 1] + 1])
            advance(c);
        scant_i_tensor_kernels_now()->multiply(
            W + n * lanes, c->prefix + (last - 1) * lanes,
            c->factors->mode[f->mode[last]] + f->index[last][c->entry] * lanes, lanes);
    }
    return n;
}
