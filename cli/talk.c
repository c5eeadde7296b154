/* What goes to stderr: messages, errors with their exit codes, the library's log, suggestions. */
#include "command.h"

#include <stdarg.h>
#include <string.h>

void cli_say(const cli_call *call, const char *format, ...)
{
    if (call->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "scant %s: ", call->name);
    (void)vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

int cli_usage_error(const cli_call *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "scant %s: ", call->name);
    (void)vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n'scant %s --help' tells the options\n", call->name);
    va_end(arguments);
    return EXIT_USAGE;
}

int cli_failed(const cli_call *call, scant_status status, bool writing)
{
    const char *message = scant_message();
    fprintf(stderr, "scant %s: %s\n", call->name,
            message[0] ? message : "failed without a message");
    switch (status) {
    case SCANT_OK: return EXIT_OK;
    case SCANT_ERR_ARGUMENT: return EXIT_USAGE;
    case SCANT_ERR_INPUT: return EXIT_INPUT;
    case SCANT_ERR_UNIDENTIFIED: return EXIT_UNIDENTIFIED;
    case SCANT_ERR_INTERRUPTED: return EXIT_STOPPED;
    case SCANT_ERR_IO: return writing ? EXIT_OTHER : EXIT_INPUT;
    case SCANT_ERR_MEMORY:
    case SCANT_ERR_INTERNAL: break;
    }
    return EXIT_OTHER;
}

int cli_out_of_memory(const cli_call *call)
{
    fprintf(stderr, "scant %s: out of memory\n", call->name);
    return EXIT_OTHER;
}

int cli_stop_code(scant_stop stop)
{
    return stop == SCANT_STOP_CONVERGED ? EXIT_OK : EXIT_STOPPED;
}

static void log_line(scant_log_level level, const char *text, void *payload)
{
    const cli_call *call = payload;
    fprintf(stderr, "scant %s: %s%s\n", call->name, level == SCANT_LOG_WARNING ? "warning: " : "",
            text);
}

void cli_log_start(const cli_call *call)
{
    if (call->quiet)
        scant_log_set(SCANT_LOG_WARNING, NULL, NULL);
    else
        scant_log_set(call->verbose ? SCANT_LOG_INFO : SCANT_LOG_WARNING, log_line,
                      (void *)(uintptr_t)call);
}

/* Letters to insert, drop, change or swap to make one word of the other (words under 64 letters).
 */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[3][LONGEST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    size_t *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t least = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < least)
                least = last[j] + 1;
            if (now[j - 1] + 1 < least)
                least = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < least)
                least = before[j - 2] + 1;
            now[j] = least;
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[m];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 1; /* a third of the letters may be wrong, at least one */
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, candidates[i]);
        if (d < least || (d == least && !best)) {
            least = d;
            best = candidates[i];
        }
    }
    if (best)
        return best;
    for (size_t i = 0; i < count && strlen(word) >= 3; i++) /* the beginning of a name */
        if (strncmp(word, candidates[i], strlen(word)) == 0)
            return candidates[i];
    return NULL;
}
