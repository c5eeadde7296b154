/* Checkpoints: the state of a fit between two iterations, as a file to go on from. */
#ifndef SCANT_I_CHECKPOINT_H
#define SCANT_I_CHECKPOINT_H

#include <scant/fit.h>
#include "latent/engine.h"
#include "model/model.h"

typedef struct scant_i_checkpoint {
    const char *path;     /* NULL: no checkpoints */
    char fingerprint[17]; /* of the settings and the rows: only the same fit can be resumed */
    const scant_i_mixture *layout;
} scant_i_checkpoint;

/* Puts the checkpoint's functions into the engine's options and, where asked to resume and the file
 * is there, the runs to go on from. */
scant_status scant_i_checkpoint_open(scant_i_checkpoint *out, scant_i_engine_options *engine,
                                     const scant_fit_options *options, const scant_model *model,
                                     const scant_i_mixture *layout, const scant_rows *rows);

#endif
