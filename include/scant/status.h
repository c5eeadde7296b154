/* Status of a call, and why a fit stopped: two different things. */
#ifndef SCANT_STATUS_H
#define SCANT_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#if defined(SCANT_BUILDING)
#define SCANT_API __attribute__((visibility("default")))
#else
#define SCANT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every function that can fail returns one of these: 0 is success, negative an error, nothing else
 * is encoded. After an error `scant_message()` tells what was wrong, with the offending value. */
typedef enum scant_status {
    SCANT_OK = 0,
    SCANT_ERR_INTERNAL = -1,     /* a fault of scant's own */
    SCANT_ERR_ARGUMENT = -2,     /* the call's settings make no sense, or exclude each other */
    SCANT_ERR_INPUT = -3,        /* the data are bad; the message names file, line and column */
    SCANT_ERR_MEMORY = -4,       /* an allocation failed */
    SCANT_ERR_UNIDENTIFIED = -5, /* these data cannot answer the question */
    SCANT_ERR_IO = -6,           /* a file could not be opened, read or written */
    SCANT_ERR_INTERRUPTED = -7   /* scant_interrupt() was called before there was a result */
} scant_status;

/* Why an iteration ended. Every one but SCANT_STOP_CONVERGED leaves the best model so far. */
typedef enum scant_stop {
    SCANT_STOP_CONVERGED = 0, /* the objective rose by less than the tolerance */
    SCANT_STOP_ITERATIONS,    /* the limit of iterations was reached */
    SCANT_STOP_TIME,          /* the time limit was reached */
    SCANT_STOP_INTERRUPTED,   /* scant_interrupt() was called */
    SCANT_STOP_SEPARABLE      /* the objective has no maximum: classes are separable */
} scant_stop;

/* The last error's message in this thread; "" if there was none. Borrowed until the next call. */
SCANT_API const char *scant_message(void);

/* How messages write the names of options. */
typedef enum scant_spelling {
    SCANT_SPELL_FIELD,  /* max_iter, as fields of structs are called; the default */
    SCANT_SPELL_COMMAND /* --max-iter, as the command line has it */
} scant_spelling;
/* For all messages of this process from now on. */
SCANT_API void scant_message_spell(scant_spelling as);
/* The option that the last error in this thread is about, as it is called in its table: "max-iter"; ""
 * where it is about none. Borrowed until the next call. */
SCANT_API const char *scant_message_option(void);

/* The text as a shell takes it for one word, in `room` of `size` bytes: in single quotes where it must
 * be. For messages that suggest a command. What does not fit comes as it is. Returns the word, which is
 * `room` or `text`. */
SCANT_API const char *scant_shell_word(char *room, size_t size, const char *text);

/* The text with every control character but tab and line feed as `?`, in place: what a terminal would take for a command
 * rather than show. Messages and the log are such texts; names of a program's own output need not be. Returns `text`. */
SCANT_API char *scant_plain(char *text);

/* Where the fault is that the message tells of. Lines and columns count from 1; a column of a table
 * is a field, of a text a byte. */
typedef struct scant_place {
    char file[512];      /* "": no file's fault; a longer name is cut */
    size_t line, column; /* 0: not known */
    bool written;        /* the file could not be written; else it is one that was read */
} scant_place;
/* Of the last error in this thread. Borrowed until the next call. */
SCANT_API const scant_place *scant_fault(void);

/* One word for a stop: "converged", "iterations", "time", "interrupted", "separable". Never NULL. */
SCANT_API const char *scant_stop_name(scant_stop stop);

/* The library's version, "major.minor.patch". */
SCANT_API const char *scant_version(void);

#ifdef __cplusplus
}
#endif
#endif
