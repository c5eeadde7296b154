/* What a file's columns are, found in one pass over its cells before it is read as rows. */
#ifndef SCANT_I_COLUMN_TYPES_H
#define SCANT_I_COLUMN_TYPES_H

#include <scant/types.h>
#include "io/format.h"

/* From an open source of CSV. */
scant_status scant_i_types_of_csv(scant_types **out, scant_i_source *source,
                                  const scant_read_options *options);
/* From rows that are numbers. */
scant_status scant_i_types_of_rows(scant_types **out, const scant_rows *rows);
/* Words that stand among numbers and dates and mean that there is none, in addition to the usual ones. */
size_t scant_i_types_words(const scant_types *types, const char *const **words);

#endif
