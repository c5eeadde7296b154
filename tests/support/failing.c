#include "failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#include <scant/runtime.h>

static atomic_size_t requests, live;
static size_t fatal;

static void *resize(void *payload, void *block, size_t bytes)
{
    (void)payload;
    if (atomic_fetch_add(&requests, 1) + 1 == fatal)
        return NULL;
    void *fresh = realloc(block, bytes);
    if (fresh && !block)
        atomic_fetch_add(&live, 1);
    return fresh;
}

static void release(void *payload, void *block)
{
    (void)payload;
    atomic_fetch_sub(&live, 1);
    free(block);
}

/* Jansson's blocks count as ours: what it cannot get, the library has to cope with. One thing no
 * caller can know of: where the buffer of its lexer, whose sizes are powers of two, cannot grow,
 * jansson 2.14 drops a letter and goes on. */
static bool excused;

static void *json_take(size_t bytes)
{
    void *block = resize(NULL, NULL, bytes);
    if (!block && bytes >= 32 && (bytes & (bytes - 1)) == 0)
        excused = true;
    return block;
}

static void json_give(void *block)
{
    if (block)
        release(NULL, block);
}

void failing_begin(size_t n)
{
    static const scant_allocator allocator = {resize, release, NULL};
    atomic_store(&requests, 0);
    atomic_store(&live, 0);
    fatal = n;
    scant_allocator_set(&allocator);
}

size_t failing_end(void)
{
    scant_allocator_set(NULL);
    return atomic_load(&live);
}

bool failing_happened(void)
{
    return fatal > 0 && atomic_load(&requests) >= fatal;
}

size_t failing_sweep(failing_work work, void *payload)
{
    for (size_t n = 1;; n++) {
        failing_begin(n);
        scant_status status = work(payload);
        bool happened = failing_happened();
        size_t left = failing_end();
        assert_int_equal(left, 0);
        if (!happened) {
            assert_int_equal(status, SCANT_OK);
            return n;
        }
        if (status != SCANT_OK) /* some work can do without a block that it asked for */
            assert_int_equal(status, SCANT_ERR_MEMORY);
    }
}

size_t failing_sweep_strictly(failing_work work, void *payload)
{
    return failing_sweep_sparsely(work, payload, 1);
}

size_t failing_sweep_sparsely(failing_work work, void *payload, size_t step)
{
    json_malloc_t take;
    json_free_t give;
    json_get_alloc_funcs(&take, &give);
    for (size_t n = 1;; n += step) {
        failing_begin(n);
        json_set_alloc_funcs(json_take, json_give);
        excused = false;
        scant_status status = work(payload);
        bool happened = failing_happened();
        json_set_alloc_funcs(take, give);
        size_t left = failing_end();
        if (left != 0)
            fail_msg("request %zu failed: %zu blocks were left", n, left);
        if (!happened) {
            if (status != SCANT_OK)
                fail_msg("no request failed: status %d: %s", (int)status, scant_message());
            return n;
        }
        if (excused)
            continue;
        if (status != SCANT_ERR_MEMORY || !strstr(scant_message(), "memory"))
            fail_msg("request %zu failed: status %d: %s", n, (int)status, scant_message());
    }
}
