#include "parts/tree.h"

#include <string.h>

#include "math/kernels.h"

typedef struct room {
    double *sum;
    bool clean; /* all zero */
} room;

struct scant_i_tree {
    size_t ntiles, length, nlevels;
    size_t *start; /* nlevels + 1: where each level's nodes begin */
    double **sum;  /* a node's sum while it waits for its sibling, or is the root */
    bool *there;   /* the node has come, or has been added up */
    room *pool;    /* rooms that nobody uses */
    size_t npool;
    double **made; /* all rooms */
    size_t nmade, most;
    scant_i_merge merge; /* NULL: addition */
    const void *payload;
};

static size_t nodes_of(size_t ntiles, size_t level)
{
    return ((ntiles - 1) >> level) + 1;
}

scant_status scant_i_tree_new(scant_i_tree **out, size_t ntiles, size_t length)
{
    scant_status status = SCANT_OK;
    scant_i_tree *tree = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&tree, 1));
    tree->ntiles = scant_i_max(1, ntiles);
    tree->length = length;
    tree->nlevels = 1;
    while (nodes_of(tree->ntiles, tree->nlevels - 1) > 1)
        tree->nlevels++;

    SCANT_I_TRY(SCANT_I_NEW(&tree->start, tree->nlevels + 1));
    for (size_t l = 0; l < tree->nlevels; l++)
        tree->start[l + 1] = tree->start[l] + nodes_of(tree->ntiles, l);
    tree->most = tree->start[tree->nlevels];
    SCANT_I_TRY(SCANT_I_NEW(&tree->sum, tree->most));
    SCANT_I_TRY(SCANT_I_NEW(&tree->there, tree->most));
    *out = tree;
    tree = NULL;
done:
    scant_i_tree_free(tree);
    return status;
}

void scant_i_tree_free(scant_i_tree *tree)
{
    if (!tree)
        return;
    for (size_t r = 0; r < tree->nmade; r++)
        scant_i_free(tree->made[r]);
    scant_i_free(tree->made);
    scant_i_free(tree->pool);
    scant_i_free(tree->start);
    scant_i_free(tree->sum);
    scant_i_free(tree->there);
    scant_i_free(tree);
}

void scant_i_tree_merge_by(scant_i_tree *tree, scant_i_merge merge, const void *payload)
{
    tree->merge = merge;
    tree->payload = payload;
}

size_t scant_i_tree_length(const scant_i_tree *tree)
{
    return tree->length;
}

void scant_i_tree_restart(scant_i_tree *tree)
{
    for (size_t i = 0; i < tree->most; i++)
        if (tree->sum[i])
            tree->pool[tree->npool++] = (room){tree->sum[i], false};
    if (tree->npool < tree->nmade) { /* some were taken and not given back */
        tree->npool = 0;
        for (size_t r = 0; r < tree->nmade; r++)
            tree->pool[tree->npool++] = (room){tree->made[r], false};
    }
    memset(tree->sum, 0, tree->most * sizeof(double *));
    memset(tree->there, 0, tree->most * sizeof *tree->there);
}

/* One room more; the pool has a place for each that was made. */
static double *make_room(scant_i_tree *tree)
{
    if (scant_i_resize(&tree->made, tree->nmade + 1, sizeof *tree->made) != SCANT_OK ||
        scant_i_resize(&tree->pool, tree->nmade + 1, sizeof *tree->pool) != SCANT_OK)
        return NULL;
    double *sum = scant_i_alloc(scant_i_max(1, tree->length), sizeof *sum);
    if (sum)
        tree->made[tree->nmade++] = sum;
    return sum;
}

double *scant_i_tree_take(scant_i_tree *tree)
{
    room taken = {0};
#pragma omp critical(scant_tree)
    {
        if (tree->npool)
            taken = tree->pool[--tree->npool];
        else
            taken.sum = make_room(tree);
    }
    if (taken.sum && !taken.clean)
        memset(taken.sum, 0, tree->length * sizeof *taken.sum);
    return taken.sum;
}

static size_t at(const scant_i_tree *tree, size_t level, size_t index)
{
    return tree->start[level] + index;
}

/* Is the node part of one that is there? */
static bool is_covered(const scant_i_tree *tree, size_t level, size_t index)
{
    for (size_t l = level; l < tree->nlevels; l++)
        if (tree->there[at(tree, l, index >> (l - level))])
            return true;
    return false;
}

/* Nodes below one that has come as a whole are no longer wanted. */
static void drop_below(scant_i_tree *tree, size_t level, size_t index)
{
    for (size_t l = level; l-- > 0;) {
        size_t first = index << (level - l), end = (index + 1) << (level - l);
        for (size_t i = first; i < scant_i_min(end, nodes_of(tree->ntiles, l)); i++) {
            double **sum = &tree->sum[at(tree, l, i)];
            if (*sum)
                tree->pool[tree->npool++] = (room){*sum, false};
            *sum = NULL;
        }
    }
}

/* Puts a node in its place. True: its sibling was waiting, and the two are to be added; they are
 * then the caller's. */
static bool place(scant_i_tree *tree, size_t *level, size_t *index, double **left, double **right)
{
    double *own = *left;
    if (is_covered(tree, *level, *index)) {
        tree->pool[tree->npool++] = (room){own, false};
        return false;
    }
    tree->there[at(tree, *level, *index)] = true;

    /* a last node without a sibling is its parent as well */
    while (*level + 1 < tree->nlevels && *index % 2 == 0 &&
           *index + 1 == nodes_of(tree->ntiles, *level)) {
        ++*level;
        *index /= 2;
        tree->there[at(tree, *level, *index)] = true;
    }

    double **other = *level + 1 < tree->nlevels ? &tree->sum[at(tree, *level, *index ^ 1)] : NULL;
    if (!other || !*other) {
        tree->sum[at(tree, *level, *index)] = own;
        return false;
    }
    *left = *index % 2 ? *other : own;
    *right = *index % 2 ? own : *other;
    *other = NULL;
    ++*level;
    *index /= 2;
    return true;
}

void scant_i_tree_give(scant_i_tree *tree, size_t level, size_t index, double *sum)
{
    double *left = sum, *right = NULL;
    bool more;
#pragma omp critical(scant_tree)
    {
        if (!is_covered(tree, level, index))
            drop_below(tree, level, index);
        more = place(tree, &level, &index, &left, &right);
    }
    while (more) {
        if (tree->merge)
            tree->merge(left, right, tree->length, tree->payload);
        else
            scant_i_kernels_now()->add_and_clear(left, right, tree->length);
#pragma omp critical(scant_tree)
        {
            tree->pool[tree->npool++] = (room){right, !tree->merge};
            more = place(tree, &level, &index, &left, &right);
        }
    }
}

scant_status scant_i_tree_put(scant_i_tree *tree, const scant_i_node *node)
{
    double *sum = scant_i_tree_take(tree);
    if (!sum)
        return SCANT_ERR_MEMORY;
    memcpy(sum, node->sum, tree->length * sizeof *sum);
    scant_i_tree_give(tree, node->level, node->index, sum);
    return SCANT_OK;
}

const double *scant_i_tree_root(const scant_i_tree *tree)
{
    return tree->sum[at(tree, tree->nlevels - 1, 0)];
}

size_t scant_i_tree_nodes(const scant_i_tree *tree, scant_i_node *out, size_t most)
{
    size_t count = 0;
    for (size_t tile = 0; tile < tree->ntiles;) {
        size_t next = tile + 1;
        for (size_t l = tree->nlevels; l-- > 0;) {
            size_t i = tile >> l;
            const double *sum = tree->sum[at(tree, l, i)];
            if (!sum || i << l != tile)
                continue;
            if (count < most)
                out[count] = (scant_i_node){l, i, sum};
            count++;
            next = (i + 1) << l;
            break;
        }
        tile = next;
    }
    return count;
}
