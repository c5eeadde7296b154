#include "base/random.h"

#include <math.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wextra"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

scant_i_random scant_i_random_new(uint64_t seed, uint64_t stream)
{
    return (scant_i_random){.key = {seed, stream}};
}

static void refill(scant_i_random *random)
{
    philox4x64_ctr_t counter;
    philox4x64_key_t key;
    for (int i = 0; i < 4; i++)
        counter.v[i] = random->counter[i];
    key.v[0] = random->key[0];
    key.v[1] = random->key[1];
    philox4x64_ctr_t block = philox4x64(counter, key);
    for (int i = 0; i < 4; i++)
        random->word[i] = block.v[i];
    random->left = 4;
    if (++random->counter[0] == 0)
        random->counter[1]++;
}

uint64_t scant_i_random_word(scant_i_random *random)
{
    if (random->left == 0)
        refill(random);
    return random->word[--random->left];
}

double scant_i_random_uniform(scant_i_random *random)
{
    /* the middle of one of 2^53 equal cells: never 0, never 1 */
    return ((double)(scant_i_random_word(random) >> 11) + 0.5) * 0x1p-53;
}

size_t scant_i_random_below(scant_i_random *random, size_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* reject the uneven rest */
    uint64_t word;
    do
        word = scant_i_random_word(random);
    while (word >= limit);
    return (size_t)(word % n);
}

double scant_i_random_normal(scant_i_random *random)
{
    if (random->has_spare) {
        random->has_spare = false;
        return random->spare;
    }
    /* Box-Muller */
    double radius = sqrt(-2 * log(scant_i_random_uniform(random)));
    double angle = 6.283185307179586 * scant_i_random_uniform(random);
    random->spare = radius * sin(angle);
    random->has_spare = true;
    return radius * cos(angle);
}

double scant_i_random_exponential(scant_i_random *random)
{
    return -log(scant_i_random_uniform(random));
}

/* Marsaglia and Tsang (2000): a squeezed cube of a normal; below shape 1 a power of a uniform. */
double scant_i_random_gamma(scant_i_random *random, double shape)
{
    if (shape < 1) {
        double u = scant_i_random_uniform(random);
        return scant_i_random_gamma(random, shape + 1) * pow(u, 1 / shape);
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = scant_i_random_normal(random);
        double v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = scant_i_random_uniform(random);
        if (log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return d * v;
    }
}

/* Counts exponential gaps while the mean is small; a large mean is halved by a gamma draw
 * (Ahrens and Dieter 1974): the m-th arrival of the process falls before or after the mean. */
double scant_i_random_poisson(scant_i_random *random, double mean)
{
    double count = 0;
    while (mean > 16) {
        double m = floor(mean * 0.875);
        double arrival = scant_i_random_gamma(random, m);
        if (arrival > mean) {
            /* m - 1 arrivals before `arrival` are uniform on it: binomial thinning */
            double before = 0;
            for (double i = 0; i < m - 1; i++)
                before += scant_i_random_uniform(random) * arrival < mean;
            return count + before;
        }
        count += m;
        mean -= arrival;
    }
    double limit = exp(-mean), product = scant_i_random_uniform(random);
    while (product > limit) {
        count++;
        product *= scant_i_random_uniform(random);
    }
    return count;
}

size_t scant_i_random_pick(scant_i_random *random, const double *weight, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += weight[i];
    if (!(total > 0))
        return n;
    double target = scant_i_random_uniform(random) * total, sum = 0;
    size_t last = n;
    for (size_t i = 0; i < n; i++) {
        if (!(weight[i] > 0))
            continue;
        sum += weight[i];
        last = i;
        if (sum > target)
            return i;
    }
    return last; /* rounding left target at the very end */
}

void scant_i_random_shuffle(scant_i_random *random, size_t *index, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = scant_i_random_below(random, i);
        size_t swap = index[i - 1];
        index[i - 1] = index[j];
        index[j] = swap;
    }
}
