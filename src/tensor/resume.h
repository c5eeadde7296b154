/* The state of a factorization in a file: every start so far, so that a fit that was interrupted
 * goes on and ends with the same numbers as one that was not. */
#ifndef SCANT_I_SAVEPOINT_H
#define SCANT_I_SAVEPOINT_H

#include "data/tensor.h"
#include "tensor/alternate.h"

typedef struct scant_i_savepoint scant_i_savepoint;

/* With options->resume and a file that is there, fills `run` with its starts. A checkpoint of
 * another tensor or other settings is SCANT_ERR_INPUT. */
scant_status scant_i_savepoint_open(scant_i_savepoint **out, scant_i_alternation **run,
                                    const scant_i_tensor *tensor,
                                    const scant_factor_options *options, size_t rank);
void scant_i_savepoint_free(scant_i_savepoint *checkpoint);
/* Writes the first n starts, if it is time to or the last of them has ended. */
scant_status scant_i_savepoint_write(scant_i_savepoint *checkpoint, scant_i_alternation *const *run,
                                     size_t n);

#endif
