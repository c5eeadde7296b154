/* The one place that knows OpenMP. A task's failure is kept with its message, the first in task
 * order wins, so that what the caller is told does not depend on the number of threads. */
#include "base/base.h"

#include <omp.h>
#include <string.h>

enum { KEPT_MESSAGE = 1024 };

size_t scant_i_threads(size_t asked)
{
    int usual = omp_get_max_threads(); /* OpenMP knows OMP_NUM_THREADS, and else the cores */
    return asked ? asked : (size_t)(usual > 0 ? usual : 1);
}

static scant_status run_in_order(size_t ntasks, scant_i_task task, void *payload)
{
    for (size_t k = 0; k < ntasks; k++) {
        scant_status status = task(k, 0, payload);
        if (status != SCANT_OK)
            return status;
    }
    return SCANT_OK;
}

scant_status scant_i_parallel(size_t threads, size_t ntasks, scant_i_task task, void *payload)
{
    size_t workers = scant_i_min(scant_i_threads(threads), ntasks);
    if (workers <= 1 || omp_in_parallel())
        return run_in_order(ntasks, task, payload);

    scant_status first_status = SCANT_OK;
    size_t first_task = ntasks;
    char first_message[KEPT_MESSAGE] = "";
    scant_place first_place = {0};
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)workers)
    for (size_t k = 0; k < ntasks; k++) {
        bool skip;
#pragma omp critical(scant_parallel_failure)
        skip = first_task < k;
        if (skip)
            continue;
        scant_status status = task(k, (size_t)omp_get_thread_num(), payload);
        if (status != SCANT_OK) {
#pragma omp critical(scant_parallel_failure)
            if (k < first_task) {
                first_task = k;
                first_status = status;
                strncpy(first_message, scant_message(), sizeof first_message - 1);
                first_place = *scant_fault();
            }
        }
    }
    return first_status == SCANT_OK ? SCANT_OK
                                    : scant_i_fail_again(first_status, first_message, &first_place);
}

/* --- results in task order --- */

scant_status scant_i_queue_new(scant_i_queue *out, size_t ntasks, scant_i_finish finish,
                               void *payload)
{
    scant_status status = SCANT_OK;
    *out = (scant_i_queue){.ntasks = ntasks, .finish = finish, .payload = payload};
    SCANT_I_TRY(SCANT_I_NEW(&out->given, ntasks));
    SCANT_I_TRY(SCANT_I_NEW(&out->unused, ntasks));
done:
    if (status != SCANT_OK)
        scant_i_queue_clear(out);
    return status;
}

void scant_i_queue_clear(scant_i_queue *queue)
{
    scant_i_free(queue->given);
    scant_i_free(queue->unused);
    *queue = (scant_i_queue){0};
}

void scant_i_queue_restart(scant_i_queue *queue)
{
    queue->next = queue->nunused = queue->nplaces = 0;
    queue->finishing = false;
    memset(queue->given, 0, queue->ntasks * sizeof *queue->given);
}

size_t scant_i_queue_take(scant_i_queue *queue)
{
    size_t place;
#pragma omp critical(scant_queue)
    place = queue->nunused ? queue->unused[--queue->nunused] : queue->nplaces++;
    return place;
}

/* The place of the task that is next, if that is done; else nobody is finishing any more. */
static bool is_next_done(scant_i_queue *queue, size_t *place)
{
    bool done = queue->next < queue->ntasks && queue->given[queue->next];
    queue->finishing = done;
    *place = done ? queue->given[queue->next] - 1 : 0;
    return done;
}

void scant_i_queue_give(scant_i_queue *queue, size_t task, size_t place)
{
    bool more;
#pragma omp critical(scant_queue)
    {
        queue->given[task] = place + 1;
        more = !queue->finishing && is_next_done(queue, &place);
    }
    while (more) {
        queue->finish(queue->next, place, queue->payload);
#pragma omp critical(scant_queue)
        {
            queue->unused[queue->nunused++] = place;
            queue->next++;
            more = is_next_done(queue, &place);
        }
    }
}
