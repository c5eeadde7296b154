/* Sparse row times table (math/sparse.c): COLUMNS of a table stay in registers over a whole row, two sums of each, and a table that
 * is wider is worked through in such strips. */
#include "math/kernels/kernel.h"

enum {
    LINE = SCANT_I_EIGHT,
    COLUMNS = SCANT_I_WIDTH * SCANT_I_REGISTERS < 128 ? SCANT_I_WIDTH * SCANT_I_REGISTERS / 4 : 32,
    VECTORS = 32 / SCANT_I_WIDTH,
    AHEAD = 24, /* entries */
    RUNS_AHEAD = 8
};

typedef scant_i_vector vector;
typedef scant_i_sparse_entries entries;

SCANT_I_INLINE void fetch(const double *table, const size_t nvectors, int for_writing)
{
    for (size_t at = 0; at < nvectors * SCANT_I_WIDTH; at += LINE) {
        if (for_writing)
            __builtin_prefetch(table + at, 1, 3);
        else
            __builtin_prefetch(table + at, 0, 3);
    }
}

/* even and odd += sum of value[k] C[index[k]]. nvectors is a constant wherever this is inlined, and
 * `value` is or is not NULL. */
SCANT_I_INLINE void gather_entries(vector *even, vector *odd, const double *C, size_t lanes,
                                   const size_t nvectors, const int32_t *index, const double *value,
                                   size_t n, size_t known)
{
    size_t k = 0;
    for (; k + 2 <= n; k += 2) {
        if (k + AHEAD + 2 <= known) {
            fetch(C + (size_t)index[k + AHEAD] * lanes, nvectors, 0);
            fetch(C + (size_t)index[k + AHEAD + 1] * lanes, nvectors, 0);
        }
        const vector *c = (const vector *)(C + (size_t)index[k] * lanes);
        const vector *e = (const vector *)(C + (size_t)index[k + 1] * lanes);
        double scalar = value ? value[k] : 1, next = value ? value[k + 1] : 1;
        for (size_t v = 0; v < nvectors; v++) {
            even[v] += scalar * c[v];
            odd[v] += next * e[v];
        }
    }
    for (; k < n; k++) {
        const vector *c = (const vector *)(C + (size_t)index[k] * lanes);
        double scalar = value ? value[k] : 1;
        for (size_t v = 0; v < nvectors; v++)
            even[v] += scalar * c[v];
    }
}

SCANT_I_INLINE void gather_strip(double *L, const double *C, size_t lanes, const size_t nvectors,
                                 const entries *ones, const entries *others)
{
    vector even[VECTORS] = {{0}}, odd[VECTORS] = {{0}};
    gather_entries(even, odd, C, lanes, nvectors, ones->index, NULL, ones->n, ones->known);
    if (others->n)
        gather_entries(even, odd, C, lanes, nvectors, others->index, others->value, others->n,
                       others->known);
    for (size_t v = 0; v < nvectors; v++)
        ((vector *)L)[v] = even[v] + odd[v];
}

SCANT_I_INLINE void scatter_strip(double *S, const double *R, size_t lanes, const size_t nvectors,
                                  const int32_t *index, const double *value, size_t n, size_t known)
{
    vector r[VECTORS];
    for (size_t v = 0; v < nvectors; v++)
        r[v] = ((const vector *)R)[v];
    for (size_t k = 0; k < n; k++) {
        if (k + AHEAD < known)
            fetch(S + (size_t)index[k + AHEAD] * lanes, nvectors, 1);
        vector *s = (vector *)(S + (size_t)index[k] * lanes);
        double scalar = value ? value[k] : 1;
        for (size_t v = 0; v < nvectors; v++)
            s[v] += scalar * r[v];
    }
}

/* Two sums of each lane, so that additions need not wait for each other. */
SCANT_I_INLINE void collect_strip(double *S, const double *R, size_t lanes, const size_t nvectors,
                                  const scant_i_sparse_columns *x)
{
    const uint16_t *row = x->row;
    const double *value = x->value;
    for (size_t r = 0; r < x->nruns; r++) {
        if (r + RUNS_AHEAD < x->nruns)
            fetch(S + (size_t)x->run[r + RUNS_AHEAD].column * lanes, nvectors, 1);
        vector even[VECTORS] = {{0}}, odd[VECTORS] = {{0}};
        const uint16_t *others = row + x->run[r].ones, *end = others + x->run[r].others;
        for (; row + 2 <= others; row += 2) {
            const vector *a = (const vector *)(R + row[0] * lanes);
            const vector *b = (const vector *)(R + row[1] * lanes);
            for (size_t v = 0; v < nvectors; v++) {
                even[v] += a[v];
                odd[v] += b[v];
            }
        }
        for (; row < others; row++)
            for (size_t v = 0; v < nvectors; v++)
                even[v] += ((const vector *)(R + *row * lanes))[v];
        for (; row < end; row++, value++)
            for (size_t v = 0; v < nvectors; v++)
                odd[v] += *value * ((const vector *)(R + *row * lanes))[v];
        vector *s = (vector *)(S + (size_t)x->run[r].column * lanes);
        for (size_t v = 0; v < nvectors; v++)
            s[v] += even[v] + odd[v];
    }
}

SCANT_I_INLINE void spread_strip(double *L, const double *C, size_t lanes, const size_t nvectors,
                                 const scant_i_sparse_columns *x, size_t nruns)
{
    const uint16_t *row = x->row;
    const double *value = x->value;
    for (size_t r = 0; r < nruns; r++) {
        if (r + RUNS_AHEAD < nruns)
            fetch(C + (size_t)x->run[r + RUNS_AHEAD].column * lanes, nvectors, 0);
        const uint16_t *others = row + x->run[r].ones, *end = others + x->run[r].others;
        vector c[VECTORS];
        for (size_t v = 0; v < nvectors; v++)
            c[v] = ((const vector *)(C + (size_t)x->run[r].column * lanes))[v];
        for (; row < others; row++)
            for (size_t v = 0; v < nvectors; v++)
                ((vector *)(L + *row * lanes))[v] += c[v];
        for (; row < end; row++, value++)
            for (size_t v = 0; v < nvectors; v++)
                ((vector *)(L + *row * lanes))[v] += *value * c[v];
    }
}

/* `strip` for all columns from `first` to `last`; widths are constants, and a table of 24 columns is one strip. */
#define EACH_STRIP(strip, first, last)                                                             \
    do {                                                                                           \
        size_t at = first;                                                                         \
        if (COLUMNS >= 16 && lanes == 24 &&                                                        \
            last - at == 24) { /* a constant width makes shorter code */                           \
            strip(at, 24, 24);                                                                     \
            at = last;                                                                             \
        }                                                                                          \
        for (; at + COLUMNS <= last; at += COLUMNS)                                                \
            strip(at, lanes, COLUMNS);                                                             \
        for (; COLUMNS > 16 && at + 16 <= last; at += 16)                                          \
            strip(at, lanes, 16);                                                                  \
        for (; at < last; at += 8)                                                                 \
            strip(at, lanes, 8);                                                                   \
    } while (0)

void SCANT_I_KERNEL(sparse_gather)(double *L, const double *C, size_t lanes, const entries *ones,
                                   const entries *others)
{
#define STRIP(at, lanes, columns)                                                                  \
    gather_strip(L + (at), C + (at), lanes, (columns) / SCANT_I_WIDTH, ones, others)
    EACH_STRIP(STRIP, 0, lanes);
#undef STRIP
}

void SCANT_I_KERNEL(sparse_scatter)(double *S, const double *R, size_t lanes, size_t first,
                                    size_t last, const entries *all)
{
#define STRIP(at, lanes, columns)                                                                  \
    scatter_strip(S + (at), R + (at), lanes, (columns) / SCANT_I_WIDTH, all->index, all->value,    \
                  all->n, all->known)
    EACH_STRIP(STRIP, first, last);
#undef STRIP
}

void SCANT_I_KERNEL(sparse_collect)(double *S, const double *R, size_t lanes,
                                    const scant_i_sparse_columns *x)
{
#define STRIP(at, lanes, columns)                                                                  \
    collect_strip(S + (at), R + (at), lanes, (columns) / SCANT_I_WIDTH, x)
    EACH_STRIP(STRIP, 0, lanes);
#undef STRIP
}

void SCANT_I_KERNEL(sparse_spread)(double *L, const double *C, size_t lanes,
                                   const scant_i_sparse_columns *x, size_t nruns)
{
#define STRIP(at, lanes, columns)                                                                  \
    spread_strip(L + (at), C + (at), lanes, (columns) / SCANT_I_WIDTH, x, nruns)
    EACH_STRIP(STRIP, 0, lanes);
#undef STRIP
}
