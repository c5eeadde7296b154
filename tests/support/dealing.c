#include "dealing.h"

static const size_t parts[] = {1, 2, 3, 8}, threads[] = {1, 2, 7};

void dealing_open(dealing *out, uint64_t seed)
{
    scant_i_random random = scant_i_random_new(seed, 77);
    *out = (dealing){.nparts = parts[seed % 4], .threads = threads[seed % 3]};
    for (size_t p = 0; p + 1 < out->nparts; p++) {
        double drawn = scant_i_random_uniform(&random);
        size_t at = p;
        for (; at > 0 && out->cut[at - 1] > drawn; at--)
            out->cut[at] = out->cut[at - 1];
        out->cut[at] = drawn;
    }
    if (out->nparts > 2 && seed / 4 % 2 == 0)
        out->cut[1] = out->cut[0];
    scant_i_loopback_open(&out->loopback, out->nparts, out->cut, seed);
}

void dealing_close(dealing *d)
{
    scant_i_loopback_close(&d->loopback);
}
