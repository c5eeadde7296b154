/* The state of a factorization in a checkpoint: every start so far, so that a fit that was interrupted
 * goes on and ends with the same numbers as one that was not. */
#ifndef SCANT_I_FACTOR_RESUME_H
#define SCANT_I_FACTOR_RESUME_H

#include "data/tensor.h"
#include "tensor/alternate.h"

typedef struct scant_i_factor_resumption scant_i_factor_resumption;

/* With options->resume and a file that is there, fills `run` with its starts. A checkpoint of
 * another tensor or other settings is SCANT_ERR_INPUT. */
scant_status scant_i_factor_resume(scant_i_factor_resumption **out, scant_i_alternation **run,
                                   const scant_i_tensor *tensor,
                                   const scant_factor_options *options, size_t rank);
void scant_i_factor_resumption_free(scant_i_factor_resumption *checkpoint);
/* Writes the first n starts, if it is time to or the last of them has ended. */
scant_status scant_i_factor_save(scant_i_factor_resumption *checkpoint,
                                 scant_i_alternation *const *run, size_t n);

#endif
