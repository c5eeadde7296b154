/* Counter-based random numbers (Philox 4x64-10). A generator is a key and a counter: the same
 * (seed, stream) gives the same draws whatever else runs, so draws do not depend on threads. */
#ifndef SCANT_I_RANDOM_H
#define SCANT_I_RANDOM_H

#include "base/base.h"

typedef struct scant_i_random {
    uint64_t key[2];     /* seed, stream */
    uint64_t counter[4]; /* next block */
    uint64_t word[4];    /* the block at hand */
    unsigned left;       /* unused words of it */
    double spare;        /* second normal of a pair */
    bool has_spare;
} scant_i_random;

/* `stream` separates independent uses of one seed (a restart, a chunk of rows). */
scant_i_random scant_i_random_new(uint64_t seed, uint64_t stream);

uint64_t scant_i_random_word(scant_i_random *random);
double scant_i_random_uniform(scant_i_random *random);         /* in (0, 1), 53 bits */
size_t scant_i_random_below(scant_i_random *random, size_t n); /* uniform on 0..n-1; n > 0 */
double scant_i_random_normal(scant_i_random *random);
double scant_i_random_exponential(scant_i_random *random);          /* rate 1 */
double scant_i_random_gamma(scant_i_random *random, double shape);  /* scale 1; shape > 0 */
double scant_i_random_poisson(scant_i_random *random, double mean); /* mean >= 0, integer-valued */
/* An index drawn with probability weight[i] / sum; n if all weights are zero. */
size_t scant_i_random_pick(scant_i_random *random, const double *weight, size_t n);
void scant_i_random_shuffle(scant_i_random *random, size_t *index, size_t n);

#endif
