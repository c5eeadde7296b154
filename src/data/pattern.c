/* Rows grouped by which of their cells are missing. A pattern is known by its first row: others are
 * compared with that row's cells, so nothing is stored per row but the pattern's number. */
#include "data/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/names.h"

typedef struct table {
    size_t *slot; /* pattern + 1, 0 where free */
    size_t nslots;
    size_t *first; /* patterns' first rows */
    uint64_t *hash;
    size_t count, room;
} table;

/* 0 where the row is complete; else a hash of its missing columns. */
static uint64_t row_hash(const scant_rows *rows, size_t row)
{
    uint64_t hash = 0;
    if (rows->dense) {
        const double *x = rows->dense + row * rows->ncolumns;
        bool some = false;
        for (size_t j = 0; j < rows->ncolumns; j++)
            some |= x[j] != x[j];
        for (size_t j = 0; some && j < rows->ncolumns; j++)
            if (isnan(x[j]))
                hash = (hash ^ (j + 1)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 31;
        return some ? hash | 1 : 0;
    }
    const scant_i_csr *sparse = &rows->sparse;
    bool some = false;
    for (size_t k = sparse->start[row]; k < sparse->start[row + 1]; k++) {
        if (isnan(sparse->value[k])) {
            some = true;
            hash = (hash ^ ((size_t)sparse->column[k] + 1)) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 31;
        }
    }
    return some ? hash | 1 : 0;
}

/* The next entry of a sparse row that is missing, from entry k on. */
static size_t next_missing(const scant_i_csr *sparse, size_t k, size_t end)
{
    while (k < end && !isnan(sparse->value[k]))
        k++;
    return k;
}

static bool same_pattern(const scant_rows *rows, size_t a, size_t b)
{
    if (rows->dense) {
        const double *x = rows->dense + a * rows->ncolumns, *y = rows->dense + b * rows->ncolumns;
        bool same = true;
        for (size_t j = 0; j < rows->ncolumns; j++)
            same &= (x[j] != x[j]) == (y[j] != y[j]);
        return same;
    }
    const scant_i_csr *sparse = &rows->sparse;
    size_t j = sparse->start[a], k = sparse->start[b];
    for (;;) {
        j = next_missing(sparse, j, sparse->start[a + 1]);
        k = next_missing(sparse, k, sparse->start[b + 1]);
        bool ended = j == sparse->start[a + 1];
        if (ended || k == sparse->start[b + 1])
            return ended && k == sparse->start[b + 1];
        if (sparse->column[j++] != sparse->column[k++])
            return false;
    }
}

static scant_status grow(table *t)
{
    scant_status status = SCANT_OK;
    size_t room = t->room ? 2 * t->room : 16;
    size_t *slot = NULL;
    SCANT_I_TRY(scant_i_resize(&t->first, room, sizeof *t->first));
    SCANT_I_TRY(scant_i_resize(&t->hash, room, sizeof *t->hash));
    SCANT_I_TRY(SCANT_I_NEW(&slot, 2 * room));
    scant_i_free(t->slot);
    t->slot = slot;
    t->nslots = 2 * room;
    t->room = room;
    for (size_t p = 0; p < t->count; p++) {
        size_t at = (size_t)t->hash[p] & (t->nslots - 1);
        while (slot[at])
            at = (at + 1) & (t->nslots - 1);
        slot[at] = p + 1;
    }
done:
    return status;
}

static scant_status pattern_of(size_t *out, table *t, const scant_rows *rows, size_t row)
{
    if (t->count == t->room) {
        scant_status status = grow(t);
        if (status != SCANT_OK)
            return status;
    }
    uint64_t hash = row_hash(rows, row);
    size_t at = (size_t)hash & (t->nslots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
        size_t p = t->slot[at] - 1;
        if (t->hash[p] == hash && same_pattern(rows, t->first[p], row)) {
            *out = p;
            return SCANT_OK;
        }
    }
    t->first[t->count] = row;
    t->hash[t->count] = hash;
    t->slot[at] = t->count + 1;
    *out = t->count++;
    return SCANT_OK;
}

static scant_status one_pattern(scant_i_patterns *out, const scant_rows *rows)
{
    scant_status status = SCANT_OK;
    SCANT_I_TRY(SCANT_I_NEW(&out->present, rows->ncolumns));
    SCANT_I_TRY(SCANT_I_NEW(&out->start, 2));
    memset(out->present, 1, rows->ncolumns);
    out->start[1] = rows->nrows;
    out->npatterns = 1;
done:
    return status;
}

static void fill_present(uint8_t *present, const scant_rows *rows, size_t row)
{
    if (rows->dense) {
        for (size_t j = 0; j < rows->ncolumns; j++)
            present[j] = (uint8_t)!isnan(rows->dense[row * rows->ncolumns + j]);
        return;
    }
    memset(present, 1, rows->ncolumns);
    for (size_t k = rows->sparse.start[row]; k < rows->sparse.start[row + 1]; k++)
        if (isnan(rows->sparse.value[k]))
            present[rows->sparse.column[k]] = 0;
}

/* --- numbers that do not depend on which rows came first --- */

typedef struct ranked {
    const uint8_t *present;
    size_t ncolumns, pattern;
} ranked;

static int compare_patterns(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return memcmp(y->present, x->present, x->ncolumns); /* the complete one first */
}

/* Renumbers the patterns by what is present in them. */
static scant_status rank_patterns(scant_i_patterns *out, const scant_rows *rows, table *t,
                                  size_t *pattern)
{
    scant_status status = SCANT_OK;
    size_t P = t->count, d = rows->ncolumns;
    ranked *order = NULL;
    uint8_t *present = NULL;
    size_t *rank = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&order, P));
    SCANT_I_TRY(SCANT_I_NEW(&rank, P));
    SCANT_I_TRY(SCANT_I_NEW(&present, P * d));
    for (size_t p = 0; p < P; p++) {
        fill_present(present + p * d, rows, t->first[p]);
        order[p] = (ranked){present + p * d, d, p};
    }
    qsort(order, P, sizeof *order, compare_patterns);
    for (size_t r = 0; r < P; r++) {
        rank[order[r].pattern] = r;
        memcpy(out->present + r * d, order[r].present, d);
    }
    for (size_t i = 0; i < rows->nrows; i++)
        pattern[i] = rank[pattern[i]];
done:
    scant_i_free(order);
    scant_i_free(rank);
    scant_i_free(present);
    return status;
}

scant_status scant_i_patterns_new(scant_i_patterns *out, const scant_rows *rows, bool missing)
{
    scant_status status = SCANT_OK;
    table t = {0};
    size_t *pattern = NULL, *next = NULL, size = 0;
    *out = (scant_i_patterns){0};
    if (!missing) {
        status = one_pattern(out, rows);
        goto done;
    }
    SCANT_I_TRY(SCANT_I_NEW(&pattern, rows->nrows));
    for (size_t i = 0; i < rows->nrows; i++)
        SCANT_I_TRY(pattern_of(&pattern[i], &t, rows, i));
    if (__builtin_mul_overflow(t.count, rows->ncolumns, &size)) {
        status = scant_i_fail(SCANT_ERR_MEMORY, "out of memory: %zu patterns", t.count);
        goto done;
    }
    SCANT_I_TRY(SCANT_I_NEW(&out->present, size));
    SCANT_I_TRY(SCANT_I_NEW(&out->start, t.count + 1));
    SCANT_I_TRY(SCANT_I_NEW(&out->order, rows->nrows));
    SCANT_I_TRY(SCANT_I_NEW(&next, t.count));
    out->npatterns = t.count;
    SCANT_I_TRY(rank_patterns(out, rows, &t, pattern));
    for (size_t i = 0; i < rows->nrows; i++)
        out->start[pattern[i] + 1]++;
    for (size_t p = 0; p < t.count; p++) {
        next[p] = out->start[p];
        out->start[p + 1] += out->start[p];
    }
    for (size_t i = 0; i < rows->nrows; i++)
        out->order[next[pattern[i]]++] = i;
done:
    if (status != SCANT_OK)
        scant_i_patterns_free(out);
    scant_i_free(t.slot);
    scant_i_free(t.first);
    scant_i_free(t.hash);
    scant_i_free(pattern);
    scant_i_free(next);
    return status;
}

void scant_i_patterns_free(scant_i_patterns *patterns)
{
    scant_i_free(patterns->present);
    scant_i_free(patterns->start);
    scant_i_free(patterns->order);
    *patterns = (scant_i_patterns){0};
}
