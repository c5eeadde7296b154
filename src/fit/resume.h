/* The state of a fit between two iterations, in a checkpoint to go on from. */
#ifndef SCANT_I_FIT_RESUME_H
#define SCANT_I_FIT_RESUME_H

#include <scant/fit.h>
#include "io/checkpoint.h"
#include "latent/engine.h"
#include "model/model.h"

typedef struct scant_i_resumption {
    scant_i_checkpoint checkpoint;
    const scant_i_mixture *layout;
} scant_i_resumption;

/* Puts the checkpoint's functions into the engine's options and, where asked to resume and the file
 * is there, the runs to go on from. */
scant_status scant_i_resume_open(scant_i_resumption *out, scant_i_engine_options *engine,
                                 const scant_fit_options *options, const scant_model *model,
                                 const scant_i_mixture *layout, const scant_rows *rows);

#endif
