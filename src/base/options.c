/* Options from text. A field of the caller's struct is reached through the table's offset; memcpy
 * keeps that free of aliasing and alignment questions. */
#include "base/options.h"
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LARGEST_EXACT = 9007199254740992.0; /* 2^53: beyond it doubles skip integers */

static void put(void *options, const scant_option *option, const void *value, size_t size)
{
    memcpy((char *)options + option->offset, value, size);
}

static bool bounded(const scant_option *option)
{
    return option->low != 0 || option->high != 0;
}

/* A whole number in digits, or one that is written with an exponent (1e6). */
static bool read_whole(const char *text, uint64_t *out)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long whole = strtoull(text, &end, 10);
    if (*end == '\0') {
        *out = whole;
        return errno == 0;
    }
    double value;
    if (!scant_i_number_parse(&value, text, strlen(text)) || !(value <= LARGEST_EXACT) ||
        value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

static bool read_real(const char *text, double *out)
{
    return scant_i_number_parse(out, text, strlen(text)) && isfinite(*out);
}

static scant_status refuse_number(const scant_option *option, const char *text, const char *what)
{
    if (!bounded(option))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not a %s", option->name, text, what);
    if (isinf(option->high))
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not a %s of at least %.15g",
                            option->name, text, what, option->low);
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not a %s from %.15g to %.15g",
                        option->name, text, what, option->low, option->high);
}

static scant_status set_count(void *options, const scant_option *option, const char *text)
{
    uint64_t whole;
    if (!read_whole(text, &whole) || whole > SIZE_MAX ||
        (bounded(option) && ((double)whole < option->low || (double)whole > option->high)))
        return refuse_number(option, text, "whole number");
    size_t count = (size_t)whole;
    put(options, option, &count, sizeof count);
    return SCANT_OK;
}

static scant_status set_seed(void *options, const scant_option *option, const char *text)
{
    uint64_t seed;
    if (!read_whole(text, &seed))
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "--%s: '%s' is not a whole number from 0 to 18446744073709551615",
                            option->name, text);
    put(options, option, &seed, sizeof seed);
    return SCANT_OK;
}

static scant_status set_real(void *options, const scant_option *option, const char *text)
{
    double value;
    if (scant_option_choice(option, text)) {
        value = SCANT_AUTO;
        put(options, option, &value, sizeof value);
        return SCANT_OK;
    }
    if (!read_real(text, &value) ||
        (bounded(option) && !(value >= option->low && value <= option->high)))
        return refuse_number(option, text, "number");
    put(options, option, &value, sizeof value);
    return SCANT_OK;
}

static scant_status set_flag(void *options, const scant_option *option, const char *text)
{
    bool on = true;
    if (text && (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "0") == 0))
        on = false;
    else if (text && text[0] && strcmp(text, "true") != 0 && strcmp(text, "yes") != 0 &&
             strcmp(text, "1") != 0)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is neither true nor false",
                            option->name, text);
    put(options, option, &on, sizeof on);
    return SCANT_OK;
}

const char *scant_option_choice(const scant_option *option, const char *text)
{
    size_t length = strlen(text);
    for (const char *word = option->choices; word && *word;) {
        size_t size = strcspn(word, "|");
        if (size == length && length > 0 && memcmp(word, text, length) == 0)
            return word;
        word += size + (word[size] == '|');
    }
    return NULL;
}

static scant_status refuse_choice(const scant_option *option, const char *text)
{
    char list[512] = "";
    size_t used = 0;
    for (const char *c = option->choices; c && *c && used + 3 < sizeof list; c++) {
        list[used++] = *c == '|' ? ',' : *c;
        if (*c == '|')
            list[used++] = ' ';
    }
    list[used] = '\0';
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' is not one of %s", option->name, text,
                        list);
}

static scant_status set_choice(void *options, const scant_option *option, const char *text)
{
    if (!scant_option_choice(option, text))
        return refuse_choice(option, text);
    put(options, option, &text, sizeof text);
    return SCANT_OK;
}

static void free_texts(scant_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        scant_i_free((void *)(uintptr_t)texts->item[i]);
    scant_i_free((void *)texts->item);
    *texts = (scant_texts){NULL, 0};
}

/* Up to the next comma; a piece in double quotes may have commas, and two quotes are one. */
static size_t piece_length(const char *piece)
{
    if (*piece != '"')
        return strcspn(piece, ",");
    size_t n = 1;
    while (piece[n] && (piece[n] != '"' || piece[n + 1] == '"'))
        n += piece[n] == '"' ? 2 : 1;
    return piece[n] == '"' && (piece[n + 1] == ',' || piece[n + 1] == '\0') ? n + 1
                                                                            : strcspn(piece, ",");
}

static void unquote(char *piece)
{
    size_t n = strlen(piece), to = 0;
    if (n < 3 || piece[0] != '"' || piece[n - 1] != '"')
        return;
    for (size_t i = 1; i + 1 < n; i++) {
        piece[to++] = piece[i];
        i += piece[i] == '"' && piece[i + 1] == '"' && i + 2 < n;
    }
    piece[to] = '\0';
}

/* Adds the comma-separated pieces of `text`; an empty piece is a slip worth telling. */
static scant_status set_list(void *options, const scant_option *option, const char *text)
{
    scant_texts texts;
    memcpy(&texts, (char *)options + option->offset, sizeof texts);
    size_t more = 1;
    for (const char *c = text; *c; c++)
        more += *c == ',';
    const char **item = texts.item;
    scant_status status = scant_i_resize(&item, texts.count + more, sizeof *item);
    if (status != SCANT_OK)
        return status;
    texts.item = item;
    size_t before = texts.count;
    for (const char *piece = text;; piece++) {
        size_t size = piece_length(piece);
        char *copy = NULL;
        if (size == 0)
            status = scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: '%s' has an empty piece", option->name,
                                  text);
        else if (!(copy = scant_i_strndup(piece, size)))
            status = SCANT_ERR_MEMORY;
        if (status != SCANT_OK)
            break;
        texts.item[texts.count++] = copy;
        unquote(copy);
        piece += size;
        if (*piece == '\0')
            break;
    }
    while (status != SCANT_OK && texts.count > before)
        scant_i_free((void *)(uintptr_t)texts.item[--texts.count]);
    put(options, option, &texts, sizeof texts);
    return status;
}

scant_status scant_option_set(void *options, const scant_option *option, const char *text)
{
    if (!text && option->type == SCANT_OPTION_WORD) {
        put(options, option, &(const char *){""}, sizeof(const char *));
        return SCANT_OK;
    }
    if (!text && option->type != SCANT_OPTION_FLAG)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s wants a value (%s)", option->name,
                            option->value ? option->value : "text");
    switch (option->type) {
    case SCANT_OPTION_FLAG: return set_flag(options, option, text);
    case SCANT_OPTION_COUNT: return set_count(options, option, text);
    case SCANT_OPTION_SEED: return set_seed(options, option, text);
    case SCANT_OPTION_REAL: return set_real(options, option, text);
    case SCANT_OPTION_WORD:
    case SCANT_OPTION_CHOICE: return set_choice(options, option, text);
    case SCANT_OPTION_LIST: return set_list(options, option, text);
    case SCANT_OPTION_TEXT: put(options, option, &text, sizeof text); return SCANT_OK;
    }
    return scant_i_fail(SCANT_ERR_INTERNAL, "--%s has no type", option->name);
}

/* A preset that is no value of its type ("all cores" for a count) is there to be shown: the field
 * stays zero, and zero means that. Bounds are for what users type, not for presets. */
static void preset_one(void *options, const scant_option *option)
{
    if (!option->preset)
        return;
    scant_option free_of_bounds = *option;
    free_of_bounds.low = free_of_bounds.high = 0;
    if (option->type == SCANT_OPTION_CHOICE)
        free_of_bounds.type = SCANT_OPTION_TEXT;
    (void)scant_option_set(options, &free_of_bounds, option->preset);
}

void scant_options_preset(void *options, const scant_option *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        preset_one(options, &table[i]);
}

const scant_option *scant_option_find(const scant_option *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void scant_options_clear(void *options, const scant_option *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].type != SCANT_OPTION_LIST)
            continue;
        scant_texts texts;
        memcpy(&texts, (char *)options + table[i].offset, sizeof texts);
        free_texts(&texts);
        put(options, &table[i], &texts, sizeof texts);
    }
}

/* --- values that were set without their table --- */

static void get(void *value, const void *options, const scant_option *option, size_t size)
{
    memcpy(value, (const char *)options + option->offset, size);
}

bool scant_i_option_tell(char *out, size_t size, const void *options, const scant_option *option)
{
    bool on;
    size_t count;
    uint64_t seed;
    double real;
    const char *text = NULL;
    int length = -1;
    switch (option->type) {
    case SCANT_OPTION_FLAG:
        get(&on, options, option, sizeof on);
        length = snprintf(out, size, "%s", on ? "true" : "false");
        break;
    case SCANT_OPTION_COUNT:
        get(&count, options, option, sizeof count);
        length = snprintf(out, size, "%zu", count);
        break;
    case SCANT_OPTION_SEED:
        get(&seed, options, option, sizeof seed);
        length = snprintf(out, size, "%" PRIu64, seed);
        break;
    case SCANT_OPTION_REAL:
        get(&real, options, option, sizeof real);
        if (option->choices && real == SCANT_AUTO)
            length = snprintf(out, size, "auto");
        else if (size >= SCANT_I_NUMBER_TEXT)
            length = (int)scant_i_number_format(out, real);
        break;
    case SCANT_OPTION_WORD:
    case SCANT_OPTION_CHOICE:
    case SCANT_OPTION_TEXT:
        get(&text, options, option, sizeof text);
        length = text ? snprintf(out, size, "%s", text) : -1;
        break;
    case SCANT_OPTION_LIST: break;
    }
    return length >= 0 && (size_t)length < size;
}

/* Within the bounds, or what the preset makes of the field, which need not be: zero where it is no
 * number, or there is none. */
static bool in_bounds(const scant_option *option, double value)
{
    double preset = 0;
    if (option->type == SCANT_OPTION_REAL && option->choices && value == SCANT_AUTO)
        return true;
    if (!bounded(option) || (value >= option->low && value <= option->high))
        return true;
    if (option->preset && !read_real(option->preset, &preset))
        preset = 0;
    return value == preset;
}

static scant_status check_text(const scant_option *option, const char *text)
{
    if (text || !option->preset)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s is NULL; it wants a value (%s)", option->name,
                        option->value ? option->value : "text");
}

static scant_status check_list(const scant_option *option, const scant_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        if (!texts->item || !texts->item[i] || !texts->item[i][0])
            return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: piece %zu of %zu is empty", option->name,
                                i + 1, texts->count);
    return SCANT_OK;
}

static scant_status check_flag(const void *options, const scant_option *option)
{
    unsigned char byte;
    get(&byte, options, option, sizeof byte);
    if (byte <= 1)
        return SCANT_OK;
    return scant_i_fail(SCANT_ERR_ARGUMENT, "--%s: %d is neither true nor false", option->name,
                        byte);
}

static scant_status check_one(const void *options, const scant_option *option)
{
    char text[32];
    size_t count;
    double real;
    const char *word;
    scant_texts texts;
    scant_status status = SCANT_OK;
    switch (option->type) {
    case SCANT_OPTION_FLAG: return check_flag(options, option);
    case SCANT_OPTION_COUNT:
        get(&count, options, option, sizeof count);
        (void)snprintf(text, sizeof text, "%zu", count);
        return in_bounds(option, (double)count) ? SCANT_OK
                                                : refuse_number(option, text, "whole number");
    case SCANT_OPTION_SEED: return SCANT_OK; /* any is one */
    case SCANT_OPTION_REAL:
        get(&real, options, option, sizeof real);
        (void)snprintf(text, sizeof text, "%.15g", real);
        return isfinite(real) && in_bounds(option, real) ? SCANT_OK
                                                         : refuse_number(option, text, "number");
    case SCANT_OPTION_WORD:
    case SCANT_OPTION_CHOICE:
        get(&word, options, option, sizeof word);
        status = check_text(option, word);
        if (status != SCANT_OK || !word || (option->type == SCANT_OPTION_WORD && !*word))
            return status;
        return scant_option_choice(option, word) ? SCANT_OK : refuse_choice(option, word);
    case SCANT_OPTION_LIST:
        get(&texts, options, option, sizeof texts);
        return check_list(option, &texts);
    case SCANT_OPTION_TEXT:
        get(&word, options, option, sizeof word);
        return check_text(option, word);
    }
    return scant_i_fail(SCANT_ERR_INTERNAL, "--%s has no type", option->name);
}

scant_status scant_options_check(const void *options, const scant_option *table, size_t count)
{
    scant_status status = SCANT_OK;
    for (size_t i = 0; i < count && status == SCANT_OK; i++)
        status = check_one(options, &table[i]);
    return status;
}

/* --- versions of a struct --- */

void scant_i_options_preset(void *options, size_t size, const scant_i_options_kind *kind)
{
    memset(options, 0, size);
    memcpy(options, &size, sizeof size);
    for (size_t i = 0; i < kind->count; i++)
        if (kind->table[i].offset < size)
            preset_one(options, &kind->table[i]);
}

/* Fields of an older struct end where a word does, and there is one at least. */
scant_status scant_i_options_check_size(size_t size, const scant_i_options_kind *kind)
{
    if (size > kind->size)
        return scant_i_fail(SCANT_ERR_ARGUMENT,
                            "options of %zu bytes, but this library knows %zu: they were not set "
                            "by %s(), or are of a newer version",
                            size, kind->size, kind->preset);
    if (size < 2 * sizeof size || size % sizeof size)
        return scant_i_fail(SCANT_ERR_ARGUMENT, "the options were not set; call %s() first",
                            kind->preset);
    return SCANT_OK;
}

scant_status scant_i_options_take(void *out, const void *given, const scant_i_options_kind *kind)
{
    size_t size = 0;
    if (given)
        memcpy(&size, given, sizeof size);
    scant_status status = scant_i_options_check_size(size, kind);
    if (status != SCANT_OK)
        return status;

    memset(out, 0, kind->size);
    memcpy(out, given, size);
    memcpy(out, &kind->size, sizeof kind->size);
    for (size_t i = 0; i < kind->count; i++)
        if (kind->table[i].offset >= size && kind->table[i].type != SCANT_OPTION_LIST)
            preset_one(out, &kind->table[i]);
    return scant_options_check(out, kind->table, kind->count);
}
