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
