/* A block of sparse rows in forms that a pass goes through quicker than compressed rows, for
 * families to keep between passes. */
#ifndef SCANT_I_TRANSPOSED_H
#define SCANT_I_TRANSPOSED_H

#include "family/family.h"
#include "math/sparse.h"

/* The block's entries in the factor's columns: transposed, those with few entries first,
 * and the entries of all other columns once more, as rows with ones apart. Rows are left out
 * (one_start NULL) where they would save nothing, as few entries are one. */
typedef struct scant_i_transposed {
    scant_i_sparse_columns columns;
    size_t nrare; /* runs of columns with few entries */
    scant_i_sparse_rows rows;
} scant_i_transposed;

/* Rows of a block to be transposed: its table of rows by components then takes a megabyte, which stays
 * in the second-level cache while columns fetch its lines in no order. */
size_t scant_i_transposed_rows(const scant_i_factor *factor);
/* Bytes that scant_i_transposed_new takes at most; 0: the block cannot be transposed. */
size_t scant_i_transposed_bytes(const scant_i_factor *factor, const scant_i_block *block);
scant_status scant_i_transposed_new(scant_i_transposed **out, const scant_i_factor *factor,
                                    const scant_i_block *block);
void scant_i_transposed_free(scant_i_transposed *transposed);

#endif
