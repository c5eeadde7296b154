#include "math/kernels.h"

#include <string.h>

/* The tables of this build, the best first, and what a processor must have for each. SCANT_KERNELS_MOST (cmake -DSCANT_KERNELS=...)
 * names the best that may be chosen, to see how lesser machines fare. */
#define TABLE(target) extern const scant_i_kernels scant_i_kernels_##target
#if defined(__x86_64__)
TABLE(avx512);
TABLE(avx2);
TABLE(sse2);
#elif defined(__aarch64__)
TABLE(neon);
#else
TABLE(plain);
#endif

typedef struct target {
    const scant_i_kernels *table;
    bool supported;
} target;

enum { TARGETS_MOST = 4 };

/* What is asked for here is what CMakeLists.txt compiles the target with. */
static size_t list(target *to)
{
    size_t n = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    to[n++] = (target){&scant_i_kernels_avx512, avx512};
    to[n++] = (target){&scant_i_kernels_avx2, avx2};
    to[n++] = (target){&scant_i_kernels_sse2, true};
#elif defined(__aarch64__)
    to[n++] = (target){&scant_i_kernels_neon, true};
#else
    to[n++] = (target){&scant_i_kernels_plain, true};
#endif
    return n;
}

const scant_i_kernels *scant_i_kernels_supported(size_t k)
{
    target targets[TARGETS_MOST];
    size_t n = list(targets);
    for (size_t t = 0; t < n; t++)
        if (targets[t].supported && k-- == 0)
            return targets[t].table;
    return NULL;
}

static const scant_i_kernels *named(const char *name)
{
    const scant_i_kernels *table = NULL;
    for (size_t k = 0; (table = scant_i_kernels_supported(k)); k++)
        if (strcmp(table->name, name) == 0)
            return table;
    return NULL;
}

/* A machine that lacks what the build is limited to has the best of its own, which is less. */
static const scant_i_kernels *best(void)
{
#ifdef SCANT_KERNELS_MOST
    const scant_i_kernels *most = named(SCANT_KERNELS_MOST);
    if (most)
        return most;
#endif
    return scant_i_kernels_supported(0);
}

const scant_i_kernels *_Atomic scant_i_kernels_chosen = NULL;

const scant_i_kernels *scant_i_kernels_choose(void)
{
    const scant_i_kernels *chosen = best();
    atomic_store_explicit(&scant_i_kernels_chosen, chosen, memory_order_relaxed);
    return chosen;
}

scant_status scant_i_kernels_use(const char *name)
{
    const scant_i_kernels *table = name ? named(name) : best();
    if (!table)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "this processor has no kernels `%s`", name);
    atomic_store_explicit(&scant_i_kernels_chosen, table, memory_order_relaxed);
    return SCANT_OK;
}
