/* Several parts in one process, with answers as a bad network brings them: for tests. */
#ifndef SCANT_I_LOOPBACK_H
#define SCANT_I_LOOPBACK_H

#include "base/random.h"
#include "parts/ask.h"

/* Answers come in random order, some of them twice, and some of the question before come again. */
typedef struct scant_i_loopback {
    scant_i_carrier carrier; /* for the rows */
    scant_i_random random;
    struct scant_i_letter *letter; /* answers on their way */
    size_t nletters, room;
} scant_i_loopback;

/* `cut` is borrowed; the carrier points to the loop-back, which must not move. */
void scant_i_loopback_open(scant_i_loopback *out, size_t nparts, const double *cut, uint64_t seed);
void scant_i_loopback_close(scant_i_loopback *loopback);

#endif
