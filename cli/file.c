/* Files that appear whole or not at all: written beside their place and renamed into it. */
#define _GNU_SOURCE /* asprintf */
#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int complain(const cli_call *call, const char *path, int error)
{
    return cli_error(call, CLI_OUTPUT, "%s could not be written: %s", path, strerror(error));
}

static void forget(cli_file *file)
{
    free(file->path);
    free(file->temporary);
    *file = (cli_file){0};
}

/* A device or a pipe is written to as it is: nothing can be renamed over it. */
static bool is_special(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

int cli_file_open(cli_file *file, const cli_call *call, const char *path)
{
    *file = (cli_file){.stream = stdout};
    if (!path || strcmp(path, "-") == 0)
        return GO_ON;
    file->stream = NULL;
    file->path = strdup(path);
    if (!file->path)
        return cli_out_of_memory(call);
    if (is_special(path)) {
        file->stream = fopen(path, "w");
    } else {
        if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0)
            file->temporary = NULL;
        int descriptor = file->temporary ? mkstemp(file->temporary) : -1;
        if (descriptor >= 0) {
            mode_t mask = umask(0);
            (void)umask(mask);
            (void)fchmod(descriptor, 0666 & ~mask);
            file->stream = fdopen(descriptor, "w");
        }
    }
    if (file->stream)
        return GO_ON;
    int code = complain(call, path, errno);
    forget(file);
    return code;
}

int cli_file_close(cli_file *file, const cli_call *call, int code)
{
    if (!file->path || !file->stream) {
        forget(file);
        return code; /* stdout is closed and checked when the program ends */
    }
    errno = 0;
    bool bad = ferror(file->stream) != 0;
    bad = fclose(file->stream) != 0 || bad;
    if (code == EXIT_OK && bad)
        code = complain(call, file->path, errno ? errno : EIO);
    if (file->temporary && code == EXIT_OK && rename(file->temporary, file->path) != 0)
        code = complain(call, file->path, errno);
    if (file->temporary && code != EXIT_OK)
        (void)unlink(file->temporary);
    forget(file);
    return code;
}
