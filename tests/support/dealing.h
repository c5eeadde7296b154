/* Rows dealt out to parts of a loop-back, and threads, one way for each seed. */
#ifndef SCANT_T_DEALING_H
#define SCANT_T_DEALING_H

#include "parts/loopback.h"

/* Seeds 0 to 11 have each of 1, 2, 3 and 8 parts with each of 1, 2 and 7 threads. */
enum { DEALINGS = 20, DEALING_PARTS = 8 };

typedef struct dealing {
    scant_i_loopback loopback; /* .carrier is for the rows */
    double cut[DEALING_PARTS];
    size_t nparts, threads;
} dealing;

/* Cuts are anywhere, through tiles, and of three parts or more often two at one place, which leaves a part
 * empty. The dealing must not move. */
void dealing_open(dealing *out, uint64_t seed);
void dealing_close(dealing *d);

#endif
