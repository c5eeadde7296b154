/* zlib's memory, through scant's allocator. */
#ifndef SCANT_I_ZMEMORY_H
#define SCANT_I_ZMEMORY_H

#include "base/base.h"

static inline void *scant_i_zalloc(void *payload, unsigned count, unsigned size)
{
    (void)payload;
    return scant_i_calloc(count, size);
}

static inline void scant_i_zfree(void *payload, void *block)
{
    (void)payload;
    scant_i_free(block);
}

#endif
