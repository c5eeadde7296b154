/* Tables of probabilities: one column a class (or a context), one row a row. */
#ifndef SCANT_I_CONTEXT_H
#define SCANT_I_CONTEXT_H

#include "data/rows.h"

/* What a column of probabilities is of: its name, without `p_` where it begins so. `made` as in
 * scant_i_column_name. */
const char *scant_i_probability_of(const scant_rows *table, size_t column,
                                   char made[SCANT_I_MADE_NAME]);
/* The row's probabilities into p[0..ncolumns-1], as they stand; or *empty, where all its cells are
 * missing. Anything else - a negative number, a gap, a sum that is not 1 within 1e-6 - is
 * SCANT_ERR_INPUT with the cell. */
scant_status scant_i_probabilities_read(double *p, bool *empty, const scant_rows *table,
                                        size_t row);

#endif
