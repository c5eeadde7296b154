/* Sums over tiles, added in a fixed binary tree.
 *
 *   node(0, i) = the sum of tile i
 *   node(l, i) = node(l - 1, 2 i) + node(l - 1, 2 i + 1), or the former alone where the latter has no tile
 *
 * The root is the sum of all. Which additions are made depends on the number of tiles alone, so any
 * order of arrival, any number of threads, and any way to deal tiles out to parts give the same
 * bytes. Whoever holds some of the tiles is left with the nodes that cover them: their siblings are
 * elsewhere. A node that is there already, or part of one that is, is ignored when it comes again.
 *
 * Cost: an addition of `length` numbers a tile. Rooms are used again, so there are about as many as
 * workers and levels together. */
#ifndef SCANT_I_TREE_H
#define SCANT_I_TREE_H

#include "base/base.h"

typedef struct scant_i_tree scant_i_tree;

typedef struct scant_i_node {
    size_t level, index;
    const double *sum; /* length */
} scant_i_node;

scant_status scant_i_tree_new(scant_i_tree **out, size_t ntiles, size_t length);
void scant_i_tree_free(scant_i_tree *tree);
/* Two nodes become one by `merge` from now on, not by addition; zeros must be the answer of no rows. */
typedef void (*scant_i_merge)(double *restrict sum, const double *restrict more, size_t length,
                              const void *payload);
void scant_i_tree_merge_by(scant_i_tree *tree, scant_i_merge merge, const void *payload);
size_t scant_i_tree_length(const scant_i_tree *tree); /* numbers of a sum */
/* No node is there any more, and rooms that were taken and not given back are the tree's again. */
void scant_i_tree_restart(scant_i_tree *tree);

/* Zeroed room for a sum, NULL where there is no memory; any thread may ask. */
double *scant_i_tree_take(scant_i_tree *tree);
/* The room holds node (level, index), and is the tree's again. Any thread. */
void scant_i_tree_give(scant_i_tree *tree, size_t level, size_t index, double *sum);
/* The same from numbers that are the caller's. */
scant_status scant_i_tree_put(scant_i_tree *tree, const scant_i_node *node);

/* The sum of all tiles, or NULL: some are not there. */
const double *scant_i_tree_root(const scant_i_tree *tree);
/* The nodes that are there, none of them part of another, in order of their tiles: at most `most` of
 * them are written; returns how many there are. Valid until the next change. */
size_t scant_i_tree_nodes(const scant_i_tree *tree, scant_i_node *out, size_t most);

#endif
