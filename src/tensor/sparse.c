/* Sparse tensors on trees of fibres. A mode at the top of a tree has its rows to itself: tasks
 * take nodes of the first level and write where no other does. A short mode needs no tree of its
 * own: it is served from the longest mode's tree, each part of the entries adding to a copy of its
 * few rows, and the copies are added in order. So threads never wait for each other, and any number
 * of them gives the same bytes.
 *
 * Cost of a product: 2 entries rank flop, and a row of a factor read for each entry. Memory: about
 * 14 bytes an entry and tree. */
#include <string.h>

#include "tensor/fibres.h"
#include "tensor/layout.h"

enum { TASKS = 64, PARTS = 8 };

typedef struct sparse {
    scant_i_layout layout;
    size_t order, lanes;
    scant_i_fibres **tree; /* order: by their first mode; NULL: served by another */
    size_t longest;
    double *copies; /* PARTS x the longest of the short modes x lanes */
} sparse;

typedef struct call {
    const scant_i_fibres *f;
    const scant_i_kruskal *factors;
    size_t level, tasks;
    double *out;
    size_t copy; /* doubles between the outputs of two tasks; 0: all write to one */
} call;

static void sparse_free(scant_i_layout *layout)
{
    sparse *s = (sparse *)layout;
    for (size_t m = 0; s->tree && m < s->order; m++)
        scant_i_fibres_free(s->tree[m]);
    scant_i_free(s->tree);
    scant_i_free(s->copies);
    scant_i_free(s);
}

static void sparse_touch(scant_i_layout *layout, size_t mode)
{
    (void)layout;
    (void)mode;
}

/* The first node of level 0 at or behind a share of the entries. */
static size_t cut(const scant_i_fibres *f, size_t task, size_t tasks)
{
    size_t wanted = f->count[f->order - 1] / tasks * task, low = 0, high = f->count[0];
    if (task == tasks)
        return high;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (scant_i_fibres_entry(f, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static scant_status multiply_task(size_t task, size_t worker, void *payload)
{
    (void)worker;
    const call *c = payload;
    double *scratch = NULL;
    scant_status status = SCANT_I_NEW(&scratch, 2 * c->f->order * c->factors->lanes);
    if (status != SCANT_OK)
        return status;
    scant_i_fibres_multiply(c->out + task * c->copy, c->f, c->factors, c->level,
                            cut(c->f, task, c->tasks), cut(c->f, task + 1, c->tasks), scratch);
    scant_i_free(scratch);
    return SCANT_OK;
}

static size_t level_of(const scant_i_fibres *f, size_t mode)
{
    size_t level = 0;
    while (f->mode[level] != mode)
        level++;
    return level;
}

static scant_status sparse_multiply(double *M, scant_i_layout *layout,
                                    const scant_i_kruskal *factors, size_t mode, size_t threads)
{
    sparse *s = (sparse *)layout;
    size_t n = factors->size[mode] * s->lanes;
    memset(M, 0, n * sizeof *M);
    call c = {.f = s->tree[mode], .factors = factors, .tasks = TASKS, .out = M};
    if (c.f)
        return scant_i_parallel(threads, TASKS, multiply_task, &c);
    c = (call){.f = s->tree[s->longest],
               .factors = factors,
               .level = level_of(s->tree[s->longest], mode),
               .tasks = PARTS,
               .out = s->copies,
               .copy = n};
    memset(s->copies, 0, PARTS * n * sizeof *s->copies);
    scant_status status = scant_i_parallel(threads, PARTS, multiply_task, &c);
    for (size_t part = 0; part < PARTS; part++)
        for (size_t t = 0; t < n; t++)
            M[t] += s->copies[part * n + t];
    return status;
}

static const scant_i_layout_kind sparse_kind = {sparse_multiply, sparse_touch, sparse_free};

/* Copies of the mode's rows are few compared with the entries. */
static bool is_short(const scant_i_tensor *t, size_t mode, size_t lanes)
{
    return PARTS * t->size[mode] * lanes <= t->nentries;
}

scant_status scant_i_layout_sparse(scant_i_layout **out, const scant_i_tensor *tensor, size_t lanes)
{
    scant_status status = SCANT_OK;
    sparse *s = NULL;
    size_t short_rows = 0;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&s, 1));
    *s = (sparse){.layout = {.kind = &sparse_kind}, .order = tensor->order, .lanes = lanes};
    SCANT_I_TRY(SCANT_I_NEW(&s->tree, tensor->order));
    for (size_t m = 0; m < tensor->order; m++)
        if (tensor->size[m] > tensor->size[s->longest])
            s->longest = m;
    for (size_t m = 0; m < tensor->order; m++) {
        if (m == s->longest || !is_short(tensor, m, lanes))
            SCANT_I_TRY(scant_i_fibres_new(&s->tree[m], tensor, m, false));
        else
            short_rows = scant_i_max(short_rows, tensor->size[m]);
    }
    SCANT_I_TRY(SCANT_I_NEW(&s->copies, PARTS * short_rows * lanes));
    const scant_i_fibres *f = s->tree[s->longest];
    for (size_t k = 0; k < f->count[f->order - 1]; k++)
        s->layout.squares += f->value[k] * f->value[k];
    *out = &s->layout;
    s = NULL;
done:
    if (s)
        sparse_free(&s->layout);
    return status;
}
