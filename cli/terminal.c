/* Standard output where it is a terminal: what is shown there must not steer it. */
#define _GNU_SOURCE /* fopencookie */
#include "command.h"

#include <unistd.h>

/* C1's control characters are two bytes, C2 and 80 to 9F, which may come in two parts. */
static ssize_t put_plain(void *cookie, const char *bytes, size_t n)
{
    static unsigned char last;
    char text[1024];
    FILE *terminal = cookie;
    for (size_t from = 0, part; from < n; from += part) {
        part = n - from < sizeof text - 1 ? n - from : sizeof text - 1;
        for (size_t k = 0; k < part; k++) /* a zero byte would end the text */
            text[k] = bytes[from + k] ? bytes[from + k] : '?';
        text[part] = '\0';
        if (last == 0xC2 && (unsigned char)text[0] >= 0x80 && (unsigned char)text[0] < 0xA0)
            text[0] = '?';
        last = (unsigned char)text[part - 1];
        if (fputs(scant_plain(text), terminal) < 0)
            return 0;
    }
    return fflush(terminal) == 0 ? (ssize_t)n : 0;
}

static int close_terminal(void *cookie)
{
    return fclose(cookie);
}

/* Answers on a terminal are looked at: cells of the data must not steer it. Elsewhere they are what they are. */
void cli_guard_terminal(void)
{
    FILE *guarded =
        isatty(STDOUT_FILENO)
            ? fopencookie(stdout, "w",
                          (cookie_io_functions_t){.write = put_plain, .close = close_terminal})
            : NULL;
    if (!guarded)
        return;
    (void)setvbuf(guarded, NULL, _IOLBF, BUFSIZ);
    stdout = guarded;
}
