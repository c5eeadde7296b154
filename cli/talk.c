/* What goes to stderr: messages, errors with their exit codes, the library's log, suggestions. */
#include "command.h"

#include <stdarg.h>
#include <string.h>

enum { LONGEST_MESSAGE = 8192 };

void cli_say(const cli_call *call, const char *format, ...)
{
    if (call->quiet)
        return;
    (void)fflush(stdout); /* what was printed before stands before */
    char message[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "scant %s: %s\n", call->name, scant_plain(message));
}

void cli_say_predict(const cli_call *call, const char *path)
{
    char model[CLI_WORD], data[CLI_WORD];
    const char *rows = call->operand[0];
    cli_say(call, "predict with: scant predict %s %s", scant_shell_word(model, sizeof model, path),
            strcmp(rows, "-") == 0 ? "DATA" : scant_shell_word(data, sizeof data, rows));
}

/* --- errors --- */

static const struct {
    const char *word;
    int exit;
} faults[] = {
    [CLI_USAGE] = {"usage", EXIT_USAGE},
    [CLI_INPUT] = {"input", EXIT_INPUT},
    [CLI_UNIDENTIFIED] = {"unidentified", EXIT_UNIDENTIFIED},
    [CLI_INTERRUPTED] = {"interrupted", EXIT_STOPPED},
    [CLI_OUTPUT] = {"output", EXIT_OTHER},
    [CLI_MEMORY] = {"memory", EXIT_OTHER},
    [CLI_INTERNAL] = {"internal", EXIT_OTHER},
};

static void print_error_json(cli_fault fault, const char *message, const scant_place *place)
{
    json_t *error = json_pack("{s:s, s:i, s:o}", "code", faults[fault].word, "exit",
                              faults[fault].exit, "message", cli_json_text(message));
    if (place->file[0])
        cli_json_set(error, "file", cli_json_text(place->file));
    if (place->line)
        cli_json_set(error, "line", json_integer((json_int_t)place->line));
    if (place->column)
        cli_json_set(error, "column", json_integer((json_int_t)place->column));
    json_t *object = json_pack("{s:o}", "error", error);
    (void)json_dumpf(object, stderr, JSON_COMPACT);
    fputc('\n', stderr);
    json_decref(object);
}

/* One place for all errors: "scant COMMAND: message", or a line of JSON. */
static int tell(const cli_call *call, cli_fault fault, const char *message,
                const scant_place *place)
{
    if (call->json)
        print_error_json(fault, message, place);
    else
        fprintf(stderr, "scant%s%s: %s\n", call->name ? " " : "", call->name ? call->name : "",
                message);
    return faults[fault].exit;
}

int cli_error(const cli_call *call, cli_fault fault, const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return tell(call, fault, scant_plain(message), &(scant_place){0});
}

int cli_usage_error(const cli_call *call, const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int code = tell(call, CLI_USAGE, scant_plain(message), &(scant_place){0});
    if (!call->json)
        fprintf(stderr, "'scant %s --help' tells the options\n", call->name);
    return code;
}

static cli_fault fault_of(scant_status status)
{
    switch (status) {
    case SCANT_ERR_ARGUMENT: return CLI_USAGE;
    case SCANT_ERR_INPUT: return CLI_INPUT;
    case SCANT_ERR_UNIDENTIFIED: return CLI_UNIDENTIFIED;
    case SCANT_ERR_INTERRUPTED: return CLI_INTERRUPTED;
    case SCANT_ERR_IO: return scant_fault()->written ? CLI_OUTPUT : CLI_INPUT;
    case SCANT_ERR_MEMORY: return CLI_MEMORY;
    case SCANT_ERR_INTERNAL:
    case SCANT_OK: break;
    }
    return CLI_INTERNAL;
}

int cli_failed(const cli_call *call, scant_status status)
{
    const char *message = scant_message();
    return tell(call, fault_of(status), message[0] ? message : "failed without a message",
                scant_fault());
}

int cli_out_of_memory(const cli_call *call)
{
    return cli_error(call, CLI_MEMORY, "out of memory");
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
