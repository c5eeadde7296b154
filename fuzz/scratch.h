/* A file of a target's own, `path`, for readers that want one; it goes with the process. */
#ifndef SCANT_F_SCRATCH_H
#define SCANT_F_SCRATCH_H

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char path[] = "/tmp/scant-fuzz-XXXXXX";

static void forget(void)
{
    (void)unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    int file = mkstemp(path);
    if (file < 0)
        abort();
    (void)close(file);
    (void)atexit(forget);
    return 0;
}

#endif
