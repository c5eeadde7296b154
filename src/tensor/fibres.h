/* A sparse tensor as a tree of compressed fibres: entries sorted by the modes in `mode`, indices
 * that repeat at the beginning stored once. Level 0 has a node for each index of the first mode
 * that occurs, the last level one for each entry. */
#ifndef SCANT_I_FIBRES_H
#define SCANT_I_FIBRES_H

#include "data/tensor.h"
#include "tensor/kruskal.h"

typedef struct scant_i_fibres {
    size_t order;
    size_t *mode;     /* order: the mode of each level */
    size_t *count;    /* order: nodes of each level */
    uint32_t **index; /* order: count[l] indices */
    uint32_t **start; /* order - 1: children of node k are start[l][k] .. start[l][k + 1] - 1 */
    double *value;    /* count[order - 1] */
} scant_i_fibres;

/* The first level is mode `root`, the others follow from the smallest to the largest, which makes
 * the fewest nodes. Entries that are NaN are left out; so are zeros, unless `zeros`. */
scant_status scant_i_fibres_new(scant_i_fibres **out, const scant_i_tensor *tensor, size_t root,
                                bool zeros);
void scant_i_fibres_free(scant_i_fibres *fibres);
/* The first entry below node k of level 0; k may be count[0]. */
size_t scant_i_fibres_entry(const scant_i_fibres *fibres, size_t k);

/* out[i] += the product of the tensor with all factors but that of level d, for the entries below
 * the nodes first .. last - 1 of level 0. `scratch` has 2 * order * lanes doubles. */
void scant_i_fibres_multiply(double *out, const scant_i_fibres *fibres,
                             const scant_i_kruskal *factors, size_t d, size_t first, size_t last,
                             double *scratch);

/* Goes through the entries below a node of level 0. */
typedef struct scant_i_cursor {
    const scant_i_fibres *fibres;
    const scant_i_kruskal *factors;
    size_t entry, end;
    size_t *node;   /* order - 1: where the walk is */
    double *prefix; /* order x lanes: products of the factors' rows down to each level */
} scant_i_cursor;

scant_status scant_i_cursor_new(scant_i_cursor *cursor, const scant_i_fibres *fibres,
                                const scant_i_kruskal *factors);
void scant_i_cursor_free(scant_i_cursor *cursor);
void scant_i_cursor_begin(scant_i_cursor *cursor, size_t root);
/* Up to `most` entries from here on: their values, and in W (n x lanes) the products of the rows of
 * all factors but the root's. Returns n; 0 behind the last. */
size_t scant_i_cursor_take(scant_i_cursor *cursor, double *W, const double **value, size_t most);

#endif
