/* A bar with rate and time left: only on a terminal, and only once the work has lasted a second. */
#include "command.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 1.0, REDRAW = 0.1; /* seconds */
enum { BAR_CELLS = 24 };

double cli_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_bar_begin(cli_bar *bar, const cli_call *call)
{
    *bar = (cli_bar){.enabled = !call->quiet && isatty(STDERR_FILENO) == 1, .begun = cli_seconds()};
}

static void draw_time(double seconds)
{
    if (seconds < 60)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 3600)
        fprintf(stderr, ", %.0f min left", seconds / 60);
    else
        fprintf(stderr, ", %.1f h left", seconds / 3600);
}

/* Iterations a second since the last look where there are iterations, else units a second in all;
 * and the time left, once a unit is done. */
static void draw_rate(const cli_bar *bar, const scant_progress_event *event, double now)
{
    double done = (double)event->done, spent = now - bar->begun;
    if (event->iteration > bar->iteration && event->start == bar->start && bar->last > 0)
        fprintf(stderr, " %.3g iterations/s",
                (double)(event->iteration - bar->iteration) / (now - bar->last));
    else if (!event->iteration && event->done)
        fprintf(stderr, " %.3g/s", done / spent);
    if (event->total > event->done && event->done)
        draw_time((double)(event->total - event->done) * spent / done);
}

int cli_bar_progress(const scant_progress_event *event, void *payload)
{
    cli_bar *bar = payload;
    double now = cli_seconds(), spent = now - bar->begun;
    if (!bar->enabled || spent < PATIENCE || now - bar->last < REDRAW)
        return 0;
    bar->drawn = true;
    fprintf(stderr, "\r\033[K%s ", event->what ? event->what : "work");
    if (event->total) {
        double share = fmin(1, (double)event->done / (double)event->total);
        int full = (int)(share * BAR_CELLS);
        fputc('[', stderr);
        for (int i = 0; i < BAR_CELLS; i++)
            fputc(i < full ? '#' : ' ', stderr);
        fprintf(stderr, "] %3.0f%%", 100 * share);
    }
    if (event->starts > 1)
        fprintf(stderr, " start %zu/%zu", event->start + 1, event->starts);
    if (event->iteration)
        fprintf(stderr, " iteration %zu", event->iteration);
    if (isfinite(event->objective))
        fprintf(stderr, " objective %.6f", event->objective);
    draw_rate(bar, event, now);
    (void)fflush(stderr);
    bar->last = now;
    bar->start = event->start;
    bar->iteration = event->iteration;
    return 0;
}

void cli_bar_end(cli_bar *bar)
{
    if (bar->drawn)
        fputs("\r\033[K", stderr);
    bar->drawn = false;
}
