/* What a program may set for the whole library: memory, log, interrupt. */
#ifndef SCANT_RUNTIME_H
#define SCANT_RUNTIME_H

#include <stddef.h>
#include <scant/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory. The library takes all its memory through one allocator, malloc's unless set here.
 * `resize(payload, NULL, n)` allocates, `resize(payload, p, n)` grows, `release(payload, p)` frees;
 * blocks are aligned for any type. Set it before any other call, and never while objects live. */
typedef struct scant_allocator {
    void *(*resize)(void *payload, void *block, size_t bytes);
    void (*release)(void *payload, void *block);
    void *payload;
} scant_allocator;

SCANT_API void scant_allocator_set(const scant_allocator *allocator); /* NULL: malloc again */

/* Log. The library never prints. Messages of at most `level` go to `sink`; NULL: nowhere. */
typedef enum scant_log_level {
    SCANT_LOG_WARNING = 1,
    SCANT_LOG_INFO,
    SCANT_LOG_DETAIL
} scant_log_level;
typedef void (*scant_log_sink)(scant_log_level level, const char *text, void *payload);
SCANT_API void scant_log_set(scant_log_level level, scant_log_sink sink, void *payload);

/* Interrupt. Safe in a signal handler: running fits stop soon and keep their best model so far.
 * `scant_interrupt_clear()` arms it again. */
SCANT_API void scant_interrupt(void);
SCANT_API void scant_interrupt_clear(void);
/* For programs that work in several threads: from now on a flag other than 0 interrupts the calls of this thread, too, and
 * of no other. It is borrowed until another one is heeded, NULL: none, and may be set by any thread or signal handler.
 * Returns the one before. */
SCANT_API const int *scant_interrupt_heed(const int *flag);

/* Progress. Long work calls this now and then, from the calling thread: `done` of `total` units
 * (total 0: unknown), and the objective so far. A result other than 0 asks the work to stop, as an
 * interrupt. */
typedef struct scant_progress_event {
    const char *what; /* "fit", "train", "blind", "plan", "factor" or "audit" */
    size_t done, total;
    size_t start, starts; /* which start of how many */
    size_t iteration;
    double objective; /* per unit weight; NaN where there is none */
} scant_progress_event;
typedef int (*scant_progress)(const scant_progress_event *event, void *payload);

#ifdef __cplusplus
}
#endif
#endif
