/* Sparse row times table. Up to WIDE vectors of eight lanes stay in registers over a whole row; a
 * table that is wider is worked through in such strips. The work is bound by fetching the table's
 * rows, which arrive in no order, so the rows of entries AHEAD places on are asked for early. */
#include "math/sparse.h"

#include "math/vector.h"

enum { LANES = 8, WIDE = 4, AHEAD = 24, RUNS_AHEAD = 8 };

SCANT_I_INLINE void fetch(const double *table, size_t nvectors, int for_writing)
{
    for (size_t v = 0; v < nvectors; v++) {
        if (for_writing)
            __builtin_prefetch(table + v * LANES, 1, 3);
        else
            __builtin_prefetch(table + v * LANES, 0, 3);
    }
}

/* even and odd += sum of value[k] C[index[k]]. nvectors is a constant wherever this is inlined, and
 * `value` is or is not NULL. */
SCANT_I_INLINE void gather_entries(scant_i_vector8 *even, scant_i_vector8 *odd, const double *C,
                                   size_t lanes, size_t nvectors, const int32_t *index,
                                   const double *value, size_t n, size_t known)
{
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
}

/* Entries of a row, of one kind. */
typedef struct entries {
    const int32_t *index;
    const double *value; /* others only */
    size_t n, known;
} entries;

SCANT_I_INLINE void gather_strip(double *L, const double *C, size_t lanes, size_t nvectors,
                                 const entries *ones, const entries *others)
{
    scant_i_vector8 even[WIDE] = {{0}}, odd[WIDE] = {{0}};
    gather_entries(even, odd, C, lanes, nvectors, ones->index, NULL, ones->n, ones->known);
    if (others->n)
        gather_entries(even, odd, C, lanes, nvectors, others->index, others->value, others->n,
                       others->known);
    for (size_t v = 0; v < nvectors; v++)
        ((scant_i_vector8 *)L)[v] = even[v] + odd[v];
}

SCANT_I_INLINE void scatter_strip(double *S, const double *R, size_t lanes, size_t nvectors,
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
static void gather(double *L, const double *C, size_t lanes, const entries *ones,
                   const entries *others)
{
    size_t first = 0;
    if (lanes == 3 * LANES) { /* constant widths make shorter code */
        gather_strip(L, C, 3 * LANES, 3, ones, others);
        return;
    }
    for (; first + WIDE * LANES <= lanes; first += WIDE * LANES)
        gather_strip(L + first, C + first, lanes, WIDE, ones, others);
    for (; first + 2 * LANES <= lanes; first += 2 * LANES)
        gather_strip(L + first, C + first, lanes, 2, ones, others);
    for (; first < lanes; first += LANES)
        gather_strip(L + first, C + first, lanes, 1, ones, others);
}

void scant_i_sparse_gather(double *L, const double *C, size_t lanes, const int32_t *index,
                           const double *value, size_t n, size_t known)
{
    entries all = {index, value, n, known}, none = {index, value, 0, 0};
    gather(L, C, lanes, value ? &none : &all, value ? &all : &none);
}

void scant_i_sparse_gather_row(double *L, const double *C, size_t lanes,
                               const scant_i_sparse_rows *x, size_t i, size_t nrows)
{
    const uint32_t *a = x->one_start, *b = x->other_start;
    entries ones = {x->one + a[i], NULL, a[i + 1] - a[i], a[nrows] - a[i]};
    entries others = {x->other + b[i], x->value + b[i], b[i + 1] - b[i], b[nrows] - b[i]};
    gather(L, C, lanes, &ones, &others);
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

/* Two sums of each lane, so that additions need not wait for each other. */
SCANT_I_INLINE void collect_strip(double *S, const double *R, size_t lanes, size_t nvectors,
                                  const scant_i_sparse_columns *x)
{
    const uint16_t *row = x->row;
    const double *value = x->value;
    for (size_t r = 0; r < x->nruns; r++) {
        if (r + RUNS_AHEAD < x->nruns)
            fetch(S + (size_t)x->run[r + RUNS_AHEAD].column * lanes, nvectors, 1);
        scant_i_vector8 even[WIDE] = {{0}}, odd[WIDE] = {{0}};
        const uint16_t *others = row + x->run[r].ones, *end = others + x->run[r].others;
        for (; row + 2 <= others; row += 2) {
            const scant_i_vector8 *a = (const scant_i_vector8 *)(R + row[0] * lanes);
            const scant_i_vector8 *b = (const scant_i_vector8 *)(R + row[1] * lanes);
            for (size_t v = 0; v < nvectors; v++) {
                even[v] += a[v];
                odd[v] += b[v];
            }
        }
        for (; row < others; row++)
            for (size_t v = 0; v < nvectors; v++)
                even[v] += ((const scant_i_vector8 *)(R + *row * lanes))[v];
        for (; row < end; row++, value++)
            for (size_t v = 0; v < nvectors; v++)
                odd[v] += *value * ((const scant_i_vector8 *)(R + *row * lanes))[v];
        scant_i_vector8 *s = (scant_i_vector8 *)(S + (size_t)x->run[r].column * lanes);
        for (size_t v = 0; v < nvectors; v++)
            s[v] += even[v] + odd[v];
    }
}

SCANT_I_CLONES
void scant_i_sparse_collect(double *S, const double *R, size_t lanes,
                            const scant_i_sparse_columns *x)
{
    size_t first = 0;
    if (lanes == 3 * LANES) {
        collect_strip(S, R, 3 * LANES, 3, x);
        return;
    }
    for (; first + WIDE * LANES <= lanes; first += WIDE * LANES)
        collect_strip(S + first, R + first, lanes, WIDE, x);
    for (; first + 2 * LANES <= lanes; first += 2 * LANES)
        collect_strip(S + first, R + first, lanes, 2, x);
    for (; first < lanes; first += LANES)
        collect_strip(S + first, R + first, lanes, 1, x);
}

SCANT_I_INLINE void spread_strip(double *L, const double *C, size_t lanes, size_t nvectors,
                                 const scant_i_sparse_columns *x, size_t nruns)
{
    const uint16_t *row = x->row;
    const double *value = x->value;
    for (size_t r = 0; r < nruns; r++) {
        if (r + RUNS_AHEAD < nruns)
            fetch(C + (size_t)x->run[r + RUNS_AHEAD].column * lanes, nvectors, 0);
        const uint16_t *others = row + x->run[r].ones, *end = others + x->run[r].others;
        scant_i_vector8 c[WIDE];
        for (size_t v = 0; v < nvectors; v++)
            c[v] = ((const scant_i_vector8 *)(C + (size_t)x->run[r].column * lanes))[v];
        for (; row < others; row++)
            for (size_t v = 0; v < nvectors; v++)
                ((scant_i_vector8 *)(L + *row * lanes))[v] += c[v];
        for (; row < end; row++, value++)
            for (size_t v = 0; v < nvectors; v++)
                ((scant_i_vector8 *)(L + *row * lanes))[v] += *value * c[v];
    }
}

SCANT_I_CLONES
void scant_i_sparse_spread(double *L, const double *C, size_t lanes,
                           const scant_i_sparse_columns *x, size_t nruns)
{
    size_t first = 0;
    if (lanes == 3 * LANES) {
        spread_strip(L, C, 3 * LANES, 3, x, nruns);
        return;
    }
    for (; first + WIDE * LANES <= lanes; first += WIDE * LANES)
        spread_strip(L + first, C + first, lanes, WIDE, x, nruns);
    for (; first + 2 * LANES <= lanes; first += 2 * LANES)
        spread_strip(L + first, C + first, lanes, 2, x, nruns);
    for (; first < lanes; first += LANES)
        spread_strip(L + first, C + first, lanes, 1, x, nruns);
}
