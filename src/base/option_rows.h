/* Rows that several option tables share: limits, seed, threads, checkpoints. Each takes the offset
 * of its field in the table's own struct. */
#ifndef SCANT_I_OPTION_ROWS_H
#define SCANT_I_OPTION_ROWS_H

#include <scant/options.h>

/* clang-format off */
#define SCANT_I_ROW_TIME_LIMIT(at)                                                                 \
    {"time-limit", 0, SCANT_OPTION_REAL, at, "S", "0", 0, 1e12, NULL,                              \
     "seconds after which to stop (0: none)"}

#define SCANT_I_ROW_SEED(at)                                                                       \
    {"seed", 0, SCANT_OPTION_SEED, at, "N", "1", 0, 0, NULL, "seed of the random numbers"}

#define SCANT_I_ROW_THREADS(at)                                                                    \
    {"threads", 0, SCANT_OPTION_COUNT, at, "N", "0", 0, 4096, NULL,                         \
     "threads (0: OMP_NUM_THREADS, else all cores)"}

#define SCANT_I_ROW_CONTEXT_MODE(at)                                                               \
    {"context-mode", 0, SCANT_OPTION_CHOICE, at, "M", "likelihood", 0, 0,                    \
     "likelihood|prior|posterior",                                                                 \
     "what class probabilities of a row are: P(context|class), which multiplies the classes' "     \
     "proportions; the row's own proportions; or its posterior"}

/* Three rows: where the state is kept, how often, and whether to go on from it. */
#define SCANT_I_ROWS_CHECKPOINT(file, every, resume)                                               \
    {"checkpoint", 0, SCANT_OPTION_TEXT, file, "FILE", NULL, 0, 0, NULL,                           \
     "keep the state of the fit here, to go on after an interruption"},                            \
    {"checkpoint-every", 0, SCANT_OPTION_REAL, every, "S", "60", 0, 1e9, NULL,                     \
     "seconds between two checkpoints"},                                                           \
    {"resume", 0, SCANT_OPTION_FLAG, resume, NULL, NULL, 0, 0, NULL,                               \
     "go on from the checkpoint, where there is one"}
/* clang-format on */

#endif
