#include "data/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"

uint64_t scant_i_hash(const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0x9e3779b97f4a7c15u ^ n;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; n > 0; n--, at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    hash ^= hash >> 29;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 32);
}

const char *scant_i_names_text(const scant_i_names *names, size_t code)
{
    return names->text + names->offset[code];
}

static size_t text_length(const scant_i_names *names, size_t code)
{
    size_t end = code + 1 < names->count ? names->offset[code + 1] : names->used;
    return end - names->offset[code] - 1;
}

static bool is_text(const scant_i_names *names, size_t code, const char *text, size_t length)
{
    return text_length(names, code) == length &&
           memcmp(scant_i_names_text(names, code), text, length) == 0;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t slot_of(const scant_i_names *names, const char *text, size_t length)
{
    size_t mask = names->nslots - 1;
    size_t at = (size_t)scant_i_hash(text, length) & mask;
    while (names->slot[at] && !is_text(names, (size_t)names->slot[at] - 1, text, length))
        at = (at + 1) & mask;
    return at;
}

int32_t scant_i_names_find(const scant_i_names *names, const char *text, size_t length)
{
    return names->count ? names->slot[slot_of(names, text, length)] - 1 : -1;
}

static scant_status grow_slots(scant_i_names *names)
{
    size_t nslots = names->nslots ? names->nslots * 2 : 16;
    int32_t *slot = scant_i_calloc(nslots, sizeof *slot);
    if (!slot)
        return SCANT_ERR_MEMORY;
    scant_i_free(names->slot);
    names->slot = slot;
    names->nslots = nslots;
    for (size_t code = 0; code < names->count; code++)
        slot[slot_of(names, scant_i_names_text(names, code), text_length(names, code))] =
            (int32_t)code + 1;
    return SCANT_OK;
}

static scant_status append(scant_i_names *names, const char *text, size_t length)
{
    scant_status status = SCANT_OK;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 8;
        SCANT_I_TRY(scant_i_resize(&names->offset, capacity, sizeof *names->offset));
        names->capacity = capacity;
    }
    if (names->room - names->used < length + 1) {
        size_t room = scant_i_max(names->room * 2, names->used + length + 64);
        SCANT_I_TRY(scant_i_resize(&names->text, room, 1));
        names->room = room;
    }
    names->offset[names->count++] = names->used;
    memcpy(names->text + names->used, text, length);
    names->text[names->used + length] = '\0';
    names->used += length + 1;
done:
    return status;
}

scant_status scant_i_names_add(int32_t *code, scant_i_names *names, const char *text, size_t length)
{
    if (names->count && is_text(names, (size_t)names->last, text, length)) {
        *code = names->last;
        return SCANT_OK;
    }
    if (names->count >= INT32_MAX - 1)
        return scant_i_fail(SCANT_ERR_INPUT, "more than %d different names", INT32_MAX - 1);
    if (2 * (names->count + 1) > names->nslots && grow_slots(names) != SCANT_OK)
        return SCANT_ERR_MEMORY;
    size_t slot = slot_of(names, text, length);
    if (!names->slot[slot]) {
        scant_status status = append(names, text, length);
        if (status != SCANT_OK)
            return status;
        names->slot[slot] = (int32_t)names->count;
    }
    *code = names->last = names->slot[slot] - 1;
    return SCANT_OK;
}

void scant_i_names_clear(scant_i_names *names)
{
    if (names->count)
        memset(names->slot, 0, names->nslots * sizeof *names->slot);
    names->count = names->used = 0;
    names->last = 0;
}

void scant_i_names_free(scant_i_names *names)
{
    scant_i_free(names->offset);
    scant_i_free(names->text);
    scant_i_free(names->slot);
    memset(names, 0, sizeof *names);
}

typedef struct sorted {
    const char *text;
    double number;
    size_t index;
} sorted;

static int by_bytes(const void *a, const void *b)
{
    const sorted *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int by_number(const void *a, const void *b)
{
    const sorted *left = a, *right = b;
    int order = (left->number > right->number) - (left->number < right->number);
    return order ? order : by_bytes(a, b);
}

scant_status scant_i_names_order(size_t *order, const char *const *text, size_t n)
{
    if (n == 0)
        return SCANT_OK;
    sorted *items = scant_i_alloc(n, sizeof *items);
    if (!items)
        return SCANT_ERR_MEMORY;
    bool numbers = true;
    for (size_t k = 0; k < n; k++) {
        items[k] = (sorted){text[k], 0, k};
        numbers = numbers && scant_i_number_parse(&items[k].number, text[k], strlen(text[k]));
    }
    qsort(items, n, sizeof *items, numbers ? by_number : by_bytes);
    for (size_t k = 0; k < n; k++)
        order[k] = items[k].index;
    scant_i_free(items);
    return SCANT_OK;
}

bool scant_i_is_missing(const char *text, size_t length)
{
    switch (length) {
    case 0: return true;
    case 1: return text[0] == '?';
    case 2: return strncasecmp(text, "na", 2) == 0;
    case 3: return strncasecmp(text, "nan", 3) == 0;
    default: return false;
    }
}

/* Letters to change, drop, add or swap with a neighbour, for names of up to LONGEST bytes. */
static size_t edits(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t table[3][LONGEST + 1]; /* two rows back, one row back, this row */
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        table[0][j] = table[1][j] = table[2][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = table[i % 3], *up = table[(i + 2) % 3], *up2 = table[(i + 1) % 3];
        if (i == 1)
            for (size_t j = 0; j <= nb; j++)
                up[j] = j;
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
            best = scant_i_min(best, scant_i_min(up[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = scant_i_min(best, up2[j - 2] + 1);
            row[j] = best;
        }
    }
    return table[na % 3][nb];
}

const char *scant_i_names_nearest(const char *wanted, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t fewest = 1 + strlen(wanted) / 3; /* a third of the letters may be wrong */
    for (size_t k = 0; k < n; k++) {
        size_t distance = strcasecmp(wanted, names[k]) == 0 ? 0 : edits(wanted, names[k]);
        if (distance < fewest + !best) {
            fewest = distance;
            best = names[k];
        }
    }
    return best;
}

bool scant_i_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) { /* let the last star swallow one more */
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

bool scant_i_is_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    while (*c) {
        size_t more = *c < 0x80   ? 0
                      : *c < 0xC2 ? 9
                      : *c < 0xE0 ? 1
                      : *c < 0xF0 ? 2
                      : *c < 0xF5 ? 3
                                  : 9;
        /* the second byte's range rules out overlong forms, surrogates and what is past U+10FFFF */
        unsigned char low = *c == 0xE0 ? 0xA0 : *c == 0xF0 ? 0x90 : 0x80;
        unsigned char high = *c == 0xED ? 0x9F : *c == 0xF4 ? 0x8F : 0xBF;
        c++;
        if (more > 3 || (more > 0 && (*c < low || *c > high)))
            return false;
        for (; more > 0; more--, c++)
            if (*c < 0x80 || *c > 0xBF)
                return false;
    }
    return true;
}

scant_status scant_i_texts_copy(char ***out, char *const *texts, size_t n)
{
    scant_status status = SCANT_I_NEW(out, n);
    for (size_t i = 0; i < n && status == SCANT_OK; i++)
        status = ((*out)[i] = scant_i_strdup(texts[i])) ? SCANT_OK : SCANT_ERR_MEMORY;
    return status;
}

void scant_i_texts_free(char **texts, size_t n)
{
    for (size_t i = 0; texts && i < n; i++)
        scant_i_free(texts[i]);
    scant_i_free(texts);
}
