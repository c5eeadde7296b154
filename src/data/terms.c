/* A word is a run of letters and digits with apostrophes within; bytes past ASCII are letters. Words
 * of one letter of ASCII are passed over. Capitals of ASCII, Latin-1, Greek and Cyrillic become small
 * letters. Counts go into one list of (term, count) for all rows, whose terms are numbered as they
 * appear; then terms in too few rows are dropped, the others sorted, and the list becomes rows. */
#include "data/terms.h"

#include <stdlib.h>
#include <string.h>
#include "data/names.h"

enum { LONGEST_WORD = 64 }; /* bytes; what is longer is no word */

typedef struct entry {
    int32_t term;
    uint32_t count;
} entry;

typedef struct counter {
    const scant_i_terms_plan *plan;
    scant_i_names terms;
    entry *entries;
    size_t used, room;
    size_t row_begin; /* of the row under way */
    char name[256];   /* of a term: the column's name where there are several, then the term */
    size_t prefix;
} counter;

/* --- letters --- */

static bool is_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c >= 0x80;
}

static size_t letter_length(const char *at, const char *end)
{
    size_t n = 1;
    while (at + n < end && ((unsigned char)at[n] & 0xC0) == 0x80)
        n++;
    return n;
}

/* In place: letters of two bytes stay so. */
static void make_small(char *word, size_t length)
{
    unsigned char *at = (unsigned char *)word, *end = at + length;
    for (; at < end; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at |= 32;
        if (at + 1 >= end)
            continue;
        unsigned code = (unsigned)(at[0] & 0x1F) << 6 | (at[1] & 0x3F);
        if ((at[0] & 0xE0) != 0xC0 || (at[1] & 0xC0) != 0x80)
            continue;
        if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) ||
            (code >= 0x410 && code <= 0x42F))
            code += 32;
        else if (code >= 0x400 && code <= 0x40F)
            code += 80;
        at[0] = (unsigned char)(0xC0 | code >> 6);
        at[1] = (unsigned char)(0x80 | (code & 0x3F));
        at++;
    }
}

/* --- counting --- */

static scant_status add(counter *c, size_t length)
{
    scant_status status = SCANT_OK;
    int32_t term = -1;
    if (c->plan->known) {
        term = scant_i_names_find(&c->terms, c->name, length);
        if (term < 0)
            return SCANT_OK;
    } else {
        SCANT_I_TRY(scant_i_names_add(&term, &c->terms, c->name, length));
    }
    if (c->used == c->room) {
        size_t room = 2 * c->room + 1024;
        SCANT_I_TRY(scant_i_resize(&c->entries, room, sizeof *c->entries));
        c->room = room;
    }
    c->entries[c->used++] = (entry){term, 1};
done:
    return status;
}

static scant_status add_grams(counter *c, const scant_i_terms_text *text, const char *word,
                              size_t length)
{
    char padded[LONGEST_WORD + 3];
    size_t start[LONGEST_WORD + 4], n = 0;
    padded[0] = padded[length + 1] = '_';
    memcpy(padded + 1, word, length);
    const char *end = padded + length + 2;
    for (const char *at = padded; at < end; at += letter_length(at, end))
        start[n++] = (size_t)(at - padded);
    start[n] = length + 2;
    for (size_t size = text->shortest; size <= text->longest && size <= n; size++)
        for (size_t i = 0; i + size <= n; i++) {
            size_t bytes = start[i + size] - start[i];
            c->name[c->prefix] = '#';
            memcpy(c->name + c->prefix + 1, padded + start[i], bytes);
            scant_status status = add(c, c->prefix + 1 + bytes);
            if (status != SCANT_OK)
                return status;
        }
    return SCANT_OK;
}

static scant_status add_cell(counter *c, const scant_i_terms_text *text, const char *cell)
{
    c->prefix = 0;
    if (c->plan->ntexts > 1) {
        c->prefix = scant_i_min(strlen(text->name), sizeof c->name - 2 * LONGEST_WORD);
        memcpy(c->name, text->name, c->prefix);
        c->name[c->prefix++] = ':';
    }
    for (const char *at = cell; *at;) {
        const char *begin = at;
        while (is_word((unsigned char)*at) ||
               (*at == '\'' && at > begin && is_word((unsigned char)at[1])))
            at++;
        size_t length = (size_t)(at - begin);
        at += length == 0;
        if (length < 2 || length > LONGEST_WORD)
            continue;
        char *word = c->name + c->prefix;
        memcpy(word, begin, length);
        make_small(word, length);
        char copy[LONGEST_WORD];
        memcpy(copy, word, length);
        scant_status status = add(c, c->prefix + length);
        if (status == SCANT_OK && text->longest)
            status = add_grams(c, text, copy, length);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

static int by_term(const void *a, const void *b)
{
    const entry *left = a, *right = b;
    return (left->term > right->term) - (left->term < right->term);
}

/* The row's entries sorted, those of a term as one. */
static void close_row(counter *c)
{
    size_t n = c->used - c->row_begin, to = 0;
    entry *row = c->entries + c->row_begin;
    if (n > 1)
        qsort(row, n, sizeof *row, by_term);
    for (size_t k = 0; k < n; k++) {
        if (to > 0 && row[to - 1].term == row[k].term)
            row[to - 1].count += row[k].count;
        else
            row[to++] = row[k];
    }
    c->used = c->row_begin = c->row_begin + to;
}

/* --- the vocabulary --- */

/* column[t]: where term t goes, -1: nowhere. */
static scant_status choose_terms(int32_t *column, scant_rows *rows, const counter *c,
                                 size_t min_count)
{
    scant_status status = SCANT_OK;
    size_t n = c->terms.count, kept = 0, *count = NULL, *from = NULL, *order = NULL;
    const char **text = NULL;
    SCANT_I_TRY(SCANT_I_NEW(&count, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&from, n + 1));
    SCANT_I_TRY(SCANT_I_NEW(&text, n + 1));
    for (size_t k = 0; k < c->used; k++)
        count[c->entries[k].term]++;
    for (size_t t = 0; t < n; t++) {
        column[t] = -1;
        if (!c->plan->known && count[t] < min_count)
            continue;
        from[kept] = t;
        text[kept++] = scant_i_names_text(&c->terms, t);
    }
    SCANT_I_TRY(SCANT_I_NEW(&order, kept + 1));
    for (size_t k = 0; k < kept; k++)
        order[k] = k;
    if (!c->plan->known)
        SCANT_I_TRY(scant_i_names_order(order, text, kept));
    SCANT_I_TRY(SCANT_I_NEW(&rows->terms, kept + 1));
    for (size_t k = 0; k < kept; k++) {
        rows->terms[k] = scant_i_strdup(text[order[k]]);
        rows->ntext_terms = k + 1;
        if (!rows->terms[k]) {
            status = SCANT_ERR_MEMORY;
            goto done;
        }
        column[from[order[k]]] = (int32_t)k;
    }
done:
    scant_i_free(count);
    scant_i_free(from);
    scant_i_free(text);
    scant_i_free(order);
    return status;
}

static scant_status make_rows(scant_rows *rows, counter *c, const size_t *end,
                              const int32_t *column)
{
    scant_status status = SCANT_OK;
    scant_i_csr *to = &rows->text;
    size_t used = 0, k = 0;
    SCANT_I_TRY(SCANT_I_NEW(&to->start, rows->nrows + 1));
    SCANT_I_TRY(SCANT_I_NEW(&to->column, c->used + 1));
    SCANT_I_TRY(SCANT_I_NEW(&to->value, c->used + 1));
    for (size_t i = 0; i < rows->nrows; i++) {
        size_t begin = k;
        for (; k < end[i]; k++)
            c->entries[k].term = column[c->entries[k].term];
        if (k > begin)
            qsort(c->entries + begin, k - begin, sizeof *c->entries, by_term);
        for (size_t e = begin; e < k; e++) {
            if (c->entries[e].term < 0)
                continue;
            to->column[used] = c->entries[e].term;
            to->value[used++] = c->entries[e].count;
        }
        to->start[i + 1] = used;
    }
done:
    return status;
}

scant_status scant_i_rows_add_words(scant_rows *rows, const char *cells,
                                    const scant_i_terms_plan *plan)
{
    scant_status status = SCANT_OK;
    counter c = {.plan = plan};
    size_t *end = NULL, min_count = plan->min_count;
    int32_t *column = NULL, code;
    enum { FEW_ROWS = 50 };
    if (min_count == 0)
        min_count = rows->nrows < FEW_ROWS ? 1 : 2;
    SCANT_I_TRY(SCANT_I_NEW(&end, rows->nrows + 1));
    for (size_t t = 0; t < plan->nknown; t++)
        SCANT_I_TRY(scant_i_names_add(&code, &c.terms, plan->known[t], strlen(plan->known[t])));
    const char *at = cells;
    for (size_t i = 0; i < rows->nrows; i++) {
        for (size_t t = 0; t < plan->ntexts; t++) {
            SCANT_I_TRY(add_cell(&c, &plan->text[t], at));
            at += strlen(at) + 1;
        }
        close_row(&c);
        end[i] = c.used;
    }
    SCANT_I_TRY(SCANT_I_NEW(&column, c.terms.count + 1));
    SCANT_I_TRY(choose_terms(column, rows, &c, min_count));
    SCANT_I_TRY(make_rows(rows, &c, end, column));
done:
    scant_i_names_free(&c.terms);
    scant_i_free(c.entries);
    scant_i_free(end);
    scant_i_free(column);
    return status;
}

scant_status scant_i_rows_words_alone(scant_rows *rows)
{
    scant_status status = SCANT_OK;
    scant_i_column *columns = NULL;
    size_t n = rows->ntext_terms;
    if (n == 0)
        return scant_i_fail_in(SCANT_ERR_INPUT, rows->source, "the texts have no words");
    SCANT_I_TRY(SCANT_I_NEW(&columns, n));
    for (size_t t = 0; t < n; t++) {
        columns[t].name = rows->terms[t];
        rows->terms[t] = NULL;
    }
    scant_i_free(rows->terms);
    scant_i_columns_free(rows->columns, rows->ncolumns);
    scant_i_free(rows->dense);
    rows->terms = NULL;
    rows->ntext_terms = 0;
    rows->dense = NULL;
    rows->columns = columns;
    rows->ncolumns = n;
    rows->sparse = rows->text;
    rows->text = (scant_i_csr){0};
done:
    return status;
}
