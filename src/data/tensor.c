#include "data/tensor.h"

#include <stdio.h>
#include <string.h>

enum { DIGIT = 16, DIGITS = 1 << DIGIT };

void scant_i_tensor_free(scant_i_tensor *tensor)
{
    if (!tensor)
        return;
    scant_i_free(tensor->size);
    scant_i_free(tensor->index);
    scant_i_free(tensor->value);
    scant_i_free(tensor);
}

/* --- order --- */

static int compare(const scant_i_tensor *t, size_t a, size_t b)
{
    const uint32_t *left = t->index + a * t->order, *right = t->index + b * t->order;
    for (size_t m = 0; m < t->order; m++)
        if (left[m] != right[m])
            return left[m] < right[m] ? -1 : 1;
    return 0;
}

/* A stable sort by 16 bits of one mode's index. */
static void sort_by_digit(uint32_t *to, const uint32_t *from, const scant_i_tensor *t, size_t m,
                          size_t shift, size_t *start)
{
    size_t n = t->nentries, order = t->order;
    memset(start, 0, (DIGITS + 1) * sizeof *start);
    for (size_t k = 0; k < n; k++)
        start[(t->index[k * order + m] >> shift) % DIGITS + 1]++;
    for (size_t d = 0; d < DIGITS; d++)
        start[d + 1] += start[d];
    for (size_t k = 0; k < n; k++)
        to[start[(t->index[from[k] * order + m] >> shift) % DIGITS]++] = from[k];
}

/* Entry k becomes what entry from[k] was, along the cycles of `from`, which is used up: the tensor
 * is large, and a second one next to it would be the most that reading takes. */
static void permute(scant_i_tensor *t, uint32_t *from, uint32_t *spare)
{
    size_t order = t->order, bytes = order * sizeof *t->index;
    for (size_t k = 0; k < t->nentries; k++) {
        if (from[k] == k)
            continue;
        double value = t->value[k];
        memcpy(spare, t->index + k * order, bytes);
        size_t to = k;
        while (from[to] != k) {
            size_t source = from[to];
            t->value[to] = t->value[source];
            memcpy(t->index + to * order, t->index + source * order, bytes);
            from[to] = (uint32_t)to;
            to = source;
        }
        t->value[to] = value;
        memcpy(t->index + to * order, spare, bytes);
        from[to] = (uint32_t)to;
    }
}

static scant_status put_in_order(scant_i_tensor *t)
{
    scant_status status = SCANT_OK;
    uint32_t *entry = NULL, *spare = NULL;
    size_t *start = NULL;
    if (t->nentries > UINT32_MAX)
        return scant_i_fail(SCANT_ERR_INPUT, "%zu entries are more than 2^32 - 1", t->nentries);
    SCANT_I_TRY(SCANT_I_NEW(&entry, t->nentries));
    SCANT_I_TRY(SCANT_I_NEW(&spare, scant_i_max(t->nentries, t->order)));
    SCANT_I_TRY(SCANT_I_NEW(&start, DIGITS + 1));
    for (size_t k = 0; k < t->nentries; k++)
        entry[k] = (uint32_t)k;
    for (size_t m = t->order; m-- > 0;)
        for (size_t shift = 0; shift < 2 * DIGIT && (t->size[m] - 1) >> shift; shift += DIGIT) {
            sort_by_digit(spare, entry, t, m, shift, start);
            uint32_t *sorted = spare;
            spare = entry;
            entry = sorted;
        }
    permute(t, entry, spare);
done:
    scant_i_free(entry);
    scant_i_free(spare);
    scant_i_free(start);
    return status;
}

static size_t join_twins(scant_i_tensor *t)
{
    size_t kept = 0, n = t->nentries;
    for (size_t k = 0; k < n; k++) {
        if (k && compare(t, kept - 1, k) == 0) {
            t->value[kept - 1] += t->value[k];
            continue;
        }
        memmove(t->index + kept * t->order, t->index + k * t->order, t->order * sizeof *t->index);
        t->value[kept++] = t->value[k];
    }
    t->nentries = kept;
    return n - kept;
}

scant_status scant_i_tensor_sort(scant_i_tensor *t, size_t *joined)
{
    *joined = 0;
    for (size_t k = 1; k < t->nentries; k++) {
        if (compare(t, k - 1, k) < 0)
            continue;
        scant_status status = put_in_order(t);
        if (status == SCANT_OK)
            *joined = join_twins(t);
        return status;
    }
    return SCANT_OK;
}

const char *scant_i_tensor_place(char text[SCANT_I_TENSOR_PLACE], const scant_i_tensor *t,
                                 size_t entry)
{
    size_t used = 0, cells = 1;
    for (size_t m = 1; m < t->order && !t->index; m++)
        cells *= t->size[m];
    for (size_t m = 0; m < t->order; m++) {
        size_t index = t->index ? t->index[entry * t->order + m] : entry / cells % t->size[m];
        if (m + 1 < t->order && !t->index)
            cells /= t->size[m + 1];
        used += (size_t)snprintf(text + used, SCANT_I_TENSOR_PLACE - used, "%s%zu", m ? " " : "",
                                 index + 1);
    }
    return text;
}

/* --- the public calls --- */

static scant_status make(scant_i_tensor **out, size_t order, const size_t *size, size_t n)
{
    scant_status status = SCANT_OK;
    scant_i_tensor *t = NULL;
    *out = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&t, 1));
    t->order = order;
    t->nentries = n;
    SCANT_I_TRY(SCANT_I_NEW(&t->size, order));
    memcpy(t->size, size, order * sizeof *size);
    SCANT_I_TRY(SCANT_I_NEW(&t->value, n));
    *out = t;
    t = NULL;
done:
    scant_i_tensor_free(t);
    return status;
}

static scant_status count_cells(size_t *cells, size_t order, const size_t *size)
{
    *cells = 1;
    if (order == 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "a single number is no tensor");
    for (size_t m = 0; m < order; m++)
        if (size[m] == 0 || __builtin_mul_overflow(*cells, size[m], cells))
            return scant_i_fail(SCANT_ERR_ARGUMENT, "mode %zu cannot have the size %zu", m + 1,
                                size[m]);
    return SCANT_OK;
}

scant_status scant_tensor_new(scant_tensor **out, size_t order, const size_t *size,
                              const double *value)
{
    size_t cells = 0;
    *out = NULL;
    scant_status status = count_cells(&cells, order, size);
    if (status == SCANT_OK)
        status = make(out, order, size, cells);
    if (status == SCANT_OK)
        memcpy((*out)->value, value, cells * sizeof *value);
    return status;
}

scant_status scant_tensor_new_sparse(scant_tensor **out, size_t order, const size_t *size,
                                     size_t nentries, const uint32_t *index, const double *value)
{
    scant_status status = SCANT_OK;
    scant_i_tensor *t = NULL;
    size_t joined = 0;
    char place[SCANT_I_TENSOR_PLACE];
    *out = NULL;
    SCANT_I_TRY(make(&t, order, size, nentries));
    SCANT_I_TRY(SCANT_I_NEW(&t->index, nentries * order));
    memcpy(t->index, index, nentries * order * sizeof *index);
    memcpy(t->value, value, nentries * sizeof *value);
    for (size_t k = 0; k < nentries * order; k++)
        if (index[k] >= size[k % order]) {
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "the entry at %s is beyond the sizes",
                                  scant_i_tensor_place(place, t, k / order));
            goto done;
        }
    SCANT_I_TRY(scant_i_tensor_sort(t, &joined));
    *out = t;
    t = NULL;
done:
    scant_i_tensor_free(t);
    return status;
}

void scant_tensor_free(scant_tensor *tensor)
{
    scant_i_tensor_free(tensor);
}

size_t scant_tensor_order(const scant_tensor *tensor)
{
    return tensor->order;
}

size_t scant_tensor_size(const scant_tensor *tensor, size_t mode)
{
    return tensor->size[mode];
}

size_t scant_tensor_entries(const scant_tensor *tensor)
{
    return tensor->nentries;
}

bool scant_tensor_is_sparse(const scant_tensor *tensor)
{
    return tensor->index != NULL;
}

size_t scant_tensor_clip(scant_tensor *tensor)
{
    size_t negative = 0;
    for (size_t k = 0; k < tensor->nentries; k++)
        if (tensor->value[k] < 0) {
            tensor->value[k] = 0;
            negative++;
        }
    return negative;
}
