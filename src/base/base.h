/* The base layer: failure, memory, log, interrupt, threads. Every other layer includes it. */
#ifndef SCANT_I_BASE_H
#define SCANT_I_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <scant/status.h>
#include <scant/runtime.h>

/* --- failure: sets the message and returns the status, as in `return scant_i_fail(...)` --- */
scant_status scant_i_fail(scant_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* The same for a fault in a file: `file: ` or `file:line:column: ` goes before the message, and
 * scant_fault() tells it apart. A line or column of 0 is not known and left out. */
scant_status scant_i_fail_in(scant_status status, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
scant_status scant_i_fail_at(scant_status status, const char *file, size_t line, size_t column,
                             const char *format, ...) __attribute__((format(printf, 5, 6), cold));
/* Part of a message, to be an argument of those above: options in its format stay marked. */
void scant_i_words(char *out, size_t size, const char *format, va_list arguments);
/* Words without conversions. */
scant_status scant_i_fail_words(scant_status status, const char *words) __attribute__((cold));
/* SCANT_ERR_IO for a file that cannot be written. */
scant_status scant_i_fail_writing(const char *file, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));
/* Sets what another thread was told, as scant_message() and scant_fault() had it there. */
scant_status scant_i_fail_again(scant_status status, const char *text, const scant_place *place);
/* Puts `prefix: ` before the message that is already set; returns `status` unchanged. */
scant_status scant_i_fail_within(scant_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

#define SCANT_I_TRY(call)                                                                          \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != SCANT_OK)                                                                    \
            goto done;                                                                             \
    } while (0)

/* --- memory: count * size bytes, checked for overflow; aligned to 64; NULL sets the message --- */
void *scant_i_alloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *scant_i_calloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* Grows `*block` to count * size bytes; on failure it is left as it was. */
scant_status scant_i_resize(void *block, size_t count, size_t size);
void scant_i_free(void *block);
char *scant_i_strdup(const char *text) __attribute__((malloc, warn_unused_result));
char *scant_i_strndup(const char *text, size_t length) __attribute__((malloc, warn_unused_result));
/* As asprintf, through scant's allocator. */
char *scant_i_format(const char *format, ...)
    __attribute__((format(printf, 1, 2), malloc, warn_unused_result));

/* `SCANT_I_NEW(&p, n)`: room for n of *p, zeroed; a status. */
scant_status scant_i_new(void *out, size_t count, size_t size);
#define SCANT_I_NEW(out, count) scant_i_new((out), (count), sizeof **(out))

/* --- log --- */
void scant_i_log(scant_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- interrupt --- */
bool scant_i_interrupted(void);  /* by scant_interrupt, or by the flag that this thread heeds */
const int *scant_i_heeded(void); /* which helpers heed as well: parallel.c */

/* Whether work that is under way is given up: whoever asks for it hands this down. NULL: at an interrupt. */
typedef struct scant_i_cancel {
    bool (*is_due)(const void *payload); /* NULL: never. Any thread. */
    const void *payload;
} scant_i_cancel;
extern const scant_i_cancel scant_i_never; /* of what a result needs: an interrupt has to wait */
bool scant_i_is_cancelled(const scant_i_cancel *cancel);

/* --- time: seconds of a monotonic clock --- */
double scant_i_seconds(void);
/* What is left of a limit (0: none) that counts from `began`. Once it is up that is a moment, since 0 would be no limit. */
double scant_i_time_left(double limit, double began);
bool scant_i_time_is_up(double limit, double began);

/* --- threads --- */
/* Runs task(k, worker, payload) for k in [0, ntasks); worker < threads. Which worker runs which
 * task is left open, so a task writes only to its own place. The first failure in task order is
 * returned with its message; tasks after a failure may be skipped. threads = 0: as many as
 * OpenMP takes of itself. */
typedef scant_status (*scant_i_task)(size_t task, size_t worker, void *payload);
scant_status scant_i_parallel(size_t threads, size_t ntasks, scant_i_task task, void *payload);
size_t scant_i_threads(size_t asked); /* the number of workers that `asked` stands for */

/* --- small helpers --- */
static inline size_t scant_i_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline size_t scant_i_max(size_t a, size_t b)
{
    return a > b ? a : b;
}
/* n rounded up to a multiple of m */
static inline size_t scant_i_round_up(size_t n, size_t m)
{
    return (n + m - 1) / m * m;
}

#endif
