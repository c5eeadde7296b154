/* A block of sparse rows in forms that a pass goes through quicker than compressed rows, for
 * families to keep between passes. */
#ifndef SCANT_I_TURNED_H
#define SCANT_I_TURNED_H

#include "family/family.h"
#include "math/sparse.h"

/* The block's entries in the factor's columns: turned into columns, those with few entries first,
 * and the entries of all other columns once more, as rows with ones apart. Rows are left out
 * (one_start NULL) where they would save nothing, as few entries are one. */
typedef struct scant_i_turned {
    scant_i_sparse_columns columns;
    size_t nrare; /* runs of columns with few entries */
    scant_i_sparse_rows rows;
} scant_i_turned;

/* Rows of a block to be turned: its table of rows by components then takes a megabyte, which stays
 * in the second-level cache while columns fetch its lines in no order. */
size_t scant_i_turned_rows(const scant_i_factor *factor);
/* Bytes that scant_i_turned_new takes at most; 0: the block cannot be turned. */
size_t scant_i_turned_bytes(const scant_i_factor *factor, const scant_i_block *block);
scant_status scant_i_turned_new(scant_i_turned **out, const scant_i_factor *factor,
                                const scant_i_block *block);
void scant_i_turned_free(scant_i_turned *turned);

#endif
