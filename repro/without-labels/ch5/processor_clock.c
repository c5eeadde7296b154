/* Loaded before the C library (LD_PRELOAD), it makes the clock of intervals run with the processor
 * time of the thread that looks at it: a solver's seconds, and its time limit, are then its own
 * however busy the machine is. Of several threads it is the first one's work; what it waits for
 * the others does not count, if it sleeps meanwhile. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec *now)
{
    return (int)syscall(SYS_clock_gettime,
                        which == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : which, now);
}
