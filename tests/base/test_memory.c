/* Memory: alignment whatever the allocator gives, contents kept by resize, overflow refused. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* An allocator that gives blocks `shift` bytes off, another shift at each call, and counts them. */
typedef struct odd {
    size_t shift, calls, live;
    size_t refuse_at; /* call that fails, from 1; 0: none */
} odd;

enum { SLACK = 256 };

static void *odd_new(odd *self, size_t bytes)
{
    char *origin = malloc(bytes + SLACK);
    size_t shift =
        16 + 8 * (self->shift++ % 9); /* multiples of 8: aligned for any double, no more */
    void *block = origin + shift;
    memcpy((char *)block - sizeof(void *), &origin, sizeof origin);
    self->live++;
    return block;
}

static void odd_release(void *payload, void *block)
{
    char *origin;
    memcpy(&origin, (char *)block - sizeof(void *), sizeof origin);
    free(origin);
    ((odd *)payload)->live--;
}

/* Always moves, and knows no old size: it copies what the test's blocks can hold at most. */
enum { LARGEST = 4096 };
static size_t last_size;

static void *odd_resize(void *payload, void *block, size_t bytes)
{
    odd *self = payload;
    if (++self->calls == self->refuse_at)
        return NULL;
    char *fresh = odd_new(self, bytes > LARGEST ? bytes : LARGEST);
    if (block) {
        memcpy(fresh, block, last_size < bytes ? last_size : bytes);
        odd_release(payload, block);
    }
    last_size = bytes;
    return fresh;
}

static void resize_keeps_contents_and_alignment(void **state)
{
    (void)state;
    odd self = {0};
    scant_allocator allocator = {odd_resize, odd_release, &self};
    scant_allocator_set(&allocator);
    unsigned char *block = NULL;
    static const size_t sizes[] = {1, 7, 64, 65, 300, 1000, 2000, 129, 63, 5, 900, 3};
    size_t known = 0;
    for (size_t round = 0; round < 4; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            assert_int_equal(scant_i_resize(&block, sizes[i], 1), SCANT_OK);
            assert_int_equal((uintptr_t)block % 64, 0);
            size_t kept = known < sizes[i] ? known : sizes[i];
            for (size_t b = 0; b < kept; b++)
                assert_int_equal(block[b], (unsigned char)(b * 7 + 3));
            for (size_t b = 0; b < sizes[i]; b++)
                block[b] = (unsigned char)(b * 7 + 3);
            known = sizes[i];
        }
    scant_i_free(block);
    assert_int_equal(self.live, 0);
    scant_allocator_set(NULL);
}

static void a_failed_resize_leaves_the_block(void **state)
{
    (void)state;
    odd self = {.refuse_at = 2};
    scant_allocator allocator = {odd_resize, odd_release, &self};
    scant_allocator_set(&allocator);
    double *block = NULL;
    assert_int_equal(scant_i_resize(&block, 4, sizeof *block), SCANT_OK);
    for (int i = 0; i < 4; i++)
        block[i] = i;
    double *before = block;
    assert_int_equal(scant_i_resize(&block, 100, sizeof *block), SCANT_ERR_MEMORY);
    assert_ptr_equal(block, before);
    for (int i = 0; i < 4; i++)
        assert_true(block[i] == i);
    assert_non_null(strstr(scant_message(), "100 x 8"));
    scant_i_free(block);
    assert_int_equal(self.live, 0);
    scant_allocator_set(NULL);
}

static void overflow_is_refused(void **state)
{
    (void)state;
    size_t half = SIZE_MAX / 2 + 1;
    assert_null(scant_i_alloc(half, 2));
    assert_null(scant_i_calloc(SIZE_MAX, 1));
    assert_null(scant_i_alloc(SIZE_MAX - 100, 1));
    double *block = NULL;
    assert_int_equal(SCANT_I_NEW(&block, half), SCANT_ERR_MEMORY);
    assert_null(block);
    assert_int_equal(scant_i_resize(&block, 2, 8), SCANT_OK);
    assert_int_equal(scant_i_resize(&block, half, 8), SCANT_ERR_MEMORY);
    assert_non_null(block);
    scant_i_free(block);
}

static void calloc_is_zeroed_and_nothing_is_something(void **state)
{
    (void)state;
    for (size_t n = 0; n < 200; n += 13) {
        unsigned char *block = scant_i_calloc(n, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(block[i], 0);
        scant_i_free(block);
    }
    scant_i_free(NULL);
}

static void texts_are_copied(void **state)
{
    (void)state;
    char *a = scant_i_strdup("caf\xc3\xa9"), *b = scant_i_strndup("abcdef", 3);
    char *c = scant_i_format("%s-%d", "x", 12), *d = scant_i_strndup("abc", 0);
    assert_string_equal(a, "caf\xc3\xa9");
    assert_string_equal(b, "abc");
    assert_string_equal(c, "x-12");
    assert_string_equal(d, "");
    scant_i_free(a);
    scant_i_free(b);
    scant_i_free(c);
    scant_i_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resize_keeps_contents_and_alignment),
        cmocka_unit_test(a_failed_resize_leaves_the_block),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(calloc_is_zeroed_and_nothing_is_something),
        cmocka_unit_test(texts_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
