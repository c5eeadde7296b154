/* Sparse row times table. Up to WIDE vectors of eight lanes stay in registers over a whole row; a
 * table that is wider is worked through in such strips. The work is bound by fetching the table's
 * rows, which arrive in no order, so the rows of entries AHEAD places on are asked for early. */
#include "math/sparse.h"

#include "math/vector.h"

enum { LANES = 8, WIDE = 4, AHEAD = 24 };

#define INLINE static inline __attribute__((always_inline))

INLINE void fetch(const double *table, size_t nvectors, int for_writing)
{
    for (size_t v = 0; v < nvectors; v++) {
        if (for_writing)
            __builtin_prefetch(table + v * LANES, 1, 3);
        else
            __builtin_prefetch(table + v * LANES, 0, 3);
    }
}

/* nvectors is a constant wherever this is inlined. */
INLINE void gather_strip(double *L, const double *C, size_t lanes, size_t nvectors,
                         const int32_t *index, const double *value, size_t n, size_t known)
{
    scant_i_vector8 even[WIDE] = {{0}}, odd[WIDE] = {{0}};
    size_t k = 0;
    for (; k + 2 <= n; k += 2) {
        if (k + AHEAD + 2 <= known) {
            fetch(C + (size_t)index[k + AHEAD] * lanes, nvectors, 0);
            fetch(C + (size_t)index[k + AHEAD + 1] * lanes, nvectors, 0);
        }
        const scant_i_vector8 *c = (const scant_i_vector8 *)(C + (size_t)index[k] * lanes);
        const scant_i_vector8 *e = (const scant_i_vector8 *)(C + (size_t)index[k + 1] * lanes);
        double scalar = value ? value[k] : 1, next = value ? value[k + 1] : 1;
        for (size_t v = 0; v < nvectors; v++) {
            even[v] += scalar * c[v];
            odd[v] += next * e[v];
        }
    }
    for (; k < n; k++) {
        const scant_i_vector8 *c = (const scant_i_vector8 *)(C + (size_t)index[k] * lanes);
        double scalar = value ? value[k] : 1;
        for (size_t v = 0; v < nvectors; v++)
            even[v] += scalar * c[v];
    }
    for (size_t v = 0; v < nvectors; v++)
        ((scant_i_vector8 *)L)[v] = even[v] + odd[v];
}

INLINE void scatter_strip(double *S, const double *R, size_t lanes, size_t nvectors,
                          const int32_t *index, const double *value, size_t n, size_t known)
{
    scant_i_vector8 r[WIDE];
    for (size_t v = 0; v < nvectors; v++)
        r[v] = ((const scant_i_vector8 *)R)[v];
    for (size_t k = 0; k < n; k++) {
        if (k + AHEAD < known)
            fetch(S + (size_t)index[k + AHEAD] * lanes, nvectors, 1);
        scant_i_vector8 *s = (scant_i_vector8 *)(S + (size_t)index[k] * lanes);
        double scalar = value ? value[k] : 1;
        for (size_t v = 0; v < nvectors; v++)
            s[v] += scalar * r[v];
    }
}

SCANT_I_CLONES
void scant_i_sparse_gather(double *L, const double *C, size_t lanes, const int32_t *index,
                           const double *value, size_t n, size_t known)
{
    size_t first = 0;
    if (lanes == 3 * LANES) { /* constant widths make shorter code */
        gather_strip(L, C, 3 * LANES, 3, index, value, n, known);
        return;
    }
    for (; first + WIDE * LANES <= lanes; first += WIDE * LANES)
        gather_strip(L + first, C + first, lanes, WIDE, index, value, n, known);
    for (; first + 2 * LANES <= lanes; first += 2 * LANES)
        gather_strip(L + first, C + first, lanes, 2, index, value, n, known);
    for (; first < lanes; first += LANES)
        gather_strip(L + first, C + first, lanes, 1, index, value, n, known);
}

static bool is_zero(const double *R)
{
    for (size_t j = 0; j < LANES; j++)
        if (R[j] != 0)
            return false;
    return true;
}

/* Rows whose class is known have zeros for the components of all others, so zeros at either end are
 * passed over. */
SCANT_I_CLONES
void scant_i_sparse_scatter(double *S, const double *R, size_t lanes, const int32_t *index,
                            const double *value, size_t n, size_t known)
{
    size_t first = 0, last = lanes;
    while (first < last && is_zero(R + first))
        first += LANES;
    while (first < last && is_zero(R + last - LANES))
        last -= LANES;
    if (lanes == 3 * LANES && last - first == lanes) {
        scatter_strip(S, R, 3 * LANES, 3, index, value, n, known);
        return;
    }
    for (; first + WIDE * LANES <= last; first += WIDE * LANES)
        scatter_strip(S + first, R + first, lanes, WIDE, index, value, n, known);
    for (; first + 2 * LANES <= last; first += 2 * LANES)
        scatter_strip(S + first, R + first, lanes, 2, index, value, n, known);
    for (; first < last; first += LANES)
        scatter_strip(S + first, R + first, lanes, 1, index, value, n, known);
}
