/* Explicit polynomial expansion: columns that are powers or products of the inputs, in standard units again. */
#ifndef SCANT_I_MED_EXPAND_H
#define SCANT_I_MED_EXPAND_H

#include "med/table.h"

typedef enum scant_i_med_expand {
    SCANT_I_MED_AS_IS,
    SCANT_I_MED_POWERS,  /* x_i^m for m = 2 .. degree */
    SCANT_I_MED_PRODUCTS /* x_i x_j for i <= j */
} scant_i_med_expand;

typedef struct scant_i_med_expansion {
    scant_i_med_expand type;
    size_t base, d, degree;  /* inputs before, and after */
    double *centre, *spread; /* d - base: of the columns that are added */
} scant_i_med_expansion;

/* Measures the columns that it adds on the table's rows; without `standardize` they stay as they are. */
scant_status scant_i_med_expansion_new(scant_i_med_expansion *out, scant_i_med_expand type,
                                       size_t degree, const scant_i_med_table *table,
                                       bool standardize);
void scant_i_med_expansion_clear(scant_i_med_expansion *e);
/* Adds the columns to a table of `base`. */
scant_status scant_i_med_expand_table(scant_i_med_table *table, const scant_i_med_expansion *e);
/* Name of column i >= base from those of the inputs; the caller frees it. NULL: out of memory. */
char *scant_i_med_expansion_name(const scant_i_med_expansion *e, size_t i, char *const *names);
scant_status scant_i_med_expansion_to_json(json_t *to, const scant_i_med_expansion *e);
scant_status scant_i_med_expansion_from_json(scant_i_med_expansion *out, const scant_i_place *place,
                                             const json_t *from, size_t base);

#endif
