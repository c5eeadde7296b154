#include "base/base.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static scant_log_level log_level = SCANT_LOG_WARNING;
static scant_log_sink log_sink;
static void *log_payload;

void scant_log_set(scant_log_level level, scant_log_sink sink, void *payload)
{
    log_level = level;
    log_sink = sink;
    log_payload = payload;
}

void scant_i_log(scant_log_level level, const char *format, ...)
{
    if (!log_sink || level > log_level)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log_sink(level, scant_plain(text), log_payload);
}

static atomic_int interrupted; /* lock-free, so safe in a signal handler */

void scant_interrupt(void)
{
    atomic_store(&interrupted, 1);
}

void scant_interrupt_clear(void)
{
    atomic_store(&interrupted, 0);
}

/* A flag of this thread's work alone. Whoever sets it may be a signal handler, which cannot set what is atomic in Python. */
static _Thread_local const int *heeded;

const int *scant_interrupt_heed(const int *flag)
{
    const int *before = heeded;
    heeded = flag;
    return before;
}

const int *scant_i_heeded(void)
{
    return heeded;
}

bool scant_i_interrupted(void)
{
    return atomic_load(&interrupted) != 0 ||
           (heeded && __atomic_load_n(heeded, __ATOMIC_RELAXED) != 0);
}

const scant_i_cancel scant_i_never = {0};

bool scant_i_is_cancelled(const scant_i_cancel *cancel)
{
    if (!cancel)
        return scant_i_interrupted();
    return cancel->is_due && cancel->is_due(cancel->payload);
}

double scant_i_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double scant_i_time_left(double limit, double began)
{
    static const double MOMENT = 1e-9;
    return limit > 0 ? fmax(limit - (scant_i_seconds() - began), MOMENT) : 0;
}

bool scant_i_time_is_up(double limit, double began)
{
    return limit > 0 && scant_i_seconds() - began > limit;
}
