#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };
static _Thread_local char message[MESSAGE_SIZE];

const char *scant_message(void)
{
    return message;
}

scant_status scant_i_fail(scant_status status, const char *format, ...)
{
    char fresh[MESSAGE_SIZE]; /* the arguments may quote the message that is being replaced */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fresh, sizeof fresh, format, arguments);
    va_end(arguments);
    memcpy(message, fresh, sizeof message);
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
