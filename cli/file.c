/* Files that appear whole or not at all, as streams of C. */
#define _GNU_SOURCE /* fopencookie */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static ssize_t put(void *cookie, const char *bytes, size_t n)
{
    cli_file *file = cookie;
    if (file->status == SCANT_OK)
        file->status = scant_file_write(file->file, bytes, n);
    return file->status == SCANT_OK ? (ssize_t)n : 0;
}

/* Begins the file and drops it. Pipes would take that for all they get. */
int cli_file_check(const cli_call *call, const char *path)
{
    struct stat about;
    scant_file *file = NULL;
    if (!path || strcmp(path, "-") == 0 ||
        (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)))
        return GO_ON;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') /* a folder to be made */
        length--;
    char *name = strndup(path, length);
    if (!name)
        return cli_out_of_memory(call);
    scant_status status = scant_file_open(&file, name);
    scant_file_free(file);
    free(name);
    return status == SCANT_OK ? GO_ON : cli_failed(call, status);
}

int cli_file_open(cli_file *file, const cli_call *call, const char *path)
{
    *file = (cli_file){.stream = stdout};
    if (!path || strcmp(path, "-") == 0)
        return GO_ON;
    scant_status status = scant_file_open(&file->file, path);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    file->stream = fopencookie(file, "w", (cookie_io_functions_t){.write = put});
    if (file->stream)
        return GO_ON;
    scant_file_free(file->file);
    return cli_out_of_memory(call);
}

int cli_file_close(cli_file *file, const cli_call *call, int code)
{
    if (!file->file)
        return code;            /* stdout is closed and checked when the program ends */
    (void)fclose(file->stream); /* what goes wrong is in the status */
    if (code == EXIT_OK && file->status == SCANT_OK)
        file->status = scant_file_commit(file->file);
    if (code == EXIT_OK && file->status != SCANT_OK)
        code = cli_failed(call, file->status);
    scant_file_free(file->file);
    return code;
}
