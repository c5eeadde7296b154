#include "base/base.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024, OPTION_SIZE = 64 };
static _Thread_local char message[MESSAGE_SIZE];
static _Thread_local char option[OPTION_SIZE];
static _Thread_local scant_place place;
static atomic_int spelling = SCANT_SPELL_FIELD;

/* Around an option's name while a message is made. */
enum { OPENS = '\1', CLOSES = '\2' };
static const char NAME[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

const char *scant_message(void)
{
    return message;
}

const scant_place *scant_fault(void)
{
    return &place;
}

const char *scant_message_option(void)
{
    return option;
}

void scant_message_spell(scant_spelling as)
{
    atomic_store(&spelling, (int)as);
}

/* --- options in messages --- */

static bool begins_option(const char *format, const char *at)
{
    bool begins = at == format || !isalnum((unsigned char)at[-1]);
    return begins && strncmp(at, "--", 2) == 0 &&
           (islower((unsigned char)at[2]) || strncmp(at + 2, "%s", 2) == 0);
}

/* A format in which `--name` and `--%s` stand between marks. What arguments quote has none, so that
 * a file called --odd.csv stays that. */
static void mark(char *out, size_t size, const char *format)
{
    size_t used = 0;
    for (const char *c = format; *c && used + OPTION_SIZE < size;) {
        if (!begins_option(format, c)) {
            out[used++] = *c++;
            continue;
        }
        c += 2;
        size_t length = *c == '%' ? 2 : scant_i_min(strspn(c, NAME), OPTION_SIZE - 3);
        out[used++] = OPENS;
        memcpy(out + used, c, length);
        used += length;
        out[used++] = CLOSES;
        c += length;
    }
    out[used] = '\0';
}

/* Options as this program's users write them; the first is kept apart, where `first` is none yet. */
static void spell(char *out, size_t size, const char *marked, char first[OPTION_SIZE])
{
    bool command = atomic_load(&spelling) == SCANT_SPELL_COMMAND;
    size_t used = 0;
    for (const char *c = marked; *c && used + 1 < size;) {
        size_t length = *c == OPENS ? strspn(c + 1, NAME) : 0;
        if (length == 0 || length >= OPTION_SIZE || c[length + 1] != CLOSES) {
            out[used++] = *c++;
            continue;
        }
        char name[OPTION_SIZE];
        memcpy(name, c + 1, length);
        name[length] = '\0';
        if (!first[0])
            memcpy(first, name, length + 1);
        for (char *n = name; *n && !command; n++)
            *n = *n == '-' ? '_' : *n;
        (void)snprintf(out + used, size - used, "%s%s", command ? "--" : "", name);
        used += strlen(out + used);
        c += length + 2;
    }
    out[used] = '\0';
}

void scant_i_words(char *out, size_t size, const char *format, va_list arguments)
{
    char form[2 * MESSAGE_SIZE];
    mark(form, sizeof form, format);
    (void)vsnprintf(out, size, form, arguments);
}

static void compose(char *out, size_t size, char first[OPTION_SIZE], const char *format,
                    va_list arguments)
{
    char marked[2 * MESSAGE_SIZE];
    scant_i_words(marked, sizeof marked, format, arguments);
    spell(out, size, marked, first);
}

/* --- setting them --- */

/* C1's control characters are two bytes in UTF-8: C2 and 80 to 9F. */
char *scant_plain(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        bool pair = (unsigned char)c[0] == 0xC2 && (unsigned char)c[1] >= 0x80 &&
                    (unsigned char)c[1] < 0xA0;
        bool control = ((unsigned char)*c < ' ' && *c != '\t' && *c != '\n') || *c == 0x7F;
        *to++ = pair || control ? '?' : *c;
        c += pair;
    }
    *to = '\0';
    return text;
}

/* The message behind its place. The arguments may quote what is being replaced. */
static void set(const scant_place *at, const char *format, va_list arguments)
{
    char fresh[MESSAGE_SIZE] = "", first[OPTION_SIZE] = "";
    int used = 0;
    if (at->column)
        used = snprintf(fresh, sizeof fresh, "%s:%zu:%zu: ", at->file, at->line, at->column);
    else if (at->line)
        used = snprintf(fresh, sizeof fresh, "%s:%zu: ", at->file, at->line);
    else if (at->file[0])
        used = snprintf(fresh, sizeof fresh, "%s: ", at->file);
    compose(fresh + used, sizeof fresh - (size_t)used, first, format, arguments);
    (void)scant_plain(fresh);
    memcpy(message, fresh, sizeof message);
    memcpy(option, first, sizeof option);
    place = *at;
}

static scant_place place_of(const char *file, size_t line, size_t column)
{
    scant_place at = {.line = line, .column = column};
    (void)snprintf(at.file, sizeof at.file, "%s", file);
    return at;
}

scant_status scant_i_fail(scant_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(&(scant_place){0}, format, arguments);
    va_end(arguments);
    return status;
}

scant_status scant_i_fail_words(scant_status status, const char *words)
{
    char fresh[MESSAGE_SIZE] = "", first[OPTION_SIZE] = "", marked[2 * MESSAGE_SIZE];
    mark(marked, sizeof marked, words);
    spell(fresh, sizeof fresh, marked, first);
    (void)scant_i_fail_again(status, fresh, &(scant_place){0});
    memcpy(option, first, sizeof option);
    return status;
}

scant_status scant_i_fail_in(scant_status status, const char *file, const char *format, ...)
{
    const scant_place at = place_of(file, 0, 0);
    va_list arguments;
    va_start(arguments, format);
    set(&at, format, arguments);
    va_end(arguments);
    return status;
}

scant_status scant_i_fail_at(scant_status status, const char *file, size_t line, size_t column,
                             const char *format, ...)
{
    const scant_place at = place_of(file, line, column);
    va_list arguments;
    va_start(arguments, format);
    set(&at, format, arguments);
    va_end(arguments);
    return status;
}

scant_status scant_i_fail_writing(const char *file, const char *format, ...)
{
    scant_place at = place_of(file, 0, 0);
    at.written = true;
    va_list arguments;
    va_start(arguments, format);
    set(&at, format, arguments);
    va_end(arguments);
    return SCANT_ERR_IO;
}

scant_status scant_i_fail_again(scant_status status, const char *text, const scant_place *at)
{
    (void)snprintf(message, sizeof message, "%s", text);
    (void)scant_plain(message);
    option[0] = '\0';
    place = *at;
    return status;
}

scant_status scant_i_fail_within(scant_status status, const char *format, ...)
{
    char old[MESSAGE_SIZE];
    memcpy(old, message, sizeof old);
    va_list arguments;
    va_start(arguments, format);
    compose(message, sizeof message, option, format, arguments);
    va_end(arguments);
    (void)scant_plain(message);
    size_t used = strlen(message);
    (void)snprintf(message + used, sizeof message - used, ": %.*s", (int)(sizeof message - used),
                   old);
    return status;
}

/* Signs that no shell makes anything of, and what is not ASCII. */
static bool is_plain(const char *text)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:,=+@%";
    const char *c = text;
    while (*c && (strchr(PLAIN, *c) || (unsigned char)*c >= 0x80))
        c++;
    return *text && !*c;
}

const char *scant_shell_word(char *room, size_t size, const char *text)
{
    size_t used = 0, needed = strlen("''") + 1;
    for (const char *c = text; *c; c++)
        needed += *c == '\'' ? strlen("'\\''") : 1;
    if (is_plain(text) || needed > size)
        return text;
    room[used++] = '\'';
    for (const char *c = text; *c; c++) {
        if (*c == '\'') { /* the quotes end, a quote of its own, they begin again */
            memcpy(room + used, "'\\'", strlen("'\\'"));
            used += strlen("'\\'");
        }
        room[used++] = *c;
    }
    memcpy(room + used, "'", sizeof "'");
    return room;
}

const char *scant_stop_name(scant_stop stop)
{
    switch (stop) {
    case SCANT_STOP_CONVERGED: return "converged";
    case SCANT_STOP_ITERATIONS: return "iterations";
    case SCANT_STOP_TIME: return "time";
    case SCANT_STOP_INTERRUPTED: return "interrupted";
    case SCANT_STOP_SEPARABLE: return "separable";
    }
    return "unknown";
}

const char *scant_version(void)
{
    return SCANT_VERSION;
}
