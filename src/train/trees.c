/* The member "trees": extremely randomized trees on the standardized columns of the labeled rows (Geurts, Ernst and
 * Wehenkel 2006).
 *
 *   At a node: sqrt(d) random columns that vary in it, for each a threshold uniform between its least and largest cell; the
 *   split with the largest decrease of sum_k N_k (1 - N_k / N) is taken. Nodes of one class, or in which nothing varies,
 *   are leaves and answer with their labels' proportions; the trees' answers are averaged.
 *
 * Targets may be fractions: N_k are sums of them.
 * Cost: O(TREES n log n sqrt(d)) for n labeled rows; TREES times the depth for a row that is predicted. */
#include "train/member.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/linear.h"

enum {
    TREES = 60,
    STREAM = 2000,
    MOST_ROWS = 5000 /* of one tree, drawn at random: a model file has two nodes for each */
};

/* Column -1: a leaf, `next` counts its answers. Else rows with x <= threshold go to node `next`, the others to next + 1. */
typedef struct node {
    int32_t column;
    uint32_t next;
    double threshold;
} node;

typedef struct trees {
    size_t K, d, ntrees;
    size_t *root; /* ntrees + 1: first node of each, and the end */
    node *node;
    size_t nnodes, nleaves;
    double *leaf; /* nleaves x K: proportions */
} trees;

static void free_trees(void *fitted)
{
    trees *m = fitted;
    if (!m)
        return;
    scant_i_free(m->root);
    scant_i_free(m->node);
    scant_i_free(m->leaf);
    scant_i_free(m);
}

static const char *refuses(const scant_i_training *task)
{
    return task->rows.width[SCANT_I_STANDARD] ? NULL : "there is no table of columns";
}

typedef struct growing {
    trees *m;
    const double *x, *t; /* n x d, n x K */
    size_t *row;         /* rows with a target, grouped by node */
    size_t *column;      /* d: random order */
    double *count;       /* 3 K: of a node, left and right */
    scant_i_random random;
} growing;

/* sum_k N_k (1 - N_k / N) */
static double impurity(const double *count, size_t K)
{
    double total = scant_i_sum(count, K), square = 0;
    for (size_t k = 0; k < K; k++)
        square += count[k] * count[k];
    return total > 0 ? total - square / total : 0;
}

static void count_rows(double *count, const growing *g, size_t first, size_t end)
{
    size_t K = g->m->K;
    memset(count, 0, K * sizeof *count);
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < K; k++)
            count[k] += g->t[g->row[i] * K + k];
}

/* Impurity after the split of rows first .. end - 1. */
static double split_impurity(const growing *g, size_t first, size_t end, size_t c, double threshold)
{
    size_t K = g->m->K;
    double *left = g->count + K, *right = left + K;
    memset(left, 0, 2 * K * sizeof *left);
    for (size_t i = first; i < end; i++) {
        const double *t = g->t + g->row[i] * K;
        double *side = g->x[g->row[i] * g->m->d + c] <= threshold ? left : right;
        for (size_t k = 0; k < K; k++)
            side[k] += t[k];
    }
    return impurity(left, K) + impurity(right, K);
}

/* The best of sqrt(d) random splits; false: nothing varies. */
static bool choose(growing *g, size_t first, size_t end, size_t *best, double *threshold)
{
    size_t d = g->m->d, wanted = scant_i_max(1, (size_t)sqrt((double)d)), found = 0;
    double least = INFINITY;
    for (size_t i = 0; i < d && found < wanted; i++) {
        size_t j = i + scant_i_random_below(&g->random, d - i), c = g->column[j];
        g->column[j] = g->column[i];
        g->column[i] = c;
        double low = INFINITY, high = -INFINITY;
        for (size_t r = first; r < end; r++) {
            double cell = g->x[g->row[r] * d + c];
            low = fmin(low, cell);
            high = fmax(high, cell);
        }
        if (!(high > low))
            continue;
        found++;
        double at = low + (high - low) * scant_i_random_uniform(&g->random);
        at = at < high ? at : low; /* rounding must not leave one side empty */
        double after = split_impurity(g, first, end, c, at);
        if (after < least) {
            least = after;
            *best = c;
            *threshold = at;
        }
    }
    return found > 0;
}

static size_t part(const growing *g, size_t first, size_t end, size_t c, double threshold)
{
    size_t middle = first;
    for (size_t i = first; i < end; i++)
        if (g->x[g->row[i] * g->m->d + c] <= threshold) {
            size_t row = g->row[i];
            g->row[i] = g->row[middle];
            g->row[middle++] = row;
        }
    return middle;
}

static void make_leaf(growing *g, size_t at)
{
    trees *m = g->m;
    double *leaf = m->leaf + m->nleaves * m->K, total = scant_i_sum(g->count, m->K);
    m->node[at] = (node){-1, (uint32_t)m->nleaves++, 0};
    for (size_t k = 0; k < m->K; k++)
        leaf[k] = g->count[k] / total;
}

/* Depth is at most the number of rows in a node, which are few. */
static void grow(growing *g, size_t at, size_t first, size_t end)
{
    size_t column = 0, middle;
    double threshold = 0;
    count_rows(g->count, g, first, end);
    if (!(impurity(g->count, g->m->K) > 1e-9 * scant_i_sum(g->count, g->m->K)) ||
        !choose(g, first, end, &column, &threshold)) {
        make_leaf(g, at);
        return;
    }
    middle = part(g, first, end, column, threshold);
    size_t next = g->m->nnodes;
    g->m->nnodes += 2;
    g->m->node[at] = (node){(int32_t)column, (uint32_t)next, threshold};
    grow(g, next, first, middle);
    grow(g, next + 1, middle, end);
}

static scant_status fit(void **out, const scant_i_training *task, const scant_i_lesson *lesson,
                        const void *prepared)
{
    scant_status status = SCANT_OK;
    size_t d = task->rows.width[SCANT_I_STANDARD], K = task->nclasses, n = 0;
    trees *m = NULL;
    growing g = {.x = task->rows.x[SCANT_I_STANDARD], .t = lesson->target};
    (void)prepared;
    SCANT_I_TRY(SCANT_I_NEW(&g.row, task->nlabeled));
    for (size_t i = 0; i < task->nlabeled; i++)
        if (scant_i_sum(g.t + i * K, K) > 0)
            g.row[n++] = i;
    SCANT_I_TRY(SCANT_I_NEW(&g.column, d));
    SCANT_I_TRY(SCANT_I_NEW(&g.count, 3 * K));
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    *m = (trees){.K = K, .d = d, .ntrees = TREES};
    SCANT_I_TRY(SCANT_I_NEW(&m->root, TREES + 1));
    size_t used = scant_i_min(n, MOST_ROWS);
    SCANT_I_TRY(
        SCANT_I_NEW(&m->node, TREES * 2 * used)); /* a binary tree has at most a leaf a row */
    SCANT_I_TRY(SCANT_I_NEW(&m->leaf, TREES * used * K));
    g.m = m;
    for (size_t t = 0; t < TREES; t++) {
        for (size_t c = 0; c < d; c++)
            g.column[c] = c;
        g.random = scant_i_random_new(task->seed, STREAM + t);
        for (size_t i = 0; used < n && i < used; i++) {
            size_t j = i + scant_i_random_below(&g.random, n - i), row = g.row[j];
            g.row[j] = g.row[i];
            g.row[i] = row;
        }
        m->root[t] = m->nnodes++;
        grow(&g, m->root[t], 0, used);
    }
    m->root[TREES] = m->nnodes;
    *out = m;
    m = NULL;
done:
    scant_i_free(g.row);
    scant_i_free(g.column);
    scant_i_free(g.count);
    free_trees(m);
    return status;
}

static scant_status probabilities(double *p, const void *fitted, const scant_i_view *rows)
{
    const trees *m = fitted;
    memset(p, 0, rows->nrows * m->K * sizeof *p);
    for (size_t i = 0; i < rows->nrows; i++) {
        const double *x = rows->x[SCANT_I_STANDARD] + i * m->d;
        for (size_t t = 0; t < m->ntrees; t++) {
            const node *at = &m->node[m->root[t]];
            while (at->column >= 0)
                at = &m->node[at->next + (x[at->column] > at->threshold)];
            const double *leaf = m->leaf + at->next * m->K;
            for (size_t k = 0; k < m->K; k++)
                p[i * m->K + k] += leaf[k] / (double)m->ntrees;
        }
    }
    return SCANT_OK;
}

/* --- documents: nodes are arrays of three numbers --- */

static scant_status to_json(json_t *to, const void *fitted)
{
    scant_status status = SCANT_OK;
    const trees *m = fitted;
    json_t *roots, *nodes;
    SCANT_I_TRY(scant_i_put(to, "roots", roots = json_array()));
    for (size_t t = 0; t < m->ntrees; t++)
        if (json_array_append_new(roots, json_integer((json_int_t)m->root[t])))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    SCANT_I_TRY(scant_i_put(to, "nodes", nodes = json_array()));
    for (size_t i = 0; i < m->nnodes; i++)
        if (json_array_append_new(nodes,
                                  json_pack("[I, I, f]", (json_int_t)m->node[i].column,
                                            (json_int_t)m->node[i].next, m->node[i].threshold)))
            return scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
    SCANT_I_TRY(scant_i_put_table(to, "leaves", m->leaf, m->nleaves, m->K));
done:
    return status;
}

/* Nodes lead forward only, so no walk goes round in circles. */
static scant_status read_nodes(trees *m, const scant_i_place *place, const json_t *nodes)
{
    static const size_t three = 3;
    scant_i_place list = scant_i_place_in(place, "nodes");
    for (size_t i = 0; i < m->nnodes; i++) {
        scant_i_place at = scant_i_place_at(&list, i);
        double v[3];
        scant_status status = scant_i_get_numbers(v, &at, json_array_get(nodes, i), &three, 1);
        if (status != SCANT_OK)
            return status;
        bool leaf = v[0] == -1, good = v[1] >= 0 && v[1] == floor(v[1]) && v[0] == floor(v[0]);
        if (leaf)
            good &= v[1] < (double)m->nleaves;
        else
            good &= v[0] >= 0 && v[0] < (double)m->d && v[1] > (double)i &&
                    v[1] + 1 < (double)m->nnodes;
        if (!good)
            return scant_i_place_fail(&at, "is not a node");
        m->node[i] = (node){(int32_t)v[0], (uint32_t)v[1], v[2]};
    }
    return SCANT_OK;
}

static scant_status from_json(void **out, const scant_i_place *place, const json_t *from,
                              const scant_i_spaces *spaces, size_t nclasses)
{
    scant_status status = SCANT_OK;
    trees *m = NULL;
    const json_t *roots, *nodes, *leaves;
    scant_i_place list = scant_i_place_in(place, "roots");
    SCANT_I_TRY(scant_i_get_array(&roots, place, from, "roots"));
    SCANT_I_TRY(scant_i_get_array(&nodes, place, from, "nodes"));
    SCANT_I_TRY(scant_i_get_array(&leaves, place, from, "leaves"));
    SCANT_I_TRY(SCANT_I_NEW(&m, 1));
    *m = (trees){.K = nclasses,
                 .d = spaces->width[SCANT_I_STANDARD],
                 .ntrees = json_array_size(roots),
                 .nnodes = json_array_size(nodes),
                 .nleaves = json_array_size(leaves)};
    SCANT_I_TRY(SCANT_I_NEW(&m->root, m->ntrees + 1));
    SCANT_I_TRY(SCANT_I_NEW(&m->node, m->nnodes));
    for (size_t t = 0; t < m->ntrees; t++) {
        scant_i_place at = scant_i_place_at(&list, t);
        SCANT_I_TRY(scant_i_get_index(&m->root[t], &at, json_array_get(roots, t), m->nnodes));
    }
    m->root[m->ntrees] = m->nnodes;
    SCANT_I_TRY(read_nodes(m, place, nodes));
    SCANT_I_TRY(scant_i_get_table(&m->leaf, place, from, "leaves", m->nleaves, m->K));
    *out = m;
    m = NULL;
done:
    free_trees(m);
    return status;
}

const scant_i_member scant_i_member_trees = {
    .name = "trees",
    .summary = "extremely randomized trees of labeled rows",
    .refuses = refuses,
    .fit = fit,
    .probabilities = probabilities,
    .to_json = to_json,
    .from_json = from_json,
    .free = free_trees,
};
