#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };
static _Thread_local char message[MESSAGE_SIZE];
static _Thread_local scant_place place;

const char *scant_message(void)
{
    return message;
}

const scant_place *scant_fault(void)
{
    return &place;
}

/* The message behind its place. The arguments may quote what is being replaced. */
static void set(const scant_place *at, const char *format, va_list arguments)
{
    char fresh[MESSAGE_SIZE] = "";
    int used = 0;
    if (at->column)
        used = snprintf(fresh, sizeof fresh, "%s:%zu:%zu: ", at->file, at->line, at->column);
    else if (at->line)
        used = snprintf(fresh, sizeof fresh, "%s:%zu: ", at->file, at->line);
    else if (at->file[0])
        used = snprintf(fresh, sizeof fresh, "%s: ", at->file);
    (void)vsnprintf(fresh + used, sizeof fresh - (size_t)used, format, arguments);
    memcpy(message, fresh, sizeof message);
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
    place = *at;
    return status;
}

scant_status scant_i_fail_within(scant_status status, const char *format, ...)
{
    char old[MESSAGE_SIZE];
    memcpy(old, message, sizeof old);
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof message)
        (void)snprintf(message + used, sizeof message - (size_t)used, ": %.*s",
                       (int)(sizeof message - (size_t)used), old);
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
    }
    return "unknown";
}

const char *scant_version(void)
{
    return SCANT_VERSION;
}
