/* Random numbers: SplitMix64 (Steele, Lea and Flood 2014), one stream a problem, so that problems
 * may be solved in any order by any number of threads. */
#ifndef DRAWS_H
#define DRAWS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct draws {
    uint64_t state;
} draws;

static inline uint64_t draw_word(draws *d)
{
    uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A stream for each way to fill the four numbers. */
static inline draws draws_new(uint64_t seed, uint64_t experiment, uint64_t condition,
                              uint64_t problem)
{
    draws d = {seed};
    const uint64_t parts[] = {experiment, condition, problem};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        d.state = draw_word(&d) ^ (parts[p] + 1);
    return d;
}

static inline double draw_between(draws *d, double low, double high)
{
    /* the middle of one of 2^53 equal cells: never an end of the interval */
    return low + (high - low) * (((double)(draw_word(d) >> 11) + 0.5) * 0x1p-53);
}

static inline double draw_normal(draws *d)
{
    double radius = sqrt(-2 * log(draw_between(d, 0, 1)));
    return radius * cos(draw_between(d, 0, 2 * acos(-1)));
}

static inline double draw_sign(draws *d)
{
    return draw_word(d) >> 63 ? 1 : -1;
}

/* One of 0 .. n-1; n is small, so that the uneven rest does not matter. */
static inline size_t draw_below(draws *d, size_t n)
{
    return (size_t)(draw_word(d) % n);
}

#endif
