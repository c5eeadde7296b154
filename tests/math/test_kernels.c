/* Which table of kernels is chosen: the best that the processor can run, whatever compiler made the library. The processor is asked
 * by the kernel's own account of it, not by the compiler's functions that the library uses. */
#include "check.h"

#include <stdio.h>

#include "base/base.h"
#include "family/kernels.h"
#include "inform/kernels.h"
#include "latent/kernels.h"
#include "tables.h"

/* Is the word in the line of /proc/cpuinfo that lists what the processor can do? */
static bool has(const char *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)); at += length)
        if (at > line && at[-1] == ' ' && (at[length] == ' ' || at[length] == '\n'))
            return true;
    return false;
}

static bool has_all(const char *line, const char *const *words)
{
    for (; *words; words++)
        if (!has(line, *words))
            return false;
    return true;
}

static const char *const AVX2[] = {"avx2", "fma", NULL};
static const char *const AVX512[] = {"avx512f",  "avx512cd", "avx512bw", "avx512dq",
                                     "avx512vl", "avx2",     "fma",      NULL};

static void test_chosen(void **state)
{
    (void)state;
#if !defined(__x86_64__) || defined(SCANT_KERNELS_MOST)
    skip(); /* the build is limited, or there is nothing to choose */
#else
    char line[1 << 14] = "";
    FILE *info = fopen("/proc/cpuinfo", "r");
    if (!info)
        skip();
    while (fgets(line, sizeof line, info) && strncmp(line, "flags", 5) != 0)
        ;
    fclose(info);
    const char *want = has_all(line, AVX512) ? "avx512" : has_all(line, AVX2) ? "avx2" : "sse2";
    assert_ok(scant_i_kernels_use(NULL));
    assert_string_equal(scant_i_kernels_now()->name, want);
    assert_string_equal(scant_i_kernels_supported(0)->name, want);
#endif
}

/* Vectors get shorter from table to table, each is compiled with its own width, and each can be put to use. */
static void test_tables(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t width;
    } known[] = {{"avx512", 8}, {"avx2", 4}, {"sse2", 2}, {"neon", 2}, {"plain", 2}};
    const scant_i_kernels *table = NULL;
    size_t n = 0, last = SIZE_MAX;
    for (; (table = scant_i_kernels_supported(n)); n++) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(known[k].name, table->name) != 0)
            k++;
        assert_true(k < sizeof known / sizeof *known);
        assert_int_equal(table->width, known[k].width);
        assert_true(table->width < last);
        last = table->width;
        assert_ok(scant_i_kernels_use(table->name));
        assert_ptr_equal(scant_i_kernels_now(), table);
    }
    assert_true(n > 0);
    assert_null(scant_i_kernels_supported(n + 1));
}

/* Those of solve and tensor: tests/solve/test_kernels.c. */
static void test_layers(void **state)
{
    (void)state;
    ASSERT_LAYER_FOLLOWS(family);
    ASSERT_LAYER_FOLLOWS(inform);
    ASSERT_LAYER_FOLLOWS(latent);
}

static void test_unknown(void **state)
{
    (void)state;
    assert_ok(scant_i_kernels_use(NULL));
    const scant_i_kernels *before = scant_i_kernels_now();
    assert_fails(scant_i_kernels_use("abacus"), SCANT_ERR_ARGUMENT, "abacus");
    assert_ptr_equal(scant_i_kernels_now(), before);
}

/* Whoever asks first chooses; all get the same table. */
static const scant_i_kernels *seen[16];

static scant_status ask(size_t task, size_t worker, void *payload)
{
    (void)worker;
    (void)payload;
    seen[task] = scant_i_kernels_now();
    return SCANT_OK;
}

static void test_threads(void **state)
{
    (void)state;
    for (size_t round = 0; round < 50; round++) {
        scant_i_kernels_chosen = NULL;
        assert_ok(scant_i_parallel(4, sizeof seen / sizeof *seen, ask, NULL));
        for (size_t t = 0; t < sizeof seen / sizeof *seen; t++)
            assert_ptr_equal(seen[t], scant_i_kernels_choose());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen), cmocka_unit_test(test_tables), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
