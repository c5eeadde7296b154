/* Sequences among rows. */
#ifndef SCANT_I_DATA_SEQUENCE_H
#define SCANT_I_DATA_SEQUENCE_H

#include <scant/sequence.h>
#include "data/rows.h"

/* Groups that were read are sequences, or no more than groups. SCANT_ERR_INPUT names the row where one is cut in
 * two, where time does not go on, or where the weight changes. */
scant_status scant_i_rows_take_sequences(scant_rows *rows, bool sequential);
scant_status scant_i_rows_check_sequences(const scant_rows *rows);
/* Does another sequence than the row's before begin? Rows without any are one. */
bool scant_i_begins_sequence(const scant_rows *rows, size_t row);
/* 1 for each row of which something is known, or of another row of its sequence. The caller frees them. */
scant_status scant_i_find_evident(uint8_t **out, const scant_rows *rows);

#endif
