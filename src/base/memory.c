/* All memory comes through one allocator. A block is preceded by a header that keeps the address
 * the allocator gave, so that blocks are aligned to a cache line whatever the allocator aligns to.
 */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };
static const size_t LARGE = (size_t)4 << 20; /* bytes from which huge pages are worth asking for */

typedef struct header {
    void *origin; /* what the allocator gave */
    size_t bytes; /* what was asked for */
} header;

/* Passes go through large arrays in several places at once, each on a page of its own; with pages of two megabytes
 * the processor need not look them up all the time. A system that will not is none the worse for it. Whole pages at
 * either end: a mapping of which only a part is advised becomes two, and realloc, which can have one mapping moved, copies
 * the cells of two. */
static void ask_for_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)block, last = first + bytes + page - 1;
    first -= first % page;
    (void)madvise((void *)first, last - last % page - first, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}

static void *libc_resize(void *payload, void *block, size_t bytes)
{
    (void)payload;
    void *given = realloc(block, bytes);
    if (given && bytes >= LARGE)
        ask_for_huge_pages(given, bytes);
    return given;
}

static void libc_release(void *payload, void *block)
{
    (void)payload;
    free(block);
}

static const scant_allocator libc_allocator = {libc_resize, libc_release, NULL};
static scant_allocator allocator = {libc_resize, libc_release, NULL};

void scant_allocator_set(const scant_allocator *chosen)
{
    allocator = chosen ? *chosen : libc_allocator;
}

static header *header_of(void *block)
{
    return (header *)block - 1;
}

static void *place(void *origin, size_t bytes)
{
    uintptr_t first = (uintptr_t)origin + sizeof(header);
    void *block = (void *)((first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    header_of(block)->origin = origin;
    header_of(block)->bytes = bytes;
    return block;
}

static bool total(size_t count, size_t size, size_t *bytes)
{
    return !__builtin_mul_overflow(count, size, bytes) && *bytes < SIZE_MAX - 2 * ALIGNMENT;
}

static void *refuse(size_t count, size_t size)
{
    (void)scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu x %zu bytes", count, size);
    return NULL;
}

void *scant_i_alloc(size_t count, size_t size)
{
    size_t bytes;
    if (!total(count, size, &bytes))
        return refuse(count, size);
    void *origin = allocator.resize(allocator.payload, NULL, bytes + sizeof(header) + ALIGNMENT);
    return origin ? place(origin, bytes) : refuse(count, size);
}

void *scant_i_calloc(size_t count, size_t size)
{
    void *block = scant_i_alloc(count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

scant_status scant_i_resize(void *block, size_t count, size_t size)
{
    void **place_of_block = block;
    void *old = *place_of_block;
    if (!old) {
        *place_of_block = scant_i_alloc(count, size);
        return *place_of_block ? SCANT_OK : SCANT_ERR_MEMORY;
    }
    size_t bytes;
    if (!total(count, size, &bytes)) {
        (void)refuse(count, size);
        return SCANT_ERR_MEMORY;
    }
    header before = *header_of(old);
    size_t offset = (size_t)((char *)old - (char *)before.origin);
    void *origin =
        allocator.resize(allocator.payload, before.origin, bytes + sizeof(header) + ALIGNMENT);
    if (!origin) {
        (void)refuse(count, size);
        return SCANT_ERR_MEMORY;
    }
    /* The new origin may sit otherwise to the cache line: move the contents to where `place` puts
     * them. */
    uintptr_t first = (uintptr_t)origin + sizeof(header);
    void *fresh = (void *)((first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    void *moved = (char *)origin + offset;
    if (fresh != moved)
        memmove(fresh, moved, before.bytes < bytes ? before.bytes : bytes);
    *place_of_block = place(origin, bytes);
    return SCANT_OK;
}

void scant_i_free(void *block)
{
    if (block)
        allocator.release(allocator.payload, header_of(block)->origin);
}

scant_status scant_i_new(void *out, size_t count, size_t size)
{
    void **place_of_block = out;
    *place_of_block = scant_i_calloc(count, size);
    return *place_of_block ? SCANT_OK : SCANT_ERR_MEMORY;
}

char *scant_i_strndup(const char *text, size_t length)
{
    char *copy = scant_i_alloc(length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *scant_i_strdup(const char *text)
{
    return scant_i_strndup(text, strlen(text));
}

char *scant_i_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : scant_i_alloc((size_t)length + 1, 1);
    if (text) {
        va_start(arguments, format);
        (void)vsnprintf(text, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    return text;
}
