/* The kernels: the innermost loops, each written once (math/kernels) and compiled for every target, an instruction set that
 * CMakeLists.txt lists. A target's kernels are one table; the best one that the processor can run is chosen when the first
 * is asked for. One table gives the same bits on every machine that runs it; two differ in the last digits of sums. */
#ifndef SCANT_I_KERNELS_H
#define SCANT_I_KERNELS_H

#include <stdatomic.h>

#include "math/shares.h"
#include "math/sparse.h"
#include "math/sweep.h"

/* out[r][j] += sum_t a(r, t) b[t][j], r < nr, a(r, t) = a[r sr + t st] (math/product.c) */
typedef struct scant_i_operands {
    double *out;       /* row stride lanes */
    const double *row; /* lanes: what all rows of `out` begin as; NULL: they are what they are */
    const double *a;
    size_t sr, st;
    const double *b; /* row stride lanes */
    size_t nt;
    size_t lanes;
    /* What is read after this product; NULL: that is in the cache. It has as many rows as `out`, of `width` numbers;
     * width 0: it is the next `a`. */
    const double *next;
    size_t width;
} scant_i_operands;

/* scant_i_triples and scant_i_triples_single of math/linear.h */
#define SCANT_I_TRIPLES(name, number)                                                              \
    typedef struct name {                                                                          \
        double *S;                                                                                 \
        size_t lds;                                                                                \
        const number *x;                                                                           \
        const uint32_t *of;                                                                        \
        size_t np;                                                                                 \
        const number *y;                                                                           \
        size_t ny;                                                                                 \
        size_t ld, n; /* of x, y and room */                                                       \
        number *room; /* SCANT_I_TRIPLES_ROOM x ld */                                              \
    } name
SCANT_I_TRIPLES(scant_i_triples_operands, double);
SCANT_I_TRIPLES(scant_i_triples_operands_single, float);

/* Entries of a sparse row, of one kind. */
typedef struct scant_i_sparse_entries {
    const int32_t *index;
    const double *value; /* others only */
    size_t n, known;
} scant_i_sparse_entries;

/* Result, name and arguments of each kernel. Those of the sparse products are explained in math/sparse.h (scatter is for the
 * lanes from `first` to `last`), others that have no comment in math/linear.h.
 *
 *   log            of n numbers, n a multiple of 8, at most 4 ulp off
 *   add_multiple   to += factor from
 *   add_and_clear  to += from, and from becomes 0
 *   subtract_pair  a -= v u' + u v', n x n, row stride `stride`
 *   add_outer      a (n x m) += x y'
 *   add_combination  y += a' x, of the rows of a (n x m)
 *   standardize    z = (x - centre) inverse
 *   squared_distance  of x and y; the machine's vectors decide in which order
 *   rotate         (x, y) becomes (c x + s y, c y - s x)
 *   sweep          math/sweep.h; pivot has `stride` numbers, room 8 d
 *   complete_sums  adds to S the sums of completed rows from T, those of the features of the rows with 0 where cells are missing
 *   complete_rows  the same from rows x, column after column, and their weights R, nrows x stride
 *   all_whole      *total = sum of x; are all of x whole and below `end`?
 *   any_missing    is any of x NaN?
 *   any_infinite   (The list is laid out by hand.) */
/* clang-format off */
#define SCANT_I_KERNELS(kernel)                                                                    \
    kernel(void, product, (const scant_i_operands *o, size_t nr))                                  \
    kernel(void, triples, (const scant_i_triples_operands *o))                                     \
    kernel(void, triples_single,                                                                   \
           (const scant_i_triples_operands_single *o))                                             \
    kernel(void, sparse_gather,                                                                    \
           (double *L, const double *C, size_t lanes, const scant_i_sparse_entries *ones,          \
           const scant_i_sparse_entries *others))                                                  \
    kernel(void, sparse_scatter,                                                                   \
           (double *S, const double *R, size_t lanes, size_t first, size_t last,                   \
           const scant_i_sparse_entries *all))                                                     \
    kernel(void, sparse_collect,                                                                   \
           (double *S, const double *R, size_t lanes, const scant_i_sparse_columns *x))            \
    kernel(void, sparse_spread,                                                                    \
           (double *L, const double *C, size_t lanes, const scant_i_sparse_columns *x, size_t nruns)) \
    kernel(void, share, (const scant_i_shares *shares))                                            \
    kernel(void, transpose_eight,                                                                  \
           (double *to, size_t ld, const double *from, size_t stride, size_t nrows,                \
           const double *centre, const double *factor))                                            \
    kernel(void, log, (double *y, const double *x, size_t n))                                      \
    kernel(double, dot, (const double *x, const double *y, size_t n))                              \
    kernel(double, dot_fixed,                                                                      \
           (const double *x, const double *y, size_t n))                                           \
    kernel(void, add_multiple,                                                                     \
           (double *to, double factor, const double *from, size_t n))                              \
    kernel(void, add_and_clear, (double *to, double *from, size_t n))                              \
    kernel(void, subtract_pair,                                                                    \
           (double *a, size_t stride, size_t n, const double *v, const double *u))                 \
    kernel(void, add_outer,                                                                        \
           (double *a, const double *x, size_t n, const double *y, size_t m))                      \
    kernel(void, add_combination,                                                                  \
           (double *y, const double *a, const double *x, size_t n, size_t m))                      \
    kernel(void, standardize,                                                                      \
           (double *z, const double *x, const double *centre, const double *inverse, size_t n))    \
    kernel(double, squared_distance,                                                               \
           (const double *x, const double *y, size_t n))                                           \
    kernel(void, rotate,                                                                           \
           (double *x, double *y, size_t n, double c, double s))                                   \
    kernel(void, sweep,                                                                            \
           (double *table, size_t stride, size_t d, size_t column, double *pivot, double *room))   \
    kernel(void, complete_sums, (const scant_i_completion *c, const double *T))                    \
    kernel(void, complete_rows,                                                                    \
           (const scant_i_completion *c, const double *x, size_t ld, const double *R,              \
           size_t nrows))                                                                          \
    kernel(bool, all_whole,                                                                        \
           (double *total, const double *x, size_t n, double end))                                 \
    kernel(bool, any_missing, (const double *x, size_t n))                                         \
    kernel(bool, any_infinite, (const double *x, size_t n))
/* clang-format on */

/* The targets of this kind of processor, the best first, as in cmake/Kernels.cmake: use(target, with) of each. */
#if defined(__x86_64__)
#define SCANT_I_EACH_TARGET(use, with) use(avx512, with) use(avx2, with) use(sse2, with)
#elif defined(__aarch64__)
#define SCANT_I_EACH_TARGET(use, with) use(neon, with)
#else
#define SCANT_I_EACH_TARGET(use, with) use(plain, with)
#endif
#define SCANT_I_PLACE(target, with) SCANT_I_PLACE_##target,
enum { SCANT_I_EACH_TARGET(SCANT_I_PLACE, ) SCANT_I_PLACES };

#define SCANT_I_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct scant_i_kernels {
    const char *name; /* of the target: "avx512", "avx2", "sse2", "neon", "plain" */
    size_t place;     /* among the targets */
    size_t width;     /* doubles of a vector */
    SCANT_I_KERNELS(SCANT_I_MEMBER)
} scant_i_kernels;

/* The tables that this processor can run, the best first; NULL past the last. */
const scant_i_kernels *scant_i_kernels_supported(size_t k);
/* From now on the table of that name, whatever would be chosen: for tests and benchmarks, while nothing else runs.
 * SCANT_ERR_ARGUMENT where the processor cannot run it; NULL: the choice is made again. */
scant_status scant_i_kernels_use(const char *name);

/* The table in use. Tables are constant, and every thread would choose the same one: there is nothing to wait for. */
extern const scant_i_kernels *_Atomic scant_i_kernels_chosen;
const scant_i_kernels *scant_i_kernels_choose(void);
static inline const scant_i_kernels *scant_i_kernels_now(void)
{
    const scant_i_kernels *chosen =
        atomic_load_explicit(&scant_i_kernels_chosen, memory_order_relaxed);
    return chosen ? chosen : scant_i_kernels_choose();
}

/* The kernels of another layer are in its folder `kernels`, in a list like that above, and make tables of their own:
 * SCANT_I_LAYER_KERNELS(layer, list) declares them and scant_i_<layer>_kernels_now(), that of the target in use. */
#define SCANT_I_LAYER_TABLE(target, layer) scant_i_##target##_##layer##_kernels
#define SCANT_I_LAYER_EXTERN(target, layer)                                                        \
    extern const scant_i_##layer##_kernels SCANT_I_LAYER_TABLE(target, layer);
#define SCANT_I_LAYER_ADDRESS(target, layer) &SCANT_I_LAYER_TABLE(target, layer),
#define SCANT_I_LAYER_KERNELS(layer, list)                                                         \
    typedef struct scant_i_##layer##_kernels {                                                     \
        list(SCANT_I_MEMBER)                                                                       \
    } scant_i_##layer##_kernels;                                                                   \
    SCANT_I_EACH_TARGET(SCANT_I_LAYER_EXTERN, layer)                                               \
    static inline const scant_i_##layer##_kernels *scant_i_##layer##_kernels_now(void)             \
    {                                                                                              \
        static const scant_i_##layer##_kernels *const tables[] = {                                 \
            SCANT_I_EACH_TARGET(SCANT_I_LAYER_ADDRESS, layer)};                                    \
        return tables[scant_i_kernels_now()->place];                                               \
    }

#endif
