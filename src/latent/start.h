/* Starts: first parameters of a mixture, from rows and a random stream. */
#ifndef SCANT_I_START_H
#define SCANT_I_START_H

#include "latent/problem.h"

typedef enum scant_i_start_kind {
    SCANT_I_START_KMEANS,
    SCANT_I_START_RANDOM,
    SCANT_I_START_LABELS /* as k-means, but components that classes share start within one each */
} scant_i_start_kind;

/* Makes the start number `index` of a seed. Starts take turns: k-means++ and rounds of k-means on a
 * sample of rows, columns scaled each on its own or whitened together; slices across a random
 * direction; responsibilities by chance. Rows go only to components their evidence allows. One pass
 * shares the rows out, and an M-step follows. W tells which components go with which class, and is
 * estimated in the end; a start within classes leaves W and R as they were, and says theta alone.
 * Same index, same start, for any number of threads and parts. */
scant_status scant_i_start_make(scant_i_mixture *mixture, scant_i_problem *problem,
                                scant_i_start_kind kind, uint64_t seed, size_t index);

#endif
